"""Plan of an experiment: which model answers which task, with how many requests, and the results that exist."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.lmms_eval.command_line import Model, Options, answering, cache_of
from spiqa_tasks.hosts.lmms_eval.response_cache import kept_answers
from spiqa_tasks.runs.identity import Identity, identity
from spiqa_tasks.runs.readers.lmms_eval import limit_of, read_results, result_files
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import is_judged_by

PICTURES, LLM = "pictures", "llm"
"""Roles of runs: with pictures, and of the LLM base; the role of a run without pictures is its ablation."""
PAPERS = ("scifibench", "spiqa")
"""Experiments of a paper's main table, named as the group of its tasks: SciFIBench's Table 2, SPIQA's Table 3."""
_FAILED = frozenset({"request_failed", "judge_failed", "scoring_failed"})


@dataclass(frozen=True)
class PlannedRun:
    """One model's answers to one task.

    Attributes:
        role: `PICTURES`, `LLM`, or the ablation of a run without pictures.
        task: name of the task in the host.
        model: the model.
        requests: number of requests, or None if only the host knows.
    """

    role: str
    task: str
    model: Model
    requests: int | None = None

    @property
    def identity(self) -> Identity:
        """The model as result files name it."""
        return identity(self.model.name, self.model.arguments)

    def folder(self, options: Options) -> str:
        """Return the name of the run's folder, which differs by model and by arguments that change its answers."""
        which = json.dumps([self.identity.label, answering(options.extra)])
        return f"{self.role}-{self.task}-{hashlib.sha256(which.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class Known:
    """Tasks of this package and all groups, see `catalogue`."""

    tasks: Mapping[str, Task]
    groups: Mapping[str, Sequence[str]]

    def members(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the tasks of some tasks and groups; unknown names are tasks of the host."""
        for name in names:
            yield from self.members(self.groups[name]) if name in self.groups else (name,)

    def requests(self, task: str, limit: int | None) -> int | None:
        """Return the number of requests of a task; None if only the host knows, or a question takes several."""
        found = self.tasks.get(task)
        if found is None or found.entry.definition is not None or found.entry.join(found.typed) is not None:
            return None
        return min(found.questions, limit or found.questions)


def gain_plan(
    known: Known, names: Iterable[str], model: Model, llm: Model | None, ablations: Sequence[str], limit: int | None
) -> list[PlannedRun]:
    """Return the runs that gain and leakage take, task by task: with pictures, without, and those of the LLM base.

    Without pictures a task of ours is asked as its variant, any other one with `--model ablated`; the LLM base is asked
    the `_llm` task where there is one (2-shot: MMStar paper, section 5.1), else as without pictures.

    Raises InputError: a task that shows no pictures itself.
    """
    found = []
    for name in dict.fromkeys(known.members(names)):
        settings = known.tasks[name].typed if name in known.tasks else None
        if str(getattr(settings, "ablation", "none")) != "none":
            raise InputError(
                f"Expected tasks with pictures, found {name}. Name the task that it is a variant of: the experiment "
                "adds the runs without pictures."
            )
        asked = [(PICTURES, name, model), *((kind, *_blind(known, name, kind, model)) for kind in ablations)]
        if llm is not None:
            few_shot = f"{name}_llm"
            asked.append((LLM, few_shot, llm) if few_shot in known.tasks else (LLM, *_blind(known, name, "text", llm)))
        found += [PlannedRun(role, task, who, known.requests(task, limit)) for role, task, who in asked]
    return found


def paper_plan(known: Known, names: Iterable[str], model: Model, limit: int | None) -> list[PlannedRun]:
    """Return a run of the model on every task. Raises InputError: a task that is none of this package's."""
    tasks = list(dict.fromkeys(known.members(names)))
    others = [name for name in tasks if name not in known.tasks]
    if others:
        raise InputError(
            f"Expected tasks and groups of this package, found {', '.join(others)}. `spiqa-tasks list` shows all."
        )
    return [PlannedRun(PICTURES, name, model, known.requests(name, limit)) for name in tasks]


def _blind(known: Known, task: str, kind: str, model: Model) -> tuple[str, Model]:
    """Return the task and model of a run without the task's pictures."""
    variant = f"{task}_{kind}"
    return (variant, model) if variant in known.tasks else (task, model.ablated(kind))


@dataclass(frozen=True)
class Found:
    """Results of a run so far.

    Attributes:
        path: the result file with all samples, or None.
        answered: number of documents answered, without failed ones.
        failed: number of failed requests, judgements and scores.
        kept: number of answers in the host's cache without a result file.
    """

    path: Path | None = None
    answered: int = 0
    failed: int = 0
    kept: int = 0

    @property
    def complete(self) -> bool:
        """Whether the run is not repeated."""
        return self.path is not None and not self.failed

    def __str__(self) -> str:
        """The state for people."""
        if self.path is not None:
            return f"{self.failed} failed" if self.failed else f"complete, {self.answered} answers"
        return f"{self.kept} answers kept" if self.kept else "-"


def found(planned: PlannedRun, output: Path, options: Options, judge: str | None = None) -> Found:
    """Return the newest results of a run, of the same questions, in its folder below `output`.

    Args:
        planned: the run.
        output, options: folder and options of the experiment.
        judge: judge of the results (`provider:model[@URL]`), or None for any or none.
    """
    folder = output / planned.folder(options)
    for path in reversed(result_files(folder)):
        with contextlib.suppress(DataError, InputError):  # the host was killed while it wrote
            runs = read_results(path)  # several where the task is a group of the host
            if runs and limit_of(path) == options.limit and all(_is_usable(run, judge) for run in runs):
                failed = sum(record.status in _FAILED for run in runs for record in run.records)
                return Found(path, sum(run.answered for run in runs) - failed, failed)
    return Found(kept=kept_answers(cache_of(folder)))


def _is_usable(run: Run, judge: str | None) -> bool:
    """Return whether all samples were written, and scored by that judge."""
    return run.logged and len(run.read()) == run.answered and (judge is None or is_judged_by(run, judge))
