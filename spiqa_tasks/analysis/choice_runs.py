"""The scored answers of multiple-choice tasks, read out of the host's samples files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.hosts.lmms_eval.results import Run, find_runs, read_samples
from spiqa_tasks.benchmarks.signature import fields
from spiqa_tasks.errors import InputError

BENCHMARKS = ("mmstar", "scifibench")
_NAMES = ("model_version", "pretrained", "model")


@dataclass(frozen=True)
class Answers:
    """The answers of one task in one run.

    Attributes:
        model: what tells the model apart: its class and the checkpoint or version named in its args.
        benchmark, split, settings: what was asked, from the records' signature.
        records: question id -> record of the metric, with the question's category; without `score` where the request
            or the judge failed.
    """

    model: str
    task: str
    benchmark: str
    split: str
    settings: str
    records: Mapping[str, Mapping[str, Any]]

    @property
    def scores(self) -> dict[str, float]:
        """Question id -> score, 0 to 1, of the questions that have one."""
        return {key: float(record["score"]) for key, record in self.records.items() if "score" in record}


def read_answers(places: Iterable[Path], metric: str = "accuracy", tasks: Sequence[str] = ()) -> list[Answers]:
    """The answers of all choice tasks in the runs at `places`; of a task run again with a model, the newest ones.

    Args:
        places: result files or folders of the host.
        metric: whose records to read, such as `accuracy` or `accuracy_llm`.
        tasks: only these; empty: all.

    Raises:
        InputError: no result files, no samples, or none of the tasks and metric asked for.
    """
    runs = [run for place in places for run in find_runs(place)]
    found: dict[tuple[str, str], Answers] = {}
    without_samples: list[str] = []
    for run in runs:
        for task in run.configs:
            path = run.samples(task)
            if path is None:
                without_samples.append(task)
            elif not tasks or task in tasks:
                answers = _answers(run, task, path, metric)
                if answers is not None:
                    found[answers.model, task] = answers
    if not found:
        raise InputError(
            f"Expected samples of a choice task of MMStar or SciFIBench with the metric {metric!r}"
            f"{' among ' + ', '.join(tasks) if tasks else ''}; found none in {', '.join(str(run.path) for run in runs)}"
            f"{' (no samples of ' + ', '.join(without_samples) + ')' if without_samples else ''}. "
            "Run lmms-eval with --log_samples and --output_path."
        )
    return list(found.values())


def model_label(run: Run) -> str:
    """The model's class, and the checkpoint or version that its args name."""
    arguments = dict(item.partition("=")[::2] for item in run.model_args.split(","))
    named = next((arguments[name] for name in _NAMES if arguments.get(name)), "")
    return f"{run.model} {named}".strip()


def _answers(run: Run, task: str, path: Path, metric: str) -> Answers | None:
    records: dict[str, Mapping[str, Any]] = {}
    signed: dict[str, str] = {}
    for line in read_samples(path):
        matched, record = line.get("accuracy"), line.get(metric)
        if isinstance(matched, dict) and "signature" in matched and isinstance(record, dict):
            signed = fields(matched["signature"])
            records[record["id"]] = {"category": matched["category"], **record}
    benchmark, _, rest = signed.get("data", "").partition("/")
    if benchmark not in BENCHMARKS:
        return None
    return Answers(model_label(run), task, benchmark, rest.partition("@")[0], signed.get("settings", ""), records)
