"""`spiqa-tasks paper`: the list, and every table and figure that it makes again."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from answer_files import right_answers, write_jsonl
from choice_runs import answered, write_captions, write_own
from gain_files import rights, write_triple
from host_files import choice_samples, sample_of, write_run
from judged_runs import write_judged
from run_command import run_json, words

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.published import Item, items, load

MADE = [item for item in items() if item.maker and item.maker != "rank"]
"""Items that the demo data make; `test_paper_ranking` has the other one."""
FIG2CAP = "demo_fig2cap"
QUESTIONS = 39


def write_choices(folder: Path, tasks: dict[str, tuple[str, int]]) -> Path:
    """Write a run on SciFIBench's demo questions; `tasks` is task -> (settings, number of wrong
    answers of 12).
    """
    rows = {
        task: rows_for_scoring("scifibench", FIG2CAP, settings)
        for task, (settings, _) in tasks.items()
    }
    samples = {task: answered(rows[task], wrong) for task, (_, wrong) in tasks.items()}
    settings = {task: text for task, (text, _) in tasks.items()}
    write_own(folder, "m", samples, settings=settings, split=FIG2CAP)
    return folder


def write_spiqa(folder: Path, tasks: dict[str, str]) -> None:
    """Right answers to SPIQA's demo questions: task -> its settings."""
    samples = {
        task: [sample_of(row, row["answer"]) for row in rows_for_scoring("spiqa", "demo", settings)]
        for task, settings in tasks.items()
    }
    write_run(folder, "m", samples, benchmark="spiqa", settings=tasks, split="demo")


def write_for(item: Item, folder: Path) -> list[str]:
    """Write runs of the demo data for an item; return the arguments that name them."""
    if item.paper == "mmstar":
        write_triple(folder, rights(6, 8), rights(4, 8), rights(2, 8))
    elif item.maker == "spread" and item.paper == "spiqa":
        for place, resolution in enumerate(("full", "448")):
            rows = rows_for_scoring("spiqa", "demo", f"resolution={resolution}")
            samples = {f"t{place}": [sample_of(row, row["answer"]) for row in rows[: 2 + place]]}
            options: dict[str, Any] = {
                "settings": {f"t{place}": rows[0]["settings"]},
                "split": "demo",
            }
            write_run(folder, "m", samples, stamp=str(place), benchmark="spiqa", **options)
        return [str(folder), "--metric", "rouge_l"]
    elif item.paper == "spiqa" and item.maker == "scores":
        settings = find_tasks(item.tasks)[0].settings_text
        write_spiqa(folder, {"asked": settings})
    elif item.paper == "spiqa":
        write_judged(folder, "m", [place / QUESTIONS for place in range(QUESTIONS)], "openai:x")
    else:
        tasks = {"plain": ("", 7), "marked": ("mark=correct", 0), "other": ("shuffle=1", 5)}
        write_choices(folder, tasks | {"shot": ("shots=1", 3)})
    return [str(folder)]


@pytest.mark.parametrize("item", MADE, ids=lambda item: f"{item.paper}-{item.key}")
def test_every_item_that_has_a_maker_is_made_of_demo_data(
    item: Item, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At least one row; nothing is missing but what the note of the list says."""
    arguments = write_for(item, tmp_path)
    status, rows, errors = run_json(capsys, f"paper {item.paper} {item.key}", *arguments)
    assert (status in (0, 3), bool(rows)) == (True, True), errors
    assert main(["paper", item.paper, item.name, *arguments]) == status
    assert capsys.readouterr().out


def test_the_list_says_what_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    """All of the three papers, or of one, with the tasks to run."""
    _, rows, _ = run_json(capsys, "paper")
    assert [(row["paper"], row["item"]) for row in rows] == [
        (item.paper, item.key) for item in items()
    ]
    _, rows, _ = run_json(capsys, "paper mmstar")
    found = {row["item"]: row for row in rows}
    assert [found["table5"][name] for name in ("needs", "tasks")] == [["runs"], ["mmstar_filtered"]]
    assert found["figure1"]["needs"] == []


def test_the_list_is_fast(tmp_path: Path) -> None:
    """It imports neither numpy nor the host: its processor time is below a second."""
    code = (
        "from spiqa_tasks.cli import main; main(['paper']); import sys; print('numpy' in"
        " sys.modules)"
    )
    before = time.process_time()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert time.process_time() - before < 1
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["spiqa", "table99"], "Expected a table or figure of spiqa"),
        (["spiqa", "figure1"], "found Figure 1: illustration"),
        (["spiqa", "table8"], "Expected runs of spiqa for Table 8, found none"),
        (
            ["spiqa", "table8", "x", "--judge", "a", "--judge", "b"],
            "Expected one --judge for Table 8, found 2",
        ),
        (
            ["scifibench", "table3", "x"],
            "Expected judges that see pictures for Table 3, found none",
        ),
        (["spiqa", "table4"], "found Table 4: counts of the release;"),
    ],
)
def test_what_cannot_be_made_is_refused(
    arguments: Sequence[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence."""
    assert main(["paper", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_runs_of_another_benchmark_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence, as they have none of the benchmark's settings."""
    write_judged(tmp_path, "m", None)
    assert main(["paper", "scifibench", "figure8", str(tmp_path)]) == 2
    assert (
        "Expected runs of scifibench_cs_fig2cap or scifibench_cs_cap2fig for Figure 8 (accuracy "
        "by length of caption and size of figure), found spiqa_demo. Name other runs."
        in capsys.readouterr().err
    )


def test_runs_of_another_paper_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a sentence; if none is left, the tasks that the table is of are said."""
    write_triple(tmp_path / "mmstar", rights(6, 8), rights(4, 8), None)
    assert main(["paper", "spiqa", "table3", str(tmp_path)]) == 2
    assert "Expected runs of spiqa or spiqa_perfigure_224px for Table 3" in capsys.readouterr().err
    write_judged(tmp_path / "spiqa", "m", [0.5] * QUESTIONS)
    assert main(["paper", "spiqa", "table3", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert (
        "as Table 3 is of spiqa or spiqa_perfigure_224px: mmstar_filtered and 1 more."
        in printed.err
    )
    assert "mmstar" not in printed.out


def test_runs_of_another_experiment_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Table 7 is chain of thought: a direct run beside its printed rows looks like a result."""
    write_spiqa(tmp_path, {"direct": "", "thought": "setting=cot", "small": "setting=cot,seed=1"})
    _, rows, errors = run_json(capsys, "paper spiqa table7", str(tmp_path))
    assert {row["task"] for row in rows if row["source"] == "measured"} == {"thought", "small"}
    assert "Left out, as Table 7 is of spiqa_testA_cot: direct." in errors


def test_of_runs_that_a_table_leaves_out_nothing_else_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Captions have no accuracy; unread answers of another benchmark are no news of the table's."""
    rows = rows_for_scoring("scifibench", "demo_fig2cap", "prompt=caption")
    write_captions(tmp_path, "openai", [sample_of(row, "a caption") for row in rows])
    unread = {str(place): "?" for place in range(24)}
    write_jsonl(tmp_path / "m_mmstar_demo.jsonl", unread)
    task = "scifibench_demo_fig2cap"
    write_jsonl(tmp_path / f"m_{task}.jsonl", dict.fromkeys(right_answers(task), "?"))

    _, rows, errors = run_json(capsys, "paper scifibench section4.4", tmp_path)
    assert [row["task"] for row in rows] == [task]
    assert errors.splitlines() == [
        "spiqa-tasks: Left out, as Section 4.4 is of scifibench: mmstar_demo and 1 more.",
        f"spiqa-tasks: {task} of m: of 12 answers 12 empty or unparsed.",
    ]


def test_tables_of_gain_say_nothing_of_another_papers_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of SPIQA needs no run without pictures for MMStar's Table 5."""
    write_triple(tmp_path / "mmstar", rights(6, 8), rights(4, 8), None)
    write_judged(tmp_path / "spiqa", "m", [0.5] * QUESTIONS)
    assert main(["paper", "mmstar", "table5", str(tmp_path), "--partial"]) == 0
    errors = capsys.readouterr().err
    assert "as Table 5 is of mmstar_filtered: spiqa_demo." in errors
    assert "on spiqa_demo" not in errors


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        ("mmstar table1", {"mmstar_demo_text"}),
        ("mmstar table2", {"mmstar_demo_llm"}),
        ("mmstar table4", {"mmstar_demo_llm"}),
        ("scifibench table4", {"scifibench_cs_fig2cap"}),
        ("scifibench table5", {"scifibench_cs_fig2cap"}),
    ],
)
def test_a_table_has_the_runs_of_its_own_experiment_alone(
    item: str,
    shown: set[str],
    scifibench_release: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Runs with pictures are no LLMs without them; other splits and orders are no Table 5."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(scifibench_release))
    names = ["mmstar_demo", "mmstar_demo_text", "mmstar_demo_llm"]
    names += [f"scifibench_{split}" for split in ("cs_fig2cap", "cs_cap2fig", "general_fig2cap")]
    for name in [*names, "scifibench_cs_fig2cap_shuffle1"]:
        write_jsonl(tmp_path / f"m_{name}.jsonl", dict(right_answers(name)))

    status, rows, errors = run_json(capsys, f"paper {item} --partial", tmp_path)
    assert status == 0
    assert {row["task"] for row in rows if row["source"] == "measured"} == shown
    assert "and 5 more" in errors


def test_a_model_with_two_settings_has_two_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One row would show the first run's number, and nothing of the other."""
    rows = rows_for_scoring("scifibench", FIG2CAP, "")
    task = "scifibench_demo_fig2cap"
    for wrong, heat in ((0, "0.0"), (6, "0.7")):
        samples = {task: answered(rows, wrong)}
        options = {"settings": {task: ""}, "split": FIG2CAP, "stamp": heat}
        path = write_own(tmp_path, "m", samples, **options)
        results = json.loads(path.read_text())
        results["configs"][task]["generation_kwargs"] = {"temperature": float(heat)}
        path.write_text(json.dumps(results))

    assert main(["paper", "scifibench", "table2", str(tmp_path)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "m (temperature=0.0) measured 100.0 [" in printed
    assert "m (temperature=0.7) measured 50.0 [" in printed


def test_what_all_rows_of_a_table_have_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Task and metric in its title, the judges below the first one; the address of a judge fits
    into no column. Whole groups have no number of questions. JSON has all in each record.
    """
    monkeypatch.setenv("COLUMNS", "80")
    judge = "openai:x@http://localhost:8000/v1"
    write_judged(tmp_path, "m", [place / QUESTIONS for place in range(QUESTIONS)], judge)
    assert main(["paper", "spiqa", "table6", str(tmp_path)]) == 0
    first, judges, second, *_ = capsys.readouterr().out.split("\n\n")
    title, heads, _, *rows = first.splitlines()
    assert title == "l3score on spiqa_demo, x 100"
    assert heads.split() == ["model", "source", "group", "x", "100", "n"]
    assert [row.split()[:3] for row in rows[:2]] == [
        ["m", "measured", "all"],
        ["m", "measured", "other"],
    ]
    assert max(map(len, rows)) <= 80
    assert judges == f"Judges: {judge}."
    assert second.startswith("bleu_1 on spiqa_demo, x 100\n")

    _, records, _ = run_json(capsys, "paper spiqa table6", str(tmp_path))
    assert {(row["task"], row["judge"]) for row in records} == {("spiqa_demo", judge)}
    assert {row["questions"] for row in records if row["group"] == "all"} == {"39 of 39"}


def test_open_models_have_the_tables_that_the_paper_has_of_them() -> None:
    """They are asked with small figures, one at a time, and stand in Tables 3, 6, B.1 and E.1."""
    for key in ("table3", "table6", "tableB1", "tableE1"):
        (item,) = (item for item in items() if (item.paper, item.key) == ("spiqa", key))
        assert any("perfigure_224px" in task for task in item.tasks)


def test_printed_rows_stand_below_for_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Table 8's four correlations in the printed unit; JSON has what was made alone."""
    write_judged(tmp_path, "m", [place / QUESTIONS for place in range(QUESTIONS)])
    assert main(["paper", "spiqa", "table8", str(tmp_path)]) == 0
    below = capsys.readouterr().out.split("As printed, Table 8\n")[1].split()
    printed = {str(row["correlated_with"]): row["value"] for row in load("spiqa", "table8")}
    assert below[:4] == list(printed)
    assert [float(each) for each in below[-4:]] == list(printed.values())


def test_printed_rows_keep_the_papers_digits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """GPT4V (low) has 62.0 and 48.0 in MMStar's Table 5, not 62 and 48."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    assert main(["paper", "mmstar", "table5", str(tmp_path), "--partial", "--format", "md"]) == 0
    (row,) = (line for line in capsys.readouterr().out.split("\n") if "GPT4V (low)" in line)
    cells = [cell.strip() for cell in row.split("|")]
    assert cells[5:-1] == ["62.0", "32.8", "55.2", "48.0", "33.6", "44.8", "46.1", "32.6", "1.3"]


def test_table_5_names_each_model_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its gain and leakage stand beside the accuracies, though they are of no single strategy."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    assert main(["paper", "mmstar", "table5", str(tmp_path), "--partial"]) == 0
    below = capsys.readouterr().out.split("As printed, Table 5\n")[1].split("\n\n")
    assert [part.count("\nTinyLLaVA ") for part in below] == [1] * len(below)


@pytest.mark.parametrize(("item", "by_category"), [("table3", False), ("table5", True)])
def test_gain_is_by_category_where_the_paper_prints_it_so(
    item: str, by_category: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Table 5 has the six capabilities; Tables 3, 6 and 7 have a line for each benchmark."""
    right = dict(right_answers("mmstar_demo"))
    write_jsonl(tmp_path / "m_mmstar_demo.jsonl", right)
    write_jsonl(tmp_path / "m_mmstar_demo_text.jsonl", dict.fromkeys(right, "A"))
    _, rows, errors = run_json(capsys, f"paper mmstar {item} --partial", tmp_path)
    groups = [row["group"] for row in rows]
    assert groups[:1] == ["all"], errors
    assert (len(groups) == 7) == by_category
    assert (len(groups) == 1) != by_category


@pytest.mark.parametrize(
    ("item", "part", "whole"),
    [
        ("mmstar table4", ["mmstar_demo_llm"], []),
        ("mmstar table5", ["mmstar_demo", "mmstar_demo_text"], []),
        ("scifibench table2", ["scifibench_demo_fig2cap"], []),
        ("scifibench figure8", ["scifibench_demo_fig2cap"], []),
        (
            "scifibench figure10",
            ["scifibench_demo_fig2cap_marked_incorrect"],
            ["scifibench_demo_fig2cap", "scifibench_demo_fig2cap_marked_correct"],
        ),
    ],
)
def test_a_table_with_a_withheld_value_of_a_run_is_made_in_part(
    item: str,
    part: list[str],
    whole: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of some tasks half of the questions were answered: status 3, and 0 with `--partial`."""
    for name in (*part, *whole):
        answers = list(right_answers(name).items())
        answered = answers[: len(answers) // 2] if name in part else answers
        if name.endswith("_text"):
            answered = [(key, "A") for key, _ in answered]
        write_jsonl(tmp_path / f"m_{name}.jsonl", answered)
    command = ["paper", *item.split(), str(tmp_path)]
    assert main(command) == 3
    assert " questions" in capsys.readouterr().err
    assert main([*command, "--partial"]) == 0


def test_runs_without_samples_are_none_of_another_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside a run with answers they are left out by their own sentence; alone they are refused."""
    task = "scifibench_demo_fig2cap"
    rows = rows_for_scoring("scifibench", "demo_fig2cap", "")
    for name in ("whole", "bare"):
        samples = {task: [sample_of(row, row["answer"]) for row in rows]}
        options = {"settings": {task: ""}, "split": "demo_fig2cap"}
        path = write_own(tmp_path / name, name, samples, **options)
    path.with_name(path.name.replace("results.json", f"samples_{task}.jsonl")).unlink()

    assert main(["paper", "scifibench", "table2", str(tmp_path)]) == 3
    errors = capsys.readouterr().err
    assert f"{task} of bare has no samples; run it with --log_samples." in errors
    assert "Left out, as" not in errors
    assert main(["paper", "scifibench", "table2", str(tmp_path / "bare")]) == 2
    assert (
        "for Table 2 (accuracy), found none with samples. Name other runs."
        in capsys.readouterr().err
    )


def test_scores_stand_beside_the_published_ones_of_the_same_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """MMStar's Table 4: capabilities of LLMs without images; measured first."""
    samples = choice_samples(rights(3, 4), prompt="shots", category="math")
    settings = {"mmstar_filtered_llm": "prompt=letter,ablation=text,shots=2"}
    write_run(tmp_path, "llm", {"mmstar_filtered_llm": samples}, settings=settings)
    _, rows, _ = run_json(capsys, "paper mmstar table4", tmp_path)
    assert [(row["source"], row["group"], row["value"]) for row in rows[:2]] == [
        ("measured", "all", 0.75),
        ("measured", "math", 0.75),
    ]
    published = {
        (row["model"], row["group"]): row["value"]
        for row in rows
        if row["source"] == "published, Table 4"
    }
    expected = {
        (row["model"], {"all": "all", "MA": "math"}[str(row["category"])]): row["value"]
        for row in load("mmstar", "table4")
        if row["category"] in ("all", "MA")
        and row["metric"] == "accuracy"
        and row["value"] is not None
    }
    assert {key: round(100 * value, 6) for key, value in published.items()} == expected


@pytest.mark.parametrize(
    ("command", "tasks", "heads", "line", "told"),
    [
        (
            "alignment",
            {"plain": ("", 7), "marked": ("mark=correct", 0)},
            "model split mark ignore n control accuracy change",
            f"m {FIG2CAP} correct no 12 41.7 100.0 58.3",
            "scifibench_alignment",
        ),
        (
            "spread",
            {"plain": ("", 0), "other": ("shuffle=1", 6)},
            "model split over accuracies mean sd range",
            f"m {FIG2CAP} shuffle 0:100.0 1:50.0 75.0 35.4 50.0",
            "Name more of its runs",
        ),
        (
            "bootstrap",
            {"plain": ("", 6)},
            "model task n size mean variance",
            "m plain 12 500 50.0 0.050",
            "",
        ),
    ],
)
def test_tables_have_shares_times_100(
    command: str,
    tasks: dict[str, tuple[str, int]],
    heads: str,
    line: str,
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line per model and split; without what is needed, the message names what to run."""
    first = words(command)
    write_choices(tmp_path, tasks)
    assert main([*first, str(tmp_path)]) == 0
    header, _, shown = capsys.readouterr().out.splitlines()[:3]
    assert header.split() == heads.split()
    assert " ".join(shown.split()).startswith(line)
    if told:
        assert main([*first, str(tmp_path), "--task", "plain"]) == 2
        assert told in capsys.readouterr().err
