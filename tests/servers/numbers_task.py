"""A task of lmms-eval that is none of ours, `numbers`, and runs of it."""

import json
from pathlib import Path
from typing import Any

from host_files import write_run

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


def write_source(folder: Path) -> Path:
    """Write the task `numbers` with hooks of its own; return its folder.

    Its file has twelve numbers, its `process_docs` keeps the six even ones.
    """
    folder.mkdir()
    (folder / "numbers.yaml").write_text(SOURCE_YAML)
    (folder / "utils.py").write_text(SOURCE_HOOKS)
    rows = [
        {"n": n, "question": f"Number {n}?", "answer": "A" if n % 4 else "B"} for n in range(12)
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def manager(*folders: Path) -> Any:
    """Return lmms-eval's index of our tasks and those in `folders`, without its own tasks."""
    from lmms_eval.tasks import TaskManager

    from spiqa_tasks.hosts.lmms_eval.registration import register_tasks

    register_tasks()
    return TaskManager(
        "WARNING", include_path=[str(folder) for folder in folders], include_defaults=False
    )


def host_inspectors(folder: Path, right: set[int]) -> None:
    """Write a run of a text-only model; `right` has the positions of the numbers it answers."""
    samples = [
        {
            "doc_id": position,
            "target": "A" if (2 * position) % 4 else "B",
            "filtered_resps": "A",
            "exact_match": float(position in right),
        }
        for position in range(6)
    ]
    write_run(
        folder,
        "ablated",
        {"numbers": samples},
        "base=llm,ablation=text",
        stamp="1",
        totals={"numbers": {"exact_match": 0.5}},
    )
