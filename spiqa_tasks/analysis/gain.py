"""Gain and leakage of runs, overall and by group (MMStar paper, section 4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from statistics import fmean
from typing import TYPE_CHECKING

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.merging import (
    clusters_of,
    groups_of,
    kinds_of,
    merged,
    questions,
    scores_of,
)
from spiqa_tasks.benchmarks.metric import Metric
from spiqa_tasks.benchmarks.summary import Outcomes, outcomes
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring import gain as scoring
from spiqa_tasks.scoring.gain import Gain, gain_of_totals
from spiqa_tasks.scoring.intervals import Estimate
from spiqa_tasks.scoring.values import too_few

if TYPE_CHECKING:
    import pandas as pd

# Value of `--by` that names every kind of group.
GROUP = "group"

# Answers that are none count as wrong: what that makes of the numbers of each run.
BOUNDS = (
    "with images: S_v and MG are lower bounds",
    "without images: S_wv and ML are lower bounds and MG an upper one; try ablation=grey",
    "by the LLM base: S_t is a lower bound and ML an upper one",
)


@dataclass(frozen=True)
class GainRuns:
    """The runs that S_v, S_wv and, with an LLM base, S_t are the scores of, by one metric.

    `ablation` is what the model saw instead of the pictures in the second run.
    """

    runs: Sequence[Run]
    metric: Metric
    ablation: str


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        llm: model of the LLM base, or None.
        result: gain and leakage, or None if withheld.
        outcomes: of the runs with images, without, and of the LLM base if there is one.
        questions: number of answered questions as `n of N`, or '' if all were.
        remarks: on a host's values, and on answers that two runs have in common.
        answered: `result` over the questions that every run's model answered, or None if unknown.
    """

    task: str
    metric: str
    group: str
    model: str
    ablation: str
    llm: str | None
    n: int
    result: Gain | None
    withheld: str
    outcomes: Sequence[Outcomes] = ()
    questions: str = ""
    remarks: Sequence[str] = ()
    answered: Gain | None = None


def rows(of: GainRuns, by: str | None = None) -> list[Row]:
    """Return the overall row, then one per group of a column, `by`, or of all (`group`).

    The overall row is made of the host's reported values if a run has no scores per question.
    Raises InputError: no such column.
    """
    frames = [questions(run, of.metric) for run in of.runs]
    if not all(run.is_own or _has_scores(run, of.metric) for run in of.runs):
        return [_of_totals(of, frames)]

    groups = {OVERALL: list(frames[0].index)}
    if by is not None:
        groups |= groups_of(frames[0], _kinds(of.runs[0], by))
    return [_of_questions(of, frames, group, ids) for group, ids in groups.items()]


def _has_scores(run: Run, metric: Metric) -> bool:
    return any(metric.name in record.scores for record in run.records)


def _kinds(run: Run, by: str) -> list[str]:
    known = kinds_of(run)
    if by != GROUP and by not in known:
        names = ", ".join([GROUP, *known])
        raise InputError(f"Expected --by to be one of {names} of {run.task}, found {by}.")
    return known if by == GROUP else [by]


def _of_totals(of: GainRuns, frames: Sequence[pd.DataFrame]) -> Row:
    values = [run.value(of.metric) for run in of.runs]
    reasons = [
        f"{run.name}: {value.reason}"
        for run, value in zip(of.runs, values, strict=True)
        if value.reason
    ]
    if reasons:
        return _row(of, frames, OVERALL, None, reasons)

    totals = gain_of_totals(len(frames[0]), *(value.value for value in values))
    return _row(of, frames, OVERALL, totals, [])


def _of_questions(
    of: GainRuns, frames: Sequence[pd.DataFrame], group: str, ids: Sequence[str]
) -> Row:
    asked = [frame.loc[list(ids)] for frame in frames]
    both = merged(asked)

    # A group's size is known where the run's file says it; the questions at hand may be fewer.
    size = max(len(ids), *(run.written.sizes.get(group, 0) for run in of.runs))
    reason = too_few(len(both), size, "questions have a score in every run")
    if len(both) and of.runs[0].partial:
        reason = ""
    if merged(frames).empty:
        reason = f"{of.metric.name} gives no question a score in every run"
    if reason:
        return _row(of, asked, group, None, [reason])

    row = _row(of, asked, group, _gain(both), [])
    answered = both[_is_answered(both, len(frames))]
    return replace(row, answered=_gain(answered) if len(answered) else None)


def _gain(both: pd.DataFrame) -> Gain:
    llm = scores_of(both, 2) if "score_2" in both else None
    return scoring.gain(scores_of(both, 0), scores_of(both, 1), llm, clusters_of(both))


def _is_answered(both: pd.DataFrame, runs: int) -> list[bool]:
    """Return for each question whether no run refused it or gave an answer that could not be
    read.
    """
    records = zip(*(both[f"record_{number}"] for number in range(runs)), strict=True)
    return [not any(record.refused or record.unparsed for record in of) for of in records]


def _row(
    of: GainRuns,
    frames: Sequence[pd.DataFrame],
    group: str,
    result: Gain | None,
    reasons: Sequence[str],
) -> Row:
    parts = [run for run in of.runs if run.record_set.part]
    reasons = [*_withheld(parts), *reasons]
    model, _, *llm = map(selection.model_name, of.runs)
    return Row(
        task=of.runs[0].task,
        metric=of.metric.name,
        group=group,
        model=model,
        ablation=of.ablation,
        llm=llm[0] if llm else None,
        n=len(frames[0]) if result is None else result.n,
        result=None if reasons else result,
        withheld="; ".join(dict.fromkeys(reasons)),
        outcomes=[outcomes(list(frame.record)) for frame in frames],
        questions="; ".join(dict.fromkeys(run.coverage for run in parts)),
        remarks=_remarks(of) if group == OVERALL else [],
    )


def _withheld(parts: Sequence[Run]) -> list[str]:
    """Return why the values of runs over a part of their task are withheld."""
    return [
        f"{run.name} answered {run.coverage} questions"
        for run in parts
        if run.record_set.withheld()
    ]


def _remarks(of: GainRuns) -> list[str]:
    """Return remarks on values that a host aggregates otherwise, and on runs that answer alike."""
    remarks = [each for run in of.runs for each in run.kind.remarks(run, of.metric)]

    texts = [{key: answer.response.text for key, answer in run.by_id.items()} for run in of.runs]
    roles = ("with images", "without images", "of the LLM base")
    # Neighbours alone: two of three that are equal make a gain or a leakage of 0.
    for one, two in ((0, 1), (1, 2)):
        if two < len(texts) and texts[one] == texts[two]:
            remarks.append(f"the answers {roles[one]} and {roles[two]} are the same")

    return remarks


def sample_lists(of: GainRuns) -> Iterator[dict[str, object]]:
    """Yield the questions that the image won or lost, or that leaked, with their scores."""
    both = merged([questions(run, of.metric) for run in of.runs])
    columns = [f"score_{number}" for number in range(len(of.runs))]

    for key, *scores in both[columns].itertuples():
        if names := scoring.outcomes(*scores):
            record = {"task": of.runs[0].task, "metric": of.metric.name, "id": key}
            named = dict(zip_longest(("s_v", "s_wv", "s_t"), scores))
            yield {**record, "outcomes": list(names), **named}


def warnings(row: Row) -> list[str]:
    """Return warnings about a row."""
    if row.result is None:
        return [*row.remarks, f"withheld: {row.withheld}"]

    found = list(row.remarks)
    # The overall row says for its groups, too, how many were answered.
    if row.questions and row.group == OVERALL:
        found.append(f"{row.questions} questions were answered")
    if row.result.mg.high is not None and row.result.mg.high < 0:
        found.append("S_wv is above S_v by more than its interval: are the two runs swapped?")
    for of_run, bound in zip(row.outcomes, BOUNDS, strict=False):
        if of_run.remark:
            found.append(f"{of_run.remark} {bound}")

    return found


def averages(table: Sequence[Row]) -> list[Row]:
    """Return a row per model and ablation with several tasks, as the last columns of Table 6.

    Ablations stay apart: the gain over grey pictures is not the gain over none.
    """
    overall: dict[tuple[str, str], list[Row]] = {}
    for row in table:
        if row.group == OVERALL:
            overall.setdefault((row.model, row.ablation), []).append(row)

    return [_average(members) for members in overall.values() if len(members) > 1]


def _average(members: Sequence[Row]) -> Row:
    return Row(
        task="average",
        metric="+".join(dict.fromkeys(member.metric for member in members)),
        group=OVERALL,
        model=members[0].model,
        ablation=members[0].ablation,
        llm=members[0].llm,
        n=sum(member.n for member in members),
        result=mean_gain([member.result for member in members]),
        withheld="",
        answered=mean_gain([member.answered for member in members]),
    )


def mean_gain(gains: Sequence[Gain | None]) -> Gain | None:
    """Return the unweighted means over tasks, or None if one is missing.

    ML's is the mean of the tasks' values, each cut at 0.
    """
    results = [result for result in gains if result is not None]
    if len(results) < len(gains):
        return None

    mean = gain_of_totals(
        sum(result.n for result in results),
        fmean(result.s_v for result in results),
        fmean(result.s_wv for result in results),
        _mean_if_all([result.s_t for result in results]),
    )
    ml = _mean_if_all([_value(result.ml) for result in results])
    return replace(mean, ml=None if ml is None else Estimate(ml))


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _mean_if_all(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None
