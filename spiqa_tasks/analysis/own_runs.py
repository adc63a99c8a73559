"""Runs of this package's own tasks: their records, and any metric of them over all answers or a group's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Metric, Value
from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.making import make_scorer
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.benchmarks.signature import Signature, merged, parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.results import TaskRun, task_runs


@dataclass(frozen=True)
class OwnRun:
    """A task of ours in a run, with its records.

    Attributes:
        source: where it was read.
        signature: that of its answers, joined where they differ.
        records: one per document.
    """

    source: TaskRun
    signature: Signature
    records: Sequence[Record]

    @property
    def model(self) -> str:
        """The model with its ablation and seed, for people."""
        return self.source.identity.label

    @property
    def task(self) -> str:
        """The task's name."""
        return self.source.task

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
        return self._scorer.questions(self.records)

    @cached_property
    def _scorer(self) -> Scorer:
        return make_scorer(self.benchmark.name, self.signature.settings, self.signature.host, None)

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that the records have, and the text metrics that can be computed here; the headline first."""
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
        """Return a metric's value over all answers, or over those of a group."""
        return self._scorer.values([metric], self.records, group)[0]

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
        return self._scorer.why_not(metric) is None


def own_runs(places: Iterable[Path], tasks: Collection[str] = ()) -> tuple[list[OwnRun], list[str]]:
    """Return the runs of our tasks at `places`, and what is to be said about those that are left out.

    Args:
        places: result files or folders of the host.
        tasks: only these; empty: all.

    Raises:
        InputError: no result files, none of the tasks, or no samples of any.
    """
    found, remarks = task_runs(places, tasks)
    runs = []
    for source in found:
        records = source.records()
        signed = [parse(record.signature) for record in records if record.signature]
        if signed and signed[0].benchmark in BENCHMARKS:
            runs.append(OwnRun(source, merged(signed), records))
        elif source.settings is not None:
            remarks.append(f"{source.task} of {source.identity.label} has no samples; run it with --log_samples.")
    if not runs:
        raise InputError(
            f"Expected samples of this package's tasks{' among ' + ', '.join(tasks) if tasks else ''}; found none in "
            f"{', '.join(sorted({str(source.run.path) for source in found}))}. "
            "Run lmms-eval with --log_samples and --output_path."
        )
    return runs, remarks
