"""Whose answers a filter counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from report_runs import choices, run_of

from spiqa_tasks.analysis.inspectors import Inspector, inspectors, one_of_each
from spiqa_tasks.benchmarks.aggregation import mean_of
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import MissingMetricError, Run

TASK = "mmstar_filtered"


def run(
    task: str = TASK, settings: str = "prompt=letter", model: str = "m", ablation: str = "none", seed: str = ""
) -> Run:
    """A run of a model, its pictures ablated by the task or around the model."""
    made = run_of(choices([True, False]), task=task, signature=f"data:mmstar/val@d|prompt:p|settings:{settings}")
    name = f"{task}-{model}-{ablation}-{seed}.json"
    return replace(made, identity=Identity(model, ablation, seed), path=Path(name))


SEEING = run()
GREY = run(f"{TASK}_grey", "prompt=letter,ablation=grey")
TEXT = run(f"{TASK}_text", "prompt=letter,ablation=text")
NOISE = run(ablation="noise")
SHOTS = run(f"{TASK}_llm", "prompt=letter,ablation=text,shots=2")
ORDER = [SHOTS, TEXT, GREY, NOISE, SEEING]


@pytest.mark.parametrize("place", range(4))
def test_of_a_models_runs_the_blindest_counts(place: int) -> None:
    """LLM bases' first, then no picture, a grey one, another ablation, with pictures; whatever the order."""
    runs = ORDER[place:]
    for order in (runs, runs[::-1]):
        found, remarks = one_of_each(order)
        assert {task: [id(each) for each in members] for task, members in found.items()} == {TASK: [id(runs[0])]}
        assert len(remarks) == len(runs) - 1
    assert remarks[0] == (
        f"{SEEING.task} in {SEEING.path} does not count beside {runs[0].task} in {runs[0].path}: m is one model."
    )


def test_of_equal_runs_the_last_counts_and_every_model_has_one() -> None:
    """Such as of several seeds; two models are two inspectors, and each task has its own."""
    first, second = run(ablation="text", seed="1"), run(ablation="text", seed="2")
    other, elsewhere = run(model="n"), run("another", model="m")
    found, remarks = one_of_each([first, second, other, elsewhere])
    assert found == {TASK: [second, other], "another": [elsewhere]}
    assert remarks == [f"{TASK} in {first.path} does not count beside {TASK} in {second.path}: m is one model."]


def of(records: Sequence[Record], name: str = "m", asked: int | None = None) -> Run:
    return replace(run_of(records, name), asked=len(records) if asked is None else asked)


def test_an_inspector_has_the_scores_of_its_answers() -> None:
    """A failed request has none; half of the answers refused or not read make it weak."""
    failed = Record("q2", None, "A", status="request_failed", reason="boom")
    made = of([*choices([True, False]), failed])
    found = Inspector(made, made.metric())
    assert (found.name, found.scores, found.score) == ("m", {"q0": 1.0, "q1": 0.0}, 0.5)
    assert (found.outcomes.failed, found.is_weak) == (pytest.approx(1 / 3), False)
    refused = [replace(record, refused=True) for record in choices([False, False])]
    for records, weak in (([*refused, *choices([True] * 3)[2:]], True), (choices([True, True]), False)):
        each = of(records)
        assert Inspector(each, each.metric()).is_weak == weak
    half = of([refused[0], choices([True, True])[1]])
    assert Inspector(half, half.metric()).is_weak


def test_a_run_without_the_metric_of_other_questions_or_of_a_part_is_refused() -> None:
    """Each in one sentence."""
    first = of(choices([True] * 3))
    metric = first.metric()
    assert inspectors(TASK, [first, of(choices([False] * 3), "n")], metric, first)[0].run is first
    with pytest.raises(InputError) as error:
        inspectors(TASK, [first, of(choices([True] * 3), "n", asked=4)], metric, first)
    assert str(error.value) == (
        f"Expected the whole of {TASK} of n: 3 of 4 questions were answered, fewer than 99%. Run it, or add --partial."
    )
    with pytest.raises(InputError, match="found 3 and 2, 1 only in the first"):
        inspectors(TASK, [of(choices([True] * 2), "n")], metric, first)
    with pytest.raises(MissingMetricError, match="the metric nonesuch"):
        inspectors(TASK, [first], replace(metric, name="nonesuch"), first)


def test_another_wording_is_the_same_question() -> None:
    """Inspectors are asked in a way of their own."""
    first = of(choices([True]))
    other = replace(run_of(choices([True]), "n", signature="data:mmstar/val@d|prompt:other|settings:prompt=letter"))
    assert len(inspectors(TASK, [other], first.metric(), first)) == 1


def test_an_inspector_must_have_scores_of_nearly_all_questions() -> None:
    """With how many requests failed."""
    answers = choices([True] * 100)
    failed = [replace(record, status="request_failed", scores={}, reason="boom") for record in answers]
    first = of(answers)
    metric = first.metric()
    (found,) = inspectors(TASK, [of([failed[0], *answers[1:]])], metric, first)
    assert len(found.scores) == 99
    with pytest.raises(InputError) as error:
        inspectors(TASK, [of([*failed[:2], *answers[2:]], "n")], metric, first)
    assert str(error.value) == (
        f"Expected a score by accuracy of at least 99% of the answers of n to {TASK}, found 98 of 100 (2 requests "
        "failed). Run it again, or choose another --metric."
    )
    assert math.isnan(of([*failed[:2], *answers[2:]]).value(metric).value)


def test_only_the_questions_that_a_metric_is_of_need_its_scores() -> None:
    """A host computes some of its metrics of some questions."""
    scores: list[dict[str, float]] = [{"some": 1.0}, {"some": 1.0}, {}, {}]
    records = [Record(str(place), scores=each, details={"metrics": tuple(each)}) for place, each in enumerate(scores)]
    theirs = replace(of(records), definition=None)
    (found,) = inspectors("t", [theirs], mean_of("some"), theirs)
    assert (found.scores, found.score) == ({"0": 1.0, "1": 1.0}, 1.0)
