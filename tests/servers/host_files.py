"""Result and samples files as the host writes them, for tests of what reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SPLIT = "one\u2028two\x85three"
"""An answer with line separators that JSON does not escape and that end no line of a samples file."""


def write_run(
    folder: Path, model: str, tasks: Mapping[str, Iterable[Mapping[str, Any]]], date: str = "20250101"
) -> None:
    """Write `<date>_results.json` and one samples file per task, each sample with the given metric records."""
    folder.mkdir(parents=True, exist_ok=True)
    results = {task: {"alias": task, "accuracy,none": 0.5} for task in tasks}
    config = {"model": "openai", "model_args": f"model_version={model},base_url=http://localhost"}
    content = {"results": results, "config": config, "configs": {task: {"task": task} for task in tasks}}
    (folder / f"{date}_results.json").write_text(json.dumps(content))
    for task, samples in tasks.items():
        logged = [
            {"doc_id": index, "target": "", "filtered_resps": SPLIT, **sample} for index, sample in enumerate(samples)
        ]
        lines = [json.dumps(sample, ensure_ascii=False) for sample in logged]
        (folder / f"{date}_samples_{task}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def choice_sample(row: Mapping[str, Any], letter: str | None) -> dict[str, Any]:
    """The sample of one answered question, by the package's own records."""
    from spiqa_tasks.benchmarks.scifibench.records import scifibench_records

    return dict(scifibench_records(row, letter or "no idea"))
