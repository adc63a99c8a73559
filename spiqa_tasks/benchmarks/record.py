"""What a host hands over of an answer, the one record that becomes of it, and what the records of a run share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, get_args

from spiqa_tasks.benchmarks.prompting import prompt_hash
from spiqa_tasks.benchmarks.signature import extended, sign
from spiqa_tasks.files.typed import check_types
from spiqa_tasks.judge.rules import Candidate, Rule
from spiqa_tasks.judge.types import JudgeRequest, Verdict

Status = Literal[
    "ok", "refused", "unparsed", "no_helpful_figure", "request_failed", "judge_failed", "scoring_failed", "incomplete"
]
MARKS = {"cut": "shown_cut", "suspicious": "suspicious"}
"""The marks of requests that verdicts keep, and what the number of answers with one is called."""
STATUSES: tuple[str, ...] = get_args(Status)
PERSON = "person"
"""The key of a verdict that a person gave in the place of a judge."""


@dataclass(frozen=True)
class Response:
    """A model's answer as its host gives it.

    Attributes:
        text: the whole answer; empty where the request failed.
        failure: the host's words where the request failed, else None.
        shown: the files of the question's figures in the order shown; empty where nobody knows it, None where it is
            the row's.
        truncated: whether it ended at the limit of generated tokens; None where the host does not say.
    """

    text: str
    failure: str | None = None
    shown: tuple[str, ...] | None = None
    truncated: bool | None = None


@dataclass(frozen=True)
class Ask:
    """A question to the judge whose answer becomes a score of the record.

    Attributes:
        score: the metric's name.
        request: what the judge is asked.
        read: the score in a verdict, or None where it has none.
    """

    score: str
    request: JudgeRequest
    read: Callable[[Verdict], float | None]


@dataclass(frozen=True)
class Context:
    """What the records of a run share.

    Attributes:
        host: what ran it, for the signature.
        rule: by which the judge is asked; None where none is asked.
        signature: fields that all of their signatures have: of the settings, the metrics and the judge.
        unavailable: text metric -> why it cannot be computed here.
    """

    host: str
    rule: Rule | None = None
    signature: Mapping[str, str] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)

    def sign(self, row: Mapping[str, Any], wording: str) -> str:
        """Return the signature of an answer to `row`, as text; `wording` is that of its prompt."""
        return sign(row, prompt_hash(wording), self.host, **self.signature).text

    def asks(self, metric: str, candidate: Candidate) -> tuple[Ask, ...]:
        """Return the question to the judge whose verdict becomes a metric's score; none where no judge is asked."""
        if self.rule is None:
            return ()
        return (Ask(metric, self.rule.request(candidate), partial(self.rule.score, candidate)),)


@dataclass(frozen=True)
class Record:
    """One scored answer.

    Attributes:
        id: the question's id.
        prediction: what was read out of the response: a letter, a free-form answer, a caption; None where nothing was.
        reference: the true answer.
        cluster: what the question shares with others (SPIQA: the paper), for standard errors.
        status: one of `STATUSES`.
        rule: how the prediction was read, or why there is none.
        refused: whether the model would not answer.
        reason: why a request, a judgement or the scoring failed.
        scores: metric -> score of this answer; a metric that has none here is not named.
        groups: kind of group -> the group's name, as in `metric/name`.
        verdicts: what the judge said, one for each thing that it was asked.
        details: what only one benchmark has, such as the figures in the order shown.
        signature: what the scores were computed from and how (`Signature.text`).
        asks: what the judge is still to be asked; never logged.
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
    asks: tuple[Ask, ...] = field(default=(), repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that say something, as JSON values."""
        fields = {name: getattr(self, name) for name in _LOGGED}
        kept = {name: value for name, value in fields.items() if value not in (None, "", (), {}, False)}
        if self.prediction is not None:
            kept["prediction"] = self.prediction
        return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Record:
        """Return the record that `as_dict` made `value` of; keys it does not know are ignored.

        Raises:
            KeyError, TypeError: `value` is no such dict.
        """
        known = {name: value[name] for name in _LOGGED if name in value} | {"id": str(value["id"])}
        check_types(cls, known)
        return cls(**known | {"verdicts": tuple(known.get("verdicts", ()))})

    @property
    def judge_failed(self) -> bool:
        """Whether a verdict that the record needs could not be had."""
        return any("reason" in verdict for verdict in self.verdicts)

    def with_scores(self, scores: Mapping[str, float]) -> Record:
        """Return the record with more scores."""
        return dataclasses.replace(self, scores={**self.scores, **scores})

    def signed(self, **fields: str) -> Record:
        """Return the record with other values of some fields in its signature, where it has one."""
        return dataclasses.replace(self, signature=extended(self.signature, **fields))

    def judged(self, verdicts: Sequence[Verdict]) -> Record:
        """Return the record with the scores in `verdicts`, one for each of its asks, which it no longer has.

        A failed verdict makes the status `judge_failed` where it was `ok`. Several asks for one metric leave its scores
        in `verdicts`.
        """
        if not self.asks:
            return self
        told: list[dict[str, Any]] = []
        for ask, verdict in zip(self.asks, verdicts, strict=True):
            score = ask.read(verdict) if verdict.ok else None
            extras: dict[str, Any] = {} if score is None else {"score": score}
            extras |= {mark: True for mark in MARKS if getattr(ask.request, mark)}
            told.append({"metric": ask.score} | extras | _told(verdict, score))
        names = [entry["metric"] for entry in told]
        scores = {
            entry["metric"]: entry["score"] for entry in told if "score" in entry and names.count(entry["metric"]) == 1
        }
        failed = next((entry["reason"] for entry in told if "reason" in entry), None)
        changes: dict[str, Any] = {} if failed is None else {"reason": failed}
        if failed is not None and self.status == "ok":
            changes["status"] = "judge_failed"
        return dataclasses.replace(
            self, scores={**self.scores, **scores}, verdicts=(*self.verdicts, *told), asks=(), **changes
        )


_LOGGED = tuple(entry.name for entry in dataclasses.fields(Record) if entry.name != "asks")


def _told(verdict: Verdict, score: float | None) -> dict[str, Any]:
    """What a record keeps of a verdict; log-probabilities to six decimals, which tell the score to as many."""
    if not verdict.ok:
        return {"reason": verdict.reason}
    told: dict[str, Any] = {"model": verdict.model}
    if verdict.top_logprobs:
        told["top_logprobs"] = [[token, round(logprob, 6)] for token, logprob in verdict.top_logprobs]
    else:
        told["text"] = verdict.text
    return told | ({"reason": verdict.unread} if score is None else {})
