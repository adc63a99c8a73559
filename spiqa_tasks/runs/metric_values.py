"""The metrics of a run and their values: of a task of this package, or of a host's own."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from spiqa_tasks.benchmarks.metric import Metric, Needs, Value, mean_of, value_of_too_few
from spiqa_tasks.benchmarks.record import Record, Records
from spiqa_tasks.benchmarks.scorer import missing_text_metrics
from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.benchmarks.summary import PLAIN, UNFORMATTED
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

# Words in the name of a host's metric that is of all questions.
OVERALL_WORDS = frozenset({"average", "avg", "overall", "all"})

# Hosts print shares with four decimals, percent with two.
ROUNDING = 0.5e-4 + 1e-9


# Tasks of this package


def benchmark_metrics(run: Run) -> list[Metric]:
    """Return the benchmark's metrics that can be computed, the headline first."""
    every = run.benchmark_task.metrics
    computed = _computed(run, every)
    has_needs = {"nothing": True, "judge": bool(run.signature.judge)}
    return [
        metric
        for metric in every
        if metric.name not in run.reported.omitted
        and is_told(run, metric)
        and has_needs.get(metric.needs, metric.name in computed)
    ]


def is_told(run: Run, metric: Metric) -> bool:
    """Return whether the answers can say a metric: plain files do not say what form was asked
    for, also not once their scores are written.
    """
    if metric.name != UNFORMATTED or metric.of_documents:
        return True
    return run.signature.predictions not in PLAIN


def _computed(run: Run, metrics: Sequence[Metric]) -> set[str]:
    """Return the text metrics that were written with the answers, else those computable here."""
    texts = {metric.name for metric in metrics if metric.needs == "text programs"}
    reported = texts & run.reported.values.keys()
    if reported or not texts:
        # METEOR takes Java, which the machine of the run had
        return reported
    missing = missing_text_metrics()
    return {name for name in texts if name.removesuffix("_released") not in missing}


def benchmark_value(run: Run, metric: Metric, group: str | None) -> Value:
    """Return the value over all answers or a group, as it was reported if it takes text programs
    to compute it.

    Raises InputError: the answers of a whole file do not have the value written with them.
    """
    # 0: the file does not say how many it had
    is_whole = run.answered in (0, len(run.by_id)) and group is None
    reported = run.reported.values.get(metric.name) if is_whole else None
    if reported is None:
        return run.record_set.value(metric, group)

    if metric.needs == "text programs":
        compute = partial(_as_reported, metric.name, reported)
        return run.record_set.value(replace(metric, compute=compute))

    value = run.record_set.value(metric)
    if metric.higher_is_better and not math.isnan(value.value):
        _check_reported(run, metric, value.value, reported)
    return value


def _as_reported(name: str, reported: float, records: Records) -> Value:
    """Return the value that a host reported, with the scores of single answers, if logged."""
    scores = {record.id: record.scores[name] for record in records if name in record.scores}
    # a metric of a corpus has no scores of single answers
    return Value(reported, len(scores) or len(records), scores)


def _check_reported(run: Run, metric: Metric, value: float, reported: float) -> None:
    """Raise InputError if a value that this version wrote is not that of the answers."""
    # other versions may compute other values
    is_of_version = run.signature.package == version(PACKAGE)
    if is_of_version and not math.isclose(value, reported, abs_tol=1e-6):
        raise InputError(
            f"Expected the answers in {run.path} to have the {metric.name} written with them,"
            f" {reported}, found {value}. The file was changed: score the answers again."
        )


# Tasks of a host, which are known by their YAML's values and what the host logged


def host_metrics(run: Run) -> list[Metric]:
    """Return the metrics that were logged.

    The headline of the YAML and `accuracy` come first, then those of which more is better, those
    of all questions, and those that have scores.
    """
    logged = dict.fromkeys(name for record in run.records for name in record.details[LOGGED])
    scored = {name for record in run.records for name in record.scores}
    headline = _named_headline(run)
    listed = listed_metrics(run.origin.config)
    worse = {name for name, entry in listed.items() if entry.get("higher_is_better") is False}

    # False sorts first
    def order(name: str) -> tuple[bool, ...]:
        return (
            name != headline,
            name != "accuracy",
            name in worse,
            not _is_overall(name),
            len(_members(run.records, name)) < len(run.records),
            name not in scored,
            name not in run.reported.values,
        )

    names = sorted(logged, key=order)
    return [_logged_metric(name, name not in worse, _needs(run, name)) for name in names]


def listed_metrics(config: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return metric -> its entry in the `metric_list` of a host's YAML."""
    entries = config.get("metric_list") or ()
    return {entry["metric"]: entry for entry in entries if isinstance(entry, dict)}


def host_value(run: Run, metric: Metric, group: str | None) -> Value:
    """Return the mean of the scores, or the host's own value if no question has a score."""
    if group is None and not has_scores(run, metric):
        metric = replace(metric, compute=partial(_of_host, run, metric.name))
    return run.record_set.value(metric, group)


def _of_host(run: Run, name: str, records: Records) -> Value:
    """Return the host's own value of a metric as a share.

    It is withheld if too many requests failed: to the host these are wrong answers.
    """
    reported = run.reported.values.get(name, math.nan)
    divisor = unit(run.task, name, run.origin.config)
    # NaN, no value, is in no range
    if divisor is not None and 0 <= reported <= divisor:
        asked = _members(records, name)
        answered = sum(record.status != "request_failed" for record in asked)
        return value_of_too_few(answered, len(asked)) or Value(reported / divisor, answered)

    known = "no number" if math.isnan(reported) else f"{reported:g}, whose unit is not known"
    reason = f"no question has a score, and the host reports {known}"
    return Value(math.nan, 0, reason=reason)


def has_scores(run: Run, metric: Metric) -> bool:
    """Return whether single answers have scores; a host may report the value alone."""
    return run.is_of_benchmark or any(metric.name in record.scores for record in run.records)


def headline_fault(run: Run) -> str:
    """Return why no metric of a host's task is the headline: the first one is of a part of the
    questions; or ''.
    """
    name = run.metric().name
    if run.is_of_benchmark or name == _named_headline(run) or _is_overall(name):
        return ""
    n, total = len(_members(run.records, name)), len(run.records)
    return "" if n == total else f"Its first one, {name}, is of {n} of {total} questions."


def data_of(run: Run) -> str:
    """Return the data of the signature, or a host's dataset and its revision."""
    if run.is_of_benchmark:
        return run.signature.data
    config = run.origin.config
    revision = (config.get("dataset_kwargs") or {}).get("revision", "newest")
    return f"{config.get('dataset_path')}@{revision}"


def mean_remarks(run: Run, metric: Metric) -> list[str]:
    """Warn when a host's value is not the mean of the scores, as POPE's F1 and `mmstar`'s average
    over axes.
    """
    value = run.value(metric)
    reported = run.reported.values.get(metric.name)
    if run.is_of_benchmark or reported is None or not value.scores:
        return []

    # failed requests count, too
    mean = math.fsum(value.scores.values()) / len(_members(run.records, metric.name))
    if is_reported(run.task, run.origin.config, reported, metric.name, mean):
        return []
    return [
        f"{metric.name} of {run.name} is the mean of its scores, {value.value:.4f}, which is"
        f" not what the host reports, {reported:g}"
    ]


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
    task: str, config: Mapping[str, Any], reported: float, metric: str, mean: float
) -> bool:
    """Return whether a mean of scores is what the host reports."""
    shares = reported_shares(task, config, reported, metric)
    return any(abs(mean - share) <= ROUNDING for share in shares)


def reported_shares(
    task: str, config: Mapping[str, Any], reported: float, metric: str
) -> list[float]:
    """Return the host's value as a share: in its unit or, where that is not known, in each."""
    known = unit(task, metric, config)
    divisors = NAMES.values() if known is None else [known]
    return [reported / divisor for divisor in divisors]


def _named_headline(run: Run) -> str | None:
    """Return the headline of the task's YAML or, without one, that of the paper."""
    # the paper's SEED is of images alone, which is no average
    default = "seed_image" if run.task.startswith("seedbench") else None
    named: str | None = _metadata(run.origin.config).get("headline", default)
    return named


def _members(records: Records, metric: str) -> list[Record]:
    """Return the records that the host computed a metric of."""
    return [record for record in records if metric in record.details[LOGGED]]


def _needs(run: Run, name: str) -> Needs:
    """Return `judge` for a metric that our hook for open answers logged verdicts of."""
    verdicts = (verdict for record in run.records for verdict in record.verdicts)
    return "judge" if any(verdict["metric"] == name for verdict in verdicts) else "nothing"


def _logged_metric(name: str, higher_is_better: bool, needs: Needs) -> Metric:
    """Return a metric of the host: the mean of the scores that it logged."""

    def compute(records: Records) -> Value:
        return mean_of(name).compute(_members(records, name))

    return Metric(name, compute, higher_is_better, needs)


def _is_overall(name: str) -> bool:
    """Return whether a name has a word such as `average` or `all`."""
    return not OVERALL_WORDS.isdisjoint(re.split(r"[\W_]+", name.lower()))


def _metadata(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the `metadata` of a YAML's values; {} if it is no mapping."""
    metadata = config.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}
