"""The command line as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

from spiqa_tasks.cli import COMMANDS, main, parser


def test_every_module_of_commands_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """Each subcommand has a help page of its own, and the general one names it."""
    names = ["list", "path", "prepare", "demo", "doctor", "score", "gain", "filter"]
    names += ["breakdown", "bootstrap", "alignment", "spread", "rank"]
    names += ["cache", "compare", "correlate", "export", "report"]
    usage = parser().format_help().split()
    for name in names:
        with pytest.raises(SystemExit, match="0"):
            main([name, "--help"])
        assert f"spiqa-tasks {name}" in capsys.readouterr().out
        assert name in usage
    assert len(names) == len(COMMANDS) + 2  # catalogue has three of them


def test_no_and_unknown_commands_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """argparse's own exit status is 2, as that of all unusable arguments."""
    for arguments in ([], ["nonsense"]):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)
    assert "usage: spiqa-tasks" in capsys.readouterr().err


def test_command_starts_fast() -> None:
    """The installed command runs, and `path` loads neither torch nor the host."""
    code = (
        "import sys; from spiqa_tasks.cli import main; main(['path']); "
        "print(sorted({'torch', 'lmms_eval'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
