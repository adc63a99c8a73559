"""A host task of the questions that a filter kept or a list names: a YAML, a hook and the list, in a folder."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from spiqa_tasks.analysis.filter_runs import Filtered
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.hosts.filtered_tasks import KEPT
from spiqa_tasks.hosts.lmms_eval.source_task import source_task
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.subset import Subset
from spiqa_tasks.runs.task_rows import release_rows

_HOOK = '''"""Made by `spiqa-tasks filter`: keeps the questions that kept.json lists."""

from pathlib import Path

from spiqa_tasks.utils.filtered import keep


def process_docs(docs):
    return keep(Path(__file__).with_name("kept.json"), docs)
'''


def name_of(task: str) -> str:
    """Return the name of the task that is filtered from another: `x_filtered`, then `x_filtered_2`, and so on."""
    before = re.fullmatch(r"(.+_filtered)(?:_(\d+))?", task)
    return f"{task}_filtered" if before is None else f"{before[1]}_{int(before[2] or 1) + 1}"


@dataclass(frozen=True)
class Kept:
    """The questions of a task that another one of the host asks.

    Attributes:
        task: the source task.
        answers: the kept questions, each with its place in the source task, its id and its true answer.
        asked: how many questions the choice was among.
        data: benchmark, split and digest of the release file; empty for the host's own tasks.
        made: how they were chosen, for the list.
        told: the same for the YAML's metadata.
    """

    task: str
    answers: Sequence[Answer]
    asked: int
    data: str
    made: Mapping[str, Any]
    told: Mapping[str, Any]


def kept_by_filter(filtered: Filtered) -> Kept:
    """Return what a filter kept.

    Raises:
        InputError: nothing kept, or runs over a part of the task.
    """
    part = next((each.run.coverage for each in filtered.inspectors if each.run.record_set.part), None)
    if part is not None:
        raise InputError(
            f"Expected runs on the whole of {filtered.task} to write a task of it, found {part} questions. Run it "
            "without --limit."
        )
    if not filtered.kept:
        raise InputError(f"Expected questions of {filtered.task} to keep, found none. Raise --max-hits.")
    made = {
        "inspectors": [inspector.name for inspector in filtered.inspectors],
        "metric": filtered.metric.name,
        "threshold": filtered.threshold,
        "max_hits": filtered.max_hits,
    }
    told = {"inspectors": len(filtered.inspectors), "max_hits": filtered.max_hits}
    answers = [filtered.run.by_id[key] for key in filtered.kept]
    return Kept(filtered.task, answers, len(filtered.hits), filtered.run.signature.data, made, told)


def kept_by_list(task: Task, subset: Subset) -> Kept:
    """Return the questions of a task of this package that a list names.

    Raises:
        InputError: ids of no question, or a task that shows a question in several documents.
        DataError: the questions are not there.
    """
    rows = release_rows(task)
    if task.entry.join(task.typed) is not None:
        raise InputError(
            f"Expected a task whose questions are one document each, found {task.name}. Name the task that shows all "
            "figures at once."
        )
    wanted = {row["id"] for row in subset.rows(task.name, rows)}
    answers = [
        Answer(row["id"], Response(""), place=place, reference=row["answer"])
        for place, row in enumerate(rows)
        if row["id"] in wanted
    ]
    data = f"{task.benchmark}/{task.split}@{rows[0]['data']}"
    return Kept(task.name, answers, len(rows), data, {"ids": subset.digest}, {"ids": subset.digest})


def write_task(kept: Kept, name: str, folder: Path, include_path: Path | None = None) -> Path:
    """Write the task `name` into `folder/name`; returns its YAML.

    The YAML includes that of the source task by its path, names the data's revision where the hub's cache knows it,
    and has a digest of the kept list in its metadata, so that the host's response cache tells two lists apart.

    Raises:
        InputError: a source task that the host does not know or that is written in Python.
    """
    source, config = source_task(kept.task, include_path)
    if name == kept.task or "class" in config:
        raise InputError(
            f"Expected a new name and a source task made of YAML alone; found {name} of {source}. Choose with --name."
        )
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_listing(kept, source, config), indent=1)
    (target / KEPT).write_text(text, encoding="utf-8")
    (target / "keep.py").write_text(_HOOK, encoding="utf-8")
    values = _values(kept, name, source, config, hashlib.sha256(text.encode()).hexdigest()[:12])
    path = target / f"{name}.yaml"
    rest = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    path.write_text(f"{rest}process_docs: !function keep.process_docs\n", encoding="utf-8")
    return path


def _listing(kept: Kept, source: Path, config: dict[str, Any]) -> dict[str, Any]:
    return {
        "source": kept.task,
        "source_yaml": str(source),
        "split": config.get("test_split") or config.get("validation_split"),
        "questions": kept.asked,
        "data": kept.data.rpartition("@")[2] if kept.data else None,
        **kept.made,
        "target": config["doc_to_target"] if isinstance(config.get("doc_to_target"), str) else None,
        "kept": [{"doc_id": answer.place, "id": answer.id, "target": answer.reference} for answer in kept.answers],
    }


def _values(kept: Kept, name: str, source: Path, config: dict[str, Any], digest: str) -> dict[str, Any]:
    values: dict[str, Any] = {"include": str(source), "task": name}
    values |= {key: [] for key in ("tag", "group") if key in config}
    revision = _revision(str(config["dataset_path"]))
    if revision is not None:
        values["dataset_kwargs"] = {"revision": revision, **(config.get("dataset_kwargs") or {})}
    own = config.get("metadata")
    values["metadata"] = {
        "version": 1.0,
        **(own if isinstance(own, dict) else {}),
        "source": kept.task,
        "data": kept.data or revision or "unknown revision",
        **kept.told,
        "kept": digest,
    }
    return values


def _revision(dataset: str) -> str | None:
    """The commit of a hub dataset in the local cache, from which the runs were made."""
    from huggingface_hub.constants import HF_HUB_CACHE

    reference = Path(HF_HUB_CACHE) / f"datasets--{dataset.replace('/', '--')}" / "refs" / "main"
    return reference.read_text(encoding="utf-8").strip() if "/" in dataset and reference.is_file() else None
