"""The samples as data for the page's browser."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_files import FAILED
from hypothesis import given
from hypothesis import strategies as st
from report_runs import REFUSAL, choices, run_of, runs_at

from spiqa_tasks.benchmarks.metric import RecordSet
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import DataError
from spiqa_tasks.report import samples as module
from spiqa_tasks.report.samples import as_script, samples
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Answer, Run


@pytest.fixture(scope="module")
def runs(two_runs: Path) -> list[Run]:
    """Two runs of two benchmarks."""
    return runs_at(two_runs)


@pytest.fixture
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the package find no release."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))


def of_task(data: dict[str, Any], task: str) -> list[dict[str, Any]]:
    """The samples of one task."""
    return [sample for sample in data["samples"] if sample["task"] == task]


def test_a_question_is_one_sample_with_an_answer_of_each_run(runs: list[Run]) -> None:
    """With its text, its groups and the true answer; each answer tells what became of it."""
    data = samples(runs, None)
    labels = [label.rpartition("=")[2] for label in data["runs"]]
    assert sorted(labels) == ["a", "b"]
    found = of_task(data, "mmstar_demo")
    rows = load_rows("mmstar", "demo", "ablation=text")
    assert [sample["id"] for sample in found] == [row["id"] for row in rows]
    assert [sample["question"] for sample in found] == [row["question"] for row in rows]
    assert [sample["reference"] for sample in found] == [row["answer"] for row in rows]
    assert all([answer["run"] for answer in sample["answers"]] == [0, 1] for sample in found)
    first, second, third = (sample["answers"][labels.index("b")] for sample in found[:3])
    assert (first["response"], first["refused"], first["score"]) == (REFUSAL, True, 0.0)
    assert second["status"] == "request_failed"
    assert FAILED in second["reason"]
    assert "score" not in second
    assert (third["score"], third["extracted"]) == (1.0, rows[2]["answer"])
    assert "refused" not in third


def test_figures_are_numbers_of_thumbnails(runs: list[Run]) -> None:
    """Each question's pictures in their order; without thumbnails there are none."""
    places: dict[str, int] = {}
    found = of_task(samples(runs, places), "scifibench_demo")
    rows = load_rows("scifibench", "demo", "")
    assert [[figure[0] for figure in sample["figures"]] for sample in found] == [
        [places[path] for path in row["images"]] for row in rows
    ]
    without = of_task(samples(runs, None), "scifibench_demo")
    assert {figure[0] for sample in without for figure in sample["figures"]} <= {None}


@pytest.mark.usefixtures("no_data")
def test_without_the_data_the_answers_are_there() -> None:
    """A split that is not on this machine has no question's text and no figure."""
    (sample,) = samples([run_of(choices([True]))], {})["samples"]
    assert sample == {
        "task": "mmstar_filtered",
        "id": "q0",
        "reference": "A",
        "groups": ["math"],
        "answers": [{"run": 0, "response": "A", "extracted": "A", "status": "ok", "score": 1.0}],
    }


@pytest.mark.usefixtures("no_data")
def test_a_question_without_a_task_is_that_of_the_file(tmp_path: Path) -> None:
    """A page of VLMEvalKit's ScienceQA had the true letter as the title of each sample."""
    cells = {"index": 7, "question": "Which is a fish?", "A": "emu", "B": "piranha", "answer": "B"}
    for name, answer in (("m", "B"), ("n", "A")):
        line = json.dumps({**cells, "prediction": answer})
        (tmp_path / f"{name}.jsonl").write_text(line)
    runs, _ = load_runs([RunPath(tmp_path / "m.jsonl"), RunPath(tmp_path / "n.jsonl")])
    (sample,) = samples(runs, None)["samples"]
    assert (sample["question"], sample["reference"]) == ("Which is a fish?", "B")
    assert sample["options"] == ["A: emu", "B: piranha"]
    assert [answer["extracted"] for answer in sample["answers"]] == ["B", "A"]
    assert "prompt" not in sample


def test_what_the_judge_said_comes_along() -> None:
    """What it was asked, its score with the first words, or the reason why there is none."""
    told = {
        "metric": "l3score",
        "prompt": "Is it blue?",
        "score": 0.5,
        "model": "gpt-4o",
        "top_logprobs": [["Yes", -0.12349], ["No", -2.5]],
    }
    failed = {"metric": "l3score", "reason": "gone"}
    record = Record("p/0", prediction="x", verdicts=(told, failed))
    run = run_of(
        [record], task="spiqa_testA", signature="data:spiqa/testA@d|settings:setting=direct"
    )
    ((answer,),) = (sample["answers"] for sample in samples([run], None)["samples"])
    assert answer["judge"] == [told, failed]


@pytest.mark.usefixtures("no_data")
def test_other_questions_under_the_same_id_are_other_samples(tmp_path: Path) -> None:
    """Files without a task number their questions; equal ones are one sample, with both answers."""
    shared = {"question": "Sky?", "options": ["red", "blue"], "answer": "B", "prediction": "B"}
    for name, question in (("a", "Rose?"), ("b", "Grass?")):
        rows = [shared, {**shared, "question": question}]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    runs, _ = load_runs([RunPath(tmp_path / "a.json"), RunPath(tmp_path / "b.json")])
    shown = samples(runs, None)["samples"]
    assert [(sample["id"], sample["question"]) for sample in shown] == [
        ("1", "Sky?"),
        ("2", "Rose?"),
        ("2", "Grass?"),
    ]
    assert [[answer["run"] for answer in sample["answers"]] for sample in shown] == [
        [0, 1],
        [0],
        [1],
    ]


def test_a_question_of_several_documents_is_one_sample() -> None:
    """Its answers stand one after the other, each named by its document."""
    records = [
        Record(
            f"p/0/{step}",
            prediction=text,
            reference="r",
            details={"question_id": "p/0", "step": step},
        )
        for step, text in (("helpful", "Yes"), ("answer", "blue"))
    ]
    run = run_of(
        records, task="spiqa_testA", signature="data:spiqa/testA@d|settings:setting=direct"
    )
    run.__dict__["record_set"] = RecordSet(
        records, [Record("p/0", prediction="blue", reference="r")]
    )
    (sample,) = samples([run], None)["samples"]
    assert sample["id"] == "p/0"
    assert sample["answers"][0]["response"] == "helpful: Yes\nanswer: blue"


def test_a_question_asked_figure_by_figure_is_shown_as_any() -> None:
    """With its text and its figures, found by the question's id and not by that of one of its
    documents.
    """
    settings = "setting=perfigure,max_figures=0"
    row = load_rows("spiqa", "demo", settings)[0]
    question = row["question_id"]
    records = [
        Record(row["id"], prediction="Yes", reference="r", details={"question_id": question})
    ]
    run = run_of(
        records,
        task="spiqa_demo_perfigure",
        signature=f"data:spiqa/demo@{row['data']}|settings:{settings}",
    )
    run.__dict__["record_set"] = RecordSet(
        records, [Record(question, prediction="Yes", reference="r")]
    )
    (sample,) = samples([run], None)["samples"]
    assert (sample["id"], sample["question"]) == (question, row["question"])
    assert row["id"] != question


def test_a_sample_shows_what_was_asked(runs: list[Run]) -> None:
    """The options, every score, and the option or figure that was needed."""
    rows = {row["id"]: row for row in load_rows("scifibench", "demo", "")}
    for sample in of_task(samples(runs, {}), "scifibench_demo"):
        row = rows[sample["id"]]
        assert all(
            text in "\n".join([sample["question"], *sample.get("options", ())])
            for text in row["options"]
        )
        marked = [place for place, (_, _, needed) in enumerate(sample["figures"]) if needed]
        of_options = row["subcategory"] == "cap2fig"
        assert marked == ([row["letters"].index(row["answer"])] if of_options else [])
    first, *_ = of_task(samples(runs, None), "mmstar_demo")
    assert all(
        set(answer["scores"]) >= {"accuracy", "accuracy_released"} for answer in first["answers"]
    )


def test_a_prompt_is_shown_as_it_was_logged() -> None:
    """Cut where it is very long; not where nothing was logged, or the question alone."""
    row = load_rows("mmstar", "demo", "ablation=text")[0]
    shown = []
    for logged in ("Look!\n" + row["question"], "x" * 4000, row["question"], ""):
        answer = Answer(
            row["id"], Response("A"), Record(row["id"], "A", row["answer"]), question=logged
        )
        run = run_of(
            [answer.record],
            task="mmstar_demo",
            signature="data:mmstar/demo@d|settings:ablation=text",
        )
        (sample,) = samples([replace(run, read=lambda answer=answer: [answer])], None)["samples"]
        assert sample["question"] == row["question"]
        shown.append(sample.get("prompt"))
    assert shown == [
        "Look!\n" + row["question"],
        "x" * 3000 + " ... (1,000 characters more)",
        None,
        None,
    ]


def test_a_run_that_was_asked_otherwise_shows_its_own_prompt() -> None:
    """The sample has the prompt of the first run; an equal one is not repeated."""
    runs = []
    for model, logged in (("a", "One?"), ("b", "One?"), ("c", "Two?")):
        answer = Answer("q0", Response("A"), choices([True])[0], question=logged)
        runs.append(replace(run_of(choices([True]), model), read=lambda answer=answer: [answer]))
    (sample,) = samples(runs, None)["samples"]
    assert (sample["prompt"], [answer.get("prompt") for answer in sample["answers"]]) == (
        "One?",
        [None, None, "Two?"],
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        st.lists,
    )
)
def test_data_in_a_script_ends_no_element(data: Any) -> None:
    """Any JSON comes back as it was, and holds nothing that a browser reads as a tag or a
    comment.
    """
    text = as_script(data)
    assert "<" not in text
    assert json.loads(text) == data


def test_nan_is_never_written() -> None:
    """It is no JSON, and a browser would show nothing at all."""
    with pytest.raises(ValueError, match="JSON"):
        as_script({"score": float("nan")})


@pytest.mark.usefixtures("no_data")
def test_every_question_of_a_large_task_is_there() -> None:
    """The browser draws those in view alone, so that there is no limit on their number."""
    run = run_of(choices([True] * 10_001), "m")
    assert len(samples([run], None)["samples"]) == 10_001


def test_figures_of_a_paper_have_their_captions() -> None:
    """Those that the question refers to are marked."""
    row = load_rows("spiqa", "demo", "setting=direct")[0]
    places: dict[str, int] = {}
    run = run_of(
        [Record(row["id"], "x", "y")],
        "m",
        "spiqa_demo",
        "data:spiqa/demo@d|settings:setting=direct",
    )
    (sample,) = samples([run], places)["samples"]
    assert sample["question"] == row["question"]
    assert sample["figures"] == [
        [places[figure["path"]], figure["caption"], int(figure["file"] in row["referred"])]
        for figure in row["figures"]
    ]


def test_questions_are_there_where_their_pictures_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Annotations without the archive of figures: the text of a question, and no figure."""

    def no_pictures(*_: str) -> None:
        raise DataError("Expected pictures, found none.")

    monkeypatch.setattr(module, "load_rows", no_pictures)
    row = load_rows("spiqa", "demo", "setting=direct")[0]
    run = run_of(
        [Record(row["id"], "x", "y")],
        "m",
        "spiqa_demo",
        "data:spiqa/demo@d|settings:setting=direct",
    )
    (sample,) = samples([run], {})["samples"]
    assert sample["question"] == row["question"]
