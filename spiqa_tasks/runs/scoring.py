"""Score existing answers by the code of the hooks, and write scored runs in lmms-eval's format."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.benchmark import question_of
from spiqa_tasks.benchmarks.metric import RELEASED, Value, group_sizes
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.scorer import Scorer, make_scorer, missing_text_metrics
from spiqa_tasks.hosts.lmms_eval_files import (
    LoggedAnswer,
    TaskLog,
    folder_name,
    task_log,
    write_log,
)
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.runs.identity import Identity, model_of
from spiqa_tasks.runs.join import Joined, Rows, match_counts
from spiqa_tasks.runs.metric_values import is_told
from spiqa_tasks.runs.run import Reported, Run


@dataclass(frozen=True)
class Unjudged:
    """The records of a run's answers, in the order of the task's rows, before the judge is
    asked; `judge` is what that is called, or ''.
    """

    joined: Joined
    scorer: Scorer
    records: Sequence[Record]
    judge: str = ""


def read(joined: Joined, judge: Judge | None = None, name: str = "") -> Unjudged:
    """Return a joined run's answers with their records; the judge, called `name`, is not asked
    yet.
    """
    run = joined.run
    signature = summary.merged_signature(run.records)
    fields = {
        "prompt": signature.prompt,
        "max_side": signature.max_side,
        "ids": joined.ids,
        "predictions": signature.predictions or run.form,
        **run.identity.signature_fields,
    }
    task = run.benchmark_task
    host = signature.host or "offline"
    scorer = make_scorer(task.benchmark, task.settings_text, host, judge, **fields)
    answers = run.by_id
    records = [
        scorer.record(row, answers[row["id"]].response)
        for row in joined.rows
        if row["id"] in answers
    ]
    return Unjudged(joined, scorer, records, name)


def score(unjudged: Unjudged, later: Collection[str] = ()) -> Run:
    """Return the scored run, waiting for the judge.

    Single answers have no scores by the metrics that are computed `later`.
    """
    run = unjudged.joined.run
    scorer = unjudged.scorer
    rows = unjudged.joined.rows
    scored = {record.id: record for record in scorer.score(unjudged.records, later=later)}

    answers = [
        replace(run.by_id[row["id"]], record=scored[row["id"]], position=position)
        for position, row in enumerate(rows)
        if row["id"] in scored
    ]
    groups = _groups(rows, scored, scorer)
    reported = Reported(
        sizes=group_sizes(groups.values()),
        omitted=_omitted(run, scorer),
        judge=unjudged.judge,
        unmatched=unjudged.joined.unmatched,
    )
    return replace(
        run,
        read=lambda: answers,
        asked=max(run.benchmark_task.questions, len(groups)),
        answered=len(answers),
        reported=reported,
    )


def _groups(
    rows: Rows, scored: Mapping[str, Record], scorer: Scorer
) -> dict[str, Mapping[str, str]]:
    """Return question -> its groups, also of questions without an answer."""
    groups = {question_of(row): scored[row["id"]].groups for row in rows if row["id"] in scored}
    # the size of a group is that of the task's, not of the answers
    for row in rows:
        if question_of(row) not in groups:
            groups[question_of(row)] = scorer.record(row, Response("")).groups
    return groups


def _omitted(run: Run, scorer: Scorer) -> dict[str, str]:
    """Return metric -> why it cannot be computed here."""
    reasons = {metric.name: scorer.why_not(metric) for metric in run.benchmark_task.metrics}
    return {name: why for name, why in reasons.items() if why is not None}


def as_stored(run: Run) -> Run:
    """Return a run with its scores, and why others cannot be computed of its answers."""
    missing = missing_text_metrics()
    omitted = {}
    for metric in run.benchmark_task.metrics:
        reason = missing.get(metric.name.removesuffix(RELEASED))
        if reason is not None and metric.name not in run.reported.values:
            omitted[metric.name] = reason
    return replace(run, reported=replace(run.reported, omitted=omitted))


def values_of(run: Run) -> dict[str, Value]:
    """Return the values of a scored run by row: every metric of its task, and the groups of the
    host's table.

    What could not be computed has a value without answers, NaN, with the reason.
    """
    metrics = run.benchmark_task.metrics
    values: dict[str, Value] = {}
    for name, (metric, group) in summary.rows_of(metrics, run.record_set).items():
        omitted = run.reported.omitted
        if metric.name in omitted:
            if not group:
                values[name] = Value(math.nan, 0, reason=omitted[name])
            continue
        if not is_told(run, metric):
            continue
        value = run.value(metric, group)
        if value.n or value.reason is not None:
            # else nothing in the answers has it, such as whether they were cut
            values[name] = value
    return values


def score_object(run: Run) -> dict[str, Any]:
    """Return the object that `score --json` prints."""
    # what a host logged, or `score` wrote, fits the task, and may be a part of it
    missing = max(run.asked - run.record_set.answered, 0)
    counts = {"missing": missing, "unknown": 0, "duplicates": 0, "differing": 0}
    counts |= match_counts(run.reported.unmatched)
    values = values_of(run)
    scored = summary.score_object(run.task, run.record_set, values, run.reported.omitted, **counts)
    return scored | {"signature": run.signature.text}


def is_complete(run: Run) -> bool:
    """Return whether every question had one answer with a score, and no value is withheld.

    Questions may be missing if values over a part are asked for.
    """
    counts = score_object(run)["counts"]
    faults = ["unknown", "differing", "judge_failed", "request_failed", "scoring_failed"]
    if not run.partial:
        faults.append("missing")
    if any(counts.get(name) for name in faults) or run.record_set.withheld():
        return False

    return all(
        run.value(metric).reason is None
        for metric in run.benchmark_task.metrics
        if metric.higher_is_better and metric.needs == "nothing"
    )


def write_runs(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write scored runs to `<folder>/<model>`; return the results files.

    There is one for each model and judge.
    """
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.name, run.reported.judge), []).append(run)

    paths = []
    for (name, _), members in groups.items():
        first = members[0]
        # a label keeps it apart from others of the same model, which a newer one would replace
        model = model_of(Identity(first.label) if first.label else first.identity)
        logs = {run.task: _log_of(run) for run in members}
        paths.append(write_log(folder / folder_name(name), *model, logs))
    return paths


def _log_of(run: Run) -> TaskLog:
    """Return a scored run as lmms-eval's files say it."""
    values = values_of(run)
    summarised = {
        "judge": run.reported.judge,
        "groups": run.reported.sizes,
        **score_object(run),
    }
    answers = [
        LoggedAnswer(answer.record, answer.response.text, answer.position, answer.question)
        for answer in run.by_id.values()
        if answer.record is not None
    ]
    log = task_log(run.benchmark_task, run.record_set, values, run.metrics, answers, summarised)
    generation = run.origin.config.get("generation_kwargs") or {}
    return log._replace(config={**log.config, "generation_kwargs": generation})
