"""Settings that say what a SciFIBench task shows."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.settings import SciFIBenchSettings
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import LocalSource


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return load_rows("scifibench", split, settings, LocalSource(folder))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        *(
            (
                {"ocr": "yes", "ablation": ablation},
                "ocr=yes with ablation=none: the text stands in the place of the picture",
            )
            for ablation in ("grey", "text")
        ),
        ({"ignore": "yes"}, "ignore=yes with a mark to ignore"),
        ({"encoder": "x"}, "encoder with shot_kind=similar"),
        (
            {"encoder": "x", "shot_kind": "similar", "ablation": "text"},
            "encoder without ablation=text, which has no pictures",
        ),
        *(
            ({"prompt": "released", **field}, "prompt=released without mark, shots and ocr")
            for field in ({"mark": "correct"}, {"shots": 1}, {"ocr": "yes"})
        ),
        ({"shots": -1}, "shots and sample of at least 0"),
        ({"sample": -1}, "shots and sample of at least 0"),
        *(
            ({"prompt": "caption", **field}, "prompt=caption without mark and shots")
            for field in ({"mark": "incorrect"}, {"shots": 2})
        ),
    ],
)
def test_what_was_expected_is_said_with_all_settings(fields: dict[str, Any], expected: str) -> None:
    """One sentence."""
    names = [field.name for field in dataclasses.fields(SciFIBenchSettings)]
    defaults = {field.name: field.default for field in dataclasses.fields(SciFIBenchSettings)}
    text = ",".join(f"{name}={fields.get(name, defaults[name])}" for name in names)
    with pytest.raises(InputError) as error:
        SciFIBenchSettings(**fields)
    assert str(error.value) == f"Expected {expected}; found {text}. Correct the task's YAML."


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"ocr": "yes"},
        {"ignore": "yes", "mark": "correct"},
        {"ignore": "no", "mark": "incorrect"},
        {"encoder": "x", "shot_kind": "similar", "ablation": "grey"},
        {"ablation": "text", "shot_kind": "similar"},
        {"prompt": "released", "ablation": "grey"},
        {"prompt": "caption", "ocr": "yes"},
        {"shots": 0, "sample": 0},
        {"shots": 1, "sample": 1, "mark": "correct"},
    ],
)
def test_settings_that_make_sense_are_taken(fields: dict[str, Any]) -> None:
    """Each as it is named."""
    found = SciFIBenchSettings(**fields)
    assert {name: getattr(found, name) for name in fields} == fields
