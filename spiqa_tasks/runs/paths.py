"""What a user names: files and folders of answers in any form, which is known by the content."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType

from spiqa_tasks.benchmarks.run_file import SUFFIX
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.hosts.filtered_tasks import filtered_tasks
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers import jsonl, lmms_eval, run_files, spiqa_responses, tables, vlmevalkit
from spiqa_tasks.runs.readers.columns import USUAL, Columns, advice, listed
from spiqa_tasks.runs.run import Run

logger = logging.getLogger("spiqa_tasks")
FORMS = (
    "a result file of lmms-eval (*_results.json) or a samples file beside it (*_samples_<task>.jsonl, from "
    f"--log_samples), a file of `spiqa-tasks score --output` (*{SUFFIX}), a jsonl file of "
    '{"id": ..., "prediction": "..."}, SPIQA\'s <paper>_response.json files, an xlsx, tsv, csv, json or parquet table '
    "with the columns index (or id) and prediction (MMStar, VLMEvalKit), VLMEvalKit's folder, or one of these"
)


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


def read_runs(places: Iterable[RunPath], include: Iterable[Path] = (), columns: Columns = USUAL) -> list[Run]:
    """Return every run at the places, each file once, whether scored or not.

    Args:
        places: files and folders.
        include: folders with YAMLs of tasks of one's own.
        columns: what the columns of files of one's own are called.

    Raises:
        InputError: no answers at a place to the task that is named with it; or see `read_path`.
    """
    known = catalogue([*filtered_tasks(), *include])[0]
    found: dict[tuple[Path, str, str], Run] = {}
    for place in places:
        runs = read_path(place.path, [place.task] if place.task else known, columns)
        for run in runs if not place.task else _of_task(runs, place):
            if run.form == vlmevalkit.FORM:
                run = replace(run, definition=known.get(run.task))
            logger.info("%s: answers of %s to %s (%s)", run.path, run.identity.label, run.task or "?", run.form)
            found.setdefault((run.path.resolve(), run.task, run.identity.label), run)
    return list(found.values())


def read_path(place: Path, tasks: Collection[str], columns: Columns = USUAL) -> list[Run]:
    """Return the runs in a file or folder, those of lmms-eval first, oldest first.

    By the names of `tasks` the files of answers of VLMEvalKit (`<model>_<task>`) are known. Raises InputError: nothing
    there, an unknown form, or a file that is broken, with the place of the fault.
    """
    if place.is_dir():
        return _read_folder(place, tasks, columns)
    if not place.is_file():
        found = "a pipe or device, which cannot be read twice" if place.exists() else "no such file or folder"
        raise InputError(f"Expected answers at {place}, found {found}. Give {FORMS}.")
    if place.name.endswith(lmms_eval.RESULTS):
        return lmms_eval.read_results(place)
    if place.name.endswith(spiqa_responses.SUFFIX):
        return [_answers(place, spiqa_responses, tasks, columns)]
    if tables.is_table(place):
        return [_answers(place, tables, tasks, columns)]
    run = _read_lines(place, tasks, columns)
    if run is not None:
        return [run]
    first = jsonl.first_object(place)
    if first is not None:
        found, remedy = f"JSON with the keys {listed(first)}", f"{advice(first)} Or give {FORMS}."
    else:
        found = "an empty file" if not place.stat().st_size else "no JSON object in its first line"
        remedy = f"Give {FORMS}."
    raise InputError(f"Expected {place} in a known form, found {found}. {remedy}")


def task_in_name(stem: str, tasks: Collection[str]) -> tuple[str, str]:
    """Return model and task of a file called `<model>_<task>`, the longest task that fits; the task empty for none.

    A dataset of VLMEvalKit stands for the task of the same questions.
    """
    names = {**{name: task for name, task in vlmevalkit.DATASETS.items() if task in tasks}, **{t: t for t in tasks}}
    fitting = [name for name in names if stem == name or stem.endswith(f"_{name}")]
    name = max(fitting, key=len, default="")
    return stem.removesuffix(name).removesuffix("_") or stem, names.get(name, "")


def _of_task(runs: Sequence[Run], place: RunPath) -> list[Run]:
    """The runs of the task that is named with the place; those whose content does not name another one are of it."""
    named = [replace(run, task=place.task) if run.task in ("", run.path.stem) else run for run in runs]
    found = [run for run in named if run.task == place.task]
    if not found:
        known = ", ".join(sorted({run.task for run in named})) or "none"
        raise InputError(f"Expected answers to {place.task} in {place.path}, found those to {known}. Name one of them.")
    return found


def _read_folder(folder: Path, tasks: Collection[str], columns: Columns) -> list[Run]:
    runs = [run for path in lmms_eval.result_files(folder) for run in lmms_eval.read_results(path)]
    runs += [run for path in run_files.run_files(folder) if (run := run_files.read_run(path)) is not None]
    runs += vlmevalkit.read_tables(folder, tasks)
    if spiqa_responses.response_files(folder):
        runs.append(_answers(folder, spiqa_responses, tasks, columns))
    if not runs:
        paths = sorted(folder.rglob("*.jsonl"))
        runs = [run for path in paths if (run := _read_lines(path, tasks, columns)) is not None]
        runs += [_answers(path, tables, tasks, columns) for path in tables.answer_tables(folder)]
    if not runs:
        raise InputError(f"Expected answers in {folder}, found none. Give {FORMS}.")
    return runs


def _read_lines(path: Path, tasks: Collection[str], columns: Columns) -> Run | None:
    """The run of a file of JSON lines; None where its first line is of no known form."""
    run = run_files.read_run(path)
    if run is not None:
        return run
    first = jsonl.first_object(path)
    if first is not None and first.keys() & {"resps", "filtered_resps"}:
        return lmms_eval.read_samples(path)
    if first is not None and jsonl.is_answers(first, columns):
        return _answers(path, jsonl, tasks, columns)
    return None


def _answers(path: Path, reader: ModuleType, tasks: Collection[str], columns: Columns) -> Run:
    model, task = task_in_name(path.stem if path.is_file() else path.name, tasks)
    return Run(task, Identity(model), path, reader.FORM, partial(reader.read_answers, path, columns))
