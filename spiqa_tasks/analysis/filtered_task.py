"""Write a host task of the questions that a filter kept or a list names: a folder with YAML, hook and list."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from spiqa_tasks.analysis.filter_runs import Filtered
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.hosts.catalogue import KEPT
from spiqa_tasks.hosts.lmms_eval.source_task import source_task
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.join import task_questions
from spiqa_tasks.runs.subset import SOURCE_YAML, Subset

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
        truth: digest of the ids and true answers of all questions of the source task (`digest_of`).
        filters: how they were chosen: inspectors, metric, threshold and most hits of each filter, or a list's digest.
        hits: id -> how many inspectors of each filter answered it; None where it has none.
        revision: of a dataset of the hub; None where that is not known.
    """

    task: str
    answers: Sequence[Answer]
    asked: int
    data: str
    truth: str
    filters: Sequence[Mapping[str, Any]]
    hits: Mapping[str, Sequence[int | None]]
    revision: str | None = None


def kept_by_filter(filtered: Filtered) -> Kept:
    """Return what a filter kept. Raises InputError: nothing kept, or runs over a part of the task."""
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
    every = sorted(filtered.run.by_id.values(), key=lambda answer: answer.place)
    truth = digest_of([(answer.id, _truth(answer)) for answer in every])
    answers = [filtered.run.by_id[key] for key in filtered.kept]
    hits = {answer.id: [filtered.hits[answer.id]] for answer in answers}
    return Kept(filtered.task, answers, len(filtered.hits), filtered.run.signature.data, truth, [made], hits)


def kept_by_list(task: Task, subset: Subset) -> Kept:
    """Return the questions of a task of this package that a list names.

    Raises:
        InputError: ids of no question, or a task that shows a question in several documents.
        DataError: the questions are not there.
    """
    rows = task_questions(task)
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
    truth = digest_of([(row["id"], row["answer"]) for row in rows])
    hits = {answer.id: [None] for answer in answers}
    return Kept(task.name, answers, len(rows), data, truth, [{"ids": subset.digest}], hits)


def kept_by_lists(subset: Subset) -> Kept:
    """Return the questions that all kept.json files of a subset keep, with the filters and hits of each."""
    first = next((kept for kept in subset.lists if kept["revision"]), subset.lists[0])
    common = set(subset.ids)
    hits: dict[str, list[int | None]] = {}
    for kept in subset.lists:
        for each in kept["kept"]:
            hits.setdefault(each["id"], []).extend(each["hits"])
    answers = [
        Answer(each["id"], Response(""), place=int(each["doc_id"]), reference=each["target"])
        for each in first["kept"]
        if each["id"] in common
    ]
    return Kept(
        first["source"],
        answers,
        min(kept["questions"] for kept in subset.lists),
        first["data"] or "",
        first["truth"],
        [made for kept in subset.lists for made in kept["filters"]],
        {key: hits[key] for key in common},
        first["revision"],
    )


def write_task(kept: Kept, name: str, folder: Path, include_path: Path | None = None) -> Path:
    """Write the task `name` into `folder/name`; returns its YAML.

    The YAML includes that of the source task by its path, names the data's revision where the hub's cache knows it,
    and has a digest of the kept list in its metadata, so that the host's response cache tells two lists apart.

    Raises InputError: a source task that the host does not know or that is written in Python.
    """
    source, config = source_task(kept.task, include_path)
    if name == kept.task or "class" in config:
        raise InputError(
            f"Expected a new name and a source task made of YAML alone; found {name} of {source}. Choose with --name."
        )
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    listed = _listing(kept, config)
    (target / KEPT).write_text(json.dumps({SOURCE_YAML: str(source), **listed}, indent=1), encoding="utf-8")
    (target / "keep.py").write_text(_HOOK, encoding="utf-8")
    values = _values(kept, name, source, config, listed)
    path = target / f"{name}.yaml"
    rest = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    path.write_text(f"{rest}process_docs: !function keep.process_docs\n", encoding="utf-8")
    return path


def _listing(kept: Kept, config: dict[str, Any]) -> dict[str, Any]:
    """The kept questions with all that says how they were chosen, and a digest of it."""
    found = {
        "source": kept.task,
        "split": config.get("test_split") or config.get("validation_split"),
        "questions": kept.asked,
        "data": kept.data or None,
        "revision": kept.revision or _revision(str(config["dataset_path"])),
        "truth": kept.truth,
        "target": config["doc_to_target"] if isinstance(config.get("doc_to_target"), str) else None,
        "filters": list(kept.filters),
        "kept": [
            {"doc_id": answer.place, "id": answer.id, "target": _truth(answer), "hits": kept.hits[answer.id]}
            for answer in kept.answers
        ],
    }
    return {"digest": digest_of(found), **found}


def _truth(answer: Answer) -> str:
    return answer.reference if answer.record is None else answer.record.reference


def _values(kept: Kept, name: str, source: Path, config: dict[str, Any], listed: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {"include": str(source), "task": name}
    values |= {key: [] for key in ("tag", "group") if key in config}
    revision = listed["revision"]
    if revision is not None:
        values["dataset_kwargs"] = {"revision": revision, **(config.get("dataset_kwargs") or {})}
    own = config.get("metadata")
    values["metadata"] = {
        "version": 1.0,
        **(own if isinstance(own, dict) else {}),
        "source": kept.task,
        "data": kept.data or revision or "unknown revision",
        "filters": [
            {**made, "inspectors": len(made["inspectors"])} if "inspectors" in made else made for made in kept.filters
        ],
        "kept": listed["digest"],
    }
    return values


def _revision(dataset: str) -> str | None:
    """The commit of a hub dataset in the local cache, from which the runs were made."""
    from huggingface_hub.constants import HF_HUB_CACHE

    reference = Path(HF_HUB_CACHE) / f"datasets--{dataset.replace('/', '--')}" / "refs" / "main"
    return reference.read_text(encoding="utf-8").strip() if "/" in dataset and reference.is_file() else None
