"""The hook of tasks written by `spiqa-tasks filter`."""

import json
from pathlib import Path
from typing import Any

import datasets


def keep(listing: Path, docs: datasets.Dataset) -> datasets.Dataset:
    """`process_docs`: the source task's, then the kept questions.

    Raises SystemExit: no such task, or other data.
    """
    from lmms_eval.utils import load_yaml_config

    kept = json.loads(listing.read_text(encoding="utf-8"))
    source = Path(kept["source_yaml"])
    if not source.is_file():
        raise SystemExit(
            f"spiqa-tasks: Expected {kept['source']} at {source}, found none. Run `filter` again."
        )
    split = str(docs.split)
    process_docs = load_yaml_config(str(source), mode="full").get("process_docs")
    if process_docs is not None:
        docs = process_docs(docs)
    if split != kept["split"]:
        return docs
    _check(kept, docs)
    return docs.select([question["doc_id"] for question in kept["kept"]])


def _check(kept: dict[str, Any], docs: datasets.Dataset) -> None:
    """Raise SystemExit if the data changed: the filter names questions by index."""
    change = _change(kept, docs)
    if change:
        raise SystemExit(
            f"spiqa-tasks: Expected the data of {kept['source']} that the filter saw"
            f" ({kept['data'] or kept['questions']}), found {change}. Run `spiqa-tasks filter`"
            " again on runs of it."
        )


def _change(kept: dict[str, Any], docs: datasets.Dataset) -> str:
    """Return what the data is now if it changed, or ''."""
    questions = kept["kept"]
    if max(question["doc_id"] for question in questions) >= len(docs):
        return f"{len(docs)}"

    # Our docs have ids and a digest of the data; of a host's docs the true answers are known.
    is_ours = kept["data"] is not None
    column, key = ("id", "id") if is_ours else (kept["target"], "target")
    data = docs[0]["data"] if is_ours else "data"
    changed = 0
    if column in docs.column_names:
        values = docs[column]
        changed = sum(str(values[each["doc_id"]]) != str(each[key]) for each in questions)
    has_same_data = not is_ours or data == kept["data"].rpartition("@")[2]
    if has_same_data and not changed:
        return ""
    return f"{data} with {changed} other questions or answers"
