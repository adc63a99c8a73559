"""The counts of several processes as one."""

from __future__ import annotations

from dataclasses import replace

from spiqa_tasks.judge.summary import Summary, combined

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
