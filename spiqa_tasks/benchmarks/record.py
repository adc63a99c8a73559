"""A model's response, and the record scored from it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple, get_type_hints

from spiqa_tasks.files.json_text import conforms
from spiqa_tasks.judge.rules import Candidate, Rule
from spiqa_tasks.judge.types import JudgeRequest, Verdict

Status = Literal[
    "ok",
    "refused",
    "unparsed",
    "no_helpful_figure",
    "request_failed",
    "judge_failed",
    "scoring_failed",
    "incomplete",
]

# Rules of open answers in which no answer in the format was read.
_UNREAD = ("empty", "truncated", "unformatted")

# What the host's filters and `choice_letter` write where they read nothing.
INVALID = "[invalid]"

# Whole responses in lower case that are no answers; tables write nan or none for empty cells.
EMPTY = ("", "nan", "none", INVALID)


# With slots, as the record: there is one for each of up to a million answers.
@dataclass(frozen=True, slots=True)
class Response:
    """A model's response as the host returns it.

    Attributes:
        text: '' if the request failed.
        failure: the host's error message if the request failed, or None.
        shown: files of the figures in the order shown; () if unknown, None if it is the row's
            order.
        truncated: whether it ended at the limit of generated tokens, or None if the host does not
            say.
    """

    text: str
    failure: str | None = None
    shown: tuple[str, ...] | None = None
    truncated: bool | None = None


class MetricRequest(NamedTuple):
    """A judge request, and the function that reads a metric's score, or None, in its verdict."""

    metric: str
    request: JudgeRequest
    read: Callable[[Verdict], float | None]


def metric_requests(
    rule: Rule | None, metric: str, candidate: Candidate
) -> tuple[MetricRequest, ...]:
    """Return the judge requests for a metric by the judge's rule; () without a judge."""
    if rule is None:
        return ()
    return (MetricRequest(metric, rule.request(candidate), partial(rule.score, candidate)),)


@dataclass(frozen=True, slots=True)
class Record:
    """One scored answer.

    Attributes:
        prediction: the letter, answer or caption extracted from the response, or None.
        cluster: cluster key for standard errors (SPIQA: the paper id), or None.
        rule: the extraction rule that fired, or why none did.
        reason: why a request, a verdict or the scoring failed.
        scores: metric -> score of this answer; metrics without a score are absent.
        groups: kind of group -> name of the group, as in `metric/name`.
        details: fields of a single benchmark, such as the figures in the order shown.
        signature: `Signature.text` of the scores.
        requests: pending judge requests; never logged.
    """

    id: str
    prediction: str | None = None
    reference: str = ""
    cluster: str | None = None
    status: Status = "ok"
    rule: str | None = None
    refused: bool = False
    reason: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    verdicts: tuple[Mapping[str, Any], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    signature: str = ""
    requests: tuple[MetricRequest, ...] = field(default=(), repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the non-empty fields as JSON values; an empty prediction is an answer."""
        fields = {name: getattr(self, name) for name in _LOGGED}
        fields["verdicts"] = list(self.verdicts)
        logged = {name: value for name, value in fields.items() if value}
        return logged if self.prediction is None else logged | {"prediction": self.prediction}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Record:
        """Return the record of a dict from `as_dict` without its unknown keys.

        KeyError, TypeError if it is none.
        """
        fields = {name: value[name] for name in _LOGGED if name in value} | {"id": str(value["id"])}
        if isinstance(fields.get("verdicts"), list):
            fields["verdicts"] = tuple(fields["verdicts"])
        for name, content in fields.items():
            if not conforms(content, _TYPES[name]):
                raise TypeError(f"{name}: {content!r:.60}")
        return cls(**fields)

    @classmethod
    def of_sample(cls, sample: Mapping[str, Any]) -> Record | None:
        """Return the record in a sample that a host logged, or None."""
        for value in sample.values():
            if isinstance(value, dict) and "id" in value and "status" in value:
                return cls.from_dict(value)
        return None

    @property
    def truncated(self) -> bool | None:
        """Whether the answer was cut off, by its text or as the host says; None if unknown."""
        if self.rule == "truncated":
            return True
        # a requested format that is complete shows that the answer was not cut off
        told: bool | None = self.details.get("truncated", False if self.rule == "ok" else None)
        return told

    @property
    def unparsed(self) -> bool:
        """Whether nothing was read in the response, or it is empty, "nan" or "None".

        False for a refusal.
        """
        is_empty = self.rule in _UNREAD and (self.prediction or "").lower() in EMPTY
        return not self.refused and (self.status == "unparsed" or is_empty)

    @property
    def scored_unparsed(self) -> bool:
        """Whether no answer was read in an open response, so that all of it is scored."""
        return self.rule == "unformatted" and not self.unparsed and not self.refused

    @property
    def judge_failed(self) -> bool:
        """Whether a verdict of the record failed."""
        return any("reason" in verdict for verdict in self.verdicts)

    def failed(self, reason: str) -> Record:
        """Return the record of the same question whose request failed: no answer, no score."""
        return dataclasses.replace(
            self,
            prediction=None,
            status="request_failed",
            rule=None,
            refused=False,
            reason=reason,
            scores={},
            requests=(),
        )

    def with_scores(self, scores: Mapping[str, float]) -> Record:
        """Return the record with further scores."""
        return dataclasses.replace(self, scores={**self.scores, **scores})

    def judged(self, verdicts: Sequence[Verdict]) -> Record:
        """Return the record with the scores of `verdicts`, one per request, and without requests.

        With several requests for one metric the scores stay in `verdicts`: the metric combines
        them.
        """
        entries = [_entry(*pair) for pair in zip(self.requests, verdicts, strict=True)]

        # Only the metric knows how several scores make one.
        requests_of_metric = Counter(request.metric for request in self.requests)
        scores = {}
        for entry in entries:
            if "score" in entry and requests_of_metric[entry["metric"]] == 1:
                scores[entry["metric"]] = entry["score"]
        judged = dataclasses.replace(self.with_scores(scores), requests=())
        return judged.with_verdicts((*self.verdicts, *entries))

    def with_verdicts(self, verdicts: tuple[Mapping[str, Any], ...]) -> Record:
        """Return the record with logged verdicts; a failed one becomes its reason, and its status
        if that was ok.
        """
        record = dataclasses.replace(self, verdicts=verdicts)
        reasons = [verdict["reason"] for verdict in verdicts if "reason" in verdict]
        if not reasons:
            return record
        # What was wrong before is the first cause.
        status: Status = "judge_failed" if self.status == "ok" else self.status
        return dataclasses.replace(record, status=status, reason=reasons[0])


# Of a run, or of a group in it.
Records = Sequence[Record]


# Pending requests end with the process; what the judge said of them is in `verdicts`.
_LOGGED = tuple(entry.name for entry in dataclasses.fields(Record) if entry.name != "requests")
_TYPES = get_type_hints(Record)


def _entry(wanted: MetricRequest, verdict: Verdict) -> dict[str, Any]:
    """Return the logged fields of a verdict."""
    entry: dict[str, Any] = {"metric": wanted.metric, "prompt": wanted.request.prompt}
    if not verdict.ok:
        return entry | {"reason": verdict.reason}

    entry["model"] = verdict.model
    if verdict.adapted:
        entry["adapted"] = verdict.adapted
    if verdict.top_logprobs:
        # Six decimals of a logprob give six of the score.
        logprobs = [[token, round(logprob, 6)] for token, logprob in verdict.top_logprobs]
        entry["top_logprobs"] = logprobs
    else:
        entry["text"] = verdict.text

    score = wanted.read(verdict)
    if score is None:
        return entry | {"reason": verdict.why_no_score}
    return entry | {"score": score}
