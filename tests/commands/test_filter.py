"""`spiqa-tasks filter`: what it refuses and prints."""

import json
import sys
from pathlib import Path

import pytest
from filter_runs import Filter, write_blind, write_inspectors
from host_files import choice_samples, write_run

from spiqa_tasks.cli import main


@pytest.mark.usefixtures("host")
def test_what_cannot_be_written_is_refused(tmp_path: Path, run_filter: Filter) -> None:
    """No kept question, a source that the host does not know, one name for two tasks."""
    write_inspectors(tmp_path / "a", [1], models=1, data="d")
    assert "Raise --max-hits" in run_filter(tmp_path / "a", "--write")[2]
    tasks = {"t": choice_samples([False]), "u": choice_samples([False])}
    write_blind(tmp_path / "b", "m", tasks)
    assert "Choose one with --task" in run_filter(tmp_path / "b", "--write", "--name", "x")[2]
    # a name without a task to be written would be ignored
    status, _, said = run_filter(tmp_path / "b", "--name", "x")
    assert (status, "Add --write." in said) == (2, True)


def test_table_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts, the rate times 100, difficulties and leaks are printed."""
    write_inspectors(tmp_path / "llm", [0, 0, 1, 1], models=1)
    write_run(tmp_path / "lvlm", "v", {"t": choice_samples([False] * 4)}, stamp="1")
    llm = str(tmp_path / "llm")
    arguments = ["filter", llm, "--lvlm", str(tmp_path / "lvlm"), "--pair", llm, llm]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "t: 1 inspector, kept with at most 0 hits" in printed
    assert ["m0", "t", "50.0", "0.0", "0.0", "0.0", "-"] in [
        line.split() for line in printed.splitlines()
    ]
    assert "2 of 4 questions kept; by hits: 2 by 0, 2 by 1" in printed
    assert "abnormal hit rate: 50.0" in printed
    assert "in most pairs: 0 questions" in printed
    assert "0 easy, 0 moderate, 0 hard, 2 tough, 0 unknown" in printed
    assert "m0 answers 0 without the image that m0 does not" in printed


def test_people_read_checkpoints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An inspector's arguments leave no room for the numbers; JSON has them."""
    samples = {"t": choice_samples([False, True])}
    write_run(tmp_path, "ablated", samples, "base=openai,ablation=text,model_version=a/b")
    assert main(["filter", str(tmp_path)]) == 0
    assert "\nb          t " in capsys.readouterr().out
    assert main(["filter", str(tmp_path), "--format", "json"]) == 0
    assert '"openai,model_version=a/b"' in capsys.readouterr().out


def test_a_task_that_is_left_out_is_status_3(tmp_path: Path, run_filter: Filter) -> None:
    """The others are filtered; where there is none, the sentence is an error."""
    tasks = {"t": choice_samples([True, False]), "u": choice_samples([None, False])}
    write_blind(tmp_path, "m", tasks)
    status, found, errors = run_filter(tmp_path)
    assert (status, [each["task"] for each in found]) == (3, ["t"])
    assert (
        errors
        == "spiqa-tasks: u is left out: Expected scores by accuracy of the answers of m to u: 1 of"
        " 2 answers have a score, fewer than 99% (1 request failed). Run it again, or choose"
        " another --metric.\n"
    )
    assert run_filter(tmp_path, "--task", "u")[:2] == (2, [])


def test_an_inspector_without_samples_is_said_to_have_none(
    tmp_path: Path, run_filter: Filter
) -> None:
    """Its number alone says neither what it saw nor which questions it hits."""
    write_inspectors(tmp_path, [0, 1], models=2)
    for path in tmp_path.rglob("*samples*"):
        path.unlink()
    status, _, errors = run_filter(tmp_path)
    assert status == 2
    assert errors.endswith(": t is left out: t of m0,ablation=text has no samples.\n")


def test_what_is_kept_of_a_part_of_a_task_has_its_questions_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of four questions were answered; of the whole task nothing is said."""
    for asked, expected in ((4, "2 of 4"), (2, "")):
        settings = {"t": "ablation=text"}
        write_run(
            tmp_path, "m", {"t": choice_samples([True, False])}, settings=settings, asked=asked
        )
        assert main(["filter", str(tmp_path), "--partial", "--max-hits", "0"]) == 0
        assert ("t, 2 of 4 questions: 1 inspector, kept" in capsys.readouterr().out) is bool(
            expected
        )
        assert main(["filter", str(tmp_path), "--partial", "--max-hits", "0", "--json"]) == 0
        (record,) = json.loads(capsys.readouterr().out)
        assert (record["n"], record["kept"], record["questions"]) == (2, 1, expected)


def test_writing_without_lmms_eval_is_refused_before_anything_is_read(
    monkeypatch: pytest.MonkeyPatch, run_filter: Filter
) -> None:
    """With what to install: a file that is not there is not looked for."""
    monkeypatch.setitem(sys.modules, "lmms_eval", None)
    status, _, errors = run_filter("nowhere.jsonl", "--write")
    assert status == 2
    assert errors.startswith("spiqa-tasks: --write needs lmms_eval. Install it")
    assert "no file or folder nowhere.jsonl" in run_filter("nowhere.jsonl")[2]
