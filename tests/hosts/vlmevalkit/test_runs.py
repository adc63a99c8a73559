"""Runs of the host: the same numbers as from the answers alone, and an exit status that can be
trusted.
"""

import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import fixed_answers
import pytest
from openai_server import OpenAIServer
from run_command import run_json
from run_files import run_header, run_records, run_values
from vlmevalkit_models import Fixed

from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.vlmevalkit.registration import host_version
from spiqa_tasks.hosts.vlmevalkit.tasks import message, rows_of

from .conftest import Launch

TASKS = [
    *("spiqa_demo", "spiqa_demo_cot", "spiqa_demo_perfigure", "spiqa_demo_fullpaper"),
    *(
        "mmstar_demo",
        "mmstar_demo_grey",
        "mmstar_demo_text",
        "mmstar_demo_llm",
        "mmstar_demo_llm_authors",
    ),
    *(
        "scifibench_demo",
        "scifibench_demo_reasoning",
        "scifibench_demo_cap2fig_random",
        "scifibench_demo_captioning",
    ),
]
"""All three benchmarks and what differs in prompt, pictures or scores."""
Said = pytest.CaptureFixture[str]
NOT_IN_PLAIN_FILES = {"unformatted_rate", "retrieval_accuracy"}
"""What `score` does not tell of a plain file: it reads no papers' texts, no format was asked
for, and nobody knows in which order the model saw the figures.
"""


@pytest.fixture
def judged(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    """The server as the judge that the environment names."""
    server.behaviour.verdict = fixed_answers.verdict
    monkeypatch.setenv("SPIQA_JUDGE", "openai:judge")
    monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", server.url)
    return server


def texts_of(row: Any) -> list[str]:
    """The texts of a row's prompt."""
    return [part["value"] for part in message(row) if part["type"] == "text"]


@pytest.mark.usefixtures("judged")
def test_odd_answers_arrive_as_they_are_and_have_the_numbers_of_score(
    launch: Launch, tmp_path: Path, capsys: Said
) -> None:
    """Every task with a model of odd answers: no text changed, and no metric differs from those
    of a plain file.
    """
    assert launch("--data", *TASKS, "--model", "odd") == 0
    capsys.readouterr()
    different = []
    for task in TASKS:
        given = {row["id"]: fixed_answers.odd(texts_of(row)) for row in rows_of(task)}
        assert [record["response"] for record in run_records(tmp_path / "out", task)] == list(
            given.values()
        )
        plain = tmp_path / f"{task}.jsonl"
        lines = (json.dumps({"id": key, "prediction": text}) for key, text in given.items())
        plain.write_text("".join(f"{line}\n" for line in lines))
        _, offline, _ = run_json(capsys, "score", task, plain)
        ours = run_values(tmp_path / "out", task)
        assert find_tasks([task])[0].metrics[0].name in ours
        compared = ours.keys() - NOT_IN_PLAIN_FILES
        different += [
            (task, name) for name in compared if ours[name] != offline["metrics"].get(name)
        ]
    assert not different


@pytest.mark.usefixtures("judged")
def test_every_command_reads_a_run(launch: Launch, tmp_path: Path, capsys: Said) -> None:
    """Score, gain, compare, filter and report; the signature names the host and its version."""
    tasks = ["mmstar_demo", "mmstar_demo_text", "mmstar_demo_llm", "spiqa_demo"]
    assert launch("--data", *tasks, "--model", "fixed", "odd") == 0
    capsys.readouterr()
    out = tmp_path / "out"
    record = run_records(out / "fixed", "mmstar_demo")[0]
    assert parse(record["signature"]).host == f"vlmevalkit {host_version()}"
    status, scored, _ = run_json(capsys, "score", out / "fixed")
    assert status == 0
    assert {
        each["task"]: each["metrics"]["accuracy"] for each in scored if "mmstar" in each["task"]
    } == {task: run_values(out / "fixed", task)["accuracy"] for task in tasks[:3]}
    # the one model stands for its LLM base, too
    asked = ("gain", out / "fixed", "--task", "mmstar_demo", "--accept-differences")
    status, gain, said = run_json(capsys, *asked)
    assert status == 0, said
    ours = run_values(out / "fixed", "mmstar_demo")["accuracy"]
    assert {row["s_v"] for row in gain if row["group"] == "all"} == {ours}
    status, compared, _ = run_json(capsys, "compare", out / "fixed", out / "odd")
    assert status == 0
    assert {"mmstar_demo", "spiqa_demo"} <= {row["task"] for row in compared}
    status, broken, _ = run_json(capsys, "score", "--by", "group", out / "fixed")
    assert status == 0
    assert {row["task"] for row in broken} == set(tasks)
    status, kept, said = run_json(capsys, "filter", out, "--task", "mmstar_demo")
    assert (status, bool(kept)) == (0, True), said
    from spiqa_tasks.cli import main

    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    assert main(["report", str(out), "--html", str(tmp_path / "report.html")]) == 0
    assert "fixed,host=vlmevalkit" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_our_prompt_and_our_length_are_used(
    launch: Launch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of a class whose own prompt raises, and that takes a length."""
    from vlmeval.config import supported_VLM

    made: list[Any] = []

    def generate(self: Fixed, message: list[dict[str, str]], **_: Any) -> str:
        made.append((self, message))
        return "A"

    monkeypatch.setattr(Fixed, "generate", generate)
    monkeypatch.setitem(supported_VLM, "fixed", partial(Fixed))
    assert launch("--data", "mmstar_demo", "--model", "fixed") == 0
    model, first = made[0]
    assert model.length == 512
    assert [part["type"] for part in first] == ["image", "text"]
    assert len(run_records(tmp_path / "out", "mmstar_demo")) == len(made) == 24


def test_a_task_without_scores_makes_the_status_1(
    launch: Launch, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> None:
    """The host itself goes on with the next task and exits 0."""

    def generate(self: Fixed, message: Any, dataset: str) -> str:  # noqa: ARG001
        if dataset == "mmstar_demo":
            raise ValueError("out of memory")
        return "A"

    monkeypatch.setattr(Fixed, "generate", generate)
    assert launch("--data", "mmstar_demo", "mmstar_demo_text", "--model", "fixed") == 1
    said = capsys.readouterr().err
    assert "fixed has no scores of mmstar_demo;" in said
    assert "mmstar_demo_text;" not in said


def test_answers_alone_are_enough_where_only_they_are_asked_for(
    launch: Launch, tmp_path: Path
) -> None:
    """`--mode infer` writes answers and asks no judge; `--mode eval` then scores them."""
    assert (
        launch(
            "--data",
            "mmstar_demo",
            "--model",
            "fixed",
            "--mode",
            "infer",
            "--judge",
            "anthropic:no",
        )
        == 0
    )
    assert not list((tmp_path / "out").rglob("*_results.json"))
    assert launch("--data", "mmstar_demo", "--model", "fixed", "--mode", "eval") == 0
    assert launch("--data", "mmstar_demo_text", "--model", "fixed", "--mode", "eval") == 1


def summary_of(folder: Path, model: str, task: str) -> dict[str, Any]:
    """Return VLMEvalKit's own summary of a task."""
    from vlmeval.smp.status_report import collect_run_benchmark_report

    (status,) = (path for path in (folder / model).rglob("status.json") if not path.is_symlink())
    (row,) = (
        row for row in collect_run_benchmark_report(status.parent) if row["benchmark"] == task
    )
    return dict(row)


def test_values_over_a_part_of_the_questions_are_withheld_and_can_be_asked_for(
    launch: Launch, tmp_path: Path, capsys: Said, limit: str
) -> None:
    """The host's --limit: its table, summary and the run's file have no number; `score
    --partial` prints them.
    """
    assert launch("--data", "mmstar_demo", "--model", "fixed", limit, "5") == 0
    assert [record["place"] for record in run_records(tmp_path / "out", "mmstar_demo")] == list(
        range(5)
    )
    assert set(run_values(tmp_path / "out", "mmstar_demo").values()) == {None}
    found = summary_of(tmp_path / "out", "fixed", "mmstar_demo")
    assert (found["primary_metric"], found["primary_metric_value"]) == ("accuracy", None)
    capsys.readouterr()
    status, scored, _ = run_json(capsys, "score", tmp_path / "out")
    assert (status, scored["metrics"]["accuracy"]) == (3, None)
    status, scored, _ = run_json(capsys, "score", tmp_path / "out", "--partial")
    right = [
        record.get("prediction") == record["reference"]
        for record in run_records(tmp_path / "out", "mmstar_demo")
    ]
    assert (status, scored["metrics"]["accuracy"]) == (0, sum(right) / 5)
    assert scored["signature"].endswith("|questions:5 of 24")


def test_the_hosts_summary_has_no_value_of_a_withheld_headline(
    launch: Launch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nor that of another metric in its place, where some requests failed."""
    answers = iter(["Failed to obtain answer via API."] * 2 + ["A"] * 22)
    monkeypatch.setattr(Fixed, "generate", lambda *_, **__: next(answers))
    assert launch("--data", "mmstar_demo", "--model", "fixed") == 3
    found = summary_of(tmp_path / "out", "fixed", "mmstar_demo")
    assert (found["primary_metric"], found["primary_metric_value"]) == ("accuracy", None)


@pytest.mark.parametrize(
    ("metrics", "headline"),
    [
        ({"accuracy": 0.5, "accuracy_released": 0.25}, {"accuracy": 0.5}),
        ({"accuracy": 0.0, "accuracy_released": 0.25}, {"accuracy": 0.0}),
        ({"accuracy_withheld": 1, "accuracy": None, "refusal_rate": 0.0}, {"accuracy": None}),
        ({"accuracy_withheld": 1, "refusal_rate": 0.0}, {"accuracy": None}),
        ({}, {}),
        (None, {}),
    ],
)
def test_a_withheld_headline_is_never_replaced_by_the_next_metric(
    launch: Launch, metrics: dict[str, Any] | None, headline: dict[str, Any]
) -> None:
    """Also where the host has dropped all rows without a number."""
    from spiqa_tasks.hosts.vlmevalkit.dataset import SpiqaTasks

    assert launch is not None
    assert SpiqaTasks.report_primary_metric(metrics) == headline


def test_an_api_model_at_a_server(
    launch: Launch, judged: OpenAIServer, tmp_path: Path, capsys: Said, limit: str
) -> None:
    """It is asked our prompts with our length; what fails is counted, withheld, and asked again
    with --reuse.
    """
    judged.behaviour.text = "The answer is (A)."
    arguments = [
        "--data",
        "mmstar_demo",
        "--model",
        "served",
        "--base-url",
        judged.url,
        "--key",
        "EMPTY",
    ]
    arguments += ["--retry", "1", "--api-nproc", "1", limit, "8"]
    judged.behaviour.script = ["400", "ok", "400"]
    assert launch(*arguments) == 3
    assert "2 requests to the model failed" in capsys.readouterr().err
    assert run_header(tmp_path / "out", "mmstar_demo")["counts"]["request_failed"] == 2
    assert run_values(tmp_path / "out", "mmstar_demo")["accuracy"] is None
    found = summary_of(tmp_path / "out", "served", "mmstar_demo")
    assert (found["primary_metric"], found["primary_metric_value"]) == ("accuracy", None)
    bodies = [request["body"] for request in judged.requests]
    assert {body["max_tokens"] for body in bodies} == {512}
    sent = {
        "".join(part.get("text", "") for part in body["messages"][-1]["content"]) for body in bodies
    }
    assert sent == {"".join(texts_of(row)) for row in rows_of("mmstar_demo")[:8]}
    asked = len(bodies)
    assert launch(*arguments, "--reuse") == 0
    assert len(judged.requests) - asked == 2
    assert run_header(tmp_path / "out", "mmstar_demo")["counts"]["request_failed"] == 0


def test_ctrl_c_ends_a_run_at_once_and_its_answers_are_taken_by_the_next(
    launch: Launch, server: OpenAIServer, tmp_path: Path
) -> None:
    """Only the request in flight is sent twice."""
    server.behaviour.latency = 0.2
    arguments = ["--data", "mmstar_demo", "--model", "served", "--base-url", server.url]
    arguments += ["--key", "EMPTY", "--api-nproc", "1"]
    command = [sys.executable, "-m", "spiqa_tasks.hosts.vlmevalkit", *arguments]
    with subprocess.Popen([*command, "--work-dir", str(tmp_path / "out")]) as process:
        while len(server.requests) < 4 and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT

    assert len(server.requests) < 10
    server.behaviour.latency = 0
    assert launch(*arguments, "--reuse") == 0
    assert len(server.requests) <= 24 + 1


def test_failed_judgements_are_told_and_filled_in(
    launch: Launch, judged: OpenAIServer, tmp_path: Path, capsys: Said
) -> None:
    """The run ends with status 3; `score` on its folder asks only what is missing."""
    judged.behaviour.script = ["ok"] * 10 + ["400"] * 3
    assert launch("--data", "spiqa_demo", "--model", "fixed") == 3
    assert "3 answers could not be judged" in capsys.readouterr().err
    asked = len(judged.requests)
    status, scored, _ = run_json(capsys, "score", tmp_path / "out", "--judge", "openai:judge")
    assert (status, scored["counts"]["judge_failed"]) == (0, 0)
    assert len(judged.requests) - asked <= 3 + 2
