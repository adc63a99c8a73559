"""Answers that no task is named for: their questions stand in the file beside them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.answers import CHOICE_ANSWERS, FREE_ANSWERS, SPLIT, rows_in_file
from spiqa_tasks.benchmarks.benchmark import Row, settings_text
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.printable import say
from spiqa_tasks.runs import spiqa_responses
from spiqa_tasks.runs.columns import columns_in, listed
from spiqa_tasks.runs.run import Answer, Run
from spiqa_tasks.scoring.options import LETTERS, answer_label

# Remark on choices whose options are not in the file.
_LETTERS_ALONE = (
    "{}: all true answers are letters, and there are no options: scored as open answers. Choices "
    'need a column options, such as ["A", "B", "C", "D"].'
)

# Options of which nobody knows texts or number: two files of the same questions have the same.
_ALL_LETTERS = dict(zip(LETTERS, LETTERS, strict=True))

# Digits of VLMEvalKit's ids; those of turned options have a number before them: 1000042.
_TURNED = 6


def of_own_questions(run: Run, wanted: Sequence[str]) -> Run:
    """Return the run as answers with their own questions.

    Raises InputError: these are not in the file.
    """
    if run.form == spiqa_responses.FORM:
        # beside the answer, a response names an image and says why
        raise InputError(
            f"Which task do the answers in {run.path} belong to? Add --task, such as spiqa_testA."
        )
    answers = _with_options(run.read())
    if missing := _missing(answers):
        raise _no_task(run, wanted, missing)

    benchmark = FREE_ANSWERS
    if _are_choices(answers):
        benchmark = CHOICE_ANSWERS
        answers = _with_labels(run.path, answers)
    elif {text.upper() for answer in answers for text in answer.references} <= set(LETTERS):
        say(_LETTERS_ALONE.format(run.path))
    task = Task(benchmark.name, benchmark.name, SPLIT, settings_text(benchmark.settings()))
    numbered = [
        replace(answer, id=answer.id or str(position)) for position, answer in enumerate(answers, 1)
    ]
    return replace(run, task=task.name, benchmark_task_or_none=task, read=lambda: numbered)


def own_rows(
    path: Path, task: Task, answers: Sequence[Answer]
) -> tuple[Sequence[Row], Mapping[str, str]]:
    """Return the questions in a file of answers, and id -> what a question without a score lacks.

    Files of the same questions have the same digest.
    """
    turned = dict.fromkeys(
        _turned(answers), "a new question: their options are turned (CircularEval)"
    )
    # a file with options beside its questions has none within them
    has_options = any(answer.options for answer in answers)
    table = []
    for number, answer in enumerate(answers, 1):
        if answer.id not in turned:
            where = f"answer {number} of {path} (id {answer.id})"
            table.append({**_cells(answer, has_options), "where": where})

    names = ("id", "question", "options", "answer")
    asked = [{name: str(cells[name]) for name in names if cells[name]} for cells in table]
    # a scored run has the digest of the questions as its file wrote them
    written = answers[0].signature.data.rpartition("@")[2]
    rows, lacks = rows_in_file(task.benchmark, table, written or f"table {digest_of(asked)}")
    return rows, {**lacks, **turned}


def _cells(answer: Answer, has_options: bool) -> dict[str, Any]:
    """Return what an answer's file says of its question."""
    return {
        "id": answer.id,
        "question": answer.question,
        "options": dict(answer.options if has_options else answer.known_options),
        "answer": "/".join(answer.references),
        "references": answer.references,
        "groups": answer.groups if answer.record is None else answer.record.groups,
    }


def _turned(answers: Sequence[Answer]) -> Iterator[str]:
    """Yield the ids under which VLMEvalKit asks a question again, with its options turned:
    `1000042` beside question `42`.
    """
    asked = {answer.id: answer.question for answer in answers}
    for answer in answers:
        first = answer.id[-_TURNED:].lstrip("0") or "0"
        is_longer = len(answer.id) > _TURNED and answer.id.isdecimal()
        if is_longer and asked.get(first) == answer.question:
            yield answer.id


def _with_options(answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return the answers, with the options A to Z if predictions and references are letters."""
    letters = {"", *LETTERS}
    texts = (text for answer in answers for text in (answer.response.text, *answer.references))
    are_letters = all(text.strip(" ().\n").upper() in letters for text in texts)
    if not are_letters or _are_choices(answers):
        return answers
    return [replace(answer, options=_ALL_LETTERS) for answer in answers]


def _with_labels(path: Path, answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return the answers to choices, with labels for true answers that are numbers of options.

    Raises InputError: they may be numbers or texts.
    """
    asked = [answer for answer in answers if answer.reference and answer.known_options]
    first = _first_number(asked)
    if first is None:
        return answers

    named = list(filter(_named_label, asked))
    # here and there a number is the text of an option, as in MMLU's algebra
    if 2 * len(named) < len(asked):
        say(
            f"{path}: the true answers are read as numbers of options, from {first}. If the model "
            f'answers with numbers, write the options as an object: {{"{first}": "TEXT", ...}}.'
        )
        return [_numbered(answer, first) for answer in answers]

    if first == 0 and _differ(named):
        raise InputError(
            f"Expected letters as true answers in {path}, found numbers of options that are texts "
            "of others. Write letters."
        )
    return answers


def _differ(named: Sequence[Answer]) -> bool:
    """Return whether a true answer is the text of one option and, from 0, the number of another:
    `1` of the options 1, 2, 3.
    """
    return any(_named_label(answer) != _numbered(answer, 0).reference for answer in named)


def _first_number(asked: Sequence[Answer]) -> int | None:
    """Return where true answers count their options from, 0 or 1; None if they are no numbers of
    options, or may count from either.

    Of four options, 0 to 3 count from 0, and 1 to 4 from 1; of 1, 2 and 3 nobody knows.
    """
    if not asked or not all(answer.reference.isdecimal() for answer in asked):
        return None

    numbers = [(int(answer.reference), len(answer.known_options)) for answer in asked]
    fits_from_0 = all(number < count for number, count in numbers)
    fits_from_1 = all(0 < number <= count for number, count in numbers)
    if fits_from_0 == fits_from_1:
        return None
    return int(fits_from_1)


def _named_label(answer: Answer) -> str:
    """Return the label of the option that the true answer names by label or text, or ''."""
    with suppress(ValueError):
        return answer_label(answer.reference, answer.known_options)
    return ""


def _numbered(answer: Answer, first: int) -> Answer:
    """Return the answer with the labels of the options that its true answers number."""
    options = {str(number): label for number, label in enumerate(answer.known_options, first)}
    labels = tuple(options.get(number, number) for number in answer.references)
    return replace(answer, references=labels)


def _are_choices(answers: Sequence[Answer]) -> bool:
    """Return whether an answer has a column of options, or most of the questions list theirs."""
    with_list = [answer for answer in answers if answer.known_options]
    return any(answer.options for answer in answers) or 2 * len(with_list) > len(answers)


def _missing(answers: Sequence[Answer]) -> list[str]:
    """Return the columns without which answers have no score by their own questions."""
    missing = []
    if not any(answer.question or answer.options for answer in answers):
        missing.append("question (or options)")
    if not any(any(answer.references) for answer in answers):
        missing.append("reference")
    return missing


def _no_task(run: Run, wanted: Sequence[str], missing: Sequence[str]) -> InputError:
    """Return the error for answers of which nothing says what task they are to."""
    remedy = (
        f"Add --task TASK, or {' and '.join(missing)} (--columns FIELD=COLUMN; pandas.merge joins "
        f"those of another file); found {listed(columns_in(run.path))}."
    )
    if wanted:
        remedy = f"Name one of them, not a group: {', '.join(wanted)}."
    return InputError(f"Which task do the answers in {run.path} belong to? {remedy}")
