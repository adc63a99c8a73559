"""What a scored run amounts to: rows, counts, reasons and one signature, whoever writes or
prints them.
"""

import math
from typing import Any

import pytest
from scipy import stats

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.metric import NO_ANSWER, RecordSet, Value
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.benchmarks.spiqa.definition import SPIQA
from spiqa_tasks.benchmarks.summary import remark_on_answers, shares

MADE = Signature("0.2.0", "offline", "mmstar/val@d1", prompt="p1", settings="prompt=letter").text


def choice(place: int, right: bool, category: str = "math") -> Record:
    """Return a record of MMStar."""
    scores = {"accuracy": float(right), "accuracy_released": 1.0}
    return Record(f"q{place}", scores=scores, groups={"category": category}, signature=MADE)


def of(*records: Record, asked: int = 0, partial: bool = False) -> RecordSet:
    """Return a record set in which each record is a question."""
    return RecordSet(records, records, asked, partial)


def mmstar_rows(records: RecordSet) -> summary.Rows:
    """The rows of MMStar's metrics."""
    mmstar = BENCHMARKS["mmstar"]
    return summary.rows_of(mmstar.metrics(mmstar.parse("")), records)


def test_every_metric_has_a_row_followed_by_those_of_its_groups() -> None:
    """In the metrics' order; groups of the host's table that some answer is of, and no others."""
    mmstar = BENCHMARKS["mmstar"]
    settings = mmstar.parse("")
    found = mmstar_rows(
        of(
            choice(0, True, "math"),
            choice(1, True, "coarse_perception"),
            choice(2, False, "no such"),
        )
    )
    names = [metric.name for metric in mmstar.metrics(settings)]
    assert [name for name in found if "/" not in name] == names
    assert list(found)[:3] == ["accuracy", "accuracy/coarse_perception", "accuracy/math"]
    assert set(found) - set(names) == {"accuracy/coarse_perception", "accuracy/math"}
    assert all(
        (metric.name, group or "") == name.partition("/")[::2]
        for name, (metric, group) in found.items()
    )


def test_the_object_has_what_is_known_and_why_the_rest_is_not() -> None:
    """A withheld value is null with its reason; what could not be computed has its own; whole
    runs leave none out.
    """
    values = {
        "accuracy": Value(0.5, 4, {"q0": 1.0}),
        "l3score": Value(math.nan, 2, reason="2 of 4 answers have a score, fewer than 99%"),
        "meteor": Value(math.nan, 0, reason="no Java"),
        "accuracy/math": Value(math.nan, 0, reason=NO_ANSWER),
    }
    found = summary.score_object("t", of(choice(0, True)), values, {"meteor"}, missing=3)
    assert found["task"] == "t"
    assert found["metrics"] == {
        "accuracy": 0.5,
        "l3score": None,
        "meteor": None,
        "accuracy/math": None,
    }
    assert found["omitted"] == {
        "l3score": "withheld: 2 of 4 answers have a score, fewer than 99%",
        "meteor": "no Java",
        "accuracy/math": NO_ANSWER,
    }
    assert (found["counts"]["docs"], found["counts"]["missing"]) == (1, 3)
    assert found["signature"] == MADE
    whole = summary.score_object("t", of(choice(0, True)), {"accuracy": Value(1.0, 1)})
    assert "omitted" not in whole


def test_intervals_are_those_of_the_values_that_have_one() -> None:
    """As lists for JSON; how many answers there are is said of every row."""
    scores = {str(place): float(place < 7) for place in range(10)}
    values = {
        "accuracy": Value(0.7, 10, scores),
        "bleu_1": Value(0.3, 10),
        "l3score": Value(math.nan, 4, scores),
    }
    expected = stats.binomtest(7, 10).proportion_ci(method="wilson")
    found = summary.score_object("t", of(choice(0, True)), values)
    assert found["intervals"] == {
        "accuracy": [pytest.approx(expected.low), pytest.approx(expected.high)]
    }
    assert found["n"] == {"accuracy": 10, "bleu_1": 10, "l3score": 4}


def test_answers_that_were_made_differently_have_both_values_in_one_signature() -> None:
    """What is alike stands once; records without a signature say nothing."""
    records = [
        choice(0, True),
        Record("a", signature=parse(MADE).with_fields(prompt="p2").text),
        Record("b"),
    ]
    found = summary.signature_of(of(*records))
    assert (found.prompt, found.data, found.questions, found.judge_served) == (
        "p1+p2",
        "mmstar/val@d1",
        "",
        "",
    )


@pytest.mark.parametrize("partial", [False, True])
def test_a_part_of_a_task_is_in_the_signature(partial: bool) -> None:
    """`n of N`, whether values over it are asked for or not; a whole task's signature has no
    such field.
    """
    records = [choice(place, True) for place in range(3)]
    assert summary.signature_of(of(*records, asked=4, partial=partial)).questions == "3 of 4"
    assert summary.signature_of(of(*records, asked=3, partial=partial)).text == MADE


def test_every_kind_of_answer_is_counted() -> None:
    """Judged, not judged, refused, broken; what few runs have is named only if there is any."""
    records = [
        Record("ok"),
        Record("judged", verdicts=({"metric": "l3score", "score": 1.0},)),
        Record("judged too", verdicts=({"metric": "l3score", "score": 1.0},)),
        Record("not judged", verdicts=({"metric": "l3score", "reason": "gone"},)),
        Record("refused", refused=True),
        Record("unread", status="unparsed"),
        Record("long", status="unparsed", rule="truncated"),
        Record("bare", "blue", rule="unformatted"),
    ]
    assert summary.counts(of(*records)) == {
        "docs": 8,
        "judged": 2,
        "judge_failed": 1,
        "refused": 1,
        "unparsed": 3,
        "truncated": 1,
        "request_failed": 0,
        "scoring_failed": 0,
        "scored_unparsed": 1,
    }
    assert "scored_unparsed" not in summary.counts(of(records[0]))


def test_truncated_answers_are_those_that_tell() -> None:
    """The host or the text; None if neither says it of any."""
    records = [
        Record("1", details={"truncated": True}),
        Record("2", details={"truncated": False}),
        Record("3"),
    ]
    assert shares(records)["truncated"] == pytest.approx(1 / 3)
    assert shares([Record("1", rule="truncated"), Record("2")])["truncated"] == 0.5
    assert shares(records[2:])["truncated"] is None


def test_what_nothing_was_read_in_is_unparsed_and_a_failed_request_is_not() -> None:
    """By its status or rule, also if the empty answer has a score; what is scored as it is
    stands apart, but for "nan".
    """
    unread = [
        Record("1", status="unparsed"),
        Record("2", rule="empty"),
        Record("3", "nan", rule="unformatted"),
    ]
    others = [
        Record("4", status="request_failed"),
        Record("5", "None"),
        Record("6", "so", rule="unformatted"),
    ]
    assert shares(unread + others) == {
        "n": 6,
        "refused": 0,
        "unparsed": 3 / 6,
        "failed": 1 / 6,
        "truncated": None,
        "scored_unparsed": 1 / 6,
    }


@pytest.mark.parametrize(("count", "said"), [(4, ""), (5, "of 100 answers 5 truncated")])
def test_the_sentence_begins_at_five_percent(count: int, said: str) -> None:
    """Fewer answers of a kind are no news."""
    records = [Record(str(n), details={"truncated": n < count}) for n in range(100)]
    assert remark_on_answers(records) == said


@pytest.mark.parametrize("benchmark", ["mmstar", "spiqa", "scifibench"])
@pytest.mark.parametrize(
    "text", ["<think>So the figure", "<|channel|>analysis<|message|>The figure"]
)
def test_reasoning_that_never_closes_is_a_truncated_answer(benchmark: str, text: str) -> None:
    """In every benchmark, whatever the host says; one that closes is none."""
    row: dict[str, Any] = load_rows(benchmark, "demo", "ablation=text")[0]
    scorer = make_scorer(BENCHMARKS[benchmark], "ablation=text", "test", None)
    found = scorer.record(row, Response(text))
    assert (found.rule, found.truncated, found.unparsed) == ("truncated", True, True)
    assert not scorer.record(row, Response("<think>So</think>The answer is A")).truncated


def test_a_cut_answer_that_was_read_keeps_its_rule() -> None:
    """The host says that it was cut; what it says before the cut is an answer."""
    row: dict[str, Any] = load_rows("spiqa", "demo", "ablation=text")[0]
    scorer = make_scorer(SPIQA, "ablation=text", "test", None)
    record = scorer.record(row, Response("{'Answer': 'five'} and so on", truncated=True))
    assert (record.rule, record.prediction, record.details["truncated"]) == ("ok", "five", True)


def test_refusals_and_unparsed_answers_are_one_kind_of_loss() -> None:
    """3% of each are 6% that say nothing, which is more than the 5% from which they are told."""
    unread = [Record(f"u{n}", status="unparsed") for n in range(3)]
    refused = [Record(f"r{n}", refused=True) for n in range(3)]
    read = [choice(n, right=True) for n in range(96)]
    remark = remark_on_answers([*unread, *refused, *read[:94]])
    assert remark == "of 100 answers 3 refused, 3 empty or unparsed"
    assert remark_on_answers([*unread, *refused[:1], *read]) == ""


def test_the_warning_names_three_of_the_answers_that_are_none() -> None:
    """So that somebody can read them; answers that were read are not named."""
    unread = [Record(f"n{place}", rule="empty", signature=MADE) for place in range(4)]
    (remark,) = summary.remarks_on(BENCHMARKS["mmstar"], [choice(0, right=True), *unread])
    assert remark.endswith("Read some before you trust the values, such as n0, n1, n2.")


def test_the_warning_names_no_answer_of_a_plain_file_for_its_format() -> None:
    """Nobody knows whether it was asked for one; the refused ones are named."""
    plain = Signature("0.3.0", "offline", "spiqa/demo@d1", predictions="jsonl").text
    free = [Record(f"f{n}", "so", rule="unformatted", signature=plain) for n in range(4)]
    refused = Record("r", "I cannot.", refused=True, signature=plain)
    (remark,) = summary.remarks_on(BENCHMARKS["mmstar"], [*free, refused])
    assert remark.endswith("Read some before you trust the values, such as r.")
