"""The questions that answers are of."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from answer_files import (
    matched,
    mmstar_table,
    right_answers,
    rows_of,
    write_jsonl,
    write_table,
)

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.runs.columns import LINES, TABLE, read_answers
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.join import join_questions, task_questions
from spiqa_tasks.runs.loading import find_task, load_runs
from spiqa_tasks.runs.paths import RunPath, read_runs
from spiqa_tasks.runs.run import Answer, Run
from spiqa_tasks.runs.subset import Subset

DEMO, FILTERED, SPIQA = find_tasks(["mmstar_demo", "mmstar_filtered", "spiqa_demo"])
ANSWERS = right_answers("mmstar_demo")


def run_made_with(settings: Mapping[str, str]) -> Run:
    """A run whose records have the settings in `settings`, by id, in their signatures."""
    answers = [
        Answer(key, Response("A"), Record(key, signature=Signature(settings=text).text))
        for key, text in settings.items()
    ]
    return Run("mmstar_demo", Identity("m"), Path("p_results.json"), "score", lambda: answers)


def table_run(path: Path) -> Run:
    """A table of answers to MMStar's demo questions."""
    write_table(mmstar_table(rows_of(DEMO)), path)
    return Run("mmstar_filtered", Identity("m"), path, TABLE, partial(read_answers, path, TABLE))


@pytest.fixture
def no_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the package find no release."""
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path / "empty"))


def test_a_filtered_task_has_the_questions_that_were_kept() -> None:
    """Those of its source are its own under the same ids."""
    kept = frozenset(list(ANSWERS)[3:6])
    found = matched(replace(DEMO, kept=kept), ANSWERS)
    assert [row["id"] for row in found.rows] == list(ANSWERS)[3:6]
    assert len(found.unmatched["unknown"]) == 21


@pytest.mark.usefixtures("no_release")
def test_without_the_release_answers_to_a_task_cannot_be_scored(tmp_path: Path) -> None:
    """A table with questions, options and answers of its own needs no task."""
    with pytest.raises(DataError):
        join_questions(table_run(tmp_path / "m.tsv"), FILTERED)


def test_answers_that_were_made_with_other_settings_than_the_tasks_are_refused() -> None:
    """The sentence has both; how answers are scored is the task's matter."""
    with pytest.raises(InputError) as error:
        join_questions(run_made_with({"1": "prompt=select"}), DEMO)
    assert str(error.value).startswith(
        "Expected answers made with prompt=letter,ablation=none,shots=0, as mmstar_demo has it, in "
        "p_results.json; found prompt=select,"
    )
    assert str(error.value).endswith(". Name their task, or score them apart.")
    both = replace(SPIQA, settings_text="protocol=both")
    run = run_made_with({rows_of(SPIQA)[0]["id"]: "protocol=corrected"})
    assert join_questions(run, both)[0].run.settings.protocol == "both"


@pytest.mark.parametrize("settings", ["", DEMO.settings_text, f"{DEMO.settings_text},shots=0"])
def test_settings_that_say_the_same_are_no_other_ones(settings: str) -> None:
    """However they are written, and where the answers do not say them."""
    found, remarks = join_questions(run_made_with({"1": settings}), DEMO)
    assert found.run.benchmark_task is DEMO
    assert len(remarks) == 1  # that there are answers missing


def test_answers_made_with_different_settings_are_refused() -> None:
    """They are no one run; the sentence has both."""
    with pytest.raises(InputError, match=r"found prompt=letter,ablation=grey.*; prompt=select,"):
        join_questions(run_made_with({"1": "prompt=select", "2": "ablation=grey"}), DEMO)


def test_other_options_than_the_questions_are_refused() -> None:
    """A file may have all or some of them; an answer is read by the release's."""
    row = rows_of(DEMO)[0]
    question = "Which? Options: A: red, and blue, B: x, C: green, D: I"
    options = {"A": "red, and blue", "B": "x", "C": "green", "D": "I"}
    made = {
        **row,
        "question": question,
        "letters": list(options),
        "options": list(options.values()),
        "answer": "A",
    }

    def joined(given: dict[str, str]) -> Mapping[str, Any]:
        answers = [Answer(row["id"], Response("A"), options=given)]
        run = Run(DEMO.name, Identity("m"), Path("m.jsonl"), "jsonl", lambda: answers)
        return join_questions(run, DEMO, rows_of=lambda _: [made])[0].rows[0]

    assert joined(options) == made
    assert joined({"A": "red, and blue"}) == made
    with pytest.raises(InputError, match="option C 'grey' there"):
        joined({**options, "C": "grey"})


def test_only_the_questions_of_a_list_count() -> None:
    """The task keeps these, answers to others are no unknown ones, and the digest is the list's."""
    ids = tuple(list(ANSWERS)[2:5])
    given = [Answer(key, Response(text)) for key, text in {**ANSWERS, "x": "A"}.items()]
    run = Run(DEMO.name, Identity("m"), Path("m.jsonl"), "jsonl", lambda: given)
    found, _ = join_questions(run, DEMO, subset=Subset(Path("ids"), ids))
    assert tuple(row["id"] for row in found.rows) == tuple(found.run.by_id) == ids
    assert (found.run.benchmark_task.kept, found.ids) == (
        frozenset(ids),
        Subset(Path("ids"), ids).digest,
    )
    assert found.unmatched == {"missing": [], "unknown": ["x"], "duplicates": [], "differing": []}
    assert join_questions(run, DEMO)[0].ids == ""


def test_spiqas_questions_are_known_by_paper_and_text(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 666 of test-A, by the columns paper_id and question, though two are one text in one
    paper.
    """
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    task = find_task("spiqa_testA")
    path = tmp_path / "m_spiqa_testA.jsonl"
    with path.open("w") as file:
        for row in task_questions(task):
            names = {name: row[name] for name in ("paper_id", "question")}
            file.write(json.dumps({**names, "prediction": row["id"]}) + "\n")
    joined, _ = join_questions(read_runs(RunPath(path))[0][0], task)
    assert (len(joined.run.by_id), joined.unmatched["missing"]) == (666, [])
    assert all(answer.response.text == key for key, answer in joined.run.by_id.items())


def test_a_published_pipelines_answers_to_spiqa_are_found(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RAG-Anything's file: an object by its own ids, whose `reference` is the file of a figure, as
    in SPIQA's rows, and no true answer.
    """
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    path = tmp_path / "spiqa_testa_full_results_final.json"
    papers = json.loads((real_data / "spiqa/test-A/SPIQA_testA.json").read_text())
    entries = {
        f"{paper}_q{index}": {
            "paper_id": paper,
            "question_index": index,
            "question": asked["question"],
            "ground_truth": asked["answer"],
            "predicted_answer": f"{paper}/{index}",
            "reference": asked["reference"],
            "question_type": "open_ended",
            "evaluation": {"similarity_score": 0.0, "is_correct": False},
        }
        for paper, released in papers.items()
        for index, asked in enumerate(released["qa"])
    }
    path.write_text(json.dumps(entries))
    (run,) = read_runs(RunPath(path))[0]
    assert [answer.reference for answer in run.read()] == [
        entry["ground_truth"] for entry in entries.values()
    ]
    joined, remarks = join_questions(run, find_task("spiqa_testA"))
    assert (len(joined.run.by_id), remarks) == (666, [])
    assert all(answer.response.text == key for key, answer in joined.run.by_id.items())


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("Error: 429 rate limit", True),
        ("openai.APIConnectionError: Connection error.", True),
        ("Request failed: timed out", True),
        ("503 Service Unavailable", True),
        ("openai.RateLimitError: Error code: 429", True),
        (" ", True),
        ("HTTP 404", False),
        ("Error: 512", False),
        ("The figure shows the timeout of a connection.", False),
    ],
)
def test_answers_that_may_be_failed_requests_are_named_and_scored(
    tmp_path: Path, text: str, is_said: bool
) -> None:
    """Empty ones, as a table has for a null, and errors of a server; a number alone is the right
    answer to some questions.
    """
    path = write_jsonl(tmp_path / "m.jsonl", {**ANSWERS, "3": text})
    run = Run("mmstar_demo", Identity("m"), path, LINES, partial(read_answers, path, LINES))
    joined, remarks = join_questions(run, DEMO)
    assert joined.run.by_id["3"].response.failure is None
    said = (
        f"{path}: 1 answer is {'like' if text.strip() else 'empty'}",
        "and scored all the same, the first: 3. If requests failed, add a column `error` with a"
        " text.",
    )
    assert any(all(part in remark for part in said) for remark in remarks) == is_said


def own_questions(path: Path, lines: Sequence[Mapping[str, Any]]) -> tuple[Run, list[str]]:
    """Return the scored run of a file with its own questions, and the remarks on it."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (run,), remarks = load_runs([RunPath(path)])
    return run, remarks


OWN = [
    {"id": "1", "question": "Which is red?", "options": ["sun", "rose"], "answer": "B"},
    {"id": "2", "question": "Which is blue?", "options": ["sky", "grass"], "answer": "A"},
    {"id": "3", "question": "Which is green?", "options": ["snow", "leaf"], "answer": "B"},
]


def test_files_of_the_same_questions_have_the_same_data(tmp_path: Path) -> None:
    """So that they are compared question by question; one with another true answer is not."""

    def data(lines: Sequence[Mapping[str, Any]], prediction: str) -> str:
        answers = [{**line, "prediction": prediction} for line in lines]
        run, _ = own_questions(tmp_path / "answers.jsonl", answers)
        return run.signature.data

    assert data(OWN, "A") == data(OWN, "B")
    assert data(OWN, "A") != data([*OWN[:2], {**OWN[2], "answer": "A"}], "A")
    assert data(OWN, "A") != data([*OWN[:2], {**OWN[2], "options": ["snow", "moss"]}], "A")


def test_questions_that_vlmevalkit_asks_again_are_left_out(tmp_path: Path) -> None:
    """CircularEval's ids have a number before six digits; the options are turned there."""
    turned = [
        {**OWN[0], "id": "1000001", "options": ["rose", "sun"], "answer": "A"},
        {**OWN[1], "id": "1000002", "options": ["grass", "sky"], "answer": "B"},
        {**OWN[2], "id": "1000004"},  # the question of no other id
    ]
    lines = [{**line, "prediction": "B"} for line in [*OWN, *turned]]
    run, remarks = own_questions(tmp_path / "answers.jsonl", lines)
    assert [record.id for record in run.records] == ["1", "2", "3", "1000004"]
    (remark,) = remarks
    assert "2 ids without a new question: their options are turned (CircularEval)" in remark
    assert "the first: 1000001, 1000002." in remark


def test_ids_of_several_parts_are_not_turned_options(tmp_path: Path) -> None:
    """Sample 10 and sample 0 of a question are two answers to it."""
    lines = [{**OWN[0], "id": name, "prediction": "B"} for name in ("0_1234", "10_1234")]
    run, remarks = own_questions(tmp_path / "answers.jsonl", lines)
    assert ([record.id for record in run.records], remarks) == (["0_1234", "10_1234"], [])


def test_options_in_questions_count_where_no_line_has_a_column_of_them(tmp_path: Path) -> None:
    """A question that lists something has no other options than those of its column."""
    listing = "Which is red?\nA. sun\nB. rose"
    lines = [
        {"id": "1", "question": listing, "answer": "B", "prediction": "B"},
        {"id": "2", "question": "Blue?\nA. sky\nB. grass", "answer": "A", "prediction": "B"},
    ]
    run, _ = own_questions(tmp_path / "listed.jsonl", lines)
    assert run.task == "choices"

    with_column = [{**OWN[1], "prediction": "A"}, {**lines[0], "options": ["moon", "mars"]}]
    run, _ = own_questions(tmp_path / "column.jsonl", with_column)
    assert [record.details["option_texts"] for record in run.records] == [
        {"A": "sky", "B": "grass"},
        {"A": "moon", "B": "mars"},
    ]


def test_letters_that_an_encoding_lacks_are_told(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows-1252 has no Greek letters: of 16 questions of test-A nobody knows which they are."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    task = find_task("spiqa_testA")
    names = ["paper_id", "question"]
    rows = [{name: row[name] for name in names} for row in task_questions(task)]
    path = tmp_path / "m_spiqa_testA.csv"
    frame = pd.DataFrame(rows).assign(prediction="as is")
    frame.to_csv(path, index=False, encoding="cp1252", errors="replace")
    joined, remarks = join_questions(read_runs(RunPath(path))[0][0], task)
    assert len(joined.unmatched["unknown"]) == 16
    told = [remark for remark in remarks if "a letter became a question mark" in remark]
    assert ["16 ids" in remark for remark in told] == [True]
