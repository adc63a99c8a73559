"""A task of the host with choices, whose rows and prompt a test gives."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

YAML = """dataset_path: json
dataset_kwargs: {data_files: {test: test.jsonl, dev: dev.jsonl}}
task: host_choice
test_split: test
doc_to_visual: !function utils.visual
doc_to_text: question
doc_to_target: answer
output_type: generate_until
generation_kwargs: {max_new_tokens: 4, temperature: 0, do_sample: false}
process_results: !function utils.results
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
"""
HOOKS = """
from PIL import Image

def visual(doc):
    return [Image.new("RGB", (8, 8))]

def results(doc, results):
    return {"exact_match": float(results[0].strip() == doc["answer"])}
"""
Rows = Iterable[Mapping[str, Any]]


def write_task(folder: Path, rows: Rows, dev: Rows = ()) -> Path:
    """Write the task `host_choice`; return its folder."""
    folder.mkdir(parents=True)
    (folder / "host_choice.yaml").write_text(YAML)
    (folder / "utils.py").write_text(HOOKS)
    kept = list(rows)
    for name, each in (("test", kept), ("dev", list(dev) or kept[:1])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in each))
    return folder


def lettered(number: int, answer: str, options: int = 4, **more: Any) -> dict[str, Any]:
    """A row whose prompt lists its options by letters."""
    texts = [f"thing {number}{place}" for place in range(options)]
    listed = "".join(f"\n{letter}. {text}" for letter, text in zip("ABCDEFGH", texts, strict=False))
    question = f"Which is number {number}?{listed}\nAnswer with the option's letter."
    return {"question": question, "answer": answer, "options": texts, **more}
