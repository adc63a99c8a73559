"""Read the runs in files and folders; the form of each file is known by its content."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.json_text import first_object, json_value
from spiqa_tasks.files.records import are_texts, form_of, has_separator, read_records, rows_in
from spiqa_tasks.hosts import lmms_eval_files
from spiqa_tasks.hosts.catalogue import catalogue, filtered_tasks
from spiqa_tasks.hosts.lmms_eval_files import date_text
from spiqa_tasks.hosts.vlmevalkit.tasks import DATED_FOLDER, HOST, SUFFIXES
from spiqa_tasks.runs import lmms_eval, spiqa_responses
from spiqa_tasks.runs.columns import (
    LINES,
    TABLE,
    USUAL,
    Columns,
    advice,
    columns_in,
    columns_of,
    listed,
    read_answers,
)
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Answer, Origin, Run

FORMS = (
    "the output folder of a host, or a table or jsonl with id and prediction; docs/answers.md "
    "lists all forms"
)

# The forms of lmms-eval's files, and of the tables that VLMEvalKit names.
RESULTS = "results"
SAMPLES = "samples"
VLMEVALKIT = "vlmevalkit"

# Errors of files that cannot be read.
Faults = list[DataError | InputError]

# Dataset of VLMEvalKit -> the task of ours that asks the same questions.
DATASETS = {"MMStar": "mmstar_filtered"}

# Of the files that are looked into in a folder, which may hold a hundred thousand pictures.
_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".tsv", ".csv", ".xlsx", ".parquet"})


@dataclass(frozen=True)
class RunPath:
    """A file or folder of runs, and the task of its answers if named."""

    path: Path
    task: str = ""

    @classmethod
    def parse(cls, text: str) -> RunPath:
        """Parse `PATH` or `TASK=PATH`."""
        # names of files may have a sign of equality, too
        task, separator, path = text.partition("=")
        if separator and task.replace("_", "").isalnum() and not Path(text).exists():
            return cls(Path(path), task)
        return cls(Path(text))


class _File(NamedTuple):
    """A file, its form ('' for an unknown one), and its JSON value or first JSON line."""

    path: Path
    form: str
    content: Any


def read_runs(
    run_path: RunPath, include: Iterable[Path] = (), columns: Columns = USUAL, only: str = ""
) -> tuple[list[Run], Faults]:
    """Return every run at a path, whether scored or not, and the errors of unread files.

    Answers that name no task are to the one named with the path, or to `only` unless a run beside
    them is. `include` are folders with YAMLs of tasks.
    Raises InputError: no answers to the task that is named with the path; or see `read_path`.
    """
    known = catalogue([*filtered_tasks(), *include])[0]
    tasks = {*known, run_path.task} - {""}
    runs, faults = read_path(run_path.path, tasks, columns)
    runs = _of_named_task(runs, run_path) if run_path.task else _with_task(runs, only)

    defined = []
    for run in runs:
        task = known.get(run.task)
        if run.form not in lmms_eval.FORMS:
            run = replace(run, benchmark_task_or_none=task)
        elif run.is_of_benchmark and task is not None:
            # the run's file has the settings, and not the list beside the YAML
            run = replace(run, benchmark_task_or_none=replace(run.benchmark_task, kept=task.kept))
        defined.append(run)
    return defined, faults


def read_path(
    path: Path, tasks: Collection[str], columns: Columns = USUAL
) -> tuple[list[Run], Faults]:
    """Return the runs in a file or folder, and the errors of unread files.

    Runs of lmms-eval come first, by their dates. Files are called `<model>_<task>` of `tasks`.
    Raises InputError, DataError: no such path, no answers, or a broken file, with the position.
    """
    faults: Faults = []
    files = []
    for file in _files(path):
        try:
            files.append(_File(file, *form_by_content(file, columns)))
        except DataError as error:
            faults.append(error)

    runs, unread = _lmms_eval_runs(files)
    faults += unread
    answers = _files_of_answers(files, tasks, columns) if path.is_dir() else files
    runs += [
        _run(file, tasks, columns)
        for form in (spiqa_responses.FORM, LINES, TABLE)
        for file in answers
        if file.form == form
    ]
    if not runs:
        raise faults[0] if faults else _nothing_in(path, files, columns)
    return runs, faults


def form_by_content(path: Path, columns: Columns) -> tuple[str, Any]:
    """Return the form of a file ('' for an unknown one), and its JSON value or first JSON line.

    Raises DataError: broken JSON, or a pickle.
    """
    if not path.stat().st_size:
        return "", None

    form = form_of(path)
    if form == "json":
        return _json_form(path, columns)
    is_table = form != "separated" or has_separator(path)
    return TABLE if is_table else "", None


def task_in_name(path: Path, tasks: Collection[str]) -> tuple[str, str]:
    """Return model and task ('' if none fits) of a file or folder called `<model>_<task>`.

    A file that is called after its task alone is of the model that its folder is called after.
    """
    stem = path.name if path.is_dir() else path.stem
    stem = os.fsencode(stem).decode("utf-8", "replace")  # file names may be no text
    names = {name: task for name, task in DATASETS.items() if task in tasks}
    names |= {task: task for task in tasks}

    # the longest counts: `mmstar_demo_text` ends in no shorter task, `x_mmstar_demo` in one
    fitting = [name for name in names if stem == name or stem.endswith(f"_{name}")]
    name = max(fitting, key=len, default="")
    model = stem.removesuffix(name).removesuffix("_") or path.resolve().parent.name
    return model, names.get(name, "")


def _with_task(runs: list[Run], task: str) -> list[Run]:
    """Return the runs, those that name no task with this one."""
    # beside a run that names the task, others are to another one
    if any(run.task == task for run in runs):
        return runs
    return [run if run.task else replace(run, task=task) for run in runs]


def _of_named_task(runs: list[Run], run_path: RunPath) -> list[Run]:
    """Return the runs to the task that is named with a path. Raises InputError: there are none."""
    path, task = run_path.path, run_path.task
    runs = _with_task(runs, task)
    # The user knows better than a single file, unless it is of a task of the host, whose answers
    # are to none of ours.
    if path.is_file() and len(runs) == 1:
        (run,) = runs
        if run.is_of_benchmark or run.form not in lmms_eval.FORMS:
            return [replace(run, task=task)]

    of_task = [run for run in runs if run.task == task]
    if not of_task:
        others = ", ".join(sorted({run.task for run in runs}))
        raise InputError(
            f"Expected answers to {task} in {path}, found those to {others}. Name one of them."
        )
    return of_task


def _lmms_eval_runs(files: Sequence[_File]) -> tuple[list[Run], Faults]:
    """Return the runs of results files by their dates, then those of samples files without one, and
    the errors of unread files.
    """
    runs: list[Run] = []
    faults: Faults = []
    read: set[Path] = set()
    for file in files:
        if file.form == RESULTS:
            try:
                results = lmms_eval_files.read_results(file.path, file.content)
                runs += lmms_eval.runs_of(file.path, results)
            except InputError as error:
                faults.append(error)
                continue
            read |= {task.samples for task in results.tasks}
    runs.sort(key=lambda run: run.origin.date)

    for file in files:
        if file.form == SAMPLES and file.path not in read:
            try:
                runs.append(lmms_eval.read_samples(file.path))
            except (DataError, InputError) as error:
                faults.append(error)
    return runs, faults


def _files_of_answers(
    files: Iterable[_File], tasks: Collection[str], columns: Columns
) -> list[_File]:
    """Return the files of a folder that hold answers; response files count as their folder."""
    kept: dict[Path, _File] = {}
    for file in files:
        path = file.path
        if file.form == spiqa_responses.FORM:
            kept[path.parent] = file._replace(path=path.parent)
        elif file.form == LINES or (file.form == TABLE and _is_of_answers(file, tasks, columns)):
            kept[path] = file
    return list(kept.values())


def _is_of_answers(table: _File, tasks: Collection[str], columns: Columns) -> bool:
    """Return whether a table in a folder counts.

    One whose name has no task of ours may be anything; those of VLMEvalKit's other datasets are
    large, and are not read.
    """
    if task_in_name(table.path, tasks)[1]:
        return True
    if _vlmevalkit_model(table.path) or are_texts(table.content):
        return False
    return not columns.missing(columns_in(table.path, columns))


def _run(file: _File, tasks: Collection[str], columns: Columns) -> Run:
    """Return the run of a file of answers, which is read when it is needed."""
    path, form, _ = file
    model, task = task_in_name(path, tasks)
    date = date_text(path.stat().st_mtime)
    read: Callable[[], list[Answer]] = partial(read_answers, path, form, columns)

    if form == spiqa_responses.FORM:
        read = partial(spiqa_responses.read_responses, path, columns)
    elif task and form == TABLE and _vlmevalkit_model(path):
        form = VLMEVALKIT
        model = f"{_vlmevalkit_model(path)},{HOST}"
        if _is_dated(path):
            date = path.parent.name.removeprefix("T").replace("-", "_")

    return Run(task, Identity(model), path, form, read, origin=Origin(date=date))


def _vlmevalkit_model(path: Path) -> str:
    """Return the model of VLMEvalKit's table `<model>/[T<date>/]<model>_<dataset>`, or ''."""
    model = (path.parent.parent if _is_dated(path) else path.parent).name
    return model if path.suffix in SUFFIXES and path.stem.startswith(f"{model}_") else ""


def _is_dated(path: Path) -> bool:
    """Return whether a file is in a folder of VLMEvalKit, `T20260101-120000`."""
    return DATED_FOLDER.fullmatch(path.parent.name) is not None


def _nothing_in(path: Path, files: Sequence[_File], columns: Columns) -> InputError:
    """Return the error for a path without answers, with the files or keys there and a remedy."""
    if path.is_dir():
        return _nothing_in_folder(path, files)

    content = files[0].content
    if not (content and isinstance(content, dict)):
        return InputError(f"Expected answers in {path}, found none. Give {FORMS}.")
    keys = columns_in(path, columns) or content.keys()
    columns.check(keys, path)
    return InputError(
        f"Expected answers in {path}, found the keys {listed(keys)}. {advice(keys, columns)}"
    )


def _nothing_in_folder(path: Path, files: Sequence[_File]) -> InputError:
    """Return the error for a folder without answers, with the files that lie there."""
    for file in files:
        if file.form == TABLE and _vlmevalkit_model(file.path):
            return InputError(
                f"Expected tables of {', '.join(DATASETS)} in {path}, found those of other "
                f"datasets. Name one, such as {file.path}."
            )

    # VLMEvalKit leaves pickles and scored copies
    looked_at = {*_SUFFIXES, ".pkl"}
    names = sorted(file.name for file in _below(path) if file.suffix.lower() in looked_at)
    found = f"only {listed(names)}, which hold none that are read" if names else "none"
    return InputError(f"Expected answers in {path}, found {found}. Give {FORMS}.")


def _files(path: Path) -> list[Path]:
    """Return the file, or the files in a folder that may hold answers, each once."""
    if not path.is_dir():
        if path.is_file():
            return [path]
        raise InputError(f"There is no file or folder {path}.")

    files = [file for file in _below(path) if file.suffix.lower() in _SUFFIXES and file.is_file()]
    # VLMEvalKit links a model's newest tables into its folder: the table wins over its link
    files.sort(key=Path.is_symlink, reverse=True)
    return sorted({file.resolve(): file for file in files}.values())


def _below(folder: Path) -> Iterator[Path]:
    """Return the files below a folder, also in linked folders, each folder once."""
    seen: set[str] = set()
    for parent, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(parent)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        yield from (Path(parent, name) for name in names)


def _json_form(path: Path, columns: Columns) -> tuple[str, Any]:
    """Return the form of a JSON file, or '', and the object that it was known by."""
    first = first_object(path)
    if first is not None and (form := _line_form(first, columns)):
        return form, first

    content = json_value(path) if first is None else first
    if lmms_eval_files.is_results(content):
        return RESULTS, content
    if spiqa_responses.is_response_file(path, content):
        return spiqa_responses.FORM, content

    # an object of texts is predictions by id, or a single line
    rows = list(read_records(path)) if are_texts(first) else rows_in(content)
    return TABLE if rows and _are_answers(rows, content, columns) else "", content


def _are_answers(rows: Sequence[Mapping[str, Any]], content: Any, columns: Columns) -> bool:
    """Return whether the rows in a JSON value are answers; a list of rows is nothing else."""
    names = columns_of(columns.resolved(row) for row in rows)
    return isinstance(content, list) or not columns.missing(names)


def _line_form(line: Mapping[str, Any], columns: Columns) -> str:
    """Return the form of a file by its first line, or ''; samples of other harnesses have named
    columns.
    """
    if lmms_eval_files.is_sample(line) and "prediction" not in columns.named:
        return SAMPLES
    # an object of objects is a whole table on a line, as pandas writes it by columns
    is_table = spiqa_responses.is_of_objects(line)
    return "" if is_table or columns.missing(columns.resolved(line)) else LINES
