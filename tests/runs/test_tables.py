"""Answers in xlsx, tsv and json tables: MMStar's submission, VLMEvalKit's files and folders,
one's own.
"""

from pathlib import Path

import pandas as pd
import pytest
from answer_files import mmstar_table, rows_of, write_table
from mmstar_release import write_questions
from run_command import run_json

from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.runs.columns import TABLE, read_answers

(DEMO,) = find_tasks(["mmstar_demo"])
ROWS = rows_of(DEMO)
MARKS = ["None", "NA", "nan", "null", "007", "=1+1", "7.0", "", "A\nB", 'say "B"']
FAILED = ["Failed to obtain answer via API.", "Fail to obtain answer"]


def pairs(path: Path) -> list[tuple[str, str]]:
    """The (id, answer) pairs read from a table."""
    return [(answer.id, answer.response.text) for answer in read_answers(path, TABLE)]


@pytest.mark.parametrize("kind", ["xlsx", "tsv"])
def test_tables_are_read_by_their_columns(tmp_path: Path, kind: str) -> None:
    """The authors' submission and VLMEvalKit's results: an index, a prediction, and columns that
    do not matter.
    """
    table = pd.DataFrame(
        {
            "index": [1, 2, 30],
            "question": ["q", "multi\nline", "q"],
            "answer": ["A", "B", "C"],
            "prediction": ["A", "None", "NA"],
        }
    )
    path = tmp_path / f"model_MMStar.{kind}"
    write_table(table, path)
    assert pairs(path) == [("1", "A"), ("2", "None"), ("30", "NA")]


def test_an_empty_cell_is_an_empty_answer_and_a_decimal_index_a_whole_number(
    tmp_path: Path,
) -> None:
    """Spreadsheet programs turn 30 into 30.0; a model may have said nothing."""
    path = tmp_path / "p.xlsx"
    pd.DataFrame({"index": [1.0, 2.0, 30.0], "prediction": ["A", None, "7.0"]}).to_excel(
        path, index=False
    )
    assert pairs(path) == [("1", "A"), ("2", ""), ("30", "7.0")]


def test_an_id_column_wins_over_the_running_index(tmp_path: Path) -> None:
    """Exports whose ids are no numbers carry them in a column of their own."""
    path = tmp_path / "p.tsv"
    path.write_text("index\tid\tprediction\n0\t30\tB\n")
    assert pairs(path) == [("30", "B")]


@pytest.mark.parametrize("suffix", ["xlsx", "tsv", "json"])
def test_every_mark_survives_as_text_and_failed_requests_are_known(
    tmp_path: Path, suffix: str
) -> None:
    """No form turns an answer into a number, a formula or nothing; a spreadsheet's escape is
    decoded.
    """
    path = write_table(
        mmstar_table(ROWS, [*MARKS, *FAILED, "_x000D_B"]), tmp_path / f"m_MMStar.{suffix}"
    )
    answers = read_answers(path, TABLE)
    assert [answer.response.text for answer in answers[: len(MARKS)]] == MARKS
    failed = answers[len(MARKS) : len(MARKS) + 2]
    assert [(answer.response.text, answer.response.failure) for answer in failed] == [
        ("", text) for text in FAILED
    ]
    escaped = "\rB" if suffix == "xlsx" else "_x000D_B"
    assert answers[len(MARKS) + 2].response.text == escaped
    assert all(answer.response.failure is None for answer in answers[len(MARKS) + 2 :])


def test_the_authors_submission_has_the_authors_score(
    real_data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """307 real answers as a spreadsheet: every question has its options, and the released rule
    counts 164 hits.
    """
    frame = pd.read_json(real_data / "mmstar/llava_next_34b_sample.jsonl", lines=True)
    write_questions(tmp_path, frame)
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    path = write_table(frame, tmp_path / "real.xlsx")
    _, result, _ = run_json(capsys, "score", "mmstar_filtered", path, "--partial")
    hits = (
        frame["prediction"].str.strip().str.lower().str[0]
        == frame["answer"].str.strip().str.lower()
    ).mean()
    assert result["metrics"]["accuracy_released"] == pytest.approx(hits)
    assert "|questions:307 of 1500" in result["signature"]
