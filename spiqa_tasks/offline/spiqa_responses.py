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
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.spiqa.table import STEPS
from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.matching import Prediction, Predictions

SUFFIX = "_response.json"

Documents = Mapping[tuple[str, str], str]
"""(figure, step) -> id of the document that shows this figure with this prompt."""


def is_response_file(path: Path) -> bool:
    """Whether the file's name is that of a response file."""
    return path.name.endswith(SUFFIX)


def read_responses(paths: Sequence[Path], rows: Sequence[Mapping[str, Any]]) -> Predictions:
    """The answers of response files; an answer to a question that `rows` lack has the id `<paper>/<key>`.

    Raises:
        InputError: a file that is not one of SPIQA's, answers per figure where the task asks once per question, or one
            answer where it asks per figure.
    """
    questions: dict[tuple[str, str], list[str]] = defaultdict(list)
    documents: dict[str, dict[tuple[str, str], str]] = {}
    for row in (row for row in rows if "paper_id" in row):
        if row["question_id"] not in documents:
            questions[row["paper_id"], row["question"].strip()].append(row["question_id"])
        known = documents.setdefault(row["question_id"], {})
        if row["step"]:
            known[row["figures"][0]["file"], row["step"]] = row["id"]
    items: list[Prediction] = []
    for path in paths:
        paper_id = path.name.removesuffix(SUFFIX)
        for key, entry in _read(path).items():
            question_id = f"{paper_id}/{key}"
            same = questions[paper_id, _question(path, key, entry).strip()]
            if same:
                question_id = same.pop(same.index(question_id) if question_id in same else 0)
            items += _predictions(path, key, question_id, entry, documents.get(question_id))
    place = paths[0] if len(paths) == 1 else paths[0].parent
    if not any(documents.values()):
        return Predictions(place, "spiqa-responses", tuple(items))
    return Predictions(place, "spiqa-responses-per-figure", tuple(items), _unasked(items, documents))


def _unasked(items: Sequence[Prediction], documents: Mapping[str, Documents]) -> frozenset[str]:
    """The documents of answered questions whose figure the scripts did not ask about."""
    answered = {item.id for item in items}
    ids = [frozenset(known.values()) for known in documents.values()]
    return frozenset(row_id for known in ids if known & answered for row_id in known - answered)


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


def _predictions(
    path: Path, key: str, question_id: str, entry: Mapping[str, Any], documents: Documents | None
) -> Iterator[Prediction]:
    """The answers to one question: one, or two for each figure where `documents` tells those of the question."""
    response = entry["response"]
    where = f"question {key} of {path}"
    if isinstance(response, dict):
        if documents is not None and not documents:
            raise InputError(
                f"Expected one response to {where}, found one per figure ({len(response)}). "
                "Score them as the _perfigure task."
            )
        yield from _figures(where, question_id, response, documents or {})
        return
    if not isinstance(response, str):
        raise InputError(
            f"Expected the response to {where} to be text, or answers per figure; found {type(response).__name__}. "
            "Ask the model again."
        )
    if documents:
        raise InputError(
            f"Expected a response per figure to {where}, found one text. Score them as the task without _perfigure."
        )
    shown = entry.get("all_figures_names")
    yield Prediction(question_id, response, tuple(shown) if isinstance(shown, list) else None)


def _figures(where: str, question_id: str, response: Mapping[str, Any], documents: Documents) -> Iterator[Prediction]:
    shown = tuple(response)
    for figure, answers in response.items():
        if not (isinstance(answers, list) and len(answers) == len(STEPS) and all(isinstance(a, str) for a in answers)):
            raise InputError(
                f"Expected [Yes or No, answer] for {figure} in {where}, found {answers!r}. Ask the model again."
            )
        for step, text in zip(STEPS, answers, strict=True):
            yield Prediction(documents.get((figure, step), f"{question_id}/{figure}/{step}"), text, shown)
