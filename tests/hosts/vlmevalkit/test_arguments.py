"""What is read of the host's arguments, and what is added to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.vlmevalkit.arguments import read


def test_groups_become_their_tasks_and_the_last_data_counts_for_the_host() -> None:
    """The host's own datasets stay, in the order given."""
    found = read(["--data", "MMStar", "spiqa", "--model", "a", "b", "--nproc", "4", "--verbose"], {})
    tasks = ["spiqa_testA", "spiqa_testB", "spiqa_testC"]
    assert list(found.data) == ["MMStar", *tasks]
    assert [task.name for task in found.ours] == tasks
    assert found.models == ("a", "b")
    assert found.argv[-5:] == ("--data", "MMStar", *tasks)


def test_without_a_group_nothing_is_added() -> None:
    """The host gets the arguments that were given; abbreviated ones are understood as it does."""
    given = ["--data", "spiqa_testA", "--model", "a", "--work", "w", "--max-tokens", "7", "--reuse-aux", "infer"]
    found = read(given, {})
    assert list(found.argv) == given
    assert (found.work_dir, found.max_tokens, found.reuse) == (Path("w"), 7, False)
    assert read(given, {"MMEVAL_ROOT": "elsewhere"}).work_dir == Path("elsewhere")


def test_the_judges_arguments_are_handed_on_as_the_host_does() -> None:
    """What is said alone wins over the JSON."""
    found = read(["--judge-args", '{"model": "x", "temperature": 0}', "--judge", "y", "--judge-key", "k"], {})
    assert found.judge == {"model": "y", "temperature": 0, "key": "k"}


def test_a_configuration_names_models_and_tasks(tmp_path: Path) -> None:
    """Its tasks are ours by their names."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model": {"m": {"class": "X"}}, "data": {"mmstar_demo": {"class": "SpiqaTasks"}}}))
    found = read(["--config", str(path)], {})
    assert (found.models, found.data, [task.name for task in found.ours]) == (("m",), ("mmstar_demo",), ["mmstar_demo"])


def test_a_task_may_have_a_name_of_its_own_in_a_configuration(tmp_path: Path) -> None:
    """What counts is the task that it names; another class is a dataset of the host."""
    path = tmp_path / "config.json"
    mine, other = {"class": "SpiqaTasks", "dataset": "mmstar_demo"}, {"class": "MMStar", "dataset": "mmstar_demo"}
    path.write_text(json.dumps({"model": {"m": {}}, "data": {"mine": mine, "other": other}}))
    found = read(["--config", str(path)], {})
    assert (found.data, [task.name for task in found.ours]) == (("mine", "other"), ["mmstar_demo"])
    path.write_text(json.dumps({"mine": mine}))
    found = read(["--data-config", str(path), "--model", "m"], {})
    assert (found.models, found.data, [task.name for task in found.ours]) == (("m",), ("mine",), ["mmstar_demo"])


def test_a_served_model_has_a_name_for_paths_and_one_for_its_server() -> None:
    """The host makes one of them itself where it runs through its queue; without a server there is no such name."""
    given = ["--data", "mmstar_demo", "--model", "org/name", "--base-url", "http://h/v1"]
    found = read(given, {})
    assert (found.models, found.served) == (("org--name",), {"org--name": "org/name"})
    assert found.argv == (*given, "--model", "org--name")
    found = read([*given, "--api-mode"], {})
    assert (found.models, found.argv) == (("org--name",), (*given, "--api-mode"))
    with pytest.raises(InputError, match="without a slash, found org/name"):
        read(given[:4], {})


@pytest.mark.parametrize("more", [["--model", "a", "b"], ["--config", "CONFIG"]])
def test_the_queue_takes_one_model(tmp_path: Path, more: list[str]) -> None:
    """The host would end in an assertion."""
    path = tmp_path / "config.json"
    path.write_text('{"model": {"m": {}}, "data": {"mmstar_demo": {}}}')
    with pytest.raises(InputError, match="one --model with --api-mode"):
        read(["--api-mode", *(str(path) if each == "CONFIG" else each for each in more)], {})


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "to be JSON"), ("[]", "JSON object"), ('{"model": {}}', "model and data"), (None, "JSON file")],
)
def test_a_broken_configuration_is_one_sentence(tmp_path: Path, content: str | None, message: str) -> None:
    """It names the file and what is wrong."""
    path = tmp_path / "config.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=message):
        read(["--config", str(path)], {})


def test_a_group_in_a_configuration_is_refused(tmp_path: Path) -> None:
    """The host takes names of a file as they are."""
    path = tmp_path / "config.json"
    path.write_text('{"model": {}, "data": {"spiqa": {}}}')
    with pytest.raises(InputError, match="a group of tasks"):
        read(["--config", str(path)], {})
