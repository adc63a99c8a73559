"""A response, whose lines are read from its end and only as far as a rule needs them."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from spiqa_tasks.scoring.mcq import kinds
from spiqa_tasks.scoring.mcq.claims import Line, opening, settle
from spiqa_tasks.scoring.mcq.cues import KIND_OF, KIND_OF_WORD
from spiqa_tasks.scoring.mcq.fields import fields_in
from spiqa_tasks.scoring.mcq.forms import compiled
from spiqa_tasks.scoring.mcq.options import Options, masked
from spiqa_tasks.scoring.mcq.stance import is_unable, is_undecided, stances
from spiqa_tasks.scoring.mcq.text import lower
from spiqa_tasks.scoring.mcq.tokens import has_candidates, read_line
from spiqa_tasks.scoring.refusals import is_refusal

_ITEM = re.compile(
    r"[^\w\n]{0,8}(?:[a-z]{1,12} \(|(?:option|choice|figure|caption|image) )?([a-z])\**[.,):\]]", re.IGNORECASE
)
_BULLET = re.compile(r"\s*[-*•] ?\S")
_SINGLE = re.compile(r"[^\w\n]{0,8}[a-z](?![a-z0-9])", re.IGNORECASE)
_HEADING = re.compile(
    r"[^\n]{0,400}:\W{0,3}|\W{0,8}(?:(?:the |my )?(?:final |correct )?answer|(?:正确|参考)?答案)\W{0,3}", re.IGNORECASE
)
_ANSWERS = re.compile("|".join(cue for cue, kind in KIND_OF.items() if kind == kinds.ANSWER), re.IGNORECASE)
_UNREAD = compiled("ANSWER FILL{0,3} [IS COLON]{1,2} FILL{0,2} (OTHER | $)")
_DENIAL = compiled("FILL{0,3} NOT")
_WORDS = re.compile(r"[^\W\d_]+")
_DENIALS = {cue for cue, kind in KIND_OF_WORD.items() if kind in (kinds.NOT, kinds.HARD)} | {"t"}  # don't


def _may_deny(line: str) -> bool:
    """Return whether a line may have a word of denial; checked first, as it is faster."""
    return not line.isascii() or not _DENIALS.isdisjoint(_WORDS.findall(line.lower()))


class Reading:
    """A response with a question's options; lines are cleaned and read on demand."""

    def __init__(self, text: str, options: Options, is_cut: bool = False) -> None:
        self.options = options
        self.text = text
        self.is_cut = is_cut
        self.fields = fields_in(text)
        self._lines = [line for line in text.split("\n") if line and not line.isspace()]
        self._cleaned: dict[str, tuple[str, str]] = {}
        self._read: dict[str, Line] = {}

    def _clean(self, text: str) -> tuple[str, str]:
        """Return a cleaned line, and the same in lower case with option texts masked."""
        if text not in self._cleaned:
            cleaned = self.options.cleaned(text)
            self._cleaned[text] = cleaned, masked(lower(cleaned), self.options)
        return self._cleaned[text]

    def line(self, text: str) -> Line:
        """Return a line as kinds; equal lines are read once."""
        if text not in self._read:
            self._read[text] = read_line(*self._clean(text), self.options)
        return self._read[text]

    def _at(self, index: int) -> str:
        """Return the line at `index` with its heading."""
        return self._heading_of(index) + self._lines[index]

    def bare(self, index: int) -> Line:
        """Return a line without the heading before it."""
        return self.line(self._lines[index])

    @cached_property
    def unread(self) -> int:
        """The index of the last line with an answer that names no option (`\\boxed{108}`, `Answer: 108`), or -1."""
        last = -1
        if self.fields and not self.content(self.fields[0].content, True):
            before = self.text[: self.fields[0].start].split("\n")
            last = sum(bool(line.strip()) for line in before[:-1])
        for index in range(len(self._lines) - 1, last, -1):
            if _ANSWERS.search(self._lines[index]):
                line = self.line(self._at(index))
                if _UNREAD.search(line.kinds) and not any(stance.by == "text" for stance in stances(line)):
                    return index
        return last

    def _heading_of(self, index: int) -> str:
        """Return the line before one that begins with an option, if it is a heading such as `Answer:`, or ""."""
        if not index or not _SINGLE.match(self._lines[index]) or self.in_listing(index):
            return ""
        before = self._lines[index - 1]
        return f"{before.rstrip(' *_:#')}: " if _HEADING.fullmatch(before) else ""

    def backwards(self, after: int = -1) -> Iterator[tuple[int, Line]]:
        """Yield (index, line) of the lines after `after` that mention an option, the last first."""
        for index in range(len(self._lines) - 1, after, -1):
            text = self._at(index)
            if has_candidates(*self._clean(text)) and any(self.line(text).letters):
                yield index, self.line(text)

    def content(self, field: str, of_text: bool) -> frozenset[str]:
        """Return the options that the content of a field made for the answer names."""
        line = self.line(field)
        claim = opening(line, "alone") or opening(line, "lead")
        claims = line.claims if claim is None else [claim]
        return settle([claim for claim in claims if claim.of_text <= of_text], line)

    def is_undecided(self, index: int, start: int) -> bool:
        """Return whether a line from `start` on, or a later one, says that nothing can be chosen."""
        doubtful = filter(_may_deny, self._lines[index + 1 :])
        return is_undecided(self.line(self._at(index)), start) or any(map(is_undecided, map(self.line, doubtful)))

    def declines(self) -> bool:
        """Return whether the answer says that it cannot be given."""
        doubtful = filter(_may_deny, self._lines)
        return is_refusal(self.text) or any(map(is_unable, map(self.line, doubtful)))

    def denies(self, field: str) -> bool:
        """Return whether the content of a field says that no option is right: `none of these`."""
        return _DENIAL.match(self.line(field).kinds) is not None and not self.content(field, True)

    def stands_out(self, index: int, of_text: bool) -> bool:
        """Return whether a line that is nothing but an option is no item of a listing, nor a text among other lines.

        Of a cut answer only the first line: a later one may be an item of a listing that was to come.
        """
        if index and (self.is_cut or (of_text and all(map(_BULLET.match, self._lines[index - 1 : index + 1])))):
            return False
        return not self.in_listing(index) and (not of_text or index in (0, len(self._lines) - 1))

    def mentioned(self) -> frozenset[str]:
        """Return the letters of all options that are mentioned."""
        letters = "".join("".join(line.letters) for _, line in self.backwards())
        return frozenset(letters) & self.options.texts.keys()

    def in_listing(self, index: int) -> bool:
        """Return whether a line is an item whose neighbours are the letters before or after it in the alphabet."""
        if index in self._items:
            return index in self._listed
        bare = self._lines[index].strip().lower()  # the cut-off item of a listing
        return len(bare) == 1 and self._items.get(index - 1) == ord(bare) - 1

    @cached_property
    def _items(self) -> dict[int, int]:
        """Index of line -> letter of an item: `A.`, `(A)`, `Option A:`."""
        found = ((index, _ITEM.match(line)) for index, line in enumerate(self._lines))
        return {index: ord(item[1].lower()[0]) for index, item in found if item}  # İ is two characters in lower case

    @cached_property
    def _listed(self) -> set[int]:
        pairs = pairwise(self._items.items())
        return {
            index
            for (here, item), (there, following) in pairs
            if following == item + 1 or (there == here + 1 and following > item)
            for index in (here, there)
        }
