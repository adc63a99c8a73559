"""`spiqa-tasks gain --with A --without B --llm-base C`: three files whose roles the options say."""

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from answer_files import right_answers, write_jsonl
from run_command import run_json

TASK = "mmstar_demo"
Gain = Any


@pytest.fixture
def gain(capsys: pytest.CaptureFixture[str]) -> Gain:
    """A function of the arguments of `gain` that returns (exit status, records, stderr)."""
    return partial(run_json, capsys, "gain")


def answers(right: int) -> dict[str, str]:
    """Return the right letter for the first questions, a refusal for the others."""
    true = right_answers(TASK)
    return {
        key: letter if place < right else "I cannot answer."
        for place, (key, letter) in enumerate(true.items())
    }


def write(path: Path, given: dict[str, str]) -> Path:
    """Write answers in the format of the file's suffix."""
    table = pd.DataFrame({"index": list(given), "prediction": list(given.values())})
    if path.suffix == ".jsonl":
        return write_jsonl(path, given)
    (table.to_csv if path.suffix == ".csv" else table.to_excel)(path, index=False)
    return path


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".xlsx"])
def test_files_of_any_form_are_enough(tmp_path: Path, gain: Gain, suffix: str) -> None:
    """24 right answers with pictures, 6 without, 3 of the LLM base: the shares and their
    differences by hand.
    """
    v, wv, t = (
        write(tmp_path / f"{name}{suffix}", answers(n))
        for name, n in (("v", 24), ("w", 6), ("t", 3))
    )
    status, records, _ = gain("--with", v, "--without", wv, "--llm-base", t, "--task", TASK)
    overall = records[0]
    assert (status, overall["task"], overall["n"], overall["ablation"]) == (0, TASK, 24, "unknown")
    assert [overall[name] for name in ("s_v", "s_wv", "s_t", "mg", "ml")] == pytest.approx(
        [1.0, 0.25, 0.125, 0.75, 0.125]
    )


def test_leakage_below_0_stands_beside_that_cut_at_0(tmp_path: Path, gain: Gain) -> None:
    """3 right answers without pictures, 6 of the LLM base."""
    v, wv, t = (
        write(tmp_path / f"{name}.csv", answers(n)) for name, n in (("v", 24), ("w", 3), ("t", 6))
    )
    overall = gain("--with", v, "--without", wv, "--llm-base", t, "--task", TASK)[1][0]
    assert (overall["ml"], overall["ml_signed"]) == (0.0, -0.125)
    assert overall["ml_high"] == max(0.0, overall["ml_signed_high"])
    assert overall["ml_signed_low"] < -0.125 < overall["ml_signed_high"]


def test_columns_of_ones_own_are_named(tmp_path: Path, gain: Gain) -> None:
    """As for `score`."""
    files = []
    for name, right in (("v", 12), ("w", 6)):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(
            "".join(json.dumps({"key": k, "said": a}) + "\n" for k, a in answers(right).items())
        )
        files.append(path)
    named = ("--with", files[0], "--without", files[1], "--task", TASK)
    assert gain(*named)[0] == 2
    status, records, _ = gain(*named, "--columns", "id=key,prediction=said")
    assert (status, records[0]["mg"]) == (0, 0.25)


def test_what_cannot_be_told_apart_is_refused(tmp_path: Path, gain: Gain) -> None:
    """A file twice, one alone, runs beside files, pictures that were none, an unknown task: one
    sentence each.
    """
    v, wv = write(tmp_path / "v.csv", answers(12)), write(tmp_path / "w.csv", answers(6))
    blind = write(tmp_path / f"m_{TASK}_text.csv", answers(6))
    copy = shutil.copy(v, tmp_path / "copy.csv")
    for arguments, told in (
        (["--with", v, "--without", v, "--task", TASK], "the same ones in"),
        (["--with", v, "--without", copy, "--task", TASK], "the same ones in"),
        (
            ["--with", v, "--without", wv, "--llm-base", copy, "--task", TASK],
            "the same ones in",
        ),
        (["--with", v, "--task", TASK], "Expected --with and --without"),
        (["--with", v, "--llm-base", wv, "--task", TASK], "Expected --with and --without"),
        ([v, "--with", v, "--without", wv, "--task", TASK], "found both"),
        (
            ["--with", blind, "--without", wv, "--task", TASK],
            "Expected a run with pictures at --with",
        ),
        (["--with", v, "--without", wv], "--task TASK"),
    ):
        status, _, errors = gain(*arguments)
        assert (status, told in errors) == (2, True), errors
        assert errors.count("Expected") <= 1


def test_the_authors_submission_is_such_a_file(tmp_path: Path, gain: Gain, real_data: Path) -> None:
    """Its jsonl, and an xlsx with the same questions, have what they are scored by: no task is
    needed.
    """
    path = real_data / "mmstar" / "llava_next_34b_sample.jsonl"
    table = pd.read_json(path, lines=True)
    right = (table["prediction"].str[0] == table["answer"]).mean()
    blind = tmp_path / "blind.xlsx"
    table.assign(prediction="A").to_excel(blind, index=False)
    status, records, _ = gain("--with", path, "--without", blind)
    overall = records[0]
    assert (status, overall["n"]) == (0, len(table))
    assert (overall["s_v"], overall["s_wv"]) == pytest.approx(
        (right, (table["answer"] == "A").mean())
    )
