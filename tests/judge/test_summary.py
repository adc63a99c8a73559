"""The counts of several processes as one."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from spiqa_tasks.judge.summary import Summary, Tally, combined
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


def test_a_tally_counts_each_verdict_by_what_became_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only time in which verdicts are awaited, tokens that were paid now, and marks of answers that were judged."""
    clock = iter([10.0, 14.0, 20.0, 23.0, 30.0, 31.5, 40.0, 41.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    tally, plain = Tally(), JudgeRequest("p")
    marked = replace(plain, cut=True, suspicious=True)
    tally.opened()
    tally.opened()
    tally.closed(Verdict("ok", model="m-2", prompt_tokens=5, completion_tokens=2), marked)
    tally.closed(Verdict("ok", model="m-1", cached=True, prompt_tokens=50, completion_tokens=20), plain)
    tally.opened()
    tally.closed(Verdict("ok", prompt_tokens=7, completion_tokens=1), plain)
    asked: list[tuple[int, int]] = []

    def price(*tokens: int) -> float:
        asked.append(tokens)
        return 0.25

    assert tally.summary("j", price) == Summary("j", 2, 1, 0, 7.0, 12, 3, 0.25, ("m-1", "m-2"), 1, 1)
    assert asked == [(12, 3)]
    tally.opened()
    tally.closed(failed("HTTP 500"), marked)
    tally.opened()
    tally.closed(Verdict("ok", model="m-3", prompt_tokens=9), marked, counted=False)
    final = tally.summary("j", lambda *_: None)
    assert (final.judged, final.cached, final.failed, final.cut, final.suspicious) == (2, 1, 1, 1, 1)
    assert (final.models, final.prompt_tokens, final.cost) == (("m-1", "m-2", "m-3"), 12, None)


def test_time_runs_while_a_verdict_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a summary made meanwhile."""
    clock = iter([10.0, 12.0, 15.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    tally = Tally()
    assert tally.summary("j", lambda *_: 0.0).seconds == 0
    tally.opened()
    assert tally.summary("j", lambda *_: 0.0).seconds == 2.0
    tally.closed(failed("x"), JudgeRequest("p"))
    assert tally.summary("j", lambda *_: 0.0).seconds == 5.0
