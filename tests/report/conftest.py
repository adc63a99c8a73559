"""Runs to report on, as the host writes them, and a real browser to look at the page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.making import make_scorer
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.registry import load_rows

HOST = "lmms-eval 0.7.3"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]

WriteRun = Callable[..., Path]


@pytest.fixture(scope="session")
def write_run() -> WriteRun:
    """`write_run(folder, model, answers, task="mmstar_demo", benchmark="mmstar", repeat=1)`: a run of the demo data.

    `answers(position, row)` is the model's text; `repeat` makes so many questions of each.
    """

    def write(
        folder: Path,
        model: str,
        answers: Callable[[int, Mapping[str, Any]], str],
        task: str = "mmstar_demo",
        benchmark: str = "mmstar",
        repeat: int = 1,
    ) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        rows = load_rows(benchmark, "demo", "")
        scorer = make_scorer(benchmark, "", HOST, None)
        lines = []
        for position, row in enumerate(rows * repeat):
            named = {**row, "id": row["id"] if repeat == 1 else str(position)}
            text = answers(position, row)
            record = scorer.score([scorer.record(named, Response(text))], whole=False)[0]
            sample = {"doc_id": position, "target": record.reference, "filtered_resps": text}
            lines.append(json.dumps({**sample, "accuracy": record.as_dict()}))
        config = {"task": task, "dataset_name": "", "metadata": {"benchmark": benchmark}}
        content = {"results": {task: {"alias": task}}, "configs": {task: config}}
        content["config"] = {"model": "openai", "model_args": f"model_version={model}"}
        (folder / "20260101_results.json").write_text(json.dumps(content))
        (folder / f"20260101_samples_{task}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return folder

    return write


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The system's chromium, driven by playwright; tests that need it are skipped by name where it is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()
