"""Files of ids and predictions."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.json_text import first_object
from spiqa_tasks.runs.columns import LINES, TABLE, Columns, read_answers
from spiqa_tasks.runs.join import join_questions
from spiqa_tasks.runs.loading import find_task
from spiqa_tasks.runs.paths import RunPath, read_runs

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def pairs(path: Path) -> list[tuple[str, str]]:
    """The (id, answer) pairs read from a file."""
    return [(answer.id, answer.response.text) for answer in read_answers(path, LINES)]


@given(st.lists(st.tuples(TEXT.filter(bool), TEXT), min_size=1), st.booleans())
def test_every_id_and_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, str]], ascii_only: bool
) -> None:
    """Any characters, line separators of Unicode among them, come back as written."""
    path = tmp_path_factory.mktemp("plain") / "p.jsonl"
    lines = [
        json.dumps({"id": key, "prediction": text}, ensure_ascii=ascii_only)
        for key, text in entries
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert pairs(path) == entries


def test_whole_numbers_are_ids_and_blank_lines_and_a_byte_order_mark_do_not_matter(
    tmp_path: Path,
) -> None:
    """What editors and spreadsheets leave behind is no fault."""
    path = tmp_path / "p.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"id": 1, "prediction": "A"}\r\n\r\n{"id": "2", "prediction": ""}\r\n'
    )
    assert pairs(path) == [("1", "A"), ("2", "")]
    assert first_object(path) == {"id": 1, "prediction": "A"}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"id": true, "prediction": "A"}', "True"),
        ('{"id": null, "prediction": "A"}', "None"),
        ('{"prediction": "A"}', "None"),
        ('  {"id": 2, "predic ', 'found \'{"id": 2, "predic\'. Complete or delete the line.'),
        ("[1]", "found '[1]'. Complete or delete the line."),
        ("[" * 100_000, f"found '{'[' * 60}'. Complete or delete the line."),
    ],
)
def test_a_broken_line_is_named_by_its_number(tmp_path: Path, line: str, found: str) -> None:
    """A file that breaks in its third line says so."""
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 1, "prediction": "A"}\n\n' + line)
    with pytest.raises((DataError, InputError)) as error:
        read_answers(path, LINES)
    if found in ("True", "None"):
        assert (
            str(error.value)
            == f"Expected a text or number as id in line 3 of {path}, found {found}. Correct it."
        )
    else:
        assert str(error.value) == f"Expected line 3 of {path} to be a JSON object, {found}"


def test_a_cell_is_read_alike_in_every_form(tmp_path: Path) -> None:
    """A whole float is its integer, a number its text, a list of one text that text."""
    rows = [
        {"id": 0.0, "prediction": 3},
        {"id": 1, "prediction": 4.0},
        {"id": "2", "prediction": ["B"]},
    ]
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "p.csv").write_text("id,prediction\n0.0,3\n1,4.0\n2,B\n")
    assert pairs(path) == [("0", "3"), ("1", "4"), ("2", "B")]
    assert [answer.id for answer in read_answers(tmp_path / "p.csv", TABLE)] == ["0", "1", "2"]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_null_is_no_answer(tmp_path: Path, form: str) -> None:
    """It is a failed request, which is counted, and no wrong answer."""
    path = tmp_path / f"p.{form}"
    frame = pd.DataFrame({"id": ["1", "2"], "prediction": ["A", None]})
    if form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    answers = read_answers(path, LINES if form == "jsonl" else TABLE)
    failures = [answer.response.failure for answer in answers]
    assert failures == [None, "no answer in the column prediction"]


@pytest.mark.parametrize("orient", ["columns", "index", "split", "records"])
def test_a_table_of_pandas_is_read_in_any_of_its_forms(tmp_path: Path, orient: str) -> None:
    """`split` is also the form of W&B's tables; a path and a folder are read the same."""
    path = tmp_path / "m_mmstar_demo.json"
    frame = pd.DataFrame({"id": [7, 8], "prediction": ["A", "B"], "tokens": [3, 4]})
    frame.to_json(path, orient=orient)
    for place in (path, tmp_path):
        (run,), _ = read_runs(RunPath(place))
        answers = [(answer.id, answer.response.text) for answer in run.read()]
        assert (run.task, answers) == ("mmstar_demo", [("7", "A"), ("8", "B")])


@pytest.mark.parametrize("row", [{"error": "rate limit"}, {"status": "failed"}, {"status": 503}])
def test_a_column_says_that_a_request_failed(tmp_path: Path, row: dict[str, Any]) -> None:
    """Texts of answers are answers, whatever they look like."""
    path = tmp_path / "p.jsonl"
    good = {"id": 2, "prediction": "HTTP 404", "error": None, "status": "ok"}
    path.write_text("\n".join(map(json.dumps, [{"id": 1, "prediction": "", **row}, good])))
    failed, answered = read_answers(path, LINES)
    assert failed.response.failure
    assert (answered.response.text, answered.response.failure) == ("HTTP 404", None)


@pytest.mark.parametrize(
    "column", ["prediction", "response", "output", "output_text", "pred", "model_answer"]
)
def test_published_answers_have_other_columns(tmp_path: Path, column: str) -> None:
    """`answer` is the reference beside them."""
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"id": 1, "question": "Which?", column: "A", "answer": "B"}))
    (answer,) = read_answers(path, LINES)
    assert (answer.response.text, answer.reference) == ("A", "B")


def test_the_whole_answer_counts_beside_what_others_read_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """MMLU-Pro's `pred` is null where its authors' expression found no letter; a remark says which
    column is read, and how to read the other.
    """
    path = tmp_path / "m.json"
    whole = {"id": 1, "pred": None, "model_outputs": "So it is (H)."}
    path.write_text(json.dumps([whole, {"id": 2, "pred": "A", "model_outputs": "(A)"}]))
    answers = read_answers(path, TABLE)
    assert [answer.response.text for answer in answers] == ["So it is (H).", "(A)"]
    assert capsys.readouterr().err == (
        f"spiqa-tasks: {path}: the answers are read from model_outputs, not pred; "
        "--columns prediction=pred reads that.\n"
    )
    (answer, _) = read_answers(path, TABLE, Columns({"prediction": "pred"}))
    assert answer.response.failure == "no answer in the column pred"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("more", [False, True])
def test_an_object_of_answers_by_id_is_rows(tmp_path: Path, more: bool) -> None:
    """As MathVista's scripts write them, with their questions or without."""
    path = tmp_path / "m_mmstar_demo.json"
    rows = rows_for_scoring("mmstar", "demo", "")
    content = {
        row["id"]: {"response": row["answer"], **({"question": row["question"]} if more else {})}
        for row in rows
    }
    path.write_text(json.dumps(content))
    joined, remarks = join_questions(read_runs(RunPath(path))[0][0], find_task("mmstar_demo"))
    assert {key: answer.response.text for key, answer in joined.run.by_id.items()} == {
        r["id"]: r["answer"] for r in rows
    }
    assert remarks == []


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """A picture, or a text in another encoding."""
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"\x89PNG\xff\xfe")
    assert first_object(path) is None
    path.write_bytes(b'{"id": 1, "prediction": "A"}\n\xff')
    with pytest.raises(
        DataError, match=r"^Expected .*p\.jsonl to be UTF-8 text, found .* Save it as UTF-8\.$"
    ):
        read_answers(path, LINES)
