"""Scorers made from what is installed and configured."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks import making
from spiqa_tasks.benchmarks.judging import Judging
from spiqa_tasks.benchmarks.making import judging_of_environment, make_scorer, missing_text_metrics
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.metrics.text_scores import available_metrics, tokenizer_name


@pytest.fixture
def fresh() -> Iterator[None]:
    """What was found out about text metrics is forgotten before and after the test."""
    missing_text_metrics.cache_clear()
    yield
    missing_text_metrics.cache_clear()


def at(server: OpenAIServer, judge: str = "openai:judge") -> dict[str, str]:
    """An environment with a judge at the local server."""
    return {"SPIQA_JUDGE": judge, "SPIQA_JUDGE_BASE_URL": server.url, "SPIQA_JUDGE_API_KEY": "key"}


@pytest.mark.usefixtures("fresh")
def test_a_scorer_knows_host_tokenizer_and_what_is_missing() -> None:
    """SPIQA's text metrics are those that this machine has; the others need no program."""
    spiqa = make_scorer("spiqa", "protocol=both", "offline", None)
    assert spiqa.settings.protocol == "both"
    assert spiqa.context.host == "offline"
    assert spiqa.context.tokenizer == tokenizer_name()
    assert dict(spiqa.context.unavailable) == {name: why for name, why in available_metrics().items() if why}
    mmstar = make_scorer("mmstar", "", "offline", None)
    assert (mmstar.context.tokenizer, dict(mmstar.context.unavailable)) == ("", {})


def test_unknown_settings_are_refused() -> None:
    """Before anything is scored."""
    with pytest.raises(InputError, match="setting"):
        make_scorer("spiqa", "setting=best", "offline", None)


def test_records_are_signed_with_the_judge_as_configured(l3: Judging) -> None:
    """The model as served is known after the first answer only, so no record tells it: all have one signature."""
    scorer = make_scorer("spiqa", "", "offline", l3)
    row = load_rows("spiqa", "demo", "ablation=text")[0]
    before = scorer.record(row, Response("blue"))
    l3.complete([before])
    assert "judge_served" in l3.signature
    signature = parse(make_scorer("spiqa", "", "offline", l3).record(row, Response("blue")).signature)
    assert signature.text == before.signature
    assert (signature.judge, signature.judge_served, signature.judge_rule) == ("openai:judge", "", "top-5")
    assert scorer.context.l3 == l3.judge.rule


def test_the_environments_judge_is_tested_before_the_run(server: OpenAIServer) -> None:
    """Two answers, a right and a wrong one, tell whether it can judge; one tells whether it can read letters."""
    l3 = judging_of_environment("l3score", at(server))
    letters = judging_of_environment("letters", at(server))
    assert l3 is not None
    assert letters is not None
    assert (list(l3.rules), list(letters.rules)) == (["l3"], ["letters"])
    assert len(server.requests) == 2 + 1
    assert l3.complete([Record("a")]) == [Record("a")]


def test_a_judge_that_cannot_be_used_stops_before_the_run(server: OpenAIServer) -> None:
    """The message says what to check; for letters also that the task needs one."""
    server.behaviour.sticky = "401"
    with pytest.raises(JudgeError, match="SPIQA_JUDGE=none"):
        judging_of_environment("l3score", at(server))
    with pytest.raises(JudgeError, match="extractor=judge"):
        judging_of_environment("letters", at(server))


def test_judging_can_be_switched_off_but_for_tasks_that_need_it() -> None:
    """L3Score is left out; letters that only a judge finds are not."""
    assert judging_of_environment("l3score", {"SPIQA_JUDGE": "none"}) is None
    with pytest.raises(JudgeError, match="found SPIQA_JUDGE=none"):
        judging_of_environment("letters", {"SPIQA_JUDGE": "none"})


def test_a_metric_that_is_left_out_is_told_once(
    fresh: None,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """However many scorers are made, one line says which metric and why."""
    monkeypatch.setattr(making, "available_metrics", lambda: {"rouge_l": None, "meteor": "no Java"})
    with caplog.at_level(logging.WARNING):
        found = [missing_text_metrics() for _ in range(3)]
    assert found == [{"meteor": "no Java"}] * 3
    assert [entry.message for entry in caplog.records] == ["meteor is left out: no Java."]
