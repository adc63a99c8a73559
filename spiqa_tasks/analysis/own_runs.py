"""Runs of this package's own tasks: their records, and any metric of them over all answers or a group's."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from spiqa_tasks.analysis.logged_answers import response_of
from spiqa_tasks.benchmarks.aggregation import Metric, Value, in_group
from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.context import Context
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scorer_factory import missing_text_metrics
from spiqa_tasks.benchmarks.signature import Signature, merged, parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.results import TaskRun, has_runs, record_of, task_runs
from spiqa_tasks.offline.score_files import WrittenScores, written_scores


@dataclass(frozen=True)
class OwnRun:
    """A task of ours in a run, with its records.

    Attributes:
        model: the model with its ablation and seed, or what scored answers were called; for people.
        task: the task's name.
        path: the file that it was read from.
        signature: that of its answers, joined where they differ.
        records: one per document.
        responses: id of a document -> the model's whole answer.
        reported: metric -> the value that was written with the records; withheld ones are left out.
    """

    model: str
    task: str
    path: Path
    signature: Signature
    records: Sequence[Record]
    responses: Mapping[str, str]
    reported: Mapping[str, float]

    @property
    def split(self) -> str:
        """The split's name."""
        return self.signature.split

    @property
    def benchmark(self) -> Benchmark:
        """The task's benchmark."""
        return BENCHMARKS[self.signature.benchmark]

    @property
    def settings(self) -> Any:
        """The task's settings, typed."""
        return self.benchmark.parse(self.signature.settings)

    @cached_property
    def questions(self) -> list[Record]:
        """One record per question."""
        join = self.benchmark.join(self.settings)
        return list(self.records) if join is None else join(self.records, Context(self.signature.host))

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that the records have and the text metrics that were reported with them; the headline first."""
        there = {name for record in (*self.records, *self.questions) for name in record.scores}
        return [metric for metric in self.benchmark.metrics(self.settings) if self._can(metric, there)]

    def metric(self, name: str | None) -> Metric:
        """Return the metric of a name, or the first one.

        Raises:
            InputError: the run has no such metric.
        """
        found = next((metric for metric in self.metrics if name in (None, metric.name)), None)
        if found is None:
            known = ", ".join(metric.name for metric in self.metrics)
            raise InputError(f"Expected {self.task} to have the metric {name}; found {known}. Choose with --metric.")
        return found

    def value(self, metric: Metric, group: str | None = None) -> Value:
        """Return a metric's value over all answers, or over those of a group; NaN where there are none.

        What text programs computed when the answers were scored is not computed again.
        """
        if group is None and metric.needs == "text programs" and metric.name in self.reported:
            scores = {r.id: r.scores[metric.name] for r in self.questions if metric.name in r.scores}
            return Value(self.reported[metric.name], len(scores) or len(self.questions), scores)
        members = self.records if metric.of_documents else self.questions
        members = members if group is None else in_group(members, group)
        return metric.compute(members) if members else Value(math.nan, 0, reason="there is no such answer")

    def scores(self, metric: Metric) -> dict[str, float]:
        """Return id -> score of the answers that have one."""
        return dict(self.value(metric).scores)

    def _can(self, metric: Metric, there: Collection[str]) -> bool:
        if metric.needs == "judge":
            return (
                metric.name in there
                or not metric.higher_is_better
                or any(verdict["metric"] == metric.name for record in self.questions for verdict in record.verdicts)
            )
        if metric.needs == "text programs":
            texts = {each.name for each in self.benchmark.metrics(self.settings) if each.needs == metric.needs}
            reported = texts & self.reported.keys()
            return metric.name in reported or not (
                reported or metric.name.removesuffix("_released") in missing_text_metrics()
            )
        return True


def own_runs(places: Iterable[Path], tasks: Collection[str] = ()) -> tuple[list[OwnRun], list[str]]:
    """Return the runs of our tasks at `places`, and what is to be said about those that are left out.

    Args:
        places: result files or folders of the host, or of `spiqa-tasks score --output`.
        tasks: only these; empty: all.

    Raises:
        InputError: no result files, none of the tasks, or no samples of any.
    """
    places = list(places)
    scored = [found for place in places for found in written_scores(place) if not tasks or found.task in tasks]
    runs = [_of_scores(found) for found in scored]
    of_host = [place for place in places if has_runs(place)]
    found, remarks = task_runs(of_host or places, tasks) if of_host or not scored else ([], [])
    for source in found:
        own = _of_host(source)
        if own is not None:
            runs.append(own)
        elif source.settings is not None:
            remarks.append(f"{source.task} of {source.identity.label} has no samples; run it with --log_samples.")
    if not runs:
        raise InputError(
            f"Expected samples of this package's tasks{' among ' + ', '.join(tasks) if tasks else ''}; found none in "
            f"{', '.join(sorted({str(source.run.path) for source in found}))}. "
            "Run lmms-eval with --log_samples and --output_path."
        )
    return runs, remarks


def _of_host(source: TaskRun) -> OwnRun | None:
    """The run of a task in the host's files; None where it has no samples, or none of a benchmark of ours."""
    pairs = [(record, response_of(sample)) for sample in source.samples() if (record := record_of(sample)) is not None]
    signature = _signature([record for record, _ in pairs])
    if signature.benchmark not in BENCHMARKS:
        return None
    responses = {record.id: response for record, response in pairs}
    scores = source.run.tasks.get(source.task, {})
    reported = {name: score.value for name, score in scores.items() if score.value is not None}
    records = [record for record, _ in pairs]
    return OwnRun(source.identity.label, source.task, source.run.path, signature, records, responses, reported)


def _of_scores(found: WrittenScores) -> OwnRun:
    signature = _signature(found.records)
    return OwnRun(found.label, found.task, found.path, signature, found.records, found.responses, found.metrics)


def _signature(records: Sequence[Record]) -> Signature:
    return merged(parse(record.signature) for record in records if record.signature)
