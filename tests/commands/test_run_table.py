"""What the commands on runs of our tasks share."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_files import choice_samples, write_run

from spiqa_tasks.cli import main


@pytest.mark.parametrize("command", ["breakdown", "bootstrap", "alignment", "spread"])
def test_nothing_to_read_is_one_sentence(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty folder, a run without our samples, a broken file and a metric that is not there end with status 2."""
    assert main([command, str(tmp_path)]) == 2
    path = write_run(tmp_path, "m", {"t": []})
    assert main([command, str(tmp_path)]) == 2
    path.with_name(path.name.replace("results.json", "samples_t.jsonl")).write_text("{broken")
    assert main([command, str(tmp_path)]) == 2
    write_run(tmp_path, "m", {"t": choice_samples([True])})
    assert main([command, str(tmp_path), "--metric", "accuracy_llm"]) == 2
    assert capsys.readouterr().err.count("Expected") == 4
