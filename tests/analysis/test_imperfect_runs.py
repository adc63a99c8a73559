"""Runs that are not perfect: gain, filter and compare give the numbers of what was answered, or
a sentence.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from host_files import choice_sample, write_run
from hypothesis import given, settings
from hypothesis import strategies as st

from spiqa_tasks.analysis.compare import compare
from spiqa_tasks.analysis.filter import filter_runs
from spiqa_tasks.analysis.gain import ablation_pairs, rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run

ASKED = 100
Sample = dict[str, Any]
Truth = dict[str, float]
"""Question -> score, of the answers that have one."""
TASKS = {"x": "prompt=letter", "x_text": "ablation=text", "x_llm": "ablation=text,shots=2"}
FAULTS = ("none", "drop", "fail", "twice", "permute", "shift", "silent", "refuse", "other data")
FAULT = st.tuples(st.sampled_from(FAULTS), st.integers(1, 8))


def made(fault: tuple[str, int], right: Callable[[int], bool]) -> tuple[list[Sample], Truth]:
    """Return the samples of a run with a fault in the first `count` of them, and the scores of its
    answered questions. `fault` is (kind, count).
    """
    kind, count = fault
    status: Any = {"silent": "unparsed", "refuse": "refused"}.get(kind, "ok")
    samples, truth = [], {}

    def name_of(place: int) -> str:
        return f"q{(place + count) % ASKED if kind == 'shift' else place}"

    for place in range(ASKED):
        hit = place < count
        if kind == "drop" and hit:
            continue
        if kind == "fail" and hit:
            samples.append(choice_sample(place, None, answer=str(place)))
            continue
        score = right(place) and not (status != "ok" and hit)
        data = "d2" if kind == "other data" else "d1"
        samples.append(
            choice_sample(
                place, score, answer=str(place), status=status if hit else "ok", data=data
            )
        )
        truth[name_of(place)] = float(score)
    if kind == "twice":
        samples += samples[:count]
    if kind == "permute":
        samples = samples[count:] + samples[:count]
    if kind == "shift":  # the answers under the ids of the next questions
        for place, sample in enumerate(samples):
            sample["accuracy"]["id"] = name_of(place)
    return samples, truth


def write(folder: Path, runs: Iterable[tuple[str, str, Sequence[Sample]]]) -> list[Run]:
    """Write runs of (model, task, samples) as the host does, and read them."""
    for stamp, (model, task, samples) in enumerate(runs):
        write_run(folder, model, {task: samples}, stamp=str(stamp), settings=TASKS, asked=ASKED)
    return load_runs([RunPath(folder)])[0]


def common(truths: Iterable[Mapping[str, float]]) -> list[str]:
    """Return the ids of the questions that every run answered."""
    first, *others = truths
    return [key for key in first if all(key in other for other in others)]


def attempt(call: Callable[[], Any]) -> tuple[Any, str]:
    """Return (result, "") of a call, or (None, message) of its InputError."""
    try:
        return call(), ""
    except InputError as error:
        return None, str(error)


def mean(scores: Mapping[str, float], keys: Sequence[str]) -> float:
    """Return the mean score of some questions."""
    return sum(scores[key] for key in keys) / len(keys)


@given(st.tuples(FAULT, FAULT, FAULT), st.booleans())
@settings(max_examples=15, deadline=None)
def test_gain_is_that_of_the_questions_that_were_answered_or_there_is_none(
    tmp_path_factory: pytest.TempPathFactory, faults: tuple[tuple[str, int], ...], with_base: bool
) -> None:
    """With images, without, and the base: of the questions that all answered, at least 99% of
    the task.
    """
    scores = [
        lambda place: place % 4 > 0,
        lambda place: place % 3 == 0,
        lambda place: place % 5 == 0,
    ]
    found = [
        made(fault, right) for fault, right in zip(faults[: 2 + with_base], scores, strict=False)
    ]
    names = [("m", "x"), ("m", "x_text"), ("llm", "x_llm")]
    runs = write(
        tmp_path_factory.mktemp("gain"),
        [(*name, samples) for name, (samples, _) in zip(names, found, strict=False)],
    )
    truths = [truth for _, truth in found]
    known = common(truths)
    found_pairs, refusal = attempt(lambda: ablation_pairs(runs))
    if refusal:
        assert refusal.startswith("Expected the same ")
        assert any(kind in ("drop", "shift", "other data") for kind, _ in faults)
        return
    (pair,), *told = found_pairs
    assert told == [[], []]
    row, *_ = rows(pair)
    if row.result is None:
        assert len(known) < 0.99 * ASKED
        assert any(warning.startswith("withheld: ") for warning in row.warnings)
        return
    assert len(known) >= 0.99 * ASKED
    values = [row.result.s_v, row.result.s_wv, *([row.result.s_t] if with_base else [])]
    assert values == pytest.approx([mean(truth, known) for truth in truths])
    quiet = [kind in ("silent", "refuse") and count >= 5 for kind, count in faults[: 2 + with_base]]
    assert len(row.warnings) == sum(quiet)


@given(st.lists(FAULT, min_size=2, max_size=4), st.booleans())
@settings(max_examples=15, deadline=None)
def test_a_filter_counts_the_answers_of_whole_runs_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, faults: list[tuple[str, int]], again: bool
) -> None:
    """Whatever is run twice: each model counts once, and a question without an answer is left
    out.
    """
    found = [
        made(fault, lambda place, model=model: place % (model + 2) == 0)
        for model, fault in enumerate(faults)
    ]
    named = [(f"m{model}", "x_text", samples) for model, (samples, _) in enumerate(found)]
    runs = write(
        tmp_path_factory.mktemp("filter"),
        [*named, ("m0", "x_text", found[0][0])] if again else named,
    )
    truths = [truth for _, truth in found]
    found_filters, refusal = attempt(lambda: filter_runs(runs))
    if refusal:
        assert refusal.startswith("x is left out: Expected ")
        assert any(len(truth) < 0.99 * ASKED for truth in truths) or {
            "drop",
            "shift",
            "other data",
        } & {kind for kind, _ in faults}
        return
    (filtered,), left_out = found_filters
    known = common(truths)
    assert all(len(truth) >= 0.99 * ASKED for truth in truths)
    hits = {key: sum(truth[key] for truth in truths) for key in known}
    assert dict(filtered.questions.hits) == hits
    seen = {sample["accuracy"]["id"] for samples, _ in found for sample in samples}
    assert (len(filtered.remarks), left_out) == (int(len(known) < len(seen)), [])
    assert len(filtered.answers) == len(faults)


@given(FAULT, FAULT)
@settings(max_examples=15, deadline=None)
def test_runs_are_compared_on_the_questions_of_both_or_not_at_all(
    tmp_path_factory: pytest.TempPathFactory, one: tuple[str, int], other: tuple[str, int]
) -> None:
    """By accuracy, never by a rate; what is left out is said."""
    pairs = [made(one, lambda place: place % 4 > 0), made(other, lambda place: place % 3 == 0)]
    named = [(name, "x", samples) for name, (samples, _) in zip("ab", pairs, strict=True)]
    runs = write(tmp_path_factory.mktemp("compare"), named)
    truths = [truth for _, truth in pairs]
    compares, left_out = compare(runs)
    if not compares:
        assert left_out
        assert "shift" in (one[0], other[0]) or any(len(truth) < 0.99 * ASKED for truth in truths)
        return
    (found,) = compares
    known = common(truths)
    assert (found.metric, found.difference.n, left_out) == ("accuracy", len(known), [])
    assert all(len(truth) >= 0.99 * ASKED for truth in truths)
    assert [found.score_a, found.score_b] == pytest.approx([mean(truth, known) for truth in truths])
    is_other = (one[0] == "other data") != (other[0] == "other data")
    assert any("differ in data" in warning for warning in found.warnings) == is_other
    assert any("in one run only" in warning for warning in found.warnings) == (
        len(known) < max(map(len, truths))
    )
