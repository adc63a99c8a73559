"""Score existing answers by the code of the hooks, and write scored runs in lmms-eval's format."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.aggregation import Value
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.scorer import Scorer, make_scorer
from spiqa_tasks.hosts.lmms_eval_files import LoggedAnswer, folder_name, task_log, write_log
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.runs.answer import match_counts
from spiqa_tasks.runs.identity import Identity, ablated, model_of
from spiqa_tasks.runs.readers.answers import LINES as PLAIN
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.subset import question_of


@dataclass(frozen=True)
class Unjudged:
    """The records of a run's answers, in the order of the task's rows, before the judge is asked."""

    run: Run
    scorer: Scorer
    records: Sequence[Record]


def read(run: Run, judge: Judge | None = None) -> Unjudged:
    """Return a joined run's answers with their records, in the order of its rows; the judge is not asked yet."""
    made = summary.merged_signature(run.records)
    fields = {
        "prompt": made.prompt,
        "pictures": made.pictures,
        "images": made.images,
        "ids": run.ids,
    }
    fields |= {"predictions": run.form} | ablated(run.identity)
    scorer = make_scorer(run.own.benchmark, run.own.settings_text, "offline", judge, **fields)
    answers = run.by_id
    return Unjudged(
        run,
        scorer,
        [
            scorer.record(row, answers[row["id"]].response)
            for row in run.rows
            if row["id"] in answers
        ],
    )


def score(unjudged: Unjudged, judge: str = "") -> Run:
    """Return the scored run, waiting for the judge; `judge` is what that is called."""
    joined, scorer = unjudged.run, unjudged.scorer
    scored = {record.id: record for record in scorer.score(unjudged.records)}
    groups = {
        question_of(row): scored[row["id"]].groups for row in joined.rows if row["id"] in scored
    }
    for row in joined.rows:
        if question_of(row) not in groups:
            groups[question_of(row)] = scorer.record(row, Response("")).groups
    places = {row["id"]: place for place, row in enumerate(joined.rows)}
    answers = [
        replace(joined.by_id[key], record=record, place=places[key])
        for key, record in scored.items()
    ]
    metrics = joined.own.benchmark.metrics(joined.settings)
    return replace(
        joined,
        read=lambda: answers,
        asked=max(joined.own.questions, len(groups)),
        answered=len(answers),
        rows=(),
        reported={},
        omitted={
            metric.name: why for metric in metrics if (why := scorer.why_not(metric)) is not None
        },
        sizes=Counter(name for each in groups.values() for name in set(each.values())),
        judge=judge,
    )


def values_of(run: Run) -> dict[str, Value]:
    """Return the values of a scored run by row: every metric of its task, and the groups of the host's table.

    What could not be computed has a value without answers, NaN, with the reason.
    """
    metrics = run.own.benchmark.metrics(run.settings)
    found: dict[str, Value] = {}
    for name, (metric, group) in summary.rows_of(
        run.own.benchmark, run.settings, metrics, run.record_set
    ).items():
        if metric.name in run.omitted:
            found |= {} if group else {name: Value(math.nan, 0, reason=run.omitted[name])}
            continue
        if name == summary.UNFORMATTED and not metric.of_documents and run.form == PLAIN:
            continue  # nobody knows whether those answers were asked for the format
        value = run.value(metric, group)
        if (
            value.n or value.reason is not None
        ):  # else nothing in the answers has it, such as whether they were cut
            found[name] = value
    return found


def score_object(run: Run) -> dict[str, Any]:
    """Return the object that `score --json` prints."""
    more, metrics = match_counts(run.unmatched), run.own.benchmark.metrics(run.settings)
    return summary.score_object(
        run.task, run.record_set, values_of(run), metrics, run.omitted.keys(), **more
    )


def is_complete(run: Run) -> bool:
    """Return whether every question (of a part, if asked for) had one answer with a score, and no value is withheld."""
    found = score_object(run)["counts"]
    names = ["unknown", "differing", "judge_failed", "request_failed", "scoring_failed"]
    names += [] if run.partial else ["missing"]
    measured = [
        metric for metric in run.own.benchmark.metrics(run.settings) if metric.higher_is_better
    ]
    has_all = all(
        run.value(metric).reason is None for metric in measured if metric.needs == "nothing"
    )
    return (
        has_all and run.record_set.withheld() is None and not any(found.get(name) for name in names)
    )


def differences(joined: Run, scored: Run) -> Iterator[str]:
    """Yield in what the answers were made otherwise than they are scored."""
    ours = scored.signature.data.split("+")
    made = {answer.signature.data for answer in joined.by_id.values()} - {""}
    for theirs in sorted(made - set(ours)):
        yield f"{scored.name}: made with the data {theirs}, scored with {scored.signature.data}."


def write_runs(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write scored runs to `<folder>/<model>`, one results file for each model and judge; return these files."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.name, run.judge), []).append(run)
    paths = []
    for (name, _), members in groups.items():
        first = members[0]
        # a label keeps it apart from others of the same model, which a newer one would replace
        model = model_of(Identity(first.label) if first.label else first.identity)
        logs = {}
        for run in members:
            values = values_of(run)
            more = (
                {"judge": run.judge, "groups": run.sizes}
                | score_object(run)
                | summary.intervals(values)
            )
            answers = [
                LoggedAnswer(answer.record, answer.response.text, answer.place, answer.question)
                for answer in run.by_id.values()
                if answer.record is not None
            ]
            logs[run.task] = task_log(run.own, run.record_set, values, run.metrics, answers, more)
        paths.append(write_log(folder / folder_name(name), *model, logs))
    return paths
