"""Settings that say what a SciFIBench task shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import LocalSource


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return load_rows("scifibench", split, settings, LocalSource(folder))


@pytest.mark.parametrize(
    ("split", "settings"),
    [
        ("cs_cap2fig", "mark=correct"),
        ("cs_cap2fig", "prompt=caption"),
        ("cs_fig2cap", "ignore=yes"),
        ("cs_fig2cap", "ocr=yes,ablation=grey"),
        ("cs_fig2cap", "shots=-1"),
        ("cs_fig2cap", "encoder=x"),
        ("cs_fig2cap", "prompt=caption,shots=1"),
        ("cs_fig2cap", "mark=both"),
    ],
)
def test_settings_that_make_no_sense_together_are_refused(scifibench_release: Path, split: str, settings: str) -> None:
    """One sentence that says what was expected, before any data is shown."""
    with pytest.raises(InputError, match="Expected"):
        rows_of(scifibench_release, split, settings)
