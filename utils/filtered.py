"""The hook of tasks written by `spiqa-tasks filter`."""

import json
from pathlib import Path
from typing import Any

import datasets


def keep(listing: Path, docs: datasets.Dataset) -> datasets.Dataset:
    """`process_docs`: the source task's, then the kept questions. Raises SystemExit: no such task, or other data."""
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
    is_ours = kept["data"] is not None
    found, column, key = (
        f"{len(docs)}",
        "id" if is_ours else kept["target"],
        "id" if is_ours else "target",
    )
    same = max(question["doc_id"] for question in kept["kept"]) < len(docs)
    if same and column in docs.column_names:
        values = docs[column]
        changed = [
            question
            for question in kept["kept"]
            if str(values[question["doc_id"]]) != str(question[key])
        ]
        found = f"{docs[0]['data'] if is_ours else 'data'} with {len(changed)} other questions or answers"
        same = not changed and (not is_ours or docs[0]["data"] == kept["data"].rpartition("@")[2])
    if not same:
        raise SystemExit(
            f"spiqa-tasks: Expected the data of {kept['source']} that the filter saw "
            f"({kept['data'] or kept['questions']}), found {found}. Run `spiqa-tasks filter` again on runs of it."
        )
