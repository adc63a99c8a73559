"""A response, whose lines are read from its end and only as far as a rule needs them, and the rules."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise

from spiqa_tasks.scoring.mcq.cues import ANSWER, KIND_OF
from spiqa_tasks.scoring.mcq.fields import fields_in
from spiqa_tasks.scoring.mcq.forms import Level, Line, compiled, settle
from spiqa_tasks.scoring.mcq.options import Options
from spiqa_tasks.scoring.mcq.stance import By, is_unable, is_undecided, stances
from spiqa_tasks.scoring.mcq.tokens import read_line
from spiqa_tasks.scoring.responses import is_refusal

_ITEM = re.compile(
    r"[^\w\n]{0,8}(?:[a-z]{1,12} \(|(?:option|choice|figure|caption|image) )?([a-z])\**[.,):\]]",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*[-*•] \S")
_SINGLE = re.compile(r"[^\w\n]{0,8}[a-z](?![a-z0-9])", re.IGNORECASE)
_HEADING = re.compile(
    r"[^\n]{0,400}:\W{0,3}|\W{0,8}(?:(?:final |correct )?answer|(?:正确|参考)?答案)\W{0,3}",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    "|".join(cue for cue, kind in KIND_OF.items() if kind == ANSWER), re.IGNORECASE
)
_UNREAD = compiled("ANSWER FILL{0,3} [IS COLON]{1,2} FILL{0,2} (OTHER | $)")
_DENIAL = compiled("FILL{0,3} NOT")
_NOTHING: frozenset[str] = frozenset()
_NO_OPTION = frozenset("?")


class Reading:
    """A response with a question's options; lines are cleaned and read on demand."""

    def __init__(self, text: str, options: Options, is_cut: bool = False) -> None:
        self.options = options
        self.text = text
        self.is_cut = is_cut
        self.fields = fields_in(text)
        self.lines = [line for line in text.split("\n") if line and not line.isspace()]
        self._read: dict[str, Line] = {}

    def line(self, text: str) -> Line:
        """Return a line as kinds; equal lines are read once."""
        if text not in self._read:
            self._read[text] = read_line(self.options.cleaned(text), self.options)
        return self._read[text]

    def _at(self, index: int) -> str:
        """Return the line at `index`; one that begins with an option with the heading before it (`Answer:`)."""
        line, before = self.lines[index], self.lines[index - 1] if index else ""
        is_headed = _HEADING.fullmatch(before) and _SINGLE.match(line) and index not in self.listed
        return f"{before.rstrip(' *_:#')}: {line}" if is_headed else line

    @cached_property
    def unread(self) -> int:
        """The index of the last line with an answer that names no option (`\\boxed{108}`, `Answer: 108`), or -1."""
        last = -1
        if self.fields and not self.content(self.fields[0].content, True):
            before = self.text[: self.fields[0].start].split("\n")
            last = sum(bool(line.strip()) for line in before[:-1])
        for index in range(len(self.lines) - 1, last, -1):
            if _ANSWERS.search(self.lines[index]):
                line = self.line(self._at(index))
                if _UNREAD.search(line.kinds) and not any(
                    stance.by == "text" for stance in stances(line)
                ):
                    return index
        return last

    def backwards(self, after: int = -1) -> Iterator[tuple[int, Line]]:
        """Yield (index, line) of the lines after `after` that mention an option, the last first."""
        for index in range(len(self.lines) - 1, after, -1):
            line = self.line(self._at(index))
            if any(line.letters):
                yield index, line

    def content(self, field: str, of_text: bool) -> frozenset[str]:
        """Return the options that the content of a field made for the answer names, by their texts if `of_text`."""
        line = self.line(field)
        claim = line.opening("alone") or line.opening("lead")
        return settle(
            [each for each in ([claim] if claim else line.claims) if each.of_text <= of_text], line
        )

    def is_undecided(self, index: int, start: int) -> bool:
        """Return whether a line from `start` on, or a later one, says that nothing can be chosen."""
        later = map(self.line, self.lines[index + 1 :])
        return is_undecided(self.line(self._at(index)), start) or any(map(is_undecided, later))

    def declines(self) -> bool:
        """Return whether the answer says that it cannot be given."""
        return is_refusal(self.text) or any(map(is_unable, map(self.line, self.lines)))

    def stands_out(self, index: int, of_text: bool) -> bool:
        """Return whether a line is no item of a listing; a text stands out only at an end of the answer.

        Of a cut answer only the first line does: a later one may be an item of a listing that was to come.
        """
        if index in self.listed or (index and self.is_cut):
            return False
        around = self.lines[max(0, index - 1) : index + 2]
        is_item = len(around) > 1 and all(map(_BULLET.match, around))
        return not of_text or (index in (0, len(self.lines) - 1) and not is_item)

    def mentioned(self) -> frozenset[str]:
        """Return the letters of all options that are mentioned."""
        letters = "".join("".join(line.letters) for _, line in self.backwards())
        return frozenset(letters) & self.options.texts.keys()

    @cached_property
    def listed(self) -> set[int]:
        """The indices of lines that are items (`A.`, `(A)`, `Option A:`) beside the next letter of the alphabet."""
        found = ((index, _ITEM.match(line)) for index, line in enumerate(self.lines))
        items = [
            (index, ord(item[1].lower()[0])) for index, item in found if item
        ]  # İ is two characters in lower case
        listed = set[int]()
        for (here, item), (there, following) in pairwise(items):
            if following == item + 1 or (there == here + 1 and following > item):
                listed |= {here, there}
        last = self.lines[-1].strip().lower() if items else ""
        if len(last) == 1 and items[-1] == (
            len(self.lines) - 2,
            ord(last) - 1,
        ):  # the cut-off item of a listing
            listed.add(len(self.lines) - 1)
        return listed


def _field(reading: Reading) -> frozenset[str]:
    """Return the options named by the last field with a letter; {"?"} if the last one denies all: `none of these`."""
    contents = [field.content for field in reading.fields]
    if (
        contents
        and _DENIAL.match(reading.line(contents[0]).kinds)
        and not reading.content(contents[0], True)
    ):
        return _NO_OPTION
    return next(filter(None, (reading.content(content, False) for content in contents)), _NOTHING)


def _last(reading: Reading, level: Level, of_text: bool = False) -> frozenset[str]:
    """Return the options that the last line with a claim of this level leaves standing.

    A line that is nothing but an option counts as an answer line if it stands out.
    """
    for index, line in reading.backwards(reading.unread if of_text else -1):
        claims = [claim for claim in line.claims if claim.of_text <= of_text]
        if any(claim.level == level for claim in claims):
            return settle([claim for claim in claims if claim.level != "stated"], line)
        if level == "named" and reading.stands_out(index, of_text):
            whole = line.opening("alone") or reading.line(reading.lines[index]).opening("alone")
            if whole is not None and whole.of_text == of_text:
                return whole.letters
    return _NOTHING


def _all(reading: Reading) -> frozenset[str]:
    """Return the options that all lines state, or the one that the first line with a mention begins with."""
    lines = list(reading.backwards())
    found = [
        settle([claim for claim in line.claims if not claim.of_text], line) for _, line in lines
    ]
    if any(found) or not lines:
        return _NOTHING.union(*found)
    index, first = lines[-1]
    claim = first.opening("lead")
    return (
        claim.letters if claim and not claim.of_text and index not in reading.listed else _NOTHING
    )


def _spoken_for(reading: Reading, by: By, after: int = -1) -> frozenset[str]:
    """Return the favoured options: of the last conclusion, else of any sentence, else those only mentioned.

    A later statement that none can be chosen retracts them.
    """
    found: dict[int, set[str]] = {1: set(), 0: set()}
    last = None
    for index, line in reading.backwards(after):
        for stance in reversed([stance for stance in stances(line, index == 0) if stance.by == by]):
            if not stance.strength and index in reading.listed:
                continue
            last = last or (index, stance.start)
            if stance.strength == 2:
                return _NOTHING if reading.is_undecided(*last) else stance.letters
            found[stance.strength] |= stance.letters
    if last is None or reading.is_undecided(*(last if found[1] or by != "text" else (0, 0))):
        return _NOTHING
    return frozenset(found[1] or found[0])


def _of_text(reading: Reading) -> frozenset[str]:
    """Return the options named by their texts; {"?"} if the answer is a value that is no option."""
    found = reading.content(reading.fields[0].content, True) if reading.fields else _NOTHING
    found = found or _last(reading, "named", True) or _spoken_for(reading, "text", reading.unread)
    return found or (_NOTHING if reading.unread < 0 else _NO_OPTION)


RULES: Mapping[str, Callable[[Reading], frozenset[str]]] = {
    "field": _field,
    "answer_line": lambda reading: _last(reading, "named"),
    "conclusion": lambda reading: _last(reading, "concluded"),
    "statement": _all,
    "mark": lambda reading: _spoken_for(reading, "mark"),
    "text": _of_text,
    "letter": lambda reading: (
        _spoken_for(reading, "letter") if reading.options.are_labels else _NOTHING
    ),
}
"""Name -> rule; a rule returns no letter, one, or several if the answer is ambiguous."""
