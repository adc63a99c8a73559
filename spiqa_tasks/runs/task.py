"""The two kinds of task that a run may be of, this package's and a host's, with what each knows
of its metrics.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spiqa_tasks.benchmarks.metric import Metric, Value, mean_of, withheld
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.scorer import missing_text_metrics
from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.errors import InputError

if TYPE_CHECKING:
    from spiqa_tasks.runs.run import Run

# The detail of a record of a host's task that lists the metrics which the host computed of it.
LOGGED = "metrics"

# (beginning of the task's name, metric) -> what the host's value is divided by to be a share.
UNITS = {
    ("mmbench", "gpt_eval_score"): 100.0,
    ("mathvista", "llm_as_judge_eval"): 100.0,
    ("mmmu_", "mmmu_acc"): 1.0,
    ("seedbench", "seed_image"): 1.0,
    ("seedbench", "seed_all"): 1.0,
}

# The units that a task's YAML may name as `metadata: {unit: shares}` or `percent`.
NAMES = {"shares": 1.0, "percent": 100.0}

# Beginning of the task's name -> its headline where that is no average: the paper's SEED is of
# images alone.
HEADLINES = {"seedbench": "seed_image"}

# Words in the name of a host's metric that is of all questions.
OVERALL_WORDS = frozenset({"average", "avg", "overall", "all"})

# Hosts print shares with four decimals, percent with two.
ROUNDING = 0.5e-4 + 1e-9


@dataclass(frozen=True)
class OwnTask:
    """A task of this package's benchmarks, whose records have all that its metrics need."""

    definition: Task

    def questions(self, documents: Sequence[Record]) -> Sequence[Record]:
        """Join documents into questions if a question is several."""
        join = self.definition.benchmark.join(self.definition.settings)
        if join is None or not documents:
            return documents
        return join(documents, None)

    def metrics(self, run: Run) -> list[Metric]:
        """Return the benchmark's metrics that can be computed, the headline first."""
        every = self.definition.benchmark.metrics(run.settings)
        judged = _judged(run)
        computed = _computed(run, every)

        found = []
        for metric in every:
            if metric.needs == "judge":
                # the rates of its failures are there with any of its metrics
                has_scores = metric.name in judged or not metric.higher_is_better
                is_known = bool(judged) and has_scores
            else:
                is_known = metric.needs != "text programs" or metric.name in computed
            if is_known and metric.name not in run.written.omitted:
                found.append(metric)
        return found

    def value(self, run: Run, metric: Metric, group: str | None) -> Value:
        """Return the value over all answers or a group, as it was reported if it takes text
        programs to compute it.
        """
        is_whole = run.answered in (0, len(run.by_id)) and group is None
        reported = run.written.values.get(metric.name) if is_whole else None
        if reported is None or metric.needs != "text programs":
            value = run.record_set.value(metric, group)
            _check_reported(run, metric, value.value, reported)
            return value

        scores = {r.id: r.scores[metric.name] for r in run.questions if metric.name in r.scores}
        clusters = {record.id: record.cluster for record in run.questions}
        value = Value(reported, len(scores) or len(run.questions), scores, clusters=clusters)
        return run.record_set.withheld() or value

    def headline_fault(self, run: Run) -> str:  # noqa: ARG002
        """Return '': the benchmark's first metric is its headline."""
        return ""

    def data(self, run: Run) -> str | None:
        """Return the data of the signature."""
        return run.signature.data or None

    def remarks(self, run: Run, metric: Metric) -> list[str]:  # noqa: ARG002
        """Return []: every value is made here."""
        return []


@dataclass(frozen=True)
class HostTask:
    """A task of a host, which is known by its YAML's values and what the host logged."""

    config: Mapping[str, Any]

    def questions(self, documents: Sequence[Record]) -> Sequence[Record]:
        """Return the documents: each is a question."""
        return documents

    def metrics(self, run: Run) -> list[Metric]:
        """Return the metrics that were logged.

        The headline of the YAML and `accuracy` come first, then those of which more is better,
        those of all questions, and those that have scores.
        """
        logged = dict.fromkeys(name for record in run.records for name in record.details[LOGGED])
        scored = {name for record in run.records for name in record.scores}
        worse = {
            entry["metric"]
            for entry in self.config.get("metric_list") or ()
            if isinstance(entry, dict) and entry.get("higher_is_better") is False
        }
        headline = self._named_headline(run)

        def order(name: str) -> tuple[bool, ...]:
            return (
                name != headline,
                name != "accuracy",
                name in worse,
                not _is_overall(name),
                len(_members(run, name)) < len(run.records),
                name not in scored,
                name not in run.written.values,
            )

        return [_logged_metric(name, name not in worse) for name in sorted(logged, key=order)]

    def headline_fault(self, run: Run) -> str:
        """Return why no metric is the headline: the first is of a part of the questions; or ''."""
        name = run.metric().name
        n, total = len(_members(run, name)), len(run.records)
        if name == self._named_headline(run) or _is_overall(name) or n == total:
            return ""
        return f"Its first one, {name}, is of {n} of {total} questions."

    def value(self, run: Run, metric: Metric, group: str | None) -> Value:
        """Return the mean of the scores, or the host's own value if no question has a score."""
        if group is not None or any(metric.name in record.scores for record in run.records):
            return run.record_set.value(metric, group)
        return run.record_set.withheld() or self._total(run, metric)

    def data(self, run: Run) -> str | None:  # noqa: ARG002
        """Return the dataset of the YAML and its revision."""
        revision = (self.config.get("dataset_kwargs") or {}).get("revision", "newest")
        return f"{self.config.get('dataset_path')}@{revision}"

    def remarks(self, run: Run, metric: Metric) -> list[str]:
        """Warn when the host's value is not the mean of the scores, as POPE's F1 and `mmstar`'s
        average over axes.
        """
        value = run.value(metric)
        reported = run.written.values.get(metric.name)
        if reported is None or math.isnan(value.value) or not value.scores:
            return []

        # failed requests count, too
        mean = math.fsum(value.scores.values()) / len(_members(run, metric.name))
        if is_reported(run.task, self.config, run.written.values, metric.name, mean):
            return []
        return [
            f"{metric.name} of {run.name} is the mean of its scores, {value.value:.4f}, which is"
            f" not what the host reports, {reported:g}"
        ]

    def _named_headline(self, run: Run) -> str | None:
        named: str | None = _metadata(self.config).get("headline")
        for task, metric in HEADLINES.items():
            if named is None and run.task.startswith(task):
                named = metric
        return named

    def _total(self, run: Run, metric: Metric) -> Value:
        """Return what the host reports, as a share, of a metric of which no question has a score.

        It is withheld if too many requests failed: to the host these are wrong answers.
        """
        reported = run.written.values.get(metric.name)
        divisor = unit(run.task, metric.name, self.config)
        if reported is None or divisor is None or not 0 <= reported / divisor <= 1:
            known = "no value" if reported is None else f"{reported:g}, whose unit is not known"
            reason = f"no question has a score, and the host reports {known}"
            return Value(math.nan, 0, reason=reason)

        asked = _members(run, metric.name)
        answered = sum(record.status != "request_failed" for record in asked)
        return withheld(answered, len(asked)) or Value(reported / divisor, answered)


def unit(task: str, metric: str, config: Mapping[str, Any]) -> float | None:
    """Return what the host's value is divided by to be a share; None where the unit is not
    known.
    """
    named = NAMES.get(str(_metadata(config).get("unit")))
    if named is not None:
        return named
    for (beginning, name), divisor in UNITS.items():
        if task.startswith(beginning) and metric == name:
            return divisor
    return None


def is_reported(
    task: str, config: Mapping[str, Any], reported: Mapping[str, float], metric: str, mean: float
) -> bool:
    """Return whether a mean of scores is what the host reports: in its unit or, where that is
    not known, in any.
    """
    divisor = unit(task, metric, config)
    divisors = NAMES.values() if divisor is None else [divisor]
    return metric in reported and any(
        abs(mean - reported[metric] / each) <= ROUNDING for each in divisors
    )


def _judged(run: Run) -> set[str]:
    """The metrics of a judge that a record has a score or a verdict of."""
    known = {name for record in (*run.records, *run.questions) for name in record.scores}
    known |= {str(verdict["metric"]) for record in run.questions for verdict in record.verdicts}
    metrics = run.own.benchmark.metrics(run.settings)
    return {metric.name for metric in metrics if metric.needs == "judge" and metric.name in known}


def _computed(run: Run, metrics: Sequence[Metric]) -> set[str]:
    """The text metrics that were written with the answers, or that this machine can compute."""
    texts = {metric.name for metric in metrics if metric.needs == "text programs"}
    written = texts & run.written.values.keys()
    if written:
        return written
    missing = missing_text_metrics()
    return {name for name in texts if name.removesuffix("_released") not in missing}


def _members(run: Run, metric: str) -> list[Record]:
    """The records that the host computed a metric of."""
    return [record for record in run.records if metric in record.details[LOGGED]]


def _logged_metric(name: str, higher_is_better: bool) -> Metric:
    mean = mean_of(name)

    def compute(records: Sequence[Record]) -> Value:
        return mean.compute(
            [record for record in records if name in record.details.get(LOGGED, ())]
        )

    return Metric(name, compute, higher_is_better)


def _is_overall(name: str) -> bool:
    return not OVERALL_WORDS.isdisjoint(re.split(r"[\W_]+", name.lower()))


def _metadata(config: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = config.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _check_reported(run: Run, metric: Metric, value: float, reported: float | None) -> None:
    """Raise InputError if the answers of a whole file do not have the value that was written
    with them.
    """
    if reported is None or math.isnan(value) or not metric.higher_is_better:
        return
    # other versions may compute other values
    if run.signature.package != version(PACKAGE) or math.isclose(value, reported, abs_tol=1e-6):
        return
    raise InputError(
        f"Expected the answers in {run.path} to have the {metric.name} written with them,"
        f" {reported}, found {value}. The file was changed: score the answers again."
    )
