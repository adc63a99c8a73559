"""What tests of analyses share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.files.source import LocalSource


@pytest.fixture
def rows_of(
    scifibench_release: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str], list[dict[str, Any]]]:
    """`rows_of(split, settings)`: the questions of a made release of SciFIBench, which the package finds too."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(scifibench_release))
    return lambda split, settings: load_rows(
        "scifibench", split, settings, LocalSource(scifibench_release)
    )
