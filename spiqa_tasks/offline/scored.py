"""What scoring gives: metrics with intervals, counts, the signature, and one entry per answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.scoring.refusals import is_refusal

L3SCORE = "l3score"

Records = Mapping[str, dict[str, Any]]
"""Metric name -> record of one answer."""

_RATES = {
    "refusal_rate": "refused",
    "unparsed_rate": "unparsed",
    "unformatted_rate": "unparsed",
    "truncated_rate": "truncated",
    "request_failed_rate": "request_failed",
}
"""The share -> what its number of answers is called."""


@dataclass(frozen=True)
class Metric:
    """A metric's value in natural units (None: withheld), how many answers it is over, and its 95% interval if any."""

    value: float | None
    n: int
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Scored:
    """The scores of one file of answers (`label`) by one judge (None: no judge).

    `omitted` says why a metric has no value; `samples` has one entry per answer: {id, prediction, extracted, scores,
    status, reason}.
    """

    task: str
    label: str
    judge: str | None
    metrics: Mapping[str, Metric]
    omitted: Mapping[str, str]
    counts: Mapping[str, Any]
    signature: str
    samples: Sequence[Mapping[str, Any]]

    @property
    def l3scores(self) -> dict[str, float]:
        """L3Score per answer, by id; answers that could not be judged are left out."""
        return {sample["id"]: sample["scores"][L3SCORE] for sample in self.samples if L3SCORE in sample["scores"]}

    @property
    def complete(self) -> bool:
        """Whether every question had one answer and every answer could be scored."""
        return not any(self.counts.get(name) for name in ("missing", "unknown", "judge_failed", "request_failed"))

    def as_json(self) -> dict[str, Any]:
        """The object that `score --json` prints."""
        found: dict[str, Any] = {
            "task": self.task,
            "metrics": {name: metric.value for name, metric in self.metrics.items()},
            "counts": dict(self.counts),
            "signature": self.signature,
        }
        return found | ({"omitted": dict(self.omitted)} if self.omitted else {})


def sample(row_id: str, text: str, records: Records) -> dict[str, Any]:
    """The entry of one answer: what was extracted from it, its scores, and where it has none the reason."""
    choice = records.get("accuracy")
    details = choice or records.get("unformatted_rate") or records["captioned_rate"]
    judged = records.get(L3SCORE, {})
    scores = {
        name: record["score"]
        for name, record in records.items()
        if "score" in record and "/" not in name and not name.endswith("_rate")
    }
    if choice is not None:
        status = choice["rule"] if choice["letter"] is None else "ok"
    else:
        status = "judge_failed" if judged.get("status") == "judge_failed" else _status(details)
    return {
        "id": row_id,
        "prediction": text,
        "extracted": choice["letter"] if choice else _extracted(details),
        "scores": scores,
        "status": status,
        "reason": choice["rule"] if choice else judged.get("reason"),
    }


def _extracted(details: Mapping[str, Any]) -> str | None:
    """The answer of a free-form task, of one about a single figure, or a caption."""
    return next((details[key] for key in ("prediction", "text", "caption") if key in details), None)


def _status(details: Mapping[str, Any]) -> str:
    """How the answer was found; an answer about one figure of several, or a caption, is there or failed."""
    missing = details.get("failed", "caption" in details and details["caption"] is None)
    return str(details.get("status") or ("request_failed" if missing else "ok"))


def count(records: Sequence[Records], texts: Sequence[str]) -> dict[str, int]:
    """How many answers were scored, judged, refused and so on; SPIQA's refusals are told by their wording alone."""
    judged = [each[L3SCORE].get("status") for each in records if L3SCORE in each]
    found = {"docs": len(records), "judged": judged.count("ok"), "judge_failed": judged.count("judge_failed")}
    found |= {"refused": 0, "unparsed": 0}
    for each, text in zip(records, texts, strict=True):
        for rate, name in _RATES.items():
            if rate in each:
                found[name] = found.get(name, 0) + int(each[rate]["score"])
        if "refusal_rate" not in each:
            found["refused"] += is_refusal(text)
    return found
