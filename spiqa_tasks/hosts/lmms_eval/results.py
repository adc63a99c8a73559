"""The host's result files, read: `<date>_results.json` and `<date>_samples_<task>.jsonl` beside it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.errors import InputError, SpiqaTasksError
from spiqa_tasks.hosts.lmms_eval.identity import Identity, identity


@dataclass(frozen=True)
class Score:
    """A metric's value and its standard error (clustered where the host tells it, None where it tells none)."""

    value: float | None
    stderr: float | None


@dataclass(frozen=True)
class Run:
    """One result file of the host.

    Attributes:
        path: the result file.
        model, model_args: as given on the command line.
        tasks: task -> metric -> score; tasks and groups.
        configs: task -> its YAML values as the host wrote them.
    """

    path: Path
    model: str
    model_args: str
    tasks: Mapping[str, Mapping[str, Score]]
    configs: Mapping[str, Mapping[str, Any]]

    @property
    def identity(self) -> Identity:
        """Which model it is."""
        return identity(self.model, self.model_args)

    def samples(self, task: str) -> Path | None:
        """The samples file of a task, or None where the run was made without `--log_samples`."""
        path = self.path.with_name(self.path.name.replace("_results.json", f"_samples_{task}.jsonl"))
        return path if path.is_file() else None


@dataclass(frozen=True)
class TaskRun:
    """A task in a run."""

    run: Run
    task: str

    @property
    def config(self) -> Mapping[str, Any]:
        """The task's YAML values as the host wrote them; a group has none."""
        return self.run.configs.get(self.task, {})

    @property
    def identity(self) -> Identity:
        """Which model answered."""
        return self.run.identity

    @property
    def headline(self) -> str | None:
        """The metric that speaks for a run: that of the settings of a task of ours, else the one in its YAML."""
        metadata = self.config.get("metadata")
        if not isinstance(metadata, Mapping):
            return None
        if self.settings is not None:
            return BENCHMARKS[metadata["benchmark"]].headline(self.settings).name
        return metadata.get("headline")

    @property
    def benchmark(self) -> Benchmark | None:
        """The benchmark of a task of ours; None for other tasks."""
        metadata = self.config.get("metadata")
        return BENCHMARKS.get(str(metadata.get("benchmark"))) if isinstance(metadata, Mapping) else None

    @property
    def settings(self) -> Any:
        """The settings of a task of ours, typed; None for other tasks, and where they cannot be read."""
        if self.benchmark is None:
            return None
        try:
            return self.benchmark.parse(str(self.config.get("dataset_name") or ""))
        except SpiqaTasksError:
            return None

    def samples(self) -> list[dict[str, Any]]:
        """Return the logged samples; none where the run was made without `--log_samples`."""
        path = self.run.samples(self.task)
        return list(read_samples(path)) if path is not None else []


def record_of(sample: Mapping[str, Any]) -> Record | None:
    """Return the record of a logged sample; None where it holds none of ours."""
    logged = [value for value in sample.values() if isinstance(value, dict) and "id" in value and "status" in value]
    return Record.from_dict(logged[0]) if logged else None


def task_runs(places: Iterable[Path], tasks: Collection[str] = ()) -> tuple[list[TaskRun], list[str]]:
    """Return every task of the runs at `places`, and a sentence for each that a newer run of the same model replaces.

    Args:
        places: result files or folders.
        tasks: only these; empty: all.

    Raises:
        InputError: no result files, or none of the tasks asked for.
    """
    runs = all_runs(places)
    newest: dict[tuple[str, Identity], TaskRun] = {}
    replaced = []
    for run in runs:
        for task in run.configs:
            if tasks and task not in tasks:
                continue
            key = (task, run.identity)
            if key in newest:
                replaced.append(
                    f"{task} of {run.identity.label} was run again: {run.path.name} counts, not "
                    f"{newest[key].run.path.name}."
                )
            newest[key] = TaskRun(run, task)
    if not newest:
        known = sorted({task for run in runs for task in run.configs})
        raise InputError(
            f"Expected runs of {', '.join(tasks) or 'a task'}; found {', '.join(known) or 'none'}. Correct --task."
        )
    return list(newest.values()), replaced


def find_runs(place: Path) -> list[Run]:
    """The runs of a result file, or of all result files below a folder, oldest first.

    Raises:
        InputError: nothing there, or a file that is not the host's.
    """
    paths = [place] if place.is_file() else sorted(_result_files(place), key=lambda path: path.name)
    if not paths:
        raise InputError(
            f"Expected a result file of lmms-eval or a folder with some (*_results.json), found none at {place}. "
            "Name the folder given as --output_path, or as --work-dir of spiqa-vlmevalkit."
        )
    return [read_run(path) for path in paths]


def all_runs(places: Iterable[Path]) -> list[Run]:
    """Return the runs at several places, each once, oldest first by the date in their names.

    Raises:
        InputError: see `find_runs`.
    """
    runs = {run.path.resolve(): run for place in places for run in find_runs(place)}
    return sorted(runs.values(), key=lambda run: run.path.name)


def latest_run(place: Path) -> Run | None:
    """The newest run below a folder, or None."""
    return find_runs(place)[-1] if has_runs(place) else None


def has_runs(place: Path) -> bool:
    """Return whether `place` is a result file of the host, or a folder with some."""
    return place.name.endswith("_results.json") if place.is_file() else any(_result_files(place))


def _result_files(folder: Path) -> Iterator[Path]:
    """Result files below a folder; those in `submissions/` are of single host tasks and of another form."""
    return (path for path in folder.rglob("*_results.json") if path.parent.name != "submissions")


def read_run(path: Path) -> Run:
    """A result file.

    Raises:
        InputError: not JSON, or not written by the host.
    """
    try:
        content = json.loads(path.read_bytes())
        tasks = {task: dict(_scores(metrics)) for task, metrics in content["results"].items()}
        config = content["config"]
        return Run(path, str(config["model"]), str(config["model_args"] or ""), tasks, content["configs"])
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
        raise InputError(
            f"Expected {path} to be a result file of lmms-eval, found {type(error).__name__} {error}. "
            "Name a *_results.json."
        ) from error


def read_samples(path: Path) -> Iterator[dict[str, Any]]:
    """The logged samples of a samples file, in order.

    Raises:
        InputError: a line that is no sample of the host.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                sample = json.loads(line)
                sample["doc_id"], sample["target"]
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise InputError(
                    f"Expected a logged sample of lmms-eval in line {number} of {path}, found "
                    f"{type(error).__name__} {error}. Name a run made with --log_samples."
                ) from error
            yield sample


def _scores(metrics: Mapping[str, Any]) -> Iterator[tuple[str, Score]]:
    for key, value in metrics.items():
        name, separator, filter_name = key.partition(",")
        is_metric = bool(separator) and "_stderr" not in name and not isinstance(value, list)
        if is_metric:
            errors = [_number(metrics.get(f"{name}_stderr_{kind},{filter_name}")) for kind in ("clustered", "clt")]
            yield name, Score(_number(value), next((error for error in errors if error is not None), None))


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return float(value) if is_number else None
