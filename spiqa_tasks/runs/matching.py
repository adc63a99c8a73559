"""Match answers with a task's questions by id, and compare their questions with the release's."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted
from spiqa_tasks.runs.answer import FIRST, Answer, Answers, by_question, plain
from spiqa_tasks.scoring.values import is_covered

Row = Mapping[str, Any]
# `missing`, `unknown`, `duplicates`, `differing` -> ids of answers that did not fit the rows.
Unmatched = dict[str, list[str]]

# Characters of a text that a sentence quotes.
LONGEST = 80

_FIGURES = "figures"
# Between the parts of an id: `paper/0`, `paper#0`, `paper_0`, `paper_qa_0`, `paper-q0`.
_SEPARATOR = re.compile(r"[\W_]+(?:(?:qa?|question)(?:[\W_]+|(?=\d)))?")

# Way in which ids did not fit -> what is said of one and of several.
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


class _Difference(NamedTuple):
    """A difference between file and release; `of_key` if it changes what the answer is scored
    by.
    """

    id: str
    what: str
    theirs: str
    ours: str
    of_key: bool = False


def match(path: Path, answers: Sequence[Answer], rows: Sequence[Row]) -> tuple[Answers, Unmatched]:
    """Return each question's answer, and the ids that did not fit.

    Ids may have other separators, or be the paper's id and the question's text.
    Raises InputError: an id with two different answers, ids from 1, or no id of the task at all.
    """
    answers, ambiguous = _with_row_ids(answers, rows)
    by_id, duplicates = by_question(path, answers)
    known = dict.fromkeys(row["id"] for row in rows)
    found = {row_id: by_id[row_id] for row_id in known if row_id in by_id}
    missing = [row_id for row_id in known if row_id not in by_id]
    unknown = [*(row_id for row_id in by_id if row_id not in known), *ambiguous]

    if not found:
        raise _no_answers(path, rows, unknown)
    _check_first_id(path, len(known), missing, unknown)
    return found, {"missing": missing, "unknown": unknown, "duplicates": duplicates}


def _check_first_id(path: Path, count: int, missing: list[str], unknown: list[str]) -> None:
    if missing == ["0"] and unknown == [str(count)]:
        raise InputError(
            f"Expected ids from 0 to {count - 1} in {path}, found 1 to {unknown[0]}. Count from 0."
        )


def spelled(answer_id: str) -> str:
    """Return an id with the usual separator, for comparison."""
    return _SEPARATOR.sub("/", answer_id.strip().casefold())


def match_counts(unmatched: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return how many ids did not fit and why, and the first few of them."""
    counts: dict[str, Any] = {}
    for name, ids in unmatched.items():
        counts[name] = len(ids)
        if ids:
            counts[f"{name}_first"] = list(ids[:FIRST])
    return counts


def match_remarks(unmatched: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each way in which ids did not fit."""
    for name, meaning in _MEANINGS.items():
        ids = unmatched.get(name)
        if ids:
            first = ", ".join(key[:LONGEST] for key in ids[:FIRST])
            yield f"{counted(len(ids), *meaning)}, the first: {first}."


def compared(
    path: Path,
    answers: Answers,
    rows: Sequence[Row],
    figures: Mapping[str, Collection[str]],
    accept: bool = False,
) -> tuple[Answers, list[str], list[str]]:
    """Return the answers, the ids whose questions differ from the release, and remarks.

    Differing questions are scored by the release's; figures that are not the paper's say nothing
    of an order. `figures` is paper -> files, if answers name figures.
    Raises InputError: another true answer or other options under an id, or other differences of
    too many answers, unless `accept`.
    """
    differences = _all_differences(answers, rows, figures)
    if not differences:
        return answers, [], []

    ids = list(dict.fromkeys(each.id for each in differences))
    first = next((each for each in differences if each.of_key), differences[0])
    is_little = is_covered(len(answers) - len(ids), len(answers)) and not first.of_key
    if not accept and not is_little:
        raise InputError(
            f"Expected the questions, true answers, options and figures in {path} to be the "
            f"release's, found others for {len(ids)} of {len(answers)} ids, the first: "
            f"{', '.join(ids[:FIRST])}; {_example(first)}. Name the right task or columns, put the "
            "rows in order, or score them as the release's with `score --accept-differences`."
        )

    without_order = {each.id for each in differences if each.what == _FIGURES}
    found = {
        key: _without_order(answer) if key in without_order else answer
        for key, answer in answers.items()
    }
    named = ", ".join(ids if is_little else ids[:FIRST])
    remark = (
        f"{path}: {len(ids)} of {len(answers)} questions differ from the release and are scored as "
        f"the release's: {named}; {_example(first)}."
    )
    return found, ids, [remark]


def _all_differences(
    answers: Answers, rows: Sequence[Row], figures: Mapping[str, Collection[str]]
) -> list[_Difference]:
    differences: list[_Difference] = []
    for row in rows:
        answer = answers.get(row["id"])
        if answer is not None and not answer.is_bare:
            differences += _differences(answer, row, figures)
    return differences


def _no_answers(path: Path, rows: Sequence[Row], unknown: Sequence[str]) -> InputError:
    instead = f"ids such as {unknown[0][:LONGEST]!r}" if unknown else "no answers"
    papers = {row["paper_id"] for row in rows if "paper_id" in row}
    is_paper = bool(unknown) and unknown[0].startswith(tuple(papers))
    remedy = "Name the task of the answers"
    if is_paper:
        remedy = "Write the paper's id, / and the question's key"
    return InputError(
        f"Expected answers to the task's questions (ids such as {rows[0]['id']!r}) in {path}, "
        f"found {instead}. {remedy}."
    )


def _with_row_ids(answers: Iterable[Answer], rows: Sequence[Row]) -> tuple[list[Answer], list[str]]:
    """The answers with the ids of rows, and the ids that may mean several rows.

    Answers without an id, as of --predict_only, are those of the row at their place. Unknown ids
    stay as they are.
    """
    known = {row["id"] for row in rows}
    answers = [_placed(answer, rows) for answer in answers]
    if all(answer.id in known for answer in answers):
        return answers, []

    by_name = _rows_by_name(rows)
    found: list[Answer] = []
    ambiguous = []
    for answer in answers:
        same = [] if answer.id in known else by_name.get(spelled(answer.id), [])
        meant = same if len(same) < 2 else _of_reference(same, answer)
        if same and len(meant) != 1:
            ambiguous.append(answer.id)
        else:
            found.append(replace(answer, id=meant[0]["id"]) if meant else answer)
    return found, ambiguous


def _of_reference(rows: Sequence[Row], answer: Answer) -> list[Row]:
    return [row for row in rows if plain(_true(row)) == plain(answer.reference)]


def _placed(answer: Answer, rows: Sequence[Row]) -> Answer:
    if answer.id or answer.place >= len(rows):
        return answer
    return replace(answer, id=rows[answer.place]["id"])


def _rows_by_name(rows: Sequence[Row]) -> dict[str, list[Row]]:
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        names = {spelled(row["id"])}
        if "paper_id" in row:
            names.add(spelled(f"{row['paper_id']}/{row['question']}"))
        for name in names:
            by_name[name].append(row)
    return by_name


def _true(row: Row) -> str:
    return str(row.get("answer", ""))


def _example(difference: _Difference) -> str:
    theirs = " ".join(difference.theirs.split())[:LONGEST]
    ours = " ".join(difference.ours.split())[:LONGEST]
    return f"{difference.id} has the {difference.what} {theirs!r} there, {ours!r} in the release"


def _without_order(answer: Answer) -> Answer:
    return replace(answer, response=replace(answer.response, shown=()))


def _differences(
    answer: Answer, row: Row, figures: Mapping[str, Collection[str]]
) -> Iterator[_Difference]:
    options = dict(zip(row.get("letters", ()), row.get("options", ()), strict=True))
    question = str(row.get("question", ""))
    if not _is_true_answer(answer, row, options):
        yield _Difference(row["id"], "true answer", answer.reference, _true(row), of_key=True)

    for letter, text in answer.options.items():
        ours = options.get(letter)
        if ours is None or not _is_option(letter, text, ours, question):
            yield _Difference(row["id"], f"option {letter}", text, ours or "", of_key=True)

    if not _is_question(answer, row, options):
        yield _Difference(row["id"], "question", answer.question, question)

    yield from _figure_differences(answer, row, figures)


def _figure_differences(
    answer: Answer, row: Row, figures: Mapping[str, Collection[str]]
) -> Iterator[_Difference]:
    needed = [row["figures"][index]["file"] for index in row.get("referred", ())]
    if answer.needed and not row.get("step") and not set(needed) <= set(answer.needed):
        texts = ", ".join(answer.needed), ", ".join(needed)
        yield _Difference(row["id"], "figures that its answer needs", *texts, of_key=True)

    known = figures.get(row.get("paper_id", ""))
    shown = answer.response.shown or ()
    if known is not None and (len(set(shown)) < len(shown) or not set(shown) <= set(known)):
        yield _Difference(row["id"], _FIGURES, ", ".join(shown), ", ".join(known))


def _is_true_answer(answer: Answer, row: Row, options: Mapping[str, str]) -> bool:
    true = _true(row)
    targets = [true, options.get(true, ""), row.get("caption", ""), row.get("published", "")]
    return plain(answer.reference) in ("", *map(plain, targets))


def _is_option(letter: str, theirs: str, ours: str, question: str) -> bool:
    """Whether an option is the release's: of a picture, which has no text, any is.

    A file's text may be longer or shorter, where the question's text can be cut in two ways.
    """
    text = plain(theirs)
    known = plain(ours)
    if not ours or text in (known, plain(f"{letter} {ours}")):
        return True
    return bool(known) and (known in text or text in known) and text in plain(question)


def _is_question(answer: Answer, row: Row, options: Mapping[str, str]) -> bool:
    """Whether a question is the release's: it may lack its options, or stand within a prompt.

    The prompts of some tasks have the options and other words for the question, or neither.
    """
    theirs = plain(answer.question)
    ours = plain(str(row.get("question", "")))
    if answer.record is None or not theirs or ours in theirs:
        return theirs in ours or ours in theirs

    texts = [plain(text) for text in options.values() if text]
    has_options = bool(texts) and all(text in theirs for text in texts)
    return row.get("prompt") == "caption" or has_options
