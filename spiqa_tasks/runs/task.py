"""The two kinds of task that a run may be of, behind one protocol: this package's and a host's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from spiqa_tasks.benchmarks.aggregation import Metric, Value
from spiqa_tasks.benchmarks.record import Context, Record
from spiqa_tasks.benchmarks.signature import PACKAGE, parse, version
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs import run_metrics
from spiqa_tasks.scoring.refusals import is_refusal

if TYPE_CHECKING:
    from spiqa_tasks.runs.run import Run


class RunTask(Protocol):
    """What a run asks of its task."""

    def questions(self, documents: Sequence[Record]) -> Sequence[Record]:
        """Return one record per question."""

    def metrics(self, run: Run) -> list[Metric]:
        """Return the metrics that the run's answers have scores by, the headline first."""

    def value(self, run: Run, metric: Metric, group: str | None) -> Value:
        """Return a metric's value over all answers, or those of a group."""

    def members(self, run: Run, metric: Metric) -> dict[str, Record]:
        """Return id -> record of the questions that a metric is of and that were asked completely."""

    def is_refused(self, run: Run, question: Record) -> bool:
        """Return whether the model refused to answer a question."""

    def is_unparsed(self, run: Run, question: Record) -> bool:
        """Return whether nothing was read out of the response."""

    def data(self, run: Run) -> str | None:
        """Return the data and revision that were asked."""


@dataclass(frozen=True)
class OwnTask:
    """A task of this package's benchmarks, whose records have all that its metrics need."""

    definition: Task

    def questions(self, documents: Sequence[Record]) -> Sequence[Record]:
        """Join documents into questions if a question is several."""
        join = self.definition.entry.join(self.definition.typed) if documents else None
        return documents if join is None else join(documents, Context(parse(documents[0].signature).host))

    def metrics(self, run: Run) -> list[Metric]:
        """Return the benchmark's metrics that can be computed."""
        return run_metrics.of_benchmark(run)

    def value(self, run: Run, metric: Metric, group: str | None) -> Value:
        """Return the value, as it was reported if it takes text programs to compute it."""
        reported = run.reported.get(metric.name) if run.answered in (0, len(run.by_id)) else None
        if group is not None or reported is None or metric.needs != "text programs":
            value = run.record_set.value(metric, group)
            _check_reported(run, metric, value.value, reported if group is None else None)
            return value
        scores = {r.id: r.scores[metric.name] for r in run.questions if metric.name in r.scores}
        clusters = {record.id: record.cluster for record in run.questions}
        value = Value(reported, len(scores) or len(run.questions), scores, clusters=clusters)
        return run.record_set.withheld() or value

    def members(self, run: Run, metric: Metric) -> dict[str, Record]:
        """Return the complete questions, or documents."""
        return {record.id: record for record in run.record_set.members(metric) if record.status != "incomplete"}

    def is_refused(self, run: Run, question: Record) -> bool:  # noqa: ARG002
        """Return what the record says."""
        return question.refused

    def is_unparsed(self, run: Run, question: Record) -> bool:  # noqa: ARG002
        """Return whether no answer was found in the response."""
        return question.status == "unparsed" or question.rule == "empty"

    def data(self, run: Run) -> str | None:
        """Return the data of the signature."""
        return run.signature.data or None


@dataclass(frozen=True)
class HostTask:
    """A task of a host, which is known by its YAML's values and what the host logged."""

    config: Mapping[str, Any]

    def questions(self, documents: Sequence[Record]) -> Sequence[Record]:
        """Return the documents: each is a question."""
        return documents

    def metrics(self, run: Run) -> list[Metric]:
        """Return the metrics that the host logged."""
        return run_metrics.of_host(run)

    def value(self, run: Run, metric: Metric, group: str | None) -> Value:
        """Return the mean of the scores, or the host's own value if no question has a score."""
        if group is not None or any(metric.name in record.scores for record in run.records):
            return run.record_set.value(metric, group)
        return run.record_set.withheld() or run_metrics.total(run, metric)

    def members(self, run: Run, metric: Metric) -> dict[str, Record]:
        """Return the documents that the host computed the metric of."""
        return {record.id: record for record in run.records if metric.name in record.details[run_metrics.LOGGED]}

    def is_refused(self, run: Run, question: Record) -> bool:
        """Return whether an answer without a score reads as a refusal."""
        return not any(question.scores.values()) and is_refusal(run.by_id[question.id].response.text)

    def is_unparsed(self, run: Run, question: Record) -> bool:
        """Return whether the model wrote nothing."""
        return question.status != "request_failed" and not run.by_id[question.id].response.text.strip()

    def data(self, run: Run) -> str | None:  # noqa: ARG002
        """Return the dataset of the YAML and its revision."""
        revision = (self.config.get("dataset_kwargs") or {}).get("revision", "newest")
        return f"{self.config.get('dataset_path')}@{revision}"


def _check_reported(run: Run, metric: Metric, value: float, reported: float | None) -> None:
    """Raise InputError if the answers of a whole file do not have the value that was written with them."""
    is_comparable = reported is not None and metric.higher_is_better and run.signature.package == version(PACKAGE)
    if is_comparable and not math.isnan(value) and not math.isclose(value, reported or 0.0, abs_tol=1e-6):
        raise InputError(
            f"Expected the answers in {run.path} to have the {metric.name} written with them, {reported}, "
            f"found {value}. The file was changed: score the answers again."
        )
