"""The filter on logged answers, and the task it writes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from gain_files import own_sample, own_samples, write_run

from spiqa_tasks.cli import main
from spiqa_tasks.hosts.lmms_eval.registration import user_folder, written_tasks

Filter = Callable[..., tuple[int, list[dict[str, Any]], str]]


@pytest.fixture
def run_filter(capsys: pytest.CaptureFixture[str]) -> Filter:
    """Runs the command: (exit status, records, stderr)."""

    def run(*arguments: Any) -> tuple[int, list[dict[str, Any]], str]:
        status = main(["filter", *map(str, arguments), "--json"])
        printed = capsys.readouterr()
        return status, json.loads(printed.out or "[]"), printed.err

    return run


def write_inspectors(folder: Path, hits: list[int], models: int = 8, task: str = "t", **options: Any) -> None:
    """Runs of so many models; question k is answered by the first hits[k] of them."""
    for model in range(models):
        write_run(folder, str(model), f"m{model}", {task: own_samples([model < hit for hit in hits], **options)})


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


def test_threshold_can_be_given(tmp_path: Path, run_filter: Filter) -> None:
    """`--max-hits` overrides 2 of 8."""
    write_inspectors(tmp_path, [0, 1, 2], models=2)
    assert run_filter(tmp_path)[1][0]["kept"] == 1
    assert run_filter(tmp_path, "--max-hits", 1)[1][0]["kept"] == 2


def test_categories_have_their_own_rates(tmp_path: Path, run_filter: Filter) -> None:
    """The abnormal hit rate is told for every category."""
    samples = [own_sample(0, True, "math"), own_sample(1, False, "math"), own_sample(2, True, "logic")]
    write_run(tmp_path, "1", "m", {"t": samples})
    groups = {group["group"]: group["abnormal_hit_rate"] for group in run_filter(tmp_path)[1][0]["groups"]}
    assert groups == {"all": pytest.approx(2 / 3), "math": 0.5, "logic": 1.0}


def test_difficulty_counts_the_kept_questions(tmp_path: Path, run_filter: Filter) -> None:
    """LVLM runs with images say how hard each kept question is; runs without images are no LVLM runs."""
    write_inspectors(tmp_path / "llm", [0, 0, 0, 0, 8])
    write_inspectors(tmp_path / "lvlm", [16, 8, 4, 0, 16], models=16)
    write_run(tmp_path / "lvlm", "99", "ablated", {"t": own_samples([True] * 5)}, "base=m0,ablation=text")
    record = run_filter(tmp_path / "llm", "--lvlm", tmp_path / "lvlm")[1][0]
    assert record["difficulty"] == {"easy": 1, "moderate": 1, "hard": 1, "tough": 1}


def test_pairs_find_what_leaked(tmp_path: Path, run_filter: Filter) -> None:
    """What the LVLM answers without the image and its LLM base does not, by id."""
    write_inspectors(tmp_path / "llm", [0] * 4, models=1)
    lvlm = own_samples([True, True, False, False])
    write_run(tmp_path / "a", "1", "ablated", {"t": lvlm}, "base=lvlm,ablation=text")
    write_run(tmp_path / "a", "2", "lvlm", {"t": own_samples([True] * 4)})
    write_run(tmp_path / "b", "1", "base", {"t": own_samples([True, False, True, False])})
    record = run_filter(tmp_path / "llm", "--pair", tmp_path / "a", tmp_path / "b")[1][0]
    assert record["leaked"] == [{"lvlm": "lvlm", "llm": "base", "n": 1, "ids": ["q1"]}]


def test_our_variants_count_as_one_task(tmp_path: Path, run_filter: Filter) -> None:
    """Inspectors that ran `_llm` and `_text` filter the plain task, and a run with images is no inspector."""
    settings = {"x_llm": "prompt=letter,ablation=text,shots=2", "x_text": "prompt=letter,ablation=text"}
    write_run(tmp_path, "1", "a", {"x_llm": own_samples([True, False], prompt="s")}, settings=settings)
    write_run(tmp_path, "2", "b", {"x_text": own_samples([True, False])}, settings=settings)
    write_run(tmp_path, "3", "b", {"x": own_samples([True, True])}, settings={"x": "prompt=letter"})
    record = run_filter(tmp_path)[1][0]
    assert (record["task"], record["inspectors"], record["groups"][0]["abnormal_hit_rate"]) == ("x", ["a", "b"], 0.5)


def test_inspectors_of_other_questions_are_refused(tmp_path: Path, run_filter: Filter) -> None:
    """All must have answered the same questions; an unknown task and two tasks for one name are refused too."""
    write_inspectors(tmp_path, [0, 0], models=1)
    write_run(tmp_path, "5", "other", {"t": own_samples([True])})
    assert "found 2 and 1" in run_filter(tmp_path)[2]
    assert run_filter(tmp_path, "--task", "u")[0] == 2


def test_22401_questions_of_eight_models_take_seconds(tmp_path: Path, run_filter: Filter) -> None:
    """The paper's pool is filtered in well under a minute even on a slow machine."""
    line = json.dumps(own_sample(987654321, True)).replace("987654321", "%d").replace("true", "%s")
    right, wrong = line, line.replace('"score": 1.0', '"score": 0.0')
    for model in range(8):
        write_run(tmp_path, str(model), f"m{model}", {"t": []})
        text = "\n".join((right if model < place % 9 else wrong) % ((place,) * 5) for place in range(22401))
        (tmp_path / f"{model}_samples_t.jsonl").write_text(text)
    start = time.perf_counter()
    record = run_filter(tmp_path)[1][0]
    assert time.perf_counter() - start < 30
    assert (record["n"], record["kept"]) == (22401, 3 * 22401 // 9)


SOURCE_YAML = """dataset_path: json
dataset_kwargs: {data_files: {test: rows.jsonl, train: rows.jsonl}}
task: numbers
tag: some_tag
test_split: test
fewshot_split: train
process_docs: !function utils.even
doc_to_visual: !function utils.visual
doc_to_text: question
doc_to_target: answer
output_type: generate_until
generation_kwargs: {max_new_tokens: 4, temperature: 0, do_sample: false}
process_results: !function utils.results
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
"""
SOURCE_HOOKS = """
def even(docs):
    return docs.filter(lambda doc: doc["n"] % 2 == 0)

def visual(doc):
    return []

def results(doc, results):
    return {"exact_match": float(results[0] == doc["answer"])}
"""


@pytest.fixture
def source_task(tmp_path: Path) -> Path:
    """The folder of a task that is not ours, with hooks of its own: the even ones of twelve numbers."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "numbers.yaml").write_text(SOURCE_YAML)
    (folder / "utils.py").write_text(SOURCE_HOOKS)
    rows = [{"n": n, "question": f"Number {n}?", "answer": "A" if n % 4 else "B"} for n in range(12)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def manager(*folders: Path) -> Any:
    """The host's index of our tasks and those of `folders`."""
    from lmms_eval.tasks import TaskManager

    from spiqa_tasks.hosts.lmms_eval.registration import index_tasks

    index_tasks()
    return TaskManager("WARNING", include_path=[str(folder) for folder in folders], include_defaults=False)


def host_inspectors(folder: Path, right: set[int]) -> None:
    """One run of a text-only model that answers these of the six even numbers."""
    samples = [
        {
            "doc_id": place,
            "target": "A" if (2 * place) % 4 else "B",
            "filtered_resps": "A",
            "exact_match": float(place in right),
        }
        for place in range(6)
    ]
    write_run(folder, "1", "llm", {"numbers": samples}, totals={"numbers": {"exact_match": 0.5}})


def test_written_task_of_the_host_runs_at_once(source_task: Path, tmp_path: Path, run_filter: Filter) -> None:
    """The task is found without a flag, its own `process_docs` is still applied, and only kept questions are asked."""
    host_inspectors(tmp_path / "runs", {0, 2, 5})
    status, (record,), _ = run_filter(tmp_path / "runs", "--write", "--include-path", source_task)
    assert status == 0
    assert Path(record["written"]) == user_folder() / "numbers_filtered" / "numbers_filtered.yaml"
    from lmms_eval.evaluator import simple_evaluate

    index = manager(source_task)
    assert index.task_index["some_tag"]["task"] == ["numbers"]
    results = simple_evaluate("dummy", "response=A", tasks=["numbers_filtered"], task_manager=index, bootstrap_iters=0)
    assert [sample["target"] for sample in results["samples"]["numbers_filtered"]] == ["A", "A", "B"]
    assert results["results"]["numbers_filtered"]["exact_match,none"] == pytest.approx(2 / 3)
    metadata = results["configs"]["numbers_filtered"]["metadata"]
    assert (metadata["source"], metadata["inspectors"], metadata["max_hits"]) == ("numbers", 1, 0)
    assert len(index.load_task_or_group("numbers_filtered")["numbers_filtered"].dataset["train"]) == 6


def test_written_task_refuses_other_data(
    source_task: Path, tmp_path: Path, run_filter: Filter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the source's answers have changed, the run stops with one sentence."""
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda _: None)
    host_inspectors(tmp_path / "runs", {0})
    run_filter(tmp_path / "runs", "--write", "--include-path", source_task, "--folder", tmp_path / "mine")
    rows = (source_task / "rows.jsonl").read_text().replace('"A"', '"C"')
    (source_task / "rows.jsonl").write_text(rows)
    with pytest.raises(SystemExit, match="Expected the data of numbers"):
        manager(source_task, tmp_path / "mine").load_task_or_group("numbers_filtered")


def test_task_whose_source_is_gone_is_not_indexed(source_task: Path, tmp_path: Path, run_filter: Filter) -> None:
    """A written task that cannot work any more does not break the host's index."""
    host_inspectors(tmp_path / "runs", {0})
    run_filter(tmp_path / "runs", "--write", "--include-path", source_task)
    assert written_tasks() == [str(user_folder() / "numbers_filtered")]
    (source_task / "numbers.yaml").unlink()
    assert written_tasks() == []
    (user_folder() / "numbers_filtered" / "kept.json").write_text("no json")
    assert written_tasks() == []
    assert "numbers_filtered" not in manager().task_index


def test_written_task_of_ours_keeps_ids(tmp_path: Path, run_filter: Filter) -> None:
    """A filtered task of ours asks the kept questions, and its rows say so."""
    from spiqa_tasks.benchmarks.loading import load_rows

    rows = load_rows("mmstar", "demo", "ablation=text")
    samples = [
        {**own_sample(place, place % 3 == 0, data=row["data"]), "target": row["answer"]}
        for place, row in enumerate(rows)
    ]
    write_run(tmp_path, "1", "llm", {"mmstar_demo": samples})
    run_filter(tmp_path, "--write", "--name", "hard_demo")
    task = manager().load_task_or_group("hard_demo")["hard_demo"]
    assert list(task.dataset["demo"]["id"]) == [row["id"] for place, row in enumerate(rows) if place % 3]
    changed = [
        {**sample, "accuracy": {**sample["accuracy"], "signature": "data:mmstar/demo@other"}} for sample in samples
    ]
    write_run(tmp_path, "2", "llm", {"mmstar_demo": changed})
    run_filter(tmp_path, "--write", "--name", "hard_demo")
    with pytest.raises(SystemExit, match=r"\(other\), found"):
        manager().load_task_or_group("hard_demo")


def test_what_cannot_be_written_is_refused(tmp_path: Path, run_filter: Filter) -> None:
    """No kept question, a source that the host does not know, one name for two tasks."""
    write_inspectors(tmp_path / "a", [1], models=1, data="d")
    assert "Raise --max-hits" in run_filter(tmp_path / "a", "--write")[2]
    write_run(tmp_path / "b", "1", "m", {"t": own_samples([False]), "u": own_samples([False])})
    assert "Choose one with --task" in run_filter(tmp_path / "b", "--write", "--name", "x")[2]


def test_table_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts, the rate times 100, difficulties and leaks are printed."""
    write_inspectors(tmp_path / "llm", [0, 0, 1, 1], models=1)
    arguments = ["filter", str(tmp_path / "llm"), "--lvlm", str(tmp_path / "llm")]
    assert main([*arguments, "--pair", str(tmp_path / "llm"), str(tmp_path / "llm")]) == 0
    printed = capsys.readouterr().out
    assert "t: 1 inspectors, kept with at most 0 hits" in printed
    assert "all      4    2       50.0" in printed
    assert "0 easy, 0 moderate, 0 hard, 2 tough" in printed
    assert "m0 answers 0 without the image that m0 does not" in printed
