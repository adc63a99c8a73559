"""Rows of a benchmark of one's own: every form of cell, and what is wrong with a row."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from own_data import COLUMNS, MIXED, own_rows, write_own

from spiqa_tasks.benchmarks.own.rows import data_paths, hub_place, load
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.pictures import Ablation
from spiqa_tasks.files.source import LocalSource


def rows_of(
    folder: Path, rows: list[dict[str, Any]], ablation: Ablation = "none", **values: Any
) -> list[Any]:
    """Return the rows of a benchmark with these data and YAML."""
    return own_rows(write_own(folder, rows, **values), ablation)[1]


def row(**cells: Any) -> dict[str, Any]:
    """Return a row of a choice, with other cells."""
    return {
        "id": "x",
        "question": "Which?",
        "options": ["red", "blue"],
        "answer": "B",
        "image": "red.png",
        **cells,
    }


def fault(folder: Path, cells: dict[str, Any], **values: Any) -> str:
    """Return the message about a row."""
    with pytest.raises(DataError) as error:
        rows_of(folder, [row(), {**row(), "id": "y", **cells}], kind="choice", **values)
    return str(error.value)


def test_both_kinds_stand_in_one_table(tmp_path: Path) -> None:
    """A row with options is a choice, one without is open, each in the group of its kind."""
    found = rows_of(tmp_path, MIXED)
    assert [each["letters"] for each in found] == [["A", "B"], [], ["A", "B", "C"]]
    assert [each["answer"] for each in found] == ["B", "1500", "A"]
    assert [each["groups"] for each in found] == [
        {"kind": "choice"},
        {"kind": "open"},
        {"kind": "choice"},
    ]
    assert [Path(each["images"][0]).name for each in found] == ["blue.png", "red.png", "red.png"]
    assert {each["id"] for each in found} == {"a", "b", "c"}


def test_open_questions_may_have_several_answers(tmp_path: Path) -> None:
    """In a list, or in columns of their own; each once."""
    asked = {"question": "What?", "answer": ["five", "5", "five"], "more": "V"}
    (found,) = rows_of(tmp_path, [asked], kind="open", columns={"answer": ["answer", "more"]})
    assert (found["answer"], found["references"], found["id"]) == ("five", ["five", "5", "V"], "0")


def test_names_of_groups_are_told_apart(tmp_path: Path) -> None:
    """Numbers, and names that two kinds share, have the kind before them."""
    asked = [
        {**row(id=str(place)), "level": place, "topic": topic, "area": area}
        for place, (topic, area) in enumerate(
            [("length", "maths"), ("area", "area"), (None, "maths")]
        )
    ]
    found = rows_of(
        tmp_path, asked, kind="choice", columns={**COLUMNS, "groups": ["level", "topic", "area"]}
    )
    assert [each["groups"] for each in found] == [
        {"level": "level_0", "topic": "topic_length", "area": "area_maths"},
        {"level": "level_1", "topic": "topic_area", "area": "area_area"},
        {"level": "level_2", "topic": "topic_none", "area": "area_maths"},
    ]


def test_rows_are_chosen_by_their_cells(tmp_path: Path) -> None:
    """`where` keeps the rows with these values; ids without a column are places in the whole table."""
    asked = [
        {"question": "What?", "answer": "5", "split": split} for split in ("test", "dev", "test")
    ]
    found = rows_of(tmp_path, asked, kind="open", columns={}, where={"split": "test"})
    assert [each["id"] for each in found] == ["0", "2"]


def test_without_pictures_neither_columns_nor_files_are_read(tmp_path: Path) -> None:
    """Scoring needs none of them; ids, answers and the data's digest are the same."""
    path = write_own(tmp_path)
    definition, shown = own_rows(path)
    for name in ("red.png", "blue.png"):
        (tmp_path / name).unlink()
    unseen, _ = load(definition, LocalSource(tmp_path), "test", "text")
    assert [
        {**each, "images": [], "pictures": "", "settings": "ablation=text"} for each in shown
    ] == unseen
    with pytest.raises(
        DataError,
        match=r"3 of 3 rows of data.jsonl that are not, the first: row 1 \(id a\): no picture at .*blue.png",
    ):
        own_rows(path)


def test_the_digest_is_of_the_data_and_what_is_made_of_it(tmp_path: Path) -> None:
    """Another row or another column changes it; another prompt or another place does not."""
    (first, *_) = rows_of(tmp_path / "a", MIXED)
    (again, *_) = rows_of(tmp_path / "b", MIXED, prompt="{images}{question}", variants=["text"])
    (fewer, *_) = rows_of(tmp_path / "c", MIXED[:2])
    (other, *_) = rows_of(
        tmp_path / "d",
        MIXED,
        columns={**COLUMNS, "id": "image", "images": None},
        where={"id": ["a", "b"]},
    )
    assert first["data"] == again["data"]
    assert len({first["data"], fewer["data"], other["data"]}) == 3


@pytest.mark.parametrize(
    ("cells", "values", "message"),
    [
        ({"answer": "C"}, {}, "row 2 (id y): the answer 'C' is no option among A, B"),
        ({"answer": ""}, {}, "row 2 (id y): no answer in answer"),
        ({"options": ["red"]}, {}, "1 options, where 2 to 26"),
        ({"options": None}, {}, "no options"),
        ({"options": "red or blue"}, {}, "options is 'red or blue', not a list"),
        ({"question": None}, {}, "no text in question"),
        ({"image": "green.png"}, {}, "no picture at"),
        ({"id": "x"}, {}, "row 2 (id x): the id of an earlier row"),
        ({"options": ["red", "Red"], "answer": "red"}, {"answer_is": "text"}, "is the text of"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(
    cells: dict[str, Any], values: dict[str, Any], message: str, tmp_path: Path
) -> None:
    """The row by its number from 1 and its id, and what is wrong, in a few words."""
    assert message in fault(tmp_path, cells, **values)


def test_a_column_that_no_row_has_is_refused(tmp_path: Path) -> None:
    """The message has the columns that there are."""
    with pytest.raises(
        DataError,
        match="column 'picture' in the data of shapes, as its YAML says; found answer, id, image",
    ):
        rows_of(tmp_path, [row()], columns={**COLUMNS, "images": "picture"})
    with pytest.raises(DataError, match="column 'hint'"):
        rows_of(tmp_path, [row()], prompt="{hint} {question}")


def test_a_row_tells_its_benchmark_split_settings_and_data(tmp_path: Path) -> None:
    """With twelve hexadecimal digits of the data; the cells that the prompt names, and the cluster, are texts."""
    columns = {
        "id": "id",
        "question": "question",
        "options": "options",
        "answer": "answer",
        "cluster": "paper",
    }
    asked = [
        {**row(id=place), "paper": paper, "hint": hint}
        for place, (paper, hint) in enumerate([(7, 1.5), (None, None)])
    ]
    found = rows_of(
        tmp_path,
        asked,
        "text",
        kind="choice",
        columns=columns,
        prompt="{hint} {question} {options}",
    )
    assert [(each["benchmark"], each["split"], each["settings"]) for each in found] == [
        ("shapes", "test", "ablation=text")
    ] * 2
    assert all(re.fullmatch("[0-9a-f]{12}", each["data"]) for each in found)
    assert [each["cluster"] for each in found] == ["7", None]
    assert [each["fields"]["hint"] for each in found] == ["1.5", ""]


def test_the_data_may_be_several_files(tmp_path: Path) -> None:
    """A pattern names them, in the order of their names."""
    write_own(tmp_path)
    for name in "ba":
        (tmp_path / f"part_{name}.jsonl").write_text(
            json.dumps({"question": f"{name}?", "answer": name}) + "\n"
        )
    path = write_own(tmp_path, [], kind="open", columns={}, data="part_*.jsonl")
    definition, found = own_rows(path)
    assert [each["question"] for each in found] == ["a?", "b?"]
    assert data_paths(definition, LocalSource(tmp_path), "test") == [
        tmp_path / f"part_{name}.jsonl" for name in "ab"
    ]


def test_pictures_made_of_columns_are_no_column_of_their_own(tmp_path: Path) -> None:
    """Without pictures the columns that their paths are made of are read all the same."""
    asked = [{**row(), "figure": "red"}]
    path = write_own(tmp_path, asked, kind="choice", columns={**COLUMNS, "images": "{figure}.png"})
    definition, (shown,) = own_rows(path)
    ((unseen,), _) = load(definition, LocalSource(tmp_path), "test", "text")
    assert {**shown, "images": [], "pictures": "", "settings": "ablation=text"} == unseen


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("o/n@r/p", ("o/n", "r", "p")),
        ("o/n/a/b*.jsonl", ("o/n", "main", "a/b*.jsonl")),
        ("o/n@refs%2Fconvert/p", ("o/n", "refs/convert", "p")),
        ("o/n@r", None),
        ("o", None),
        ("/n/p", None),
    ],
)
def test_a_place_of_the_hub_has_an_owner_a_name_a_revision_and_a_path(
    place: str, expected: tuple[str, str, str] | None
) -> None:
    """Without a revision it is `main`; anything else is refused with the form that is expected."""
    if expected is None:
        with pytest.raises(DataError, match=f"in data: of mine, found hf://datasets/{place}"):
            hub_place("mine", f"hf://datasets/{place}")
        return
    repository, pattern = hub_place("mine", f"hf://datasets/{place}")
    assert (repository.folder, repository.repo_id, repository.revision, pattern) == (
        "mine",
        *expected,
    )


def test_faulty_rows_may_be_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """They are named, and stay in the number of the task's questions."""
    path = write_own(tmp_path, [*MIXED, {**MIXED[0], "id": "d", "answer": "Z"}], faults="skip")
    definition, loaded = own_rows(path)
    assert [row["id"] for row in loaded] == ["a", "b", "c"]
    assert "1 of 4 rows of data.jsonl are left out" in caplog.text
    assert "row 4 (id d): the answer 'Z' is no option among A, B" in caplog.text
    assert load(definition, LocalSource(tmp_path), "test", "text")[1] == 4


def test_no_in_a_yaml_is_a_text_of_the_table(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """YAML reads `no` as False; a value that no row has is named."""
    rows = [
        {**MIXED[1], "id": f"{place}", "language": each}
        for place, each in enumerate(["no", "en", "de", "NO"])
    ]
    path = write_own(tmp_path, rows, where={"language": ["en", False, "fr"]})
    _, loaded = own_rows(path)
    assert [row["id"] for row in loaded] == ["0", "1", "3"]
    assert "no row has fr in language" in caplog.text


def test_options_may_be_distractors_or_the_same_for_all_rows(tmp_path: Path) -> None:
    """The right one's place depends on the row's id alone; constant options are in the YAML."""
    rows = [
        {"id": str(place), "question": "Which?", "right": "x", "w1": "y", "w2": ["z", ""]}
        for place in range(20)
    ]
    columns = {"id": "id", "question": "question", "answer": "right", "distractors": ["w1", "w2"]}
    _, loaded = own_rows(write_own(tmp_path / "a", rows, kind=None, columns=columns))
    assert {row["answer"] for row in loaded} == {"A", "B", "C"}
    assert all(row["options"]["ABC".index(row["answer"])] == "x" for row in loaded)
    _, again = own_rows(write_own(tmp_path / "b", rows[::-1], kind=None, columns=columns))
    assert {row["id"]: row["options"] for row in again} == {
        row["id"]: row["options"] for row in loaded
    }
    columns = {
        "id": "id",
        "question": "question",
        "answer": "right",
        "options": {"values": [True, False, "Uncertain"]},
    }
    told = [{**rows[0], "right": False}, {**rows[1], "right": "uncertain"}]
    _, loaded = own_rows(write_own(tmp_path / "c", told, kind=None, columns=columns))
    assert [(row["options"], row["answer"]) for row in loaded] == [
        (["True", "False", "Uncertain"], "B"),
        (["True", "False", "Uncertain"], "C"),
    ]


def test_ids_of_a_spreadsheet_are_whole_numbers(tmp_path: Path) -> None:
    """As those of answers in a table are read; elsewhere an id is what is written."""
    (tmp_path / "t.csv").write_text("id,question,answer\n1.0,Which?,x\n2.5,Which?,y\n")
    path = write_own(tmp_path, data="t.csv", kind=None, columns={"id": "id"})
    assert [row["id"] for row in own_rows(path)[1]] == ["1", "2.5"]


def test_a_question_may_be_in_several_groups(tmp_path: Path) -> None:
    """A list in a column of groups, written out or not, has one for each of its values."""
    rows = [
        {**MIXED[1], "skills": ["algebra", "logic"]},
        {**MIXED[1], "id": "x", "skills": "['logic']"},
    ]
    _, (first, second) = own_rows(
        write_own(tmp_path, rows, columns={**COLUMNS, "groups": "skills"})
    )
    assert sorted(first["groups"].values()) == ["algebra", "logic", "open"]
    assert sorted(second["groups"].values()) == ["logic", "open"]
