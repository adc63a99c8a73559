"""The host's command line, parsed by a parser like its own, and what is changed in it."""

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments, read

SPIQA = ["spiqa_testA", "spiqa_testB", "spiqa_testC"]


def parse_args() -> argparse.Namespace:
    """Parse `sys.argv` as run.py of the host does, `--data-config` as upstream's."""
    parser = argparse.ArgumentParser()
    for option in ("--data", "--model"):
        parser.add_argument(option, nargs="+")
    for option in ("--config", "--base-url", "--judge-args"):
        parser.add_argument(option)
    parser.add_argument("--data-config", type=json.loads)
    parser.add_argument("--work-dir", default="./outputs")
    parser.add_argument("--mode", default="all")
    parser.add_argument("--max-tokens", type=int, default=2**15)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--api-mode", action="store_true")
    return parser.parse_args()


def parsed(*argv: str) -> Arguments:
    """Return the parsed arguments of a command line."""
    return read(parse_args, argv)


def test_groups_become_their_tasks() -> None:
    """For the host, too; its own datasets stay, in the order given."""
    found = parsed("--data", "MMStar", "spiqa", "--model", "a", "b")
    assert found.host.data == found.data == ["MMStar", *SPIQA]
    assert [task.name for task in found.ours] == SPIQA
    assert found.models == found.host.model == ["a", "b"]


def test_all_other_arguments_are_the_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Abbreviated ones are understood as it does; MMEVAL_ROOT wins as there."""
    found = parsed("--data", "spiqa_testA", "--model", "a", "--work", "w", "--mode", "infer")
    assert (found.work_dir, found.host.mode) == (Path("w"), "infer")
    monkeypatch.setenv("MMEVAL_ROOT", "elsewhere")
    assert found.work_dir == Path("elsewhere")


@pytest.mark.parametrize(("more", "given"), [([], None), (["--max-tokens", "7"], 7)])
def test_a_length_counts_if_the_user_gives_it(more: list[str], given: int | None) -> None:
    """The host's default is kept apart."""
    host = parsed("--data", "spiqa_testA", "--model", "a", *more).host
    assert (host.max_tokens, host.usual_max_tokens) == (given, 2**15)


def test_one_option_is_added_while_the_host_parses(capsys: pytest.CaptureFixture[str]) -> None:
    """It is in the help, and other parsers do not know it."""
    given = ["--data", "spiqa_testA", "--model", "a"]
    assert not parsed(*given).host.accept_pictures
    assert parsed(*given, "--accept-pictures").host.accept_pictures
    with pytest.raises(SystemExit, match="0"):
        parsed("--help")
    assert "--accept-pictures" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        argparse.ArgumentParser().parse_args(["--accept-pictures"])


@pytest.mark.parametrize(
    ("mode", "model"), [([], "org--name"), (["--api-mode"], "org/name")], ids=["local", "queue"]
)
def test_a_served_model_has_a_name_for_folders_and_one_for_its_server(
    mode: list[str], model: str
) -> None:
    """The host makes that of folders itself where it runs through its queue."""
    given = ["--data", "mmstar_demo", "--model", "org/name", "--base-url", "http://h/v1"]
    found = parsed(*given, *mode)
    assert (found.models, found.served) == (["org--name"], {"org--name": "org/name"})
    assert found.host.model == [model]


@pytest.mark.parametrize(
    "more",
    [
        ["--config", "CONFIG"],
        ["--data", "mmstar_demo", "--model", "a", "b"],
        ["--data", "mmstar_demo", "--model", "a", "--limit", "3"],
        ["--data", "mmstar_demo", "--model", "a", "--limit=3"],
    ],
)
def test_the_queue_takes_one_model_and_all_questions(tmp_path: Path, more: list[str]) -> None:
    """The host would end in an assertion, or ask all questions in silence."""
    path = tmp_path / "config.json"
    path.write_text('{"model": {"m": {}}, "data": {"mmstar_demo": {}}}')
    with pytest.raises(InputError, match="one --model with --api-mode"):
        parsed("--api-mode", *(str(path) if word == "CONFIG" else word for word in more))


@pytest.mark.parametrize("more", [["--data", "mmstar_demo"], ["--model", "m"]])
def test_a_configuration_stands_alone(more: Sequence[str]) -> None:
    """The host would end in an assertion."""
    with pytest.raises(InputError, match="or --config; found both"):
        parsed("--config", "file.json", *more)


def test_a_configuration_names_models_and_datasets(tmp_path: Path) -> None:
    """Tasks of ours among them, under their own names."""
    path = tmp_path / "config.json"
    ours = {"class": "SpiqaTasks", "dataset": "mmstar_demo"}
    tasks: dict[str, Any] = {"mmstar_demo": ours, "MMStar": {}}
    config = {"model": {"m": {"class": "X"}}, "data": tasks}
    path.write_text(json.dumps(config))
    found = parsed("--config", str(path))
    assert (found.models, found.data, found.config) == (["m"], ["mmstar_demo", "MMStar"], config)
    assert [task.name for task in found.ours] == ["mmstar_demo"]
    assert found.host.data is None


OURS = {"class": "SpiqaTasks", "dataset": "mmstar_demo"}


@pytest.mark.parametrize(
    "described",
    [
        {"mine": OURS},
        {"mmstar_demo": {**OURS, "ablation": "grey"}},
        {"mmstar_demo": {**OURS, "class": "SpiqaTask"}},
        {"mmstar_demo": {"class": "SpiqaTasks"}},
        {"mmstar_demo": {}},
    ],
)
def test_a_task_of_ours_has_its_own_name_and_no_other_options(
    tmp_path: Path, described: dict[str, Any]
) -> None:
    """The host loses the answers under another name, and ignores other options in silence."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model": {"m": {}}, "data": described}))
    for given in (["--config", str(path)], ["--data-config", json.dumps(described)]):
        with pytest.raises(InputError) as caught:
            parsed(*given, *(["--model", "m"] if "--data-config" in given else []))
        assert str(caught.value) == (
            f"--config has {json.dumps(described)}. Write {json.dumps({'mmstar_demo': OURS})}; a "
            "variant is a task of its own name."
        )


def test_datasets_may_be_described_on_the_command_line() -> None:
    """All of them run if no `--data` names some."""
    tasks = {"mmstar_demo": {"class": "SpiqaTasks", "dataset": "mmstar_demo"}}
    given = ["--data-config", json.dumps(tasks), "--model", "m"]
    for found, data in (
        (parsed(*given), ["mmstar_demo"]),
        (parsed(*given, "--data", "mmstar_demo", "spiqa"), ["mmstar_demo", *SPIQA]),
    ):
        assert found.data == found.host.data == data
        assert found.ours[0].name == "mmstar_demo"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("{}", "no keys"),
        ("[1]", "no keys"),
        ('{"model": {}}', "model"),
        ('{"model": {}, "data": {}, "ablation": "grey"}', "model, data, ablation"),
        ('{"model": 1, "data": {}}', "model, data"),
        ('{"model": {"m": null}, "data": {}}', "model, data"),
        ('{"model": {"m": {}}, "data": {"mmstar_demo": "SpiqaTasks"}}', "model, data"),
    ],
)
def test_an_unusable_configuration_is_named(tmp_path: Path, content: str, found: str) -> None:
    """With the keys found in it, and what to write."""
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        parsed("--config", str(path))
    assert str(caught.value) == (
        f"--config {path} has {found}. Write model and data alone, both objects with an object of "
        "options per name."
    )


def test_a_work_dir_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """Before a model is made."""
    path = tmp_path / "answers.txt"
    path.touch()
    with pytest.raises(InputError, match=f"Expected a folder at {re.escape(str(path))} that"):
        parsed("--data", "mmstar_demo", "--model", "m", "--work-dir", str(path))


def test_a_configuration_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """By the place in broken JSON; a folder is no file."""
    with pytest.raises(InputError, match=f"There is no file {re.escape(str(tmp_path))} for"):
        parsed("--config", str(tmp_path))
    path = tmp_path / "file.json"
    path.write_text("{")
    with pytest.raises(DataError, match=r"file.json to be JSON, found .*: line 1 column 2"):
        parsed("--config", str(path))


@pytest.mark.parametrize("argv", [[], ["--data", "mmstar_demo"], ["--model", "m"]])
def test_nothing_to_run_is_said(argv: Sequence[str]) -> None:
    """The host would end in an error of its own."""
    with pytest.raises(InputError, match="Name a task and a model"):
        parsed(*argv)
