"""Result files as lmms-eval writes them, with the answers a test wants."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def own_sample(
    place: int,
    right: bool | None,
    category: str = "math",
    refused: bool = False,
    prompt: str = "p1",
    data: str = "d1",
    metric: str = "accuracy",
    answer: str = "A",
) -> dict[str, Any]:
    """A logged sample of one of our choice tasks; `right` None is a failed request."""
    record: dict[str, Any] = {"id": f"q{place}", "signature": f"data:mmstar/val@{data}|prompt:{prompt}|settings:x"}
    score = {} if right is None else {"score": float(right)}
    response = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom" if right is None else "A"
    return {
        "doc_id": place,
        "target": answer,
        "filtered_resps": response,
        metric: {**record, **score},
        f"{metric}/{category}": {"id": f"q{place}", **score},
        "refusal_rate": {"id": f"q{place}", "score": float(refused)},
        "input": f"question {place}",
    }


def own_samples(rights: Iterable[bool | None], **options: Any) -> list[dict[str, Any]]:
    """Samples of one task, one for each of `rights`."""
    return [own_sample(place, right, **options) for place, right in enumerate(rights)]


def write_run(
    folder: Path,
    stamp: str,
    model: str,
    samples: Mapping[str, list[dict[str, Any]]],
    model_args: str = "",
    settings: Mapping[str, str] | None = None,
    totals: Mapping[str, Mapping[str, float]] | None = None,
    revision: str = "main",
) -> Path:
    """Write one run: task -> samples; `settings`: task -> dataset_name; `totals`: task -> metric -> number."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stamp}_results.json"
    results = {
        task: {f"{metric},none": value for metric, value in (totals or {}).get(task, {"accuracy": 0.5}).items()}
        for task in samples
    }
    data = {"dataset_path": "owner/data", "dataset_kwargs": {"revision": revision}}
    configs = {task: {"task": task, "dataset_name": (settings or {}).get(task), **data} for task in samples}
    config = {"model": model, "model_args": model_args}
    path.write_text(json.dumps({"results": results, "configs": configs, "config": config}))
    for task, lines in samples.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        path.with_name(f"{stamp}_samples_{task}.jsonl").write_text(text)
    return path
