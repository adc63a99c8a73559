"""Runs in lmms-eval's files, written by the host or by `score --output`."""

import dataclasses
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import BENCHMARKS, Task, benchmark_named, task_of
from spiqa_tasks.errors import InputError, SpiqaTasksError
from spiqa_tasks.hosts import lmms_eval_files
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.lmms_eval_files import LoggedSample, LoggedTask, Results
from spiqa_tasks.runs.answer import Answer, plain
from spiqa_tasks.runs.identity import Identity, identity
from spiqa_tasks.runs.readers.host_tasks import host_answers
from spiqa_tasks.runs.run import Origin, Run, Written

# The forms: written by the host, or by `score --output`.
FORM, SCORED = FORMS = ("lmms-eval", "score")

# Logged `process_docs` of this package's own loader: the task then has all of its questions.
_OWN_LOADER = "<function load "

# What the host logs for a null, as reasoning models return that spent their tokens.
_NULL = "None"


def read_results(path: Path, content: Any = None) -> list[Run]:
    """Return the run to every task of a results file (`content`: its JSON value).

    Raises InputError: another form of file.
    """
    results = lmms_eval_files.read_results(path, content)
    return [_run(path, results, task) for task in results.tasks]


def read_samples(path: Path) -> Run:
    """Return the run of a samples file, of the samples alone if no results file is beside it.

    Raises InputError: samples of no benchmark.
    """
    beside = lmms_eval_files.results_beside(path)
    for run in read_results(beside) if beside.is_file() else ():
        if run.is_own and path.name.endswith(f"{lmms_eval_files.SAMPLES}{run.task}.jsonl"):
            return run

    answers = own_answers(path)
    records = [answer.record for answer in answers if answer.record is not None]
    made = summary.merged_signature(records)
    benchmark = benchmark_named(made.benchmark)
    if benchmark is None:
        raise InputError(
            f"Expected samples of a benchmark among {', '.join(BENCHMARKS)} in {path}, found those "
            f"of {made.benchmark or 'none'}. Name the result file beside it, or install the "
            "package that has it."
        )

    name = lmms_eval_files.task_in_name(path)
    task = Task(name, benchmark, made.split, made.settings)
    return Run(
        task.name,
        Identity(path.stem),
        path,
        FORM,
        lambda: answers,
        definition=task,
        asked=task.questions,
        answered=len(answers),
    )


def own_answers(path: Path) -> list[Answer]:
    """Return the logged answers to a task of this package.

    Those of --predict_only have no records and no ids: their documents are known by place.
    Raises InputError: a line that is no sample of such a task.
    """
    answers: list[Answer] = []
    for number, sample in lmms_eval_files.read_samples(path):
        try:
            answer = _own_answer(sample)
            if answers and answers[0].record is not None and answer.record is None:
                raise ValueError("no record with an id")
            answers.append(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"Expected line {number} of {path} to be a sample of one of this package's tasks, "
                f"found {error}. Name the samples file of such a task."
            ) from error
    return answers


def _own_answer(sample: LoggedSample) -> Answer:
    record = Record.of_sample(sample.values)
    if not isinstance(sample.response, str):
        raise ValueError("no answer")

    if record is None:
        response = response_of("" if sample.response == _NULL else sample.response)
        return Answer("", response, None, sample.position, sample.prompt, sample.target)

    if record.reference and plain(sample.target) != plain(record.reference):
        raise ValueError(
            f"the target {sample.target!r:.60} beside the reference {record.reference!r:.60}"
        )

    response = _logged_response(sample.response, record)
    return Answer(record.id, response, record, sample.position, sample.prompt, sample.target)


def _logged_response(text: str, record: Record) -> Response:
    """The response that a record was made of, with the order of figures that the model saw."""
    is_null = text == _NULL and not record.prediction
    failure = record.reason or text if record.status == "request_failed" else None

    # a document of one figure does not have all figures of its question
    figures = None if "step" in record.details else record.details.get("figures")
    shown = tuple(map(str, figures)) if isinstance(figures, list | tuple) else None
    return Response("" if is_null else text, failure, shown, record.details.get("truncated"))


def _host_answers(path: Path, task: LoggedTask) -> list[Answer]:
    if not task.samples.is_file():
        raise InputError(
            f"Expected the samples of {task.name} beside {path}, found none. Run the host again "
            "with --log_samples."
        )
    samples = [sample for _, sample in lmms_eval_files.read_samples(task.samples)]
    return host_answers(samples, task)


def _run(path: Path, results: Results, task: LoggedTask) -> Run:
    definition = _own_task(task.config)
    if definition is None:
        asked = task.questions
        read = partial(_host_answers, path, task)
    else:
        asked = _asked(definition, task)
        read = partial(own_answers, task.samples)

    origin = Origin(
        config=task.config,
        command=() if task.summary else results.command,
        conditions=results.conditions,
        date=results.date,
    )
    sizes = task.summary.get("groups", {})
    written = Written(
        values=task.values,
        sizes={str(group): int(size) for group, size in sizes.items()},
        judge=str(task.summary.get("judge", "")),
    )
    return Run(
        task.name,
        identity(results.model, results.model_args),
        path,
        SCORED if task.summary else FORM,
        read,
        definition=definition,
        asked=asked,
        answered=task.answered,
        logged=task.samples.is_file(),
        origin=origin,
        written=written,
    )


def _own_task(config: Mapping[str, Any]) -> Task | None:
    """The task of a YAML's values; None if it is a host's, or of another version's settings."""
    try:
        task = task_of(config)
        if task is None:
            return None
        return dataclasses.replace(task, settings_text=settings_text(task.settings))
    except SpiqaTasksError:
        return None


def _asked(task: Task, logged: LoggedTask) -> int:
    """The number of the task's questions: the release's, unless a hook left some out."""
    loader = str(logged.config.get("process_docs", _OWN_LOADER))
    is_filtered = "kept" in (logged.config.get("metadata") or {})
    is_changed = is_filtered or not loader.startswith(_OWN_LOADER)
    return logged.questions if is_changed and logged.questions else task.questions
