"""What stands at the head of a report: which models, tasks, dates, versions and judges, and how to make it again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from spiqa_tasks.benchmarks.signature import PACKAGE
from spiqa_tasks.hosts.lmms_eval.registration import ABLATED
from spiqa_tasks.report.headline import judge_of
from spiqa_tasks.report.sharing import made
from spiqa_tasks.runs.run import Run

Fact = tuple[str, Sequence[str]]
"""(what it is, the lines that say it)."""


def facts(runs: Sequence[Run], command: str = "") -> list[Fact]:
    """Return the facts about a report's runs; `command` is the one that wrote it."""
    tasks = {run.task: run.own for run in runs}
    covered = {task: dict.fromkeys(run.coverage for run in runs if run.task == task) for task in tasks}
    versions = dict.fromkeys(f"{PACKAGE} {run.signature.package}, {run.signature.host}" for run in runs)
    of_host = {run.identity: [each for each in runs if each.identity == run.identity] for run in runs}
    commands = [each for each in (*map(host_command, of_host.values()), command) if each]
    found: list[Fact] = [
        ("models", list(dict.fromkeys(run.name for run in runs))),
        ("tasks", [f"{task}: {', '.join(each)} questions" for task, each in covered.items()]),
        ("answers of", _days(runs)),
        ("made by", list(versions)),
        ("judges", [judge for judge in dict.fromkeys(map(judge_of, runs)) if judge != "-"]),
        ("commands", commands),
    ]
    return [(name, lines) for name, lines in found if lines]


def title_of(runs: Sequence[Run]) -> str:
    """Return a title: the models and the tasks, or how many there are."""
    models, tasks = (list(dict.fromkeys(names)) for names in ((r.name for r in runs), (r.task for r in runs)))
    return f"{_few(models, 'models')} on {_few(tasks, 'tasks')}"


def host_command(runs: Sequence[Run]) -> str:
    """Return the command of lmms-eval that makes a model's runs, without what says where and how fast.

    Empty where the host made none of them.
    """
    tasks = ",".join(run.task for run in runs if run.form == "lmms-eval")
    if not tasks:
        return ""
    identity = runs[0].identity
    model, _, arguments = identity.model.partition(",")
    if identity.ablation != "none":
        arguments = ",".join(filter(None, [f"base={model},ablation={identity.ablation}", arguments]))
        model = ABLATED
    given = ["--model", model, *(["--model_args", arguments] if arguments else []), "--tasks", tasks]
    return shlex.join(["lmms-eval", *given, "--output_path", "out", "--log_samples"])


def _days(runs: Sequence[Run]) -> list[str]:
    days = sorted({made(run).date().isoformat() for run in runs if run.path.is_file()})
    return [days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"] if days else []


def _few(names: Sequence[str], kind: str) -> str:
    return " and ".join(names) if len(names) <= 2 else f"{len(names)} {kind}"
