"""Written tasks in the host's index."""

from __future__ import annotations

from pathlib import Path

import pytest
from filter_runs import Filter
from numbers_task import host_inspectors, manager

from spiqa_tasks.hosts.written import user_folder, written_tasks

pytestmark = pytest.mark.usefixtures("host")


def test_task_whose_source_is_gone_is_not_indexed(source_task: Path, tmp_path: Path, run_filter: Filter) -> None:
    """A written task that cannot work any more does not break the host's index."""
    host_inspectors(tmp_path / "runs", {0})
    run_filter(tmp_path / "runs", "--write", "--include-path", source_task)
    assert written_tasks() == [user_folder() / "numbers_filtered"]
    (source_task / "numbers.yaml").unlink()
    assert written_tasks() == []
    (user_folder() / "numbers_filtered" / "kept.json").write_text("no json")
    assert written_tasks() == []
    assert "numbers_filtered" not in manager().task_index
