"""SPIQA's own result files: one `<paper>_response.json` per paper, as the released evaluation scripts write them.

A file maps a question's key (its position in A and val, `question_key` in B and C) to {question, response, answer,
referred_figures_names, all_figures_names, referred_figures_indices}. The scripts shuffle a question's figures without
a seed, so what "Image 2" means is told by `all_figures_names` alone. The scripts for open models write {figure: [Yes or
No, answer]} as the response: one pair of answers per figure.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.matching import Prediction, Predictions

SUFFIX = "_response.json"


def is_response_file(path: Path) -> bool:
    """Whether the file's name is that of a response file."""
    return path.name.endswith(SUFFIX)


def read_responses(paths: Sequence[Path], rows: Sequence[Mapping[str, Any]]) -> Predictions:
    """The answers of response files; an answer to a question that `rows` lack has the id `<paper>/<key>`.

    Raises:
        InputError: a file that is not one of SPIQA's, or answers per figure where the task asks once per question.
    """
    ids: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if "paper_id" in row:
            ids[row["paper_id"], row["question"].strip()].append(row["id"])
    items: list[Prediction] = []
    for path in paths:
        paper_id = path.name.removesuffix(SUFFIX)
        for key, entry in _read(path).items():
            row_id = f"{paper_id}/{key}"
            same = ids[paper_id, _question(path, key, entry).strip()]
            if same:
                row_id = same.pop(same.index(row_id) if row_id in same else 0)
            items.append(_prediction(path, key, row_id, entry))
    return Predictions(paths[0] if len(paths) == 1 else paths[0].parent, "spiqa-responses", tuple(items))


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


def _prediction(path: Path, key: str, row_id: str, entry: Mapping[str, Any]) -> Prediction:
    response = entry["response"]
    if isinstance(response, dict):
        raise InputError(
            f"Expected one response to question {key} of {path}, found one per figure ({len(response)}). "
            "Score them as the _perfigure task."
        )
    if not isinstance(response, str):
        raise InputError(
            f"Expected the response to question {key} of {path} to be text, found {type(response).__name__}. "
            "Ask the model again."
        )
    shown = entry.get("all_figures_names")
    return Prediction(row_id, response, tuple(shown) if isinstance(shown, list) else None)
