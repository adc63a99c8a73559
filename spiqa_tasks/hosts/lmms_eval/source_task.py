"""The YAML of any task of the host, which a filtered task includes, and the index that knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Value
from spiqa_tasks.benchmarks.results_file import TaskLog, folder_name, logged_sample, write_log
from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.lmms_eval.registration import ABLATED, register_tasks


class UnknownTaskError(InputError):
    """The host knows no task of a name."""


def source_task(task: str, include_path: Path | None) -> tuple[Path, dict[str, Any]]:
    """Return the YAML of any task of the host and its values, functions left out.

    Raises:
        UnknownTaskError: the host knows no such task.
        MissingPartError: the host is not installed.
    """
    require("lmms-eval", "Writing a task")
    from lmms_eval.utils import load_yaml_config

    entry = index_with(task, [] if include_path is None else [include_path]).task_index[task]
    path = Path(entry["yaml_path"]).resolve()
    return path, load_yaml_config(str(path), mode="simple")


def index_with(task: str, include: Sequence[Path]) -> Any:
    """Return the host's index (`TaskManager`) of our tasks and those in folders; of its own where `task` is of these.

    Raises:
        UnknownTaskError: the host knows no such task.
    """
    from loguru import logger

    logger.disable("lmms_eval")
    from lmms_eval.tasks import TaskManager

    register_tasks()
    places = [str(folder) for folder in include]
    found = TaskManager("WARNING", places, include_defaults=False)
    if task not in found.task_index:  # only then: indexing the host's own tasks takes seconds
        found = TaskManager("WARNING", places)
    logger.enable("lmms_eval")
    if found.task_index.get(task, {}).get("type") not in ("task", "python_task"):
        raise UnknownTaskError(
            f"Expected {task} to be a task of lmms-eval, found none. Name the folder of its YAML with --include-path."
        )
    return found


Scores = Mapping[str, float]


@dataclass(frozen=True)
class TaskDocuments:
    """The documents that a task of the host asks.

    Attributes:
        name: of the task.
        task: the host's object.
    """

    name: str
    task: Any

    @property
    def split(self) -> str:
        """The split that is asked."""
        return str(self.task.config.test_split or self.task.config.validation_split)

    @property
    def config(self) -> Mapping[str, Any]:
        """The values of its YAML as the host logs them."""
        found: Mapping[str, Any] = self.task.dump_config()
        return found

    @property
    def metric(self) -> str:
        """The first metric of its YAML."""
        return str(next((entry["metric"] for entry in self.config.get("metric_list") or ()), "accuracy"))

    def pictures(self) -> list[list[Any]]:
        """Return the pictures of each document, of columns that are such, encoded."""
        from datasets import Dataset, Image

        documents = self.task.eval_docs
        kinds = documents.features if isinstance(documents, Dataset) else {}
        names = [name for name, kind in kinds.items() if isinstance(kind, Image)]
        if not names:
            return [[] for _ in range(len(documents))]
        for name in names:
            documents = documents.cast_column(name, Image(decode=False))
        return [list(document.values()) for document in documents.select_columns(names)]


def task_documents(name: str, include: Sequence[Path] = ()) -> TaskDocuments:
    """Return the documents that the host would ask.

    Raises:
        UnknownTaskError: the host knows no such task.
        InputError: it cannot load its documents.
        MissingPartError: the host is not installed.
    """
    require("lmms-eval", "A task of lmms-eval")
    from loguru import logger

    index = index_with(name, include)
    logger.disable("lmms_eval")
    try:
        return TaskDocuments(name, index.load_task_or_group(name)[name])
    except Exception as error:  # whatever a task's own code raises
        raise InputError(
            f"Expected lmms-eval to load the documents of {name}, found {type(error).__name__} {error}. "
            f"Try `lmms-eval --model dummy --tasks {name} --limit 1` first."
        ) from error
    finally:
        logger.enable("lmms_eval")


def write_host_log(folder: Path, of: TaskDocuments, model: str, answers: Mapping[int, tuple[str, Scores]]) -> Path:
    """Write answers as the host logs those of a model that saw no picture; return the results file.

    Args:
        folder: where to, in a folder of the model.
        of: the documents that are answered.
        model: its name.
        answers: position of the document -> the answer and its scores by metric.
    """
    documents = of.task.eval_docs_no_media
    samples = [
        logged_sample(place, of.task.doc_to_target(documents[place]), text, scores)
        for place, (text, scores) in answers.items()
    ]
    values = {}
    for name in next(iter(answers.values()))[1]:
        each = {str(place): scores[name] for place, (_, scores) in answers.items()}
        values[name] = Value(sum(each.values()) / len(each), len(each), each)
    log = TaskLog(of.config, values, dict.fromkeys(values, True), samples, len(documents))
    return write_log(folder / folder_name(model), ABLATED, f"base={model},ablation=text", {of.name: log})
