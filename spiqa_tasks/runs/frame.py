"""Runs as one pandas frame, a row per question, run and repeat, and the value of any metric over
its rows.

Everything that a table needs stands in columns, because `concat`, `merge` and `pivot` drop
`frame.attrs`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from spiqa_tasks.benchmarks.answers import best_score
from spiqa_tasks.benchmarks.choice import OPTIONS, SOURCE
from spiqa_tasks.benchmarks.metric import ANSWERED, RELEASED, Value, mean_of, too_few, value_over
from spiqa_tasks.benchmarks.mmstar.definition import MMSTAR
from spiqa_tasks.benchmarks.open_metrics import (
    L3SCORE,
    YES_NO_MASS,
    noise,
    text_metric,
    yes_no_masses,
)
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.metrics import text_scores
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import LeftOut, Selection, remarks_on, with_unique_labels

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger("spiqa_tasks")

# The columns of every frame; one per group and one per metric of single questions follow.
COLUMNS = (
    "run",
    "task",
    "model",
    "ablation",
    "judge",
    "generation",
    "repeat",
    "id",
    "cluster",
    "status",
    "truncated",
    "prediction",
    "reference",
    "letter",
    "task_size",
    "answered",
    "signature",
)

# Columns that `value` reads of every metric, and of those in `CORPUS_METRICS`.
NEEDED = ("run", "id", "cluster", "status", "task_size", "answered", "signature")
TEXTS = ("prediction", "reference")

# Metrics of a whole text collection: their value is not the mean of scores of single answers.
CORPUS_METRICS = frozenset(name for name in text_scores.METRICS if name != "bertscore_f1")


def load_samples(*paths: str | Path, task: str | None = None) -> pd.DataFrame:
    """Return the answers at some paths as a frame with a row per question, run and repeat.

    The columns are `COLUMNS`, one per kind of group (`category`, `figure_type`, ...), and one per
    metric that single questions have a score of, in natural units, NaN without one.
    docs/reference.md describes each.

    Args:
        paths: folders or files of answers, as the commands take them; `TASK=FILE` names a file's
            task.
        task: only the runs of this task.

    Raises:
        InputError: no runs at the paths, or none of the task.
        DataError: answers without scores, and no release to score them with.
    """
    wanted = Selection(tasks=(task,)) if task else Selection()
    runs, remarks = load_runs([RunPath.parse(str(path)) for path in paths], wanted)
    for remark in remarks + remarks_on(runs):
        if isinstance(remark, LeftOut):
            logger.warning(remark)

    chosen = [run for run in runs if run.logged and task in (None, run.task)]
    if not chosen:
        raise InputError(
            f"Expected answers to {task or 'a task'} in {', '.join(map(str, paths))}, found none. "
            "Run lmms-eval with --log_samples."
        )

    return frame_of(chosen)


def frame_of(runs: Sequence[Run]) -> pd.DataFrame:
    """Return runs that were read already as the frame of `load_samples`."""
    import pandas as pd

    rows = []
    for run, label in zip(runs, run_labels(runs), strict=True):
        of_run = _columns_of_run(run, label)
        metrics = [
            metric.name
            for metric in run.metrics
            if metric.name.removesuffix(RELEASED) not in CORPUS_METRICS
        ]
        for record in run.questions:
            scores = {name: record.scores[name] for name in metrics if name in record.scores}
            # with several references, a record has verdicts alone
            best = best_score(run.judged_metric, record)
            if best is not None:
                scores[run.judged_metric] = best
            columns = {**_columns_of_record(run, record), **groups_with_source(run, record)}
            rows.append({**of_run, **columns, **scores})

    named = dict.fromkeys([*COLUMNS, *(name for row in rows for name in row)])
    return pd.DataFrame(rows, columns=[*named])


def groups_with_source(run: Run, record: Record) -> dict[str, str]:
    """Return kind -> group of a question; for MMStar with the benchmark that it is from."""
    groups = dict(record.groups)
    if run.is_of_benchmark and run.benchmark_task.benchmark_name == MMSTAR.name:
        groups[SOURCE] = str(record.details.get(SOURCE) or "unknown")
    return groups


def value(frame: pd.DataFrame, metric: str, partial: bool = False) -> Value:
    """Return a metric's value over the rows of one run, or of a group of them, with interval, n and
    reason.

    A column is averaged; a metric of `CORPUS_METRICS` is computed from the texts. The value is NaN,
    with the reason, if fewer than 99% of the task's questions were answered or fewer than 99% of
    the rows have a score. `benchmarks.metric.value_over` has the rules for runs and frames.

    Args:
        frame: rows of `load_samples`, of a single run.
        metric: name of a column or of a metric of `CORPUS_METRICS`, such as `meteor`.
        partial: whether to return a value over a part of the task instead of withholding it.

    Raises:
        InputError: rows of several runs, or no such metric.
    """
    _check(frame, TEXTS if metric in CORPUS_METRICS else ())
    metrics = {*frame.columns, *CORPUS_METRICS} - {*COLUMNS, *group_columns(frame)}
    if metric not in metrics:
        raise InputError(
            f"Expected a metric of the frame ({', '.join(sorted(metrics))}), found {metric}. "
            "Answers that were not judged have none of a judge: score them with --judge and "
            "--output."
        )

    first = frame.iloc[0]
    withheld = "" if partial else too_few(int(first.answered), int(first.task_size), ANSWERED)
    if metric in frame.columns:
        computed = mean_of(metric)
        frame = frame[is_of_metric(frame, metric)]
    else:
        computed = text_metric(metric)

    records = _records(frame, metric)
    total = 0 if partial else len(records)
    return value_over(computed, records, total, withheld or noise_in(frame, metric))


def _check(frame: pd.DataFrame, more: Sequence[str]) -> None:
    """Raise InputError unless a frame has each question of one run once, with `NEEDED` and `more`
    columns.
    """
    if missing := {*NEEDED, *more} - set(frame):
        raise InputError(
            "Expected the columns of load_samples, found none called "
            f"{', '.join(sorted(missing))}. Keep them beside the metric."
        )
    runs = frame.run.nunique()
    if runs != 1:
        raise InputError(
            f"Expected the rows of one run, found {runs} runs. Use frame.groupby('run')."
        )
    if not frame.id.is_unique:
        raise InputError(
            f"Expected each question once, found {frame.id.nunique()} questions in {len(frame)} "
            "rows. Use frame.drop_duplicates('id'), or the mean of the column."
        )


def group_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns with groups of questions: those of texts beside `COLUMNS`."""
    return [
        name
        for name in frame.columns
        if name not in COLUMNS and frame[name].map(lambda cell: isinstance(cell, str)).any()
    ]


def run_labels(runs: Sequence[Run]) -> list[str]:
    """Return a unique label for each run: its model's, with the task where one model has
    several.
    """
    labelled = with_unique_labels(runs)
    names = [run.name for run in labelled]

    return [
        run.name if names.count(run.name) == 1 else f"{run.name} on {run.task}" for run in labelled
    ]


def _columns_of_run(run: Run, label: str) -> dict[str, Any]:
    """Return the columns that are the same in each row of a run."""
    return {
        "run": label,
        "task": run.task,
        "model": run.identity.model,
        "ablation": run.ablation,
        "judge": run.signature.judge,
        "generation": run.generation,
        "repeat": 0,  # hosts log the first answer of a question alone
        "task_size": run.asked or len(run.questions),
        "answered": run.record_set.answered,
    }


def _columns_of_record(run: Run, record: Record) -> dict[str, Any]:
    """Return the columns of a question, but for its groups and scores."""
    is_choice = OPTIONS in record.details
    prediction = record.prediction
    if is_choice or not run.is_of_benchmark:
        # what was read in the answer is a letter, or what the host logged
        prediction = run.by_id[record.id].response.text
    return {
        "id": record.id,
        "cluster": record.cluster,
        "status": record.status,
        "truncated": record.truncated,
        "prediction": prediction,
        "reference": record.reference,
        "letter": record.prediction if is_choice else None,
        "signature": record.signature,
        **_judge_columns(record),
    }


def _judge_columns(record: Record) -> dict[str, float]:
    """Return the probability of yes and no in the verdict, by which L3Scores are told from
    noise.
    """
    masses = yes_no_masses(record)
    return {YES_NO_MASS.name: fmean(masses)} if masses else {}


def noise_in(frame: pd.DataFrame, metric: str) -> str:
    """Return why the L3Scores in some rows are withheld, or '': the judge says neither yes nor
    no.
    """
    if metric.removesuffix(RELEASED) != L3SCORE or YES_NO_MASS.name not in frame:
        return ""
    return noise(frame.yes_no_mass.mean())


def is_of_metric(frame: pd.DataFrame, metric: str) -> pd.Series[bool]:
    """Return which rows a metric is of: those with a score, and those that should have one.

    A host's metric may be of some questions only, such as `seed_image`. Its rows have no signature;
    a task of ours needs a score of every question.
    """
    needs_score = (frame.status != "ok") | (frame.signature != "")
    return frame[metric].notna() | needs_score


def _records(frame: pd.DataFrame, metric: str) -> list[Record]:
    """Return the rows as records, with their scores by a metric."""
    names = ["id", "prediction", "reference", "cluster", "status", metric]
    # a metric of a corpus has no column
    cells = frame.reindex(columns=names)
    # each kind of missing cell becomes None, which the stubs of pandas do not know
    rows = cells.to_numpy(dtype=object, na_value=None)  # type: ignore[arg-type]
    records = []
    for key, prediction, reference, cluster, status, score in rows.tolist():
        scores = {} if score is None else {metric: score}
        records.append(Record(key, prediction, reference, cluster, status, scores=scores))
    return records
