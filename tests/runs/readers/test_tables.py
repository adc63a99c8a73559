"""Answers in xlsx, tsv and json tables: MMStar's submission, VLMEvalKit's files and folders, one's own."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pandas as pd
import pytest
from run_command import run_json

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.answer_tables import find_table, is_own, read_table
from spiqa_tasks.offline.matching import match
from spiqa_tasks.offline.predictions import read_predictions

ROWS = rows_for_scoring("mmstar", "demo", "")
MARKS = ["None", "NA", "nan", "null", "007", "=1+1", "7.0", "", "A\nB", 'say "B"']
FAILED = ["Failed to obtain answer via API.", "Fail to obtain answer"]


def table(predictions: list[str]) -> pd.DataFrame:
    """The demo questions as VLMEvalKit writes them, with these predictions first and right ones after."""
    return pd.DataFrame(
        {
            "index": int(row["id"]),
            "question": row["question"],
            "answer": row["answer"],
            "category": row["category"],
            "l2_category": row["subcategory"],
            "prediction": predictions[place] if place < len(predictions) else row["answer"],
        }
        for place, row in enumerate(ROWS)
    )


def write(frame: pd.DataFrame, path: Path) -> Path:
    """The table in the form of the name's suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    elif path.suffix == ".json":
        frame.to_json(path, orient="records", indent=4, force_ascii=False)
    else:
        frame.to_csv(path, sep="\t", index=False, quoting=csv.QUOTE_ALL)
    return path


def pairs(path: Path) -> list[tuple[str, str]]:
    """The (id, answer) pairs read from a table."""
    return [(item.id, item.text) for item in read_table(path).items]


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


@pytest.mark.parametrize("suffix", ["xlsx", "tsv", "json"])
def test_every_mark_survives_as_text_and_failed_requests_are_known(tmp_path: Path, suffix: str) -> None:
    """No form turns an answer into a number, a formula or nothing; an escape is decoded."""
    path = write(table([*MARKS, *FAILED, "_x000D_B"]), tmp_path / f"m_MMStar.{suffix}")
    items = read_predictions(path, "mmstar_demo", ROWS).items
    assert [item.text for item in items[: len(MARKS)]] == MARKS
    assert [item.failure for item in items[len(MARKS) : len(MARKS) + 2]] == FAILED
    assert items[len(MARKS) + 2].text == "\rB"
    assert all(item.failure is None for item in items[len(MARKS) + 2 :])


def test_failed_requests_are_counted_and_never_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With two of 24 failed the accuracy is withheld."""
    status, result, _ = run_json(capsys, "score", "mmstar_demo", write(table(FAILED), tmp_path / "m.tsv"))
    assert status == 3
    assert result["metrics"]["accuracy"] is None
    assert result["counts"]["request_failed"] == 2


def test_an_output_folder_is_read(tmp_path: Path) -> None:
    """The answers lie somewhere below, beside scored copies of themselves; two datasets are refused."""
    write(table([]), tmp_path / "model/T2026/model_MMStar.xlsx")
    write(table([]).assign(hit=1), tmp_path / "model/T2026/model_MMStar_result.xlsx")
    (tmp_path / "model/status.json").write_text("{}")
    assert len(read_predictions(tmp_path, "mmstar_demo", ROWS).items) == len(ROWS)
    write(table([]), tmp_path / "model/T2026/model_Other.xlsx")
    with pytest.raises(InputError, match="Expected one table of answers"):
        read_predictions(tmp_path, "mmstar_demo", ROWS)


@pytest.mark.parametrize("columns", [["question"], ["answer"], ["question", "answer"]])
def test_a_file_that_is_shifted_by_one_row_is_refused(tmp_path: Path, columns: list[str]) -> None:
    """Questions or true answers under other ids than ours are told from ours; in order they are taken."""
    frame = table([])
    kept = ["index", "prediction", *columns]
    assert match(read_predictions(write(frame[kept], tmp_path / "right.tsv"), "t", ROWS), ROWS).missing == ()
    shifted = frame.assign(index=[*frame["index"][1:], frame["index"][0]])
    with pytest.raises(InputError, match="others under the same id"):
        match(read_predictions(write(shifted[kept], tmp_path / "shifted.tsv"), "t", ROWS), ROWS)


def test_without_the_release_a_table_is_scored_from_its_own_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scores are those with the release, and the signature says where the questions came from."""
    path = write(table(["B"] * 8), tmp_path / "m.xlsx")
    _, ours, _ = run_json(capsys, "score", "mmstar_demo", path)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path / "empty"))
    status, own, errors = run_json(capsys, "score", "mmstar_filtered", path)
    assert status == 0
    assert own["metrics"] == ours["metrics"]
    assert "|data:mmstar/val@table " in own["signature"]
    assert "for want of the release" in errors


def test_the_authors_submission_has_the_authors_score(
    real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """307 real answers as a spreadsheet: every question has its options, and the released rule counts 164 hits."""
    frame = pd.read_json(real_data / "mmstar/llava_next_34b_sample.jsonl", lines=True)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path / "empty"))
    _, result, _ = run_json(capsys, "score", "mmstar_filtered", write(frame, tmp_path / "real.xlsx"))
    hits = (frame["prediction"].str.strip().str.lower().str[0] == frame["answer"].str.strip().str.lower()).mean()
    assert result["metrics"]["accuracy_released"] == pytest.approx(hits)


def test_the_columns_are_asked_for_and_an_empty_table_has_none(tmp_path: Path) -> None:
    """The path, what is there and what to do."""
    path = tmp_path / "p.json"
    path.write_text("[]")
    with pytest.raises(InputError) as error:
        read_table(path)
    assert str(error.value) == (
        f"Expected {path} to have the columns index (or id) and prediction, found none. Rename the columns."
    )


def test_the_newest_of_several_runs_counts(tmp_path: Path) -> None:
    """VLMEvalKit makes a folder for each run; names without answers and broken files are passed over."""
    old, new = (write(table([]), tmp_path / name / "model_MMStar.tsv") for name in ("T1", "T2"))
    os.utime(old, times=(2e9, 2e9))
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 no zip")
    (tmp_path / "log.tsv").write_text("index\tlog\n1\tx\n")
    (tmp_path / "folder.tsv").mkdir()
    assert find_table(tmp_path) == old
    os.utime(new, times=(3e9, 3e9))
    assert find_table(tmp_path) == new
    (tmp_path / "empty").mkdir()
    assert find_table(tmp_path / "empty") is None


def test_a_table_has_its_own_questions_where_all_columns_are_there() -> None:
    """Questions, true answers and predictions, in any of its rows."""
    whole = {"question": "q", "answer": "A", "prediction": "B"}
    assert is_own([whole])
    assert is_own([{"question": "q"}, whole])
    for column in whole:
        assert not is_own([{name: text for name, text in whole.items() if name != column}])
    assert not is_own([])
