"""Scorers of tasks, with what is installed and configured."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from spiqa_tasks.benchmarks import scorer_factory
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scorer import judged
from spiqa_tasks.benchmarks.scorer_factory import make_scorer, missing_text_metrics
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.metrics.text_scores import available_metrics, tokenizer_name
from spiqa_tasks.scoring.mcq import MATCHER_VERSION

pytestmark = pytest.mark.java

GREY = "128 at the original size"


@pytest.fixture
def fresh() -> Iterator[None]:
    """What was found out about text metrics is forgotten before and after the test."""
    missing_text_metrics.cache_clear()
    yield
    missing_text_metrics.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_a_scorer_has_the_host_and_what_is_missing() -> None:
    """SPIQA's text metrics are those that this machine has; the others need no program."""
    spiqa = make_scorer("spiqa", "protocol=both", "offline", None)
    assert spiqa.settings.protocol == "both"
    assert spiqa.context.host == "offline"
    assert dict(spiqa.context.unavailable) == {name: why for name, why in available_metrics().items() if why}
    mmstar = make_scorer("mmstar", "", "offline", None)
    assert dict(mmstar.context.unavailable) == {}


@pytest.mark.parametrize(
    ("benchmark", "settings", "fields"),
    [
        ("spiqa", "", {"tokenizer": tokenizer_name()}),
        ("spiqa", "ablation=grey,protocol=released", {"tokenizer": tokenizer_name(), "grey": GREY}),
        ("mmstar", "", {"matcher": MATCHER_VERSION}),
        ("mmstar", "ablation=grey", {"matcher": MATCHER_VERSION, "grey": GREY}),
        ("scifibench", "ablation=grey", {"matcher": MATCHER_VERSION, "grey": GREY}),
        ("scifibench", "ablation=text,extractor=judge", {"matcher": MATCHER_VERSION}),
        ("scifibench", "prompt=caption", {}),
    ],
)
def test_settings_and_metrics_say_what_the_signature_must_have(
    benchmark: str, settings: str, fields: dict[str, str]
) -> None:
    """The tokenizer where a text metric is, the matcher where a letter is read, the grey where it is shown."""
    assert dict(make_scorer(benchmark, settings, "offline", None).context.signature) == fields


def test_unknown_settings_are_refused() -> None:
    """Before anything is scored."""
    with pytest.raises(InputError, match="setting"):
        make_scorer("spiqa", "setting=best", "offline", None)


def test_records_are_signed_with_the_judge_as_configured(l3score_judge: Judge) -> None:
    """The model as served is known after the first answer only, so no record names it: all have one signature."""
    scorer = make_scorer("spiqa", "", "offline", l3score_judge)
    row = load_rows("spiqa", "demo", "ablation=text")[0]
    before = scorer.record(row, Response("blue"))
    judged([before], l3score_judge)
    assert "judge_served" in l3score_judge.signature
    signature = parse(make_scorer("spiqa", "", "offline", l3score_judge).record(row, Response("blue")).signature)
    assert signature.text == before.signature
    assert (signature.judge, signature.judge_served, signature.judge_rule) == ("openai:judge", "", "top-5")
    assert scorer.context.rule is l3score_judge.rule


def test_a_metric_that_is_left_out_is_told_once(
    fresh: None,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """However many scorers are made, one line says which metric and why."""
    monkeypatch.setattr(scorer_factory, "available_metrics", lambda: {"rouge_l": None, "meteor": "no Java"})
    with caplog.at_level(logging.WARNING):
        found = [missing_text_metrics() for _ in range(3)]
    assert found == [{"meteor": "no Java"}] * 3
    assert [entry.message for entry in caplog.records] == ["meteor is left out: no Java."]
