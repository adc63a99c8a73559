"""A task's answers are scored together, and one that was not is scored to the same record."""

import copy
import json
import pickle
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from forgetting import forget_scorers
from host_files import FAILED
from hypothesis import given
from hypothesis import strategies as st
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows, rows_for_scoring
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.lmms_eval import batch_scoring
from spiqa_tasks.hosts.lmms_eval.batch_scoring import (
    LoggedRecord,
    answers_of,
    logged_values,
    split_repeats,
)
from spiqa_tasks.scoring.responses import without_reasoning

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


def test_tasks_of_ours_and_of_others_share_a_judge(judged: OpenAIServer) -> None:
    """Its test questions are asked, and paid, once."""
    forget_scorers()
    own = batch_scoring.scorer_of("spiqa", "")
    asked = len(judged.requests)
    assert asked
    assert batch_scoring.scorer_of("answers", "").judge is own.judge
    assert len(judged.requests) == asked


def test_a_judge_is_asked_about_all_answers_at_once(judged: OpenAIServer) -> None:
    """Its queue decides how many requests are in flight (8 at first), not the host's four
    threads.
    """
    docs = rows()
    forget_scorers()
    batch_scoring.scorer_of("spiqa", docs[0]["settings"])
    judged.behaviour.together = 8
    requests = answered(docs, [f"{{'Answer': 'blue {place}'}}" for place in range(len(docs))])
    batch_scoring.score_together(requests, docs, "none")
    assert judged.most_active >= 8
    asked = len(judged.requests)
    records = [
        batch_scoring.record_of(docs[request.doc_id], [request.filtered_resps["none"]])
        for request in requests
    ]
    assert len(judged.requests) == asked
    assert all("l3score" in record.scores for record in records)


def test_run_of_the_host_asks_the_judge_before_it_asks_for_a_score(
    evaluate: Evaluate, judged: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the first call of `process_results` every judgement is there; the hooks then ask
    nothing.
    """
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
    """Called directly, the hook gives the record of a whole run, but for what depends on the
    other answers.
    """
    docs = rows()
    forget_scorers()
    text = "{'Answer': 'blue'}"
    batch_scoring.score_together(answered(docs, [text] * len(docs)), docs, "none")
    whole = batch_scoring.record_of(docs[3], [text])
    forget_scorers()
    alone = batch_scoring.record_of(docs[3], [text])
    assert whole.scores.keys() - alone.scores.keys() <= {"cider"}
    assert alone.as_dict() | {"scores": None} == whole.as_dict() | {"scores": None}
    assert {name: whole.scores[name] for name in alone.scores} == pytest.approx(dict(alone.scores))


@pytest.mark.parametrize("tag", ["think", "analysis", "a_tag_of_the_user"])
def test_text_that_the_host_changes_later_finds_its_record(judged: OpenAIServer, tag: str) -> None:
    """The host strips tags of `--reasoning_tags` after its filters; no answer is judged again."""
    from lmms_eval.api.reasoning import strip_reasoning_tags

    docs = rows()
    forget_scorers()
    texts = [f"<{tag}>hm {place}</{tag}>\n{{'Answer': 'blue {place}'}}" for place in range(3)]
    batch_scoring.score_together(answered(docs, texts), docs, "none")
    asked = len(judged.requests)
    tags = [[f"<{tag}>", f"</{tag}>"]]
    found = [
        batch_scoring.record_of(docs[place], [strip_reasoning_tags(text, tags)])
        for place, text in enumerate(texts)
    ]
    assert len(judged.requests) == asked
    assert [record.prediction for record in found] == ["blue 0", "blue 1", "blue 2"]


def test_each_repeat_finds_its_own_record() -> None:
    """The host asks with all repeats first, which gives the first one, and then with one by one."""
    docs = rows()
    forget_scorers()
    texts = ["{'Answer': 'blue'}", "{'Answer': 'red'}", "{'Answer': 'blue'}"]
    requests = [request(place, text) for text in texts for place in range(len(docs))]
    batch_scoring.score_together(requests, docs, "none")
    stripped = ["the same text of each"] * 3
    asked_for = [stripped, *([text] for text in stripped)]
    found = [batch_scoring.record_of(docs[5], results).prediction for results in asked_for]
    assert found == ["blue", "blue", "red", "blue"]


@pytest.mark.parametrize("null", [None, [], [None]])
def test_a_null_is_an_empty_answer_that_is_scored_with_the_others(null: Any) -> None:
    """A reasoning model that spent its tokens; the host's log has the text "None" for it."""
    docs = rows()
    forget_scorers()
    requests = answered(docs, ["{'Answer': 'blue'}"] * len(docs))
    requests[4].filtered_resps["none"] = null
    requests[4].arguments = ("", {"max_new_tokens": 9})
    requests[4].token_counts = _counts(9)
    batch_scoring.score_together(requests, docs, "none")
    assert "cider" in batch_scoring.record_of(docs[3], [""]).scores
    record = batch_scoring.record_of(docs[4], [null])
    assert (record.prediction, record.rule, record.truncated) == ("", "truncated", True)
    assert batch_scoring.record_of(docs[4], [null]).prediction == ""


@given(st.one_of(st.lists(pieces, max_size=12).map("".join) for pieces in PIECES))
def test_stripping_by_the_host_changes_no_answer(text: str) -> None:
    """With the host's tags, stripping first and stripping here alone leave the same text."""
    from lmms_eval.api.reasoning import strip_reasoning_tags

    assert (
        without_reasoning(strip_reasoning_tags(text, HOSTS_TAGS)).strip()
        == without_reasoning(text).strip()
    )


def test_repeated_answers_are_scored_turn_by_turn() -> None:
    """Each of two answers to a question has its own scores, as if it had been given in a run of
    its own.
    """
    docs = rows()
    turns = [[row["answer"] for row in docs], ["something else"] * len(docs)]
    alone = []
    for turn in turns:
        forget_scorers()
        batch_scoring.score_together(answered(docs, turn), docs, "none")
        alone.append(
            [batch_scoring.record_of(row, [text]) for row, text in zip(docs, turn, strict=True)]
        )
    forget_scorers()
    batch_scoring.score_together(answered(docs, turns[0] + turns[1]), docs, "none")
    together = [
        [batch_scoring.record_of(row, [text]) for row, text in zip(docs, turn, strict=True)]
        for turn in turns
    ]
    assert [[record.scores for record in turn] for turn in together] == [
        [record.scores for record in turn] for turn in alone
    ]
    assert together[0][0].scores["rouge_l"] != together[1][0].scores["rouge_l"]


def test_answers_of_two_filters_are_both_kept() -> None:
    """The host applies all filters before it asks for the first score."""
    docs = rows()
    forget_scorers()
    for name, text in (("first", "blue"), ("last", "red")):
        requests = [request(place, text, name) for place in range(len(docs))]
        batch_scoring.score_together(requests, docs, name)
    found = [batch_scoring.record_of(docs[0], [text]) for text in ("blue", "red")]
    assert [record.prediction for record in found] == ["blue", "red"]
    assert all("cider" in record.scores for record in found)


def test_one_of_several_processes_has_no_cider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its word weights need the answers of all processes; the first process computes it from
    their records.
    """
    monkeypatch.setenv("WORLD_SIZE", "2")
    docs = rows()
    forget_scorers()
    batch_scoring.score_together(answered(docs, ["blue"] * len(docs)), docs, "none")
    scores = batch_scoring.record_of(docs[0], ["blue"]).scores
    assert "rouge_l" in scores
    assert "cider" not in scores


def test_defect_in_scoring_ahead_leaves_the_answers_to_the_hook(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is raised into the host; each answer is scored when it is asked for."""
    docs = rows()
    forget_scorers()
    with monkeypatch.context() as patch:
        patch.setattr(batch_scoring, "answers_of", lambda *_: 1 / 0)
        batch_scoring.score_together(answered(docs, ["blue"]), docs, "none")
    assert batch_scoring.record_of(docs[0], ["blue"]).prediction == "blue"


def _counts(*tokens: int | None) -> list[Any]:
    return [SimpleNamespace(output_tokens=each) for each in tokens]


def _request(place: int, filtered: Any, counts: list[Any] | None = None, **changes: Any) -> Any:
    """A request as the host has it, its answers filtered by `none`."""
    fields = {
        "doc_id": place,
        "arguments": ("context", {"max_new_tokens": 9}),
        "filtered_resps": {"none": filtered},
    }
    return SimpleNamespace(**{**fields, "token_counts": counts or [], **changes})


@pytest.mark.parametrize(
    ("tokens", "limit", "expected"),
    [(512, 512, True), (511, 512, False), (None, 512, None), (9, "many", None)],
)
def test_the_host_tells_the_length_in_its_requests(
    tokens: int | None, limit: object, expected: bool | None
) -> None:
    """An answer with as many tokens as the task generates at most was cut off; nothing is known of
    a limit of `--gen_kwargs` that is no number.
    """
    request: Any = SimpleNamespace(
        doc_id=7,
        arguments=("context", {"max_new_tokens": limit}),
        filtered_resps={"none": ["B"]},
        token_counts=[SimpleNamespace(output_tokens=tokens)],
    )
    assert answers_of([request], "none") == {7: [Response("B", truncated=expected)]}


def test_answers_stand_by_the_place_of_their_document() -> None:
    """As one text, as a list and as the host's lists within a list; nulls are empty answers."""
    requests = [
        _request(4, "B"),
        _request(0, ["A"]),
        _request(2, [["C", "D"]]),
        _request(1, []),
        _request(3, None),
    ]
    assert answers_of(requests, "none") == {
        4: [Response("B")],
        0: [Response("A")],
        2: [Response("C"), Response("D")],
        1: [Response("")],
        3: [Response("")],
    }
    assert answers_of(requests, "other") == {}


def test_a_request_with_repeats_becomes_one_for_each_answer() -> None:
    """Each has its own answer, number and length, nothing of the filters, and all else of the
    first; in place.
    """
    repeated = _request(
        7, ["A"], _counts(5, 9, 2), resps=["A", "B", "C"], raw_filtered_resps={"none": 1}, idx=0
    )
    single = _request(8, ["D"], _counts(3), resps=["D"], raw_filtered_resps={}, idx=0)
    instances = given = [repeated, single]
    split_repeats(instances)
    assert instances is given
    assert instances[-1] is single
    assert [
        (each.idx, each.resps, each.token_counts[0].output_tokens) for each in instances[:-1]
    ] == [
        (0, ["A"], 5),
        (1, ["B"], 9),
        (2, ["C"], 2),
    ]
    assert all(each.filtered_resps == each.raw_filtered_resps == {} for each in instances[:-1])
    assert all((each.doc_id, each.arguments) == (7, repeated.arguments) for each in instances[:-1])
    instances[0].filtered_resps["none"] = "A"
    assert instances[1].filtered_resps == {}


TASK = ("mmstar", "prompt=letter")


def logged(answer: str) -> tuple[Record, dict[str, LoggedRecord]]:
    """Return a record of MMStar's first question, and its log."""
    scorer = make_scorer(BENCHMARKS[TASK[0]], TASK[1], "lmms-eval 0.7.3", None)
    record = scorer.record(rows_for_scoring("mmstar", "demo", "")[0], response_of(answer))
    return record, logged_values(record, scorer, TASK)


def test_the_headline_has_the_whole_record_and_the_others_id_and_score() -> None:
    """Prediction, reference and signature are stored once; the score is where --baseline looks
    for it.
    """
    record, found = logged("A")
    assert list(found) == [
        "accuracy",
        "accuracy/coarse_perception",
        "accuracy_released",
        "refusal_rate",
        "unparsed_rate",
        "request_failed_rate",
        "score",
    ]
    assert Record.from_dict(json.loads(json.dumps(found["accuracy"]))) == record
    assert found["accuracy"]["score"] == found["score"] == 1.0
    assert found["refusal_rate"] == {"id": record.id, "score": 0.0}


def test_a_failed_request_has_no_score() -> None:
    """Neither at the top nor under the metrics that speak of answers; its own rate counts it."""
    _, found = logged(FAILED)
    assert "score" not in found
    assert "score" not in found["accuracy"]
    assert found["request_failed_rate"]["score"] == 1.0


def test_an_answer_that_scoring_fails_on_is_counted() -> None:
    """The count is there only where something failed, with the reason."""
    scorer = make_scorer(BENCHMARKS[TASK[0]], TASK[1], "lmms-eval 0.7.3", None)
    row = {**rows_for_scoring("mmstar", "demo", "")[0], "letters": None}
    found = logged_values(scorer.record(row, Response("A")), scorer, TASK)
    assert "TypeError" in found["scoring_failed_count"]["reason"]
    assert "scoring_failed_count" not in logged("A")[1]


@pytest.mark.parametrize(
    "through", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_a_value_keeps_its_record_between_processes(through: object) -> None:
    """The host gathers values by pickling; the aggregation needs the record."""
    record, found = logged("A")
    again = through(found["refusal_rate"])  # type: ignore[operator]
    assert (again, again.record, again.metric, again.task) == (
        found["refusal_rate"],
        record,
        "refusal_rate",
        TASK,
    )


def test_the_record_is_found_in_a_sample_of_ours() -> None:
    """By its id and status; other dictionaries, and samples of other tasks, have none."""
    record, found = logged("A")
    sample = {"doc_id": 3, "target": "A", "status": "x", "id": "y", **found}
    assert Record.of_sample(sample) == record
    for other in (
        {},
        {"a": {"id": "1"}},
        {"a": {"status": "ok"}},
        {"a": "id status"},
        {"id": "1", "status": "ok"},
    ):
        assert Record.of_sample(other) is None
    second = {"again": {**dict(found["accuracy"]), "id": "2"}}
    assert Record.of_sample({**sample, **second}) == record
