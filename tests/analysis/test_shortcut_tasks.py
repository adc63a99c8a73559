"""Rows of tasks as choices without their pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from made_choices import made_choices

from spiqa_tasks.analysis.shortcut_tasks import choices_of, clustered, task_rows
from spiqa_tasks.hosts.catalogue import find_tasks


def row(key: str, **values: Any) -> dict[str, Any]:
    """A row of a choice."""
    shared = {"id": key, "question": "Which? \nOptions: A: x, B: y", "letters": ["A", "B"], "options": ["x", "y"]}
    return {**shared, "answer": "B", "category": "fine & small", **values}


def test_questions_that_share_a_picture_or_a_cluster_are_one(tmp_path: Path) -> None:
    """By the content of files, by bytes, or by name, and through a third question; others have no cluster."""
    (tmp_path / "a.png").write_bytes(b"one picture")
    found = choices_of(
        [
            row("0", images=[str(tmp_path / "a.png")]),
            row("1", images=[{"bytes": b"one picture", "path": None}, b"other"]),
            row("2", images=[b"other"]),
            row("3", images=["nowhere.png"]),
            row("4", images=["nowhere.png"], cluster="c"),
            row("5", cluster="c"),
            row("6", images=[]),
            row("open", letters=[], options=[]),
        ]
    )
    clusters = [question.cluster for question in found]
    assert [question.id for question in found] == list("0123456")
    assert clusters[0] == clusters[1] == clusters[2] != clusters[3]
    assert clusters[3] == clusters[4] == clusters[5] is not None
    assert clusters[6] is None


def test_a_choice_is_its_question_without_the_options() -> None:
    """In the groups of the row, named as everywhere."""
    (one,) = choices_of([row("0")])
    assert (one.question, one.options, one.answer, one.groups) == ("Which?", {"A": "x", "B": "y"}, "B", ("fine_small",))
    (own,) = choices_of([row("0", groups={"kind": "k", "size": "k", "none": ""})])
    assert own.groups == ("k",)


def test_nothing_shared_is_no_cluster() -> None:
    """Also where no question has anything to share."""
    assert {each.cluster for each in clustered(made_choices(3, 1), [[], [], []])} == {None}


def test_rows_of_ours_have_pictures_or_a_sentence(tmp_path: Path) -> None:
    """A benchmark of one's own whose pictures are gone is read without."""
    (task,) = find_tasks(["mmstar_demo"])
    rows, remarks = task_rows(task)
    assert (len(rows), remarks) == (24, [])
    assert all(row["images"] for row in rows)
    (tmp_path / "rows.csv").write_text("question,A,B,answer,image\nWhich?,x,y,A,gone.png\n")
    columns = "{options: [A, B], images: image}"
    (tmp_path / "gone.yaml").write_text(f"benchmark: gone\ndata: rows.csv\ncolumns: {columns}\n")
    (task,) = find_tasks(["gone"], [tmp_path])
    rows, (remark,) = task_rows(task)
    assert len(rows) == 1
    assert remark.startswith("gone: its pictures are not there")
