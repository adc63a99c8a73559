"""The YAML of any task of the host, by its name."""

import sys
from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.errors import InputError, MissingPartError
from spiqa_tasks.hosts.lmms_eval.registration import source_task as find


@pytest.mark.usefixtures("host")
def test_a_task_of_a_folder_and_one_of_ours_are_found_with_their_values(source_task: Path) -> None:
    """The path is that of the YAML itself, and the values are those in it, functions left out."""
    path, values = find("numbers", source_task)
    assert path == (source_task / "numbers.yaml").resolve()
    assert (values["task"], values["doc_to_target"], values["test_split"]) == (
        "numbers",
        "answer",
        "test",
    )
    assert not any(callable(value) for value in values.values())
    path, values = find("mmstar_demo", None)
    assert path == (yaml_folder() / "mmstar" / "mmstar_demo.yaml").resolve()
    assert values["task"] == "mmstar_demo"


@pytest.mark.usefixtures("host")
def test_a_group_is_no_task() -> None:
    """Its name is refused in one sentence, as a filter is of one task's questions."""
    with pytest.raises(
        InputError, match=r"^Expected multimodal_gain to be a task of lmms-eval, .* --include-path"
    ):
        find("multimodal_gain", None)


@pytest.mark.slow
@pytest.mark.usefixtures("host")
def test_the_hosts_own_tasks_are_found_and_unknown_names_refused(source_task: Path) -> None:
    """A task that no folder of ours has is looked for among the host's, which takes seconds."""
    path, values = find("mmstar", None)
    assert (path.suffix, values["task"]) == (".yaml", "mmstar")
    assert yaml_folder() not in path.parents
    with pytest.raises(
        InputError, match=r"^Expected no_such_task to be a task of lmms-eval, .* --include-path"
    ):
        find("no_such_task", source_task)


def test_without_the_host_the_sentence_has_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing a task is what needs it."""
    monkeypatch.setitem(sys.modules, "lmms_eval", None)
    with pytest.raises(
        MissingPartError, match=r"^Writing a task needs lmms_eval.*'\.\[lmms-eval\]'"
    ):
        find("numbers", None)
