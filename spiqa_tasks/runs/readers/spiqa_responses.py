"""SPIQA's own result files, `<paper>_response.json`, as the released evaluation scripts write them.

A file maps a question's key (its position in A and val, `question_key` in B and C) to {question,
response, answer, referred_figures_names, all_figures_names, referred_figures_indices}. Figures are
shuffled without a seed: `all_figures_names` alone says which was "Image 2". Open models were asked
per figure: their response is {figure: [Yes or No, answer]} of the figures that a question needs.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.spiqa.settings import STEPS
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import json_value
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.readers.columns import USUAL, Columns, advice, listed

FORM = "spiqa-responses"
PER_FIGURE = "spiqa-responses-per-figure"

SUFFIX = "_response.json"

Rows = Sequence[Mapping[str, Any]]


def is_responses(content: Any, columns: Columns = USUAL) -> bool:
    """Return whether a JSON value is that of a response file: questions with responses by key."""
    if not _is_of_objects(content):
        return False

    entries = [columns.resolved(entry) for entry in content.values()]
    if any(columns.name("id", entry) is not None for entry in entries):
        return False
    return any(columns.name("question", e) and columns.name("prediction", e) for e in entries)


def read_answers(place: Path, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of response files, with ids `<paper>/<key>[/<figure>/<step>]`.

    Raises InputError: files of another form.
    """
    answers: list[Answer] = []
    for path in _files(place, columns):
        content = json_value(path)
        if not _is_of_objects(content):
            raise InputError(
                f"Expected {path} to map question keys to question and response, found "
                f"{str(content)[:60]!r}. Give the files that SPIQA's evaluation scripts write."
            )

        paper = path.name.removesuffix(SUFFIX).removesuffix(".json")
        columns.check({name for e in content.values() for name in columns.resolved(e)}, path)
        for key, entry in content.items():
            answers += _answers(path, paper, key, columns.resolved(entry), columns)
    return answers


def with_row_ids(answers: Sequence[Answer], rows: Rows) -> tuple[list[Answer], str]:
    """Return the answers with the ids of a task's rows, and the form.

    Raises InputError: responses per figure to a task without, or the reverse.
    """
    if not any("paper_id" in row for row in rows):
        # an object of another benchmark's answers by their ids
        return [replace(answer, id=answer.id.partition("/")[2]) for answer in answers], FORM

    ids = _question_ids(answers, rows)
    documents = _documents(rows)
    is_per_figure = any(documents.values())
    found = []
    for answer in answers:
        key, document = _split(answer.id)
        question_id = ids.get(key, key)
        if bool(document) != is_per_figure and question_id in documents:
            raise _other_task(key, is_per_figure)
        row_id = documents.get(question_id, {}).get(document, answer.id)
        found.append(replace(answer, id=row_id if document else question_id))
    return found, PER_FIGURE if is_per_figure else FORM


def _other_task(key: str, is_per_figure: bool) -> InputError:
    expected = "a response per figure" if is_per_figure else "one response"
    task = "without" if is_per_figure else "with"
    return InputError(
        f"Expected {expected} to question {key}; score them as the task {task} _perfigure."
    )


def _is_of_objects(content: Any) -> bool:
    return isinstance(content, dict) and all(isinstance(each, dict) for each in content.values())


def _files(place: Path, columns: Columns) -> list[Path]:
    if not place.is_dir():
        return [place]
    files = (path for path in sorted(place.glob("*.json")) if path.is_file())
    return [
        path
        for path in files
        if path.stat().st_size
        and (path.name.endswith(SUFFIX) or is_responses(json_value(path), columns))
    ]


def _answers(
    path: Path, paper: str, key: str, entry: Mapping[str, Any], columns: Columns
) -> Iterator[Answer]:
    """The answer of an entry, or one for each figure and step."""
    column = columns.name("prediction", entry)
    question = columns.name("question", entry)
    if column is None or question is None:
        raise InputError(
            f"Expected question {key} of {path} to have question and response, found "
            f"{listed(entry)}. {advice(entry, columns, ('prediction', 'question'))}".strip()
        )

    response = entry[column]
    try:
        if not isinstance(response, dict):
            yield columns.answer(entry, f"{paper}/{key}", response)
            return
        for figure, texts in response.items():
            if not isinstance(texts, list) or len(texts) != len(STEPS):
                raise ValueError(f"{texts!r} for {figure}")
            for step, text in zip(STEPS, texts, strict=True):
                answer = columns.answer(entry, f"{paper}/{key}/{figure}/{step}", text)
                yield replace(answer, response=replace(answer.response, shown=None))
    except ValueError as error:
        raise InputError(
            f"Expected the response to question {key} of {path} to be text, or [Yes or No, answer] "
            f"for each figure; found {error}. Ask the model again."
        ) from error


def _split(answer_id: str) -> tuple[str, str]:
    """The `<paper>/<key>` of an id, and its `<figure>/<step>` or ''."""
    paper, key, *document = answer_id.split("/", 2)
    return f"{paper}/{key}", "".join(document)


def _question_ids(answers: Sequence[Answer], rows: Rows) -> dict[str, str]:
    """`<paper>/<key>` -> id of the question with that text in the paper.

    A paper may ask a text twice: then the key, the true answer or the order decides.
    """
    questions: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in rows:
        same = questions[row["paper_id"], row["question"].strip()]
        same.setdefault(row["question_id"], row["answer"].strip())

    ids: dict[str, str] = {}
    for answer in answers:
        key, _ = _split(answer.id)
        same = questions[key.partition("/")[0], answer.question.strip()]
        if key in ids or not same:
            continue
        equal = (row_id for row_id, text in same.items() if text == answer.reference.strip())
        ids[key] = key if key in same else next(equal, next(iter(same)))
        del same[ids[key]]
    return ids


def _documents(rows: Rows) -> dict[str, dict[str, str]]:
    """Question -> `<figure>/<step>` -> id of the row; {} for a question that is one document."""
    documents: dict[str, dict[str, str]] = {}
    for row in rows:
        of_question = documents.setdefault(row["question_id"], {})
        if row["step"]:
            of_question[f"{row['figures'][0]['file']}/{row['step']}"] = row["id"]
    return documents
