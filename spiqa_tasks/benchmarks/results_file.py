"""Write scored answers as lmms-eval writes a run: a dated results file, and a samples file for each task."""

import hashlib
import itertools
import json
import math
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks.aggregation import Metric, RecordSet, Value
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.benchmarks.summary import rows_of
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.scoring.clusters import clustered_stderr

RESULTS, SAMPLES = "_results.json", "_samples_"
SUMMARY = "spiqa_tasks"
"""Key of a results file for what lmms-eval has no key for: task -> judge, counts, signature, intervals."""
BASELINE = "score"
"""Key of a sample for the answer's headline score, where lmms-eval's `--baseline` and `score_key` look for it."""
_ZONE = timezone(timedelta(hours=8))
"""lmms-eval dates its files in Singapore's time on every machine, and the newest run is found by these dates."""
_UNSAFE = re.compile(r"[\"<>:/\|\\?\*\[\]]+")
"""Characters that lmms-eval replaces in a model's name to make a folder of it."""


class LoggedAnswer(NamedTuple):
    """A scored response, the position of its document in the task (from 0), and the question if known."""

    record: Record
    response: str
    position: int
    question: str = ""


class TaskLog(NamedTuple):
    """One task of a results file; `values` are by row (`metric` or `metric/group`), `summary` stands at `SUMMARY`."""

    config: Mapping[str, Any]
    values: Mapping[str, Value]
    higher_is_better: Mapping[str, bool]
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
    """Return the log of a task of this package's benchmarks; `metrics` are those that were computed, in order."""
    rows = rows_of(task.entry, task.typed, metrics, records)
    joined = task.entry.join(task.typed) is not None
    better = {metric.name: metric.higher_is_better for metric in metrics}
    samples = [
        logged_sample(
            place, record.reference, response, metric_values(record, rows, joined), question
        )
        for record, response, place, question in answers
    ]
    return TaskLog(
        _config(task, better), values, better, samples, records.asked or len(samples), summary
    )


def metric_values(
    record: Record, rows: Mapping[str, tuple[Metric, str | None]], joined: bool
) -> dict[str, dict[str, Any]]:
    """Return row -> what a sample logs under it: the whole record under the first, id and score under the others.

    `joined` says whether a question is several documents. Only metrics that measure the answers have the cluster, of
    which lmms-eval makes clustered standard errors; shares of failures do without.
    """
    found: dict[str, dict[str, Any]] = {}
    mine = {
        name: metric
        for name, (metric, group) in rows.items()
        if not group or group in record.groups.values()
    }
    by_name = {metric.name: metric for metric in mine.values()}
    scores = {name: answer_score(metric, record, joined) for name, metric in by_name.items()}
    for name, metric in mine.items():
        found[name] = {"id": record.id} if found else record.as_dict()
        if (score := scores[metric.name]) is not None:
            clustered = metric.higher_is_better and record.cluster is not None
            found[name] |= (
                {"cluster": record.cluster, "score": score} if clustered else {"score": score}
            )
    return found


def answer_score(metric: Metric, record: Record, joined: bool) -> float | None:
    """Return a metric's score of one answer; None if it has none, or none without the other answers."""
    if metric.name in record.scores:
        return record.scores[metric.name]
    stands_alone = metric.needs != "text programs" and (not joined or metric.of_documents)
    return metric.compute([record]).scores.get(record.id) if stands_alone else None


def logged_sample(
    position: int, target: Any, response: str, metrics: Mapping[str, Any], question: str = ""
) -> dict[str, Any]:
    """Return a line of a samples file; `metrics` maps rows to what is logged under them, the headline first."""
    headline = next(iter(metrics.values()), None)
    score = headline.get("score") if isinstance(headline, Mapping) else headline
    document = json.dumps([position, str(target)])
    return {
        "doc_id": position,
        "target": str(target),
        "resps": [response],
        "filtered_resps": response,
        "token_counts": [None],
        "doc_hash": hashlib.sha256(document.encode()).hexdigest(),
        **metrics,
        **({} if score is None else {BASELINE: score}),
        "input": question,
    }


def write_log(folder: Path, model: str, model_args: str, tasks: Mapping[str, TaskLog]) -> Path:
    """Write a results file and the samples of its tasks, as of lmms-eval's command line; return the results file.

    The date in the names is that of now, or the first second after it without a results file: nothing is overwritten.
    """
    folder.mkdir(parents=True, exist_ok=True)
    date = _reserved_date(folder)
    path = folder / f"{date}{RESULTS}"
    try:
        for name, task in tasks.items():
            lines = "".join(f"{json.dumps(sample, default=str)}\n" for sample in task.samples)
            write_atomically(folder / f"{date}{SAMPLES}{name}.jsonl", lines.encode())
        content = _results(date, model, model_args, tasks)
        write_atomically(path, json.dumps(content, indent=2, default=str).encode())
    except (
        BaseException
    ):  # also at Ctrl-C: the reserved file is empty, and readers take it for a broken run
        for left in folder.glob(f"{date}_*"):
            left.unlink()
        raise
    return path


def newest_summary(folder: Path, task: str, since: float = 0.0) -> Mapping[str, Any] | None:
    """Return the summary in the newest results file of a task below a folder, not older than `since`, or None."""
    for samples in sorted(
        folder.rglob(f"*{SAMPLES}{task}.jsonl"), key=lambda path: path.name, reverse=True
    ):
        results = samples.with_name(samples.name.removesuffix(f"{SAMPLES}{task}.jsonl") + RESULTS)
        if results.is_file() and results.stat().st_mtime >= since:
            summary: Mapping[str, Any] = json.loads(results.read_bytes())[SUMMARY][task]
            return summary
    return None


def folder_name(model: str) -> str:
    """Return the name of a model's folder as lmms-eval makes it."""
    return _UNSAFE.sub("__", "/".join(model.split("/")[-2:]))


def date_text(seconds: float) -> str:
    """Return a time since the epoch as the names of results files have it."""
    return datetime.fromtimestamp(seconds, _ZONE).strftime("%Y%m%d_%H%M%S")


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
    return {
        "results": {name: {"alias": name, **_table(task.values)} for name, task in tasks.items()},
        "group_subtasks": {name: [] for name in tasks},
        "configs": {name: dict(task.config) for name, task in tasks.items()},
        "versions": {
            name: (task.config.get("metadata") or {}).get("version", 0.0)
            for name, task in tasks.items()
        },
        "n-shot": {name: task.config.get("num_fewshot") or 0 for name, task in tasks.items()},
        "higher_is_better": {name: dict(task.higher_is_better) for name, task in tasks.items()},
        "n-samples": {
            name: {"original": log.questions, "effective": len(log.samples)}
            for name, log in tasks.items()
        },
        "config": {"model": model, "model_args": model_args, "limit": None, "gen_kwargs": ""},
        "lmms_eval_version": f"{PACKAGE} {version(PACKAGE)}",
        "date": date,
        "model_source": model,
        "model_name": model,
        "model_name_sanitized": folder_name(model),
        SUMMARY: {name: dict(task.summary) for name, task in tasks.items()},
    }


def _table(values: Mapping[str, Value]) -> dict[str, Any]:
    """The values and standard errors of the rows as lmms-eval names them; withheld values are NaN there, too."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        scores = list(value.scores.values())
        clusters = [value.clusters.get(key) for key in value.scores]
        plain = clustered_stderr(scores, [None] * len(scores))
        clustered = clustered_stderr(scores, clusters) if len(set(clusters) - {None}) > 1 else "N/A"
        found |= {f"{name},none": value.value, f"{name}_stderr,none": "N/A"}
        found |= {f"{name}_stderr_clt,none": "N/A" if math.isnan(plain) else plain}
        found |= {f"{name}_stderr_clustered,none": clustered}
    return found


def _config(task: Task, better: Mapping[str, bool]) -> dict[str, Any]:
    """The values of a task's YAML that readers of results ask for."""
    metadata = {"version": 2.0, "benchmark": task.benchmark, "headline": next(iter(better), "")}
    return {
        "task": task.name,
        "dataset_path": "json",
        "dataset_name": task.settings,
        "test_split": task.split,
        "process_docs": f"{PACKAGE} score",  # not the hook's name: the number of questions is what n-samples says
        "doc_to_target": "answer",
        "num_fewshot": 0,
        "metric_list": [
            {"metric": key, "aggregation": "mean", "higher_is_better": more}
            for key, more in better.items()
        ],
        "output_type": "generate_until",
        "generation_kwargs": {} if task.length is None else {"max_new_tokens": task.length},
        "repeats": 1,
        "score_key": BASELINE,
        **({"cluster_key": "cluster"} if task.entry.clustered else {}),
        "metadata": metadata,
    }
