"""`spiqa-tasks filter --classifiers`: tasks of every kind, what is printed, and runs that `filter` takes."""

import json
from pathlib import Path
from typing import Any

import pytest
from made_choices import made_choices
from numbers_task import write_source
from run_command import run_json, words
from run_files import run_records

from spiqa_tasks.analysis.shortcuts import ChoiceQuestion
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.cli import main

FEW = ("--folds", "3", "--permutations", "10")


def write_own(folder: Path, questions: list[ChoiceQuestion]) -> Path:
    """A benchmark of one's own with these questions; its YAML."""
    rows = [
        {"question": each.question, **each.options, "answer": each.answer, "parity": each.groups[0]}
        for each in questions
    ]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    columns = "{question: question, options: [A, B, C, D], answer: answer, groups: parity}"
    path = folder / "planted.yaml"
    path.write_text(f"benchmark: planted\ndata: rows.jsonl\ncolumns: {columns}\n")
    return path


def test_a_benchmark_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The planted word is found by the linear model, in every group; the samples say how sure it was of the truth."""
    path, samples = write_own(tmp_path, made_choices(90, 1, "word")), tmp_path / "samples.jsonl"
    status, rows, _ = run_json(capsys, "shortcuts", path, *FEW, "--samples", samples)
    assert status == 0
    assert [(row["classifier"], row["group"], row["n"]) for row in rows] == [
        (name, group, n)
        for name in ("letter", "linear", "forest")
        for group, n in (("all", 90), ("even", 45), ("odd", 45))
    ]
    found = {row["classifier"]: row for row in rows if row["group"] == "all"}
    assert found["linear"]["value"] > 0.6 > found["letter"]["value"]
    assert (found["linear"]["p"], found["linear"]["chance"], found["linear"]["metric"]) == (
        1 / 11,
        0.25,
        "accuracy",
    )
    lines = [json.loads(line) for line in samples.read_text().splitlines()]
    assert [line["id"] for line in lines] == [str(place) for place in range(90)]
    hits = sum(line["linear"]["choice"] == line["answer"] for line in lines)
    assert hits / 90 == found["linear"]["value"]
    sure = [line["linear"]["p_right"] for line in lines]
    assert sum(sure) / 90 > 0.3


def test_its_answers_are_runs_that_filter_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each classifier is one inspector that saw no picture, and its hits are those that were printed."""
    path, samples = write_own(tmp_path, made_choices(60, 2, "word")), tmp_path / "samples.jsonl"
    _, rows, said = run_json(
        capsys, "shortcuts", path, *FEW, "--output", tmp_path / "runs", "--samples", samples
    )
    assert said.count("wrote ") == 3
    accuracy = {row["classifier"]: row["value"] for row in rows if row["group"] == "all"}
    runs = ["--include-path", tmp_path, "--max-hits", "0", tmp_path / "runs"]
    status, (found,), _ = run_json(capsys, "filter", *runs)
    assert (status, found["task"], found["n"]) == (0, "planted", 60)
    scores = {each["model"].removeprefix("shortcut_"): each["score"] for each in found["answers"]}
    assert scores == pytest.approx(accuracy)
    assert found["kept"] <= 60 * (1 - max(accuracy.values()))
    lines = [json.loads(line) for line in samples.read_text().splitlines()]
    sure = sum(all(line[name]["p_right"] < 0.4 for name in accuracy) for line in lines)
    status, (found,), _ = run_json(
        capsys, "filter", *runs, "--metric", "p_right", "--threshold", "0.4"
    )
    assert (status, found["kept"], found["metric"]) == (0, sure, "p_right")


def test_spiqa_is_answered_from_other_questions_and_captions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rules instead of classifiers, by ROUGE-L or another metric; what is taken of captions is a sentence."""
    output = tmp_path / "runs"
    status, rows, _ = run_json(
        capsys, "shortcuts", "spiqa_demo", "--folds", "2", "--output", output
    )
    assert status == 0
    overall = {row["classifier"]: row for row in rows if row["group"] == "all"}
    assert list(overall) == ["frequent", "caption"]
    assert {row["metric"] for row in rows} == {"rouge_l"}
    assert all(0 <= row["value"] <= 1 and row["p"] is None for row in rows)
    questions = {row["id"]: row for row in load_rows("spiqa", "demo", "ablation=text")}
    (folder,) = output.glob("shortcut_caption*")
    for record in run_records(folder, "spiqa_demo"):
        captions = " ".join(figure["caption"] for figure in questions[record["id"]]["figures"])
        assert record["response"] in captions
    assert main([*words("shortcuts"), "spiqa_demo", "--folds", "2", "--metric", "cider"]) == 0
    assert "cider" in capsys.readouterr().out


def test_our_tasks_are_printed_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """Shares times 100; groups are those that `breakdown` has."""
    assert main([*words("shortcuts"), "mmstar_demo", "--folds", "2", "--permutations", "5"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["task", "classifier", "metric", "group", "n", "x", "100", "chance", "p"]
    assert lines[2][:5] == ["mmstar_demo", "letter", "accuracy", "all", "24"]
    assert lines[2][8] == "25.0"
    assert ["mmstar_demo", "linear", "accuracy", "coarse_perception"] in [
        line[:4] for line in lines
    ]


def host_task(folder: Path, questions: list[ChoiceQuestion]) -> Path:
    """The host's own task with these choices, the last of which has no known answer."""
    write_source(folder)
    path = folder / "numbers.yaml"
    path.write_text(path.read_text().replace("process_docs: !function utils.even\n", ""))
    rows: list[dict[str, Any]] = [
        {
            "question": "\n".join([each.question, *map(". ".join, each.options.items())]),
            "answer": each.answer,
        }
        for each in questions
    ]
    rows[-1]["answer"] = "?"
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


@pytest.mark.usefixtures("host")
def test_a_task_of_the_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its options are those that its prompts list; what has no answer is left out; its runs are in the host's form."""
    folder = host_task(tmp_path / "source", made_choices(61, 3, "word"))
    include = ("--include-path", folder)
    status, rows, said = run_json(
        capsys,
        "shortcuts",
        "numbers",
        *FEW,
        *include,
        "--output",
        tmp_path / "runs",
        "--metric",
        "exact_match",
    )
    assert (
        "numbers: 1 question left out, the first: Expected the true answer of numbers/test/60 to be one of"
        in said
    )
    found = {row["classifier"]: row for row in rows if row["group"] == "all"}
    assert (status, found["linear"]["n"], found["linear"]["task"]) == (0, 60, "numbers")
    assert found["linear"]["value"] > 0.5
    _, (filtered,), _ = run_json(
        capsys, "filter", *include, tmp_path / "runs", "--partial", "--max-hits", "1"
    )
    scores = {each["model"]: each["score"] for each in filtered["answers"]}
    assert scores["shortcut_linear"] == pytest.approx(found["linear"]["value"])
    assert (filtered["metric"], filtered["n"]) == ("exact_match", 60)
    given = ("--partial", "--metric", "p_right", "--threshold", "0.5")
    assert run_json(capsys, "filter", *include, tmp_path / "runs", *given)[0] == 0


@pytest.mark.usefixtures("host")
def test_what_has_no_choices_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A task of the host without options, a name that nobody knows, and samples of open answers."""
    folder = write_source(tmp_path / "source")
    status, _, said = run_json(capsys, "shortcuts", "numbers", "--include-path", folder)
    assert (
        status,
        "Expected choices in numbers, found none: the prompt of numbers/test/0 lists no" in said,
    ) == (
        2,
        True,
    )
    status, _, said = run_json(capsys, "shortcuts", "mmstar_dmo")
    assert (status, "Nearest: mmstar_demo" in said) == (2, True)
    status, _, said = run_json(capsys, "shortcuts", "spiqa_demo", "--samples", tmp_path / "x.jsonl")
    assert (status, "Expected a task of choices for --samples" in said) == (2, True)
