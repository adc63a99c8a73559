"""lmms-eval's files: a dated results file, and a samples file for each task from `--log_samples`.

`score --output` writes the same; what lmms-eval has no key for is under `SUMMARY`.
"""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.results_file import RESULTS, SAMPLES, SUMMARY
from spiqa_tasks.benchmarks.task import Task, benchmark_named, task_of
from spiqa_tasks.errors import InputError, SpiqaTasksError
from spiqa_tasks.files.json_text import conforms, first_of, json_lines, loads
from spiqa_tasks.runs.answer import Answer, plain
from spiqa_tasks.runs.identity import Identity, identity, model_arguments
from spiqa_tasks.runs.readers.host_tasks import host_answers
from spiqa_tasks.runs.run import Run

FORM, SCORED = FORMS = ("lmms-eval", "score")
"""The forms: written by the host, or by `score --output`."""
_KEY = re.compile(r"^\w*(key|token|secret|password|auth\w*)=|\bsk-\w|Bearer", re.IGNORECASE)
_LOGIN = re.compile(r"//[^/@]*@")
_OWN_LOADER = "<function load "
"""Logged `process_docs` of this package's own loader: the task then has all of its questions."""


def result_files(folder: Path) -> list[Path]:
    """Return the host's results files below a folder, oldest first; those in `submissions/` have another form."""
    found = (path for path in folder.rglob(f"*{RESULTS}") if path.parent.name != "submissions")
    return sorted(found, key=lambda path: path.name)


def read_results(path: Path, content: Any = None) -> list[Run]:
    """Return the run to every task of a results file (`content`: its JSON value); InputError: not the host's."""
    try:
        content = loads(path.read_bytes()) if content is None else content
        config = content["config"]
        who = identity(str(config["model"]), str(config["model_args"] or ""))
        return [
            _run(path, name, values, content, who) for name, values in content["configs"].items()
        ]
    except (
        ArithmeticError,
        AttributeError,
        KeyError,
        OSError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise InputError(
            f"Expected {path} to be a result file of lmms-eval, found {type(error).__name__} {error}. "
            "Name a *_results.json."
        ) from error


def read_samples(path: Path) -> Run:
    """Return the run of a samples file, without results beside it of the samples alone; InputError: no benchmark."""
    beside = path.with_name(path.name.partition(SAMPLES)[0] + RESULTS)
    for run in read_results(beside) if beside.is_file() else ():
        if run.is_own and path.name.endswith(f"{SAMPLES}{run.task}.jsonl"):
            return run
    answers = own_answers(path)
    made = summary.merged_signature(
        [answer.record for answer in answers if answer.record is not None]
    )
    entry = benchmark_named(made.benchmark)
    if entry is None:
        raise InputError(
            f"Expected samples of a benchmark among {', '.join(BENCHMARKS)} in {path}, found those of "
            f"{made.benchmark or 'none'}. Name the result file beside it, or install the package that has it."
        )
    task = Task(path.stem.partition(SAMPLES)[2] or path.stem, entry, made.split, made.settings)
    who = Identity(path.stem)
    return Run(
        task.name, who, path, FORM, lambda: answers, task.questions, len(answers), definition=task
    )


def samples(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the samples of a file with their line numbers, from 1; DataError, InputError: a line of no sample."""
    for number, sample in json_lines(path):
        try:
            int(sample["doc_id"]), sample["target"]
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise InputError(
                f"Expected a logged sample of lmms-eval in line {number} of {path}, found "
                f"{type(error).__name__} {error}. Name a run made with --log_samples."
            ) from error
        yield number, sample


def own_answers(path: Path) -> list[Answer]:
    """Return the logged answers to a task of this package. Raises InputError: a line that is no sample of one."""
    found = []
    for number, sample in samples(path):
        try:
            found.append(_own_answer(sample))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"Expected line {number} of {path} to be a sample of one of this package's tasks, found {error}. "
                "Name the samples file of such a task."
            ) from error
    return found


def _own_answer(sample: Mapping[str, Any]) -> Answer:
    record, text = (
        Record.of_sample(sample),
        first_of(sample.get("filtered_resps", sample.get("resps")), None),
    )
    if record is None or not isinstance(text, str):
        raise ValueError("no record with an id" if record is None else "no answer")
    if record.reference and plain(str(sample["target"])) != plain(record.reference):
        raise ValueError(
            f"the target {sample['target']!r:.60} beside the reference {record.reference!r:.60}"
        )
    # its figures are those of the question, in the order shown; a document of one figure does not have all of them
    figures = None if "step" in record.details else record.details.get("figures")
    shown = tuple(map(str, figures)) if isinstance(figures, list | tuple) else None
    failure = record.reason or text if record.status == "request_failed" else None
    response = Response(text, failure, shown, record.details.get("truncated"))
    logged = (int(sample["doc_id"]), str(sample.get("input", "")), str(sample["target"]))
    return Answer(record.id, response, record, *logged)


def _host_answers(
    path: Path, logged: Path, task: str, config: Mapping[str, Any], reported: Mapping[str, float]
) -> list[Answer]:
    if not logged.is_file():
        raise InputError(
            f"Expected the samples of {task} beside {path}, found none. Run the host again with --log_samples."
        )
    return host_answers([sample for _, sample in samples(logged)], task, config, reported)


def _run(
    path: Path, name: str, values: Mapping[str, Any], content: Mapping[str, Any], who: Identity
) -> Run:
    written = content.get(SUMMARY)
    more = written.get(name, {}) if isinstance(written, Mapping) else {}
    date = str(content.get("date") or "")
    logged = _samples_file(path, name, date)
    reported = dict(_reported(content["results"].get(name, {})))
    counts = (content.get("n-samples") or {}).get(name) or {}
    if not conforms(counts, Mapping[str, int | None]):
        raise TypeError(f"counts of samples {counts!r:.60}")
    original, answered = counts.get("original") or 0, counts.get("effective") or 0
    task = _own_task(values)
    asked, read = original, partial(own_answers, logged)
    if task is None:
        read = partial(_host_answers, path, logged, name, values, reported)
    else:
        asked = _asked(task, values, original)
    return Run(
        name,
        who,
        path,
        SCORED if more else FORM,
        read,
        asked,
        answered,
        logged.is_file(),
        task,
        reported,
        values,
        sizes={str(group): int(size) for group, size in more.get("groups", {}).items()},
        judge=str(more.get("judge", "")),
        command=() if more else _command(content["config"]),
        host=_conditions(content),
        date=path.name.removesuffix(RESULTS) if path.name.endswith(RESULTS) else date,
    )


def _command(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The host's command of a results file, without its tasks and whatever may be a key."""
    given = [
        f"{key}={value}" for key, value in model_arguments(str(config["model_args"] or "")).items()
    ]
    kept = ",".join(_LOGIN.sub("//", each) for each in given if not _KEY.search(each))
    options = {"model": config["model"], "model_args": kept}
    options |= {name: config.get(name) for name in ("gen_kwargs", "batch_size", "limit", "offset")}
    if isinstance(options["gen_kwargs"], Mapping):
        options["gen_kwargs"] = ",".join(
            f"{key}={value}" for key, value in options["gen_kwargs"].items()
        )
    named = {
        name: str(value) for name, value in options.items() if value and not _KEY.search(str(value))
    }
    return ("lmms-eval", *(part for name, value in named.items() for part in (f"--{name}", value)))


def _conditions(content: Mapping[str, Any]) -> dict[str, str]:
    told = {
        name: content["config"].get(f"{name}_seed")
        for name in ("random", "numpy", "torch", "fewshot")
    }
    named = {
        "version": content.get("lmms_eval_version"),
        "system turn": content.get("system_instruction"),
    }
    named |= {f"seed ({name})": seed for name, seed in told.items()}
    return {name: str(value) for name, value in named.items() if value is not None}


def _samples_file(path: Path, task: str, date: str) -> Path:
    """The samples beside a results file, by its name or, where that was changed, by its date."""
    logged = path.with_name(path.name.removesuffix(RESULTS) + f"{SAMPLES}{task}.jsonl")
    return (
        logged if logged.is_file() or not date else path.with_name(f"{date}{SAMPLES}{task}.jsonl")
    )


def _own_task(values: Mapping[str, Any]) -> Task | None:
    try:
        task = task_of(values)
        return (
            task if task is None else dataclasses.replace(task, settings=settings_text(task.typed))
        )
    except SpiqaTasksError:
        return None


def _asked(task: Task, values: Mapping[str, Any], original: int) -> int:
    """The number of the task's questions: the release's, unless a hook left some out."""
    counted = "kept" in (values.get("metadata") or {})
    if original and (
        counted or not str(values.get("process_docs", _OWN_LOADER)).startswith(_OWN_LOADER)
    ):
        return original
    return task.questions


def _reported(metrics: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for key, value in metrics.items():
        name, separator, _ = key.partition(",")
        if separator and "_stderr" not in name and conforms(value, float):
            yield name, float(value)
