"""A response, whose lines are read from its end and only as far as a rule needs them, and the
rules.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from spiqa_tasks.scoring.mcq.cues import ANSWER, KIND_OF, OTHER, any_of
from spiqa_tasks.scoring.mcq.fields import FIELD, as_lines
from spiqa_tasks.scoring.mcq.forms import Claim, Level, Line, compiled, settle
from spiqa_tasks.scoring.mcq.options import Options
from spiqa_tasks.scoring.mcq.stance import By, Stance, is_unable, is_undecided, stances
from spiqa_tasks.scoring.mcq.text import breaks_off, one_a_line
from spiqa_tasks.scoring.mcq.tokens import read_line
from spiqa_tasks.scoring.refusals import is_refusal

_ITEM = re.compile(
    r"[^\w\n]{0,8}(?:[^\s\d.,:()]{2,12} \**)?\(?([a-z])(?: {0,2}번)?[* ]{0,2}[.,():\]、]",
    re.IGNORECASE,
)
_SINGLE = re.compile(r"[^\w\n]{0,8}(?:option (?=.[*.:]))?[a-z](?![a-z0-9])", re.IGNORECASE)
_HEADING = re.compile(
    r"[^\n]{0,400}:\W{0,3}|\W{0,8}(?:(?:final |correct )?answer|(?:正确|参考)?答案)\W{0,3}",
    re.IGNORECASE,
)
_UNREAD = compiled("ANSWER FILL{0,3} [IS COLON]{1,2} FILL{0,2} OTHER")
_OTHER_VALUE = compiled("(^ | SO) CALM{0,30} IS FILL{0,2} OTHER CALM{0,9} STOP? $")  # x = 7
_EXPLAINS = compiled("BECAUSE COLON? $")
_ANSWER = re.compile(any_of(cue for cue, kind in KIND_OF.items() if kind == ANSWER))
# Most lines with a named answer: a model may correct itself, more lines are a loop.
_CORRECTIONS = 2
_RETHINKS = compiled("(^ | [STOP QUESTION]) BUT")  # But wait
_NOTHING: frozenset[str] = frozenset()
_NO_OPTION = frozenset("?")  # the answer names something that is no option


class Reading:
    """A response with a question's options; lines are cleaned and read on demand."""

    def __init__(self, text: str, options: Options, is_cut: bool = False) -> None:
        self.options = options
        self.text = text
        self.is_cut = is_cut
        self.lines = [line for line in one_a_line(as_lines(text)).split("\n") if line.strip()]
        self._read: dict[str, Line] = {}

    def line(self, text: str) -> Line:
        """Return a line as kinds; equal lines are read once."""
        if text not in self._read:
            self._read[text] = read_line(self.options.cleaned(text), self.options)
        return self._read[text]

    def at(self, index: int) -> Line:
        """Return the line at `index`; one that begins with an option with the heading before it
        (`Answer:`).
        """
        line, before = self.lines[index], self.lines[index - 1] if index else ""
        is_headed = (
            _SINGLE.match(line)
            and _HEADING.fullmatch(before)
            and index not in self.listed
            and not _EXPLAINS.search(self.line(before).kinds)
        )
        return self.line(f"{before.rstrip(' *_:#')}: {line}" if is_headed else line)

    @cached_property
    def unread(self) -> int:
        """The index of the last line with an answer that names no option (`\\boxed{108}`,
        `Answer: 108`), or -1.
        """
        later = range(len(self.lines) - 1, -1, -1)
        return next(filter(self._names_a_value, later), -1)

    def _names_a_value(self, index: int) -> bool:
        """Return whether the line at `index` names a value as the answer that is no option."""
        line = self.at(index)
        below = OTHER if index + 1 < len(self.lines) else ""  # "Answer:" and on the next line 108
        by_text = (stance.by == "text" for stance in stances(line))
        return bool(_UNREAD.search(line.kinds + below)) and not line.claims and not any(by_text)

    def backwards(self, after: int = -1) -> Iterator[tuple[int, Line]]:
        """Yield (index, line) of the lines after `after` that mention an option, the last first; of
        an answer that was cut off while it thought again, only the first line before that.
        """
        thinks_again = is_rejected = False
        for index in range(len(self.lines) - 1, after, -1):
            line = self.at(index)
            is_cancelled = is_rejected and not self.lines[index].startswith(FIELD)
            if any(line.letters) and not (is_cancelled or (thinks_again and index)):
                yield index, line
            is_rejected |= line.rejection >= 0
            thinks_again |= self.is_cut and _RETHINKS.search(line.kinds) is not None

    def retracts(self, index: int, start: int) -> bool:
        """Return whether a line says from `start` on, or a later one anywhere, that nothing can be
        chosen; of options that are numbers, whether a line ends with another number.
        """
        lines = [self.line(text) for text in self.lines[index:]]
        if self.options.are_numbers and any(_OTHER_VALUE.search(line.kinds) for line in lines):
            return True
        return is_undecided(self.at(index), start) or any(map(is_undecided, lines[1:]))

    def declines(self) -> bool:
        """Return whether the answer says that it cannot be given."""
        return is_refusal(self.text) or any(map(is_unable, map(self.line, self.lines)))

    def mentioned(self) -> frozenset[str]:
        """Return the letters of all options that are mentioned."""
        letters = "".join("".join(line.letters) for _, line in self.backwards())
        return frozenset(letters) & self.options.texts.keys()

    @cached_property
    def listed(self) -> set[int]:
        """The indices of lines that are items (`A.`, `(A)`, `Option A:`) beside the next letter
        of the alphabet, or beside lines of other letters.
        """
        items = [
            (index, ord(match[1].lower()[0]))  # İ is two
            for index, line in enumerate(self.lines)
            if (match := _ITEM.match(line))
        ]
        listed = set[int]()
        for (here, item), (there, following) in pairwise(items):
            step = following - item
            if there - here > 1:
                is_item = step == 1 and not _HEADING.fullmatch(self.lines[there - 1])
            else:
                is_item = step > 0 if here in listed else step != 0
            if is_item:
                listed |= {here, there}
        return listed


def _named(reading: Reading, level: Level = "named") -> frozenset[str]:
    """Return the options that the last line with a named answer (or a decision of another `level`)
    leaves standing: by their letters, else by texts, which count behind the last value that is no
    option.
    """
    for of_text in (False, True):
        for _, line in reading.backwards(reading.unread if of_text else -1):
            decisions = [claim for claim in line.claims if claim.level != "stated"]
            claims = decisions if of_text else _by_letter(decisions)
            if any(claim.level == level for claim in claims):
                return settle(claims, line)
    return _NOTHING


def _alone(reading: Reading) -> frozenset[str]:
    """Return the options of the last line that is nothing but options, by their letters.

    An item of a listing does not stand alone. Of a cut answer only the first line does: a later
    one may be an item of a listing that was to come.
    """
    for index, _ in reading.backwards():
        may_stand = index not in reading.listed and not (index and reading.is_cut)
        whole = reading.line(reading.lines[index]).opening("alone")
        if may_stand and whole and not whole.of_text:
            return whole.letters
    return _NOTHING


def _looped(reading: Reading) -> frozenset[str]:
    """Return the options that lines name as the only answer, if they are too many to be
    corrections.
    """
    cued = [index for index, line in enumerate(reading.lines) if _ANSWER.search(line.lower())]
    if len(cued) <= _CORRECTIONS:
        return _NOTHING  # most answers, without a look at their claims

    looped: set[str] = set()
    for line in map(reading.at, cued):
        named = settle([claim for claim in line.claims if claim.level == "named"], line)
        if len(named) == 1:
            looped |= named
    return frozenset(looped) if len(looped) > _CORRECTIONS else _NOTHING


def _stated(reading: Reading) -> frozenset[str]:
    """Return the options that all lines state by their letters, else the one that the first line
    with a mention begins with.
    """
    lines = [(0, Line("", ())), *reading.backwards(reading.unread)]
    stated = _NOTHING.union(*(settle(_by_letter(line.claims), line) for _, line in lines))
    index, first = lines[-1]
    opening = first.opening("lead")
    if opening is None or opening.of_text or index in reading.listed:
        return stated
    return stated or opening.letters


def _by_letter(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims that name a letter."""
    return [claim for claim in claims if not claim.of_text]


def _spoken_for(reading: Reading, by: By) -> frozenset[str]:
    """Return the favoured options: of the last conclusion, else of any sentence, else those only
    mentioned; behind the last value that is no option.

    A later statement that none can be chosen retracts all but a conclusion; a text that is only
    mentioned is retracted by a statement anywhere.
    """
    evidence = list(_backwards(reading, by))
    if not evidence:
        return _NOTHING
    strongest = max(stance.strength for _, stance in evidence)
    favoured = [stance.letters for _, stance in evidence if stance.strength == strongest]
    if strongest == 2:
        return favoured[0]

    index, last = evidence[0]
    since = (0, 0) if by == "text" and strongest == 0 else (index, last.start)
    return _NOTHING if reading.retracts(*since) else _NOTHING.union(*favoured)


def _backwards(reading: Reading, by: By) -> Iterator[tuple[int, Stance]]:
    """Yield the evidence of a kind, the last first, but for items of a listing that nothing is
    said for. No number of a working that breaks off is an answer.
    """
    if reading.options.are_numbers and breaks_off(reading.text):
        return
    for index, line in reading.backwards(reading.unread):
        for stance in reversed(list(stances(line, index == 0))):
            if stance.by == by and (stance.strength or index not in reading.listed):
                yield index, stance


def _of_text(reading: Reading) -> frozenset[str]:
    """Return the options spoken for by their texts; {"?"} if the answer is a value that is no
    option.
    """
    favoured = _spoken_for(reading, "text")
    return favoured or (_NOTHING if reading.unread < 0 else _NO_OPTION)


def _of_letter(reading: Reading) -> frozenset[str]:
    """Return the options spoken for by bare letters, if letters are in the picture (`Point B`)."""
    return _spoken_for(reading, "letter") if reading.options.are_labels else _NOTHING


# (name, rule), from the strongest evidence; a rule returns no letter, one, or several if the answer
# is ambiguous.
RULES: Sequence[tuple[str, Callable[[Reading], frozenset[str]]]] = (
    ("answer_line", _looped),
    ("answer_line", _named),
    ("answer_line", _alone),
    ("conclusion", lambda reading: _named(reading, "concluded")),
    ("statement", _stated),
    ("mark", lambda reading: _spoken_for(reading, "mark")),
    ("text", _of_text),
    ("letter", _of_letter),
)
