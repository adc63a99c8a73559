"""A run of the host and `score` of its samples: the same numbers, and what the run could not
judge filled in.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from forgetting import forget_scorers, forget_text_metrics
from numbers_task import manager
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.benchmarks.scorer import missing_text_metrics
from spiqa_tasks.benchmarks.spiqa.definition import SPIQA
from spiqa_tasks.cli import main
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath

QUESTIONS = 39
KEY = "sk-secret-0123456789"


@dataclass
class HostRun:
    """One run of the host in this process: its metrics, its samples file, and the judge's
    server.
    """

    metrics: dict[str, float]
    samples: Path
    server: OpenAIServer
    environment: dict[str, str]

    def score(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
        """Exit status and JSON of `score` of the samples."""
        status = main(["score", "spiqa_demo", str(self.samples), "--json", *arguments])
        return status, json.loads(capsys.readouterr().out)


def judge_variables(server: OpenAIServer, cache: Path) -> dict[str, str]:
    """The environment that makes the local server the judge."""
    return {
        "SPIQA_JUDGE": "openai:gpt-4o",
        "SPIQA_JUDGE_BASE_URL": server.url,
        "SPIQA_JUDGE_API_KEY": KEY,
        "SPIQA_TASKS_CACHE": str(cache),
    }


def numbers(results: dict[str, Any]) -> dict[str, float]:
    """The metrics that the host gives a value for."""
    return {
        key.partition(",")[0]: value
        for key, value in results.items()
        if key.endswith(",none") and "_stderr" not in key and isinstance(value, float)
    }


def in_the_hosts_table(found: dict[str, Any]) -> dict[str, float]:
    """Return the numbers of `score` that are rows of the host's table."""
    rows = SPIQA.rows_of_table(SPIQA.parse(""))
    return {
        key: value for key, value in found["metrics"].items() if value is not None and key in rows
    }


def forget_judge() -> None:
    """Forget the judge of the hooks."""
    forget_scorers()
    missing_text_metrics.cache_clear()


@pytest.fixture(scope="module")
def host_run(tmp_path_factory: pytest.TempPathFactory, no_programs: None) -> Iterator[HostRun]:  # noqa: ARG001
    """The caption baseline on the demo task; the judge refuses three of the answers."""
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.loggers import EvaluationTracker

    folder = tmp_path_factory.mktemp("host")
    with (
        OpenAIServer(Behaviour(script=["ok", "ok", *["ok", "400"] * 3])) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        environment = judge_variables(server, folder / "cache")
        for name, value in environment.items():
            patch.setenv(name, value)
        forget_judge()
        tracker = EvaluationTracker(output_path=str(folder / "out"))
        results = simple_evaluate(
            model="caption_retrieval",
            tasks=["spiqa_demo"],
            task_manager=manager(),
            log_samples=True,
            evaluation_tracker=tracker,
        )
        tracker.date_id = "20260101_000000"
        tracker.save_results_samples("spiqa_demo", results["samples"]["spiqa_demo"])
        forget_judge()
        (samples,) = (folder / "out").rglob("*_samples_spiqa_demo.jsonl")
        metrics = numbers(results["results"]["spiqa_demo"])
        yield HostRun(metrics, samples, server, environment)
    forget_text_metrics()


@pytest.fixture(autouse=True)
def same_judge(host_run: HostRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the variables of the host's run: its judge and cache."""
    for name, value in host_run.environment.items():
        monkeypatch.setenv(name, value)


def test_the_run_says_what_could_not_be_judged(host_run: HostRun) -> None:
    """Identical answers share a verdict, so three refusals may cost more than three of the 39;
    the mean is withheld.
    """
    records = [json.loads(line)["l3score"] for line in host_run.samples.read_text().splitlines()]
    statuses = Counter(record["status"] for record in records)
    assert statuses["judge_failed"] >= 3
    assert statuses["ok"] == QUESTIONS - statuses["judge_failed"]
    assert all(
        "400" in record["reason"] for record in records if record["status"] == "judge_failed"
    )
    assert host_run.metrics["l3score"] != host_run.metrics["l3score"]
    assert host_run.metrics["judge_failed_rate"] == pytest.approx(
        statuses["judge_failed"] / QUESTIONS
    )


def test_without_a_judge_offline_scores_are_those_of_the_run(
    host_run: HostRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every metric but those of the judge, to the last digit."""
    status, found = host_run.score(capsys, "--judge", "none")
    assert status == 0
    judged = ("l3score", "judge_failed_rate")
    expected = {key: value for key, value in host_run.metrics.items() if not key.startswith(judged)}
    assert in_the_hosts_table(found) == expected


def test_scoring_the_samples_fills_in_what_failed_at_the_price_of_that(
    host_run: HostRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the three refused questions and the two test questions go out; then the host gives
    these very numbers.
    """
    from lmms_eval.evaluator import simple_evaluate

    before = len(host_run.server.requests)
    status, found = host_run.score(capsys)
    assert status == 0
    assert len(host_run.server.requests) - before == 3 + 2
    assert found["counts"]["judged"] == QUESTIONS
    forget_judge()
    run = simple_evaluate(model="caption_retrieval", tasks=["spiqa_demo"], task_manager=manager())
    results = run["results"]["spiqa_demo"]
    forget_judge()
    again = numbers(results)
    assert in_the_hosts_table(found) == again
    assert again["l3score"] == again["l3score"]


def test_own_table_of_offline_scores_begins_with_the_headline(
    host_run: HostRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """`score` prints the benchmark's order: the headline, its figure types, then the others."""
    main(["score", "spiqa_demo", str(host_run.samples)])
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:] if line]
    assert names[0] == "l3score"
    assert names[1].startswith("l3score/")
    assert [name for name in names if "/" in name] == names[
        1 : 1 + sum("/" in name for name in names)
    ]


def test_what_score_writes_is_what_the_host_writes(
    host_run: HostRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Samples with the keys and types that anybody reads, and the same run when they are read
    again; nothing is overwritten.
    """
    for _ in range(2):
        host_run.score(capsys, "--judge", "none", "--output", str(tmp_path))
    first, _ = sorted(tmp_path.rglob("*_samples_spiqa_demo.jsonl"))
    ours, theirs = (
        [json.loads(line) for line in path.read_text().splitlines()]
        for path in (first, host_run.samples)
    )
    judged = {name for name in theirs[0] if name.startswith(("l3score", "judge_failed_rate"))}
    unread = {"doc_hash", "token_counts", "input_media"}
    shared = theirs[0].keys() - judged - {"score"} - unread
    assert shared <= ours[0].keys()
    assert {name: type(ours[0][name]) for name in shared} == {
        name: type(theirs[0][name]) for name in shared
    }
    for name in ("doc_id", "target", "filtered_resps"):
        assert [sample[name] for sample in ours] == [sample[name] for sample in theirs]
    content = json.loads(
        first.with_name(
            first.name.replace("_samples_spiqa_demo.jsonl", "_results.json")
        ).read_text()
    )
    assert {
        "results",
        "configs",
        "n-samples",
        "config",
        "date",
    } <= set(content)
    (run,), (remark,) = load_runs([RunPath(tmp_path)])
    (before,), _ = load_runs([RunPath(host_run.samples)])
    assert "was run again" in remark
    assert {key: answer.response.text for key, answer in run.by_id.items()} == {
        key: answer.response.text for key, answer in before.by_id.items()
    }
    for name in ("rouge_l", "bleu_1"):
        assert run.value(run.metric(name)).value == pytest.approx(
            before.value(before.metric(name)).value
        )
