"""One answer of a run; answers are matched with a task's questions by id, and compared with the release."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted
from spiqa_tasks.scoring.options import options_in
from spiqa_tasks.scoring.values import is_covered

FIRST = 5
"""Ids listed in a remark."""
LONGEST = 80
"""Characters of a text that a sentence quotes."""
_FIGURES = "figures"
_SEPARATOR = re.compile(r"[\W_]+(?:(?:qa?|question)(?:[\W_]+|(?=\d)))?")
"""Between the parts of an id: `paper/0`, `paper#0`, `paper_0`, `paper_qa_0`, `paper-q0`."""
_NOTHING = re.compile(r"(?!(?<=\d)\.(?=\d)|-(?=\.?\d))[\W_]")
"""Everything but letters, digits, decimal points and minus signs."""
_NO_OPTIONS: Mapping[str, str] = {}
_MEANINGS = {
    "missing": (
        "question has no answer and is left out",
        "questions have no answer and are left out",
    ),
    "unknown": (
        "id is of no single question of this task and ignored",
        "ids are of no single question and ignored",
    ),
    "duplicates": (
        "id occurs several times with the same answer and counts once",
        "ids occur several times with the same answer and count once",
    ),
}
"""Way in which ids did not fit -> what is said of one and of several."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a run; all but id and response are as far as the file has them.

    Attributes:
        id: of the question; of the document where a question is several.
        record: the scored answer; None where it was not scored yet.
        place: index of the document in its task, from 0.
        question: the question's text or the whole prompt.
        needed: the files of the figures that the true answer needs.
        references: the true answers, of which any is right.
    """

    id: str
    response: Response
    record: Record | None = None
    place: int = 0
    question: str = ""
    reference: str = ""
    options: Mapping[str, str] = field(default_factory=lambda: _NO_OPTIONS)
    needed: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def signature(self) -> Signature:
        """The signature of the record; empty without one."""
        return parse("" if self.record is None else self.record.signature)

    @property
    def known_options(self) -> Mapping[str, str]:
        """Letter -> text of the options, of the file or the prompt; {} if it shows none."""
        return self.options or options_in(self.question)

    @property
    def is_bare(self) -> bool:
        """Whether the file has nothing to compare with the release."""
        return not (
            self.question or self.reference or self.options or self.needed or self.response.shown
        )


Answers = dict[str, Answer]
"""Id of the question -> its answer, in the order of the task's rows."""


def spelled(answer_id: str) -> str:
    """Return an id with the usual separator, for comparison."""
    return _SEPARATOR.sub("/", answer_id.strip().casefold())


def match(
    path: Path, answers: Iterable[Answer], rows: Sequence[Mapping[str, Any]]
) -> tuple[Answers, dict[str, list[str]]]:
    """Return each question's answer, and the ids that did not fit.

    These are `missing` questions, `unknown` ids, which are left out, and `duplicates` with the same answer, counted
    once. Ids may have other separators, or be the paper's id and the question's text, if that is one question's alone.
    Raises InputError: an id with two different answers, ids from 1 for those from 0, or no id of the task at all.
    """
    answers, ambiguous = _with_row_ids(answers, rows)
    by_id, duplicates = by_question(path, answers)
    known = dict.fromkeys(row["id"] for row in rows)
    found = {row_id: by_id[row_id] for row_id in known if row_id in by_id}
    unknown = [*(row_id for row_id in by_id if row_id not in known), *ambiguous]
    if not found:
        instead = f"ids such as {unknown[0][:LONGEST]!r}" if unknown else "no answers"
        is_paper = any(
            key.startswith(row["paper_id"])
            for key in unknown[:1]
            for row in rows
            if "paper_id" in row
        )
        remedy = (
            "Write the paper's id, / and the question's key"
            if is_paper
            else "Name the task of the answers"
        )
        raise InputError(
            f"Expected answers to the task's questions (ids such as {next(iter(known))!r}) in {path}, found {instead}. "
            f"{remedy}."
        )
    missing = [row_id for row_id in known if row_id not in by_id]
    if missing == ["0"] and unknown == [str(len(known))]:
        raise InputError(
            f"Expected ids from 0 to {len(known) - 1} in {path}, found 1 to {unknown[0]}. Count from 0."
        )
    return found, {"missing": missing, "unknown": unknown, "duplicates": duplicates}


def _with_row_ids(
    answers: Iterable[Answer], rows: Sequence[Mapping[str, Any]]
) -> tuple[list[Answer], list[str]]:
    """The answers with the ids of rows, unknown ones as they are, and the ids that may mean several rows.

    Of several rows the one with the answer's reference is meant.
    """
    known = {row["id"] for row in rows}
    answers = list(answers)
    if all(answer.id in known for answer in answers):
        return answers, []
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        for name in {
            spelled(row["id"]),
            spelled(f"{row['paper_id']}/{row['question']}") if "paper_id" in row else "",
        }:
            by_name.setdefault(name, []).append(row)
    found: list[Answer] = []
    ambiguous = []
    for answer in answers:
        same = [] if answer.id in known else by_name.get(spelled(answer.id), [])
        if len(same) > 1:
            same = [
                row for row in same if plain(str(row.get("answer", ""))) == plain(answer.reference)
            ]
            if len(same) != 1:
                ambiguous.append(answer.id)
                continue
        found.append(replace(answer, id=same[0]["id"]) if same else answer)
    return found, ambiguous


def by_question(path: Path, answers: Iterable[Answer]) -> tuple[Answers, list[str]]:
    """Return the answers by their ids, in their order, and the ids that occur several times with the same answer.

    Raises InputError: an id with two different answers.
    """
    by_id: Answers = {}
    duplicates: dict[str, None] = {}
    for answer in answers:
        earlier = by_id.setdefault(answer.id, answer)
        if earlier is answer:
            continue
        if earlier != replace(answer, place=earlier.place):
            raise InputError(
                f"Expected one answer per question in {path}, found two different ones for {answer.id}. "
                "Keep the one that counts."
            )
        duplicates[answer.id] = None
    return by_id, list(duplicates)


def match_counts(unmatched: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return how many ids did not fit and why, and the first few of them."""
    found: dict[str, Any] = {}
    for name, ids in unmatched.items():
        found |= {name: len(ids)} | ({f"{name}_first": list(ids[:FIRST])} if ids else {})
    return found


def match_remarks(unmatched: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each way in which ids did not fit."""
    for name, meaning in _MEANINGS.items():
        if ids := unmatched.get(name):
            yield f"{counted(len(ids), *meaning)}, the first: {', '.join(key[:LONGEST] for key in ids[:FIRST])}."


class _Difference(NamedTuple):
    """A difference between file and release; `of_key` if it changes the key that the answer is scored by."""

    id: str
    what: str
    theirs: str
    ours: str
    of_key: bool = False


def compared(
    path: Path,
    answers: Answers,
    rows: Sequence[Mapping[str, Any]],
    figures: Mapping[str, Collection[str]],
    accept: bool = False,
) -> tuple[Answers, list[str], list[str]]:
    """Return the answers, the ids of those whose questions differ from the release, and what to say of them.

    Differing questions are scored by the release's; figures that are not the paper's tell nothing of an order.
    `figures` is paper -> files, where answers name figures. Raises InputError, unless all differences are to be
    accepted: another true answer or other options under an id, or other differences of too many answers.
    """
    pairs = ((answers[row["id"]], row) for row in rows if row["id"] in answers)
    every = [
        each
        for answer, row in pairs
        if not answer.is_bare
        for each in _differences(answer, row, figures)
    ]
    if not every:
        return answers, [], []
    found = dict(answers)
    ids = list(dict.fromkeys(each.id for each in every))
    first = next((each for each in every if each.of_key), every[0])
    theirs, ours = (repr(" ".join(text.split())[:LONGEST]) for text in (first.theirs, first.ours))
    example = f"{first.id} has the {first.what} {theirs} there, {ours} in the release"
    count = f"{len(ids)} of {len(found)}"
    is_little = is_covered(len(found) - len(ids), len(found)) and not first.of_key
    if not accept and not is_little:
        raise InputError(
            f"Expected the questions, true answers, options and figures in {path} to be the release's, found others "
            f"for {count} ids, the first: {', '.join(ids[:FIRST])}; {example}. Name the right task or columns, "
            "put the rows in order, or score them as the release's with `score --accept-differences`."
        )
    for answer in [found[each.id] for each in every if each.what == _FIGURES]:
        found[answer.id] = replace(answer, response=replace(answer.response, shown=()))
    named = ", ".join(ids if is_little else ids[:FIRST])
    remark = f"{path}: {count} questions differ from the release and are scored as the release's: {named}; {example}."
    return found, ids, [remark]


def _differences(
    answer: Answer, row: Mapping[str, Any], figures: Mapping[str, Collection[str]]
) -> Iterator[_Difference]:
    true = str(row.get("answer", ""))
    options = dict(zip(row.get("letters", ()), row.get("options", ()), strict=True))
    targets = [true, options.get(true, ""), row.get("caption", ""), row.get("published", "")]
    if plain(answer.reference) not in ("", *map(plain, targets)):
        yield _Difference(row["id"], "true answer", answer.reference, true, of_key=True)
    for letter, text in answer.options.items():
        ours = options.get(letter, "")  # empty of a picture, which has no text to compare
        if letter not in options or (
            ours and plain(text) not in (plain(ours), plain(f"{letter} {ours}"))
        ):
            yield _Difference(row["id"], f"option {letter}", text, ours, of_key=True)
    if not _is_question(answer, row, options):
        yield _Difference(row["id"], "question", answer.question, str(row.get("question", "")))
    needed = [row["figures"][index]["file"] for index in row.get("referred", ())]
    if answer.needed and not row.get("step") and not set(needed) <= set(answer.needed):
        texts = ", ".join(answer.needed), ", ".join(needed)
        yield _Difference(row["id"], "figures that its answer needs", *texts, of_key=True)
    shown, known = answer.response.shown, figures.get(row.get("paper_id", ""))
    if (
        shown
        and known is not None
        and not (set(shown) <= set(known) and len(set(shown)) == len(shown))
    ):
        yield _Difference(row["id"], _FIGURES, ", ".join(shown), ", ".join(known))


def _is_question(answer: Answer, row: Mapping[str, Any], options: Mapping[str, str]) -> bool:
    """Whether a question is the release's: it may lack its options, or stand within a prompt.

    The prompts of some tasks have the options and other words for the question, or neither.
    """
    theirs, ours = plain(answer.question), plain(str(row.get("question", "")))
    if answer.record is None or not theirs or ours in theirs:
        return theirs in ours or ours in theirs
    texts = [plain(text) for text in options.values() if text]
    return row.get("prompt") == "caption" or (bool(texts) and all(text in theirs for text in texts))


def plain(text: str) -> str:
    """Return the letters and digits of a text, which spreadsheets and hosts leave as they are."""
    return _NOTHING.sub("", unicodedata.normalize("NFKC", text).casefold())
