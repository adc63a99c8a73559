"""The filter on logged answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from filter_runs import Filter, write_inspectors
from host_files import choice_sample, choice_samples, sample_of, write_run

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.cli import main


def test_keeps_what_at_most_two_of_eight_answer(tmp_path: Path, run_filter: Filter) -> None:
    """Hits 0, 1 and 2 are kept; 6, 7 and 8 count to the abnormal hit rate."""
    write_inspectors(tmp_path, list(range(9)))
    target = tmp_path / "samples.jsonl"
    status, (record,), _ = run_filter(tmp_path, "--samples", target)
    assert status == 0
    assert (record["n"], record["kept"], record["max_hits"], len(record["inspectors"])) == (9, 3, 2, 8)
    assert record["groups"][0] == {"group": "all", "n": 9, "kept": 3, "abnormal_hit_rate": pytest.approx(3 / 9)}
    samples = [json.loads(line) for line in target.read_text().splitlines()]
    assert [sample["hits"] for sample in samples] == list(range(9))
    assert [sample["id"] for sample in samples if sample["kept"]] == ["q0", "q1", "q2"]
    assert [sample["id"] for sample in samples if sample["abnormal"]] == ["q6", "q7", "q8"]


def test_questions_in_parts_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A task that shows one figure at a time has several documents a question; keeping some would tear it."""
    settings = "setting=perfigure,max_figures=0"
    samples = [sample_of(row, "Yes") for row in load_rows("spiqa", "demo", settings)[:9]]
    task = "spiqa_demo_perfigure"
    write_run(tmp_path, "m", {task: samples}, settings={task: settings}, benchmark="spiqa")
    assert main(["filter", "--text-only-models", str(tmp_path)]) == 2
    assert "each of its questions is several documents" in capsys.readouterr().err


def test_threshold_can_be_given(tmp_path: Path, run_filter: Filter) -> None:
    """`--max-hits` overrides 2 of 8."""
    write_inspectors(tmp_path, [0, 1, 2], models=2)
    assert run_filter(tmp_path)[1][0]["kept"] == 1
    assert run_filter(tmp_path, "--max-hits", 1)[1][0]["kept"] == 2


def test_categories_have_their_own_rates(tmp_path: Path, run_filter: Filter) -> None:
    """The abnormal hit rate is told for every category."""
    samples = [choice_sample(0, True, "math"), choice_sample(1, False, "math"), choice_sample(2, True, "logic")]
    write_run(tmp_path, "m", {"t": samples}, stamp="1")
    groups = {group["group"]: group["abnormal_hit_rate"] for group in run_filter(tmp_path)[1][0]["groups"]}
    assert groups == {"all": pytest.approx(2 / 3), "math": 0.5, "logic": 1.0}


def test_difficulty_counts_the_kept_questions(tmp_path: Path, run_filter: Filter) -> None:
    """LVLM runs with images say how hard each kept question is; runs without images are no LVLM runs."""
    write_inspectors(tmp_path / "llm", [0, 0, 0, 0, 8])
    write_inspectors(tmp_path / "lvlm", [16, 8, 4, 0, 16], models=16)
    write_run(tmp_path / "lvlm", "ablated", {"t": choice_samples([True] * 5)}, "base=m0,ablation=text", stamp="99")
    record = run_filter(tmp_path / "llm", "--lvlm", tmp_path / "lvlm")[1][0]
    assert record["difficulty"] == {"easy": 1, "moderate": 1, "hard": 1, "tough": 1}


def test_pairs_find_what_leaked(tmp_path: Path, run_filter: Filter) -> None:
    """What the LVLM answers without the image and its LLM base does not, by id."""
    write_inspectors(tmp_path / "llm", [0] * 4, models=1)
    lvlm = choice_samples([True, True, False, False])
    write_run(tmp_path / "a", "ablated", {"t": lvlm}, "base=lvlm,ablation=text", stamp="1")
    write_run(tmp_path / "a", "lvlm", {"t": choice_samples([True] * 4)}, stamp="2")
    write_run(tmp_path / "b", "base", {"t": choice_samples([True, False, True, False])}, stamp="1")
    record = run_filter(tmp_path / "llm", "--pair", tmp_path / "a", tmp_path / "b")[1][0]
    assert record["leaked"] == [{"lvlm": "lvlm", "llm": "base", "n": 1, "ids": ["q1"]}]


def test_our_variants_count_as_one_task(tmp_path: Path, run_filter: Filter) -> None:
    """Inspectors that ran `_llm` and `_text` filter the plain task, and a run with images is no inspector."""
    settings = {"x_llm": "prompt=letter,ablation=text,shots=2", "x_text": "prompt=letter,ablation=text"}
    write_run(tmp_path, "a", {"x_llm": choice_samples([True, False], prompt="s")}, stamp="1", settings=settings)
    write_run(tmp_path, "b", {"x_text": choice_samples([True, False])}, stamp="2", settings=settings)
    write_run(tmp_path, "b", {"x": choice_samples([True, True])}, stamp="3", settings={"x": "prompt=letter"})
    record = run_filter(tmp_path)[1][0]
    assert (record["task"], record["inspectors"], record["groups"][0]["abnormal_hit_rate"]) == ("x", ["a", "b"], 0.5)


def test_inspectors_of_other_questions_are_refused(tmp_path: Path, run_filter: Filter) -> None:
    """All must have answered the same questions; an unknown task and two tasks for one name are refused too."""
    write_inspectors(tmp_path, [0, 0], models=1)
    write_run(tmp_path, "other", {"t": choice_samples([True])}, stamp="5")
    assert "found 2 and 1" in run_filter(tmp_path)[2]
    assert run_filter(tmp_path, "--task", "u")[0] == 2


def test_22401_questions_of_eight_models_are_filtered(tmp_path: Path, run_filter: Filter) -> None:
    """A pool of the size of the paper's: each question is counted once."""
    right, wrong = (json.dumps(choice_sample(987654321, hit)).replace("987654321", "%d") for hit in (True, False))
    for model in range(8):
        write_run(tmp_path, f"m{model}", {"t": []}, stamp=str(model))
        text = "\n".join((right if model < place % 9 else wrong) % ((place,) * 5) for place in range(22401))
        (tmp_path / f"{model}_samples_t.jsonl").write_text(text)
    record = run_filter(tmp_path)[1][0]
    assert (record["n"], record["kept"]) == (22401, 3 * 22401 // 9)
