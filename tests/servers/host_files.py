"""Result and samples files as the host writes them, for tests of what reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


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
        lines = [json.dumps({"doc_id": index, **sample}) for index, sample in enumerate(samples)]
        (folder / f"{date}_samples_{task}.jsonl").write_text("\n".join(lines) + "\n")


def choice_sample(row: Mapping[str, Any], letter: str | None) -> dict[str, Any]:
    """The sample of one answered question, by the package's own records."""
    from spiqa_tasks.benchmarks.scifibench_records import scifibench_records

    return dict(scifibench_records(row, letter or "no idea"))
