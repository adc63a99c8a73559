"""SPIQA's own result files: one `<paper>_response.json` per paper, as the released evaluation scripts write them.

A file maps a question's key (its position in A and val, `question_key` in B and C) to {question, response, answer,
referred_figures_names, all_figures_names, referred_figures_indices}. Figures are shuffled without a seed: "Image 2" is
told by `all_figures_names` alone. For open models the response is {figure: [Yes or No, answer]} of those needed.
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

FORM, PER_FIGURE = "spiqa-responses", "spiqa-responses-per-figure"
SUFFIX = "_response.json"


def is_responses(content: Any, columns: Columns = USUAL) -> bool:
    """Return whether a JSON value is that of a response file: questions with responses by key, or none at all."""
    if not isinstance(content, dict) or not all(
        isinstance(entry, dict) for entry in content.values()
    ):
        return False
    return all(columns.name("id", entry) is None for entry in content.values()) and any(
        {columns.name("question", entry), columns.name("prediction", entry)}.isdisjoint({None})
        for entry in content.values()
    )


def read_answers(place: Path, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of response files, ids `<paper>/<key>[/<figure>/<step>]`; InputError: none of SPIQA's."""
    paths = [place]
    if place.is_dir():
        files = [
            path for path in sorted(place.glob("*.json")) if path.is_file() and path.stat().st_size
        ]
        paths = [
            path
            for path in files
            if path.name.endswith(SUFFIX) or is_responses(json_value(path), columns)
        ]
    entries = []
    for path in paths:
        content = json_value(path)
        if not isinstance(content, dict) or not all(
            isinstance(entry, dict) for entry in content.values()
        ):
            raise InputError(
                f"Expected {path} to map question keys to question and response, found {str(content)[:60]!r}. Give the "
                "files that SPIQA's evaluation scripts write."
            )
        entries += [(path, key, entry) for key, entry in content.items()]
    columns.check(dict.fromkeys(name for *_, entry in entries for name in entry), paths[0].parent)
    return [
        answer for path, key, entry in entries for answer in _answers(path, key, entry, columns)
    ]


def with_row_ids(
    answers: Sequence[Answer], rows: Sequence[Mapping[str, Any]]
) -> tuple[list[Answer], str]:
    """Return the answers with the ids of a task's rows, and the form; InputError: not per figure as the task asks.

    Questions are known by paper and text, and where a text is there twice by key or true answer; an answer to a
    question that `rows` lack keeps its id.
    """
    if not any(
        "paper_id" in row for row in rows
    ):  # another benchmark's answers, an object by their ids
        return [replace(answer, id=answer.id.partition("/")[2]) for answer in answers], FORM
    questions: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    documents: dict[str, dict[str, str]] = {}
    for row in (row for row in rows if "paper_id" in row):
        questions[row["paper_id"], row["question"].strip()].setdefault(
            row["question_id"], row["answer"].strip()
        )
        known = documents.setdefault(row["question_id"], {})
        if row["step"]:
            known[f"{row['figures'][0]['file']}/{row['step']}"] = row["id"]
    per_figure = any(documents.values())
    ids: dict[str, str] = {}
    found = []
    for answer in answers:
        paper_id, key, *document = answer.id.split("/", 2)
        given = f"{paper_id}/{key}"
        same = questions[paper_id, answer.question.strip()]
        if given not in ids and same:
            equal = (row_id for row_id, text in same.items() if text == answer.reference.strip())
            ids[given] = given if given in same else next(equal, next(iter(same)))
            del same[ids[given]]
        question_id = ids.get(given, given)
        if bool(document) != per_figure and question_id in documents:
            expected, task = (
                ("a response per figure", "without") if per_figure else ("one response", "with")
            )
            raise InputError(
                f"Expected {expected} to question {given}; score them as the task {task} _perfigure."
            )
        row_id = (
            documents.get(question_id, {}).get(document[0], answer.id) if document else question_id
        )
        found.append(replace(answer, id=row_id))
    return found, PER_FIGURE if per_figure else FORM


def _answers(path: Path, key: str, entry: Mapping[str, Any], columns: Columns) -> Iterator[Answer]:
    where, question_id = (
        f"question {key} of {path}",
        f"{path.name.removesuffix(SUFFIX).removesuffix('.json')}/{key}",
    )
    column, question = columns.name("prediction", entry), columns.name("question", entry)
    if column is None or question is None or not isinstance(entry[question], str):
        raise InputError(
            f"Expected {where} to have question and response, found {listed(entry)}. "
            f"{advice(entry, ('prediction', 'question'))}"
        )
    response = entry[column]
    try:
        if isinstance(response, str):
            yield columns.answer(entry, question_id, response)
            return
        if not isinstance(response, dict):
            raise ValueError(type(response).__name__)
        for figure, texts in response.items():
            if not (
                isinstance(texts, list)
                and len(texts) == len(STEPS)
                and all(isinstance(t, str) for t in texts)
            ):
                raise ValueError(f"{texts!r} for {figure}")
            for step, text in zip(STEPS, texts, strict=True):
                answer = columns.answer(entry, f"{question_id}/{figure}/{step}", text)
                yield replace(answer, response=replace(answer.response, shown=None))
    except ValueError as error:
        raise InputError(
            f"Expected the response to {where} to be text, or [Yes or No, answer] for each figure; found {error}. "
            "Ask the model again."
        ) from error
