"""One answer of a run, as a file has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.signature import Signature, parse


@dataclass(frozen=True)
class Answer:
    """One answer of a run.

    Attributes:
        id: of the question; of the document where a question is several.
        response: what the model wrote, or why its request failed.
        record: the scored answer; None where it was not scored yet.
        place: index of the document in its task, from 0.
        question: the question's text or the whole prompt, where the file has it.
        reference: the true answer, where the file has it.
        options: letter -> text of the options, where the file has them.
        needed: the files of the figures that the true answer needs, where the file has them.
    """

    id: str
    response: Response
    record: Record | None = None
    place: int = 0
    question: str = ""
    reference: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()

    @property
    def signature(self) -> Signature:
        """The signature of the record; empty without one."""
        return parse(self.record.signature) if self.record is not None else Signature()


def logged_response(record: Record, text: str) -> Response:
    """Return the answer that a record is of; its figures are those of the question, in the order shown, if known.

    A document of one figure does not have all of the question's figures.
    """
    figures = None if "step" in record.details else record.details.get("figures")
    failure = record.reason or text if record.status == "request_failed" else None
    shown = tuple(map(str, figures)) if isinstance(figures, list | tuple) else None
    return Response(text, failure, shown, record.details.get("truncated"))
