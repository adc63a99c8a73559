"""Records of SciFIBench: the judge that finds letters where the matcher leaves an answer open, and captions."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.benchmarks.aggregation import mean
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.records import scifibench_records
from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.letters import LetterJudge
from spiqa_tasks.judge.retry import RetryPolicy

OPEN = "Between {} and something else I am torn, though the former has a nicer shape."


def reader(body: dict[str, Any]) -> str:
    """Answers as appendix G.2 asks: the letter after `Between`, or None."""
    content = body["messages"][-1]["content"]
    assert content.startswith("Here is the output from a generative model:\n")
    assert content.endswith("Return only the letter of the answer. If no answer is found, return None.")
    match = re.search(r"Between ([A-E]) ", content)
    return match[1] if match else "None"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(Behaviour(text=reader)) as running:
        yield running


@pytest.fixture
def judge(server: OpenAIServer, tmp_path: Path) -> Iterator[LetterJudge]:
    policy = RetryPolicy(max_attempts=2, base=0.01, cap=0.02)
    engine = Engine(JudgeConfig("openai", "reader", server.url, "key", retry=policy, cache_dir=tmp_path))
    yield LetterJudge(engine)
    engine.close()


@pytest.fixture(scope="module")
def row() -> dict[str, Any]:
    return load_rows("scifibench", "demo_cap2fig", "ablation=text,extractor=judge")[0]


def test_judge_is_asked_only_where_the_matcher_finds_nothing(
    row: dict[str, Any], judge: LetterJudge, server: OpenAIServer
) -> None:
    """A matched letter and a refusal cost no request; an open answer does, and both metrics stay apart."""
    matched = scifibench_records(row, row["answer"], judge)
    refused = scifibench_records(row, "Sorry, I cannot see any image.", judge)
    opened = scifibench_records(row, OPEN.format(row["answer"]), judge)
    judge.finish([records["accuracy_llm"] for records in (matched, refused, opened)])
    assert len(server.requests) == 1
    assert [r["accuracy_llm"]["score"] for r in (matched, refused, opened)] == [1, 0, 1]
    assert [r["accuracy"]["score"] for r in (matched, refused, opened)] == [1, 0, 0]
    assert [r["extractor_rate"]["score"] for r in (matched, refused, opened)] == [0, 0, 1]
    assert opened["accuracy_llm"]["letter"] == row["answer"]
    assert opened["accuracy_llm"]["extractor"].startswith("openai:reader#")


def test_judge_that_finds_no_letter_leaves_the_answer_unparsed(row: dict[str, Any], judge: LetterJudge) -> None:
    """None is a miss without a letter, never a guess."""
    record = scifibench_records(row, "It depends.", judge)["accuracy_llm"]
    judge.finish([record])
    assert (record["letter"], record["score"], record["status"]) == (None, 0.0, "ok")


def test_judge_that_fails_withholds_the_number(row: dict[str, Any], judge: LetterJudge, server: OpenAIServer) -> None:
    """A failed judgement has no score; the mean of the judged metric is withheld, the matcher's is not."""
    server.behaviour.sticky = "400"
    records = scifibench_records(row, "It depends.", judge)
    copied = pickle.loads(pickle.dumps(records["accuracy_llm"]))
    assert copied["status"] == "judge_failed"
    assert "score" not in copied
    assert mean([copied]) != mean([copied])
    assert mean([records["accuracy"]]) == 0


def test_failed_request_is_not_sent_to_the_judge(row: dict[str, Any], judge: LetterJudge, server: OpenAIServer) -> None:
    """The host's failure marker is no answer to look into."""
    records = scifibench_records(row, "[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom", judge)
    assert "score" not in records["accuracy_llm"]
    assert records["extractor_rate"]["score"] == 0
    assert server.requests == []


def test_judge_that_does_not_answer_stops_before_the_run(judge: LetterJudge, server: OpenAIServer) -> None:
    """The test question fails with the remedy in the message."""
    judge.preflight()
    server.behaviour.sticky = "401"
    with pytest.raises(JudgeError, match="extractor=judge"):
        judge.preflight()


def test_caption_is_kept_with_the_true_one() -> None:
    """Line breaks are joined; an empty answer and a failed request have no caption."""
    row = load_rows("scifibench", "demo_fig2cap", "prompt=caption")[0]
    record = scifibench_records(row, " loss \n curves ")["captioned_rate"]
    assert (record["caption"], record["score"]) == ("loss curves", 1.0)
    assert record["reference"] == row["options"][row["letters"].index(row["answer"])]
    for nothing in ("  ", "[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom"):
        assert scifibench_records(row, nothing)["captioned_rate"]["caption"] is None
