"""Our tasks for the host: rows, prompts and files of answers. No host is needed."""

import pickle
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.benchmarks.prompting import Turn, chat_content, picture_paths
from spiqa_tasks.benchmarks.registry import benchmark_of, load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.records import read_cells
from spiqa_tasks.hosts.catalogue import Catalogue, catalogue, filtered_tasks
from spiqa_tasks.printable import say

# Suffix of model names, so that runs of the same model in lmms-eval stay apart.
HOST = "host=vlmevalkit"

# The host's columns; it takes the one called `answer` for the reference.
ID, QUESTION, REFERENCE, PREDICTION = "index", "question", "answer", "prediction"
# Answers to our tasks, whatever PRED_FORMAT says: xlsx truncates them, json cannot be resumed.
TABLE = ".tsv"
# Of `<model>_<task>_checkpoint`, `<model>_<task>_PREV` and `<rank><processes>_<task>`.
CHECKPOINT = ".pkl"

# Suffixes of files of answers to any dataset; pickles are checkpoints of a run that goes on.
SUFFIXES = (".xlsx", ".tsv", ".csv", ".json")
# Names of upstream's folders of a run, below that of the model.
DATED_FOLDER = re.compile(r"T\d{8}(-\d{6}|_G[0-9a-fA-F]+)")


@cache
def known() -> Catalogue:
    """Return our tasks, including filtered ones, and groups."""
    return catalogue(filtered_tasks())


@cache
def rows_of(name: str) -> list[Row]:
    """Return the rows of a task. Raises DataError: release files missing or damaged."""
    task = known().tasks[name]
    rows = load_rows(task.benchmark_name, task.split, task.settings_text)
    return [row for row in rows if task.kept is None or row["id"] in task.kept]


def message(row: Row) -> list[dict[str, str]]:
    """Return the prompt of a row in the host's form: texts and paths of pictures.

    Adjacent texts are joined. The host has no chat turns: a blank line separates them, as for
    lmms-eval's simple models.
    """
    parts = ["\n\n" if isinstance(part, Turn) else part for part in benchmark_of(row).prompt(row)]
    if parts[0] == "\n\n":
        del parts[0]

    return [
        {"type": part["type"], "value": part["text"] if "text" in part else part["url"]}
        for part in chat_content(parts, "path")
    ]


@cache
def most_pictures(name: str) -> int:
    """Return the largest number of pictures that a row of a task shows."""
    prompts = [benchmark_of(row).prompt(row) for row in rows_of(name)]
    return max((len(picture_paths(prompt)) for prompt in prompts), default=0)


def too_many_pictures(task: str, model_class: type) -> str:
    """Return the sentence for a model class that is shown the first of several pictures only."""
    return (
        f"Expected a model class that takes several pictures for {task}, found "
        f"{model_class.__name__}, which is shown the first one. Run a task "
        "such as spiqa_testA_perfigure."
    )


def task_in(path: Path) -> str:
    """Return the task of ours whose answers a file has, by its name, or ""."""
    if path.suffix not in (TABLE, CHECKPOINT):
        return ""
    stem = path.stem
    if path.suffix == CHECKPOINT:
        stem = stem.removesuffix("_checkpoint").removesuffix("_PREV")

    # The longest name: `_demo_text` ends in no shorter task, but `x_mmstar_demo` may be one.
    tasks = [task for task in known().tasks if stem.endswith(f"_{task}")]
    return max(tasks, key=len, default="")


def earlier_answers(folder: Path, model: str, task: str) -> list[Path]:
    """Return the files of an earlier run that the host continues without being asked.

    Published builds write into the model's folder itself. Upstream's has links to its dated folders
    there, which it reads with `--reuse` alone.
    """
    names = (f"{model}_{task}{TABLE}", f"{model}_{task}_checkpoint{CHECKPOINT}")
    paths = [folder / name for name in names]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def read_answers(path: Path) -> dict[str, str]:
    """Return id -> answer of a table. Raises InputError: no column of ids or of answers."""
    table = read_cells(path)
    if not all({ID, PREDICTION} <= cells.keys() for cells in table):
        raise InputError(
            f"Expected {path} to have the columns {ID} and {PREDICTION}, found none. Run the host "
            "again."
        )
    return {cells[ID]: cells[PREDICTION] for cells in table}


def read_checkpoint(path: Path) -> Any:
    """Return the answers (by id) of a checkpoint; {} for a damaged one, which is named."""
    try:
        return pickle.loads(path.read_bytes())
    except Exception as error:  # a damaged pickle raises anything
        say(
            f"{path} cannot be read ({type(error).__name__}: {error}). "
            "All of its questions are asked again."
        )
        write_atomically(path, pickle.dumps({}))  # the host reads it twice
        return {}


def as_tsv(rows: Iterable[Iterable[Any]]) -> bytes:
    """Return rows as TSV with every cell quoted.

    The csv module of Python 3.10 cannot write NUL, which answers may hold.
    """
    text = ""
    for row in rows:
        # NaN, an empty cell, differs from itself
        texts = ["" if cell is None or cell != cell else str(cell) for cell in row]
        quoted = ['"{}"'.format(cell.replace('"', '""')) for cell in texts]
        text += "\t".join(quoted) + "\n"
    return text.encode("utf-8", "backslashreplace")
