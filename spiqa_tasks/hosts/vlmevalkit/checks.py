"""Checks of a run before any weights are loaded; needs the host."""

import inspect
import itertools
from functools import partial
from pathlib import Path
from typing import Any

import vlmeval.api
import vlmeval.dataset
import vlmeval.vlm
from vlmeval.config import supported_VLM
from vlmeval.smp import LMUDataRoot

from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import unknown_name
from spiqa_tasks.hosts.vlmevalkit import sent_pictures
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments, task_name
from spiqa_tasks.hosts.vlmevalkit.tasks import known, most_pictures

# Suffix of SPIQA's tasks whose prompts show one picture each.
PER_FIGURE = "_perfigure"
# Names of the limit of generated tokens in the host's model classes.
PARAMETERS = ("max_new_tokens", "max_tokens", "max_completion_tokens")


def check(run: Arguments) -> list[str]:
    """Return warnings about a run.

    Raises InputError: the host would not run our tasks, or would change a prompt.
    """
    _check_datasets(run)
    _check_models(run)

    remarks: list[str] = []
    for model, task in itertools.product(run.models, run.ours):
        configured = _configured(run, model)
        if configured is not None:
            _check_number_of_pictures(task, model, configured.func)
            remarks += _check_sent_pictures(run, task, model, configured)
    return remarks


def _check_datasets(run: Arguments) -> None:
    """Raise InputError for an unknown dataset; the host would skip it and exit 0."""
    tasks, groups = known()
    datasets = [
        *vlmeval.dataset.SUPPORTED_DATASETS,
        *vlmeval.dataset.supported_video_datasets,
        *run.config.get("data", {}),
    ]
    for name in run.data:
        task = task_name(run.config, name)
        if task != name and task not in tasks:
            raise unknown_name("a task", task, tasks, "`spiqa-tasks list` shows all.")

        is_table = Path(LMUDataRoot(), f"{name}.tsv").exists()
        if name not in datasets and not is_table:
            raise unknown_name(
                "a dataset", name, [*datasets, *groups], "`spiqa-tasks list` shows ours."
            )


def _check_models(run: Arguments) -> None:
    """Raise InputError for an unknown model; the host would skip it and exit 0."""
    if run.host.base_url or run.host.config:
        return
    for name in run.models:
        if name not in supported_VLM:
            raise unknown_name(
                "a model of VLMEvalKit", name, supported_VLM, "`vlmutil mlist all` shows all."
            )


def _configured(run: Arguments, model: str) -> Any:
    """Return a model's class with its options, as the host will call it, or None if not known."""
    if run.host.base_url:
        return partial(
            vlmeval.api.LMDeployAPI, model=model, api_base=run.host.base_url, verbose=False
        )

    options = dict(run.config.get("model", {}).get(model) or {})
    name = options.pop("class", None)
    if name is None:
        model_class = supported_VLM.get(model)
    else:
        model_class = getattr(vlmeval.api, name, None) or getattr(vlmeval.vlm, name, None)
    return None if model_class is None else partial(model_class, **options)


def _check_number_of_pictures(task: Task, model: str, model_class: Any) -> None:
    """Raise InputError for a class that is shown the first picture only, and a task of several."""
    most = most_pictures(task.name)
    if getattr(model_class, "INTERLEAVE", True) or most <= 1:
        return
    raise InputError(
        f"Expected a model class that takes the up to {most} pictures of {task.name}; "
        f"found {model} ({model_class.__name__}), which is shown the first one only. "
        f"Run {_per_figure(task.name) or 'it with another class'}."
    )


def _check_sent_pictures(run: Arguments, task: Task, model: str, configured: Any) -> list[str]:
    """Return a warning if an API class reduces pictures. Raises as `sent_pictures.check`."""
    model_class = configured.func
    if not getattr(model_class, "is_api", False) or not hasattr(model_class, "prepare_itlist"):
        return []
    try:
        instance = configured()  # asks no server
    except Exception:  # unusable options, which the host's log will name
        return []
    return sent_pictures.check(model, instance, task.name, accepts=run.host.accept_pictures)


def _per_figure(task: str) -> str:
    """Return the task that asks the same questions with one picture at a time, or ""."""
    for name in known()[0]:
        if name.endswith(PER_FIGURE) and task.startswith(name.removesuffix(PER_FIGURE)):
            return name
    return ""


def set_length(run: Arguments) -> list[str]:
    """Set the limit of generated tokens in the host's arguments or configurations.

    Returns a warning for each model whose class has no such limit.
    """
    length = _length(run)
    run.host.max_tokens = run.host.usual_max_tokens if length is None else length
    if length is None or run.host.base_url or run.host.config:
        return []

    remarks = []
    for name in run.models:
        configured = supported_VLM[name]
        parameter = _length_parameter(configured)
        if parameter is not None:
            configured.keywords[parameter] = length
        else:
            remarks.append(
                f"{name} has a length of answers of its own; the tasks' is {length} tokens."
            )
    return remarks


def _length(run: Arguments) -> int | None:
    """Return the user's limit, else the longest of our tasks; None with a dataset of the host.

    A model is made once for all datasets.
    """
    given: int | None = run.host.max_tokens
    if given is not None or len(run.ours) < len(run.data):
        return given
    return max((task.length for task in run.ours if task.length is not None), default=None)


def _length_parameter(configured: Any) -> str | None:
    """Return the parameter of a model class that limits its answers, or None."""
    known_names = {*configured.keywords, *inspect.signature(configured.func.__init__).parameters}
    return next((name for name in PARAMETERS if name in known_names), None)
