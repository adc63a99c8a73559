"""Answers that real models gave, with what the matcher reads in them."""

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.scoring.mcq import Choice, extract_choice

SHARED = pytest.mark.xdist_group("real answers")
"""For the modules that read them: one worker reads each answer once for all of them."""


@functools.cache
def real_answers(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the answers of `mcq/{name}.jsonl`; skip the test if the file is missing."""
    path = folder / "mcq" / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not on this machine")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@functools.cache
def real_choices(folder: Path, name: str) -> list[tuple[dict[str, Any], Choice]]:
    """Return the answers of `mcq/{name}.jsonl`, each with the choice that is read in it."""
    return [
        (answer, extract_choice(answer["response"], answer["choices"]))
        for answer in real_answers(folder, name)
    ]
