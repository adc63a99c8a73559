"""Answers in, records out, numbers out."""

import hashlib
import logging
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks import scorer
from spiqa_tasks.benchmarks.answers import FREE_ANSWERS
from spiqa_tasks.benchmarks.choice import check_unique
from spiqa_tasks.benchmarks.mmstar.definition import MMSTAR
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.benchmarks.scorer import (
    LONGEST,
    Scorer,
    judged,
    log_missing_text_metrics,
    make_scorer,
    missing_text_metrics,
)
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.benchmarks.spiqa.definition import SPIQA
from spiqa_tasks.errors import DataError
from spiqa_tasks.hosts.lmms_eval_files import answer_score
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.metrics.text_scores import TOKENIZER, text_scores
from spiqa_tasks.scoring.mcq import MATCHER_VERSION

YES, NO = 0.9 / 0.98, 0.08 / 0.98
"""What the local judge gives an answer that equals the reference, and any other."""
ANSWER = "{{'Answer': '{}'}}"

ScorerOf = Callable[..., Scorer]


def spiqa_rows(count: int) -> list[dict[str, Any]]:
    return load_rows("spiqa", "demo", "ablation=text")[:count]


def records_of(scorer: Scorer, predictions: list[str]) -> list[Record]:
    """Return records of the first questions; the text `right` stands for the right answer."""
    rows = spiqa_rows(len(predictions))
    texts = [
        row["answer"] if text == "right" else text
        for row, text in zip(rows, predictions, strict=True)
    ]
    return [
        scorer.record(row, Response(ANSWER.format(text)))
        for row, text in zip(rows, texts, strict=True)
    ]


def test_answers_are_judged_and_averaged(
    scorer_of: ScorerOf, l3score_judge: Judge, server: OpenAIServer
) -> None:
    """A right and a wrong answer of the local judge, overall and by group, with one request
    each.
    """
    scorer = scorer_of("spiqa", "", l3score_judge)
    unjudged = records_of(scorer, ["right", "wrong", "wrong"])
    assert len(scorer.requests(unjudged)) == 3
    records = scorer.score(unjudged)
    assert scorer.requests(records) == []
    assert [record.scores["l3score"] for record in records] == pytest.approx([YES, NO, NO])
    value = scorer.value("l3score", records)
    assert (value.value, value.n) == (pytest.approx((YES + 2 * NO) / 3), 3)
    assert value.scores == {record.id: record.scores["l3score"] for record in records}
    for name in {record.groups["figure_type"] for record in records}:
        members = [record for record in records if record.groups["figure_type"] == name]
        mean = sum(record.scores["l3score"] for record in members) / len(members)
        assert scorer.value(f"l3score/{name}", members).value == pytest.approx(mean)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("benchmark", "settings"), [("spiqa", "setting=cot,protocol=both"), ("mmstar", "")]
)
def test_a_text_of_megabytes_is_a_cut_answer(
    scorer_of: ScorerOf, benchmark: str, settings: str
) -> None:
    """It counts, as a model in a loop is wrong, and is read at once, however it is made."""
    scorer = scorer_of(benchmark, settings)
    row = load_rows(benchmark, "demo", f"{settings},ablation=text")[0]
    started = time.process_time()
    for part, count in (("x", 10_000_000), ("{", 1_000_000), ("x", LONGEST + 1)):
        found = scorer.record(row, Response(part * count))
        assert found.status not in ("request_failed", "scoring_failed")
        assert found.truncated
        assert len(found.prediction or "") <= LONGEST
    for part in (
        "{",
        "{'Answer': '",
        "['",
        "I cannot see ",
        "The answer is ",
        "'Image': ",
        "<s>",
        "a. ",
        "<think>",
        "\n",
    ):
        found = scorer.record(row, Response((part * LONGEST)[:LONGEST]))
        assert found.status not in ("request_failed", "scoring_failed")
    assert time.process_time() - started < 10


@pytest.mark.parametrize("truncated", [None, False])
def test_thoughts_of_any_length_come_before_an_answer(
    scorer_of: ScorerOf, truncated: bool | None
) -> None:
    """As of a reasoning model with a budget of 32,000 tokens and more."""
    row = load_rows("mmstar", "demo", "ablation=text")[0]
    thoughts = "Is it A? Is it B? " * LONGEST
    response = Response(f"<think>{thoughts}</think>{row['answer']}", truncated=truncated)
    found = scorer_of("mmstar", "").record(row, response)
    assert (found.status, found.prediction, found.truncated) == ("ok", row["answer"], truncated)


def test_a_failing_judge_withholds_the_headline_and_nothing_else(
    scorer_of: ScorerOf, l3score_judge: Judge, server: OpenAIServer
) -> None:
    """Failures are a status, a rate and a reason; the text metrics stand."""
    server.behaviour.sticky = "400"
    scorer = scorer_of("spiqa", "", l3score_judge)
    records = scorer.score(records_of(scorer, ["right", "right"]))
    assert [record.status for record in records] == ["judge_failed"] * 2
    value = scorer.value("l3score", records)
    assert math.isnan(value.value)
    assert "0 of 2" in (value.reason or "")
    assert scorer.value("judge_failed_rate", records).value == 1.0
    assert scorer.value("rouge_l", records).value == pytest.approx(1.0)


def test_a_models_reasoning_is_no_part_of_its_answer(scorer_of: ScorerOf) -> None:
    """What stands in a think block is not read."""
    row = load_rows("mmstar", "demo", "ablation=text")[0]
    record = scorer_of("mmstar").record(row, Response("<think>It may be A. Or B?</think>C"))
    assert record.prediction == "C"


def test_a_defect_becomes_a_status_with_its_reason(
    scorer_of: ScorerOf, caplog: pytest.LogCaptureFixture
) -> None:
    """A row that cannot be scored costs no other answer; the headline is withheld and the
    failure counted.
    """
    scorer = scorer_of("mmstar")
    good, bad = load_rows("mmstar", "demo", "ablation=text")[:2]
    del bad["answer"]
    records = scorer.score([scorer.record(row, Response(good["answer"])) for row in (good, bad)])
    assert [record.status for record in records] == ["ok", "scoring_failed"]
    assert "KeyError('answer')" in (records[1].reason or "")
    assert any(bad["id"] in entry.message for entry in caplog.records)
    assert math.isnan(scorer.value("accuracy", records).value)
    assert scorer.value("scoring_failed_count", records).value == 1.0
    assert scorer.value("unparsed_rate", [records[0]]).value == 0.0


def test_the_corpus_value_is_the_mean_of_the_scores_that_the_records_get(
    scorer_of: ScorerOf,
) -> None:
    """ROUGE-L of each answer is its own; BLEU has none of its own; CIDEr has one where the whole
    run is there.
    """
    scorer = scorer_of("spiqa")
    unscored = records_of(scorer, ["right", "nothing of it", "the right"])
    records = scorer.score(unscored)
    expected = text_scores(
        [(record.prediction or "", record.reference) for record in records], ["rouge_l", "cider"]
    )
    for name in ("rouge_l", "cider"):
        assert [record.scores[name] for record in records] == pytest.approx(
            list(expected[name].per_item)
        )
        assert scorer.value(name, records).value == pytest.approx(expected[name].value)
    assert not any("bleu_1" in record.scores for record in records)
    alone = scorer.score(unscored, whole=False)
    assert all("rouge_l" in record.scores and "cider" not in record.scores for record in alone)


def test_what_cannot_be_computed_is_no_metric_and_says_why(scorer_of: ScorerOf) -> None:
    """Without a judge there is no L3Score; a program that is missing leaves out both readings of
    its metric.
    """
    scorer = scorer_of("spiqa", "protocol=both")
    names = [metric.name for metric in scorer.metrics]
    assert not {
        "l3score",
        "l3score_released",
        "judge_failed_rate",
        "meteor",
        "meteor_released",
    } & set(names)
    assert {"rouge_l", "rouge_l_released", "request_failed_rate"} <= set(names)
    why_not = {
        metric.name: scorer.why_not(metric) for metric in scorer.benchmark.metrics(scorer.settings)
    }
    assert "there is no judge" in (why_not["l3score"] or "")
    assert why_not["meteor_released"] == why_not["meteor"] == "left out of this test"


def test_an_answers_own_score_is_what_the_metric_gives_it(scorer_of: ScorerOf) -> None:
    """Scores of the record, rates computed from it alone, and none for metrics of the whole
    corpus.
    """
    scorer = scorer_of("spiqa")
    record = scorer.score(records_of(scorer, ["right", "wrong"]))[1]
    rows = scorer.benchmark.rows_of_table(scorer.settings)
    rouge_l, failed, bleu_1 = (
        rows[name][0] for name in ("rouge_l", "request_failed_rate", "bleu_1")
    )
    assert answer_score(rouge_l, record, joined=False) == 0.0
    assert answer_score(failed, record, joined=False) == 0.0
    assert answer_score(bleu_1, record, joined=False) is None
    unscored = records_of(scorer, ["right"])[0]
    assert answer_score(rouge_l, unscored, joined=False) is None


@pytest.fixture
def fresh() -> Iterator[None]:
    """Forget what the package keeps of text metrics, before and after the test."""
    missing_text_metrics.cache_clear()
    log_missing_text_metrics.cache_clear()
    yield
    missing_text_metrics.cache_clear()
    log_missing_text_metrics.cache_clear()


@pytest.mark.java
@pytest.mark.parametrize(
    ("benchmark", "settings", "fields"),
    [
        ("spiqa", "", {"tokenizer": TOKENIZER}),
        ("spiqa", "ablation=grey,protocol=both", {"tokenizer": TOKENIZER}),
        ("mmstar", "", {"matcher": MATCHER_VERSION}),
        ("mmstar", "ablation=text", {"matcher": MATCHER_VERSION}),
        ("mmstar", "ablation=grey", {"matcher": MATCHER_VERSION}),
        ("scifibench", "ablation=grey", {"matcher": MATCHER_VERSION}),
        ("scifibench", "ablation=text,extractor=judge", {"matcher": MATCHER_VERSION}),
        ("scifibench", "prompt=caption", {}),
    ],
)
def test_metrics_say_what_the_signature_must_have(
    benchmark: str, settings: str, fields: dict[str, str]
) -> None:
    """The tokenizer where a text metric is, the matcher where a letter is read; the settings say
    themselves what is shown.
    """
    assert dict(make_scorer(BENCHMARKS[benchmark], settings, "offline", None).signature) == fields


def test_records_are_signed_with_the_wording_of_their_prompt() -> None:
    """As a digest; that of answers without a task is not known, which is no wording."""
    row = load_rows("mmstar", "demo", "prompt=bare,ablation=text")[0]
    scored = make_scorer(MMSTAR, "prompt=bare", "offline", None).record(row, Response("A"))
    assert parse(scored.signature).prompt == hashlib.sha256(b"").hexdigest()[:8]
    answer = {"id": "1", "question": "?", "references": ["x"], "answer": "x"}
    shared = {"benchmark": "answers", "split": "file", "data": "d", "settings": ""}
    scored = make_scorer(FREE_ANSWERS, "", "offline", None).record(answer | shared, Response("x"))
    assert (scored.status, parse(scored.signature).prompt) == ("ok", "")


def test_records_are_signed_with_the_judge_as_configured(l3score_judge: Judge) -> None:
    """The model as served is known after the first answer only, so no record names it: all have
    one signature.
    """
    scorer = make_scorer(SPIQA, "", "offline", l3score_judge)
    row = load_rows("spiqa", "demo", "ablation=text")[0]
    before = scorer.record(row, Response("blue"))
    judged([before], l3score_judge)
    assert "judge_served" in l3score_judge.signature
    signature = parse(
        make_scorer(SPIQA, "", "offline", l3score_judge).record(row, Response("blue")).signature
    )
    assert signature.text == before.signature
    assert (signature.judge, signature.judge_served, signature.judge_rule) == (
        "openai:judge",
        "",
        "top-5",
    )
    assert scorer.rule is l3score_judge.rule


@pytest.mark.java
def test_a_metric_that_is_left_out_is_told_once(
    fresh: None,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """However many scorers a host makes, one line for each reason; `score` says it below its
    table instead.
    """
    missing = {"cider": "no Java", "meteor": "no Java", "bertscore_f1": "no weights"}
    monkeypatch.setattr(scorer, "available_metrics", lambda: {"rouge_l": None, **missing})
    with caplog.at_level(logging.WARNING):
        found = [dict(make_scorer(SPIQA, "", "lmms-eval", None).unavailable) for _ in range(3)]
        make_scorer(SPIQA, "", "lmms-eval", None, predictions="lmms-eval")
    assert found == [missing] * 3
    assert caplog.messages == [
        "cider, meteor are left out: no Java.",
        "bertscore_f1 is left out: no weights.",
    ]


def documents_of(scorer: Scorer) -> list[Record]:
    """Return the documents of two questions as records: each figure is helpful, the answers are
    right.
    """
    rows = load_rows("spiqa", "demo", "setting=perfigure,ablation=text")
    ids = list(dict.fromkeys(row["question_id"] for row in rows))[:2]
    rows = [row for row in rows if row["question_id"] in ids]
    return [
        scorer.record(row, Response("Yes" if row["step"] == "helpful" else row["answer"]))
        for row in rows
    ]


def test_questions_of_several_documents_are_judged_once_they_are_there(
    scorer_of: ScorerOf, l3score_judge: Judge, server: OpenAIServer
) -> None:
    """The first document of each gets the question's scores and its record; others stay as they
    are.
    """
    scorer = scorer_of("spiqa", "setting=perfigure", l3score_judge)
    documents = documents_of(scorer)
    assert (bool(scorer.join), len(scorer.requests(documents))) == (True, 2)
    assert scorer.score(documents, whole=False) == documents
    assert server.requests == []
    scored = scorer.score(documents)
    assert len(server.requests) == 2
    questions = scorer.questions(scored)
    assert [question.scores["l3score"] for question in questions] == pytest.approx([YES, YES])
    anchors = {question.details["anchor"]: question for question in questions}
    for before, after in zip(documents, scored, strict=True):
        if before.id not in anchors:
            assert after == before
            continue
        assert after.scores["l3score"] == pytest.approx(YES)
        assert after.scores["rouge_l"] == pytest.approx(1.0)
        assert (after.scores["unhelpful_rate"], after.scores["incomplete_rate"]) == (0.0, 0.0)
        assert not {"bleu_1", "judge_failed_rate", "unformatted_rate"} & set(after.scores)
        assert (after.details, after.verdicts) == (before.details, anchors[after.id].verdicts)
    assert scorer.value("l3score", scored).n == 2
    assert scorer.value("request_failed_rate", scored).n == len(documents)


@pytest.mark.parametrize(
    ("text", "is_cut_before"), [("A", False), ("<think>It may be", True), ("", True)]
)
def test_a_cut_answer_with_an_answer_keeps_its_rule(text: str, is_cut_before: bool) -> None:
    """That it was cut off is a detail; only one that ends before any answer has that as its
    reason.
    """
    row = load_rows("mmstar", "demo", "ablation=text")[0]
    record = make_scorer(MMSTAR, "", "offline", None).record(row, Response(text, truncated=True))
    assert (record.rule == "truncated") == is_cut_before
    assert record.truncated


def test_an_id_that_a_release_has_twice_is_refused() -> None:
    """Answers and scores are found by the id."""
    check_unique(["1", "2"], "mmstar.parquet")
    with pytest.raises(DataError, match=r"mmstar\.parquet once, found 1 ids more than once \(2\)"):
        check_unique(["1", "2", "2"], "mmstar.parquet")
