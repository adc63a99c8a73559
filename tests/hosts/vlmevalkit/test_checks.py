"""What is refused, set or said before any weights are loaded."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from vlmevalkit_models import Fixed, InternVLChat, OnePicture

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.vlmevalkit import checks
from spiqa_tasks.hosts.vlmevalkit.arguments import read


class Two:
    """A class that is shown all pictures."""


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """Model -> class of a host that knows two datasets; what is in `options` it has an option for."""
    found: dict[str, Any] = {"two": Two, "single": OnePicture, "divides": InternVLChat, "options": []}
    monkeypatch.setattr(checks, "datasets", lambda: ["MMStar", "mmstar_demo", "spiqa_demo", "mmstar_demo_text"])
    monkeypatch.setattr(checks, "supported", lambda: dict.fromkeys(["two", "single", "divides"]))
    monkeypatch.setattr(checks, "tables_folder", lambda: tmp_path / "tables")
    monkeypatch.setattr(checks, "knows_option", lambda name: name in found["options"])
    monkeypatch.setattr(checks, "host_version", lambda: "0.0.1")
    monkeypatch.setattr(checks, "model_class", lambda name, config: found.get((config or {}).get("class", name)))
    return found


def _refused(*argv: str) -> str:
    with pytest.raises(InputError) as caught:
        checks.check(read([*argv], {}))
    return str(caught.value)


def test_a_run_without_a_fault_is_told_nothing(host: dict[str, Any], tmp_path: Path) -> None:
    """Datasets of the host, tables in its folder, tasks of ours; a model at a server may have any name."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "mine.tsv").touch()
    assert host
    assert checks.check(read(["--data", "MMStar", "mine", "--model", "two", "--judge-key", "k"], {})) == []
    more = ["--work-dir", str(tmp_path)]
    assert checks.check(read(["--data", "mmstar_demo", "--model", "single", *more], {})) == []
    served = ["--data", "spiqa_demo", "--model", "any", "single", "--base-url", "http://h", *more]
    assert checks.check(read(served, {})) == []
    assert checks.check(read([*served, "--judge-key", "k"], {})) == [checks.KEY_IN_CLEAR]


@pytest.mark.usefixtures("host")
def test_names_that_the_host_does_not_know_are_refused() -> None:
    """With the nearest ones; the host would leave them out and exit with 0."""
    assert _refused("--data", "MMStr", "--model", "two") == (
        "Expected the name of a dataset, found 'MMStr'. Nearest: MMStar. `spiqa-tasks list` shows ours."
    )
    assert _refused("--data", "zzz", "--model", "two") == (
        "Expected the name of a dataset, found 'zzz'. `spiqa-tasks list` shows ours."
    )
    assert _refused("--data", "MMStar", "--model", "tow") == (
        "Expected the name of a model of VLMEvalKit, found 'tow'. Nearest: two. `vlmutil mlist all` shows all."
    )


def test_a_configuration_is_checked_by_the_tasks_that_it_names(host: dict[str, Any], tmp_path: Path) -> None:
    """Its models are whatever it says; tasks alone need a host that knows such a file."""
    path = tmp_path / "config.json"

    def write(task: str, **more: Any) -> None:
        path.write_text(json.dumps({"data": {"mine": {"class": "SpiqaTasks", "dataset": task}}, **more}))

    write("mmstar_dem", model={"m": {}})
    sentence = _refused("--config", str(path))
    assert sentence.startswith("Expected the name of a task, found 'mmstar_dem'. Nearest: mmstar_demo, ")
    assert sentence.endswith(" `spiqa-tasks list` shows all.")
    write("spiqa_demo", model={"m": {"class": "single"}})
    assert "found m (OnePicture)" in _refused("--config", str(path))
    write("spiqa_demo", model={"m": {"class": "two"}})
    assert checks.check(read(["--config", str(path), "--work-dir", str(tmp_path)], {})) == []
    write("spiqa_demo")
    alone = ["--data-config", str(path), "--model", "two", "--work-dir", str(tmp_path)]
    assert _refused(*alone) == (
        "Expected a VLMEvalKit that knows --data-config, found 0.0.1. Write models and tasks to one --config file, or "
        "install a newer VLMEvalKit."
    )
    host["options"].append("--data-config")
    assert checks.check(read(alone, {})) == []


@pytest.mark.usefixtures("host")
def test_several_pictures_are_not_shown_to_a_class_that_takes_one() -> None:
    """The sentence has the task of one picture at a time, where there is one."""
    start = "Expected a model class that takes several pictures for"
    end = "found single (OnePicture), which is shown the first one only."
    assert _refused("--data", "spiqa_demo", "--model", "two", "single") == (
        f"{start} spiqa_demo, which shows up to 8; {end} Run spiqa_demo_perfigure."
    )
    arguments = dataclasses.replace(read(["--model", "single"], {}), ours=tuple(find_tasks(["scifibench_demo"])))
    with pytest.raises(InputError) as caught:
        checks.check(arguments)
    assert str(caught.value) == (
        f"{start} scifibench_demo, which shows up to 5; {end} Run it with a model class that takes several."
    )


@pytest.mark.usefixtures("host")
def test_classes_that_divide_by_the_number_of_pictures_are_told(tmp_path: Path) -> None:
    """For tasks with questions that have none."""
    given = ["--data", "mmstar_demo", "mmstar_demo_text", "--model", "two", "divides", "--work-dir", str(tmp_path)]
    assert checks.check(read(given, {})) == [
        "mmstar_demo_text has questions without a picture, and divides (InternVLChat) divides by their number: "
        "VLMEvalKit will leave the task out. Grey pictures (a `_grey` task) measure the same."
    ]


@pytest.mark.usefixtures("host")
def test_answers_that_lie_there_are_told(tmp_path: Path) -> None:
    """Of each model and task, finished or begun; not those of others, and not where they are to be used again."""
    given = ["--data", "mmstar_demo", "mmstar_demo_text", "--model", "single", "two", "--work-dir", str(tmp_path)]
    files = [tmp_path / "two" / "two_mmstar_demo.tsv", tmp_path / "single" / "01_mmstar_demo_text.pkl"]
    others = [tmp_path / "two" / "two_other.tsv", tmp_path / "two" / "x1_mmstar_demo_text.pkl"]
    for path in (*files, *others):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert checks.check(read(given, {})) == [
        f"{path} has answers of an earlier run, which ms-vlmeval takes for this one even without --reuse. Delete it or "
        "name another --work-dir to ask again."
        for path in reversed(files)
    ]
    assert checks.check(read([*given, "--reuse"], {})) == []


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
    monkeypatch.setattr(checks, "supported", lambda: found)
    return found


def test_a_class_generates_what_the_tasks_say(models: dict[str, Any]) -> None:
    """Where it takes a length; the longest of the tasks counts, and what is not taken is said."""
    arguments = read(["--data", "mmstar_demo", "scifibench_demo_reasoning", "--model", *models], {})
    argv, remarks = checks.set_length(arguments)
    assert argv == arguments.argv
    assert models["taken"].keywords == {"max_new_tokens": 2048}
    assert models["configured"].keywords == {"max_completion_tokens": 2048}
    assert models["none"].keywords == {}
    assert [remark.split()[0] for remark in remarks if "of its own; the tasks' is 2048" in remark] == ["none", "made"]


def test_what_the_user_says_counts(models: dict[str, Any]) -> None:
    """For every class that takes a length."""
    checks.set_length(read(["--data", "mmstar_demo", "--model", "taken", "--max-tokens", "77"], {}))
    assert models["taken"].keywords == {"max_new_tokens": 77}


def test_datasets_of_the_host_leave_the_length_as_it_is(models: dict[str, Any]) -> None:
    """One model answers all of them."""
    arguments = read(["--data", "mmstar_demo", "MMStar", "--model", "taken"], {})
    assert checks.set_length(arguments) == (arguments.argv, [])
    assert models["taken"].keywords == {}


def test_a_server_is_given_the_length_as_an_argument(models: dict[str, Any], tmp_path: Path) -> None:
    """A configuration file keeps what it says."""
    argv, _ = checks.set_length(read(["--data", "mmstar_demo", "--model", "x", "--base-url", "http://h/v1"], {}))
    assert argv[-2:] == ("--max-tokens", "512")
    path = tmp_path / "config.json"
    path.write_text('{"model": {"taken": {}}, "data": {"mmstar_demo": {"class": "SpiqaTasks"}}}')
    assert checks.set_length(read(["--config", str(path)], {}))[1] == []
    assert models["taken"].keywords == {}
