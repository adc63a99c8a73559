"""Which column of a file of answers is what."""

import json
from pathlib import Path
from typing import Any

import pytest
from answer_files import rows_of
from run_command import run_json

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.runs.columns import LINES, TABLE, USUAL, Columns, advice, read_answers
from spiqa_tasks.runs.run import Answer

FIGURES = ["b.png", "a.png"]


def answer_of(row: dict[str, Any], columns: Columns = USUAL) -> Answer:
    whole = {"prediction": "A", **row}
    return columns.in_all_rows(whole).answer(whole, "1")


@pytest.mark.parametrize(
    "text", ["answer", "answers=a", "prediction=a,prediction=b", "prediction=a,b"]
)
def test_what_names_no_field_is_refused(text: str) -> None:
    """One sentence with the fields that there are."""
    with pytest.raises(InputError) as error:
        Columns.parse(text)
    assert (
        str(error.value)
        == "Expected --columns FIELD=COLUMN,... with fields among id, prediction, question,"
        f" reference, options, figures, group, label, paper, each once; found {text!r}."
    )


def test_an_answer_is_a_reference_or_a_prediction() -> None:
    """Columns of that name are of either."""
    with pytest.raises(InputError) as error:
        Columns.parse("answer=gold,id=nr")
    assert str(error.value) == (
        "Expected reference or prediction in --columns, found 'answer=gold,id=nr'. The true answer "
        "is reference=COLUMN, the model's is prediction=COLUMN."
    )


@pytest.mark.parametrize(
    "names",
    [
        ["mine"],
        ["llm_output"],
        ["answer"],
        ["options", "answer"],
        ["request_states"],
        ["answer_text"],
        ["llm_a_output", "llm_b_output"],
        ["answer", "pred_original", "pred_blank"],
    ],
)
def test_no_column_of_the_file_is_advised(names: list[str]) -> None:
    """A wrong one has a number that looks normal: beside options, `answer` is the true answer."""
    assert advice(["id", *names]) == (
        "No column looks like prediction: add it, or name it, one model at a time, by --columns "
        "prediction=COLUMN."
    )


def test_a_column_that_no_row_has_is_refused() -> None:
    """A misspelt one; an empty name says that there is none."""
    columns = Columns({"reference": "truth", "question": ""})
    columns.check(["id", "truth"], "f")
    with pytest.raises(InputError) as error:
        columns.check(["id", "answer"], "f")
    assert (
        str(error.value)
        == "Expected the column truth of --columns in f, found id, answer. Correct --columns."
    )

    with pytest.raises(InputError, match=r"Correct --columns: a path begins in the row\.$"):
        Columns({"prediction": "results.response"}).check(["id", "response"], "f")

    misspelt = Columns({"reference": "truth", "question": "q", "prediction": "answer"})
    with pytest.raises(InputError, match="Expected the column truth and q of --columns in f, "):
        misspelt.check(["id", "answer"], "f")


def test_beside_options_the_advice_names_what_a_file_without_a_task_lacks() -> None:
    """A true answer under an unknown name is no id."""
    assert advice(["question", "options", "correct", "prediction"]) == (
        "No column looks like id: add it, or name it by --columns id=COLUMN."
        " Without a task, name question instead of id, and reference or options."
    )


def test_a_text_beside_a_true_answer_is_a_passage_unless_llava_wrote_it() -> None:
    """As TAT-QA's, whose answers are in `pred_answer`; `--columns` can name it all the same."""
    passage = ["question", "answer", "text", "pred_answer"]
    assert USUAL.column_of("prediction", passage) is None
    assert USUAL.column_of("prediction", [*passage, "answer_id"]) == "text"
    assert USUAL.column_of("prediction", ["question_id", "text"]) == "text"
    assert Columns({"prediction": "text"}).column_of("prediction", passage) == "text"
    truth = Columns({"reference": "truth"})
    assert truth.column_of("prediction", ["question", "truth", "text"]) is None


def test_an_answer_has_all_that_its_row_can_be_compared_by() -> None:
    """Under the usual names: numbers become texts, what is missing is empty."""
    row = {"question": "q?", "answer": 3, "options": ["x", "y"], "all_figures_names": FIGURES}
    found = answer_of(row)
    assert (found.question, found.reference, found.options) == ("q?", "3", {"A": "x", "B": "y"})
    assert (found.response.text, found.response.shown) == ("A", tuple(FIGURES))
    bare = answer_of({"question": None})
    assert (bare.question, bare.reference, bare.options, bare.response.shown) == ("", "", {}, ())
    assert answer_of({"reference": "r", "answer": "a"}).reference == "r"
    several = [
        answer_of({"reference": given}).references for given in (["a", 8], "['a', 'b']", "[0, 1]")
    ]
    assert several == [("a", "8"), ("a", "b"), ("[0, 1]",)]


@pytest.mark.parametrize(
    ("references", "others", "columns", "expected"),
    [
        (["1603.1v3-Figure2-1.png", "", "F.JPG"], True, {}, ["a", "a", "a"]),
        (["1603.1v3-Figure2-1.png", "a.png or b"], True, {}, None),
        (["It is saved as a.png"], True, {}, None),
        (["a.png"], False, {}, None),
        (["a.png"], True, {"reference": "reference"}, None),
        (["a.png"], True, {"group": "reference"}, ["a"]),
    ],
)
def test_files_of_figures_beside_true_answers_are_none(
    tmp_path: Path,
    references: list[str],
    others: bool,
    columns: dict[str, str],
    expected: list[str] | None,
) -> None:
    """SPIQA's rows call them `reference`; texts, a file without other true answers and a column
    that `--columns` names are taken as they are.
    """
    answer = {"answer": "a"} if others else {}
    path = tmp_path / "m.jsonl"
    rows = [
        {"question": f"{place}?", "prediction": "p", "reference": reference, **answer}
        for place, reference in enumerate(references)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = [answer.reference for answer in read_answers(path, LINES, Columns(columns))]
    assert found == (references if expected is None else expected)


def test_of_several_columns_of_figures_none_is_taken_unless_it_is_named() -> None:
    """A pipeline that chooses among the figures has both those of the paper and those that the
    model saw.
    """
    row = {"all_figures_names": ["c.png", *FIGURES], "selected_figures_names": FIGURES}
    assert answer_of(row).response.shown == ()
    named = Columns({"figures": "selected_figures_names"})
    assert answer_of(row, named).response.shown == tuple(FIGURES)


@pytest.mark.parametrize("name", ["{}", "option_{}", "Option {}", "choice_{}", "op{}"])
@pytest.mark.parametrize("named", [False, True])
def test_each_option_may_have_its_column(name: str, named: bool) -> None:
    """In any order and with an empty one; the user may name the first."""
    letter = str if name == "{}" else str.lower
    columns = {name.format(letter(label)): f"text {label}" for label in "BACD"}
    given = Columns({"options": name.format(letter("A"))}) if named else USUAL
    empty = {name.format(letter("E")): ""}
    others = {"options": "none", "opinion": "x"}
    assert answer_of({**columns, **empty, **others}, given).options == {
        label: f"text {label}" for label in "ABCD"
    }


@pytest.mark.parametrize("name", ["option{}", "Option {}", "option_{}"])
def test_numbered_options_have_letters(name: str) -> None:
    """As of WinoGrande, whose true answers are 1 and 2."""
    columns = {name.format(number): f"text {number}" for number in (2, 1)}
    assert answer_of(columns).options == {"A": "text 1", "B": "text 2"}


def test_options_that_cannot_be_read_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before their questions are scored as open ones: here those of Japan's veterinary exam."""
    rows = [{"id": 1, "prediction": "A", "answer_choices": "１．心タンポナーデ\n２．虎斑心"}]
    path = tmp_path / "m.json"
    path.write_text(json.dumps(rows))
    (answer,) = read_answers(path, TABLE)
    assert not answer.options
    assert f"Expected options in the column answer_choices of {path}" in capsys.readouterr().err


def test_named_options_that_are_none_are_refused(tmp_path: Path) -> None:
    """Not scored as open answers, nor by other columns; a file whose lists are empty has open
    answers.
    """
    rows = [
        {"id": 1, "prediction": "A", "texts": []},
        {"id": 2, "prediction": "B", "texts": "x", "A": "red", "B": "blue"},
    ]
    path = tmp_path / "m.json"
    path.write_text(json.dumps(rows))
    columns = Columns({"options": "texts"})
    with pytest.raises(InputError) as error:
        read_answers(path, TABLE, columns)
    assert str(error.value) == (
        f"Expected options in the column texts of {path}, found 'x'. Name a list, or a column such "
        "as option_a."
    )
    path.write_text(json.dumps(rows[:1]))
    assert len(read_answers(path, TABLE, columns)) == 1


@pytest.mark.parametrize("form", ["jsonl", "responses", "csv"])
def test_a_file_in_another_teams_form_is_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """The refusal says which field has no column, and what the model saw counts."""
    (task,) = find_tasks(["spiqa_demo_cot"])
    papers: dict[str, dict[str, Any]] = {}
    lines = []
    for row in rows_of(task):
        shown = [figure["file"] for figure in row["figures"]][::-1]
        place = len(shown) - 1 - row["referred"][0]
        told = {
            "ground_truth": row["answer"],
            "selected_figures": shown,
            "question": row["question"],
        }
        entry = {
            **told,
            "answer": f"{{'Image': {place}, 'Rationale': 'r'}} The answer is : {row['answer']}",
        }
        papers.setdefault(row["paper_id"], {})[row["id"].rpartition("/")[2]] = entry
        lines.append({"key": row["id"], **entry})
    path = tmp_path / f"m.{form}"
    if form == "responses":
        path.mkdir()
        for paper, entries in papers.items():
            (path / f"{paper}_response.json").write_text(json.dumps(entries))
    elif form == "csv":
        import pandas as pd

        pd.DataFrame(lines).to_csv(path, index=False)
    else:
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    status, _, errors = run_json(capsys, "score", "spiqa_demo_cot", path)
    assert status == 2
    assert "--columns prediction=COLUMN." in errors
    status, result, errors = run_json(
        capsys, "score", "spiqa_demo_cot", path, "--columns", "prediction=answer"
    )
    assert status == 0, errors
    assert (result["metrics"]["rouge_l"], result["metrics"]["retrieval_accuracy"]) == (
        pytest.approx(1.0),
        1.0,
    )


def test_several_samples_as_prediction_are_refused_with_the_path_to_the_first() -> None:
    """Harnesses write a list of samples, of which no command reads all."""
    row = {"prediction": ["A", "B"]}
    with pytest.raises(ValueError, match=r"--columns FIELD=COLUMN\.0 reads the first of a list"):
        answer_of(row)
    columns = Columns({"prediction": "prediction.0"})
    assert answer_of(columns.resolved(row), columns).response.text == "A"


def test_an_object_as_prediction_is_refused_with_the_path_to_type() -> None:
    """Logs keep the text beside the tokens that it took."""
    with pytest.raises(ValueError, match=r"keys text, usage; --columns prediction=output\.text"):
        answer_of(
            {"output": {"text": "A", "usage": 3}, "prediction": None},
            Columns({"prediction": "output"}),
        )


def test_a_row_is_read_from_the_columns_of_its_file(tmp_path: Path) -> None:
    """One that lacks them has no answer or true answer, not those of a column of something else."""
    rows = [
        {"id": 1, "response": "It is A.", "pred": "A", "reference": "A", "answer": "x"},
        {"id": 2, "pred": "B", "answer": "x"},
    ]
    path = tmp_path / "m.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    _, lacking = read_answers(path, LINES)
    assert lacking.response.failure == "no answer in the column response"
    assert lacking.references == ("",)
