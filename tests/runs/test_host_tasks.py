"""Logged answers of the host's own tasks, as records: right or wrong, of which question, in
which groups.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gain_files import host_samples
from host_files import FAILED, write_run
from hypothesis import given, settings
from hypothesis import strategies as st
from run_command import run_json
from run_files import read_results

from spiqa_tasks.analysis.compare import compare
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.runs.frame import frame_of, value
from spiqa_tasks.runs.lmms_eval import score_of
from spiqa_tasks.runs.run import Run

Lines = Sequence[Mapping[str, Any]]


def run_of(
    folder: Path, lines: Lines, totals: Mapping[str, float] | None = None, task: str = "t"
) -> Run:
    """Return the run of a host's own task with these samples and reported values."""
    (run,) = read_results(write_run(folder, "m", {task: lines}, totals={task: totals or {}}))
    return run


def test_fields_of_samples_that_the_yaml_does_not_list_are_no_metrics(tmp_path: Path) -> None:
    """Older versions log hashes of prompts and targets; a fork's mark of success is no headline."""
    extra = {"prompt_hash": "66f8", "target_hash": "d473", "success": True}
    scored = host_samples("AB", lambda letter: float(letter == "A"), "judged")
    path = write_run(tmp_path, "m", {"t": [{**extra, **sample} for sample in scored]})
    content = json.loads(path.read_text())
    content["configs"]["t"]["metric_list"] = [{"metric": "judged"}, {"metric": "submission"}]
    path.write_text(json.dumps(content))

    (run,) = read_results(path)
    assert [metric.name for metric in run.metrics] == ["judged"]
    assert run.value(run.metric()).value == 0.5


def inferred(answers: str) -> list[dict[str, Any]]:
    """Return samples without scores, which must be inferred from prediction and answer."""
    return host_samples(answers, lambda letter: {"pred": letter, "answer": "A"}, "acc")


@pytest.mark.parametrize(
    ("metric", "record"),
    [
        ("exact_match", lambda letter: float(letter == "A")),
        ("flag", lambda letter: letter == "A"),
        (
            "average",
            lambda letter: {"question_id": 1, "l2_category": "x", "score": int(letter == "A")},
        ),
        ("seed_image", lambda letter: {"pred": letter, "answer": "A", "question_id": 1}),
        ("mmmu_acc", lambda letter: {"answer": "A", "parsed_pred": [letter]}),
        ("mmmu_acc", lambda letter: {"answer": "a ", "parsed_pred": [[letter], "x"]}),
        (
            "llm_as_judge_eval",
            lambda letter: {"prediction": letter, "answer": "x", "true_false": letter == "A"},
        ),
        (
            "gpt_eval_score",
            lambda letter: {
                "prediction": f"{letter}.",
                "answer": "A",
                "A": "yes",
                "B": "no",
                "C": "nan",
            },
        ),
        (
            "gpt_eval_score",
            lambda letter: {
                "prediction": "yes" if letter == "A" else "no",
                "answer": "A",
                "A": "yes",
                "B": "no",
            },
        ),
    ],
)
def test_every_form_of_the_hosts_records_is_read_as_right_or_wrong(
    tmp_path: Path, metric: str, record: Callable[[str], Any]
) -> None:
    """Those that the seven benchmarks write."""
    run = run_of(tmp_path, host_samples("AAAB", record, metric), {metric: 0.75})
    assert [answer.record.scores for answer in run.read() if answer.record] == [
        {metric: float(c == "A")} for c in "AAAB"
    ]
    assert run.value(run.metric(metric)).value == 0.75


@pytest.mark.parametrize(
    "logged",
    [
        -0.1,
        1.5,
        100,
        "1",
        None,
        [],
        [1.0],
        float("nan"),
        {},
        {"score": 85},
        {"pred": "A"},
        {"answer": "A"},
        {"pred": "A", "answer": None},
        {"true_false": "yes"},
    ],
)
def test_what_is_no_share_is_no_score(logged: Any) -> None:
    """A number beyond 0 to 1 may be anything, and nothing is guessed."""
    assert score_of(logged) is None


def test_scores_that_are_inferred_must_have_the_hosts_mean(tmp_path: Path) -> None:
    """To four decimals, in its unit or, where that is not known, in any; else there is nothing
    but its number.
    """
    answers = "A" * 150 + "B" * 50
    known = {
        0.75: True,
        75.0: True,
        0.75004: True,
        0.7501: False,
        74.6: False,
        7.5: False,
        0.0075: False,
    }
    for reported, is_read in known.items():
        run = run_of(tmp_path, inferred(answers), {"acc": reported})
        value = run.value(run.metric("acc"))
        assert (value.value == 0.75, bool(value.scores)) == (is_read, is_read)
        assert (value.reason is None) == is_read
    for reported, is_read in ((0.75, True), (75.0, False)):
        run = run_of(
            tmp_path,
            [{**line, "mmmu_acc": line["acc"]} for line in inferred(answers)],
            {"mmmu_acc": reported},
            "mmmu_val",
        )
        assert bool(run.value(run.metric("mmmu_acc")).scores) == is_read
    unreported = run_of(tmp_path, inferred("AB"))
    assert unreported.value(unreported.metric("acc")).n == 0


def test_a_metric_whose_scores_are_left_out_leaves_the_others(tmp_path: Path) -> None:
    """Each is confirmed by its own number; a question without any score counts as wrong there."""
    lines = [{**line, "right": {"pred": "A", "answer": "A"}} for line in inferred("AAAB")]
    run = run_of(tmp_path, lines, {"acc": 0.1, "right": 1.0})
    assert [record.scores for record in run.records] == [{"right": 1.0}] * 4
    assert [metric.name for metric in run.metrics] == ["right", "acc"]
    half = [*inferred("AA"), *host_samples("AA", lambda _: {"pred": "A"}, "acc")]
    half = [{**line, "doc_id": place} for place, line in enumerate(half)]
    assert len(run_of(tmp_path, half, {"acc": 0.5}).records[0].scores) == 1
    assert len(run_of(tmp_path, half, {"acc": 1.0}).records[0].scores) == 0


def test_questions_without_a_metric_have_no_part_in_it(tmp_path: Path) -> None:
    """`seed_image` is of image questions only."""
    lines = host_samples("AB", lambda letter: {"pred": letter, "answer": "A"}, "seed_image")
    lines += [
        {
            "doc_id": 9,
            "target": "A",
            "filtered_resps": "A",
            "seed_video": {"pred": "A", "answer": "A"},
        }
    ]
    run = run_of(tmp_path, lines, {"seed_image": 0.5, "seed_video": 1.0})
    assert [
        (run.value(run.metric(name)).value, run.value(run.metric(name)).n)
        for name in ("seed_image", "seed_video")
    ] == [
        (0.5, 2),
        (1.0, 1),
    ]


def test_ids_are_the_records_or_the_places(tmp_path: Path) -> None:
    """The first metric's that has one; what the host adds to a sample is no metric."""
    lines = [
        {
            "acc": 1.0,
            "mmmu_acc": {"id": f"validation_{place}", "score": 1.0},
            "submission": {"id": "x"},
            "doc": {},
        }
        for place in range(2)
    ]
    run = run_of(tmp_path, lines)
    assert [record.id for record in run.records] == ["validation_0", "validation_1"]
    assert [metric.name for metric in run.metrics] == ["acc", "mmmu_acc"]
    assert [record.id for record in run_of(tmp_path, [{"acc": 1.0}, {"acc": 0.0}]).records] == [
        "0",
        "1",
    ]


def test_an_answer_is_its_text_with_the_question_and_the_true_answer(tmp_path: Path) -> None:
    """Blanks and the marks of pictures are no part of the question, so that with and without
    them it is the same.
    """
    line = {
        "doc_id": 4,
        "target": 7,
        "filtered_resps": [["A", "B"]],
        "acc": 1.0,
        "input": "Look:<image> <image 1>\n and <image_2>say.",
    }
    (answer,) = run_of(tmp_path, [line]).read()
    assert (answer.id, answer.response.text, answer.position, answer.reference) == (
        "4",
        "A",
        4,
        "7",
    )
    assert answer.question == "Look:\nand say."
    (empty,) = run_of(tmp_path, [{"acc": 1.0, "filtered_resps": [[]]}]).read()
    assert (empty.response.text, empty.question) == ("", "")


def test_a_failed_request_has_no_score(tmp_path: Path) -> None:
    """Though the host scored its marker."""
    run = run_of(tmp_path, [{"acc": 0.0, "filtered_resps": FAILED}, {"acc": 1.0}])
    first, second = run.records
    assert (first.status, first.reason, first.scores) == ("request_failed", FAILED, {})
    assert (second.status, second.reason, second.scores) == ("ok", None, {"acc": 1.0})
    assert run.by_id["0"].response.failure == FAILED
    assert run.value(run.metric("acc")).n == 1


def test_refusals_are_read_from_the_wording(tmp_path: Path) -> None:
    """Where no record counts refusals, a wrong answer that says that it sees no picture is one."""
    lines = host_samples("ABAB", lambda letter: float(letter == "A"))
    for line in lines[1:3]:
        line["filtered_resps"] = ["I'm sorry, I cannot see the image."]
    lines[3]["filtered_resps"] = ["nan"]
    run = run_of(tmp_path, lines)
    assert [question.refused for question in run.questions] == [False, True, False, False]
    assert [question.unparsed for question in run.questions] == [False, False, False, True]


def test_an_id_that_several_questions_have_is_none(tmp_path: Path) -> None:
    """They are told apart by their places; no answer is lost."""
    run = run_of(
        tmp_path, [{"acc": {"id": "x", "score": score}} for score in (1, 0, 1, 1)], {"acc": 0.75}
    )
    assert [record.id for record in run.records] == ["0", "1", "2", "3"]
    assert run.value(run.metric("acc")).value == 0.75


VALUES = st.sampled_from(
    [
        None,
        True,
        0,
        0.25,
        1.5,
        float("nan"),
        "",
        "A",
        "no",
        [],
        ["A"],
        [["B"], 1],
        {},
        {"score": 1},
        {"score": None},
    ]
)
RECORDS = st.dictionaries(
    st.sampled_from(["pred", "answer", "id", "score", "category", "A", "B"]), VALUES, max_size=5
)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["acc", "doc", "x"]), VALUES | RECORDS),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=60, deadline=None)
def test_any_records_of_a_host_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, logged: list[Any]
) -> None:
    """With scores from 0 to 1, or none."""
    run = run_of(tmp_path_factory.mktemp("any"), logged, {"acc": 0.5})
    assert all(0 <= score <= 1 for record in run.records for score in record.scores.values())
    for metric in run.metrics:
        value = run.value(metric)
        assert 0 <= value.value <= 1 or value.value != value.value


def judged(letter: str, judge: str = "openai:one") -> dict[str, Any]:
    """Return the log of our hook for an open answer to any task, judged or not."""
    is_judged = letter == "A"
    record = Record(
        "1",
        prediction="a",
        reference="a",
        status="ok" if is_judged else "judge_failed",
        reason=None if is_judged else "500",
        verdicts=({"metric": "l3score", "score": 0.9},) if is_judged else (),
        signature=f"spiqa-tasks:0.3.0|judge:{judge}",
    )
    return {**record.as_dict(), "id": letter, "score": 0.9 if is_judged else None}


def test_answers_that_our_hook_could_not_judge_are_none_that_a_metric_is_not_of(
    tmp_path: Path,
) -> None:
    """The value over the others is withheld in a frame, too, and the judge is known."""
    lines = host_samples("AB" * 4, judged, "l3score")
    for place, line in enumerate(lines):
        line["l3score"]["id"] = str(place)
    run = run_of(tmp_path, lines, {"l3score": math.nan})
    assert [record.status for record in run.records[:2]] == ["ok", "judge_failed"]
    assert run.signature.judge == "openai:one"

    found = value(frame_of([run]), "l3score")
    assert math.isnan(found.value)
    assert found.reason == "4 of 8 answers have a score, fewer than 99%"


def test_scores_of_anybodys_task_by_two_judges_are_not_compared(tmp_path: Path) -> None:
    """They differ by more than models do."""
    runs = []
    for judge in ("openai:one", "openai:two"):
        lines = host_samples("AAAA", partial(judged, judge=judge), "l3score")
        for place, line in enumerate(lines):
            line["l3score"]["id"] = str(place)
        folder = tmp_path / judge.partition(":")[2]
        run = run_of(folder, lines, {"l3score": 0.9})
        runs.append(replace(run, label=folder.name))

    found, (left_out,) = compare(runs)
    assert found == []
    assert "they have scores by openai:one and openai:two" in left_out


def test_runs_of_anybodys_task_by_two_judges_both_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one folder, too; a later run by one of the judges replaces its earlier one alone."""
    for stamp, judge in (("1", "openai:one"), ("2", "openai:two"), ("3", "openai:two")):
        lines = host_samples("AAAA", partial(judged, judge=judge), "l3score")
        for place, line in enumerate(lines):
            line["l3score"]["id"] = str(place)
        write_run(tmp_path, "m", {"t": lines}, stamp=stamp, totals={"t": {"l3score": 0.9}})

    status, rows, errors = run_json(capsys, "score", tmp_path)
    assert status == 0, errors
    assert [row["model"] for row in rows] == ["m (judge openai:one)", "m (judge openai:two)"]
    assert errors.splitlines() == [
        f"spiqa-tasks: m was run again: {tmp_path}/3_results.json counts, not "
        f"{tmp_path}/2_results.json."
    ]
