"""lmms-eval's files: a dated results file, and a samples file for each task of a run.

This module alone knows what their fields are called. `score --output` writes the same files; what
lmms-eval has no key for stands under `SUMMARY`.
"""

import hashlib
import itertools
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks.metric import Metric, RecordSet, Value
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.benchmarks.summary import rows_of
from spiqa_tasks.errors import InputError, found_instead
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.json_text import conforms, first_of, json_lines, loads, without_nan

# Ending of a results file's name, after its date.
RESULTS = "_results.json"

# Between the date and the task in a samples file's name.
SAMPLES = "_samples_"

# Key of a results file for what lmms-eval has no key for: task -> judge, counts, signature.
SUMMARY = "spiqa_tasks"

# Key of a sample for the headline score, where lmms-eval's `--baseline` and `score_key` look.
BASELINE = "score"

# Fields of a sample with the responses; the second is left out where both are equal.
FILTERED = "filtered_resps"
_RESPONSES = (FILTERED, "resps")

# Fields of a sample that are no metric; every other field is one.
_NO_METRICS = frozenset(
    {
        *_RESPONSES,
        "doc_id",
        "target",
        "token_counts",
        "doc_hash",
        "input",
        "input_media",
        "doc",
        "arguments",
        "submission",
    }
)

# lmms-eval dates its files in Singapore's time on every machine; the newest run is found by it.
_ZONE = timezone(timedelta(hours=8))

# Characters that lmms-eval replaces in a model's name to make a folder of it.
_UNSAFE = re.compile(r"[\"<>:/\|\\?\*\[\]]+")

# Bytes of a folder's name: file systems take 255, and long --model_args have more.
_LONGEST_FOLDER = 200

# What a results file of another form, or one that was changed, leads its reader to.
_BROKEN = (
    ArithmeticError,
    AttributeError,
    KeyError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)


def model_arguments(text: str) -> dict[str, str]:
    """Return `key=value,...` of `--model_args`; a comma that no key follows is part of a value."""
    pairs = (part.partition("=") for part in re.split(r",(?=\w+=)", text.strip()) if part)
    return {key: value for key, _, value in pairs}


# Reading


@dataclass(frozen=True)
class LoggedSample:
    """A line of a samples file.

    Attributes:
        position: index of the document in its task, from 0.
        response: the first response, a text unless the host asked for likelihoods; None without
            one.
        prompt: the prompt as far as it is a text, or ''.
        tokens: generated tokens, or None if the host did not count them.
        values: metric -> what the host logged of it, with whatever else stands in the line.
    """

    position: int
    target: str
    response: Any
    prompt: str
    tokens: int | None
    values: Mapping[str, Any]


@dataclass(frozen=True)
class LoggedTask:
    """A task of a results file.

    Attributes:
        samples: the file of its samples, which is not there without --log_samples.
        values: metric -> value, in the unit of the task.
        questions: number of questions that the host had, or 0.
        answered: number of questions that the host asked, or 0.
        summary: what `score --output` wrote at `SUMMARY`, or {}.
    """

    name: str
    config: Mapping[str, Any]
    samples: Path
    values: Mapping[str, float]
    questions: int
    answered: int
    summary: Mapping[str, Any]


@dataclass(frozen=True)
class Results:
    """A results file.

    Attributes:
        model, model_args: as on the host's command line.
        conditions: the host's version, seeds and system turn.
        date: as the host writes it, which sorts as text, or ''.
        tasks: the tasks, in the order of the file.
    """

    model: str
    model_args: str
    conditions: Mapping[str, str]
    date: str
    tasks: Sequence[LoggedTask]


def generation_text(settings: Any) -> str:
    """Return generation settings as one text, `max_new_tokens=512,until=[]`; '' for None."""
    if not isinstance(settings, Mapping):
        return ""
    return ",".join(f"{name}={settings[name]}" for name in sorted(settings))


def is_results(content: Any) -> bool:
    """Return whether a JSON value is that of a results file."""
    return isinstance(content, Mapping) and {"results", "configs"} <= content.keys()


def is_sample(line: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is a line of a samples file."""
    return "doc_id" in line and not line.keys().isdisjoint(_RESPONSES)


def result_files(folder: Path) -> list[Path]:
    """Return the results files below a folder, oldest first.

    Files in `submissions/` have the same ending and another form.
    """
    found = (path for path in folder.rglob(f"*{RESULTS}") if path.parent.name != "submissions")
    return sorted(found, key=lambda path: path.name)


def read_results(path: Path, content: Any = None) -> Results:
    """Return a results file (`content`: its JSON value). Raises InputError: another form."""
    with named_if_broken(path):
        content = loads(path.read_bytes()) if content is None else content
        return _results_of(path, content)


@contextmanager
def named_if_broken(path: Path) -> Iterator[None]:
    """Raise InputError for what a results file of another form leads its reader to."""
    try:
        yield
    except _BROKEN as error:
        raise InputError(
            f"Expected {path} to be a result file of lmms-eval, found {found_instead(error)}. "
            f"Name a *{RESULTS}."
        ) from error


def read_samples(path: Path) -> Iterator[tuple[int, LoggedSample]]:
    """Yield the samples of a file with their line numbers, from 1.

    Raises DataError, InputError: a line that is no sample, or none at all.
    """
    number = 0
    for number, line in json_lines(path):
        try:
            sample = _sample(line)
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise InputError(
                f"Expected a logged sample of lmms-eval in line {number} of {path}, found "
                f"{found_instead(error)}. Name a run made with --log_samples."
            ) from error
        yield number, sample

    # as a full disk leaves it
    if not number:
        raise InputError(f"Expected samples in {path}, found none. Run the host again.")


def results_beside(samples: Path) -> Path:
    """Return `DATE_results.json` for `DATE_samples_TASK.jsonl`, whether or not it is there."""
    return samples.with_name(samples.name.partition(SAMPLES)[0] + RESULTS)


def task_in_name(samples: Path) -> str:
    """Return `TASK` of `DATE_samples_TASK.jsonl`; the whole stem of another name."""
    return samples.stem.partition(SAMPLES)[2] or samples.stem


def _results_of(path: Path, content: Mapping[str, Any]) -> Results:
    """Return what a parsed results file says. Raises KeyError, TypeError: another form."""
    config = content["config"]
    date = str(content.get("date") or "")
    tasks = [_task_of(path, content, name, date) for name in content["configs"]]
    return Results(
        model=str(config["model"]),
        model_args=str(config["model_args"] or ""),
        conditions=_conditions(content),
        date=path.name.removesuffix(RESULTS) if path.name.endswith(RESULTS) else date,
        tasks=tasks,
    )


def _task_of(path: Path, content: Mapping[str, Any], name: str, date: str) -> LoggedTask:
    """Return what a results file says of one task. Raises TypeError: counts that are none."""
    counts = (content.get("n-samples") or {}).get(name) or {}
    if not conforms(counts, Mapping[str, int | None]):
        raise TypeError(f"counts of samples {counts!r:.60}")

    written = content.get(SUMMARY)
    return LoggedTask(
        name=name,
        config=content["configs"][name],
        samples=_samples_file(path, name, date),
        values=dict(_reported(content["results"].get(name, {}))),
        questions=counts.get("original") or 0,
        answered=counts.get("effective") or 0,
        summary=written.get(name, {}) if isinstance(written, Mapping) else {},
    )


def _sample(line: Mapping[str, Any]) -> LoggedSample:
    """Return a line of a samples file. Raises KeyError, ValueError: another form."""
    logged = next((line[name] for name in _RESPONSES if name in line), None)
    tokens = (first_of(line.get("token_counts")) or {}).get("output_tokens")
    return LoggedSample(
        position=int(line["doc_id"]),
        target=str(line["target"]),
        response=first_of(logged),
        prompt=str(line.get("input", "")),
        tokens=tokens if isinstance(tokens, int) else None,
        values={name: value for name, value in line.items() if name not in _NO_METRICS},
    )


def _samples_file(path: Path, task: str, date: str) -> Path:
    """Return the samples beside a results file, by its name or, if that was changed, its date."""
    named = path.with_name(path.name.removesuffix(RESULTS) + f"{SAMPLES}{task}.jsonl")
    if named.is_file() or not date:
        return named
    return path.with_name(f"{date}{SAMPLES}{task}.jsonl")


def _reported(metrics: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield the metrics of a task, `accuracy,none` without its filter, with their values."""
    for key, value in metrics.items():
        name, separator, _ = key.partition(",")
        if separator and "_stderr" not in name and conforms(value, float):
            yield name, float(value)


def _conditions(content: Mapping[str, Any]) -> dict[str, str]:
    """Return what is known of `{"version": "0.7.3", "seed (torch)": "1234", ...}`."""
    config = content["config"]
    named = {
        "version": content.get("lmms_eval_version"),
        "system turn": content.get("system_instruction"),
    }
    for name in ("random", "numpy", "torch", "fewshot"):
        named[f"seed ({name})"] = config.get(f"{name}_seed")
    return {name: str(value) for name, value in named.items() if value is not None}


# Writing


class LoggedAnswer(NamedTuple):
    """A scored response, the position of its document in the task (from 0), and the question if
    known.
    """

    record: Record
    response: str
    position: int
    question: str = ""


class TaskLog(NamedTuple):
    """One task of a results file; `values` are by row (`metric` or `metric/group`), `summary`
    stands at `SUMMARY`.
    """

    config: Mapping[str, Any]
    values: Mapping[str, Value]
    samples: Sequence[Mapping[str, Any]]
    questions: int
    summary: Mapping[str, Any] = {}


def task_log(
    task: Task,
    records: RecordSet,
    values: Mapping[str, Value],
    metrics: Sequence[Metric],
    answers: Iterable[LoggedAnswer],
    summary: Mapping[str, Any],
) -> TaskLog:
    """Return the log of a task of this package's benchmarks; `metrics` are those that were
    computed, in order.
    """
    rows = rows_of(metrics, records)
    joined = task.benchmark.join(task.settings) is not None
    samples = [
        logged_sample(answer, metric_values(answer.record, rows, joined)) for answer in answers
    ]
    questions = records.asked or len(samples)
    return TaskLog(_config(task, metrics), values, samples, questions, summary)


def metric_values(
    record: Record, rows: Mapping[str, tuple[Metric, str | None]], joined: bool
) -> dict[str, dict[str, Any]]:
    """Return row -> what a sample logs under it: the whole record under the first, id and score
    under the others.

    `joined` says whether a question is several documents. Only metrics that measure the answers
    have the cluster, of which lmms-eval makes clustered standard errors; shares of failures do
    without.
    """
    logged_under: dict[str, dict[str, Any]] = {}
    for row, (metric, group) in rows.items():
        if group and group not in record.groups.values():
            continue

        logged: dict[str, Any] = {"id": record.id} if logged_under else record.as_dict()
        score = answer_score(metric, record, joined)
        if score is not None:
            logged["score"] = score
            if metric.higher_is_better and record.cluster is not None:
                logged["cluster"] = record.cluster
        logged_under[row] = logged
    return logged_under


def answer_score(metric: Metric, record: Record, joined: bool) -> float | None:
    """Return a metric's score of one answer, or None: without a score, and where a text program
    scores all answers together or a question is several documents (`joined`).
    """
    if metric.name in record.scores:
        return record.scores[metric.name]
    stands_alone = metric.needs != "text programs" and (not joined or metric.of_documents)
    return metric.compute([record]).scores.get(record.id) if stands_alone else None


def logged_sample(answer: LoggedAnswer, metrics: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a line of a samples file; `metrics` maps rows to what is logged under them, the
    headline first.
    """
    score = next(iter(metrics.values()), {}).get("score")
    return {
        "doc_id": answer.position,
        "target": answer.record.reference,
        "resps": [answer.response],
        FILTERED: answer.response,
        **metrics,
        **({} if score is None else {BASELINE: score}),
        "input": answer.question,
    }


def write_log(folder: Path, model: str, model_args: str, tasks: Mapping[str, TaskLog]) -> Path:
    """Write a results file and the samples of its tasks, as of lmms-eval's command line; return the
    results file.

    The date in the names is that of now, or the first second after it without a results file:
    nothing is overwritten.
    """
    folder.mkdir(parents=True, exist_ok=True)
    date = _reserved_date(folder)
    path = folder / f"{date}{RESULTS}"
    try:
        for name, task in tasks.items():
            lines = "".join(_line(sample) for sample in task.samples)
            write_atomically(folder / f"{date}{SAMPLES}{name}.jsonl", lines.encode())
        content = _results(date, model, model_args, tasks)
        write_atomically(path, json.dumps(content, indent=2, default=str).encode())
    except BaseException:
        # also at Ctrl-C: the reserved file is empty, and readers take it for a broken run
        for left in folder.glob(f"{date}_*"):
            left.unlink()
        raise
    return path


def newest_summary(folder: Path, task: str, since: float = 0.0) -> Mapping[str, Any] | None:
    """Return the summary in the newest results file of a task below a folder, not older than
    `since`, or None.
    """
    found = folder.rglob(f"*{SAMPLES}{task}.jsonl")
    for samples in sorted(found, key=lambda path: path.name, reverse=True):
        results = results_beside(samples)
        if results.is_file() and results.stat().st_mtime >= since:
            summary: Mapping[str, Any] = json.loads(results.read_bytes())[SUMMARY][task]
            return summary
    return None


def folder_name(model: str) -> str:
    """Return a model's folder as lmms-eval names it, `Qwen__Qwen2-VL`; long names are cut."""
    name = _UNSAFE.sub("__", "/".join(model.split("/")[-2:]))
    encoded = name.encode()
    if len(encoded) <= _LONGEST_FOLDER:
        return name

    digest = hashlib.sha256(encoded).hexdigest()[:12]
    return f"{encoded[:_LONGEST_FOLDER].decode(errors='ignore')}-{digest}"


def date_text(seconds: float) -> str:
    """Return seconds since the epoch as results files are named: `20260101_120000`."""
    return datetime.fromtimestamp(seconds, _ZONE).strftime("%Y%m%d_%H%M%S")


def date_of(name: str) -> datetime | None:
    """Return the time in a file's name, or None; the inverse of `date_text`."""
    stamp = re.match(r"\d{8}_\d{6}(?=_)", name)
    if stamp is None:
        return None
    return datetime.strptime(stamp[0], "%Y%m%d_%H%M%S").replace(tzinfo=_ZONE)


def _line(sample: Mapping[str, Any]) -> str:
    """Return a line of a samples file; numbers that JSON does not have are null."""
    return f"{json.dumps(without_nan(sample), default=str, allow_nan=False)}\n"


def _reserved_date(folder: Path) -> str:
    """Create the empty results file of a new date, so that another process takes a later one."""
    for now in itertools.count(int(time.time())):
        with suppress(FileExistsError):
            (folder / f"{date_text(now)}{RESULTS}").open("x").close()
            break
    return date_text(now)


def _results(
    date: str, model: str, model_args: str, tasks: Mapping[str, TaskLog]
) -> dict[str, Any]:
    """Return a results file with what readers of lmms-eval's take from one."""
    return {
        "results": {name: _table(name, task) for name, task in tasks.items()},
        "configs": {name: task.config for name, task in tasks.items()},
        "n-samples": {
            name: {"original": task.questions, "effective": len(task.samples)}
            for name, task in tasks.items()
        },
        "config": {"model": model, "model_args": model_args},
        "lmms_eval_version": f"{PACKAGE} {version(PACKAGE)}",
        "date": date,
        SUMMARY: {name: task.summary for name, task in tasks.items()},
    }


def _table(name: str, task: TaskLog) -> dict[str, Any]:
    """Return the values of a task; a withheld one is NaN, as where lmms-eval makes the table."""
    return {"alias": name, **{f"{row},none": each.value for row, each in task.values.items()}}


def _config(task: Task, metrics: Sequence[Metric]) -> dict[str, Any]:
    """Return the values of a task's YAML that readers of results ask for."""
    listed = [
        {"metric": metric.name, "higher_is_better": metric.higher_is_better} for metric in metrics
    ]
    headline = listed[0]["metric"] if listed else ""
    return {
        "task": task.name,
        "dataset_name": task.settings_text,
        "test_split": task.split,
        # not the hook's name: the number of questions is what n-samples says
        "process_docs": f"{PACKAGE} score",
        "metric_list": listed,
        "metadata": {"benchmark": task.benchmark_name, "headline": headline},
    }
