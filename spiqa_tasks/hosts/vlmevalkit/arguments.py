"""Parse the command line with the host's own parser, for runs that have tasks of ours."""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import check_folder
from spiqa_tasks.files.json_text import conforms, json_value
from spiqa_tasks.hosts.vlmevalkit.tasks import known

# Name of our dataset class in `--config` and `--data-config`.
CLASS = "SpiqaTasks"
# The one option that we add to the host's.
ACCEPT = "--accept-pictures"


@dataclass(frozen=True)
class Arguments:
    """The arguments of a run.

    Attributes:
        host: the host's own, with our groups replaced by their tasks. `max_tokens` is None unless
            given, `usual_max_tokens` the host's default of it.
        models: names of the models as the host's folders have them.
        data: names of the datasets, ours and the host's.
        config: the content of `--config`, or that of `--data-config` under `data`.
        served: model name in folders -> its name at the server, if that has a slash.
    """

    host: argparse.Namespace
    models: Sequence[str]
    data: Sequence[str]
    config: Mapping[str, Any] = field(default_factory=dict)
    served: Mapping[str, str] = field(default_factory=dict)

    @property
    def ours(self) -> list[Task]:
        """Our tasks among the datasets."""
        tasks = known().tasks
        return [tasks[name] for name in self.data if name in tasks]

    @property
    def work_dir(self) -> Path:
        """The folder of the models' folders."""
        return Path(os.environ.get("MMEVAL_ROOT") or self.host.work_dir)


def read(parse_args: Callable[[], argparse.Namespace], argv: Sequence[str]) -> Arguments:
    """Return the arguments of a run, parsed by the host's function `parse_args`.

    `--help` prints the host's help and exits. Raises InputError: nothing to run, an unusable file
    or folder, or `--api-mode` with what it ignores; SystemExit: unknown arguments.
    """
    with _extended_parser(argv):
        host = parse_args()

    config, models, data = _what_to_run(host)
    if not (models and data):
        raise InputError("Expected --data and --model, or --config. Name a task and a model.")
    _check_api_mode(host, models)
    _check_ours(config["data"])

    if not host.config:
        host.data = data
    served = {}
    if host.base_url:
        # The host makes folders of these names, and a slash in one would make two.
        served = {_folder_name(name): name for name in models if "/" in name}
        models = [_folder_name(name) for name in models]
        if not host.api_mode:  # there the host makes the names of folders itself
            host.model = models
    run = Arguments(host, models, data, config, served)
    check_folder(run.work_dir)
    return run


def _what_to_run(host: argparse.Namespace) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return the configuration, and the names of models and datasets, groups expanded."""
    if host.config:
        if host.data or host.model:
            raise InputError(
                "Expected --data and --model, or --config; found both. Leave one of them out."
            )
        config = _read_config(host.config)
        return config, list(config["model"]), list(config["data"])

    described = getattr(host, "data_config", None) or {}  # of builds that have it
    return {"data": described}, host.model or [], _expanded(host.data or described)


@contextmanager
def _extended_parser(argv: Sequence[str]) -> Iterator[None]:
    """Extend the parser with which the host parses `argv`."""
    original = argparse.ArgumentParser.parse_args

    def extended(parser: argparse.ArgumentParser) -> argparse.Namespace:
        """Parse the host's arguments and ours; the length is None unless the user gives one."""
        parser.add_argument(
            ACCEPT, action="store_true", help="Run with a model class that reduces pictures."
        )
        # Without a default, so that the tasks' own length counts unless the user gives one.
        usual = parser.get_default("max_tokens")
        parser.set_defaults(max_tokens=None, usual_max_tokens=usual)
        return original(parser, argv)

    argparse.ArgumentParser.parse_args = extended  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        argparse.ArgumentParser.parse_args = original  # type: ignore[method-assign]


def _read_config(path: str) -> dict[str, dict[str, Any]]:
    """Return the models and datasets of a `--config` file. Raises InputError: an unusable one."""
    if not Path(path).is_file():
        raise InputError(f"There is no file {path} for --config.")

    content: dict[str, Any] = json_value(Path(path))
    is_described = conforms(content, dict[str, dict[str, dict[str, Any]]])
    if not is_described or content.keys() != {"model", "data"}:
        keys = ", ".join(content) if isinstance(content, dict) else ""
        raise InputError(
            f"--config {path} has {keys or 'no keys'}. Write model and data alone, both "
            "objects with an object of options per name."
        )
    return content


def _check_ours(described: Mapping[str, Any]) -> None:
    """Raise InputError for a task of ours with other options: the host would ignore them.

    Under another name the host would lose its answers.
    """
    for name, options in described.items():
        if is_ours(options) or name in known().tasks:
            task = str(options.get("dataset", name))
            expected = {task: {"class": CLASS, "dataset": task}}
            if {name: options} != expected:
                raise InputError(
                    f"--config has {json.dumps({name: options})}. Write {json.dumps(expected)}; a "
                    "variant is a task of its own name."
                )


def is_ours(options: Mapping[str, Any]) -> bool:
    """Return whether a dataset of a configuration is one of our tasks."""
    return options.get("class") == CLASS


def _check_api_mode(host: argparse.Namespace, models: Sequence[str]) -> None:
    """Raise InputError for what the host fails at or ignores in `--api-mode`."""
    has_limit = getattr(host, "limit", None) is not None  # published builds alone know it
    if host.api_mode and (host.config or has_limit or len(models) > 1):
        raise InputError(
            "Expected one --model with --api-mode; found several, --config or --limit. "
            "Leave it out."
        )


def _expanded(names: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """Return the names of datasets, with our groups replaced by their tasks."""
    expanded: list[str] = []
    for name in names:
        expanded += known().members(name) if name in known().groups else [name]
    return expanded


def _folder_name(model: str) -> str:
    """Return a model's name as one folder: `Qwen--Qwen2-VL` of `Qwen/Qwen2-VL`."""
    return model.replace("/", "--")
