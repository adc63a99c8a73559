"""A task's answers are scored together, and one that was not is scored to the same record."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.hosts.lmms_eval import batch_scoring
from spiqa_tasks.scoring.reasoning import without_reasoning

Evaluate = Callable[..., dict[str, Any]]
HOSTS_TAGS = [["<think>", "</think>"], ["<thinking>", "</thinking>"]]
PIECES = [st.sampled_from([*pair, "so ", "A", " ", "\n"]) for pair in HOSTS_TAGS]


def rows() -> Any:
    """SPIQA's demo questions as the host has them."""
    from datasets import Dataset

    return Dataset.from_list(load_rows("spiqa", "demo", "ablation=text"))


def answered(docs: Any, texts: list[str]) -> list[Any]:
    """The host's requests with their answers, one per document; a document may come again."""
    return [request(place % len(docs), text) for place, text in enumerate(texts)]


def request(place: int, text: str, filter_name: str = "none") -> Any:
    """The host's request for one document, with its answer."""
    from lmms_eval.api.instance import Instance

    metadata = {"task": "t", "doc_id": place, "repeats": 1}
    return Instance("generate_until", ("", {}), 0, metadata, filtered_resps={filter_name: text})


def test_slow_judge_takes_one_round_trip(judged: OpenAIServer) -> None:
    """39 answers are judged at the same time, not four at a time as by the host's threads."""
    docs = rows()
    batch_scoring.forget()
    batch_scoring.scorer_of("spiqa", docs[0]["settings"])
    judged.behaviour.latency = 0.3
    requests = answered(docs, [f"{{'Answer': 'blue {place}'}}" for place in range(len(docs))])
    batch_scoring.score_together(requests, docs, "none")
    assert judged.most_active == len(docs) == 39
    asked = len(judged.requests)
    records = [batch_scoring.record_of(docs[request.doc_id], request.filtered_resps["none"]) for request in requests]
    assert len(judged.requests) == asked
    assert all("l3score" in record.scores for record in records)


def test_run_of_the_host_asks_the_judge_before_it_asks_for_a_score(
    evaluate: Evaluate, judged: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the first call of `process_results` every judgement is there; the hooks then ask nothing."""
    from spiqa_tasks.utils import answers

    asked: list[int] = []
    lock = threading.Lock()
    original = answers.record_of

    def counting(*args: Any) -> Any:
        with lock:
            asked.append(len(judged.requests))
        return original(*args)

    monkeypatch.setattr(answers, "record_of", counting)
    evaluate("caption_retrieval", ["spiqa_demo"])
    assert len(asked) == 39
    assert set(asked) == {len(judged.requests)}


@pytest.mark.usefixtures("judged")
def test_answer_that_was_not_scored_ahead_gets_the_same_record() -> None:
    """Called directly, the hook gives the record of a whole run, but for what depends on the other answers."""
    docs = rows()
    batch_scoring.forget()
    text = "{'Answer': 'blue'}"
    batch_scoring.score_together(answered(docs, [text] * len(docs)), docs, "none")
    whole = batch_scoring.record_of(docs[3], text)
    batch_scoring.forget()
    alone = batch_scoring.record_of(docs[3], text)
    assert whole.scores.keys() - alone.scores.keys() <= {"cider"}
    assert alone.as_dict() | {"scores": None} == whole.as_dict() | {"scores": None}
    assert {name: whole.scores[name] for name in alone.scores} == pytest.approx(dict(alone.scores))


def test_reasoning_that_the_host_strips_later_finds_its_record(judged: OpenAIServer) -> None:
    """The host strips `<think>` after its filters; the record is that of the answer scored batch_scoring."""
    from lmms_eval.api.reasoning import strip_reasoning_tags

    docs = rows()
    batch_scoring.forget()
    texts = [f"<think>hm {place}</think>\n{{'Answer': 'blue {place}'}}" for place in range(3)]
    batch_scoring.score_together(answered(docs, texts), docs, "none")
    asked = len(judged.requests)
    found = [
        batch_scoring.record_of(docs[place], strip_reasoning_tags(text, HOSTS_TAGS)) for place, text in enumerate(texts)
    ]
    assert len(judged.requests) == asked
    assert [record.prediction for record in found] == ["blue 0", "blue 1", "blue 2"]


@given(st.one_of(st.lists(pieces, max_size=12).map("".join) for pieces in PIECES))
def test_stripping_by_the_host_changes_no_answer(text: str) -> None:
    """With the host's tags, stripping first and stripping here alone leave the same text."""
    from lmms_eval.api.reasoning import strip_reasoning_tags

    assert without_reasoning(strip_reasoning_tags(text, HOSTS_TAGS)).strip() == without_reasoning(text).strip()


def test_repeated_answers_are_scored_turn_by_turn() -> None:
    """Each of two answers to a question has its own scores, as if it had been given in a run of its own."""
    docs = rows()
    turns = [[row["answer"] for row in docs], ["something else"] * len(docs)]
    alone = []
    for turn in turns:
        batch_scoring.forget()
        batch_scoring.score_together(answered(docs, turn), docs, "none")
        alone.append([batch_scoring.record_of(row, text) for row, text in zip(docs, turn, strict=True)])
    batch_scoring.forget()
    batch_scoring.score_together(answered(docs, turns[0] + turns[1]), docs, "none")
    together = [[batch_scoring.record_of(row, text) for row, text in zip(docs, turn, strict=True)] for turn in turns]
    assert [[record.scores for record in turn] for turn in together] == [
        [record.scores for record in turn] for turn in alone
    ]
    assert together[0][0].scores["rouge_l"] != together[1][0].scores["rouge_l"]


def test_answers_of_two_filters_are_both_kept() -> None:
    """The host applies all filters before it asks for the first score."""
    docs = rows()
    batch_scoring.forget()
    for name, text in (("first", "blue"), ("last", "red")):
        requests = [request(place, text, name) for place in range(len(docs))]
        batch_scoring.score_together(requests, docs, name)
    assert all("cider" in batch_scoring.record_of(docs[0], text).scores for text in ("blue", "red"))


def test_defect_in_scoring_ahead_leaves_the_answers_to_the_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is raised into the host; each answer is scored when it is asked for."""
    docs = rows()
    batch_scoring.forget()
    with monkeypatch.context() as patch:
        patch.setattr(batch_scoring, "_scored", lambda _: 1 / 0)
        batch_scoring.score_together(answered(docs, ["blue"]), docs, "none")
    assert batch_scoring.record_of(docs[0], "blue").prediction == "blue"


def test_documents_of_other_tasks_are_not_ours() -> None:
    """Neither plain lists nor data sets of the host's tasks."""
    from datasets import Dataset

    assert batch_scoring.is_ours(rows())
    assert not batch_scoring.is_ours(None)
    assert not batch_scoring.is_ours([{"benchmark": "spiqa"}])
    assert not batch_scoring.is_ours(Dataset.from_list([{"benchmark": "other", "split": "test", "settings": ""}]))
