"""Any task of the host: its YAML, which a filtered task includes, its documents, and the log of answers to them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    """Return the YAML of any task of the host and its values, functions left out; for errors see `index_with`."""
    require("lmms-eval", "Writing a task")
    from lmms_eval.utils import load_yaml_config

    entry = index_with(task, [] if include_path is None else [include_path]).task_index[task]
    path = Path(entry["yaml_path"]).resolve()
    return path, load_yaml_config(str(path), mode="simple")


def index_with(task: str, include: Sequence[Path]) -> Any:
    """Return the host's index (`TaskManager`) of our tasks, those in folders, and its own if `task` needs them."""
    with _silently():
        from lmms_eval.tasks import TaskManager

        register_tasks()
        folders = [str(folder) for folder in include]
        found = TaskManager("WARNING", folders, include_defaults=False)
        if task not in found.task_index:  # only then: indexing the host's own tasks takes seconds
            found = TaskManager("WARNING", folders)
    if found.task_index.get(task, {}).get("type") not in ("task", "python_task"):
        raise UnknownTaskError(
            f"Expected {task} to be a task of lmms-eval, found none. Name the folder of its YAML with --include-path."
        )
    return found


@contextmanager
def _silently() -> Iterator[None]:
    from loguru import logger

    logger.disable("lmms_eval")
    try:
        yield
    finally:
        logger.enable("lmms_eval")


class TaskDocuments:
    """The documents of the split that a task of the host asks; `metric` is the first one of its YAML."""

    def __init__(self, name: str, task: Any) -> None:
        self.name, self.task = name, task
        self.split = str(task.config.test_split or task.config.validation_split)
        self.metric = str(
            next(
                (each["metric"] for each in task.dump_config().get("metric_list") or ()), "accuracy"
            )
        )

    def pictures(self) -> list[list[Any]]:
        """Return the encoded pictures of each document, from its picture columns."""
        from datasets import Dataset, Image

        documents = self.task.eval_docs
        kinds = documents.features if isinstance(documents, Dataset) else {}
        names = [name for name, kind in kinds.items() if isinstance(kind, Image)]
        if not names:
            return [[]] * len(documents)
        for name in names:
            documents = documents.cast_column(name, Image(decode=False))
        return [list(document.values()) for document in documents.select_columns(names)]


def task_documents(name: str, include: Sequence[Path] = ()) -> TaskDocuments:
    """Return the documents of a task of the host. Raises InputError: no such task, or it cannot load them."""
    require("lmms-eval", "A task of lmms-eval")
    index = index_with(name, include)
    try:
        with _silently():
            return TaskDocuments(name, index.load_task_or_group(name)[name])
    except Exception as error:  # whatever a task's own code raises
        raise InputError(
            f"Expected lmms-eval to load the documents of {name}, found {type(error).__name__} {error}. "
            f"Try `lmms-eval --model dummy --tasks {name} --limit 1` first."
        ) from error


def write_host_log(
    folder: Path,
    of: TaskDocuments,
    model: str,
    answers: Mapping[int, tuple[str, Mapping[str, float]]],
) -> Path:
    """Write answers (position -> answer, scores) as the host logs a model without pictures; return the results file."""
    documents = of.task.eval_docs_no_media
    samples = [
        logged_sample(n, of.task.doc_to_target(documents[n]), *answer)
        for n, answer in answers.items()
    ]
    values = {}
    for name in next(iter(answers.values()))[1]:
        each = {str(place): scores[name] for place, (_, scores) in answers.items()}
        values[name] = Value(sum(each.values()) / len(each), len(each), each)
    log = TaskLog(
        of.task.dump_config(), values, dict.fromkeys(values, True), samples, len(documents)
    )
    return write_log(
        folder / folder_name(model), ABLATED, f"base={model},ablation=text", {of.name: log}
    )
