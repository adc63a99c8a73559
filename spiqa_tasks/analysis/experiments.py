"""Plan of an experiment: which model answers which task, with how many requests, and the results that exist."""

import contextlib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import yaml

from spiqa_tasks.benchmarks.scorer import expected_signature
from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.hosts.lmms_eval.command_line import Model, Options, answering
from spiqa_tasks.runs.identity import identity
from spiqa_tasks.runs.readers.lmms_eval import limit_of, read_results, result_files
from spiqa_tasks.runs.selection import is_judged_by

PICTURES, LLM = "pictures", "llm"
"""Roles of runs: with pictures, and of the LLM base; the role of a run without pictures is its ablation."""
PAPERS = ("scifibench", "spiqa")
"""Experiments of a paper's main table, named as the group of its tasks: SciFIBench's Table 2, SPIQA's Table 3."""
MANIFEST = "manifest.yaml"
"""The file in a run's folder with `PlannedRun.manifest`; no reader of answers looks into YAMLs."""
_FAILED = frozenset({"request_failed", "judge_failed", "scoring_failed"})


@dataclass
class PlannedRun:
    """One model's answers to one task, and its results when `look` was last called.

    Attributes:
        role: `PICTURES`, `LLM`, or the ablation of a run without pictures.
        own: the task if it is one of this package's, or None.
        path: the result file with all samples, or None.
        answered: number of documents answered, without failed ones.
        failed: number of failed requests, judgements and scores.
        differs: the conditions of earlier results that do not count, and those of now; or "".
    """

    role: str
    task: str
    model: Model
    own: Task | None = None
    path: Path | None = None
    answered: int = 0
    failed: int = 0
    differs: str = ""

    @property
    def label(self) -> str:
        """The model as result files name it."""
        return identity(self.model.name, self.model.arguments).label

    @property
    def complete(self) -> bool:
        """Whether the run is not repeated."""
        return self.path is not None and not self.failed

    @property
    def state(self) -> str:
        """The results for people."""
        if self.path is None:
            return "missing"
        return f"{self.failed} failed" if self.failed else f"complete, {self.answered} answers"

    def requests(self, limit: int | None) -> int | None:
        """Return the number of requests; None if only the host knows, or a question takes several."""
        own = self.own
        if own is None or own.entry.join(own.typed) is not None:
            return None
        return min(own.questions, limit or own.questions)

    def manifest(self, options: Options) -> dict[str, str]:
        """Return the conditions that change the answers, as signatures name them; of a host's task the model's alone.

        Raises DataError: the task's data is not there.
        """
        return {
            "model": self.label,
            "arguments": shlex.join(answering(options.extra)),
            **self._asked,
        }

    @cached_property
    def _asked(self) -> dict[str, str]:
        own = self.own
        if own is None:
            return {"data": "", "prompt": "", "settings": ""}
        made = expected_signature(own)
        questions = "" if own.kept is None else digest_of(sorted(own.kept))
        asked = {"data": made.data, "prompt": made.prompt, "settings": made.settings}
        return {**asked, "generation": own.generation, "questions": questions}

    def folder(self, options: Options) -> str:
        """Return the name of the run's folder, one for each manifest: the host's cache does not know the data."""
        return f"{self.role}-{self.task}-{digest_of(self.manifest(options))[:8]}"

    def look(self, output: Path, options: Options, judge: str | None = None) -> None:
        """Look for the newest results of the same questions, by this version, in the run's folder below `output`.

        `judge` is that of the results (`provider:model[@URL]`), or None for any or none.
        """
        folder = output / self.folder(options)
        self.path, self.answered, self.failed, self.differs = None, 0, 0, ""
        for path in reversed(result_files(folder)):
            with contextlib.suppress(DataError, InputError):  # the host was killed while it wrote
                runs = read_results(path)  # several where the task is a group of the host
                whole = all(run.logged and len(run.read()) == run.answered for run in runs)
                by_judge = judge is None or all(is_judged_by(run, judge) for run in runs)
                if not runs or not whole or not by_judge or limit_of(path) != options.limit:
                    continue
                if self.own is not None and (made := runs[0].signature.package) != (
                    now := version(PACKAGE)
                ):
                    self.differs = self.differs or f"package ({made}, now {now})"
                    continue
                self.failed = sum(
                    record.status in _FAILED for run in runs for record in run.records
                )
                self.path, self.answered = path, sum(run.answered for run in runs) - self.failed
                return
        if not folder.exists():
            self.differs = self._difference(output, options)

    def _difference(self, output: Path, options: Options) -> str:
        """Return what differs from the most similar run of the model to the task in another folder."""
        now = self.manifest(options)
        differences: list[list[str]] = []
        for path in output.glob(f"{self.role}-{self.task}-*/{MANIFEST}"):
            made = yaml.safe_load(path.read_bytes())
            if made["model"] == now["model"]:
                changed = {key: value for key, value in now.items() if made.get(key) != value}
                differences.append(
                    [f"{key} ({made.get(key)}, now {value})" for key, value in changed.items()]
                )
        fewest = min(differences, key=len, default=[])
        return ", ".join(fewest)


def task_names(names: Iterable[str], groups: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the tasks of some tasks and groups, each once; unknown names are tasks of the host."""
    members = (task_names(groups[name], groups) if name in groups else [name] for name in names)
    return list(dict.fromkeys(chain.from_iterable(members)))


def gain_plan(
    tasks: Mapping[str, Task],
    names: Iterable[str],
    model: Model,
    llm: Model | None,
    ablations: Sequence[str],
) -> list[PlannedRun]:
    """Return the runs that gain and leakage take, task by task: with pictures, without, and those of the LLM base.

    Without pictures a task of ours is asked as its variant, any other one with `--model ablated`; the LLM base is asked
    the `_llm` task where there is one (2-shot: MMStar paper, section 5.1), else as without pictures.

    Raises InputError: a task that shows no pictures itself.
    """
    found = []
    for name in names:
        settings = tasks[name].typed if name in tasks else None
        if str(getattr(settings, "ablation", "none")) != "none":
            raise InputError(
                f"Expected tasks with pictures, found {name}. Name the task that it is a variant of: the experiment "
                "adds the runs without pictures."
            )
        asked = [
            (PICTURES, name, model),
            *((kind, *_blind(tasks, name, kind, model)) for kind in ablations),
        ]
        if llm is not None:
            few_shot = f"{name}_llm"
            asked.append(
                (LLM, few_shot, llm)
                if few_shot in tasks
                else (LLM, *_blind(tasks, name, "text", llm))
            )
        found += [PlannedRun(*run, tasks.get(run[1])) for run in asked]
    return found


def paper_plan(tasks: Mapping[str, Task], names: Sequence[str], model: Model) -> list[PlannedRun]:
    """Return a run of the model on every task. Raises InputError: a task that is none of this package's."""
    others = [name for name in names if name not in tasks]
    if others:
        raise InputError(
            f"Expected tasks and groups of this package, found {', '.join(others)}. `spiqa-tasks list` shows all."
        )
    return [PlannedRun(PICTURES, name, model, tasks[name]) for name in names]


def _blind(tasks: Mapping[str, Task], task: str, kind: str, model: Model) -> tuple[str, Model]:
    """Return the task and model of a run without the task's pictures."""
    variant = f"{task}_{kind}"
    return (variant, model) if variant in tasks else (task, model.ablated(kind))
