"""The logged answers of a run to a task, of ours or the host's: who was right, who refused, on which question."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.entries import BASELINE
from spiqa_tasks.hosts.lmms_eval.markers import is_request_failure
from spiqa_tasks.hosts.lmms_eval.results import Run, TaskRun, record_of
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.refusals import is_refusal

OVERALL = "all"
_GROUPS = ("category", "subdomain", "data_type", "l2_category", "L2-category")
_PLACEHOLDERS = re.compile(r"\s*<image(?:[ _]?\d+)?>\s*")
_LOGGED = ("doc_id", "target", "filtered_resps", "resps", "token_counts", "doc_hash", "input", "input_media")
_NO_METRICS = frozenset({*_LOGGED, "doc", "arguments", "submission"})
_AGREEMENT = 0.005
"""How far the mean of scores inferred from a host's records may lie from the number that the host reports."""


class MissingMetricError(InputError):
    """A task has no metric of the name asked for."""


@dataclass(frozen=True)
class Answer:
    """One logged answer.

    Attributes:
        doc_id: the question's place in its split, from 0.
        score: 0 to 1, None where there is none (a failed request).
        groups: the question's category and sub-axis, as far as the log tells.
        response: the answer's text.
        text: the question's text as a model without pictures would get it.
        target: the right answer.
        refusal: whether our tasks counted a refusal; None for other tasks.
    """

    doc_id: int
    score: float | None
    groups: tuple[str, ...]
    response: str
    text: str
    target: str
    refusal: bool | None

    @cached_property
    def refused(self) -> bool:
        """Whether the model would not answer, or said that it saw no picture."""
        return self.refusal if self.refusal is not None else not self.score and is_refusal(self.response)

    @cached_property
    def question(self) -> str:
        """The question's text without marks of pictures."""
        return _PLACEHOLDERS.sub(" ", self.text)


@dataclass(frozen=True)
class Answers:
    """All answers of one run to one task, by question id (ours, else the host's doc_id).

    `signature` is that of our tasks, empty for other tasks; `total` is the number that the host
    reports, 0 to 1.
    """

    run: Run
    task: str
    metric: str
    by_id: Mapping[str, Answer]
    signature: Signature
    total: float | None

    @cached_property
    def has_no_scores(self) -> bool:
        """Whether only the host's own number is known."""
        return all(answer.score is None for answer in self.by_id.values())


def read_answers(run: Run, task: str, metric: str | None = None) -> Answers:
    """The answers of `run` to `task`, scored by `metric` (default: the headline that the task names).

    Questions that a metric is not of (`seed_image` of a video question, `accuracy/math` of a question on biology) are
    left out. A metric that has no score a question (the host's own records of some tasks) leaves the answers without
    scores and gives its `total`. So does one whose scores, inferred from prediction and answer, disagree with the
    host's number.

    Raises:
        InputError: no samples file, or one that is not the host's.
        MissingMetricError: no such metric.
    """
    path, logged = run.samples(task), TaskRun(run, task).samples()
    if not logged:
        raise InputError(
            f"Expected the samples of {task} beside {run.path}, found none. Run the host again with --log_samples."
        )
    chosen = metric or _default_metric(logged[0], run, task)
    samples = [sample for sample in logged if chosen in sample or "scoring_failed_count" in sample]
    if not any(chosen in sample for sample in samples):
        names = _metrics(logged[0])
        raise MissingMetricError(
            f"Expected the metric {chosen} in {path}; found {', '.join(names) or 'none'}. Choose with --metric."
        )
    samples = [sample for sample in samples if not _is_part(sample)]
    by_id = {_identity(sample, chosen): _answer(sample, chosen) for sample in samples}
    total = _total(run, task, chosen)
    if not _agree([sample.get(chosen) for sample in samples], by_id.values(), total):
        by_id = {key: dataclasses.replace(answer, score=None) for key, answer in by_id.items()}
    return Answers(run, task, chosen, by_id, _signature(samples), total)


def score_of(record: Any) -> float | None:
    """The score of a metric's per-question value, 0 to 1; None where it has none.

    Known forms: a number or truth value; a mapping with `score` or `true_false`; a mapping of an answer and a
    prediction, which is read by `extract_choice` where the options are there too (`A`, `B`, ...).
    """
    if isinstance(record, Mapping):
        for name in ("score", "true_false"):
            if name in record:
                return score_of(record[name])
        predicted = next((record[name] for name in ("pred", "parsed_pred", "prediction") if name in record), None)
        if predicted is None or record.get("answer") is None:
            return None
        options = {letter: str(record[letter]) for letter in "ABCDE" if str(record.get(letter, "nan")) != "nan"}
        if options and isinstance(predicted, str):
            return float(extract_choice(predicted, options).letter == record["answer"])
        return float(_plain(record["answer"]) in _flat(predicted))
    is_score = isinstance(record, bool | int | float) and 0 <= record <= 1
    return float(record) if is_score else None


def response_of(sample: Mapping[str, Any]) -> str:
    """The answer's text."""
    value = sample.get("filtered_resps", "")
    while isinstance(value, list):
        value = value[0] if value else ""
    return str(value)


def _metrics(sample: Mapping[str, Any]) -> list[str]:
    """The metrics of a sample; a task of the host may have one that is called as our score for `--baseline` is."""
    ours = record_of(sample) is not None
    return [name for name in sample if name not in _NO_METRICS and not (ours and name == BASELINE)]


def _default_metric(sample: Mapping[str, Any], run: Run, task: str) -> str:
    """The headline of the task, `accuracy`, or the first metric that has scores and of which more is better."""
    names = _metrics(sample)
    entries = run.configs[task].get("metric_list") or ()
    worse = {entry["metric"] for entry in entries if isinstance(entry, dict) and entry.get("higher_is_better") is False}
    scored = [name for name in names if name not in worse and score_of(sample[name]) is not None]
    reported = [name for name, score in run.tasks[task].items() if name not in worse and score.value is not None]
    preferred = [name for name in (TaskRun(run, task).headline, "accuracy") if name in names]
    return next(iter([*preferred, *scored, *reported]), "accuracy")


def _is_part(sample: Mapping[str, Any]) -> bool:
    """Whether the sample is a document of a question that another of its documents stands for."""
    record = record_of(sample)
    return record is not None and "step" in record.details and "question" not in record.details


def _total(run: Run, task: str, metric: str) -> float | None:
    """The run's own number in [0, 1]; some host tasks report percent."""
    score = run.tasks[task].get(metric)
    if score is None or score.value is None:
        return None
    return score.value / 100 if score.value > 1 else score.value


def _agree(records: Iterable[Any], answers: Iterable[Answer], total: float | None) -> bool:
    """Whether the scores are the host's own, or inferred and give the number that the host reports."""
    if any(
        isinstance(record, int | float) or (isinstance(record, Mapping) and "score" in record) for record in records
    ):
        return True
    scores = [answer.score or 0.0 for answer in answers]
    return total is not None and abs(sum(scores) / len(scores) - total) <= _AGREEMENT


def _signature(samples: Sequence[Mapping[str, Any]]) -> Signature:
    records = (record_of(sample) for sample in samples)
    return parse(next((record.signature for record in records if record is not None and record.signature), ""))


def _identity(sample: Mapping[str, Any], metric: str) -> str:
    record = sample.get(metric, sample.get("scoring_failed_count"))
    if isinstance(record, Mapping) and "id" in record:
        return str(record["id"])
    return str(sample["doc_id"])


def _answer(sample: Mapping[str, Any], metric: str) -> Answer:
    record = sample.get(metric)
    own = record_of(sample)
    response = response_of(sample)
    return Answer(
        int(sample["doc_id"]),
        None if is_request_failure(response) else score_of(record),
        tuple(own.groups.values()) if own is not None else _groups_of(record),
        response,
        str(sample.get("input", "")),
        str(sample["target"]),
        own.refused if own is not None else None,
    )


def _groups_of(record: Any) -> tuple[str, ...]:
    """The groups that a record of one of the host's own tasks names."""
    if not isinstance(record, Mapping):
        return ()
    return tuple(dict.fromkeys(str(record[name]) for name in _GROUPS if record.get(name)))


def _flat(value: Any) -> list[str]:
    return [text for item in value for text in _flat(item)] if isinstance(value, list) else [_plain(value)]


def _plain(value: Any) -> str:
    return str(value).strip().lower()
