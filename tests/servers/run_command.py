"""The command line, called within the test's process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spiqa_tasks.cli import main


def run_json(capsys: pytest.CaptureFixture[str], command: str, *arguments: Any) -> tuple[int, Any, str]:
    """Run `spiqa-tasks COMMAND ... --json`; return exit status, the JSON printed ([] where none is) and stderr."""
    status = main([command, *map(str, arguments), "--json"])
    printed = capsys.readouterr()
    return status, json.loads(printed.out or "[]"), printed.err
