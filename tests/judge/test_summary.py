"""The counts of several processes as one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.summary import Summary, combined, summary_of
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

ONE = Summary("openai:a", 3, 2, 1, 4.0, 100, 10, 0.5, ("a-1",), cut=1)


def test_counts_add_up_and_the_time_is_that_of_the_slowest() -> None:
    """Processes work at the same time; the names of all served models are told once."""
    other = replace(ONE, judged=5, seconds=2.0, models=("a-2", "a-1"))
    both = combined([ONE, other])
    assert (both.judged, both.cached, both.failed, both.cut) == (8, 4, 2, 2)
    assert (both.seconds, both.prompt_tokens, both.completion_tokens, both.cost) == (4.0, 200, 20, 1.0)
    assert both.models == ("a-1", "a-2")
    assert combined([ONE]) == ONE


def test_a_price_that_one_process_does_not_know_is_not_known() -> None:
    """Part of the cost would look like all of it."""
    assert combined([ONE, replace(ONE, cost=None)]).cost is None


def test_the_line_has_every_count_and_leaves_out_what_there_is_nothing_of() -> None:
    """Prices only where they are known, marks only where there are any."""
    plain = replace(ONE, cost=None, cut=0)
    counts = "Judge openai:a: 3 judged, 2 from the cache, 1 failed, 4.0 s, 110 tokens"
    assert plain.line() == counts
    assert replace(ONE, prompt_tokens=123_400, suspicious=2).line() == (
        "Judge openai:a: 3 judged, 2 from the cache, 1 failed, 4.0 s, 123,410 tokens, about $0.50, "
        "1 long answer shown without the middle, 2 suspicious answers (may speak to the judge)"
    )
    assert replace(plain, suspicious=1).line() == f"{counts}, 1 suspicious answer (may speak to the judge)"


def test_each_verdict_counts_by_its_outcome() -> None:
    """Tokens that were paid now, marks of answers that were judged, and models, also of the test questions."""
    config = JudgeConfig("openai", "m", price=(10.0, 100.0))
    plain = JudgeRequest("p")
    marked = replace(plain, cut=True, suspicious=True)
    verdicts = {
        marked: Verdict("ok", model="m-2", prompt_tokens=5, completion_tokens=2),
        plain: Verdict("ok", model="m-1", cached=True, prompt_tokens=50, completion_tokens=20),
        replace(plain, repeat=1): Verdict("ok", prompt_tokens=7, completion_tokens=1),
        replace(marked, repeat=1): failed("HTTP 500"),
    }
    found = summary_of(config, verdicts, {"m-3"}, 7.0, 2)
    models = ("m-1", "m-2", "m-3")
    cost = pytest.approx((12 * 10 + 3 * 100) / 1e6)
    assert found == Summary("openai:m", 2, 1, 1, 7.0, 12, 3, cost, models, 1, 1, 2)
