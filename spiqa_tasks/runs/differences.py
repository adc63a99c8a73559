"""Whether what a file has beside its answers is what the release has: questions, true answers, options, figures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.matching import FIRST, Matched
from spiqa_tasks.scoring.coverage import is_covered

LONGEST = 80
"""Characters of a text that a sentence quotes."""
_NOTHING = re.compile(r"(?!(?<=\d)\.(?=\d)|-(?=\.?\d))[\W_]")
"""Everything but letters, digits, decimal points and minus signs."""


@dataclass(frozen=True)
class Difference:
    """What a file has otherwise than the release.

    Attributes:
        id: of the question.
        what: it is that differs.
        theirs, ours: the file's and the release's.
        of_key: whether the answer would be scored by another key.
    """

    id: str
    what: str
    theirs: str
    ours: str
    of_key: bool = False

    @property
    def text(self) -> str:
        """The difference for people."""
        theirs, ours = (repr(" ".join(text.split())[:LONGEST]) for text in (self.theirs, self.ours))
        return f"{self.id} has the {self.what} {theirs} there, {ours} in the release"


def compared(
    path: Path,
    matched: Matched,
    rows: Sequence[Mapping[str, Any]],
    figures: Mapping[str, Collection[str]],
    accept: bool = False,
) -> tuple[Matched, list[str]]:
    """Return the answers, those that differ from the release among the unmatched as `differing`, and what to say.

    Differing questions are scored by the release's; figures that are not the paper's tell nothing of an order.

    Args:
        path: of the file, for messages.
        matched: the answers.
        rows: the task's.
        figures: paper -> the files of its figures, where answers name figures.
        accept: whether any differences are accepted.

    Raises:
        InputError: another true answer or other options under an id, or anything else that differs for more than 1% of
            the answers.
    """
    answers = dict(matched.answers)
    every = [each for row in rows if row["id"] in answers for each in _differences(answers[row["id"]], row, figures)]
    ids = list(dict.fromkeys(each.id for each in every))
    unmatched = {**matched.unmatched, "differing": ids}
    if not every:
        return replace(matched, unmatched=unmatched), []
    first = next((each for each in every if each.of_key), every[0])
    count = f"{len(ids)} of {len(answers)}"
    is_little = is_covered(len(answers) - len(ids), len(answers)) and not first.of_key
    if not accept and not is_little:
        raise InputError(
            f"Expected the questions, true answers, options and figures in {path} to be the release's, found others "
            f"for {count} ids, the first: {', '.join(ids[:FIRST])}; {first.text}. Name the right task or columns, "
            "put the rows in order, or score them as the release's with `score --accept-differences`."
        )
    for each in every:
        if each.what == FIGURES:
            answer = answers[each.id]
            answers[each.id] = replace(answer, response=replace(answer.response, shown=()))
    named = ", ".join(ids if is_little else ids[:FIRST])
    remark = (
        f"{path}: {count} questions differ from the release and are scored as the release's: {named}; {first.text}."
    )
    return Matched(answers, unmatched), [remark]


FIGURES = "figures"


def _differences(
    answer: Answer, row: Mapping[str, Any], figures: Mapping[str, Collection[str]]
) -> Iterator[Difference]:
    """The differences of an answer, each compared only where the file has it."""
    true = str(row.get("answer", ""))
    options = dict(zip(row.get("letters", ()), row.get("options", ()), strict=True))
    targets = [true, options.get(true, ""), row.get("caption", "")]
    if plain(answer.reference) not in ("", *map(plain, targets)):
        yield Difference(row["id"], "true answer", answer.reference, true, of_key=True)
    for letter, text in answer.options.items():
        if not _is_option(letter, text, options):
            yield Difference(row["id"], f"option {letter}", text, options.get(letter, ""), of_key=True)
    if not _is_question(answer, row, options):
        yield Difference(row["id"], "question", answer.question, str(row.get("question", "")))
    ours = [row["figures"][index]["file"] for index in row.get("referred", ())]
    if answer.needed and not row.get("step") and not set(ours) <= set(answer.needed):
        needed, true = ", ".join(answer.needed), ", ".join(ours)
        yield Difference(row["id"], "figures that its answer needs", needed, true, of_key=True)
    shown, known = answer.response.shown, figures.get(row.get("paper_id", ""))
    if shown and known is not None and not (set(shown) <= set(known) and len(set(shown)) == len(shown)):
        yield Difference(row["id"], FIGURES, ", ".join(shown), ", ".join(known))


def _is_option(letter: str, text: str, options: Mapping[str, str]) -> bool:
    """Whether an option is the release's, with or without its letter before it; pictures have no text to compare."""
    ours = options.get(letter, "")
    return letter in options and (not ours or plain(text) in (plain(ours), plain(f"{letter} {ours}")))


def _is_question(answer: Answer, row: Mapping[str, Any], options: Mapping[str, str]) -> bool:
    """Whether a question is the release's: it may lack its options, or stand within a prompt.

    The prompts of some tasks have the options and other words for the question, or neither.
    """
    theirs, ours = plain(answer.question), plain(str(row.get("question", "")))
    if answer.record is not None:
        texts = [plain(text) for text in options.values() if text]
        return (
            not theirs
            or row.get("prompt") == "caption"
            or ours in theirs
            or (bool(texts) and all(text in theirs for text in texts))
        )
    return theirs in ours or ours in theirs


def plain(text: str) -> str:
    """Return the letters and digits of a text, which spreadsheets and hosts leave as they are."""
    return _NOTHING.sub("", unicodedata.normalize("NFKC", text).casefold())
