"""The package with which lmms-eval is known not to start."""

import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from spiqa_tasks.hosts import known_breaks
from spiqa_tasks.hosts.known_breaks import FILELOCK, failure_of, known_break
from spiqa_tasks.hosts.lmms_eval import registration

SETUP = Path(__file__).resolve().parents[2] / "setup.cfg"
MESSAGE = "lmms-eval 0.7.3 cannot start with filelock 4.3.1: pip install 'filelock<4.3'"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Versions of installed packages; others are absent."""
    versions = {"lmms-eval": "0.7.3", "filelock": "4.3.1"}
    monkeypatch.setattr(known_breaks, "version", lambda name: versions.get(name, "absent"))
    return versions


def test_setup_cfg_has_the_bound() -> None:
    """In the host's extra, and in the base requirements for an environment that has the host
    already.
    """
    setup = configparser.ConfigParser()
    setup.read(SETUP, encoding="utf-8")
    base = setup["options"]["install_requires"]
    extra = setup["options.extras_require"]["lmms-eval"]
    for lines in (base, extra):
        requirements = map(Requirement, filter(None, lines.splitlines()))
        (bounded,) = (each for each in requirements if each.name == "filelock")
        assert FILELOCK in map(str, bounded.specifier)


def test_a_break_is_one_sentence_with_the_command(installed: dict[str, str]) -> None:
    """A pre-release that is too new is one, too."""
    assert known_break() == MESSAGE
    installed["filelock"] = "4.4.0rc1"
    assert known_break() == MESSAGE.replace("4.3.1", "4.4.0rc1")


@pytest.mark.parametrize(
    "versions",
    [
        {"filelock": "4.2.12"},
        {"filelock": "absent"},
        {"lmms-eval": "0.7.4"},
        {"lmms-eval": "absent"},
    ],
)
def test_what_works_is_no_break(installed: dict[str, str], versions: dict[str, str]) -> None:
    """A package within the bound or absent; a later host, which may have mended it; no host."""
    installed.update(versions)
    assert known_break() is None


@pytest.mark.usefixtures("installed")
def test_a_break_ends_the_hosts_start() -> None:
    """With the sentence, which Python prints, and so with status 1."""
    with pytest.raises(SystemExit) as ended:
        registration.register()
    assert ended.value.code == MESSAGE


def test_the_failure_of_a_process_is_its_last_line() -> None:
    """None if it succeeds; its status if it says nothing."""
    assert failure_of("") is None
    assert failure_of("raise KeyError('key')") == "KeyError: 'key'"
    assert failure_of("raise SystemExit(5)") == "exit status 5"


@pytest.mark.slow
@pytest.mark.usefixtures("host")
def test_the_host_ends_with_the_sentence_and_status_1(tmp_path: Path) -> None:
    """The real one, with a newer filelock by its metadata."""
    metadata = tmp_path / "filelock-4.3.1.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: filelock\nVersion: 4.3.1\n")
    command = [sys.executable, "-m", "lmms_eval", "--model", "frequent_choice"]
    done = subprocess.run(
        [*command, "--tasks", "mmstar_demo"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1] == MESSAGE
