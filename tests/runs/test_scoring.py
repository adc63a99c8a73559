"""Scores of existing answers, by the code that scores them in a run of a host."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from answer_files import matched, right_answers, rows_of, scored
from host_files import FAILED
from judge_forms import FormServer, wants_max_completion_tokens
from openai_server import OpenAIServer
from run_files import read_results

from spiqa_tasks.benchmarks.choice import slug
from spiqa_tasks.benchmarks.metric import RecordSet
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.summary import signature_of
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.rules import RULES
from spiqa_tasks.judge.types import JudgeConfig
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Reported, Run
from spiqa_tasks.runs.scoring import (
    is_complete,
    read,
    score,
    score_object,
    values_of,
    write_runs,
)


def with_records(run: Run, records: Sequence[Record]) -> Run:
    """The run with other records of its answers."""
    answers = [dataclasses.replace(run.by_id[record.id], record=record) for record in records]
    return dataclasses.replace(run, read=lambda: answers)


def test_refusals_failures_and_unparsed_answers_are_counted_apart() -> None:
    """A failed request has no score, and two of 24 withhold the headline; the rest is still
    told.
    """
    (task,) = find_tasks(["mmstar_demo"])
    answers = {row["id"]: row["answer"] for row in rows_of(task)}
    ids = list(answers)
    answers[ids[0]] = "Sorry, I cannot see any image. Could you provide it?"
    answers[ids[1]] = "A chart shows growth"
    answers |= dict.fromkeys(ids[2:4], FAILED)
    result = scored("mmstar_demo", answers)
    found = score_object(result)
    assert {
        key: found["counts"][key] for key in ("docs", "refused", "unparsed", "request_failed")
    } == {
        "docs": 24,
        "refused": 1,
        "unparsed": 1,
        "request_failed": 2,
    }
    assert found["metrics"]["accuracy"] is None
    assert "22 of 24" in found["omitted"]["accuracy"]
    assert found["metrics"]["request_failed_rate"] == pytest.approx(2 / 24)
    assert not is_complete(result)
    assert [record.status for record in result.records[:4]] == ["refused", "unparsed"] + 2 * [
        "request_failed"
    ]
    assert [record.rule for record in result.records[:2]] == ["refusal", "no_match"]


@pytest.mark.parametrize("places", [[0], range(5, 12), range(23), range(24)])
def test_every_value_over_a_part_of_the_task_is_withheld_unless_it_is_wanted(
    places: Sequence[int],
) -> None:
    """Any answers but all: no value, of groups neither, and a score over the part where it is
    asked for.
    """
    (task,) = find_tasks(["mmstar_demo"])
    answers = {
        row["id"]: row["answer"] for place, row in enumerate(rows_of(task)) if place in places
    }
    result = scored("mmstar_demo", answers)
    is_whole = len(places) == 24
    assert (result.coverage, is_complete(result)) == (f"{len(places)} of 24", is_whole)
    found = score_object(result)
    assert (found["counts"]["docs"], found["counts"]["missing"]) == (len(places), 24 - len(places))
    assert {value is None for value in found["metrics"].values()} == {not is_whole}
    reason = f"withheld: {len(places)} of 24 questions were answered, fewer than 99%"
    assert set(found.get("omitted", {}).values()) == (set() if is_whole else {reason})
    assert (f"|questions:{len(places)} of 24" in found["signature"]) == (not is_whole)
    partial = score_object(dataclasses.replace(result, partial=True))
    assert partial["metrics"]["accuracy"] == 1.0
    assert {value for name, value in partial["metrics"].items() if name.startswith("accuracy")} == {
        1.0
    }
    assert (f"|questions:{len(places)} of 24" in partial["signature"]) == (not is_whole)


def test_without_a_judge_l3score_is_null_with_the_reason() -> None:
    """The text metrics are there; what is not says why."""
    result = scored("spiqa_demo")
    found = score_object(result)
    assert found["metrics"]["rouge_l"] == pytest.approx(1.0)
    assert found["metrics"]["l3score"] is None
    assert result.reported.omitted.keys() - {"bertscore_f1"} == {
        "l3score",
        "judge_failed_rate",
        "yes_no_mass",
    }
    assert found["omitted"] == result.reported.omitted
    assert "there is no judge" in found["omitted"]["l3score"]
    assert not [name for name in found["metrics"] if name.startswith("l3score/")]
    assert found["counts"]["judged"] == 0


def test_the_image_number_of_an_answer_means_the_figures_that_were_shown() -> None:
    """With the order of the release's file instead of ours, the same number names another
    figure.
    """
    (task,) = find_tasks(["spiqa_demo"])
    row = next(row for row in rows_of(task) if len(row["figures"]) > 1)
    needed = row["figures"][row["referred"][0]]["file"]
    other = next(figure["file"] for figure in row["figures"] if figure["file"] != needed)
    cot = Task("cot", "spiqa", "demo", "setting=cot")
    text = "{'Image': 1, 'Rationale': 'r'} The answer is : a"
    for shown, expected in (((other, needed), 1.0), ((needed, other), 0.0)):
        result = score(read(matched(cot, {row["id"]: text}, shown=shown)))
        found = dataclasses.replace(result, partial=True)
        assert values_of(found)["retrieval_accuracy"].value == expected


def groups_of(row: Mapping[str, Any]) -> tuple[str, str]:
    """Both groups of a question of MMStar, as in the names of metrics."""
    return slug(row["category"]), slug(row["subcategory"])


def test_a_scored_run_says_what_it_is_of() -> None:
    """The form, the number of questions and what did not fit; what the host reported is not its
    any more.
    """
    (task,) = find_tasks(["mmstar_demo"])
    answers = {row["id"]: "A" for row in rows_of(task)} | {"x": "A"}
    given = matched(task, answers, "table")
    reported = dataclasses.replace(given.run, reported=Reported(values={"accuracy": 0.9}))
    run = score(read(dataclasses.replace(given, run=reported), name="some judge"))
    assert (run.task, run.form, run.asked, run.answered, run.reported.judge) == (
        "mmstar_demo",
        "table",
        24,
        24,
        "some judge",
    )
    assert (run.benchmark_task_or_none, run.reported.values, run.reported.omitted) == (task, {}, {})
    in_order = dict.fromkeys(name for row in rows_of(task) for name in groups_of(row))
    assert list(run.reported.sizes) == list(in_order)
    assert [answer.position for answer in run.read()] == list(range(24))
    assert score_object(run)["counts"]["unknown_first"] == ["x"]
    assert not is_complete(run)
    assert run.signature.predictions == "table"


@pytest.fixture
def judge(tmp_path: Path) -> Iterator[Judge]:
    """A judge at a server of this machine: yes to equal answers."""
    with OpenAIServer() as server:
        config = JudgeConfig("openai", "gpt-4o", server.url, "key", cache_dir=tmp_path / "cache")
        yield Judge(config, RULES["l3score"]())


def test_a_judge_signs_what_it_judged(judge: Judge) -> None:
    """Records are read before it is asked; what it served as is in the run's signature."""
    (task,) = find_tasks(["spiqa_demo"])
    rows = rows_of(task)
    answers = {row["id"]: row["answer"] if place % 2 else "wrong" for place, row in enumerate(rows)}
    unjudged = read(matched(task, answers), judge, "openai:gpt-4o@here")
    assert len(unjudged.scorer.requests(unjudged.records)) == len(rows)
    run = score(unjudged)
    assert (run.judge_name, run.signature.judge) == ("openai:gpt-4o@here", "openai:gpt-4o")
    assert run.signature.judge_served == "gpt-4o"
    yes, no = 0.9 / 0.98, 0.08 / 0.98
    assert values_of(run)["l3score"].value == pytest.approx((19 * yes + 20 * no) / 39)
    assert score_object(run)["counts"]["judged"] == 39
    assert is_complete(run)


def test_what_the_judges_server_asked_for_is_signed_once() -> None:
    """A server of today's OpenAI models: one signature of all answers, logged or not."""
    (task,) = find_tasks(["spiqa_demo"])
    answers = {row["id"]: row["answer"] for row in rows_of(task)}
    with FormServer(wants_max_completion_tokens) as server:
        judge = Judge(JudgeConfig("openai", "gpt-5.2", server.url, "key"), RULES["l3score"]())
        judge.preflight()
        run = score(read(matched(task, answers), judge))
    assert run.signature.judge_adapted == "max_completion_tokens"
    logged = [Record.from_dict(record.as_dict()) for record in run.records]
    assert signature_of(RecordSet(logged, logged)).text == run.signature.text


def test_whether_plain_answers_have_the_wanted_form_is_not_known() -> None:
    """Files of ids and answers do not say what was asked, whatever their form; a host's do. Their
    scores say no more once they are written and read.
    """
    for form in ("jsonl", "table"):
        run = scored("spiqa_demo", form=form)
        assert "unformatted_rate" not in values_of(run)
        written = dataclasses.replace(run, form="score")
        assert "unformatted_rate" not in values_of(written)
        assert "unformatted_rate" not in {metric.name for metric in written.metrics}
    assert values_of(scored("spiqa_demo", form="lmms-eval"))["unformatted_rate"].value == 1.0


@pytest.mark.parametrize(
    "name", ["unknown", "differing", "missing", "judge_failed", "request_failed", "scoring_failed"]
)
def test_a_run_in_which_something_is_amiss_is_not_complete(name: str) -> None:
    """Missing questions are none where values over a part are asked for."""
    run = scored("mmstar_demo")
    first, *rest = run.records
    if name in ("unknown", "differing", "missing"):
        run = dataclasses.replace(
            run, reported=dataclasses.replace(run.reported, unmatched={name: ["x"]})
        )
    elif name == "judge_failed":
        run = with_records(
            run, [dataclasses.replace(first, verdicts=({"metric": "m", "reason": "boom"},)), *rest]
        )
    else:
        run = with_records(run, [dataclasses.replace(first, status=name), *rest])  # type: ignore[arg-type]
    assert not is_complete(run)
    assert is_complete(dataclasses.replace(run, partial=True)) == (name == "missing")


@pytest.mark.usefixtures("no_java")
def test_what_takes_a_judge_or_programs_may_lack_in_a_complete_run() -> None:
    """A headline that is withheld for want of scores may not."""
    run = scored("spiqa_demo")
    assert run.reported.omitted.keys() >= {"l3score", "meteor"}
    assert is_complete(run)
    few = scored("mmstar_demo")
    without = [dataclasses.replace(record, scores={}) for record in few.records]
    assert not is_complete(with_records(few, without))


def test_the_signature_names_the_list_the_form_and_what_was_ablated() -> None:
    """Of the only questions that count."""
    (task,) = find_tasks(["mmstar_demo"])
    given = matched(task, {row["id"]: "A" for row in rows_of(task)})
    run = dataclasses.replace(given.run, identity=Identity("m", "text", "3"))
    found = score(read(dataclasses.replace(given, run=run, ids="abc (24)")))
    signature = found.records[0].signature
    assert "|ids:abc (24)" in signature
    assert "|predictions:jsonl" in signature
    assert "|model_wrapper:text,seed=3" in signature
    assert found.reported.judge == ""


@pytest.mark.parametrize(
    "who",
    [
        Identity("m"),
        Identity("org/name,max_pixels=9", seed="3"),
        Identity("vlm,pretrained=a", "shuffled", "1"),
        Identity("openai,model_version=x", "text,shots=2,shots_split=val"),
        Identity("a, b"),
    ],
    ids=lambda who: who.label,
)
def test_a_written_run_is_the_same_run(tmp_path: Path, who: Identity) -> None:
    """Its model, judge, answers, records, coverage and values; the samples lie in the model's
    folder.
    """
    run = dataclasses.replace(
        scored("mmstar_demo", right_answers("mmstar_demo")),
        identity=who,
        reported=Reported(judge="openai:j"),
    )
    (path,) = write_runs([run], tmp_path)
    (again,) = read_results(path)
    assert (again.identity, again.reported.judge, again.coverage, again.form) == (
        who,
        "openai:j",
        "24 of 24",
        "score",
    )
    assert again.records == run.records
    assert {key: answer.response for key, answer in again.by_id.items()} == {
        key: answer.response for key, answer in run.by_id.items()
    }
    for metric in run.metrics:
        ours, theirs = run.value(metric), again.value(metric)
        assert (theirs.value, theirs.n, theirs.interval) == (ours.value, ours.n, ours.interval)


def test_runs_written_in_one_second_have_dates_of_their_own(tmp_path: Path) -> None:
    """One results file for the tasks of a model and judge; the next call writes another one."""
    runs = [scored(task, right_answers(task)) for task in ("mmstar_demo", "scifibench_demo")]
    paths = [path for _ in range(3) for path in write_runs(runs, tmp_path)]
    assert len(set(paths)) == 3
    assert [run.task for run in read_results(paths[2])] == ["mmstar_demo", "scifibench_demo"]
    assert len(list(tmp_path.rglob("*_samples_*.jsonl"))) == 6
