"""Head of a report's page: its title, and facts about the runs."""

import shlex
from collections.abc import Sequence
from datetime import datetime

from spiqa_tasks.benchmarks.signature import PACKAGE
from spiqa_tasks.hosts.lmms_eval_files import date_of
from spiqa_tasks.report.records import judge_of
from spiqa_tasks.runs.run import Run


def title_of(runs: Sequence[Run]) -> str:
    """Return a title: the models and the tasks, or how many there are."""
    models = list(dict.fromkeys(run.name for run in runs))
    tasks = list(dict.fromkeys(run.task for run in runs))
    return f"{_few(models, 'models')} on {_few(tasks, 'tasks')}"


def _few(names: Sequence[str], kind: str) -> str:
    return " and ".join(names) if len(names) <= 2 else f"{len(names)} {kind}"


def facts(runs: Sequence[Run], command: str = "") -> dict[str, list[str]]:
    """Return the head of a page, name -> lines; `command` is the one that wrote it."""
    lines = {
        "models": [run.name for run in runs],
        "tasks": _coverages(runs),
        "answers of": _days(runs),
        "made by": [_versions(run) for run in runs],
        "judges": [judge_of(run) for run in runs],
        "commands": [*_host_commands(runs), command],
    }
    once = {name: [line for line in dict.fromkeys(each) if line] for name, each in lines.items()}
    return {name: each for name, each in once.items() if each}


def _coverages(runs: Sequence[Run]) -> list[str]:
    by_task: dict[str, dict[str, None]] = {}
    for run in runs:
        by_task.setdefault(run.task, {})[run.coverage] = None
    return [f"{task}: {', '.join(coverages)} questions" for task, coverages in by_task.items()]


def _days(runs: Sequence[Run]) -> list[str]:
    """Return the first and the last day of the answers, in this machine's time zone."""
    times = sorted(_time_of(run) for run in runs if run.path.is_file())
    if not times:
        return []

    days = dict.fromkeys(time.date().isoformat() for time in (times[0], times[-1]))
    return [f"{' to '.join(days)} ({times[-1].tzname()})"]


def _time_of(run: Run) -> datetime:
    """Return the time in the host's file name, or of the file's last change."""
    written = date_of(run.path.name)
    changed = datetime.fromtimestamp(run.path.stat().st_mtime).astimezone()
    return changed if written is None else written.astimezone()


def _versions(run: Run) -> str:
    signature = run.signature
    package = signature.package and f"{PACKAGE} {signature.package}"
    return ", ".join(filter(None, [package, signature.host]))


def _host_commands(runs: Sequence[Run]) -> list[str]:
    """Return the host's commands, each with all tasks that it ran."""
    tasks: dict[tuple[str, ...], dict[str, None]] = {}
    for run in runs:
        if run.origin.command:
            tasks.setdefault((*_judge_variables(run), *run.origin.command), {})[run.task] = None

    options = ("--output_path", "out", "--log_samples")
    return [shlex.join([*words, "--tasks", ",".join(of), *options]) for words, of in tasks.items()]


def _judge_variables(run: Run) -> list[str]:
    """Return the words before the host's command that name the judge; of its server the host is
    known.
    """
    judge, host = run.signature.judge, run.signature.judge_host
    if not judge:
        return []

    words = ["env", f"SPIQA_JUDGE={judge}"]
    if host and not host.startswith("api."):
        words.append(f"SPIQA_JUDGE_BASE_URL=http(s)://{host}/...")
    return words
