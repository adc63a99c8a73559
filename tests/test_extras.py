"""Parts that are not always installed."""

import configparser
import sys
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from spiqa_tasks.cli import main
from spiqa_tasks.errors import MissingPartError
from spiqa_tasks.extras import EXTRAS, is_installed, missing_extra, require

SETUP = Path(__file__).resolve().parents[1] / "setup.cfg"


def test_every_extra_can_be_installed_by_its_name() -> None:
    """setup.cfg has each, and `all` brings all of them."""
    setup = configparser.ConfigParser()
    setup.read(SETUP, encoding="utf-8")
    declared = setup["options.extras_require"]
    assert set(EXTRAS) <= set(declared)
    assert declared["all"].strip() == f"spiqa-tasks[{','.join(sorted(EXTRAS))}]"


def test_a_missing_part_is_one_sentence_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names what needs it, the packages that are missing and the command, and its status is
    2.
    """
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert not is_installed("report")
    with pytest.raises(
        MissingPartError, match=r"^A page needs jinja2.*pip install '\.\[report\]'$"
    ) as found:
        require("report", "A page")
    assert found.value.exit_code == 2


def test_a_command_without_its_packages_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where NumPy is absent `paper` ends with status 2 and the command that installs it, and the
    doctor works.
    """
    for name in ("commands.paper_tables", "analysis.paper"):
        monkeypatch.delitem(sys.modules, f"spiqa_tasks.{name}", raising=False)
    # pandas says in its own words that it has no NumPy, and is not installed without it
    for package in ("numpy", "pandas"):
        monkeypatch.setitem(sys.modules, package, None)
    assert main(["paper", "scifibench", "section4.4", "out"]) == 2
    assert "pip install '.[score]'" in capsys.readouterr().err
    monkeypatch.setenv("SPIQA_JUDGE", "none")
    assert main(["doctor", "--quick"]) == 0
    assert "extra    score" in capsys.readouterr().out


def test_a_package_of_no_extra_is_not_explained() -> None:
    """What no extra brings stays an error of Python."""
    with pytest.raises(ModuleNotFoundError):
        missing_extra(ModuleNotFoundError(name="nothing.of.ours"))


def test_the_supported_versions_are_those_of_setup_cfg() -> None:
    """0.7.3 of lmms-eval is one of them, 0.7.2 and 0.8 are not."""
    setup = configparser.ConfigParser()
    setup.read(SETUP, encoding="utf-8")
    (declared,) = (
        line
        for line in setup["options.extras_require"]["lmms-eval"].split()
        if line.startswith("lmms-eval")
    )
    supported = SpecifierSet(declared.removeprefix("lmms-eval"))
    assert [version in supported for version in ("0.7.2", "0.7.3", "0.7.9", "0.8.0")] == [
        False,
        True,
        True,
        False,
    ]
