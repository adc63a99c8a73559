"""Read the runs in files and folders; the form of each file is known by its content."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.json_text import first_object, json_value
from spiqa_tasks.files.records import are_texts, form_of, read_records, rows_in
from spiqa_tasks.hosts import lmms_eval_files
from spiqa_tasks.hosts.catalogue import catalogue, filtered_tasks
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers import answers, lmms_eval, spiqa_responses
from spiqa_tasks.runs.readers.columns import USUAL, Columns, advice, listed
from spiqa_tasks.runs.run import Run

logger = logging.getLogger("spiqa_tasks")
FORMS = (
    "a result file of lmms-eval or of `score --output` (*_results.json), a samples file beside it "
    "(*_samples_<task>.jsonl, of --log_samples), a jsonl, xlsx, tsv, csv, json or parquet file with the columns id (or "
    "index) and prediction, or question, reference and prediction, SPIQA's <paper>_response.json files, "
    "VLMEvalKit's folder, or one of these"
)
RESULTS, SAMPLES = "results", "samples"
"""The forms of lmms-eval's files."""
_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".tsv", ".csv", ".xlsx", ".parquet"})
"""Of the files that are looked into within a folder, which may hold a hundred thousand pictures, too."""
_READERS: Mapping[str, Callable[[Path, Columns], list[Answer]]] = {
    spiqa_responses.FORM: spiqa_responses.read_answers,
    answers.LINES: answers.read_lines,
    answers.TABLE: answers.read_table,
}
"""Form of files that no host wrote -> what reads its answers."""


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


def read_runs(
    paths: Iterable[RunPath], include: Iterable[Path] = (), columns: Columns = USUAL, task: str = ""
) -> list[Run]:
    """Return every run at the paths, each file once, whether scored or not; `include` are folders with YAMLs of tasks.

    Answers whose content and name have no task are to `task`, or to the one named with their path, unless a run beside
    them is. Raises InputError: no answers at a path to the task that is named with it; or see `read_path`.
    """
    known = catalogue([*filtered_tasks(), *include])[0]
    found: dict[tuple[Path, str, str], Run] = {}
    for each in paths:
        runs = read_path(each.path, [each.task] if each.task else known, columns)
        only = each.task or task
        if only and only not in {run.task for run in runs}:
            unnamed = ("", each.path.stem) if each.task else ("",)
            runs = [replace(run, task=only) if run.task in unnamed else run for run in runs]
        if each.task and each.task not in (others := {run.task for run in runs}):
            raise InputError(
                f"Expected answers to {each.task} in {each.path}, found those to {', '.join(sorted(others))}. Name one "
                "of them."
            )
        for run in runs:
            if each.task in ("", run.task) or not run.task:
                definition = run.definition if run.form in lmms_eval.FORMS else known.get(run.task)
                logger.info(
                    "%s: answers of %s to %s (%s)",
                    run.path,
                    run.identity.label,
                    run.task or "?",
                    run.form,
                )
                key = (run.path.resolve(), run.task, run.identity.label)
                found.setdefault(key, replace(run, definition=definition))
    return list(found.values())


def read_path(path: Path, tasks: Collection[str], columns: Columns = USUAL) -> list[Run]:
    """Return the runs in a file or folder, those of lmms-eval first; files are called `<model>_<task>` of `tasks`.

    Raises InputError, DataError: no such path, no answers, or a broken file, with the position of the fault.
    """
    by_form: dict[str, list[Path]] = {}
    unknown: dict[str, Any] = {}
    broken: list[DataError | InputError] = []
    runs: list[Run] = []
    read: set[str] = set()  # beginnings of the samples files that results files have
    others: set[str] = set()  # VLMEvalKit's other datasets, whose tables may be large
    for file in _files(path):
        if path.is_dir() and (other := answers.other_dataset(file.resolve(), tasks)):
            others.add(other)
            continue
        try:
            form, content = form_by_content(file, columns)
            if form == answers.TABLE and file != path and are_texts(content):
                form = ""  # in a folder they may be anything
            if form == RESULTS:
                runs += lmms_eval.read_results(file, content)
                stems = (
                    file.name.removesuffix(lmms_eval_files.RESULTS),
                    str(content.get("date") or file.name),
                )
                read |= {str(file.with_name(f"{stem}{lmms_eval_files.SAMPLES}")) for stem in stems}
            elif not form and isinstance(content, dict):
                is_of_rows = all(isinstance(entry, dict) for entry in content.values())
                unknown = content if path == file or (is_of_rows and not unknown) else unknown
            by_form.setdefault(form, []).append(file)
        except DataError as error:
            broken.append(error)
    runs.sort(key=lambda run: run.date)
    for file in (
        file for file in by_form.get(SAMPLES, ()) if not str(file).startswith(tuple(read))
    ):
        try:
            runs.append(lmms_eval.read_samples(file))
        except (
            DataError,
            InputError,
        ) as error:  # of a host's task, whose results file is not there
            broken.append(error)
    if path.is_dir():
        runs += answers.vlmevalkit_runs(path, tasks)
        folders = dict.fromkeys(file.parent for file in by_form.get(spiqa_responses.FORM, ()))
        by_form[spiqa_responses.FORM] = list(folders)
        tables = [
            file
            for file in by_form.get(answers.TABLE, ())
            if not answers.is_vlmevalkits(file.resolve(), tasks)
        ]
        by_form[answers.TABLE] = [file for file in tables if answers.answers_in(file, columns)]
    runs += [
        _run(file, form, tasks, columns) for form in _READERS for file in by_form.get(form, ())
    ]
    if broken and not runs:
        raise broken[0]
    for fault in broken:
        logger.warning("Left out: %s", fault)
    if not runs:
        raise _nothing_in(path, columns, others, unknown)
    return runs


def _nothing_in(
    path: Path, columns: Columns, others: Collection[str], unknown: Mapping[str, Any]
) -> InputError:
    if others:
        names = sorted(
            name for name in others if not any(name.startswith(f"{each}_") for each in others)
        )
        return InputError(
            f"Expected VLMEvalKit's answers to tasks of this package or to MMStar in {path}, found those to "
            f"{listed(names)}. Run it with --data MMStar, or spiqa-vlmevalkit with --data and a task of `spiqa-tasks "
            "list`."
        )
    if not unknown:
        return InputError(f"Expected answers in {path}, found none. Give {FORMS}.")
    rows = [entry for entry in unknown.values() if isinstance(entry, dict)]
    names = list(rows[0] if len(rows) == len(unknown) else unknown)
    columns.check(names, path)
    needed = [
        what for what in ("prediction", "id")[: 1 if rows else 2] if what not in columns.named
    ]  # rows have keys
    return InputError(
        f"Expected answers in {path}, found the keys {listed(names)}. {advice(names, needed)}"
    )


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return [
            file
            for file in sorted(path.rglob("*"))
            if file.suffix.lower() in _SUFFIXES and file.is_file()
        ]
    if not path.is_file():
        raise InputError(
            f"Expected answers at {path}, found no such file or folder. Name one that is there."
        )
    return [path]


def form_by_content(path: Path, columns: Columns = USUAL) -> tuple[str, Any]:
    """Return the form of a file of answers ("" for an unknown one), and its JSON value or first JSON line if any.

    Raises DataError: broken JSON, or a pickle.
    """
    if not path.stat().st_size:
        return "", None
    if (form := form_of(path)) == "separated":
        with path.open("rb") as file:
            header = file.readline()
        return answers.TABLE if b"\t" in header or b"," in header else "", None
    if form != "json":
        return answers.TABLE, None
    first = first_object(path)
    if first is not None and lmms_eval_files.is_sample(first):
        return SAMPLES, first
    if first is not None and answers.is_answers(first, columns):
        return answers.LINES, first
    content = first if first is not None else json_value(path)
    if lmms_eval_files.is_results(content):
        return RESULTS, content
    if spiqa_responses.is_responses(content, columns):
        return spiqa_responses.FORM, content
    rows = rows_in(content)
    if first is not None and are_texts(first):  # predictions by id, or a line
        rows = list(read_records([path]))
    is_table = bool(rows) and (
        isinstance(content, list) or answers.is_answers(answers.columns_of(rows or ()), columns)
    )
    return answers.TABLE if is_table else "", content


def task_in_name(stem: str, tasks: Collection[str]) -> tuple[str, str]:
    """Return model and task ("" if none fits) of a file called `<model>_<task>`, or after a dataset of VLMEvalKit."""
    names = {name: task for name, task in answers.DATASETS.items() if task in tasks} | {
        task: task for task in tasks
    }
    name = max(
        (each for each in names if stem == each or stem.endswith(f"_{each}")), key=len, default=""
    )
    return stem.removesuffix(name).removesuffix("_") or stem, names.get(name, "")


def _run(path: Path, form: str, tasks: Collection[str], columns: Columns) -> Run:
    model, task = task_in_name(path.stem if path.is_file() else path.name, tasks)
    date = lmms_eval_files.date_text(path.stat().st_mtime)
    return Run(task, Identity(model), path, form, partial(_READERS[form], path, columns), date=date)
