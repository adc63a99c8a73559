"""Which metrics a run has, and what is known of those that a host computed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gain_files import host_samples
from host_files import FAILED, write_run
from report_runs import run_of, runs_at

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.metric_values import data_of, headline_fault, mean_remarks, unit
from spiqa_tasks.runs.run import Answer, Origin, Reported, Run

SPIQA = "data:spiqa/testA@d|settings:"
JUDGED = f"{SPIQA}|judge:openai:j"
TEXTS = ["bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider", "meteor"]


def names(run: Run) -> list[str]:
    return [metric.name for metric in run.metrics]


def spiqa_run(record: Record, **changes: Any) -> Run:
    return replace(run_of([record], task="spiqa_testA", signature=SPIQA), **changes)


def host_run(
    logged: Iterable[Mapping[str, Any]],
    reported: Iterable[str] = (),
    config: Mapping[str, Any] | None = None,
) -> Run:
    """Return a run of a host's own task; `logged` has metric -> score (or None) per question."""
    records = [
        Record(
            str(place),
            scores={name: score for name, score in each.items() if score is not None},
            details={"metrics": tuple(each)},
        )
        for place, each in enumerate(logged)
    ]
    answers = [Answer(record.id, Response("A"), record) for record in records]
    values = dict.fromkeys(reported, 0.5)
    path = Path("x_results.json")
    return Run(
        "t",
        Identity("m"),
        path,
        "lmms-eval",
        lambda: answers,
        origin=Origin(config=config or {}),
        reported=Reported(values=values),
    )


def test_without_a_judge_the_text_metrics_are_there_and_the_judges_are_not() -> None:
    """Neither are the rates of its failures: nobody was asked."""
    found = names(spiqa_run(Record("p/0", "a", "a")))
    assert [name for name in found if name != "bertscore_f1"][: len(TEXTS)] == TEXTS
    assert "unformatted_rate" in found
    assert not {"l3score", "judge_failed_rate", "yes_no_mass"} & set(found)


@pytest.mark.parametrize(
    "record",
    [
        Record("p/0", "a", "a", scores={"l3score": 0.5}, signature=JUDGED),
        Record(
            "p/0",
            "a",
            "a",
            verdicts=({"metric": "l3score", "reason": "boom"},),
            signature=JUDGED,
        ),
    ],
)
def test_what_a_judge_was_asked_is_there(record: Record) -> None:
    """Also where none of its verdicts could be had: the value is withheld then, which is no lack
    of the metric.
    """
    run = spiqa_run(record)
    assert names(run)[0] == "l3score"
    assert "judge_failed_rate" in names(run)
    assert math.isnan(run.value(run.metric()).value) == (not record.scores)


@pytest.mark.usefixtures("no_java")
def test_the_text_metrics_are_those_that_were_computed_where_the_answers_were_scored() -> None:
    """METEOR that a host computed is there without Java, and what it left out is not; else those
    of this machine.
    """
    record = Record("p/0", "a", "a")
    found = names(
        spiqa_run(record, reported=Reported(values={"meteor": 0.5, "bleu_1": 0.5, "accuracy": 1.0}))
    )
    assert [name for name in found if name in (*TEXTS, "bertscore_f1")] == ["bleu_1", "meteor"]
    both = replace(
        run_of([record], task="t", signature="data:spiqa/testA@d|settings:protocol=both")
    )
    assert not {*TEXTS, "rouge_l_released", "meteor_released"} & set(names(both))


def with_meteor(**changes: Any) -> Run:
    """Return a run of three answers, two of them with a METEOR, and the value of all as written."""
    records = [
        Record(f"p/{place}", "a b", "a b", cluster="p", scores=scores, groups={"kind": "plot"})
        for place, scores in enumerate([{"meteor": 0.25}, {"meteor": 0.75}, {}])
    ]
    run = run_of(records, task="spiqa_testA", signature=SPIQA)
    return replace(run, **{"reported": Reported(values={"meteor": 0.625}), **changes})


def test_a_text_metric_has_the_value_that_was_written_with_the_answers() -> None:
    """With the answers' scores and clusters; METEOR takes Java, which this machine may lack."""
    run = with_meteor()
    value = run.value(run.metric("meteor"))
    assert (value.value, value.n, value.interval) == (0.625, 2, None)
    assert value.scores == {"p/0": 0.25, "p/1": 0.75}
    assert value.clusters == {"p/0": "p", "p/1": "p", "p/2": "p"}

    short = with_meteor(asked=30)
    withheld = short.value(short.metric("meteor"))
    assert withheld.reason == "3 of 30 questions were answered, fewer than 99%"


@pytest.mark.parametrize(("changes", "group"), [({}, "plot"), ({"answered": 4}, None)])
def test_a_text_metric_of_a_part_of_the_answers_is_computed_anew(
    changes: dict[str, Any], group: str | None
) -> None:
    """Of a group, or where the file had more answers than are left."""
    run = with_meteor(**changes)
    assert run.value(run.metric("meteor"), group).n == 3


def test_a_corpus_metric_that_was_written_is_of_all_answers() -> None:
    """BLEU has no scores of single answers that could be counted."""
    run = with_meteor(reported=Reported(values={"bleu_1": 0.5}))
    value = run.value(run.metric("bleu_1"))
    assert (value.value, value.n, value.scores) == (0.5, 3, {})


def test_a_host_task_begins_with_what_its_yaml_calls_the_headline() -> None:
    """Then comes `accuracy`, then metrics of which more is better, those that have scores, those
    that are reported.
    """
    each = {
        "worse": 1.0,
        "unscored": None,
        "reported": None,
        "scored": 1.0,
        "accuracy": None,
        "own": None,
    }
    entries = [
        {"metric": "worse", "higher_is_better": False},
        {"metric": "own", "higher_is_better": True},
        "a name",
    ]
    config = {"metadata": {"headline": "own"}, "metric_list": entries}
    run = host_run([each, {"late": 0.5}], ["reported"], config)
    assert names(run) == ["own", "accuracy", "scored", "late", "reported", "unscored", "worse"]
    assert [metric.name for metric in run.metrics if not metric.higher_is_better] == ["worse"]


def test_a_metric_of_some_questions_is_over_these() -> None:
    """A question that the host did not compute it of has no part in it; one without a score
    withholds it.
    """
    run = host_run([{"image": 1.0}, {"image": 0.0}, {"video": 1.0}, {"video": None}])
    image, video = (run.value(run.metric(name)) for name in ("image", "video"))
    assert (image.value, image.n) == (0.5, 2)
    assert (math.isnan(video.value), video.n) == (True, 1)


def test_a_hosts_metric_of_a_group_is_over_its_questions() -> None:
    """As are those of our own tasks; a group without scores has none of the host's number."""
    run = host_run([{"x": 1.0, "y": None}, {"x": 0.0, "y": None}], ["y"])
    answers = [
        replace(answer, record=replace(answer.record, groups={"kind": kind}))
        for answer, kind in zip(run.read(), ("plot", "table"), strict=True)
        if answer.record is not None
    ]
    grouped = replace(run, read=lambda: answers)
    x, y = (grouped.metric(name) for name in ("x", "y"))
    assert (grouped.value(x, "plot").value, grouped.value(x, "plot").n) == (1, 1)
    assert grouped.value(y, "plot").reason == "0 of 1 answers have a score, fewer than 99%"


def test_a_metric_that_the_host_did_not_report_has_no_value() -> None:
    """Without scores of single answers."""
    run = host_run([{"x": None}])
    reason = "no question has a score, and the host reports no number"
    assert run.value(run.metric("x")).reason == reason


def test_a_hosts_metric_with_verdicts_of_our_hook_is_a_judges() -> None:
    """Two runs are compared by it if one judge scored them."""
    run = host_run([{"l3score": 1.0, "exact": 1.0}])
    (answer,) = run.read()
    assert answer.record is not None
    verdict = {"metric": "l3score", "score": 1.0}
    judged = replace(answer, record=replace(answer.record, verdicts=(verdict,)))
    run = replace(run, read=lambda: [judged])
    assert {metric.name: metric.needs for metric in run.metrics} == {
        "l3score": "judge",
        "exact": "nothing",
    }


def test_the_headline_of_a_hosts_task_is_of_all_questions() -> None:
    """Unless the YAML names it, or its name says that it is of all."""
    of_part = [{"image": 1.0}, {"image": 0.0}, {"video": 1.0}]
    fault = "Its first one, image, is of 2 of 3 questions."
    assert headline_fault(host_run(of_part)) == fault
    assert headline_fault(host_run(of_part, config={"metadata": {"headline": "image"}})) == ""
    assert headline_fault(host_run([{"seed_all": 1.0}, {"video": 1.0}])) == ""
    assert headline_fault(host_run([{"image": 1.0}])) == ""
    assert headline_fault(spiqa_run(Record("p/0", "a", "a"))) == ""


def test_the_data_of_a_hosts_task_has_its_revision() -> None:
    """Without one it is the newest; a task of this package has the data of its signature."""
    path = {"dataset_path": "owner/data"}
    assert data_of(host_run([{}], config=path)) == "owner/data@newest"
    config = {**path, "dataset_kwargs": {"revision": "r1"}}
    assert data_of(host_run([{}], config=config)) == "owner/data@r1"
    assert data_of(spiqa_run(Record("p/0", "a", "a"))) == "spiqa/testA@d"


def logged_run(
    folder: Path,
    lines: Sequence[Any],
    reported: float,
    task: str = "mmmu_val",
    metric: str = "mmmu_acc",
) -> Run:
    """Return a run of a host's own task, with these lines and a reported value, after reading its
    files.
    """
    write_run(folder, "m", {task: lines}, totals={task: {metric: reported}})
    (run,) = runs_at(folder)
    return run


def lines(answers: str, metric: str = "mmmu_acc") -> list[dict[str, Any]]:
    """Samples without a score of their own."""
    return host_samples(answers, lambda letter: {"x": letter}, metric)


@pytest.mark.parametrize(
    ("task", "metric", "config", "expected"),
    [
        ("mmbench_en_dev_static", "gpt_eval_score", {}, 100.0),
        ("mmbench_cn_dev", "gpt_eval_score", {"metadata": [{"version": 0.0}]}, 100.0),
        ("mathvista_testmini_format", "llm_as_judge_eval", {}, 100.0),
        ("mmmu_val", "mmmu_acc", {}, 1.0),
        ("mmmu_val", "other", {}, None),
        ("t", "gpt_eval_score", {}, None),
        ("t", "x", {"metadata": {"unit": "percent"}}, 100.0),
        ("t", "x", {"metadata": {"unit": "shares"}}, 1.0),
        ("t", "x", {"metadata": {"unit": "points"}}, None),
        ("mmmu_val", "mmmu_acc", {"metadata": {"unit": "percent"}}, 100.0),
        ("seedbench", "seed_all", {"metadata": {"unit": "points"}}, 1.0),
    ],
)
def test_the_unit_is_that_of_the_tasks_metric(
    task: str, metric: str, config: Any, expected: float | None
) -> None:
    """Known of some metrics, named by a YAML, which wins over what is known, or not known."""
    assert unit(task, metric, config) == expected


@pytest.mark.parametrize(
    ("task", "metric", "reported", "expected"),
    [
        ("mmbench_en_dev_static", "gpt_eval_score", 0.52, 0.0052),
        ("mmbench_en_dev_static", "gpt_eval_score", 52.0, 0.52),
        ("mmmu_val", "mmmu_acc", 0.52, 0.52),
        ("mmmu_val", "mmmu_acc", 1.0, 1.0),
    ],
)
def test_the_hosts_number_is_in_its_unit_however_small(
    tmp_path: Path, task: str, metric: str, reported: float, expected: float
) -> None:
    """0.52 percent are no share of 0.52."""
    run = logged_run(tmp_path, lines("AB", metric), reported, task, metric)
    value = run.value(run.metric(metric))
    assert (value.value, value.n) == (pytest.approx(expected), 2)


@pytest.mark.parametrize(
    ("task", "reported", "reason"),
    [
        (
            "mmmu_val",
            52.0,
            "no question has a score, and the host reports 52, whose unit is not known",
        ),
        (
            "mmmu_val",
            -0.5,
            "no question has a score, and the host reports -0.5, whose unit is not known",
        ),
        ("t", 0.52, "no question has a score, and the host reports 0.52, whose unit is not known"),
    ],
)
def test_a_number_of_an_unknown_or_another_unit_is_withheld(
    tmp_path: Path, task: str, reported: float, reason: str
) -> None:
    """With the reason."""
    run = logged_run(tmp_path, lines("AB"), reported, task)
    value = run.value(run.metric("mmmu_acc"))
    assert (math.isnan(value.value), value.reason) == (True, reason)


def test_the_hosts_number_is_withheld_where_requests_failed(tmp_path: Path) -> None:
    """To the host they are wrong answers: more than 1% of them, of the questions that the metric
    is of.
    """
    for failed, is_known in ((1, True), (2, False)):
        samples = lines("A" * 100)
        for sample in samples[:failed]:
            sample["filtered_resps"] = FAILED
        run = logged_run(tmp_path, [*samples, {"doc_id": 999, "other": 1}], 0.5)
        value = run.value(run.metric("mmmu_acc"))
        assert (value.value == 0.5) == is_known
        assert value.reason == (
            None if is_known else "98 of 100 answers have a score, fewer than 99%"
        )


def test_a_mean_of_scores_that_the_host_puts_together_otherwise_has_a_remark(
    tmp_path: Path,
) -> None:
    """POPE's F1 has the scores of its accuracy; a failed request, which is wrong to the host,
    makes no such case.
    """
    scored = host_samples("AAAB" * 50, lambda letter: {"score": float(letter == "A")}, "f1")
    run = logged_run(tmp_path, scored, 0.6, "pope", "f1")
    assert mean_remarks(run, run.metric("f1")) == [
        "f1 of m is the mean of its scores, 0.7500, which is not what the host reports, 0.6"
    ]
    same = logged_run(tmp_path, scored, 75.0, "pope", "f1")
    assert mean_remarks(same, same.metric("f1")) == []
    scored[0]["filtered_resps"] = FAILED
    failed = logged_run(tmp_path, scored, 0.745, "pope", "f1")
    assert mean_remarks(failed, failed.metric("f1")) == []
    unscored = logged_run(tmp_path, lines("AB"), 0.5)
    assert mean_remarks(unscored, unscored.metric("mmmu_acc")) == []
