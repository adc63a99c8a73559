"""Files of ids and predictions."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.json_text import first_object
from spiqa_tasks.runs.join import join_questions
from spiqa_tasks.runs.loading import find_task
from spiqa_tasks.runs.paths import RunPath, read_runs
from spiqa_tasks.runs.readers.answers import read_lines

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def pairs(path: Path) -> list[tuple[str, str]]:
    """The (id, answer) pairs read from a file."""
    return [(answer.id, answer.response.text) for answer in read_lines(path)]


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
        ('{"id": 2, "prediction": null}', "found id 2, prediction None. Correct it."),
        ('{"id": 2, "prediction": 3}', "found id 2, prediction 3. Correct it."),
        ('{"id": true, "prediction": "A"}', "found id True, prediction 'A'. Correct it."),
        ('{"id": 2.0, "prediction": "A"}', "found id 2.0, prediction 'A'. Correct it."),
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
        read_lines(path)
    wanted = {
        "Correct": "to have id and prediction, a text or number and a text;",
        "Complete": "to be a JSON object,",
    }[found.split(". ")[-1].split(" ")[0]]
    assert str(error.value) == f"Expected line 3 of {path} {wanted} {found}"


@pytest.mark.parametrize("column", ["prediction", "response", "output", "pred", "model_answer"])
def test_published_answers_have_other_columns(tmp_path: Path, column: str) -> None:
    """`answer` is the reference beside them."""
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"id": 1, "question": "Which?", column: "A", "answer": "B"}))
    (answer,) = read_lines(path)
    assert (answer.response.text, answer.reference) == ("A", "B")


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
    joined, remarks = join_questions(read_runs([RunPath(path)])[0], find_task("mmstar_demo"))
    assert {key: answer.response.text for key, answer in joined.by_id.items()} == {
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
        read_lines(path)
