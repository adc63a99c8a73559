"""Checks of a run before any weights are loaded."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterator
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments, task_name
from spiqa_tasks.hosts.vlmevalkit.registration import datasets, knows_option, model_class, supported, tables_folder
from spiqa_tasks.hosts.vlmevalkit.tasks import known, pictures
from spiqa_tasks.hosts.vlmevalkit.version import host_version

PER_FIGURE = "_perfigure"
KEY_IN_CLEAR = "VLMEvalKit writes --judge-key to status.json in clear; SPIQA_JUDGE_API_KEY stays where it is."
DIVIDES = ("InternVLChat", "VinternChat", "H2OVLChat")
"""Classes that divide by the number of pictures: without one, the host skips the whole dataset."""
PARAMETERS = ("max_new_tokens", "max_tokens", "max_completion_tokens")
"""Names of the limit of generated tokens in the host's model classes."""


def check(arguments: Arguments) -> list[str]:
    """Return warnings about a run before it starts.

    Raises:
        InputError: arguments with which the host would not run our tasks, or would change a prompt.
        DataError: release files missing, unreadable or not in the release's format.
    """
    if arguments.config and "model" not in arguments.config and not knows_option("--data-config"):
        raise InputError(
            f"Expected a VLMEvalKit that knows --data-config, found {host_version()}. Write models and tasks to one "
            "--config file, or install a newer VLMEvalKit."
        )
    _check_names(arguments)
    if not arguments.ours:
        return []
    remarks = [KEY_IN_CLEAR] if arguments.judge.get("key") else []
    for name in arguments.models if not arguments.base_url else ():
        kind = model_class(name, arguments.config.get("model", {}).get(name))
        remarks += _check_pictures(arguments, name, kind)
    return [*remarks, *_stale(arguments)]


def _check_names(arguments: Arguments) -> None:
    """Raise InputError for an unknown dataset or model; the host would skip it and exit 0."""
    known_data = [*datasets(), *arguments.config.get("data", {})]
    tasks, groups = known()
    for name in arguments.data:
        task = task_name(arguments.config, name)
        if task != name and task not in tasks:
            raise InputError(_unknown("a task", task, list(tasks)) + " `spiqa-tasks list` shows all.")
        if name not in known_data and not (tables_folder() / f"{name}.tsv").exists():
            raise InputError(_unknown("a dataset", name, [*known_data, *groups]) + " `spiqa-tasks list` shows ours.")
    if arguments.base_url or "model" in arguments.config:
        return
    for name in arguments.models:
        if name not in supported():
            raise InputError(
                _unknown("a model of VLMEvalKit", name, list(supported())) + " `vlmutil mlist all` shows all."
            )


def _unknown(what: str, name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
    return f"Expected the name of {what}, found {name!r}." + (f" Nearest: {', '.join(near)}." if near else "")


def _check_pictures(arguments: Arguments, model: str, kind: Any) -> Iterator[str]:
    """Raise InputError for tasks of several pictures with a class that gets only the first; yield further warnings."""
    one_only = getattr(kind, "INTERLEAVE", True) is False
    divides = getattr(kind, "__name__", "") in DIVIDES
    if not one_only and not divides:
        return
    for task in arguments.ours:
        fewest, most = pictures(task.name)
        if one_only and most > 1:
            other = _per_figure(task.name)
            remedy = f"Run {other}." if other else "Run it with a model class that takes several."
            raise InputError(
                f"Expected a model class that takes several pictures for {task.name}, which shows up to {most}; found "
                f"{model} ({kind.__name__}), which is shown the first one only. {remedy}"
            )
        if divides and not fewest:
            yield (
                f"{task.name} has questions without a picture, and {model} ({kind.__name__}) divides by their number: "
                "VLMEvalKit will leave the task out. Grey pictures (a `_grey` task) measure the same."
            )


def _per_figure(name: str) -> str | None:
    """Return the `_perfigure` task of the same questions, or None."""
    parts = name.split("_")
    names = ("_".join(parts[:length]) + PER_FIGURE for length in range(len(parts), 0, -1))
    return next((other for other in names if other in known()[0]), None)


def _stale(arguments: Arguments) -> Iterator[str]:
    """Yield a warning for each file of an earlier run, which published builds reuse even without --reuse."""
    for model in () if arguments.reuse else arguments.models:
        for task in arguments.ours:
            folder = arguments.work_dir / model
            files = [*folder.glob(f"{model}_{task.name}.*"), *folder.glob(f"[0-9]*_{task.name}.pkl")]
            if files:
                yield (
                    f"{files[0]} has answers of an earlier run, which ms-vlmeval takes for this one even without "
                    "--reuse. Delete it or name another --work-dir to ask again."
                )


def _wanted_length(arguments: Arguments) -> int | None:
    """Return the limit of generated tokens, or None to keep the host's.

    A model is constructed once for all datasets: the maximum over the tasks is used, unless one is a dataset of the
    host.
    """
    if arguments.max_tokens is not None:
        return arguments.max_tokens
    if len(arguments.ours) < len(arguments.data):
        return None
    return max((task.length for task in arguments.ours if task.length is not None), default=None)


def set_length(arguments: Arguments) -> tuple[tuple[str, ...], list[str]]:
    """Set the limit of generated tokens in the host's configurations; return its arguments and warnings.

    Models in a `--config` file keep theirs.
    """
    length = _wanted_length(arguments)
    if length is None or "model" in arguments.config:
        return arguments.argv, []
    if arguments.base_url:
        return (*arguments.argv, "--max-tokens", str(length)), []  # the last one of a kind counts
    remarks = []
    for name in arguments.models:
        configured = supported()[name]
        parameter = _parameter(configured)
        if parameter is None:
            remarks.append(f"{name} has a length of answers of its own; the tasks' is {length} tokens.")
        else:
            configured.keywords[parameter] = length
            remarks.append(f"{name} answers with at most {length} tokens; --max-tokens says another number.")
    return arguments.argv, remarks


def _parameter(configured: Any) -> str | None:
    """Return the name of the limit in a configuration's class, or None."""
    keywords = getattr(configured, "keywords", None)
    if keywords is None:
        return None
    taken = [*keywords, *inspect.signature(configured.func.__init__).parameters]
    return next((name for name in PARAMETERS if name in taken), None)
