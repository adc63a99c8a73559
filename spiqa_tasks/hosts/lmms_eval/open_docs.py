"""Docs of anybody's task with a question and an answer, scored by a judge as SPIQA's are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from spiqa_tasks.benchmarks.answers import FreeSettings, free_row
from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.scoring.options import NAMES

# Column of marked docs: the doc's position in its split, which becomes the id of its record.
MARK = "spiqa_tasks_id"
SETTINGS = settings_text(FreeSettings())

# Module of the hooks, as a YAML names it.
HOOKS = "spiqa_tasks.utils.open_answers"


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
        return free_row(str(doc[MARK]), str(doc[self.question]), references, self.name, self.data)


# The host hands a doc to `process_results` without its task: it is the one last scored.
_last_scored: list[OpenTask] = []


def mark(docs: Any) -> Any:
    """Return a dataset whose answers are scored together."""
    return docs.add_column(MARK, list(range(len(docs))))


def row_of(doc: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a doc of the task last scored."""
    return _last_scored[0].row(doc)


def rows_of(instances: Sequence[Any], docs: Any) -> list[dict[str, Any]] | None:
    """Return the rows of marked docs; None for other docs."""
    if not instances or not is_marked(docs):
        return None

    metadata = instances[0].metadata  # the YAML's, and the name of the task
    task = open_task(metadata["task"], metadata, docs)
    texts = docs.select_columns([MARK, task.question, task.answer])  # without the pictures
    asked = [[row["question"], row["references"]] for row in map(task.row, texts)]
    _last_scored[:] = [replace(task, data=f"docs {digest_of(asked)}")]
    return [_last_scored[0].row(doc) for doc in texts]


def columns_of(docs: Any) -> list[str]:
    """Return the names of docs' own columns."""
    return [column for column in docs.column_names if column != MARK]


def check_columns(task: Any) -> None:
    """Raise InputError if a task of the host has marked docs without a question or an answer, or
    hooks for open answers and no marked docs.
    """
    docs, config = task.eval_docs_no_media, task.config
    if is_marked(docs):
        open_task(config.task, config.metadata or {}, docs)
    elif getattr(config.process_results, "__module__", "") == HOOKS:
        raise InputError(
            f"{config.task}: Expected process_docs: !function {HOOKS}.process_docs in the YAML, as "
            "it has process_results. Add it."
        )


def check_pictures(task: Any) -> None:
    """Raise InputError if docs lack the column of pictures that the YAML names, or a picture in it.

    The host would end the run with a traceback.
    """
    column, docs = task.config.doc_to_visual, task.eval_docs
    if not isinstance(column, str):
        return

    found = f"the columns {', '.join(columns_of(docs))}"
    if column in docs.column_names:
        nulls = docs.select_columns(column).with_format("arrow")[:][column].null_count
        if not nulls:
            return
        found = f"none in {nulls} of {len(docs)}"
    raise InputError(
        f"{task.config.task}: Expected a picture in the column {column} of each row, found {found}."
        " Correct doc_to_visual, or the rows."
    )


def open_task(name: str, metadata: Mapping[str, Any], docs: Any) -> OpenTask:
    """Return the task of docs marked by `mark`, with its columns of question and answer.

    `question` and `answer` of the YAML's `metadata` name the columns; else those with usual names
    are taken. Raises InputError: a column that is not there.
    """
    column_of = {}
    for role in ("question", "answer"):
        # at the usual cutoff of 0.6, `version` is a misspelt `question`
        misspelt = get_close_matches(role, metadata, cutoff=0.7)
        if role not in metadata and misspelt:
            raise InputError(
                f"{name}: Expected {role} in the YAML's metadata, found {misspelt[0]}. Correct it."
            )
        names = [metadata[role]] if role in metadata else NAMES[role]
        columns = [column for column in names if column in docs.column_names]
        if not columns:
            raise InputError(
                f"{name}: Expected {' or '.join(names)} as the column of the {role}, found "
                f"{', '.join(columns_of(docs))}. Name it in the YAML, metadata: "
                f"{{{role}: COLUMN}}."
            )
        column_of[role] = columns[0]
    return OpenTask(name, **column_of)


def is_marked(docs: Any) -> bool:
    """Return whether docs are those that `process_docs` of open answers marked."""
    return MARK in getattr(docs, "column_names", ())
