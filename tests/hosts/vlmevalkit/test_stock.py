"""The host without our launcher: its own command, its queue of requests, and programs that call
it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from openai_server import OpenAIServer
from run_command import run_json
from run_files import run_header, run_records, run_values
from vlmevalkit_models import Fixed

from spiqa_tasks.extras import is_installed
from spiqa_tasks.hosts.vlmevalkit.registration import command_of_host
from spiqa_tasks.hosts.vlmevalkit.tasks import message, rows_of

from .conftest import Launch


def stock(monkeypatch: pytest.MonkeyPatch, *arguments: Any) -> None:
    """A function that runs the host's command in this process, after the imports of `launch`."""
    monkeypatch.setattr("sys.argv", ["run.py", *map(str, arguments)])
    command_of_host().main()


def written(folder: Path, name: str) -> Path:
    """The one file of a name below a folder; upstream's build has links to it, too."""
    (path,) = (path for path in folder.rglob(name) if not path.is_symlink())
    return path


def script() -> Path:
    """The host's command."""
    return Path(command_of_host().__file__)


def test_the_hosts_own_command_knows_our_tasks(
    launch: Launch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It writes what the launcher writes, whatever PRED_FORMAT says, with the numbers of the
    launcher.
    """
    monkeypatch.setenv("PRED_FORMAT", "xlsx")
    stock(monkeypatch, "--data", "mmstar_demo", "--model", "odd", "--work-dir", tmp_path / "stock")
    assert launch("--data", "mmstar_demo", "--model", "odd") == 0
    assert run_values(tmp_path / "stock", "mmstar_demo") == run_values(
        tmp_path / "out", "mmstar_demo"
    )
    assert run_records(tmp_path / "stock", "mmstar_demo") == run_records(
        tmp_path / "out", "mmstar_demo"
    )
    assert list((tmp_path / "stock").rglob("odd_mmstar_demo.tsv"))


def test_its_configuration_file_names_our_class(
    launch: Launch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The class is where the host looks for classes."""
    assert launch is not None
    data = {"mmstar_demo": {"class": "SpiqaTasks", "dataset": "mmstar_demo"}}
    (tmp_path / "config.json").write_text(json.dumps({"model": {"fixed": {}}, "data": data}))
    stock(monkeypatch, "--config", tmp_path / "config.json", "--work-dir", tmp_path / "stock")
    assert run_values(tmp_path / "stock", "mmstar_demo")["accuracy"] is not None


@pytest.mark.parametrize("launched", [True, False])
def test_tasks_may_be_described_on_the_command_line_where_the_host_knows_that(
    launch: Launch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, launched: bool
) -> None:
    """`--data-config`; the launcher takes all of its tasks if no `--data` names some."""
    content = json.dumps({"mmstar_demo": {"class": "SpiqaTasks", "dataset": "mmstar_demo"}})
    arguments = ["--data-config", content, "--model", "fixed"]
    if "--data-config" not in script().read_text():
        with pytest.raises(SystemExit, match="2"):
            launch(*arguments)
        return
    if launched:
        assert launch(*arguments) == 0
    else:
        stock(monkeypatch, *arguments, "--data", "mmstar_demo", "--work-dir", tmp_path / "out")
    assert run_values(tmp_path / "out", "mmstar_demo")["accuracy"] is not None


def test_programs_build_our_datasets(launch: Launch, tmp_path: Path) -> None:
    """As OpenCompass and EvalScope do: `build_dataset`, prompts, a table of answers, `evaluate`."""
    assert launch is not None
    from vlmeval.dataset import (
        DATASET_MODALITY,
        DATASET_TYPE,
        SUPPORTED_DATASETS,
        SpiqaTasks,
        build_dataset,
    )
    from vlmeval.smp import dump

    assert "spiqa_testA" in SUPPORTED_DATASETS
    assert (DATASET_TYPE("mmstar_demo"), DATASET_MODALITY("mmstar_demo")) == ("SpiqaTasks", "IMAGE")
    assert (
        build_dataset("mmstar_demo").dataset_name
        == SpiqaTasks("mmstar_demo", model="unused").dataset_name
    )
    dataset = build_dataset("mmstar_demo")
    rows = rows_of("mmstar_demo")
    assert [dataset.build_prompt(line) for line in range(len(dataset))] == [
        message(row) for row in rows
    ]
    table = dataset.data.assign(prediction=[row["answer"] for row in rows])
    for name in ("answers.xlsx", "m_mmstar_demo.tsv"):
        dump(table, str(tmp_path / name))
        assert (
            dataset.evaluate(str(tmp_path / name), model="exact_matching", nproc=4)["accuracy"]
            == 1.0
        )


def test_no_character_ends_a_table_of_answers(launch: Launch, tmp_path: Path) -> None:
    """NUL, which Python 3.10 cannot write, stays; half a surrogate pair, which no file can hold,
    becomes its escape.
    """
    assert launch is not None
    from vlmeval.dataset import build_dataset
    from vlmeval.smp import dump, load

    table = build_dataset("mmstar_demo").data
    said = ['"\x00"\r\n\tB', "\ud83d", None, *["A"] * (len(table) - 3)]
    path = str(tmp_path / "m_mmstar_demo.tsv")
    dump(table.assign(prediction=pd.Series(said, table.index, dtype=object)), path)
    assert list(load(path)["prediction"]) == [said[0], "\\ud83d", "", *said[3:]]
    dump(table, str(tmp_path / "another.tsv"))
    assert list(load(str(tmp_path / "another.tsv"))["question"]) == list(table["question"])


def test_a_table_of_answers_has_the_figures_in_the_order_shown(
    launch: Launch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that `score` knows which figure the number of an image means."""
    assert launch is not None
    from vlmeval.dataset import build_dataset
    from vlmeval.smp import dump

    dataset = build_dataset("spiqa_demo_cot")
    said = [
        f"{{'Image': {row['referred'][0]}, 'Rationale': 'r'}} x"
        for row in rows_of("spiqa_demo_cot")
    ]
    dump(dataset.data.assign(prediction=said), str(tmp_path / "m.tsv"))
    status, found, errors = run_json(capsys, "score", "spiqa_demo_cot", tmp_path / "m.tsv")
    assert (status, found["metrics"]["retrieval_accuracy"]) == (0, 1.0), errors


def test_a_class_that_is_shown_one_picture_is_not_asked_about_several(launch: Launch) -> None:
    """Without our launcher, too; questions with one picture are asked as ever."""
    assert launch is not None
    from vlmeval.vlm.base import BaseModel

    class Single(BaseModel):  # type: ignore[misc]
        INTERLEAVE = False

        def __init__(self) -> None: ...

    several, one = message(rows_of("spiqa_demo")[0]), message(rows_of("mmstar_demo")[0])
    with pytest.raises(ValueError, match="several pictures for spiqa_demo, found Single"):
        Single().message_to_promptimg(several, dataset="spiqa_demo")
    assert Single().message_to_promptimg(several, dataset="BLINK_of_mine")[1] == several[1]["value"]
    assert Single().message_to_promptimg(one, dataset="mmstar_demo")[1] == one[0]["value"]


class Api(Fixed):
    """A model of the queue, whose own prompt raises."""

    is_api = True


def test_the_queue_uses_our_prompt_and_has_our_status(
    launch: Launch,
    server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: Any,
) -> None:
    """`--api-mode` evaluates in child processes; what fails there and what is judged there is
    told.
    """
    from functools import partial

    from vlmeval.config import supported_VLM

    monkeypatch.setenv("SPIQA_JUDGE", f"openai:judge@{server.url}")
    monkeypatch.setitem(supported_VLM, "queued", partial(Api))
    server.behaviour.script = ["ok"] * 10 + ["400"] * 3
    assert launch("--api-mode", "--data", "mmstar_demo", "spiqa_demo", "--model", "queued") == 3
    assert "queued, spiqa_demo: 3 answers could not be judged" in capsys.readouterr().err
    assert run_header(tmp_path / "out", "spiqa_demo")["counts"]["judge_failed"] == 3
    assert run_values(tmp_path / "out", "mmstar_demo")["accuracy"] is not None
    assert supported_VLM["queued"].keywords == {"max_new_tokens": 512}


@pytest.mark.parametrize("mode", [[], ["--api-mode"]], ids=["local", "queue"])
def test_a_served_model_may_have_a_slash_in_its_name(
    launch: Launch, server: OpenAIServer, tmp_path: Path, mode: list[str]
) -> None:
    """The server is asked for the name that it knows, with our length; paths stay one level
    deep.
    """
    server.behaviour.text = "The answer is (A)."
    arguments = [
        "--data",
        "mmstar_demo",
        "--model",
        "org/name",
        "--base-url",
        server.url,
        "--key",
        "EMPTY",
        *mode,
    ]
    assert launch(*arguments, "--api-nproc", "8") == 0
    asked = [request["body"] for request in server.requests]
    assert {(body["model"], body["max_tokens"]) for body in asked} == {("org/name", 512)}
    assert len(asked) == 24
    (path,) = (tmp_path / "out" / "org--name").rglob("*_samples_mmstar_demo.jsonl")
    assert path.with_name(
        path.name.replace("_samples_mmstar_demo.jsonl", "_results.json")
    ).is_file()


@pytest.mark.slow
@pytest.mark.skipif(not is_installed("vlmevalkit"), reason="VLMEvalKit is not installed")
def test_a_stock_process_finds_our_tasks(server: OpenAIServer, tmp_path: Path) -> None:
    """`python -m vlmeval.run` and a copy of it as a checkout's run.py, nobody having named this
    package.
    """
    server.behaviour.text = "A"
    copy = tmp_path / "run.py"
    copy.write_text(script().read_text())
    is_module = script().parent.name == "vlmeval"
    for name, command in [("module", ["-m", "vlmeval.run"])] * is_module + [
        ("script", [str(copy)])
    ]:
        arguments = [
            "--data",
            "mmstar_demo",
            "--model",
            "served",
            "--base-url",
            server.url,
            "--work-dir",
            name,
        ]
        done = subprocess.run(
            [sys.executable, *command, *arguments], cwd=tmp_path, env=os.environ, timeout=300
        )
        assert done.returncode == 0
        assert run_values(tmp_path / name, "mmstar_demo")["accuracy"] is not None
