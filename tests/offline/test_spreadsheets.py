"""Answers in xlsx and tsv files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import strategies as st

from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.predictions import read_predictions

ROWS = [{"id": "1"}, {"id": "2"}, {"id": "30"}]
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def pairs(path: Path, task: str = "mmstar_demo") -> list[tuple[str, str]]:
    """The (id, answer) pairs read from a file."""
    return [(item.id, item.text) for item in read_predictions(path, task, ROWS).items]


@pytest.mark.parametrize("kind", ["xlsx", "tsv"])
def test_tables_are_read_by_their_columns(tmp_path: Path, kind: str) -> None:
    """The authors' submission and VLMEvalKit's results: an index, a prediction, and columns that do not matter."""
    table = pd.DataFrame(
        {
            "index": [1, 2, 30],
            "question": ["q", "multi\nline", "q"],
            "answer": ["A", "B", "C"],
            "prediction": ["A", "None", "NA"],
        }
    )
    path = tmp_path / f"model_MMStar.{kind}"
    if kind == "xlsx":
        table.to_excel(path, index=False)
    else:
        table.to_csv(path, sep="\t", index=False)
    assert pairs(path) == [("1", "A"), ("2", "None"), ("30", "NA")]


def test_an_empty_cell_is_an_empty_answer_and_a_decimal_index_a_whole_number(tmp_path: Path) -> None:
    """Spreadsheet programs turn 30 into 30.0; a model may have said nothing."""
    path = tmp_path / "p.xlsx"
    pd.DataFrame({"index": [1.0, 2.0, 30.0], "prediction": ["A", None, "7.0"]}).to_excel(path, index=False)
    assert pairs(path) == [("1", "A"), ("2", ""), ("30", "7.0")]


def test_an_id_column_wins_over_the_running_index(tmp_path: Path) -> None:
    """Exports whose ids are no numbers carry them in a column of their own."""
    path = tmp_path / "p.tsv"
    path.write_text("index\tid\tprediction\n0\t30\tB\n")
    assert pairs(path) == [("30", "B")]


def test_a_table_without_predictions_names_its_columns(tmp_path: Path) -> None:
    """The message lists what is there."""
    path = tmp_path / "p.xlsx"
    pd.DataFrame({"index": [1], "answer": ["A"]}).to_excel(path, index=False)
    with pytest.raises(InputError, match="found index, answer"):
        pairs(path)
