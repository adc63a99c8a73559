"""`spiqa-tasks cache`: what it says of the host's cache, whose contents are tests/hosts/lmms_eval's matter."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest

from spiqa_tasks.cli import main

FAILURE = "[LMMS_EVAL_REQUEST_FAILED after 3 retries] timeout"


@pytest.mark.parametrize(("failures", "told"), [(0, "0 failed requests"), (1, "1 failed request "), (2, "2 failed r")])
def test_the_failures_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str], failures: int, told: str) -> None:
    """The sentence says how many were deleted from where; a second time there are none, and answers stay."""
    with contextlib.closing(sqlite3.connect(tmp_path / "cache.db")) as db, db:
        db.execute("CREATE TABLE responses (cache_key TEXT, response TEXT)")
        answers = [*[FAILURE] * failures, "a good answer"]
        rows = [(str(place), json.dumps(answer)) for place, answer in enumerate(answers)]
        db.executemany("INSERT INTO responses VALUES (?, ?)", rows)
    assert main(["cache", "drop-failures", str(tmp_path)]) == 0
    first = capsys.readouterr().out
    assert first.startswith(told)
    assert str(tmp_path) in first
    assert main(["cache", "drop-failures", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("0 failed requests deleted")
    with contextlib.closing(sqlite3.connect(tmp_path / "cache.db")) as db:
        assert db.execute("SELECT response FROM responses").fetchall() == [('"a good answer"',)]


def test_another_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that is no such cache is exit status 2 and one sentence; no action at all is argparse's."""
    assert main(["cache", "drop-failures", str(tmp_path)]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("spiqa-tasks: Expected the folder of lmms-eval's --use_cache")
    assert errors.count("\n") == 1
    with pytest.raises(SystemExit, match="2"):
        main(["cache"])
