"""A benchmark of four sums, complete: what a new benchmark has to say, and nothing else of the package to change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from spiqa_tasks.benchmarks.aggregation import Metric, mean_of, share_of
from spiqa_tasks.benchmarks.benchmark import Benchmark, Row
from spiqa_tasks.benchmarks.context import Context
from spiqa_tasks.benchmarks.prompting import Part, prompt_hash
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.benchmarks.signature import sign
from spiqa_tasks.files.source import Source

WORDING = "How much is {question}? Answer with a number."
SUMS = {"0": ("1 + 1", 2, "small"), "1": ("2 + 3", 5, "small"), "2": ("20 + 30", 50, "big"), "3": ("9 + 90", 99, "big")}


@dataclass(frozen=True)
class ToySettings:
    """Whether numbers are shown as they are or doubled."""

    shown: Literal["plain", "doubled"] = "plain"


def load(_source: Source, split: str, settings: ToySettings) -> list[dict[str, Any]]:
    """Return the rows; nothing is read."""
    shared = {"benchmark": "toy", "split": split, "settings": settings_text(settings), "data": "v1"}
    factor = 2 if settings.shown == "doubled" else 1
    return [
        {"id": key, "question": f"{factor} * ({text})", "answer": str(factor * total), "size": size, **shared}
        for key, (text, total, size) in SUMS.items()
    ]


def prompt(row: Row) -> list[Part]:
    """Return the prompt."""
    return [WORDING.format(question=row["question"])]


def record(row: Row, response: Response, context: Context) -> Record:
    """Return the record of an answer: right or wrong, in the group of its size."""
    signature = sign(row, prompt_hash(WORDING), context.host, **context.signature).text
    found = Record(row["id"], reference=row["answer"], groups={"size": row["size"]}, signature=signature)
    if response.failure is not None:
        return replace(found, status="request_failed", reason=response.failure)
    score = float(response.text.strip() == row["answer"])
    return replace(found, prediction=response.text.strip(), scores={"right": score})


def metrics(_settings: ToySettings) -> Sequence[Metric]:
    """Return the metrics, the headline first."""
    return (mean_of("right"), share_of("request_failed_rate", lambda found: found.status == "request_failed"))


def toy(folder: Path) -> Benchmark:
    """Return the benchmark, its YAML and the host's stub written to `folder`."""
    hook = "!function spiqa_tasks.utils"
    rows = "".join(
        f"  - {{metric: {name}, aggregation: {hook}.answers.aggregate, higher_is_better: true}}\n"
        for name in ("right", "right/small", "right/big", "request_failed_rate", "scoring_failed_count")
    )
    (folder / "rows.jsonl").write_text(json.dumps({"benchmark": "toy"}) + "\n")
    (folder / "toy_demo.yaml").write_text(
        "task: toy_demo\ntest_split: demo\ndataset_path: json\ndataset_kwargs: {data_files: {demo: rows.jsonl}}\n"
        f"dataset_name: shown=doubled\nprocess_docs: {hook}.documents.load\ndoc_to_text: {hook}.prompts.doc_to_text\n"
        f"doc_to_visual: {hook}.prompts.doc_to_visual\ndoc_to_target: answer\noutput_type: generate_until\n"
        f"process_results: {hook}.answers.process_results\nmetric_list:\n{rows}metadata: {{benchmark: toy}}\n"
    )
    table = ("right", "right/small", "right/big", "request_failed_rate")
    return Benchmark(
        "toy", {"demo": 4}, load, prompt, record, metrics, ToySettings, table=lambda _: table, yaml_folder=folder
    )
