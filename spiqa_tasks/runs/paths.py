"""Read the runs in files and folders; the form of each file is known by its content."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.json_text import first_object, json_value
from spiqa_tasks.files.records import are_texts, form_of, has_separator, read_records, rows_in
from spiqa_tasks.hosts import lmms_eval_files
from spiqa_tasks.hosts.catalogue import catalogue, filtered_tasks
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers import answers, lmms_eval, spiqa_responses, vlmevalkit
from spiqa_tasks.runs.readers.columns import USUAL, Columns, advice, listed
from spiqa_tasks.runs.run import Origin, Run

logger = logging.getLogger("spiqa_tasks")

FORMS = (
    "a result file of lmms-eval or of `score --output` (*_results.json), a samples file beside it "
    "(*_samples_<task>.jsonl, of --log_samples), a jsonl, xlsx, tsv, csv, json or parquet file "
    "with the columns id (or index) and prediction, or question, reference and prediction, "
    "SPIQA's <paper>_response.json files, VLMEvalKit's folder, or one of these"
)

RESULTS = "results"
# The forms of lmms-eval's files.
SAMPLES = "samples"

# Of the files that are looked into in a folder, which may hold a hundred thousand pictures.
_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".tsv", ".csv", ".xlsx", ".parquet"})

# Form of files that no host wrote -> what reads its answers.
_READERS: Mapping[str, Callable[[Path, Columns], list[Answer]]] = {
    spiqa_responses.FORM: spiqa_responses.read_answers,
    answers.LINES: answers.read_lines,
    answers.TABLE: answers.read_table,
}


@dataclass(frozen=True)
class RunPath:
    """A file or folder of runs, and the task of its answers if named."""

    path: Path
    task: str = ""

    @classmethod
    def parse(cls, text: str) -> RunPath:
        """Parse `PATH` or `TASK=PATH`."""
        task, separator, path = text.partition("=")
        if separator and task.replace("_", "").isalnum() and not Path(text).exists():
            return cls(Path(path), task)
        return cls(Path(text))


@dataclass
class _Files:
    """The files at a path by what they are.

    Attributes:
        by_form: form -> files of it.
        results: the results files of lmms-eval, with their content.
        others: VLMEvalKit's other datasets, whose tables may be large and are not read.
        unknown: an object of no form, for a message about its keys.
        broken: faults of files, in their order.
    """

    by_form: dict[str, list[Path]] = field(default_factory=dict)
    results: list[tuple[Path, Any]] = field(default_factory=list)
    others: set[str] = field(default_factory=set)
    unknown: Mapping[str, Any] = field(default_factory=dict)
    broken: list[DataError | InputError] = field(default_factory=list)

    def of(self, form: str) -> list[Path]:
        """Return the files of a form."""
        return self.by_form.get(form, [])


def read_runs(
    paths: Iterable[RunPath], include: Iterable[Path] = (), columns: Columns = USUAL, task: str = ""
) -> list[Run]:
    """Return every run at the paths, each file once, whether scored or not.

    `include` are folders with YAMLs of tasks. Answers whose content and name have no task are to
    the task named with their path, or to `task` unless a run beside them is.
    Raises InputError: no answers at a path to the task that is named with it; or see `read_path`.
    """
    known = catalogue([*filtered_tasks(), *include])[0]
    found: dict[tuple[Path, str, str], Run] = {}
    for place in paths:
        tasks = [place.task] if place.task else known
        for run in _of_task(place, read_path(place.path, tasks, columns), task):
            if run.form not in lmms_eval.FORMS:
                run = replace(run, definition=known.get(run.task))
            model = run.identity.label
            logger.info("%s: answers of %s to %s (%s)", run.path, model, run.task or "?", run.form)
            found.setdefault((run.path.resolve(), run.task, model), run)
    return list(found.values())


def read_path(path: Path, tasks: Collection[str], columns: Columns = USUAL) -> list[Run]:
    """Return the runs in a file or folder, those of lmms-eval first, by their dates.

    Files are called `<model>_<task>` of `tasks`.
    Raises InputError, DataError: no such path, no answers, or a broken file, with the position.
    """
    files = _by_form(path, tasks, columns)
    runs = _lmms_eval_runs(files)
    if path.is_dir():
        tables = [file.resolve() for file in _files(path)]
        runs += vlmevalkit.vlmevalkit_runs(dict.fromkeys(tables), tasks)
        files = _of_folder(files, tasks, columns)

    for form in _READERS:
        runs += [_run(file, form, tasks, columns) for file in files.of(form)]
    if not runs:
        raise files.broken[0] if files.broken else _nothing_in(path, columns, files)
    for fault in files.broken:
        logger.warning("Left out: %s", fault)
    return runs


def form_by_content(path: Path, columns: Columns = USUAL) -> tuple[str, Any]:
    """Return the form of a file ('' for an unknown one), and its JSON value or first JSON line.

    Raises DataError: broken JSON, or a pickle.
    """
    if not path.stat().st_size:
        return "", None

    form = form_of(path)
    if form == "json":
        return _json_form(path, columns)
    is_table = form != "separated" or has_separator(path)
    return answers.TABLE if is_table else "", None


def task_in_name(path: Path, tasks: Collection[str]) -> tuple[str, str]:
    """Return model and task ('' if none fits) of a file or folder called `<model>_<task>`.

    A file that is called after its task alone is of the model that its folder is called after.
    """
    stem = path.name if path.is_dir() else path.stem
    stem = os.fsencode(stem).decode("utf-8", "replace")  # file names may be no text
    names = {name: task for name, task in vlmevalkit.DATASETS.items() if task in tasks}
    names |= {task: task for task in tasks}

    fitting = [name for name in names if stem == name or stem.endswith(f"_{name}")]
    name = max(fitting, key=len, default="")
    model = stem.removesuffix(name).removesuffix("_") or path.resolve().parent.name
    return model, names.get(name, "")


def _of_task(place: RunPath, runs: list[Run], task: str) -> list[Run]:
    """The runs to the task that is named with a path, or all, those of no task named by `task`."""
    wanted = place.task or task
    if wanted and all(run.task != wanted for run in runs):
        unnamed = ("", place.path.stem) if place.task else ("",)
        runs = [replace(run, task=wanted) if run.task in unnamed else run for run in runs]
    return _to_named(place, runs) if place.task else runs


def _to_named(place: RunPath, runs: list[Run]) -> list[Run]:
    """The runs to the task that is named with a path, and those of no task."""
    found = [run for run in runs if run.task == place.task]
    if not found:
        others = ", ".join(sorted({run.task for run in runs}))
        raise InputError(
            f"Expected answers to {place.task} in {place.path}, found those to {others}. Name one "
            "of them."
        )
    return found + [run for run in runs if not run.task]


def _by_form(path: Path, tasks: Collection[str], columns: Columns) -> _Files:
    files = _Files()
    is_folder = path.is_dir()
    for file in _files(path):
        other = vlmevalkit.other_dataset(file.resolve(), tasks) if is_folder else ""
        if other:
            files.others.add(other)
            continue
        try:
            form, content = form_by_content(file, columns)
        except DataError as error:
            files.broken.append(error)
        else:
            _note(files, file, form, content, is_alone=not is_folder)
    return files


def _note(files: _Files, file: Path, form: str, content: Any, is_alone: bool) -> None:
    if form == answers.TABLE and not is_alone and are_texts(content):
        form = ""  # in a folder they may be anything
    if form == RESULTS:
        files.results.append((file, content))
    if not form and isinstance(content, dict):
        _note_unknown(files, content, is_alone)
    files.by_form.setdefault(form, []).append(file)


def _note_unknown(files: _Files, content: Mapping[str, Any], is_alone: bool) -> None:
    is_of_rows = all(isinstance(entry, dict) for entry in content.values())
    if is_alone or (is_of_rows and not files.unknown):
        files.unknown = content


def _lmms_eval_runs(files: _Files) -> list[Run]:
    """The runs of results files by their dates, then those of samples files without one."""
    runs: list[Run] = []
    read: set[str] = set()  # beginnings of the samples files that results files have
    for path, content in files.results:
        try:
            runs += lmms_eval.read_results(path, content)
        except InputError as error:
            files.broken.append(error)
        date = str(content.get("date") or path.name)
        for stem in (path.name.removesuffix(lmms_eval_files.RESULTS), date):
            read.add(str(path.with_name(f"{stem}{lmms_eval_files.SAMPLES}")))

    runs.sort(key=lambda run: run.origin.date)
    for path in files.of(SAMPLES):
        if str(path).startswith(tuple(read)):
            continue
        try:
            runs.append(lmms_eval.read_samples(path))
        except (DataError, InputError) as error:
            # of a host's task, whose results file is not there
            files.broken.append(error)
    return runs


def _of_folder(files: _Files, tasks: Collection[str], columns: Columns) -> _Files:
    """The files with response files as their folders, and tables only if they have answers."""
    folders = dict.fromkeys(file.parent for file in files.of(spiqa_responses.FORM))
    files.by_form[spiqa_responses.FORM] = list(folders)
    files.by_form[answers.TABLE] = [
        file
        for file in files.of(answers.TABLE)
        if not vlmevalkit.is_vlmevalkits(file.resolve(), tasks)
        and answers.answers_in(file, columns)
    ]
    return files


def _nothing_in(path: Path, columns: Columns, files: _Files) -> InputError:
    if files.others:
        whole = (
            name
            for name in sorted(files.others)
            if not any(name.startswith(f"{other}_") for other in files.others)
        )
        return InputError(
            f"Expected VLMEvalKit's answers to tasks of this package or to MMStar in {path}, found "
            f"those to {listed(whole)}. Run it with --data MMStar, or spiqa-vlmevalkit with --data "
            "and a task of `spiqa-tasks list`."
        )
    if not files.unknown:
        return InputError(f"Expected answers in {path}, found {_unread(path)}. Give {FORMS}.")

    rows = [entry for entry in files.unknown.values() if isinstance(entry, dict)]
    names = list(rows[0] if len(rows) == len(files.unknown) else files.unknown)
    columns.check(columns.resolved(dict.fromkeys(names)), path)
    return InputError(
        f"Expected answers in {path}, found the keys {listed(names)}. {advice(names, columns)}"
    )


def _unread(path: Path) -> str:
    """Return what a folder without answers holds: VLMEvalKit leaves pickles and scored copies."""
    names = [file.name for file in _below(path) if file.suffix.lower() in (*_SUFFIXES, ".pkl")]
    return f"only {listed(sorted(names))}, which hold none that are read" if names else "none"


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        if path.is_file():
            return [path]
        raise InputError(f"There is no file or folder {path}.")
    return sorted(
        file for file in _below(path) if file.suffix.lower() in _SUFFIXES and file.is_file()
    )


def _below(folder: Path) -> Iterator[Path]:
    """The files below a folder, also in linked folders, each folder once."""
    seen: set[str] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        yield from (Path(place, name) for name in names)


def _line_form(line: Mapping[str, Any], columns: Columns) -> str:
    """The form of a file by its first line, or ''; samples of other harnesses have named
    columns.
    """
    if lmms_eval_files.is_sample(line) and "prediction" not in columns.named:
        return SAMPLES
    return answers.LINES if columns.is_answer(columns.resolved(line)) else ""


def _json_form(path: Path, columns: Columns) -> tuple[str, Any]:
    first = first_object(path)
    if first is not None:
        form = _line_form(first, columns)
        if form:
            return form, first

    content = json_value(path) if first is None else first
    if lmms_eval_files.is_results(content):
        return RESULTS, content
    if spiqa_responses.is_responses(content, columns):
        return spiqa_responses.FORM, content

    # an object of texts is predictions by id, or a line
    rows = list(read_records([path])) if are_texts(first) else rows_in(content) or []
    resolved = [columns.resolved(row) for row in rows]
    is_table = isinstance(content, list) or columns.is_answer(answers.columns_of(resolved))
    return answers.TABLE if rows and is_table else "", content


def _run(path: Path, form: str, tasks: Collection[str], columns: Columns) -> Run:
    model, task = task_in_name(path, tasks)
    date = lmms_eval_files.date_text(path.stat().st_mtime)
    read = partial(_READERS[form], path, columns)
    return Run(task, Identity(model), path, form, read, origin=Origin(date=date))
