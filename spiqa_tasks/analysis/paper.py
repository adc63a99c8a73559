"""Numbers that only the papers report; each function makes the rows of one kind of table."""

import dataclasses
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from spiqa_tasks.analysis.breakdown import record_of
from spiqa_tasks.analysis.merging import merged, questions
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.release import caption_length, figure_size
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import partial_coverage
from spiqa_tasks.scoring.intervals import paired

# Answers in a resample, as in SciFIBench's section 4.4.
RESAMPLE = 500

# Groups of about equal size, as in SciFIBench's Figure 8.
BINS = 5
# What the figure groups the questions by -> its measure of a row.
MEASURES = {"caption_length": caption_length, "figure_size": figure_size}

# Group of `spread` for the runs of every value of the setting together.
ALL_RUNS = "all runs"

# A line of a printed table: column -> cell.
Row = dict[str, Any]


def spread(runs: Iterable[Run], metric: str | None, over: str) -> list[Row]:
    """Return how a metric varies over runs that differ in one setting, or in one of several.

    SciFIBench, section 4.2 (`over` is `shuffle`) and Figure 6 (`shots,seed`); SPIQA, Figure B.1
    (`resolution`). `settings` of a row are the others that are not the defaults, `accuracies` has
    the metric by value of the setting, `sd` is the sample standard deviation.

    Raises InputError: no two runs that differ so.
    """
    groups: dict[tuple[str, ...], dict[Any, Run]] = defaultdict(dict)
    for run in runs:
        for setting in over.split(","):
            key = (run.name, run.benchmark_task.split, _other_settings(run, setting), setting)
            groups[key][getattr(run.settings, setting)] = run

    rows = []
    for group, members in groups.items():
        known = _known_values(members, metric)
        if len(known) < 2:
            continue

        values = known.values()
        rows.append(
            {
                **dict(zip(("model", "split", "settings", "over"), group, strict=True)),
                "accuracies": known,
                "mean": statistics.fmean(values),
                "sd": statistics.stdev(values),
                "range": max(values) - min(values),
                "questions": partial_coverage(members.values()),
            }
        )

    if not rows:
        raise InputError(
            f"Expected a model's runs on one split that differ in {over.replace(',', ' or ')} "
            "alone, found none. Name more of its runs."
        )
    return rows


def _known_values(members: Mapping[Any, Run], metric: str | None) -> dict[Any, float]:
    """Return value of the setting -> the metric of its run, in order, without withheld ones."""
    known = {}
    for setting in sorted(members, key=_in_order):
        run = members[setting]
        share = run.value(run.metric(metric)).value
        if not math.isnan(share):
            known[setting] = share
    return known


def bootstrap(runs: Iterable[Run], metric: str | None) -> list[Row]:
    """Return mean and variance of a metric over resamples of the answers (SciFIBench 4.4).

    The paper draws 100,000 resamples. Over all that can be drawn, the mean is that of the scores,
    and the variance theirs divided by the size of a resample.

    Raises InputError: a run without scores of single answers.
    """
    rows = []
    for run in runs:
        scores = [*run.scores(run.metric(metric)).values()]
        if not scores:
            raise InputError(
                f"Expected scored answers to {run.task}, found none. Score them, or add --partial."
            )

        rows.append(
            {
                "model": run.name,
                "task": run.task,
                "n": len(scores),
                "size": RESAMPLE,
                "mean": statistics.fmean(scores),
                "variance": statistics.pvariance(scores) / RESAMPLE,
                "questions": run.record_set.part,
            }
        )

    return rows


def correlations(runs: Iterable[Run]) -> list[Row]:
    """Return Spearman's rho of each text metric with the judge's score (SPIQA, Table 8).

    A row per run and metric, then a row per judge and metric over all of its runs, if it has
    several. rho is NaN where one of both is constant. The paper does not say what it correlates;
    here it is scores of single answers, which BLEU has not.

    Raises InputError: no run with both scores.
    """
    frames = []
    for run in runs:
        for metric in run.metrics:
            if metric.needs == "text programs":
                scores = {"text": run.scores(metric), "judged": run.judged_scores}
                frame = (
                    pd.DataFrame(scores)
                    .dropna()
                    .assign(
                        model=run.name,
                        task=run.task,
                        metric=metric.name,
                        correlated_with=run.judged_metric,
                        judge=run.judge_name,
                    )
                )
                frames.append(frame)

    known = [frame for frame in frames if len(frame)]
    if not known:
        raise InputError(
            "Expected runs with L3Score and a text metric of every answer, found none. Run with a "
            "judge, or judge the answers with `spiqa-tasks score`."
        )

    rows = list(map(_correlation, known))
    for _, of_judge in pd.concat(known).groupby(["metric", "correlated_with", "judge"], sort=False):
        if len(of_judge[["model", "task"]].drop_duplicates()) > 1:
            rows.append(_correlation(of_judge.assign(model=ALL_RUNS, task="")))
    return rows


def by_size(runs: Iterable[Run], metric: str | None) -> list[Row]:
    """Return a metric by words of the caption and by pixels of the figures (SciFIBench, Figure 8).

    Raises DataError: the questions' data is not there.
    """
    rows = []
    for run in runs:
        of_run = run.metric(metric)
        records = {record.id: record for record in run.questions}
        task = run.benchmark_task
        # the questions with their figures, whatever the model was shown
        rows_of_split = load_rows(task.benchmark_name, task.split, "")
        rows_of_run = [row for row in rows_of_split if row["id"] in records]
        for measure, size_of in MEASURES.items():
            sizes = pd.Series({row["id"]: size_of(row) for row in rows_of_run})
            # Each bin ends at a quantile that is a size itself; equal sizes share a bin.
            ends = np.quantile(sizes, np.arange(1, BINS + 1) / BINS, method="inverted_cdf")
            for _, members in sizes.groupby(np.searchsorted(ends, sizes)):
                group = f"{members.min():.0f} to {members.max():.0f}"
                of_group = [records[key] for key in members.index]
                value = run.record_set.value(of_run, group, of_group)
                rows.append(record_of(run, of_run.name, group, value, measure, of_group))

    return rows


def alignment(runs: Iterable[Run], metric: str | None) -> list[Row]:
    """Return the change of a metric by a marked caption (SciFIBench, section 4.7, Figure 10).

    A row per task with a mark: its accuracy and that of the same model's task without one, over the
    `n` questions that both have, and the difference with its 95% interval.

    Raises InputError: no task with a mark, or one without its control.
    """
    marked = []
    controls = {}
    for run in runs:
        if not run.scores(run.metric(metric)):
            continue  # withheld
        if run.settings.mark == "none":
            controls[_without_mark(run)] = run
        else:
            marked.append(run)

    # A run with a mark but without its control would be left out.
    if not marked or not {_without_mark(run) for run in marked} <= controls.keys():
        raise InputError(
            "Expected runs of tasks with a mark, and of the same task without one, found none. "
            "Run `--tasks scifibench_alignment`."
        )
    return [_change(run, controls[_without_mark(run)], metric) for run in marked]


def _change(run: Run, control: Run, metric: str | None) -> Row:
    """Return how marks change the accuracy over the questions of both runs (SciFIBench 4.7)."""
    both = merged([questions(each, each.metric(metric)) for each in (control, run)])
    change = paired(both.score_0.tolist(), both.score_1.tolist())
    return {
        "model": run.name,
        "split": run.benchmark_task.split,
        "mark": run.settings.mark,
        "ignore": run.settings.ignore,
        "n": change.n,
        "control": both.score_0.mean(),
        "accuracy": both.score_1.mean(),
        "change": change.difference,
        "low": change.low,
        "high": change.high,
        "questions": partial_coverage([run, control]),
    }


def _without_mark(run: Run) -> tuple[str, str, str]:
    """Return what a marked task and its control have in common."""
    return run.name, run.benchmark_task.split, _other_settings(run, "mark", "ignore")


def _other_settings(run: Run, *varied: str) -> str:
    """Return the settings that are not the defaults, without those that vary, as text."""
    others = []
    for field in dataclasses.fields(run.settings):
        setting = getattr(run.settings, field.name)
        if field.name not in varied and setting != field.default:
            others.append(f"{field.name}={setting}")
    return ",".join(others)


def _in_order(setting: Any) -> tuple[float, str]:
    """Sort numbers, and texts that begin with one (`224px`), by the number; `full` is the last."""
    number = re.match(r"\d+", str(setting))
    return float(number[0]) if number else math.inf, str(setting)


def _correlation(scores: pd.DataFrame) -> Row:
    """Return Spearman's rho of text scores and judged scores of the same answers."""
    matrix = scores[["text", "judged"]].corr("spearman")
    labels = scores.drop(columns=["text", "judged"]).iloc[0]
    return {**labels, "n": len(scores), "spearman": matrix.loc["text", "judged"]}
