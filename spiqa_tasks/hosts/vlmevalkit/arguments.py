"""Parse the arguments of the host's run.py that we need, and extend them."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import members_of
from spiqa_tasks.hosts.vlmevalkit.tasks import known

CLASS = "SpiqaTasks"
"""Name of our dataset class in `--config`."""
ACCEPT = "--accept-pictures"
OPTIONS = {
    "--config": 'a JSON file with models and tasks, `"spiqa_testA": {"class": "SpiqaTasks", "dataset": "spiqa_testA"}`',
    "--data-config": "tasks alone, as JSON or a file of it, for builds that know it",
    "--base-url": "the server of the model",
    "--judge": "the judge of L3Score, or none (default: that of SPIQA_JUDGE)",
    "--judge-args": "the same and more as a JSON object",
    "--judge-base-url": "the judge's server",
    "--judge-key": "its key; SPIQA_JUDGE_API_KEY is kept out of VLMEvalKit's files",
}


@dataclass(frozen=True)
class Arguments:
    """The arguments of a run.

    `data` has our groups replaced by their tasks, `ours` our tasks in it by whatever name `--config` gives them;
    `base_url` is the server of the model under test, `judge` what the host passes to `evaluate`, `served` the name of a
    model in paths -> its name at the server, if that has a slash.
    """

    argv: tuple[str, ...]
    models: tuple[str, ...]
    data: tuple[str, ...]
    ours: tuple[Task, ...]
    mode: str
    work_dir: Path
    base_url: str = ""
    max_tokens: int | None = None
    judge: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    served: Mapping[str, str] = field(default_factory=dict)
    reuse: bool = False
    accepts_pictures: bool = False


def read(argv: Sequence[str], environ: Mapping[str, str]) -> Arguments:
    """Return the arguments of a run; `--help` prints them and exits. Raises InputError: unreadable or unusable ones."""
    given, _ = _parser().parse_known_args(argv)
    config = _object(given.config, "--config", ("model", "data")) if given.config else {}
    if given.data_config:
        tasks_alone = _object(given.data_config, "--data-config")
        config = {"data": tasks_alone.get("data", tasks_alone)}
    models = tuple(config.get("model") or given.model or ())
    if given.api_mode and (given.config or given.limit or len(models) > 1):
        raise InputError(
            "Expected one --model with --api-mode; found several, --config or --limit. Leave it out."
        )
    tasks, groups = known()
    named = list(config.get("data") or given.data or ())
    data = [
        task
        for name in named
        for task in (members_of(name, tasks, groups) if name in groups else [name])
    ]
    served = {name.replace("/", "--"): name for name in models if "/" in name}
    names = tuple(name.replace("/", "--") for name in models)
    judge = _object(given.judge_args, "--judge-args") if given.judge_args else {}
    alone = {"model": given.judge, "api_base": given.judge_base_url, "key": given.judge_key}
    more = [] if data == named else ["--data", *data]
    more += ["--model", *names] if served and not given.api_mode else []
    more += ["--data-config", json.dumps(config["data"])] if given.data_config else []
    return Arguments(
        (*(word for word in argv if word != ACCEPT), *more),  # the last one of a kind counts
        names,
        tuple(data),
        tuple(tasks[name] for name in (task_name(config, name) for name in data) if name in tasks),
        given.mode,
        Path(environ.get("MMEVAL_ROOT") or given.work_dir),
        given.base_url or "",
        given.max_tokens,
        {**judge, **{name: value for name, value in alone.items() if value}},
        config,
        served,
        given.reuse or given.mode == "eval",
        given.accept_pictures,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "spiqa-vlmevalkit",
        description="Runs VLMEvalKit with this package's tasks. Its run.py's arguments are handed on to it; these are "
        "looked at on the way.",
        epilog="`python -m vlmeval.run --help` shows VLMEvalKit's other arguments, `spiqa-tasks list` the tasks.",
    )
    parser.add_argument(
        "--data", nargs="+", metavar="TASK", help="tasks and groups of ours, datasets of VLMEvalKit"
    )
    parser.add_argument(
        "--model", nargs="+", metavar="NAME", help="models of VLMEvalKit, or of the server"
    )
    for option, text in OPTIONS.items():
        parser.add_argument(option, help=text)
    parser.add_argument(
        "--max-tokens", type=int, help="the longest answer (default: what the tasks say)"
    )
    parser.add_argument("--mode", default="all", help="all, infer or eval (default: all)")
    parser.add_argument(
        "--work-dir", default="./outputs", help="where to write (default: ./outputs)"
    )
    parser.add_argument(
        "--api-mode", action="store_true", help="run one model at a server through one queue"
    )
    parser.add_argument(
        "--reuse", action="store_true", help="go on where a run stopped, ask failed requests again"
    )
    parser.add_argument(
        ACCEPT, action="store_true", help="run with a model class that makes pictures small, too"
    )
    # Known so that they are not taken for abbreviations of the ones above.
    for option in (
        "--limit",
        "--judge-api-nproc",
        "--judge-retry",
        "--judge-timeout",
        "--api-nproc",
        "--reuse-aux",
    ):
        parser.add_argument(option, help=argparse.SUPPRESS)
    return parser


def task_name(config: Mapping[str, Any], name: str) -> str:
    """Return the task that `--config` defines under a name, or the name itself."""
    described = config.get("data", {}).get(name) or {}
    return str(described.get("dataset", name)) if described.get("class") == CLASS else name


def _object(given: str, option: str, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return a JSON object with objects of some names, from its text or its file."""
    try:
        value = json.loads(
            given if given.lstrip().startswith("{") else Path(given).read_text(encoding="utf-8")
        )
        if isinstance(value, dict) and all(isinstance(value.get(name), dict) for name in names):
            return value
        found = f"{value!r:.40}"
    except (OSError, ValueError) as error:
        found = str(error)
    objects = f" with the objects {' and '.join(names)}" if names else ""
    raise InputError(
        f"Expected {option} {given[:80]} to be a JSON object{objects}, found {found}. Correct it."
    )
