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
    if change is not None:
        raise SystemExit(
            f"spiqa-tasks: Expected the data of {kept['source']} that the filter saw"
            f" ({kept['data'] or kept['questions']}), found {change}. Run `spiqa-tasks filter`"
            " again on runs of it."
        )


def _change(kept: dict[str, Any], docs: datasets.Dataset) -> str | None:
    """Return what the data is now if it changed, or None."""
    questions = kept["kept"]
    if max(question["doc_id"] for question in questions) >= len(docs):
        return f"{len(docs)}"

    # Of a task of this package a question's id and the data's digest are known, of others the
    # target.
    if kept["data"] is None:
        changed = _changed(questions, docs, kept["target"], "target")
        return f"data with {changed} other questions or answers" if changed else None

    changed = _changed(questions, docs, "id", "id")
    data = docs[0]["data"]
    is_same_data = data == kept["data"].rpartition("@")[2]
    if is_same_data and not changed:
        return None
    return f"{data} with {changed} other questions or answers"


def _changed(questions: list[dict[str, Any]], docs: datasets.Dataset, column: str, key: str) -> int:
    """Return the number of kept questions whose column has another value now.

    0 without the column.
    """
    if column not in docs.column_names:
        return 0
    values = docs[column]
    return sum(str(values[each["doc_id"]]) != str(each[key]) for each in questions)
