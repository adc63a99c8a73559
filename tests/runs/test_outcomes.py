"""What became of a run's questions beside right and wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_files import FAILED, sample_of, write_run
from report_runs import REFUSAL, run_of, runs_at

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.outcomes import Outcomes, has_answer, is_refused, option_count, outcomes_of
from spiqa_tasks.runs.run import Run


def host_run(texts: list[str], right: bool = False) -> Run:
    """A run of a task of a host with these answers."""
    records = [Record(str(place), scores={"acc": float(right)}) for place in range(len(texts))]
    answers = [Answer(each.id, Response(text), each) for each, text in zip(records, texts, strict=True)]
    return Run("t", Identity("m"), Path("x_results.json"), "lmms-eval", lambda: answers)


def test_refusals_are_counted_by_us_and_read_from_the_wording_of_others() -> None:
    """A host's right answer is no refusal, whatever its wording; ours says itself what it is."""
    own = run_of([Record("1", refused=True), Record("2")])
    assert [is_refused(own, question) for question in own.questions] == [True, False]
    for right in (False, True):
        run = host_run([REFUSAL, "A"], right)
        assert [is_refused(run, question) for question in run.questions] == [not right, False]


def test_every_answer_counts_once(tmp_path: Path) -> None:
    """Refused, unparsed and failed are shares of the questions, as the metrics of the task have them."""
    texts = [REFUSAL, FAILED, FAILED, "no letter", "hm", ""]
    rows = load_rows("mmstar", "demo", "ablation=text")
    samples = [sample_of(row, texts[place] if place < 6 else "A") for place, row in enumerate(rows)]
    write_run(tmp_path, "m", {"t": samples}, settings={"t": "ablation=text"}, split="demo")
    (run,) = runs_at(tmp_path)
    found = outcomes_of(run, run.questions)
    assert found == Outcomes(1 / 24, 3 / 24, 2 / 24, None)
    assert found.without_answer == pytest.approx(4 / 24)
    for name, share in (("refusal_rate", found.refused), ("unparsed_rate", found.unparsed)):
        assert run.value(run.metric(name)).value == pytest.approx(share)


def test_a_hosts_empty_answer_is_unparsed() -> None:
    """What else it could not read is not logged."""
    run = host_run(["", " ", "something", REFUSAL])
    assert outcomes_of(run, run.questions) == Outcomes(0.25, 0.5, 0.0, None)


def test_truncated_answers_are_those_that_tell() -> None:
    """A host that gives no lengths leaves it open; reasoning that was cut off tells by itself."""
    records = [Record("1", details={"truncated": True}), Record("2", details={"truncated": False}), Record("3")]
    run = run_of(records)
    assert outcomes_of(run, records).truncated == 0.5
    assert outcomes_of(run, [Record("1", rule="truncated")]).truncated == 1.0
    assert outcomes_of(run, records[2:]).truncated is None


def test_an_answer_is_neither_refused_nor_empty() -> None:
    """Of a host's task by its wording; what a host counts as right is an answer."""
    run = host_run([REFUSAL, "", "A"])
    assert [has_answer(run, question) for question in run.questions] == [False, False, True]


@pytest.mark.parametrize(
    ("prompt", "reference", "expected"),
    [
        ("Which one?\nA. red\nB. blue\nC. green\nAnswer with the letter.", "B", 3),
        ("Which one?\nA. red\nB. blue\nC. green\nAnswer with the letter.", "blue", 3),
        ("What is in A: the left, B: the right?", "a long answer", None),
        ("What colour is it?", "red", None),
    ],
)
def test_options_are_counted_where_the_true_answer_is_one(prompt: str, reference: str, expected: int | None) -> None:
    """In the prompt of a host's task, of which nothing else says whether it is one of choices."""
    record = Record("1", reference=reference)
    answer = Answer("1", Response("A"), record, question=prompt)
    run = Run("t", Identity("m"), Path("x_results.json"), "lmms-eval", lambda: [answer])
    assert option_count(run, record) == expected
    assert option_count(run, Record("1", details={"options": 5})) == 5
    assert option_count(run, Record("2", reference="A")) is None


def test_what_nothing_was_read_in_is_unparsed_and_a_failed_request_is_not() -> None:
    """Of ours by its status or rule, also where the empty answer has a score; of a host's by its text."""
    ours = [
        Record("1", status="unparsed"),
        Record("2", rule="empty"),
        Record("3", status="request_failed"),
        Record("4"),
    ]
    assert outcomes_of(run_of(ours), ours) == Outcomes(0.0, 0.5, 0.25, None)
    assert [has_answer(run_of(ours), each) for each in ours] == [False, False, True, True]
    theirs = [Record("1", status="request_failed"), Record("2")]
    answers = [Answer(each.id, Response(""), each) for each in theirs]
    run = Run("t", Identity("m"), Path("x_results.json"), "lmms-eval", lambda: answers)
    assert outcomes_of(run, theirs) == Outcomes(0.0, 0.5, 0.5, None)
