"""The length of answers."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from vlmevalkit_models import Fixed

from spiqa_tasks.hosts.vlmevalkit import length
from spiqa_tasks.hosts.vlmevalkit.arguments import read


class NoLength:
    """A class without a length."""


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The host's configurations."""
    found = {
        "taken": partial(Fixed),
        "configured": partial(NoLength, max_completion_tokens=5),
        "none": partial(NoLength),
        "made": NoLength,
    }
    monkeypatch.setattr(length, "supported", lambda: found)
    return found


def test_a_class_generates_what_the_tasks_say(models: dict[str, Any]) -> None:
    """Where it takes a length; the longest of the tasks counts, and what is not taken is said."""
    arguments = read(["--data", "mmstar_demo", "scifibench_demo_reasoning", "--model", *models], {})
    argv, remarks = length.set_length(arguments)
    assert argv == arguments.argv
    assert models["taken"].keywords == {"max_new_tokens": 2048}
    assert models["configured"].keywords == {"max_completion_tokens": 2048}
    assert models["none"].keywords == {}
    assert [remark.split()[0] for remark in remarks if "of its own; the tasks' is 2048" in remark] == ["none", "made"]


def test_what_the_user_says_counts(models: dict[str, Any]) -> None:
    """For every class that takes a length."""
    length.set_length(read(["--data", "mmstar_demo", "--model", "taken", "--max-tokens", "77"], {}))
    assert models["taken"].keywords == {"max_new_tokens": 77}


def test_datasets_of_the_host_leave_the_length_as_it_is(models: dict[str, Any]) -> None:
    """One model answers all of them."""
    arguments = read(["--data", "mmstar_demo", "MMStar", "--model", "taken"], {})
    assert length.set_length(arguments) == (arguments.argv, [])
    assert models["taken"].keywords == {}


def test_a_server_is_given_the_length_as_an_argument(models: dict[str, Any], tmp_path: Path) -> None:
    """A configuration file keeps what it says."""
    argv, _ = length.set_length(read(["--data", "mmstar_demo", "--model", "x", "--base-url", "http://h/v1"], {}))
    assert argv[-2:] == ("--max-tokens", "512")
    path = tmp_path / "config.json"
    path.write_text('{"model": {"taken": {}}, "data": {"mmstar_demo": {"class": "SpiqaTasks"}}}')
    assert length.set_length(read(["--config", str(path)], {}))[1] == []
    assert models["taken"].keywords == {}
