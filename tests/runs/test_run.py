"""A run and the values over its answers."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_files import FAILED, sample_of, write_run
from report_runs import REFUSAL, choices, run_of, runs_at

from spiqa_tasks.benchmarks.metric import mean_of
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.benchmarks.summary import remark_on_answers, shares
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Answer, Origin, Reported, Run, canonical

ACCURACY = mean_of("accuracy")
PERFIGURE = "setting=perfigure,max_figures=0"


def host_run(scores: list[float | None], **options: Any) -> Run:
    """Return a run of a host's own task whose log has these scores."""
    records = [
        Record(
            str(place),
            scores={} if score is None else {"acc": score},
            details={"metrics": ("acc",)},
        )
        for place, score in enumerate(scores)
    ]
    answers = [
        Answer(record.id, Response(REFUSAL if record.id == "0" else "A"), record)
        for record in records
    ]
    unit = {"metadata": {"unit": "shares"}}
    options = {
        "asked": len(scores),
        "origin": Origin(config=unit),
        "reported": Reported(values={"acc": 0.25}),
        **options,
    }
    return Run(
        "mmmu_val", Identity("m"), Path("x_results.json"), "lmms-eval", lambda: answers, **options
    )


def perfigure_run(folder: Path, questions: int, more_documents: int) -> Run:
    """Return a run of `setting=perfigure` with all documents of `questions` questions, and some of
    the next one.
    """
    rows = load_rows("spiqa", "demo", PERFIGURE)
    names = list(dict.fromkeys(row["question_id"] for row in rows))
    whole = [row for row in rows if row["question_id"] in names[:questions]]
    asked = [
        *whole,
        *[row for row in rows if row["question_id"] == names[questions]][:more_documents],
    ]
    settings = {"t": PERFIGURE}
    samples = {"t": [sample_of(row, "Yes") for row in asked]}
    write_run(
        folder, "m", samples, settings=settings, benchmark="spiqa", split="demo", asked=len(names)
    )
    (run,) = runs_at(folder)
    return run


def test_the_judge_is_called_what_the_user_called_it_or_what_the_signature_has() -> None:
    """A judge at an address of its own has the address in its name and not in the signature."""
    run = run_of(choices([True]), signature="data:mmstar/val@d|judge:openai:gpt-4o")
    assert run.judge_name == "openai:gpt-4o"
    assert (
        replace(run, reported=Reported(judge="openai:gpt-4o@http://x")).judge_name
        == "openai:gpt-4o@http://x"
    )
    assert run_of(choices([True])).judge_name == ""


@pytest.mark.parametrize("group", [None, "math"])
@pytest.mark.parametrize(
    ("asked", "is_there"), [(0, True), (99, True), (100, True), (101, False), (1500, False)]
)
def test_a_value_over_too_little_of_a_task_is_withheld(
    group: str | None, asked: int, is_there: bool
) -> None:
    """99 answers are 99% of 100 questions and not of 101; where the number is not known nothing
    is withheld.
    """
    run = replace(run_of(choices([True] * 33 + [False] * 66)), asked=asked)
    value = run.value(ACCURACY, group)
    assert value.n == 99
    assert math.isnan(value.value) != is_there
    assert run.coverage == f"99 of {asked or 99}"
    if is_there:
        assert (value.value, len(run.scores(ACCURACY)), value.reason) == (
            pytest.approx(1 / 3),
            99,
            None,
        )
        assert run.signature.questions == ""
    else:
        assert value.reason == f"99 of {asked} questions were answered, fewer than 99%"
        assert (run.scores(ACCURACY), value.interval) == ({}, None)
        assert run.signature.questions == f"99 of {asked}"


@pytest.mark.parametrize(("more", "partial"), [(0, False), (0, True), (1, False), (1, True)])
def test_a_question_that_was_asked_in_part_is_none_that_was_asked(
    tmp_path: Path, more: int, partial: bool
) -> None:
    """Of a task that shows one figure at a time, two whole questions and a part of the third are
    two.
    """
    run = replace(perfigure_run(tmp_path, 2, more), partial=partial)
    assert run.coverage == "2 of 39"
    for name, of_documents in (("rouge_l", False), ("unformatted_rate", True)):
        for group in (None, next(iter(run.questions[0].groups.values()))):
            value = run.value(run.metric(name), group)
            assert math.isnan(value.value) != partial
            assert not partial or value.n <= (len(run.records) if of_documents else 2)
    assert len(run.questions) == 2 + more
    assert run.signature.questions == "2 of 39"


def test_what_takes_programs_is_the_reported_value_over_all_answers(tmp_path: Path) -> None:
    """METEOR as the host reported it, with its scores; not for a group, and not over a part of
    the task.
    """
    rows = rows_for_scoring("spiqa", "demo", "")
    samples = [sample_of(row, row["answer"]) for row in rows]
    for sample in samples:
        sample["bleu_1"]["scores"] |= {"meteor": 0.5}
    options: dict[str, Any] = {"settings": {"t": ""}, "benchmark": "spiqa", "split": "demo"}
    reported = {"meteor": 0.4, "rouge_l": 0.3, "unformatted_rate": 0.2}
    write_run(tmp_path, "m", {"t": samples}, totals={"t": reported}, **options)
    (run,) = runs_at(tmp_path)
    assert [metric.name for metric in run.metrics if metric.needs == "text programs"] == [
        "rouge_l",
        "meteor",
    ]
    meteor = run.metric("meteor")
    value = run.value(meteor)
    assert (value.value, value.n, value.interval) == (0.4, 39, None)
    assert value.scores == dict.fromkeys((row["id"] for row in rows), 0.5)
    assert value.clusters == {row["id"]: row["paper_id"] for row in rows}
    assert (
        run.value(run.metric("unformatted_rate")).value == 1.0
    )  # of records, whatever is reported
    assert run.value(run.metric("rouge_l"), "plot").value == pytest.approx(1.0)
    assert math.isnan(replace(run, asked=100).value(meteor).value)
    assert replace(run, asked=100, partial=True).value(meteor).value == 0.4


def test_a_reported_value_is_only_that_of_all_answers_that_it_was_made_of() -> None:
    """Where some of them are lost the value is made again, of those that are left."""
    records = [Record(str(place), "a b", "a b", scores={"meteor": 0.5}) for place in range(3)]
    run = run_of(records, task="spiqa_testA", signature="data:spiqa/testA@d|settings:")
    run = replace(run, reported=Reported(values={"rouge_l": 0.25}), partial=True)
    metric = run.metric("rouge_l")
    assert run.value(metric).value == replace(run, answered=3).value(metric).value == 0.25
    assert replace(run, answered=4).value(metric).value == pytest.approx(1.0)


def test_answers_that_do_not_have_the_value_written_with_them_are_refused() -> None:
    """The file was changed; what another version of the package wrote is not compared."""
    ours = f"{PACKAGE}:{version(PACKAGE)}|data:mmstar/val@d|settings:"
    records = [
        Record(str(place), "A", "A", scores={"accuracy": float(place > 0)}) for place in range(4)
    ]
    for signature, reported, refused in (
        (ours, 0.75, False),
        (ours, 0.8, True),
        (ours.replace(":", ":0", 1), 0.8, False),
    ):
        run = replace(
            run_of(records, task="t", signature=signature),
            path=Path("f"),
            reported=Reported(values={"accuracy": reported}),
        )
        if not refused:
            assert run.value(run.metric("accuracy")).value == 0.75
            assert run.value(run.metric("accuracy"), "group").n == 0
            continue
        with pytest.raises(InputError) as error:
            run.value(run.metric("accuracy"))
        assert (
            str(error.value)
            == "Expected the answers in f to have the accuracy written with them, 0.8, found 0.75."
            " The file was changed: score the answers again."
        )


def test_a_host_task_without_scores_has_the_hosts_number() -> None:
    """With scores it is their mean; a metric that the host did not report has none."""
    alone = host_run([None, None])
    value = alone.value(alone.metric())
    assert (value.value, value.n, value.scores, value.interval) == (0.25, 2, {}, None)
    assert alone.value(alone.metric(), "group").n == 0
    scored = host_run([1.0, 0.0])
    assert scored.value(scored.metric()).value == 0.5
    unreported = host_run([None, None], reported=Reported(values={}))
    assert math.isnan(unreported.value(unreported.metric()).value)
    assert math.isnan(replace(alone, asked=5).value(alone.metric()).value)


def test_a_metric_that_a_run_lacks_is_refused_with_those_it_has() -> None:
    """The sentence names every metric that could be chosen, or says that there is none."""
    run = run_of([Record("1", scores={"accuracy": 1.0})])
    with pytest.raises(InputError) as error:
        run.metric("accuracy_llm")
    assert (
        str(error.value)
        == "Expected mmstar_filtered to have the metric accuracy_llm; found accuracy,"
        " accuracy_released, refusal_rate, unparsed_rate, request_failed_rate,"
        " accuracy_vlmevalkit, accuracy_vlmevalkit_2026_06, accuracy_lmms_eval, truncated_rate."
        " Name another."
    )
    with pytest.raises(InputError, match=r"mmmu_val to have a metric; found none\."):
        host_run([]).metric()


def test_every_answer_counts_once(tmp_path: Path) -> None:
    """Refused, unparsed and failed are shares of the questions, as the metrics of the task have
    them.
    """
    texts = [REFUSAL, FAILED, FAILED, "no letter", "hm", ""]
    rows = load_rows("mmstar", "demo", "ablation=text")
    samples = [sample_of(row, texts[place] if place < 6 else "A") for place, row in enumerate(rows)]
    write_run(tmp_path, "m", {"t": samples}, settings={"t": "ablation=text"}, split="demo")
    (run,) = runs_at(tmp_path)
    found = shares(run.questions)
    assert found == {
        "n": 24,
        "refused": 1 / 24,
        "unparsed": 3 / 24,
        "failed": 2 / 24,
        "truncated": None,
        "scored_unparsed": 0,
    }
    remark = remark_on_answers(run.questions)
    assert remark == "of 24 answers 1 refused, 3 empty or unparsed"
    for metric, kind in (("refusal_rate", "refused"), ("unparsed_rate", "unparsed")):
        assert run.value(run.metric(metric)).value == pytest.approx(found[kind])


@pytest.mark.parametrize(
    ("one", "other"), [("ﬁgure", "figure"), ("Ａ１", "a1"), ("x²", "x2"), ("A\u0301", "Á")]
)
def test_texts_that_differ_in_forms_of_letters_are_plainly_the_same(one: str, other: str) -> None:
    """Ligatures, full-width letters, raised digits and combined accents: spreadsheets and
    hosts change these.
    """
    assert canonical(one) == canonical(other)
