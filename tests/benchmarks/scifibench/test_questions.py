"""SciFIBench's release files, read into questions."""

import hashlib
import io
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from PIL import Image
from release_rows import rows_in

from spiqa_tasks.benchmarks.scifibench.questions import ChoiceQuestion, OptionFigure, read_questions
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource


def picture(colour: str = "red") -> dict[str, Any]:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(buffer, format="PNG")
    return {"bytes": buffer.getvalue(), "path": None}


def scifibench_row(**changes: Any) -> dict[str, Any]:
    """Return a row of the release's file, with some other cells."""
    row = {
        "ID": 7,
        "Question": "Which caption best matches the image?",
        "Options": ["A)  one .", "B)  two ."],
        "Answer": "B",
        "Category": "cs.CV",
        "Images": [picture()],
    }
    return {**row, **changes}


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def test_real_figure_to_caption_questions_are_read(real_data: Path) -> None:
    """60 questions with five options and one picture each, options without their letters,
    answers among them.
    """
    rows = rows_in("scifibench", "cs_fig2cap", "", LocalSource(real_data))
    assert len(rows) == 60
    assert all(row["letters"] == list("ABCDE") and len(row["images"]) == 1 for row in rows)
    assert not any(option.startswith(("A)", "B)")) for row in rows for option in row["options"])
    assert Counter(row["category"] for row in rows)["other cs"] == 18
    assert all(Path(row["images"][0]).is_file() for row in rows)


def digest(cell: dict[str, Any]) -> str:
    """The SHA-256 of an encoded picture."""
    return hashlib.sha256(cell["bytes"]).hexdigest()


def test_a_question_about_a_figure_is_read(tmp_path: Path) -> None:
    """With its figure in the cache where it is shown; options may have several lines, and
    letters a bracket or none.
    """
    path = tmp_path / "x.parquet"
    write(path, [scifibench_row(Options=["A)  one\nline .", "B two ."])])
    for shown in (True, False):
        (found,) = read_questions([path], "CS_Figure2Caption", "data1", shown)
        (figure,) = found.figures
        assert found == ChoiceQuestion(
            "CS_Figure2Caption",
            "7",
            "Which caption best matches the image?",
            "Which caption best matches the image?",
            ("A", "B"),
            ("one\nline .", "two ."),
            "B",
            "cs.CV",
            (OptionFigure(digest(picture()), figure.path),),
        )
        assert ("scifibench-CS_Figure2Caption-data1" in figure.path) == shown
        assert not shown or Path(figure.path).read_bytes() == picture()["bytes"]
    assert (found.to_figure, found.position, found.caption, found.figure) == (
        False,
        1,
        "two .",
        figure,
    )
    assert found.content() == {"one line", "two", figure.digest}


@pytest.mark.parametrize("asked", ["image", "figure"])
def test_a_question_about_a_caption_is_read(tmp_path: Path, asked: str) -> None:
    """Its options are figures; the text is the caption without the question behind it."""
    cells = [picture("red"), picture("blue")]
    question = f"Caption:  Loss . Which {asked} best matches the caption? "
    path = tmp_path / "x.parquet"
    write(path, [scifibench_row(Question=question, Images=cells, Options=["A)", "B)"])])
    (found,) = read_questions([path], "CS_Caption2Figure", "d", False)
    assert (found.asked, found.text, found.options) == (question, "Loss .", ("", ""))
    assert found.figures == tuple(OptionFigure(digest(cell), "") for cell in cells)
    assert (found.to_figure, found.position, found.caption, found.figure) == (
        True,
        1,
        "Loss .",
        found.figures[1],
    )
    assert found.content() == {"loss", *map(digest, cells)}


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("CS_Figure2Caption", {"Images": [picture(), picture()]}),
        ("CS_Caption2Figure", {}),
        ("CS_Figure2Caption", {"Question": ""}),
        ("CS_Figure2Caption", {"Options": ["A) x", "A) y", "B) z"]}),
        ("CS_Figure2Caption", {"Options": ["A) x", "y) z"]}),
        ("CS_Figure2Caption", {"Options": None}),
        ("CS_Figure2Caption", {"Images": None}),
    ],
)
def test_a_question_that_is_not_whole_is_refused(
    tmp_path: Path, file: str, changes: dict[str, Any]
) -> None:
    """In one sentence with its id and file."""
    path = tmp_path / "x.parquet"
    write(path, [scifibench_row(**changes)])
    with pytest.raises(
        DataError, match=f"Expected question 7 of {file} to have a text, options .* and .* picture"
    ):
        read_questions([path], file, "d", False)
