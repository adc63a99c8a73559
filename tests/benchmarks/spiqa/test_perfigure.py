"""Figures shown one at a time: documents join into questions, in the corrected and in the released way."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.benchmarks import perfigure_scores as scores
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.perfigure import document_records, join
from spiqa_tasks.judge.config import parse_judge
from spiqa_tasks.judge.l3 import L3Judge
from spiqa_tasks.metrics.text_scores import text_scores

YES, NO = 0.9 / 0.98, 0.08 / 0.98
"""What the local judge gives an answer that equals the reference, and any other."""

Row = dict[str, Any]


@pytest.fixture
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[L3Judge]:
    with OpenAIServer(Behaviour()) as server:
        cache = str(tmp_path_factory.mktemp("verdicts"))
        config = parse_judge("openai:judge", base_url=server.url, api_key="EMPTY", environ={"SPIQA_TASKS_CACHE": cache})
        judge = L3Judge(config)
        judge.requests = server.requests  # type: ignore[attr-defined]
        yield judge
        judge.engine.close()


def questions(protocol: str = "both") -> list[list[Row]]:
    """The first three questions with three figures, each with all its documents."""
    rows = load_rows("spiqa", "demo", f"setting=perfigure,max_figures=3,ablation=text,protocol={protocol}")
    ids = list(dict.fromkeys(row["question_id"] for row in rows if row["documents"] == 6))[:3]
    return [[row for row in rows if row["question_id"] == question] for question in ids]


def records(replies: list[tuple[Row, str]], metric: str) -> list[dict[str, Any]]:
    return [document_records(row, reply, ["rouge_l"], True)[metric] for row, reply in replies]


def replies() -> list[tuple[Row, str]]:
    """Question 0: the referred figure helps and is answered right, another helps and is answered wrong.

    Question 1: no figure helps. Question 2: only the referred one helps, answered right.
    """
    result = []
    for number, rows in enumerate(questions()):
        others = iter(["Yes.", "No, it is not"])
        for row in rows:
            referred = bool(row["referred"])
            if row["step"] == "helpful":
                helps = {0: "Yes" if referred else next(others), 1: "No.", 2: "Yes" if referred else "No"}[number]
                result.append((row, helps))
            else:
                result.append((row, row["answer"] if referred else "wrong"))
    return result


def test_documents_are_figures_times_prompts() -> None:
    """Every shown figure has two documents with one figure each; the referred one is marked."""
    for rows in questions():
        assert len(rows) == rows[0]["documents"] == 6
        assert [row["step"] for row in rows] == ["helpful", "answer"] * 3
        assert all(len(row["figures"]) == 1 for row in rows)
        assert sum(bool(row["referred"]) for row in rows) == 2
        assert len({row["id"] for row in rows}) == 6


def test_released_protocol_asks_only_about_referred_figures() -> None:
    """Alone, the released protocol costs two documents per referred figure."""
    rows = load_rows("spiqa", "demo", "setting=perfigure,max_figures=0,ablation=text,protocol=released")
    assert len(rows) == 2 * 39
    assert all(row["referred"] == [0] for row in rows)


def test_joined_answer_is_that_of_the_helpful_figures(judge: L3Judge) -> None:
    """Helpful answers are joined and judged once; no helpful figure is 0 without a call; a right answer is right."""
    asked = records(replies(), "l3score")
    value = scores.l3score(asked, judge, {})
    scored = {record["question_id"]: record for record in asked if "score" in record}
    assert [record["score"] for record in scored.values()] == pytest.approx([NO, 0.0, YES])
    assert value == pytest.approx((NO + 0 + YES) / 3)
    first = next(iter(scored.values()))
    assert sorted(first["prediction"].replace(first["reference"], "X").split()) == ["X", "wrong"]
    assert len(judge.requests) == 2  # type: ignore[attr-defined]


def test_released_denominator_counts_every_question_once_more(judge: L3Judge) -> None:
    """Two referred figures judged right, three questions: the released script divides two by five."""
    asked = records(replies(), "l3score_released")
    assert scores.l3score_released(asked, judge, {}) == pytest.approx(2 * YES / (2 + 3))


def test_metrics_of_a_run_share_their_verdicts(judge: L3Judge) -> None:
    """Groups and rates ask for nothing that the overall metric has asked for, even without a cache."""
    verdicts: scores.Verdicts = {}
    scores.l3score(records(replies(), "l3score"), judge, verdicts)
    before = len(judge.requests)  # type: ignore[attr-defined]
    assert scores.judge_failed_rate(records(replies(), "judge_failed_rate"), judge, verdicts) == 0
    scores.l3score(records(replies(), "l3score"), judge, verdicts)
    assert len(judge.requests) == before  # type: ignore[attr-defined]


def test_question_that_a_limit_cuts_counts_in_its_own_metric_only() -> None:
    """With the last document missing, two of three questions are scored and one is told as incomplete."""
    cut = replies()[:-1]
    assert scores.incomplete_rate(records(cut, "incomplete_rate")) == pytest.approx(1 / 3)
    assert scores.unhelpful_rate(records(cut, "unhelpful_rate")) == pytest.approx(1 / 2)
    joined, incomplete = join(records(cut, "rouge_l"))
    assert (len(joined), incomplete) == (2, 1)


def test_failed_request_leaves_the_question_out_and_withholds() -> None:
    """A question with a failed document has no score, and the number is withheld when too many fail."""
    failed = [
        (row, "[LMMS_EVAL_REQUEST_FAILED after 1 retries] x") if i == 0 else (row, r)
        for i, (row, r) in enumerate(replies())
    ]
    assert math.isnan(scores.text_score(records(failed, "rouge_l")))
    assert records(failed, "request_failed_rate")[0]["score"] == 1.0


def test_order_of_records_does_not_matter() -> None:
    """Records gathered from several processes in another order give the same number."""
    forward = scores.text_score(records(replies(), "rouge_l"))
    assert scores.text_score(records(replies()[::-1], "rouge_l")) == pytest.approx(forward)


def test_released_text_metric_scores_every_helpful_referred_figure() -> None:
    """The corpus is right answer, empty answer, right answer."""
    references = [rows[0]["answer"] for rows in questions()]
    expected = text_scores(list(zip([references[0], "", references[2]], references, strict=True)), ["rouge_l"])
    assert scores.text_score_released(records(replies(), "rouge_l_released")) == pytest.approx(
        expected.values["rouge_l"]
    )
