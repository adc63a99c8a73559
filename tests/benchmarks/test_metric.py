"""How records become numbers: what counts, what is withheld, and that nothing is changed."""

import copy
import functools
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from forgetting import forget_text_metrics
from hypothesis import given
from hypothesis import strategies as st
from openai_server import OpenAIServer
from scipy import stats

from spiqa_tasks.benchmarks.metric import (
    NO_ANSWER,
    SCORING_FAILED,
    Metric,
    RecordSet,
    Value,
    group_sizes,
    mean_of,
    mean_value,
    prepare,
    share_of,
    value_over,
)
from spiqa_tasks.benchmarks.open_metrics import text_metric
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.metrics import coco_java
from spiqa_tasks.scoring.coco_toolkit import FIELDS
from spiqa_tasks.scoring.intervals import mean_interval, share_interval

DEFECT = Record("defect", status="scoring_failed")


def scored(count: int, score: float = 0.5) -> list[Record]:
    return [Record(str(number), scores={"x": score}) for number in range(count)]


def unscored(count: int) -> list[Record]:
    return [Record(f"u{number}", status="judge_failed") for number in range(count)]


@pytest.mark.parametrize(
    ("missing", "is_withheld"), [(0, False), (1, False), (2, True), (100, True)]
)
def test_mean_is_withheld_below_99_percent(missing: int, is_withheld: bool) -> None:
    """Of 100 records, one without a score is tolerated and left out of the mean; two withhold
    it, with the reason.
    """
    value = mean_of("x").compute(scored(100 - missing) + unscored(missing))
    assert value.n == 100 - missing
    if is_withheld:
        assert math.isnan(value.value)
        assert value.scores == {}
        assert value.reason == f"{100 - missing} of 100 answers have a score, fewer than 99%"
    else:
        assert (value.value, value.reason, len(value.scores)) == (0.5, None, 100 - missing)


def test_a_share_leaves_out_what_could_not_be_scored() -> None:
    """A defect of the scoring says nothing about the answer: it neither holds nor fails to hold."""
    share = share_of("refused_rate", lambda record: record.refused)
    records = [Record(str(number), refused=number < 30) for number in range(120)]
    assert share.compute(records).value == 0.25
    assert share.compute(records).scores == {record.id: float(record.refused) for record in records}
    assert share.compute([*records, DEFECT]).value == 0.25
    assert math.isnan(share.compute([*records[:9], DEFECT]).value)
    assert not share.higher_is_better


@pytest.mark.parametrize(
    ("answered", "asked", "whole"),
    [
        (100, 100, True),
        (99, 100, True),
        (98, 100, False),
        (1, 2, False),
        (0, 5, False),
        (7, 0, True),
        (120, 100, True),
    ],
)
def test_a_run_is_whole_from_99_percent_of_the_tasks_questions_on(
    answered: int, asked: int, whole: bool
) -> None:
    """Else it is a part, `n of N`; where nobody knows how many there are, it is taken for whole."""
    records = RecordSet(scored(answered), scored(answered), asked)
    assert (records.answered, records.is_whole) == (answered, whole)
    assert records.coverage == f"{answered} of {asked or answered}"
    assert records.part == ("" if whole else f"{answered} of {asked}")


def test_a_question_of_which_documents_are_missing_was_not_answered() -> None:
    """Figures of it may have been asked about; it counts when it was asked in whole."""
    questions = [*scored(97), *(Record(f"i{number}", status="incomplete") for number in range(3))]
    records = RecordSet(scored(500), questions, 100)
    assert (records.answered, records.is_whole) == (97, False)


@pytest.mark.parametrize("group", [None, "plot", "no such group"])
def test_every_value_over_a_part_is_withheld_unless_it_is_asked_for(group: str | None) -> None:
    """One rule for all metrics and groups: `n of N` is the reason, whatever the metric would
    have said.
    """
    records = [
        Record(str(number), scores={"x": 0.5}, groups={"type": "plot"}) for number in range(12)
    ]
    for metric in (mean_of("x"), share_of("refused_rate", lambda record: record.refused)):
        found = RecordSet(records, records, 24).value(metric, group)
        assert math.isnan(found.value)
        assert (found.n, found.scores) == (0 if group == "no such group" else 12, {})
        assert found.reason == "12 of 24 questions were answered, fewer than 99%"
        assert found.interval is None
    found = RecordSet(records, records, 24, partial=True).value(mean_of("x"), group)
    if group == "no such group":
        assert (math.isnan(found.value), found.n, found.reason) == (True, 0, NO_ANSWER)
    else:
        assert (found.value, found.n, found.reason) == (0.5, 12, None)


@pytest.mark.parametrize(
    ("kept", "failed", "is_withheld"), [(1485, 0, False), (1490, 5, False), (1490, 6, True)]
)
def test_questions_without_an_answer_and_answers_without_a_score_are_counted_together(
    kept: int, failed: int, is_withheld: bool
) -> None:
    """Less than 1% of each may be more than 1% of the task; a part that is asked for and a group
    are told apart.
    """
    records = [
        replace(each, groups={"type": "plot"})
        for each in [*scored(kept - failed), *unscored(failed)]
    ]
    found = RecordSet(records, records, 1500).value(mean_of("x"))
    assert math.isnan(found.value) == is_withheld
    assert found.n == kept - failed
    told = f"{kept - failed} of 1500 questions were answered and have a score, fewer than 99%"
    assert found.reason == (told if is_withheld else None)
    assert not math.isnan(RecordSet(records, records, 1500, partial=True).value(mean_of("x")).value)
    assert not math.isnan(RecordSet(records, records, 1500).value(mean_of("x"), "plot").value)


def test_metrics_of_documents_are_over_documents_and_the_others_over_questions() -> None:
    """Also in a group, which document and question name themselves."""
    documents = [
        Record(f"d{number}", scores={"x": 1.0}, groups={"type": "plot"}) for number in range(4)
    ]
    questions = [Record("q", scores={"x": 0.25}, groups={"type": "table"})]
    records = RecordSet(documents, questions, 1)
    of_questions = mean_of("x")
    of_documents = Metric("x", of_questions.compute, of_documents=True)
    assert (records.value(of_questions).value, records.value(of_documents).value) == (0.25, 1.0)
    assert (records.members(of_documents, "plot"), records.members(of_questions, "plot")) == (
        documents,
        [],
    )


def clustered_records(scores: list[float], clusters: list[str | None]) -> RecordSet:
    """Return records with these scores, each in its cluster."""
    pairs = enumerate(zip(scores, clusters, strict=True))
    records = [
        Record(str(place), cluster=cluster, scores={"x": score})
        for place, (score, cluster) in pairs
    ]
    return RecordSet(records, records)


def test_a_value_has_the_interval_of_its_answers_clusters() -> None:
    """Wilson's of a share, at the effective number of scores between 0 and 1, over papers where
    there are any.
    """
    share = clustered_records([1.0] * 7 + [0.0] * 3, [None] * 10).value(mean_of("x"))
    expected = stats.binomtest(7, 10).proportion_ci(method="wilson")
    assert share.interval == pytest.approx((expected.low, expected.high))
    scores = [0.2, 0.4, 0.6, 0.8]
    alone = clustered_records(scores, [None] * 4).value(mean_of("x"))
    papers = clustered_records(scores, ["a", "a", "b", "b"]).value(mean_of("x"))
    for value, clusters in ((alone, None), (papers, list("aabb"))):
        found = share_interval(scores, clusters)
        assert value.interval == (found.low, found.high)
    assert clustered_records(scores, ["a"] * 4).value(mean_of("x")).interval is None


def test_a_group_is_held_against_its_own_size() -> None:
    """15 questions without an answer are 1% of the task: of a group of 46 they leave 31, and no
    number.
    """
    rest = [
        Record(f"r{place}", scores={"x": 1.0}, groups={"axis": "rest"}) for place in range(1454)
    ]
    here = [Record(f"a{place}", scores={"x": 1.0}, groups={"axis": "maths"}) for place in range(31)]
    records = RecordSet(
        [*rest, *here], [*rest, *here], 1500, sizes={"rest": 1454, "maths": 46, "none": 9}
    )
    assert records.value(mean_of("x")).value == 1.0
    assert records.value(mean_of("x"), "rest").value == 1.0
    maths, none = (records.value(mean_of("x"), group) for group in ("maths", "none"))
    assert (maths.n, maths.reason) == (
        31,
        "31 of 46 questions were answered and have a score, fewer than 99%",
    )
    assert math.isnan(maths.value) and none.reason is not None  # noqa: PT018
    assert replace(records, partial=True).value(mean_of("x"), "maths").value == 1.0
    assert records.value(mean_of("x"), "no such group").reason == NO_ANSWER


def test_a_group_with_a_question_that_was_not_asked_completely_has_no_mean() -> None:
    """Its task was answered but for 1 of 200 questions, 1 of the 10 of its group."""
    kinds = ["small" if place < 10 else "large" for place in range(200)]
    records = [
        replace(record, groups={"kind": kind})
        for record, kind in zip(scored(200), kinds, strict=True)
    ]
    records[0] = replace(records[0], scores={}, status="incomplete")
    answers = RecordSet(records, records, 200, sizes={"small": 10, "large": 190})
    metric = mean_of("x")
    assert (answers.value(metric).n, answers.value(metric, "large").n) == (199, 190)
    assert math.isnan(answers.value(metric, "small").value)
    part = replace(answers, partial=True).value(metric, "small")
    assert (part.value, part.n) == (0.5, 9)


def test_what_is_no_mean_over_answers_has_no_interval() -> None:
    """A withheld value, a corpus value and a value without scores."""
    assert Value(math.nan, 0).interval is None
    assert Value(0.9, 1, {"0": 0.5}).interval is None
    assert Value(0.9, 2, {"0": 0.25, "1": 0.5}, clusters={"0": "a", "1": "b"}).interval is None
    assert Value(0.375, 2, {"0": 0.25, "1": 0.5}).interval is not None
    assert Value(0.5, 1, {"0": 0.5}).interval is None


def test_a_metric_that_is_no_mean_has_no_interval_where_both_are_0() -> None:
    """As METEOR of answers without a common word, whose scores and value are 0."""
    records = clustered_records([0.0] * 4, ["a", "b", "c", "d"]).questions
    metric = mean_of("x")
    assert value_over(metric, records).interval is not None
    assert value_over(replace(metric, interval_of=None), records).interval is None
    assert text_metric("meteor").interval_of is None
    assert text_metric("rouge_l").interval_of is mean_interval


def test_cider_has_the_interval_of_t_also_where_no_score_is_above_1() -> None:
    """Which interval a metric has does not depend on the answers of a group."""
    scores = [0.1, 0.4, 0.2, 0.9]
    records = clustered_records(scores, ["a", "b", "c", "d"]).questions
    metric = replace(mean_of("x"), interval_of=text_metric("cider").interval_of)
    expected = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    assert value_over(metric, records).interval == pytest.approx(
        (max(0.0, expected.low), expected.high)
    )


def test_answers_of_a_group_count_once_if_two_columns_share_its_name() -> None:
    """Of three questions, x is the `a` of two and the `b` of two: no column has a group of 3. A
    size that differs is known of neither column.
    """
    groups = [{"a": "x", "b": "y"}, {"a": "x", "b": "x"}, {"a": "z", "b": "x"}]
    assert group_sizes(groups) == {"x": 2, "y": 1, "z": 1}
    assert group_sizes([*groups, {"b": "x"}]) == {"y": 1, "z": 1}


TASKS = [
    ("spiqa", "demo", "protocol=both", "l3score_judge"),
    ("spiqa", "demo", "setting=cot,protocol=both", "l3score_judge"),
    ("spiqa", "demo", "setting=perfigure,max_figures=2,protocol=both", "l3score_judge"),
    ("mmstar", "demo", "", None),
    ("scifibench", "demo", "extractor=judge", "letters_judge"),
    ("scifibench", "demo_fig2cap", "prompt=caption", None),
]


@pytest.mark.parametrize(
    ("benchmark", "split", "settings", "judge"), TASKS, ids=[" ".join(task[:3]) for task in TASKS]
)
def test_aggregations_change_nothing_that_they_are_given(
    benchmark: str,
    split: str,
    settings: str,
    judge: str | None,
    scorer_of: Callable[..., Scorer],
    request: pytest.FixtureRequest,
    server: OpenAIServer,
) -> None:
    """Every metric of every benchmark, overall and by group, leaves its records as they were and
    repeats itself.
    """
    server.behaviour.text = "B"
    asked: Judge | None = request.getfixturevalue(judge) if judge else None
    scorer = scorer_of(benchmark, settings, asked)
    rows = load_rows(benchmark, split, f"{settings},ablation=text")[:12]
    unscored = [
        scorer.record(row, response) for row, response in zip(rows, answers(), strict=False)
    ]
    before = copy.deepcopy(unscored)
    records = scorer.score(unscored)
    assert [record.as_dict() for record in unscored] == [record.as_dict() for record in before]
    kept = copy.deepcopy(records)
    metrics = [*scorer.metrics, SCORING_FAILED]
    groups = [None, *sorted({name for record in records for name in record.groups.values()})]
    failed = {question_of(record) for record in records if record.status == "request_failed"}
    answered = [record for record in records if question_of(record) not in failed]
    sets = [RecordSet(some, scorer.questions(some)) for some in (records, answered)]
    first, again = (
        [[some.value(metric, group) for metric in metrics] for some in sets for group in groups]
        for _ in range(2)
    )
    assert [record.as_dict() for record in records] == [record.as_dict() for record in kept]
    assert repr(first) == repr(again)
    assert {record.status for record in records} >= {"ok", "request_failed"}
    untold = [value for value in first[len(groups)] if math.isnan(value.value)]
    choice = (
        benchmark != "spiqa"
    )  # SPIQA reads it off the text; choices need the length, which is not told here
    assert len(untold) == sum(choice and metric.name == "truncated_rate" for metric in metrics)


def question_of(record: Record) -> str:
    return str(record.details.get("question_id", record.id))


def answers() -> list[Response]:
    """Return twelve responses of different kinds, the last one of a failed request."""
    texts = [
        "{'Answer': 'blue'}",
        "A",
        "Yes",
        "It depends.",
        "",
        "Sorry, I cannot see any image.",
        "No",
        "red",
    ]
    texts += ["{'Image': 1, 'Rationale': 'x'} The answer is : red", "{'Answer': 'cut", "a curve"]
    return [*(Response(text) for text in texts), Response("", "boom")]


@pytest.fixture
def java_starts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The programs of Java that were started, in their order; they return lines without counts."""
    forget_text_metrics()
    started: list[str] = []

    def run(
        program: str, _command: object, texts: Sequence[Sequence[str]], *_: object
    ) -> list[str]:
        started.append(program)
        if program == "tokenizer":
            return "\n".join(texts[0]).split("\n")
        return [" ".join(["1"] * FIELDS) for _ in texts[0]]

    monkeypatch.setattr(coco_java, "java", functools.cache(lambda: "java"))
    monkeypatch.setattr(coco_java, "_run_java", run)
    yield started
    monkeypatch.undo()
    forget_text_metrics()


def answers_in_groups() -> list[Record]:
    """Return forty answers in four groups, each with the prediction by the released parser."""
    return [
        Record(
            str(number),
            f"the {number}th answer",
            f"reference {number}",
            groups={"figure_type": f"type {number % 4}"},
            details={"released": {"prediction": f"he {number}th answe"}},
        )
        for number in range(40)
    ]


@pytest.mark.java
def test_every_metric_of_every_group_starts_each_program_once(java_starts: list[str]) -> None:
    """After `prepare` with a run's records, its groups start neither the tokenizer nor METEOR,
    in both protocols.
    """
    spiqa = BENCHMARKS["spiqa"]
    metrics = [
        each
        for each in spiqa.metrics(spiqa.parse("protocol=both"))
        if each.pairs and "bert" not in each.name
    ]
    assert {"meteor", "meteor_released", "cider"} <= {metric.name for metric in metrics}
    records = answers_in_groups()
    prepare([(metrics, records)])
    assert java_starts == ["tokenizer", "meteor"]
    for metric in metrics:
        for group in ("type 0", "type 1", "type 2", "type 3"):
            assert RecordSet(records, records).value(metric, group).n == 10
    assert java_starts == ["tokenizer", "meteor"]


def mean_of_scores(scores: list[float | None]) -> float:
    """Return the mean of some scores, one of each question."""
    return mean_value({str(place): score for place, score in enumerate(scores)}).value


def test_the_mean_is_withheld_below_99_percent() -> None:
    """The mean is over the scored, and NaN when more than one in a hundred is missing or there
    are none.
    """
    assert mean_of_scores([0.5, 1.0]) == 0.75
    assert mean_of_scores([1.0] * 99 + [None]) == 1.0
    assert math.isnan(mean_of_scores([1.0] * 98 + [None] * 2))
    assert math.isnan(mean_of_scores([1.0] * 98 + [None]))
    assert math.isnan(mean_of_scores([]))
    assert math.isnan(mean_of_scores([None]))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300), st.integers(0, 5))
def test_it_is_the_mean_or_nothing(scores: list[float], missing: int) -> None:
    """One in a hundred may be missing, no more; what is missing never moves the mean."""
    found = mean_of_scores([*scores, *[None] * missing])
    if missing * 99 > len(scores):
        assert math.isnan(found)
    else:
        assert found == pytest.approx(statistics.fmean(scores))
