"""Shares of answers that are none, and the sentence about them."""

from typing import Any

import pytest

from spiqa_tasks.benchmarks.outcomes import Outcomes, outcomes
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scorer import make_scorer


def test_truncated_answers_are_those_that_tell() -> None:
    """The host or the text; None if neither says it of any."""
    records = [Record("1", details={"truncated": True}), Record("2", details={"truncated": False}), Record("3")]
    assert outcomes(records).truncated == pytest.approx(1 / 3)
    assert outcomes([Record("1", rule="truncated"), Record("2")]).truncated == 0.5
    assert outcomes(records[2:]).truncated is None


def test_what_nothing_was_read_in_is_unparsed_and_a_failed_request_is_not() -> None:
    """By its status or rule, also if the empty answer has a score; what was taken whole is apart, but for "nan"."""
    unread = [Record("1", status="unparsed"), Record("2", rule="empty"), Record("3", "nan", rule="unformatted")]
    others = [Record("4", status="request_failed"), Record("5", "None"), Record("6", "so", rule="unformatted")]
    assert outcomes(unread + others) == Outcomes(6, 0, 3 / 6, 1 / 6, None, 1 / 6)


@pytest.mark.parametrize(("count", "said"), [(4, ""), (5, "of 100 answers 5 truncated")])
def test_the_sentence_begins_at_five_percent(count: int, said: str) -> None:
    """Fewer answers of a kind are no news."""
    assert outcomes([Record(str(n), details={"truncated": n < count}) for n in range(100)]).remark == said


@pytest.mark.parametrize("benchmark", ["mmstar", "spiqa", "scifibench"])
@pytest.mark.parametrize("text", ["<think>So the figure", "<|channel|>analysis<|message|>The figure"])
def test_reasoning_that_never_closes_is_a_truncated_answer(benchmark: str, text: str) -> None:
    """In every benchmark, whatever the host says; one that closes is none."""
    row: dict[str, Any] = load_rows(benchmark, "demo", "ablation=text")[0]
    scorer = make_scorer(benchmark, "ablation=text", "test", None)
    found = scorer.record(row, Response(text))
    assert (found.rule, found.truncated, found.unparsed) == ("truncated", True, True)
    assert not scorer.record(row, Response("<think>So</think>The answer is A")).truncated
