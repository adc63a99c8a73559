"""Write a host task of the questions that a filter kept or a list names: a folder with YAML,
hook and list.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from spiqa_tasks.analysis.filter_runs import Filtered
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.hosts.catalogue import KEPT
from spiqa_tasks.hosts.lmms_eval.source_task import source_task
from spiqa_tasks.runs.join import task_questions
from spiqa_tasks.runs.selection import partial_coverage
from spiqa_tasks.runs.subset import SOURCE_YAML, Subset

_HOOK = '''"""Made by `spiqa-tasks filter`: keeps the questions that kept.json lists."""

from pathlib import Path

from spiqa_tasks.utils.filtered import keep


def process_docs(docs):
    return keep(Path(__file__).with_name("kept.json"), docs)
'''


# Content of a kept.json but for the fields of the source's YAML and of the host: see `_kept`.
Kept = dict[str, Any]
# Fields of a kept.json under its digest: task, its split, number of questions that the choice was
# among, digest of the release file (null for the host's tasks), revision of a hub dataset, digest
# of all ids and true answers of the task, column of the true answer, how the questions were
# chosen, and the questions with the hits of each filter.
_FIELDS = ("source", "split", "questions", "data", "revision", "truth", "target", "filters", "kept")


def name_of(task: str) -> str:
    """Return the name of the task that is filtered from another: `x_filtered`, then
    `x_filtered_2`, and so on.
    """
    before = re.fullmatch(r"(.+_filtered)(?:_(\d+))?", task)
    return f"{task}_filtered" if before is None else f"{before[1]}_{int(before[2] or 1) + 1}"


def kept_by_filter(filtered: Filtered) -> Kept:
    """Return what a filter kept. Raises InputError: nothing kept, or runs over a part of the
    task.
    """
    if part := partial_coverage(filtered.runs):
        raise InputError(
            f"Expected runs on the whole of {filtered.task} to --write it, found {part} questions."
            " Run all."
        )
    if not filtered.kept:
        raise InputError(
            f"Expected questions of {filtered.task} to keep, found none. Raise --max-hits."
        )
    made: dict[str, Any] = {"inspectors": filtered.inspectors, "metric": filtered.metric.name}
    made |= {"threshold": filtered.threshold, "max_hits": filtered.max_hits}
    run = filtered.runs[0]
    every = sorted(run.by_id.values(), key=lambda answer: answer.place)
    questions = [
        (a.place, a.id, a.reference if a.record is None else a.record.reference) for a in every
    ]
    hits: dict[str, int | None] = {key: filtered.hits[key] for key in filtered.kept}
    return _kept(filtered.task, len(filtered.hits), run.signature.data, made, questions, hits)


def kept_by_list(task: Task, subset: Subset) -> Kept:
    """Return the questions of a task of this package that a list names.

    Raises:
        InputError: ids of no question, or a task that shows a question in several documents.
        DataError: the questions are not there.
    """
    rows = task_questions(task)
    if task.benchmark.join(task.settings) is not None:
        raise InputError(
            f"Expected a task of one document a question, found {task.name}. Name one of all"
            " figures."
        )
    hits = {row["id"]: None for row in subset.rows(task.name, rows)}
    data = f"{task.benchmark_name}/{task.split}@{rows[0]['data']}"
    questions = [(place, row["id"], row["answer"]) for place, row in enumerate(rows)]
    return _kept(task.name, len(rows), data, {"ids": subset.digest}, questions, hits)


def _kept(
    source: str,
    asked: int,
    data: str,
    made: Mapping[str, Any],
    questions: Sequence[tuple[int, str, str]],
    hits: Mapping[str, int | None],
) -> Kept:
    """Return the questions with hits of all (place, id, true answer) of the source task."""
    kept = [
        {"doc_id": place, "id": key, "target": truth, "hits": [hits[key]]}
        for place, key, truth in questions
        if key in hits
    ]
    truth = digest_of([(key, truth) for _, key, truth in questions])
    about = {
        "source": source,
        "questions": asked,
        "data": data or None,
        "revision": None,
        "truth": truth,
    }
    return {**about, "filters": [made], "kept": kept}


def write_task(kept: Kept, name: str, folder: Path, include_path: Path | None = None) -> Path:
    """Write the task `name` into `folder/name`; returns its YAML.

    The YAML includes that of the source task by its path, names the data's revision where the hub's
    cache knows it, and has a digest of the kept list in its metadata, so that the host's response
    cache tells two lists apart.

    Raises InputError: a source task that the host does not know or that is written in Python.
    """
    source, config = source_task(kept["source"], include_path)
    if name == kept["source"] or "class" in config:
        raise InputError(
            f"Expected a new name and a source task made of YAML alone; found {name} of {source}. "
            "Choose with --name."
        )
    target = config.get("doc_to_target")
    revision = kept["revision"] or _revision(str(config["dataset_path"]))
    filled = {
        **kept,
        "split": config.get("test_split") or config.get("validation_split"),
        "revision": revision,
        "target": target if isinstance(target, str) else None,
    }
    listed = {field: filled[field] for field in _FIELDS}
    digest = digest_of(listed)

    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    # The list goes first: a YAML whose list is not there would end the host.
    content = {SOURCE_YAML: str(source), "digest": digest, **listed}
    (place / KEPT).write_text(json.dumps(content, indent=1), "utf-8")
    (place / "keep.py").write_text(_HOOK, encoding="utf-8")

    values = {"include": str(source), "task": name, **_values(config, kept, revision, digest)}
    rest = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    path = place / f"{name}.yaml"
    path.write_text(f"{rest}process_docs: !function keep.process_docs\n", encoding="utf-8")
    return path


def _values(
    config: Mapping[str, Any], kept: Kept, revision: str | None, digest: str
) -> dict[str, Any]:
    """Return what the task's YAML has beside the source's, which it includes."""
    values: dict[str, Any] = {key: [] for key in ("tag", "group") if key in config}
    if revision is not None:
        values["dataset_kwargs"] = {"revision": revision, **(config.get("dataset_kwargs") or {})}

    metadata = config.get("metadata")
    values["metadata"] = {
        "version": 1.0,
        **(metadata if isinstance(metadata, dict) else {}),
        "source": kept["source"],
        "data": kept["data"] or revision or "unknown revision",
        "filters": [_without_names(made) for made in kept["filters"]],
        "kept": digest,
    }
    return values


def _without_names(made: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a filter with the number of its inspectors: their names may be many."""
    if "inspectors" not in made:
        return made
    return {**made, "inspectors": len(made["inspectors"])}


def _revision(dataset: str) -> str | None:
    """The commit of a hub dataset in the local cache, from which the runs were made."""
    from huggingface_hub.constants import HF_HUB_CACHE

    reference = Path(HF_HUB_CACHE) / f"datasets--{dataset.replace('/', '--')}" / "refs" / "main"
    return (
        reference.read_text(encoding="utf-8").strip()
        if "/" in dataset and reference.is_file()
        else None
    )
