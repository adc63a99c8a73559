"""The host's files of answers to our tasks: their names, and what is read where a kill has damaged one."""

import contextlib
import pickle
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.records import read_cells
from spiqa_tasks.files.tables import row_id
from spiqa_tasks.hosts.failed_requests import is_request_failure
from spiqa_tasks.hosts.vlmevalkit.tasks import known
from spiqa_tasks.printable import counted, say

TABLE = ".tsv"
"""Answers to our tasks, whatever PRED_FORMAT says: xlsx truncates them, json cannot be resumed."""
CHECKPOINT = ".pkl"
"""Checkpoints: `<model>_<task>_checkpoint`, `<model>_<task>_PREV` and `<rank><processes>_<task>`."""
_DATED = "T" + "[0-9]" * 8 + "[-_]*"
"""A run's folder in the model's one, such as T20260801-120000."""


def task_in(path: Path) -> str:
    """Return the task of ours that a file has answers to, by its name, or ""."""
    if path.suffix not in (TABLE, CHECKPOINT):
        return ""
    stem = path.stem.removesuffix("_checkpoint").removesuffix("_PREV") if path.suffix == CHECKPOINT else path.stem
    return max((task for task in known()[0] if stem.endswith(f"_{task}")), key=len, default="")


def read_checkpoint(path: Path) -> Any:
    """Return the answers (by id) of a checkpoint, or those of the dated folders if it cannot be read."""
    try:
        return pickle.loads(path.read_bytes())
    except Exception as error:  # a damaged pickle raises anything
        answers = _answers_beside(path)
        say(
            f"{path} cannot be read ({type(error).__name__}: {error}). Going on from {counted(len(answers), 'answer')} "
            "in the dated folders of this model; the others are asked again."
        )
        write_atomically(path, pickle.dumps(answers))  # the host reads it twice
        return answers


def read_answers(path: Path) -> dict[str, str]:
    """Return id -> answer of a table. Raises InputError: no such table with answers."""
    table = read_cells(path, escaped=path.suffix == ".xlsx")
    if any("prediction" not in cells for cells in table):
        raise InputError(f"Expected {path} to have the column prediction, found none. Run the host again.")
    return {row_id(cells): cells["prediction"] for cells in table}


def _answers_beside(path: Path) -> dict[str, str]:
    """Return the answers of all dated runs of the model to the task of a checkpoint; those of the newest file count."""
    folders = (folder for above in (path.parent, path.parent.parent) for folder in above.glob(_DATED))
    files = {file for folder in folders for file in folder.iterdir() if task_in(file) == task_in(path)}
    answers: dict[str, str] = {}
    for file in sorted(files, key=lambda file: file.stat().st_mtime):
        with contextlib.suppress(Exception):  # damaged, too
            read_one = read_answers(file) if file.suffix == TABLE else pickle.loads(file.read_bytes())
            answers |= {key: text for key, text in read_one.items() if not is_request_failure(str(text))}
    return answers
