"""A trial start of a host, and the bound without which lmms-eval 0.7.3 cannot start."""

import configparser
from pathlib import Path

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
