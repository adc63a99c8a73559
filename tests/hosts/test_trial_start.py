"""A trial start of a host, and the bound without which lmms-eval 0.7.3 cannot start."""

import configparser
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from spiqa_tasks.extras import failure_of

SETUP = Path(__file__).resolve().parents[2] / "setup.cfg"


def test_setup_cfg_bounds_filelock() -> None:
    """In the host's extra, and in the base requirements for an environment that has the host
    already: an evaluation begins with an import that filelock 4.3 removed.
    """
    setup = configparser.ConfigParser()
    setup.read(SETUP, encoding="utf-8")
    base = setup["options"]["install_requires"]
    extra = setup["options.extras_require"]["lmms-eval"]
    for lines in (base, extra):
        requirements = map(Requirement, filter(None, lines.splitlines()))
        (bounded,) = (each for each in requirements if each.name == "filelock")
        assert "<4.3" in map(str, bounded.specifier)


def test_the_failure_of_a_process_is_its_last_line() -> None:
    """None if it succeeds; its status if it says nothing."""
    assert failure_of("") is None
    assert failure_of("raise KeyError('key')") == "KeyError: 'key'"
    assert failure_of("raise SystemExit(5)") == "exit status 5"


def test_our_entry_point_ends_the_host_with_a_sentence_where_filelock_lacks_its_import(
    tmp_path: Path,
) -> None:
    """Status 1: the host would end with 0 and a traceback's last line."""
    real = Path(pytest.importorskip("filelock").__file__).parent
    # filelock 4.3 calls the module by another name
    newer = shutil.copytree(real, tmp_path / "filelock")
    for file in newer.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("._api", "._gone"), encoding="utf-8")
    (newer / "_api.py").rename(newer / "_gone.py")

    code = "from spiqa_tasks.hosts.lmms_eval.registration import register; register()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 1
    assert done.stderr == "lmms-eval cannot start with filelock 4.3: pip install 'filelock<4.3'\n"
