"""What we need to know of the arguments of the host's run.py, and what is added to them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import Task, find_tasks
from spiqa_tasks.hosts.vlmevalkit.tasks import known


@dataclass(frozen=True)
class Arguments:
    """The arguments of a run.

    Attributes:
        argv: what the host is given.
        models, data: names of models and datasets, groups of ours replaced by their tasks.
        ours: the tasks of ours among `data`.
        mode: `all`, `infer` or `eval`.
        work_dir: where the host writes.
        base_url: the server of the model under test, "" where it is one of the host's configurations.
        max_tokens: the longest answer that the user asks for; None where nothing is said.
        judge: what the host will hand to `evaluate` about the judge.
        config: the content of `--config`; empty where there is none.
        api_mode, reuse: the flags.
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
    api_mode: bool = False
    reuse: bool = False

    def with_argument(self, *more: str) -> tuple[str, ...]:
        """Return the host's arguments and some more; the last one of a kind counts."""
        return (*self.argv, *more)


def read(argv: Sequence[str], environ: Mapping[str, str]) -> Arguments:
    """Return the arguments of a run.

    Raises:
        InputError: a configuration that cannot be read, or `--judge-args` that are no JSON object.
    """
    given, _ = _parser().parse_known_args(argv)
    config = _config(Path(given.config)) if given.config else {}
    named = list(config["data"]) if config else list(given.data or ())
    tasks, groups = known()
    data = [task for name in named for task in ([t.name for t in find_tasks([name])] if name in groups else [name])]
    if config and data != named:
        raise InputError("Expected the names of tasks in --config, found a group of tasks. Name its tasks.")
    return Arguments(
        (*argv, *(() if data == named else ("--data", *data))),
        tuple(config["model"] if config else given.model or ()),
        tuple(data),
        tuple(tasks[name] for name in data if name in tasks),
        given.mode,
        Path(environ.get("MMEVAL_ROOT") or given.work_dir),
        given.base_url or "",
        given.max_tokens,
        _judge(given),
        config,
        given.api_mode,
        given.reuse or given.mode == "eval",
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    for option in ("--data", "--model"):
        parser.add_argument(option, nargs="+")
    for option in ("--config", "--base-url", "--judge", "--judge-args", "--judge-base-url", "--judge-key"):
        parser.add_argument(option)
    parser.add_argument("--max-tokens", type=int)
    parser.add_argument("--mode", default="all")
    parser.add_argument("--work-dir", default="./outputs")
    for flag in ("--api-mode", "--reuse"):
        parser.add_argument(flag, action="store_true")
    # Known so that they are not taken for abbreviations of the ones above.
    for option in ("--judge-api-nproc", "--judge-retry", "--judge-timeout", "--api-nproc", "--reuse-aux"):
        parser.add_argument(option)
    return parser


def _judge(given: argparse.Namespace) -> dict[str, Any]:
    """The judge's arguments as the host hands them on."""
    found = _object(given.judge_args, "--judge-args") if given.judge_args else {}
    told = {"model": given.judge, "api_base": given.judge_base_url, "key": given.judge_key}
    return {**found, **{name: value for name, value in told.items() if value}}


def _config(path: Path) -> dict[str, Any]:
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"Expected --config {path} to be a JSON file, found {error}. Correct it.") from error
    config = _object(content, f"--config {path}")
    if not all(isinstance(config.get(name), dict) for name in ("model", "data")):
        raise InputError(f"Expected --config {path} to have the objects model and data, found others. Correct it.")
    return config


def _object(content: str, what: str) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError as error:
        raise InputError(f"Expected {what} to be JSON, found {error}. Correct it.") from error
    if not isinstance(found, dict):
        raise InputError(f"Expected {what} to be a JSON object, found {content[:40]!r}. Correct it.")
    return found
