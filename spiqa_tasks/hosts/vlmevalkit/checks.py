"""Checks of a run before any weights are loaded; needs the host."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import vlmeval.api
import vlmeval.dataset
import vlmeval.vlm
from vlmeval.config import supported_VLM
from vlmeval.smp import LMUDataRoot

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import unknown_name
from spiqa_tasks.hosts.vlmevalkit import sent_pictures
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments, task_name
from spiqa_tasks.hosts.vlmevalkit.tasks import known, pictures

PER_FIGURE = "_perfigure"
"""Suffix of SPIQA's tasks whose prompts show one picture each."""
DIVIDES = ("InternVLChat", "VinternChat", "H2OVLChat")
"""Classes that divide by the number of pictures: without one, the host skips the whole dataset."""
PARAMETERS = ("max_new_tokens", "max_tokens", "max_completion_tokens")
"""Names of the limit of generated tokens in the host's model classes."""


def check(arguments: Arguments) -> list[str]:
    """Return warnings about a run. Raises InputError: the host would not run our tasks, or would change a prompt."""
    _check_names(arguments)
    if not arguments.ours:
        return []
    remarks: list[str] = []
    for name in arguments.models:
        kind = _class_of(arguments, name)
        remarks += _check_pictures(arguments, name, kind)
        if (model := _api_model(arguments, name, kind)) is not None:
            for task in arguments.ours:
                remarks += sent_pictures.check(
                    name, model, task.name, accepts=arguments.accepts_pictures
                )
    return remarks


def _check_names(arguments: Arguments) -> None:
    """Raise InputError for an unknown dataset or model; the host would skip it and exit 0."""
    datasets = [*vlmeval.dataset.SUPPORTED_DATASETS, *vlmeval.dataset.supported_video_datasets]
    datasets += arguments.config.get("data", {})
    tasks, groups = known()
    for name in arguments.data:
        task = task_name(arguments.config, name)
        if task != name and task not in tasks:
            raise unknown_name("a task", task, tasks, "`spiqa-tasks list` shows all.")
        if name not in datasets and not Path(LMUDataRoot(), f"{name}.tsv").exists():
            raise unknown_name(
                "a dataset", name, [*datasets, *groups], "`spiqa-tasks list` shows ours."
            )
    if not arguments.base_url and "model" not in arguments.config:
        for name in arguments.models:
            if name not in supported_VLM:
                raise unknown_name(
                    "a model of VLMEvalKit", name, supported_VLM, "`vlmutil mlist all` shows all."
                )


def _class_of(arguments: Arguments, model: str) -> Any:
    if arguments.base_url:
        return vlmeval.api.LMDeployAPI
    if name := (arguments.config.get("model", {}).get(model) or {}).get("class"):
        return getattr(vlmeval.api, name, None) or getattr(vlmeval.vlm, name, None)
    return getattr(supported_VLM.get(model), "func", None)


def _api_model(arguments: Arguments, model: str, kind: Any) -> Any:
    """Return an API model as the host will make it, which asks no server; None for others and for faulty options."""
    options = dict(arguments.config.get("model", {}).get(model) or {})
    if not getattr(kind, "is_api", False) or not hasattr(kind, "prepare_itlist"):
        return None
    try:
        if arguments.base_url:
            return kind(model=model, api_base=arguments.base_url, verbose=False)
        return kind(**options) if options.pop("class", None) else supported_VLM[model](**options)
    except Exception:  # the host's log will say it
        return None


def _check_pictures(arguments: Arguments, model: str, kind: Any) -> Iterator[str]:
    """Raise InputError for tasks of several pictures with a class that gets only the first; yield further warnings."""
    one_only = getattr(kind, "INTERLEAVE", True) is False
    divides = getattr(kind, "__name__", "") in DIVIDES
    for task in arguments.ours if one_only or divides else ():
        fewest, most = pictures(task.name)
        if one_only and most > 1:
            alone = [name for name in known()[0] if name.endswith(PER_FIGURE)]
            other = next(
                (name for name in alone if task.name.startswith(name.removesuffix(PER_FIGURE))),
                None,
            )
            raise InputError(
                f"Expected a model class that takes the up to {most} pictures of {task.name}; found {model} "
                f"({kind.__name__}), which is shown the first one only. Run {other or 'it with another class'}."
            )
        if divides and not fewest:
            yield (
                f"{task.name} has questions without a picture, and {model} ({kind.__name__}) divides by their number: "
                "VLMEvalKit will leave the task out. Grey pictures (a `_grey` task) measure the same."
            )


def set_length(arguments: Arguments) -> tuple[tuple[str, ...], list[str]]:
    """Set the limit of generated tokens in the host's configurations; return its arguments and warnings.

    A model is constructed once for all datasets, so the limit is the maximum over the tasks; with a dataset of the host
    among them, or models of a `--config` file, it is left alone.
    """
    length = arguments.max_tokens
    if length is None and len(arguments.ours) == len(arguments.data):
        length = max(
            (task.length for task in arguments.ours if task.length is not None), default=None
        )
    if length is None or not arguments.ours or "model" in arguments.config:
        return arguments.argv, []
    if arguments.base_url:
        return (*arguments.argv, "--max-tokens", str(length)), []  # the last one of a kind counts
    remarks = []
    for name in arguments.models:
        configured: Any = supported_VLM[name]
        keywords = configured.keywords
        taken = {*keywords, *inspect.signature(configured.func.__init__).parameters}
        parameter = next((each for each in PARAMETERS if each in taken), None)
        if parameter is None:
            remarks.append(
                f"{name} has a length of answers of its own; the tasks' is {length} tokens."
            )
        else:
            keywords[parameter] = length
    return arguments.argv, remarks
