"""One answer of a run."""

from __future__ import annotations

import pytest

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.runs.answer import Answer, logged_response


def test_an_answer_is_signed_as_its_record_is() -> None:
    """Before it is scored, nothing is known of how."""
    signature = Signature(data="mmstar/val@d", prompt="p", settings="prompt=letter")
    scored = Answer("1", Response("A"), Record("1", signature=signature.text))
    assert scored.signature == signature
    assert Answer("1", Response("A")).signature == Signature()


def test_a_logged_answer_has_the_figures_in_the_order_shown_and_whether_it_was_cut() -> None:
    """Both stand in the record's details; no figures there means that nobody knows their order."""
    record = Record("1", details={"figures": ["b.png", "a.png"], "truncated": True})
    assert logged_response(record, "said") == Response("said", None, ("b.png", "a.png"), True)
    assert logged_response(Record("1"), "said") == Response("said")
    assert logged_response(Record("1", details={"figures": []}), "said").shown == ()


def test_a_document_of_one_figure_does_not_have_the_figures_of_its_question() -> None:
    """The figure of a document that asks about one is not what "Image 1" of the question means."""
    record = Record("p/0/0/helpful", details={"step": "helpful", "figures": ["a.png"]})
    assert logged_response(record, "Yes").shown is None


@pytest.mark.parametrize(("reason", "expected"), [("boom", "boom"), (None, "[FAILED]")])
def test_a_failed_request_stays_one(reason: str | None, expected: str) -> None:
    """With the reason in its record, or with what the host logged in the answer's place."""
    record = Record("1", status="request_failed", reason=reason)
    assert logged_response(record, "[FAILED]").failure == expected
    assert logged_response(Record("1", reason="no failure of the request"), "A").failure is None
