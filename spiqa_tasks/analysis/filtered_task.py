"""A host task of the questions that a filter kept: a YAML, a hook and the list, in a folder of their own."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import yaml

from spiqa_tasks.analysis.filter_runs import Filtered
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.filtered_tasks import KEPT
from spiqa_tasks.hosts.lmms_eval.source_task import source_task

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


def write_task(filtered: Filtered, name: str, folder: Path, include_path: Path | None = None) -> Path:
    """Write the task `name` into `folder/name`; returns its YAML.

    The YAML includes that of the source task by its path, names the data's revision where the hub's cache knows it,
    and has a digest of the kept list in its metadata, so that the host's response cache tells two filters apart.

    Raises:
        InputError: a source task that the host does not know or that is written in Python, nothing kept, or runs over a
            part of the task.
    """
    part = next((each.run.coverage for each in filtered.inspectors if each.run.record_set.part), None)
    if part is not None:
        raise InputError(
            f"Expected runs on the whole of {filtered.task} to write a task of it, found {part} questions. Run it "
            "without --limit."
        )
    if not filtered.kept:
        raise InputError(f"Expected questions of {filtered.task} to keep, found none. Raise --max-hits.")
    source, config = source_task(filtered.task, include_path)
    if name == filtered.task or "class" in config:
        raise InputError(
            f"Expected a new name and a source task made of YAML alone; found {name} of {source}. Choose with --name."
        )
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    kept = _kept(filtered, source, config)
    text = json.dumps(kept, indent=1)
    (target / KEPT).write_text(text, encoding="utf-8")
    (target / "keep.py").write_text(_HOOK, encoding="utf-8")
    values = _values(filtered, name, source, config, hashlib.sha256(text.encode()).hexdigest()[:12])
    path = target / f"{name}.yaml"
    rest = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    path.write_text(f"{rest}process_docs: !function keep.process_docs\n", encoding="utf-8")
    return path


def _kept(filtered: Filtered, source: Path, config: dict[str, Any]) -> dict[str, Any]:
    run = filtered.run
    own = run.signature.data
    return {
        "source": filtered.task,
        "source_yaml": str(source),
        "split": config.get("test_split") or config.get("validation_split"),
        "questions": len(filtered.hits),
        "data": own.rpartition("@")[2] if own else None,
        "inspectors": [inspector.name for inspector in filtered.inspectors],
        "metric": filtered.metric.name,
        "threshold": filtered.threshold,
        "max_hits": filtered.max_hits,
        "target": config["doc_to_target"] if isinstance(config.get("doc_to_target"), str) else None,
        "kept": [
            {"doc_id": run.by_id[key].place, "id": key, "target": run.by_id[key].reference} for key in filtered.kept
        ],
    }


def _values(filtered: Filtered, name: str, source: Path, config: dict[str, Any], digest: str) -> dict[str, Any]:
    values: dict[str, Any] = {"include": str(source), "task": name}
    values |= {key: [] for key in ("tag", "group") if key in config}
    revision = _revision(str(config["dataset_path"]))
    if revision is not None:
        values["dataset_kwargs"] = {"revision": revision, **(config.get("dataset_kwargs") or {})}
    own = config.get("metadata")
    values["metadata"] = {
        "version": 1.0,
        **(own if isinstance(own, dict) else {}),
        "source": filtered.task,
        "data": filtered.run.signature.data or revision or "unknown revision",
        "inspectors": len(filtered.inspectors),
        "max_hits": filtered.max_hits,
        "kept": digest,
    }
    return values


def _revision(dataset: str) -> str | None:
    """The commit of a hub dataset in the local cache, from which the runs were made."""
    from huggingface_hub.constants import HF_HUB_CACHE

    reference = Path(HF_HUB_CACHE) / f"datasets--{dataset.replace('/', '--')}" / "refs" / "main"
    return reference.read_text(encoding="utf-8").strip() if "/" in dataset and reference.is_file() else None
