"""Docs of anybody's task with a question and an answer, scored by a judge as SPIQA's are."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spiqa_tasks.benchmarks.answers import FREE_ANSWERS, FreeSettings
from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.scoring.options import NAMES

logger = logging.getLogger("spiqa_tasks")

# Column of marked docs: the doc's place in its split, which becomes the id of its record.
MARK = "spiqa_tasks_id"
SETTINGS = settings_text(FreeSettings())


@dataclass(frozen=True)
class OpenTask:
    """A task of marked docs: its name, the columns of question and answer, a digest of both."""

    name: str
    question: str
    answer: str
    data: str = ""

    def row(self, doc: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row of a doc, as of a file with free answers; the answer may be a list."""
        answers = doc[self.answer]
        references = [str(each) for each in (answers if isinstance(answers, list) else [answers])]
        return {
            "id": str(doc[MARK]),
            "question": str(doc[self.question]),
            "answer": references[0] if references else "",
            "references": references,
            "benchmark": FREE_ANSWERS.name,
            "split": self.name,
            "settings": SETTINGS,
            "data": self.data,
        }


# The host hands a doc to `process_results` without its task: it is the one last scored, if any.
_last_scored: list[OpenTask] = []


def mark(docs: Any) -> Any:
    """Return a dataset whose answers are scored together."""
    return docs.add_column(MARK, list(range(len(docs))))


def row_of(doc: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the row of a doc of the task last scored; None if its columns are not known."""
    return _last_scored[0].row(doc) if _last_scored else None


def rows_of(instances: Sequence[Any], docs: Any) -> list[dict[str, Any]] | None:
    """Return the rows of marked docs.

    None for other docs, or, with a logged error, without columns.

    `question` and `answer` of the YAML's `metadata`, which the host gives to each instance, name
    the columns; else those with usual names are taken.
    """
    if not instances or MARK not in getattr(docs, "column_names", ()):
        return None

    _last_scored.clear()
    metadata = instances[0].metadata
    names = {role: _column(role, metadata, docs.column_names) for role in ("question", "answer")}
    if not all(names.values()):
        return None

    task = OpenTask(metadata["task"], **names)
    texts = docs.select_columns([MARK, *names.values()])  # without the pictures
    asked = [[row["question"], row["references"]] for row in map(task.row, texts)]
    _last_scored.append(replace(task, data=f"docs {digest_of(asked)}"))
    return [_last_scored[0].row(doc) for doc in texts]


def _column(role: str, metadata: Mapping[str, Any], columns: Sequence[str]) -> str:
    """The column of a role, or "" with a logged error."""
    names = [metadata[role]] if role in metadata else NAMES[role]
    column = next((name for name in names if name in columns), "")
    if not column:
        logger.error(
            "%s: Expected the column of the %s, found %s. Name it in the YAML: "
            "metadata: {%s: COLUMN}.",
            *(metadata["task"], role, ", ".join(columns), role),
        )
    return column
