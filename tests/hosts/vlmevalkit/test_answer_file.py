"""The host's file of answers to one task, read and scored; the host itself is not needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.scorer import Scorer, make_scorer
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.vlmevalkit.answer_file import read_answers, scored
from spiqa_tasks.hosts.vlmevalkit.tasks import rows_of

TASK = "mmstar_demo"


@pytest.fixture
def scorer() -> Scorer:
    """That of MMStar's demo questions."""
    (task,) = find_tasks([TASK])
    return make_scorer(task.benchmark, task.settings, "vlmevalkit 0.0.20", None)


def test_answers_are_read_as_they_were_written(tmp_path: Path) -> None:
    """A tsv keeps what looks like an escape of a spreadsheet; a file of something else is one sentence."""
    path = tmp_path / "m_t.tsv"
    path.write_text('"index"\t"prediction"\n"1"\t"_x0041_"\n"007"\t"NA"\n')
    assert read_answers(path) == {"1": "_x0041_", "007": "NA"}
    path.write_text('"index"\t"answer"\n"1"\t"A"\n')
    with pytest.raises(InputError, match="the column prediction"):
        read_answers(path)


def test_a_spreadsheets_answers_lose_nothing(tmp_path: Path) -> None:
    """Ids are texts whatever the spreadsheet makes of them, and escapes of characters are undone."""
    pytest.importorskip("openpyxl")
    import pandas as pd

    path = tmp_path / "m_t.xlsx"
    pd.DataFrame({"index": [1, 2, 3], "prediction": ["None", "a_x000D_b", "=1+1"]}).to_excel(path, index=False)
    assert read_answers(path) == {"1": "None", "2": "a\rb", "3": "=1+1"}


def test_an_empty_table_has_no_answers_and_a_broken_one_is_a_sentence(tmp_path: Path) -> None:
    """The sentence names the file."""
    path = tmp_path / "m_t.tsv"
    path.write_text('"index"\t"prediction"\n')
    assert read_answers(path) == {}
    path.write_text('"index"\t"prediction"\n"1"\t"A\n')
    with pytest.raises(DataError, match=r"m_t\.tsv"):
        read_answers(path)


def test_answers_are_scored_in_the_tasks_order_with_their_places(scorer: Scorer) -> None:
    """Whatever the order of the file; questions without an answer and answers to no question are left out."""
    rows = rows_of(TASK)
    right = {rows[place]["id"]: rows[place]["answer"] for place in (7, 2)}
    found = scored(scorer, rows, {"no such id": "A", **right, rows[5]["id"]: "none of these"})
    assert [(each.place, each.row["id"]) for each in found] == [(place, rows[place]["id"]) for place in (2, 5, 7)]
    assert [each.record.scores["accuracy"] for each in found] == [1.0, 0.0, 1.0]
    assert [each.text for each in found] == [rows[2]["answer"], "none of these", rows[7]["answer"]]
    assert all(each.record.id == each.row["id"] for each in found)


def test_a_failed_request_is_no_answer(scorer: Scorer) -> None:
    """Its record says why and has no score; the text stays what the host wrote."""
    rows = rows_of(TASK)
    text = "Failed to obtain answer via API."
    (found,) = scored(scorer, rows, {rows[0]["id"]: text})
    assert (found.text, found.record.status, found.record.reason) == (text, "request_failed", text)
    assert "accuracy" not in found.record.scores


def test_answers_to_other_questions_are_one_sentence(scorer: Scorer) -> None:
    """A file of another task has nothing to score."""
    for answers in ({}, {"no such id": "A"}):
        with pytest.raises(InputError, match=r"^Expected answers to the task's questions, found none of them\."):
            scored(scorer, rows_of(TASK), answers)
