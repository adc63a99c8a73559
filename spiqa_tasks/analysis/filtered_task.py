"""Write a host task of the questions that a filter kept: a folder with YAML, hook and list."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from spiqa_tasks.analysis.filter import Filtered
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.files.source import hub_folder
from spiqa_tasks.hosts.catalogue import KEPT
from spiqa_tasks.hosts.lmms_eval.registration import source_task, yaml_of
from spiqa_tasks.runs.selection import partial_coverage
from spiqa_tasks.runs.subset import SOURCE_YAML

# The Python file beside a filtered task's YAML, which the host imports from its folder.
_HOOK = '''"""Made by `spiqa-tasks filter`: keeps the questions that kept.json lists."""

from pathlib import Path

from spiqa_tasks.utils.filtered import keep


def process_docs(docs):
    return keep(Path(__file__).with_name("kept.json"), docs)
'''


# Content of a kept.json but for what `write_task` adds of the source's YAML and of the host.
Kept = dict[str, Any]


def kept_by_filter(filtered: Filtered) -> Kept:
    """Return what a filter kept.

    Raises InputError: nothing kept, or runs over a part of the task.
    """
    if part := partial_coverage(filtered.runs):
        raise InputError(
            f"Expected runs on the whole of {filtered.task} to --write it, found {part} questions."
            " Run all."
        )
    if filtered.kept.empty:
        raise InputError(
            f"Expected questions of {filtered.task} to keep, found none. Raise --max-hits."
        )

    frame = filtered.kept
    kept = [
        {"doc_id": row.position, "id": row.Index, "target": row.reference, "hits": row.hits}
        for row in frame.itertuples()
    ]

    rule = {
        "inspectors": [run.identity.model for run in filtered.runs],
        "metric": filtered.metric,
        "max_hits": filtered.max_hits,
    }
    return {
        "source": filtered.task,
        "questions": len(filtered.questions),
        # Digest of our release file; of a host's task `write_task` looks the revision up.
        "data": filtered.runs[0].signature.data or None,
        "filter": rule,
        "kept": kept,
    }


def write_task(kept: Kept, name: str, folder: Path, include_path: Path | None = None) -> Path:
    """Write the task `name` into `folder/name`; return its YAML.

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

    task_folder = folder / name
    _check_name(name, task_folder)
    listed = _listed(kept, config)
    digest = digest_of(listed)
    _check_replaced(task_folder / KEPT, digest)

    content = {SOURCE_YAML: str(source), "digest": digest, **listed}
    values = {"include": str(source), "task": name, **_values(config, listed, digest)}
    return _write_files(task_folder, content, values)


def _listed(kept: Kept, config: Mapping[str, Any]) -> Kept:
    """Return the kept.json for the source task's YAML, but for its digest and the YAML's path."""
    target = config.get("doc_to_target")
    return {
        **kept,
        "revision": _revision(str(config["dataset_path"])),
        "split": config.get("test_split") or config.get("validation_split"),
        # Column of the true answer, by which `utils.filtered` sees that the data changed.
        "target": target if isinstance(target, str) else None,
    }


def _write_files(folder: Path, content: Kept, values: Mapping[str, Any]) -> Path:
    """Write kept.json, hook and YAML of a task into its folder; return the YAML."""
    folder.mkdir(parents=True, exist_ok=True)
    # The list goes first: a YAML whose list is not there would end the host.
    (folder / KEPT).write_text(json.dumps(content, indent=1), "utf-8")
    (folder / "keep.py").write_text(_HOOK, encoding="utf-8")

    rest = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    path = folder / f"{values['task']}.yaml"
    path.write_text(f"{rest}process_docs: !function keep.process_docs\n", encoding="utf-8")
    return path


def _check_name(name: str, task_folder: Path) -> None:
    """Raise InputError if another task of the host has the name, and would run in its place."""
    taken = yaml_of(name)
    if taken is not None and taken.parent != task_folder:
        raise InputError(
            f"Expected a name that no other task has, found {name}. Choose another with --name."
        )


def _check_replaced(listing: Path, digest: str) -> None:
    """Raise InputError if the task was written before with other questions: runs of it exist."""
    if listing.is_file() and json.loads(listing.read_text("utf-8")).get("digest") != digest:
        raise InputError(
            f"{listing.parent.name} exists with other questions. Choose another name with --name, "
            f"or delete {listing.parent}."
        )


def _values(config: Mapping[str, Any], listed: Kept, digest: str) -> dict[str, Any]:
    """Return what the task's YAML has beside the source's, which it includes."""
    values: dict[str, Any] = {key: [] for key in ("tag", "group") if key in config}
    revision = listed["revision"]
    if revision is not None:
        values["dataset_kwargs"] = {"revision": revision, **(config.get("dataset_kwargs") or {})}

    rule = listed["filter"]
    metadata = config.get("metadata")
    values["metadata"] = {
        "version": 1.0,
        **(metadata if isinstance(metadata, dict) else {}),
        "source": listed["source"],
        "data": listed["data"] or revision or "unknown revision",
        # The names of the inspectors may be many.
        "filter": {**rule, "inspectors": len(rule["inspectors"])},
        "kept": digest,
    }
    return values


def _revision(dataset: str) -> str | None:
    """Return the commit of a hub dataset in the local cache, from which the runs were made."""
    reference = hub_folder(dataset) / "refs" / "main"
    if "/" not in dataset or not reference.is_file():
        return None
    return reference.read_text(encoding="utf-8").strip()
