"""Commitments to an option in prose whose mentions of options are marked as ⟦B⟧ (see `mcq_mentions`)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_CLOSING = " .)]}!\"'\n"
_LETTER = re.compile(r"⟦(.)⟧")
_LIST = (
    r"(?P<list>⟦.⟧(?: ?(?:(?:(?:, ?)?\b(?:and|or|nor)\b|[,/&+]) ?)?(?:(?:option|choice) )?⟦.⟧"
    r"(?!\s+(?:is|was|has|does|shows|would|can|cannot|isn't|doesn't)\b)){0,12})"
)
_FILL = (
    r"(?:(?:\b(?:the|most|likely|probably|therefore|thus|clearly|indeed|definitely|actually|simply|just|still|either"
    r"|both|only|letter|option|choice|answer|caption|figure|image|correct|right|best|labell?ed|is|for|to)\b|[:\"'>-])"
    r"\s*){0,6}"
)
_GAP = r"(?P<gap>(?:[^.\n⟦]|\.\d){0,80}?)"
_BE = r"(?:\b(?:is|are|be)\b|'s\b)"
_CLAUSE_END = re.compile(
    r"\s*(?:$|[.,;:!?)\]}\"'\n。(–—/-]"
    r"|(?:because|since|as|due|given|based|for|with|over|rather|not|but|and|which|though)\b)",
    re.IGNORECASE,
)
_NOT_SUBJECT = re.compile(r"(?!\s+(?:is|are|was|has|have|does|do|isn't|aren't|shows?|cannot|can|if|unless)\b)")
_ANYTHING = re.compile("")

# (pattern, what must follow it): each is one way of committing to an option.
_STATEMENTS = tuple(
    (re.compile(pattern, re.IGNORECASE), tail)
    for pattern, tail in (
        (
            rf"(?:\b(?:ans|answer(?! (?:choice|option))|choice|option|selection|letter|response|conclusion|guess"
            rf"|prediction)\b|答案){_GAP}(?:{_BE}|[:=]|->|→|\s[–—-]\s|是|为)\s*{_FILL}{_LIST}",
            _NOT_SUBJECT,
        ),
        (
            rf"\b(?:best|correct|right|most \w+|closest|match(?:es|ing)?)\b{_GAP}(?:{_BE}|:)\s*{_FILL}{_LIST}",
            _CLAUSE_END,
        ),
        (rf"\b(?:best (?:\w+ ){{1,3}}?|corresponds? (?:\w+ )?to |matches ){_FILL}{_LIST}", _CLAUSE_END),
        (
            rf"{_LIST} (?:best (?:matches|describes|represents|captures|fits|summari[sz]es)"
            r"|(?:matches|describes|fits) (?:best|the (?:caption|description|figure|image)))\b",
            _ANYTHING,
        ),
        (
            rf"{_LIST}[\"')]*\s*(?:{_BE}|must be|(?:seems|appears)(?: to be)?)\s+(?:(?:both|clearly|indeed|the|most"
            r"|likely|probably|therefore|only|a)\s+){0,4}(?:(?:correct|right)(?![-\w]|\s+(?:of|to|side|angle|triangle|if"
            r"|only if)\b)|(?<=the )(?:answer|best|closest)\b|(?<=the most )(?:accurate|appropriate|suitable|likely)\b"
            r"|(?<=the )\w+ answer\b)",
            _ANYTHING,
        ),
        (
            rf"(?:\b(?:choose|chose|select|pick|go(?:ing)? (?:with|for)|opt for|settle on|say|guess|vote for"
            rf"|answer)\b|选)\s*{_FILL}{_LIST}",
            _NOT_SUBJECT,
        ),
        (rf"\b(?:it|that|this)(?:'s| is| must be| should be| would be| has to be)\s+{_FILL}{_LIST}", _CLAUSE_END),
    )
)
_CONCLUSION = re.compile(
    r"(?:\b(?:therefore|thus|hence|so|consequently|actually|(?<!anything )but|rather|i mean|make (?:it|that)|wait"
    rf"|no(?=[,:]))\b|⇒|=>|→|->)[,:]?\s*(?:no,?\s*)?(?:(?:it's|it is|that's|i'd say)\s*)?{_FILL}{_LIST}",
    re.IGNORECASE,
)
_OPENING = re.compile(
    rf"(?:^|(?<=[\n;!?])|(?<=\.\s))[ \t>•–-]*(?:\d+[.)][ \t]*)?"
    rf"(?:(?:probably|likely|maybe|perhaps|definitely|(?:the )?(?:option|choice|caption|figure|image)(?: is)?)"
    rf"[ ,:]+)?{_LIST}",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:n't|\bnot|\bnever|\bcannot)\s+(?:\w+\s+){0,2}?(?:think|believe|agree|say|sure|certain|conclude|mean)\b"
    r"|(?:\b(?:not|nor|neither|never|cannot)|n't)\s*(?:(?:the|option|choice)\s*)*$"
    r"|\b(?:if|whether|unless|suppose|assuming)\b",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"\b(?:final(?:ly)?|therefore|thus|hence|so|conclusion|conclude|overall|ultimately|summary)\b", re.IGNORECASE
)
_CORRECTION = re.compile(
    r"\b(?:wait|actually|corrections?|mistaken?|instead|second thoughts?|apologi[sz]e|apologies|oops|scratch that"
    r"|rather|re-?(?:check|consider|evaluat|examin|think|visit)\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Claim:
    """A commitment to one or several letters at text[start:end]; `marked` if worded as a conclusion or correction."""

    start: int
    end: int
    letters: frozenset[str]
    marked: bool = False


def find_claims(text: str) -> list[Claim]:
    """Return the commitments in marked `text`, in order of position; where two end together, the marked one."""
    leads = [match for match in _OPENING.finditer(text) if _CLAUSE_END.match(text, match.end())]
    listed = _listed(leads)
    stated = [claim for claim in _stated(text) if claim.marked or claim.end not in listed]
    claims = [*stated, *_concluded(text), *_opening_and_closing(text, leads)]
    by_end = {claim.end: claim for claim in sorted(claims, key=lambda claim: (claim.end, claim.marked))}
    return list(by_end.values())


def settle(claims: Iterable[Claim], text: str) -> frozenset[str]:
    """Return the letters that the `claims` (in order) leave standing: empty for no claim, several where they disagree.

    A claim inside an earlier list narrows it; a marked claim, or one that follows a word of correction, replaces
    what stood before; any other disagreement leaves both standing.
    """
    standing: frozenset[str] = frozenset()
    disputed = False
    previous_end = 0
    for claim in claims:
        replaces = claim.marked or _CORRECTION.search(text, previous_end, claim.end) is not None
        if not standing or replaces or (claim.letters < standing and not disputed):
            standing, disputed = claim.letters, False
        elif claim.letters != standing:
            standing, disputed = standing | claim.letters, True
        previous_end = claim.end
    return standing


def mentioned(text: str) -> list[str]:
    """Return the letters of all marked mentions in `text`, in order, with repetitions."""
    return _LETTER.findall(text)


def _claim(match: re.Match[str], marked: bool) -> Claim:
    return Claim(match.start(), match.end(), frozenset(mentioned(match["list"])), marked)


def _stated(text: str) -> Iterator[Claim]:
    for pattern, tail in _STATEMENTS:
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - 200) : match.start()]
            sentence = re.split(r"[.\n!?]", before)[-1]
            clause = re.split(r"[,;:]|\b(?:but|so|because)\b", sentence)[-1]
            gap = match.groupdict().get("gap") or ""
            denied = _DENIED.search(clause) or re.search(r"\bnot\b|n't\b|\bcannot\b", gap)
            if not denied and tail.match(text, match.end()):
                yield _claim(match, _FINAL.search(sentence + match[0]) is not None)


def _concluded(text: str) -> Iterator[Claim]:
    for match in _CONCLUSION.finditer(text):
        if _CLAUSE_END.match(text, match.end()):
            yield _claim(match, True)


def _listed(leads: list[re.Match[str]]) -> set[int]:
    """Return the ends of those leading letters that the next one follows in the alphabet: a listing of options."""
    pairs = itertools.pairwise(leads)
    return {one.end() for one, two in pairs if ord(mentioned(two["list"])[0]) - ord(mentioned(one["list"])[-1]) == 1}


def _opening_and_closing(text: str, leads: list[re.Match[str]]) -> Iterator[Claim]:
    """Yield the letter a response opens with and the one alone at its end, unless they belong to a listing.

    Letters that lead sentences in ascending order (A ..., B ..., C ...) restate the options and commit to none.
    """
    firsts = [mentioned(match["list"])[0] for match in leads]
    if not leads:
        return
    if leads[0].start() == 0 and (len(leads) == 1 or firsts[1] <= firsts[0]):
        yield _claim(leads[0], False)
    closes_listing = len(leads) > 1 and firsts[-1] > firsts[-2]
    if leads[-1].start() > 0 and not closes_listing and not text[leads[-1].end() :].strip(_CLOSING):
        yield _claim(leads[-1], True)
