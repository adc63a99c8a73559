"""Figures shown one at a time: documents join into questions, in the corrected and in the
released way.
"""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.metric import RecordSet
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.benchmarks.spiqa.perfigure import (
    document_record,
    is_helpful_released,
    join,
    parse_helpful,
)
from spiqa_tasks.benchmarks.spiqa.release import SpiqaSettings
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.rules import L3ScoreRule

YES, NO = 0.9 / 0.98, 0.08 / 0.98
"""What the local judge gives an answer that equals the reference, and any other."""

Row = dict[str, Any]
ScorerOf = Callable[..., Scorer]
RULE = L3ScoreRule()
BOTH = SpiqaSettings("perfigure", protocol="both")


def questions(protocol: str = "both") -> list[list[Row]]:
    """Return the documents of the first three questions with three figures."""
    rows = load_rows(
        "spiqa", "demo", f"setting=perfigure,max_figures=3,ablation=text,protocol={protocol}"
    )
    ids = list(dict.fromkeys(row["question_id"] for row in rows if row["documents"] == 6))[:3]
    return [[row for row in rows if row["question_id"] == question] for question in ids]


def replies(protocol: str = "both") -> list[tuple[Row, str]]:
    """Question 0: the referred figure helps and is answered right, another helps and is answered
    wrong.

    Question 1: no figure helps. Question 2: only the referred one helps, answered right.
    """
    result = []
    for number, rows in enumerate(questions(protocol)):
        others = iter(["Yes.", "No, it is not"])
        for row in rows:
            referred = bool(row["referred"])
            if row["step"] == "helpful":
                helps = {
                    0: "Yes" if referred else next(others),
                    1: "No.",
                    2: "Yes" if referred else "No",
                }[number]
                result.append((row, helps))
            else:
                result.append((row, row["answer"] if referred else "wrong"))
    return result


def documents(scorer: Scorer, answered: list[tuple[Row, str]]) -> list[Record]:
    return [scorer.record(row, Response(text)) for row, text in answered]


@pytest.fixture
def scorer(scorer_of: ScorerOf) -> Scorer:
    """Scores both protocols without a judge."""
    return scorer_of("spiqa", "setting=perfigure,protocol=both")


@pytest.fixture
def judged(scorer_of: ScorerOf, l3score_judge: Judge) -> Callable[[str], Scorer]:
    """A function of a protocol that returns its scorer with the local judge."""
    return lambda protocol: scorer_of(
        "spiqa", f"setting=perfigure,protocol={protocol}", l3score_judge
    )


def test_referred_figures_alone_are_two_documents_each() -> None:
    """As the released scripts for open models ask."""
    rows = load_rows(
        "spiqa", "demo", "setting=perfigure,max_figures=0,ablation=text,figures=referred"
    )
    assert len(rows) == 2 * 39
    assert all(row["referred"] == [0] for row in rows)


@pytest.mark.parametrize(("protocol", "requests"), [("corrected", 2), ("both", 3)])
def test_joined_answer_is_that_of_the_helpful_figures(
    judged: Callable[[str], Scorer], server: OpenAIServer, protocol: str, requests: int
) -> None:
    """Helpful answers are joined and judged once; no helpful figure is 0 without a call; a right
    answer is right.
    """
    scorer = judged(protocol)
    records = scorer.score(documents(scorer, replies(protocol)))
    value = scorer.value("l3score", records)
    assert list(value.scores.values()) == pytest.approx([NO, 0.0, YES])
    assert value.value == pytest.approx((NO + 0 + YES) / 3)
    first, second, third = scorer.questions(records)
    assert sorted((first.prediction or "").replace(first.reference, "X").split()) == ["X", "wrong"]
    assert (second.prediction, second.status) == ("", "no_helpful_figure")
    assert third.prediction == third.reference
    assert len(server.requests) == requests


@pytest.mark.parametrize(
    ("verdict", "answer"), [("Yes", "blue"), ("Perhaps it is.", "blue"), ("", "blue"), ("No", "")]
)
def test_an_unclear_verdict_keeps_the_answer(verdict: str, answer: str) -> None:
    """A figure that the model calls neither helpful nor unhelpful counts as helpful, as in the
    released scripts.
    """
    rows = questions()[2]
    said = [Response(verdict if row["step"] == "helpful" else "blue") for row in rows]
    (found,) = join(BOTH, [document_record(*each) for each in zip(rows, said, strict=True)], RULE)
    assert found.prediction == answer


def test_answers_are_joined_without_control_tokens_and_judged_as_released() -> None:
    """The corrected answer is what is between them; the released one is what the model wrote."""
    rows = questions()[2]
    said = [
        Response(" Yes <s>" if row["referred"] and row["step"] == "helpful" else "No")
        for row in rows
    ]
    said = [
        Response(" 5 m </s>") if row["referred"] and row["step"] == "answer" else reply
        for row, reply in zip(rows, said, strict=True)
    ]
    (found,) = join(BOTH, [document_record(*each) for each in zip(rows, said, strict=True)], RULE)
    assert (found.prediction, found.details["released_answers"]) == ("5 m", [" 5 m </s>"])
    corrected, released = (request.request.prompt for request in found.requests)
    assert "\nCandidate answer: 5 m \n" in corrected
    assert "\nCandidate answer:  5 m </s> \n" in released


def test_released_denominator_counts_every_question_once_more(
    judged: Callable[[str], Scorer],
) -> None:
    """Two referred figures judged right, three questions: the released script divides two by
    five.
    """
    scorer = judged("both")
    assert scorer.value("l3score_released", documents(scorer, replies())).value == pytest.approx(
        2 * YES / (2 + 3)
    )


def test_judge_that_fails_withholds_both_scores(
    judged: Callable[[str], Scorer], server: OpenAIServer
) -> None:
    """Questions 0 and 2 failed; nothing was asked about question 1, which has no helpful
    figure.
    """
    server.behaviour.sticky = "400"
    scorer = judged("both")
    records = scorer.score(documents(scorer, replies()))
    assert math.isnan(scorer.value("l3score", records).value)
    assert math.isnan(scorer.value("l3score_released", records).value)
    assert (
        scorer.value("judge_failed_rate", records).value,
        scorer.value("judge_failed_rate", records).n,
    ) == (pytest.approx(2 / 3), 3)
    assert {question.status for question in scorer.questions(records)} == {
        "judge_failed",
        "no_helpful_figure",
    }


def test_first_document_carries_its_question_through_a_file(
    judged: Callable[[str], Scorer], scorer: Scorer, server: OpenAIServer
) -> None:
    """Records read back from JSON give every number again, without a judge being asked."""
    writer = judged("both")
    records = writer.score(documents(writer, replies()))
    anchors = [record for record in records if record.verdicts or record.scores]
    assert len(anchors) == 3
    assert [record.scores["l3score"] for record in anchors] == pytest.approx([NO, 0.0, YES])
    read = [Record.from_dict(json.loads(json.dumps(record.as_dict()))) for record in records]
    before = len(server.requests)
    again = RecordSet(read, scorer.questions(read))
    for metric in writer.metrics:
        value = RecordSet(records, writer.questions(records)).value(metric).value
        assert again.value(metric).value == pytest.approx(value)
    assert len(server.requests) == before


def test_question_that_a_limit_cuts_counts_in_its_own_metric_only(
    judged: Callable[[str], Scorer],
) -> None:
    """With the last document missing, two of three questions are scored and one is told as
    incomplete.
    """
    scorer = judged("both")
    cut = scorer.score(documents(scorer, replies()[:-1]))
    assert scorer.value("incomplete_rate", cut).value == pytest.approx(1 / 3)
    assert scorer.value("unhelpful_rate", cut).value == pytest.approx(1 / 3)
    assert scorer.value("l3score", cut).value == pytest.approx((NO + 0) / 2)
    assert scorer.value("l3score_released", cut).value == pytest.approx(YES / (1 + 2))
    assert scorer.value("rouge_l", cut).n == scorer.value("rouge_l_released", cut).n == 2
    joined = join(BOTH, cut, None)
    assert [question.status for question in joined] == ["ok", "no_helpful_figure", "incomplete"]
    # the released value is no mean of the scores that questions with one judged figure would have
    assert "l3score" in joined[0].scores
    assert not any("l3score_released" in question.scores for question in joined)
    assert joined[2].scores == {}


def test_failed_request_leaves_the_question_out_and_withholds(scorer: Scorer) -> None:
    """A question with a failed document has no score, and the number is withheld when too many
    fail.
    """
    answered = replies()
    failed = [scorer.record(answered[0][0], Response("", "boom")), *documents(scorer, answered[1:])]
    assert math.isnan(scorer.value("rouge_l", failed).value)
    assert scorer.value("incomplete_rate", failed).value == 0
    assert scorer.value("request_failed_rate", failed).value == pytest.approx(1 / 18)
    first = scorer.questions(failed)[0]
    assert (first.status, first.reason, first.prediction) == ("request_failed", "boom", None)


def answered(number: int) -> list[Record]:
    """The documents of one of the three questions, as records."""
    question = questions()[number][0]["question_id"]
    return [
        document_record(row, Response(text))
        for row, text in replies()
        if row["question_id"] == question
    ]


@pytest.mark.parametrize(
    ("protocol", "asked"),
    [
        ("corrected", ["l3score"]),
        ("both", ["l3score", "l3score_released"]),
    ],
)
def test_each_protocol_asks_for_its_own_score(protocol: Any, asked: list[str]) -> None:
    """A joined question keeps its first document's id, and the released answers where they are
    to be scored.
    """
    parts = answered(2)
    [found] = join(SpiqaSettings("perfigure", protocol=protocol), parts, RULE)
    assert [request.metric for request in found.requests] == asked
    assert (found.id, found.status, found.scores) == (parts[0].details["question_id"], "ok", {})
    assert (found.reference, found.cluster, found.groups) == (
        *(parts[0].reference, parts[0].cluster, parts[0].groups),
    )
    answers = {} if protocol == "corrected" else {"released_answers": [parts[0].reference]}
    assert found.details == {"anchor": parts[0].id} | answers
    assert {part.status for part in parts} == {"ok"}


@pytest.mark.parametrize(
    ("reply", "corrected", "released"),
    [
        ("Yes", True, True),
        ("No.", False, False),
        ("Yes, I know it is", True, False),
        ("Yes, another view", True, False),
        ("It is not helpful", False, False),
        ("The chart", None, True),
        ("", None, True),
    ],
)
def test_released_rule_finds_no_in_other_words(
    reply: str, corrected: bool | None, released: bool
) -> None:
    """ "know" and "another" turn a yes into a no for the released rule, not for the corrected
    one.
    """
    assert parse_helpful(reply) is corrected
    assert is_helpful_released(reply) is released


def test_answers_stand_in_the_order_of_the_figures() -> None:
    """By their number: as text, figure 10 would come before figure 2."""
    first, second = (row for row, _ in replies()[:2])
    documents = []
    for figure in range(11):
        for row, reply in ((first, "Yes"), (second, f"answer {figure}")):
            row_id = f"{row['question_id']}/{figure}/{row['step']}"
            whole = {**row, "id": row_id, "documents": 22}
            documents.append(document_record(whole, Response(reply)))
    [found] = join(BOTH, documents[::-1], RULE)
    assert found.prediction == " ".join(f"answer {figure}" for figure in range(11))
