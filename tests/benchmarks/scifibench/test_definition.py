"""Records and metrics of SciFIBench."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.judge.judge import Judge

OPEN = "Between {} and something else I am torn, though the former has a nicer shape."
REFUSAL = "Sorry, I cannot see any image."


def reader(body: dict[str, Any]) -> str:
    """Answers as appendix G.2 asks: the letter after `Between`, or None."""
    content = body["messages"][-1]["content"]
    assert content.startswith("Here is the output from a generative model:\n")
    assert content.endswith("Return only the letter of the answer. If no answer is found, return None.")
    match = re.search(r"Between ([A-E]) ", content)
    return match[1] if match else "None"


@pytest.fixture
def scorer(scorer_of: Callable[..., Scorer], letters_judge: Judge, server: OpenAIServer) -> Scorer:
    server.behaviour.text = reader
    return scorer_of("scifibench", "extractor=judge", letters_judge)


@pytest.fixture(scope="module")
def row() -> dict[str, Any]:
    return load_rows("scifibench", "demo_cap2fig", "ablation=text,extractor=judge")[0]


def judged(scorer: Scorer, row: dict[str, Any], *texts: str) -> list[Record]:
    return scorer.score([scorer.record(row, Response(text)) for text in texts])


def test_judge_is_asked_only_where_the_matcher_finds_nothing(
    scorer: Scorer, row: dict[str, Any], server: OpenAIServer
) -> None:
    """A matched letter and a refusal cost no request; an open answer does, and both metrics stay apart."""
    records = judged(scorer, row, row["answer"], REFUSAL, OPEN.format(row["answer"]))
    assert len(server.requests) == 1
    assert [record.scores["accuracy_llm"] for record in records] == [1, 0, 1]
    assert [record.scores["accuracy"] for record in records] == [1, 0, 0]
    extractor = scorer.benchmark.metric("extractor_rate", scorer.settings)
    assert [extractor.compute([record]).value for record in records] == [0, 0, 1]
    assert [entry["text"] for entry in records[2].verdicts] == [row["answer"]]
    assert parse(records[2].signature).judge == "openai:judge"
    assert parse(records[2].signature).judge_prompt.startswith("letters:")


def test_judge_that_finds_no_letter_leaves_the_answer_unparsed(scorer: Scorer, row: dict[str, Any]) -> None:
    """None is a miss without a letter, never a guess."""
    (record,) = judged(scorer, row, "It depends.")
    assert (record.prediction, record.scores["accuracy_llm"], record.status) == (None, 0.0, "unparsed")
    assert not record.judge_failed


def test_judge_that_fails_withholds_the_number(scorer: Scorer, row: dict[str, Any], server: OpenAIServer) -> None:
    """A failed judgement has no score; the mean of the judged metric is withheld, the matcher's is not."""
    server.behaviour.sticky = "400"
    (record,) = judged(scorer, row, "It depends.")
    read_back = Record.from_dict(json.loads(json.dumps(record.as_dict())))
    assert read_back.judge_failed
    assert "400" in (read_back.reason or "")
    assert math.isnan(scorer.value("accuracy_llm", [read_back]).value)
    assert scorer.value("accuracy", [read_back]).value == 0
    assert scorer.value("extractor_rate", [read_back]).value == 1


def test_without_the_setting_no_judge_is_named(scorer_of: Callable[..., Scorer]) -> None:
    """An open answer is unparsed, and neither of the judged metrics is there."""
    plain = scorer_of("scifibench")
    row = load_rows("scifibench", "demo_cap2fig", "ablation=text")[0]
    assert plain.record(row, Response("It depends.")).asks == ()
    assert plain.benchmark.judge(plain.settings) is None
    rates = {"refusal_rate", "unparsed_rate", "request_failed_rate", "truncated_rate"}
    assert {metric.name for metric in plain.metrics} == {"accuracy", *rates}
    assert {metric.needs for metric in plain.metrics} == {"nothing"}


def test_caption_is_kept_with_the_true_one(scorer_of: Callable[..., Scorer]) -> None:
    """Line breaks are joined; an empty answer and a failed request have no caption; no matcher read anything."""
    row = load_rows("scifibench", "demo_fig2cap", "prompt=caption")[0]
    scorer = scorer_of("scifibench", "prompt=caption")
    record, empty, failed = (
        scorer.record({**row, "id": str(number)}, response)
        for number, response in enumerate((Response(" loss \n curves "), Response("  "), Response("", "boom")))
    )
    assert (record.prediction, record.scores, record.status) == ("loss curves", {"captioned_rate": 1.0}, "ok")
    assert record.reference == row["options"][row["letters"].index(row["answer"])]
    assert parse(record.signature).matcher == ""
    assert (empty.prediction, empty.status) == (None, "unparsed")
    assert (failed.prediction, failed.status, failed.reason) == (None, "request_failed", "boom")
    assert scorer.record(row, Response("cut", "boom")).prediction is None
    assert record.groups == {"category": row["category"]}
    assert parse(record.signature).data.startswith("scifibench/demo_fig2cap@")
    assert "matcher" not in record.signature
    assert [metric.name for metric in scorer.metrics] == ["captioned_rate", "request_failed_rate"]
    assert scorer.value("request_failed_rate", [record, empty, failed]).value == pytest.approx(1 / 3)
