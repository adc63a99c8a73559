"""Result and samples files in the form of lmms-eval, which every command of ours reads."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Value, in_group
from spiqa_tasks.benchmarks.prompting import plain_text
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.hosts.entries import entries_of
from spiqa_tasks.hosts.vlmevalkit.answer_file import ScoredAnswer
from spiqa_tasks.scoring.clustered import clustered_stderr

HOST_ARGUMENT = "host=vlmevalkit"
"""What stands for a model's arguments: runs of a model of the same name in lmms-eval are not taken for these."""


def values_of(scorer: Scorer, answers: Sequence[ScoredAnswer]) -> dict[str, Value]:
    """Return the value of every row of the task's table that there are answers of, the headline first."""
    records = [answer.record for answer in answers]
    there = {metric.name for metric in scorer.metrics}
    found: dict[str, Value] = {}
    for name in scorer.benchmark.rows_of_table(scorer.settings):
        metric, _, group = name.partition("/")
        members = in_group(records, group) if group else records
        if metric in there and members:
            found[name] = scorer.value(name, members)
    return found


def write(
    folder: Path, stamp: str, model: str, host: str, task: Task, scorer: Scorer, answers: Sequence[ScoredAnswer]
) -> dict[str, Value]:
    """Write `<stamp>_<task>_results.json` and its samples file; return the values by row of the table.

    Args:
        folder: where to.
        stamp: the date and time, as lmms-eval writes them.
        model: the model's name.
        host: name and version of the host.
        task: the task.
        scorer: the task's.
        answers: the scored answers.
    """
    values = values_of(scorer, answers)
    samples = [_sample(answer, scorer, task) for answer in answers]
    results = {"alias": task.name, **_results(values, samples)}
    content = {
        "results": {task.name: results},
        "configs": {task.name: _config(task)},
        "config": {"model": model, "model_args": HOST_ARGUMENT},
        "n-samples": {task.name: {"original": task.questions, "effective": len(answers)}},
        "host": host,
        "date": stamp,
    }
    lines = "".join(f"{json.dumps(sample)}\n" for sample in samples)
    write_atomically(folder / f"{stamp}_{task.name}_samples_{task.name}.jsonl", lines.encode())
    write_atomically(folder / f"{stamp}_{task.name}_results.json", json.dumps(content, indent=2).encode())
    return values


def _results(values: Mapping[str, Value], samples: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name, value in values.items():
        found[f"{name},none"] = None if math.isnan(value.value) else value.value
        entries = [sample[name] for sample in samples if "score" in sample.get(name, {})]
        scores = [entry["score"] for entry in entries]
        clusters = [entry.get("cluster") for entry in entries]
        kind = "clt" if None in clusters else "clustered"
        error = clustered_stderr(scores, clusters if kind == "clustered" else range(len(scores)))
        if not math.isnan(error):
            found[f"{name}_stderr_{kind},none"] = error
    return found


def _sample(answer: ScoredAnswer, scorer: Scorer, task: Task) -> dict[str, Any]:
    return {
        "doc_id": answer.place,
        "target": str(answer.row["answer"]),
        "filtered_resps": answer.text,
        **entries_of(answer.record, scorer, (task.benchmark, task.settings)),
        "input": plain_text(task.entry.prompt(answer.row)),
    }


def _config(task: Task) -> dict[str, Any]:
    """The values of the task's YAML that tell which it is and how it is scored."""
    return {
        "task": task.name,
        "test_split": task.split,
        "dataset_name": task.settings,
        "generation_kwargs": {} if task.length is None else {"max_new_tokens": task.length},
        "metadata": {"benchmark": task.benchmark, "headline": task.headline},
    }
