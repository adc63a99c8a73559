"""What is read of the host's arguments, and what is added to them."""

import json
from pathlib import Path

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments, read


def test_groups_become_their_tasks_and_the_last_data_counts_for_the_host() -> None:
    """The host's own datasets stay, in the order given."""
    found = read(
        ["--data", "MMStar", "spiqa", "--model", "a", "b", "--nproc", "4", "--verbose"], {}
    )
    tasks = ["spiqa_testA", "spiqa_testB", "spiqa_testC"]
    assert list(found.data) == ["MMStar", *tasks]
    assert [task.name for task in found.ours] == tasks
    assert found.models == ("a", "b")
    assert found.argv[-5:] == ("--data", "MMStar", *tasks)


def test_without_a_group_nothing_is_added() -> None:
    """The host gets the arguments that were given; abbreviated ones are understood as it does."""
    given = [
        "--data",
        "spiqa_testA",
        "--model",
        "a",
        "--work",
        "w",
        "--max-tokens",
        "7",
        "--reuse-aux",
        "infer",
    ]
    found = read(given, {})
    assert list(found.argv) == given
    assert (found.work_dir, found.max_tokens, found.reuse) == (Path("w"), 7, False)
    assert read(given, {"MMEVAL_ROOT": "elsewhere"}).work_dir == Path("elsewhere")


def test_a_served_model_has_a_name_for_paths_and_one_for_its_server() -> None:
    """The host makes one of them itself where it runs through its queue."""
    given = ["--data", "mmstar_demo", "--model", "org/name", "--base-url", "http://h/v1"]
    found = read(given, {})
    assert (found.models, found.served) == (("org--name",), {"org--name": "org/name"})
    assert found.argv == (*given, "--model", "org--name")
    found = read([*given, "--api-mode"], {})
    assert (found.models, found.argv) == (("org--name",), (*given, "--api-mode"))


@pytest.mark.parametrize(
    "more", [["--model", "a", "b"], ["--config", "CONFIG"], ["--limit", "3"], ["--limit=3"]]
)
def test_the_queue_takes_one_model_and_all_questions(tmp_path: Path, more: list[str]) -> None:
    """The host would end in an assertion, or ask all questions in silence."""
    path = tmp_path / "config.json"
    path.write_text('{"model": {"m": {}}, "data": {"mmstar_demo": {}}}')
    with pytest.raises(InputError, match="one --model with --api-mode"):
        read(["--api-mode", *(str(path) if each == "CONFIG" else each for each in more)], {})


def test_all_that_is_read_of_a_run(tmp_path: Path) -> None:
    """What is not said has a default, and answers are reused where they are only scored."""
    (task,) = find_tasks(["mmstar_demo"])
    given = ["--data", "mmstar_demo", "--model", "a"]
    assert read(given, {}) == Arguments(
        tuple(given), ("a",), ("mmstar_demo",), (task,), "all", Path("outputs")
    )
    config = {"model": {"m": {"class": "X"}}, "data": {"mmstar_demo": {}}}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    given = [
        "--config",
        str(path),
        "--mode",
        "eval",
        "--work-dir",
        "w",
        "--max-tokens",
        "3",
        "--judge",
        "j",
    ]
    given += [
        "--judge-base-url",
        "u",
        "--judge-key",
        "k",
        "--base-url",
        "http://h",
        "--data",
        "other",
    ]
    judge = {"model": "j", "api_base": "u", "key": "k"}
    expected = Arguments(
        *(
            tuple(given),
            ("m",),
            ("mmstar_demo",),
            (task,),
            "eval",
            Path("w"),
            "http://h",
            3,
            judge,
            config,
        ),
        reuse=True,
    )
    assert read(given, {}) == expected
    assert read([*given[:2], "--reuse"], {"MMEVAL_ROOT": ""}).reuse
    assert read([], {}) == Arguments((), (), (), (), "all", Path("outputs"))


def test_a_file_of_tasks_alone_has_them_itself_or_under_data(tmp_path: Path) -> None:
    """Its models are the named ones."""
    path = tmp_path / "data.json"
    tasks = {"mine": {"class": "SpiqaTasks", "dataset": "mmstar_demo"}}
    for content in (tasks, {"data": tasks}):
        path.write_text(json.dumps(content))
        found = read(["--data-config", str(path), "--model", "m"], {})
        assert (found.config, found.models, found.data) == ({"data": tasks}, ("m",), ("mine",))


@pytest.mark.parametrize(
    ("option", "content", "found"),
    [
        ("--config", "{}", "with the objects model and data, found {}"),
        ("--config", "[1]", "with the objects model and data, found [1]"),
        ("--data-config", '"text"', "to be a JSON object, found 'text'"),
        ("--data-config", "{", "to be a JSON object, found Expecting"),
        ("--data-config", None, "to be a JSON object, found [Errno 2]"),
    ],
)
def test_a_file_that_is_none_is_named(
    tmp_path: Path, option: str, content: str | None, found: str
) -> None:
    """With what was expected, what was found and what to do."""
    path = tmp_path / "file.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError) as caught:
        read([option, str(path)], {})
    assert str(caught.value).startswith(f"Expected {option} {str(path)[:80]} to be a JSON object")
    assert found in str(caught.value)


def test_what_is_no_json_is_named_by_its_option() -> None:
    """Judge arguments are a text."""
    with pytest.raises(InputError, match=r"--judge-args .* to be a JSON object"):
        read(["--judge-args", "{"], {})
