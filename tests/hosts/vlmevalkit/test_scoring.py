"""The host's file of answers to one task, read and scored by the environment's judge; no host
is needed.
"""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.scorer import Scorer, make_scorer
from spiqa_tasks.errors import DataError, InputError, JudgeError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.lmms_eval_files import newest_summary
from spiqa_tasks.hosts.vlmevalkit.scoring import judge_of, scored, write
from spiqa_tasks.hosts.vlmevalkit.tasks import read_answers, rows_of
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.intervals import share_interval

TASK = "mmstar_demo"


@pytest.fixture
def scorer() -> Scorer:
    """The scorer of MMStar's demo questions."""
    (task,) = find_tasks([TASK])
    return make_scorer(task.benchmark, task.settings_text, "vlmevalkit 0.0.20", None)


def test_answers_are_read_as_they_were_written(tmp_path: Path) -> None:
    """A tsv keeps what looks like an escape of a spreadsheet; a file of something else is one
    sentence.
    """
    path = tmp_path / "m_t.tsv"
    path.write_text('"index"\t"prediction"\n"1"\t"_x0041_"\n"007"\t"NA"\n')
    assert read_answers(path) == {"1": "_x0041_", "007": "NA"}
    path.write_text('"index"\t"answer"\n"1"\t"A"\n')
    with pytest.raises(InputError, match="the columns index and prediction"):
        read_answers(path)


def test_a_spreadsheets_answers_lose_nothing(tmp_path: Path) -> None:
    """Ids are texts whatever the spreadsheet makes of them, and escapes of characters are
    undone.
    """
    pytest.importorskip("openpyxl")
    import pandas as pd

    path = tmp_path / "m_t.xlsx"
    pd.DataFrame({"index": [1, 2, 3], "prediction": ["None", "a_x000D_b", "=1+1"]}).to_excel(
        path, index=False
    )
    assert read_answers(path) == {"1": "None", "2": "a\rb", "3": "=1+1"}


def test_an_empty_table_has_no_answers_and_a_broken_one_is_a_sentence(tmp_path: Path) -> None:
    """The sentence names the file."""
    path = tmp_path / "m_t.tsv"
    path.write_text('"index"\t"prediction"\n')
    assert read_answers(path) == {}
    path.write_text('"index"\t"prediction"\n"1"\t"A\n')
    with pytest.raises(DataError, match=r"m_t\.tsv"):
        read_answers(path)


def test_answers_are_scored_in_the_tasks_order_with_their_places(scorer: Scorer) -> None:
    """Whatever the order of the file; questions without an answer and answers to no question are
    left out.
    """
    rows = rows_of(TASK)
    right = {rows[place]["id"]: rows[place]["answer"] for place in (7, 2)}
    found = scored(scorer, rows, {"no such id": "A", **right, rows[5]["id"]: "none of these"})
    assert [(each.position, each.record.id) for each in found] == [
        (place, rows[place]["id"]) for place in (2, 5, 7)
    ]
    assert [each.record.scores["accuracy"] for each in found] == [1.0, 0.0, 1.0]
    assert [each.response for each in found] == [
        rows[2]["answer"],
        "none of these",
        rows[7]["answer"],
    ]


def test_a_failed_request_is_no_answer(scorer: Scorer) -> None:
    """Its record says why and has no score; the text stays what the host wrote."""
    rows = rows_of(TASK)
    text = "Failed to obtain answer via API."
    (answer,) = scored(scorer, rows, {rows[0]["id"]: text})
    record, kept = answer.record, answer.response
    assert (kept, record.status, record.reason) == (text, "request_failed", text)
    assert "accuracy" not in record.scores


HOST = "vlmevalkit 0.0.20"
FAILED = "Failed to obtain answer via API."


def write_run(
    folder: Path, name: str, answers: dict[str, str], asked: int | None = None
) -> tuple[Task, Path]:
    """Write a run of a task with the answers, and an `A` for every other one of the first
    `asked` questions.
    """
    (task,) = find_tasks([name])
    scorer = make_scorer(task.benchmark, task.settings_text, HOST, None)
    given = {row["id"]: answers.get(row["id"], "A") for row in rows_of(name)[:asked]}
    write(folder, "small", task, scorer, scored(scorer, rows_of(name), given))
    return task, folder


def read(folder: Path) -> Run:
    """The one run in a folder."""
    (run,), _ = load_runs([RunPath(folder)])
    return run


def header(folder: Path) -> dict[str, Any]:
    """Return the fields of the only task in the newest results file."""
    path = max(folder.glob("*_results.json"))
    ((task, found),) = json.loads(path.read_text())["spiqa_tasks"].items()
    return {"task": task, **found}


def test_the_summary_of_the_newest_run_counts(tmp_path: Path) -> None:
    """A run that is scored again leaves the files of the one before."""
    failures = dict.fromkeys([row["id"] for row in rows_of(TASK)][:2], FAILED)
    write_run(tmp_path, TASK, failures)
    write_run(tmp_path, TASK, {})
    summary = newest_summary(tmp_path, TASK)
    assert summary is not None
    assert (summary["counts"]["docs"], summary["counts"]["request_failed"]) == (24, 0)


def test_a_mean_over_papers_has_a_clustered_interval(tmp_path: Path) -> None:
    """That of the scores and their papers; scores of the corpus have none."""
    _, path = write_run(tmp_path, "spiqa_demo", {})
    run = read(tmp_path)
    found = header(path)["intervals"]
    scores = [record.scores["rouge_l"] for record in run.questions]
    expected = share_interval(scores, [str(record.cluster) for record in run.questions])
    assert found["rouge_l"] == pytest.approx([expected.low, expected.high])
    assert "bleu_1" not in found


def test_failed_requests_are_failures_wherever_they_are_read(tmp_path: Path) -> None:
    """Two of 24: the accuracy is withheld, and answers that `score` reads again have failed too."""
    _, path = write_run(tmp_path, "mmstar_demo", {"0": FAILED, "1": "Fail to obtain answer"})
    assert header(path)["metrics"]["accuracy"] is None
    assert (
        header(path)["omitted"]["accuracy"]
        == "withheld: 22 of 24 answers have a score, fewer than 99%"
    )
    assert header(path)["metrics"]["request_failed_rate"] == pytest.approx(2 / 24)
    run = read(tmp_path)
    assert math.isnan(run.value(run.metric()).value)
    failures = [answer.response.failure for answer in run.by_id.values()]
    assert [failure is not None for failure in failures] == [True, True] + [False] * 22


def test_a_part_of_a_task_has_no_values_and_says_so(tmp_path: Path) -> None:
    """`5 of 24` is the reason and in the signature; how many requests failed is known all the
    same.
    """
    _, path = write_run(tmp_path, "mmstar_demo", {"0": FAILED}, asked=5)
    found = header(path)
    assert set(found["metrics"].values()) == {None}
    assert set(found["omitted"].values()) == {
        "withheld: 5 of 24 questions were answered, fewer than 99%"
    }
    assert (read(path).asked, found["counts"]["docs"], found["counts"]["request_failed"]) == (
        24,
        5,
        1,
    )
    assert found["signature"].endswith("|questions:5 of 24")
    assert found["intervals"] == {}


def test_the_judge_is_tried_once_for_all_tasks(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks that need none have none; those that need one share it."""
    monkeypatch.setenv("SPIQA_JUDGE", f"openai:judge@{server.url}")
    tasks = find_tasks(["spiqa_demo", "spiqa_demo_cot", "mmstar_demo"])
    ones = [judge_of(task, is_named=False) for task in tasks]
    assert ones[0] is ones[1] is not None
    assert ones[2] is None
    assert len(server.requests) == 2


def test_judging_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the environment."""
    monkeypatch.setenv("SPIQA_JUDGE", "none")
    assert judge_of(find_tasks(["spiqa_demo"])[0], is_named=False) is None


def test_a_judge_without_log_probabilities_is_refused(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any model runs."""
    monkeypatch.setenv("SPIQA_JUDGE", f"openai:judge@{server.url}")
    server.behaviour.sticky = "no_logprobs"
    with pytest.raises(JudgeError):
        judge_of(find_tasks(["spiqa_demo"])[0], is_named=False)


def test_a_judge_that_the_hosts_options_name_is_refused(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would not be asked: the environment names the judge. Tasks without one run."""
    monkeypatch.setenv("SPIQA_JUDGE", f"openai:judge@{server.url}")
    spiqa, mmstar = find_tasks(["spiqa_demo", "mmstar_demo"])
    with pytest.raises(InputError, match="judge of spiqa_demo in SPIQA_JUDGE, found one in VLM"):
        judge_of(spiqa, is_named=True)
    assert judge_of(mmstar, is_named=True) is None
    assert not server.requests
