"""SPIQA for models that take one picture: each figure is shown alone, twice, and the answers are joined per question.

The paper (section 5.1) shows such models every figure one by one; the released scripts ask of a figure whether it is
helpful, and for an answer. Here each of the two prompts is a document of its own, and a question is put together when
all documents are there:

- corrected: the answers of the figures found helpful, each text once, in the order shown, joined by a space; where no
  figure is found helpful the question is failed: score 0, the prediction is empty.
- released: every helpful figure among those that the answer needs counts as an answer of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.benchmarks.signature import signature
from spiqa_tasks.benchmarks.spiqa_groups import groups_of
from spiqa_tasks.benchmarks.spiqa_prompts import setting_hash
from spiqa_tasks.data.spiqa_settings import settings_of
from spiqa_tasks.scoring.helpful import is_helpful_released, parse_helpful
from spiqa_tasks.scoring.refusals import is_request_failure

Record = dict[str, Any]
RATES = ("incomplete_rate", "unhelpful_rate")
"""Shares of questions: those with documents missing, and those without a figure found helpful."""


@dataclass(frozen=True)
class FigureReply:
    """What a model said about one figure of a question."""

    verdict: str
    answer: str
    referred: bool

    @property
    def helpful(self) -> bool:
        """Whether it was found helpful; a reply without yes or no counts as in the released scripts, as helpful."""
        return parse_helpful(self.verdict) is not False


@dataclass(frozen=True)
class Joined:
    """A question with all its documents.

    Attributes:
        anchor: the record that carries the question's score.
        replies: one per figure, in the order shown; empty where a request failed.
    """

    anchor: MutableMapping[str, Any]
    replies: tuple[FigureReply, ...]

    @property
    def prediction(self) -> str:
        """The answers of the helpful figures, each text once, joined by a space; "" where no figure is helpful."""
        return " ".join(dict.fromkeys(reply.answer for reply in self.replies if reply.helpful and reply.answer))

    @property
    def is_helped(self) -> bool:
        """Whether any figure was found helpful."""
        return any(reply.helpful for reply in self.replies)

    @property
    def released_answers(self) -> list[str]:
        """The answers that the released scripts score: those of referred figures that they take for helpful."""
        return [reply.answer for reply in self.replies if reply.referred and is_helpful_released(reply.verdict)]


def document_records(
    row: Mapping[str, Any], response: str, text_metrics: Collection[str], judged: bool
) -> dict[str, Record]:
    """Metric name -> record of one document; all that the aggregations need to join the question.

    Args:
        row: the document's.
        response: the model's reply.
        text_metrics: which corpus metrics to prepare.
        judged: whether there is a judge.
    """
    failed = is_request_failure(response)
    text = "" if failed else response.strip()
    identity = {"id": row["id"], "paper_id": row["paper_id"]}
    unclear = row["step"] == "helpful" and not failed and parse_helpful(text) is None
    empty = row["step"] == "answer" and not failed and not text
    part = {
        **identity,
        **{key: row[key] for key in ("question_id", "step", "documents", "question")},
        "file": row["figures"][0]["file"],
        "referred": bool(row["referred"]),
        "failed": failed,
        "text": text,
        "reference": row["answer"],
    }
    refusal = {"reason": response[:300], "split": row["split"]} if failed else {}
    records: dict[str, Record] = {
        "unformatted_rate": {
            **part,
            "score": float(unclear or empty),
            "group": row["group"],
            "group_released": row["group_released"],
            "signature": signature("spiqa", row, setting_hash("perfigure")),
        },
        "request_failed_rate": {**identity, "score": float(failed), **refusal},
        **{name: dict(part) for name in RATES},
    }
    metrics = [*text_metrics, *(("l3score",) if judged else ())]
    for name in _names(metrics, row):
        records[name] = {**part, "metric": name.partition("/")[0].removesuffix("_released")}
    if judged and settings_of(row).protocol != "released":
        records["judge_failed_rate"] = dict(part)
    return records


def join(records: Iterable[MutableMapping[str, Any]]) -> tuple[list[Joined], int]:
    """The questions whose documents are all there, and how many are not (a run may be limited in the middle of one)."""
    by_question: dict[str, dict[str, MutableMapping[str, Any]]] = {}
    for record in records:
        by_question.setdefault(record["question_id"], {})[record["id"]] = record
    complete = [parts for parts in by_question.values() if len(parts) == next(iter(parts.values()))["documents"]]
    return [_joined(parts) for parts in complete], len(by_question) - len(complete)


def _joined(parts: Mapping[str, MutableMapping[str, Any]]) -> Joined:
    ordered = sorted(parts.values(), key=lambda record: int(record["id"].split("/")[-2]))
    replies = []
    for record in ordered:
        if record["step"] == "helpful":
            answer = parts[record["id"].removesuffix("helpful") + "answer"]
            replies.append(FigureReply(record["text"], answer["text"], record["referred"]))
    failed = any(record["failed"] for record in ordered)
    return Joined(ordered[0], () if failed else tuple(replies))


def _names(metrics: Sequence[str], row: Mapping[str, Any]) -> list[str]:
    """The metrics under which a document is recorded, by protocol and group."""
    protocol = settings_of(row).protocol
    names: list[str] = []
    for metric in metrics:
        if protocol != "released":
            groups = groups_of(metric, row, row["documents"] // 2)
            names += [metric, *(f"{metric}/{group}" for group in groups)]
        if protocol != "corrected":
            names.append(f"{metric}_released")
    return names
