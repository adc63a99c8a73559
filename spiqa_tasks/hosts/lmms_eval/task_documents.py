"""The documents of any task of the host, and a log of answers to it in the host's own form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.hosts.lmms_eval.registration import ABLATED
from spiqa_tasks.hosts.lmms_eval.source_task import index_with


@dataclass(frozen=True)
class TaskDocuments:
    """A task's documents, their pictures as files or bytes, and their true answers as the host logs them.

    Attributes:
        task: its name.
        config: the values of its YAML as the host logs them.
        documents: column -> value.
        targets: parallel to the documents.
    """

    task: str
    config: Mapping[str, Any]
    documents: Sequence[Mapping[str, Any]]
    targets: Sequence[Any]

    @property
    def metric(self) -> str:
        """The first metric of its YAML."""
        return str(next((entry["metric"] for entry in self.config.get("metric_list") or ()), "accuracy"))


def task_documents(task: str, include: Sequence[Path] = ()) -> TaskDocuments:
    """Return the documents that the host would ask.

    Raises:
        UnknownTaskError: the host knows no such task.
        InputError: it cannot load its documents.
        MissingPartError: the host is not installed.
    """
    require("lmms-eval", "A task of lmms-eval")
    from datasets import Dataset, Image

    index = index_with(task, include)
    try:
        found = index.load_task_or_group(task)[task]
        documents: Any = found.eval_docs
        plain = found.eval_docs_no_media
    except Exception as error:  # whatever a task's own code raises
        raise InputError(
            f"Expected lmms-eval to load the documents of {task}, found {type(error).__name__} {error}. "
            f"Try `lmms-eval --model dummy --tasks {task} --limit 1` first."
        ) from error
    if isinstance(documents, Dataset):
        pictures = [name for name, kind in documents.features.items() if isinstance(kind, Image)]
        for name in pictures:
            documents = documents.cast_column(name, Image(decode=False))
        unread = [name for name in documents.column_names if name not in (*pictures, *plain.column_names)]
        documents = documents.remove_columns(unread)
    targets = [found.doc_to_target(document) for document in plain]
    return TaskDocuments(task, found.dump_config(), list(documents), targets)


def write_log(
    folder: Path, of: TaskDocuments, model: str, metric: str, answers: Mapping[int, tuple[str, float]]
) -> Path:
    """Write answers as the host logs those of a model that saw no picture; return the result file.

    Args:
        folder: where to.
        of: the documents that are answered.
        model: its name.
        metric: what the scores are logged as.
        answers: place of the document -> the answer and its score.
    """
    name = f"{model}_{of.task}"
    samples = [
        {"doc_id": place, "target": of.targets[place], "filtered_resps": text, metric: score}
        for place, (text, score) in answers.items()
    ]
    mean = sum(score for _, score in answers.values()) / len(answers)
    content = {
        "results": {of.task: {f"{metric},none": mean}},
        "configs": {of.task: of.config},
        "config": {"model": ABLATED, "model_args": f"base={model},ablation=text"},
        "n-samples": {of.task: {"original": len(of.documents), "effective": len(answers)}},
    }
    lines = "".join(f"{json.dumps(sample, default=str)}\n" for sample in samples)
    write_atomically(folder / f"{name}_samples_{of.task}.jsonl", lines.encode())
    path = folder / f"{name}_results.json"
    write_atomically(path, json.dumps(content, default=str).encode())
    return path
