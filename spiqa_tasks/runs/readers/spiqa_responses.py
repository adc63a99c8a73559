"""SPIQA's own result files: one `<paper>_response.json` per paper, as the released evaluation scripts write them.

A file maps a question's key (its position in A and val, `question_key` in B and C) to {question, response, answer,
referred_figures_names, all_figures_names, referred_figures_indices}. The scripts shuffle a question's figures without
a seed, so what "Image 2" means is told by `all_figures_names` alone. The scripts for open models write {figure: [Yes or
No, answer]} as the response, for the figures that the answer needs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.spiqa.table import STEPS
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.answer import Answer

FORM, PER_FIGURE = "spiqa-responses", "spiqa-responses-per-figure"
SUFFIX = "_response.json"


def response_files(folder: Path) -> list[Path]:
    """Return the response files in a folder, by name."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def read_answers(paths: Sequence[Path]) -> list[Answer]:
    """Return the answers of response files, with the id `<paper>/<key>`, and `/<figure>/<step>` behind it per figure.

    Raises:
        InputError: a file that is not one of SPIQA's.
    """
    found: list[Answer] = []
    for path in paths:
        for key, entry in _read(path).items():
            question = _question(path, key, entry)
            question_id = f"{path.name.removesuffix(SUFFIX)}/{key}"
            found += _answers(f"question {key} of {path}", question_id, question, entry)
    return found


def with_row_ids(
    answers: Sequence[Answer], rows: Sequence[Mapping[str, Any]]
) -> tuple[list[Answer], str, frozenset[str]]:
    """Return the answers with the ids of a task's rows, the form, and the rows that the scripts did not ask about.

    Questions are known by paper and text; an answer to a question that `rows` lack keeps its id. The scripts for open
    models ask only about the figures that a question needs.

    Raises:
        InputError: answers per figure where the task asks once per question, or one answer where it asks per figure.
    """
    questions: dict[tuple[str, str], list[str]] = defaultdict(list)
    documents: dict[str, dict[str, str]] = {}
    for row in (row for row in rows if "paper_id" in row):
        if row["question_id"] not in documents:
            questions[row["paper_id"], row["question"].strip()].append(row["question_id"])
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
            ids[given] = same.pop(same.index(given) if given in same else 0)
        question_id = ids.get(given, given)
        if bool(document) != per_figure and question_id in documents:
            raise _wrong_task(answer, per_figure)
        row_id = documents.get(question_id, {}).get(document[0], answer.id) if document else question_id
        found.append(replace(answer, id=row_id))
    if not per_figure:
        return found, FORM, frozenset()
    answered = {answer.id for answer in found}
    asked = [frozenset(known.values()) for known in documents.values()]
    unasked = frozenset(row_id for known in asked if known & answered for row_id in known - answered)
    return found, PER_FIGURE, unasked


def _wrong_task(answer: Answer, per_figure: bool) -> InputError:
    if per_figure:
        return InputError(
            f"Expected a response per figure to question {answer.id}, found one text. Score them as the task without "
            "_perfigure."
        )
    return InputError(
        f"Expected one response to question {answer.id.rsplit('/', 2)[0]}, found one per figure. Score them as the "
        "_perfigure task."
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, OSError, RecursionError) as error:
        raise InputError(f"Expected {path} to be a JSON file, found {error}. Delete or complete it.") from error
    if not isinstance(content, dict):
        raise InputError(f"Expected {path} to map question keys to responses, found {type(content).__name__}.")
    return content


def _question(path: Path, key: str, entry: Any) -> str:
    if not isinstance(entry, dict) or not isinstance(entry.get("question"), str) or "response" not in entry:
        raise InputError(
            f"Expected question {key} of {path} to have question and response, found "
            f"{', '.join(entry) if isinstance(entry, dict) else type(entry).__name__}. "
            "Give the files that SPIQA's evaluation scripts write."
        )
    return str(entry["question"])


def _answers(where: str, question_id: str, question: str, entry: Mapping[str, Any]) -> Iterator[Answer]:
    """The answers to one question: one, or two for each figure."""
    response, shown = entry["response"], entry.get("all_figures_names")
    if isinstance(response, str):
        figures = tuple(shown) if isinstance(shown, list) else None
        yield Answer(question_id, Response(response, shown=figures), question=question)
        return
    if not isinstance(response, dict):
        raise InputError(
            f"Expected the response to {where} to be text, or answers per figure; found {type(response).__name__}. "
            "Ask the model again."
        )
    for figure, texts in response.items():
        if not (isinstance(texts, list) and len(texts) == len(STEPS) and all(isinstance(text, str) for text in texts)):
            raise InputError(
                f"Expected [Yes or No, answer] for {figure} in {where}, found {texts!r}. Ask the model again."
            )
        for step, text in zip(STEPS, texts, strict=True):
            answer_id = f"{question_id}/{figure}/{step}"
            yield Answer(answer_id, Response(text, shown=tuple(response)), question=question)
