"""Checks of a run before any weights are loaded, among them whether a class shrinks pictures."""

import inspect
import itertools
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import unknown_name
from spiqa_tasks.hosts.vlmevalkit.arguments import ACCEPT, Arguments, is_ours
from spiqa_tasks.hosts.vlmevalkit.tasks import known, most_pictures, too_many_pictures

# Names of the limit of generated tokens in the host's model classes.
PARAMETERS = ("max_new_tokens", "max_tokens", "max_completion_tokens")

# Longest edge in pixels to which no picture may be shrunk: a figure's text is lost there.
SMALL = 512

# Model -> the field `pictures` of its signatures, for models that shrink pictures.
accepted: dict[str, str] = {}


def check(run: Arguments) -> list[str]:
    """Return warnings about a run.

    Raises InputError: the host would not run our tasks, or would change what a model sees.
    """
    _check_datasets(run)
    models = {model: _configured(run, model) for model in run.models}

    remarks: list[str] = []
    for (model, configured), task in itertools.product(models.items(), run.ours):
        shows_first = not getattr(configured.func, "INTERLEAVE", True)
        if shows_first and most_pictures(task.name) > 1:
            raise InputError(too_many_pictures(task.name, configured.func))
        remarks += _check_size_of_pictures(run, task, model, configured)
    return remarks


def _check_datasets(run: Arguments) -> None:
    """Raise InputError for an unknown dataset; the host would skip it and exit 0."""
    from vlmeval.dataset import SUPPORTED_DATASETS, supported_video_datasets
    from vlmeval.smp import LMUDataRoot

    tasks, groups = known()
    described = run.config["data"]
    others = [name for name, options in described.items() if not is_ours(options)]
    datasets = {*tasks, *SUPPORTED_DATASETS, *supported_video_datasets, *others}
    for name in run.data:
        is_table = Path(LMUDataRoot(), f"{name}.tsv").exists()
        if name not in datasets and not is_table:
            remedy = "`spiqa-tasks list` shows ours."
            raise unknown_name("a dataset", name, {*datasets, *groups} - {name}, remedy)


def _configured(run: Arguments, model: str) -> Any:
    """Return a model's class with its options, as the host will call it.

    Raises InputError: an unknown name; the host would skip it and exit 0, or end in a traceback.
    """
    import vlmeval.api
    import vlmeval.vlm
    from vlmeval.config import supported_VLM

    if run.host.base_url:
        return partial(
            vlmeval.api.LMDeployAPI, model=model, api_base=run.host.base_url, verbose=False
        )

    options = dict(run.config.get("model", {}).get(model, {}))
    classes = {**vars(vlmeval.vlm), **vars(vlmeval.api)}
    names = classes if "class" in options else supported_VLM
    name = str(options.pop("class", model))
    if name not in names:
        remedy = "`vlmutil mlist all` shows all; a served model needs --base-url."
        raise unknown_name("a model of VLMEvalKit", name, names, remedy)
    _check_options(model, names[name], options)
    return partial(names[name], **options)


def _check_options(model: str, model_class: Any, options: Mapping[str, Any]) -> None:
    """Raise InputError for options that the class cannot take, or takes and ignores."""
    if "ablation" in options:  # most API classes take any option
        raise InputError(
            f"VLMEvalKit ignores the ablation of {model}. Name the task's variant in data, such as "
            "mmstar_filtered_text."
        )
    try:
        inspect.signature(model_class).bind(**options)
    except TypeError as error:
        raise InputError(f"{model} in --config: its class {error}. Correct its options.") from error


def _check_size_of_pictures(run: Arguments, task: Task, model: str, configured: Any) -> list[str]:
    """Return a warning if a class shrinks pictures, as its option `img_size` says, else [].

    Raises InputError: to `SMALL` or less, unless the user accepts that.
    """
    longest_edge = int(configured.keywords.get("img_size") or -1)
    if longest_edge < 0 or not most_pictures(task.name):
        return []

    remark = (
        f"{model} ({configured.func.__name__}) sends pictures of {task.name} with at most "
        f"{longest_edge:,} pixels an edge."
    )
    if longest_edge > SMALL:
        return [remark]
    if not run.host.accept_pictures:
        raise InputError(
            f"Expected pictures sent as they are shown; {remark} Take a configuration that "
            f"does (img_size=-1), or add {ACCEPT}, which the signature then records."
        )
    accepted[model] = f"up to {longest_edge} px"
    return [remark]


def set_length(run: Arguments) -> list[str]:
    """Set the limit of generated tokens in the host's arguments or configurations.

    Returns a warning for each model whose class has no such limit.
    """
    from vlmeval.config import supported_VLM

    length = _length(run)
    run.host.max_tokens = run.host.usual_max_tokens if length is None else length
    if length is None or run.host.base_url or run.host.config:
        return []

    remarks = []
    for name in run.models:
        configured = supported_VLM[name]
        taken = {*configured.keywords, *inspect.signature(configured.func.__init__).parameters}
        parameters = [parameter for parameter in PARAMETERS if parameter in taken]
        if parameters:
            configured.keywords[parameters[0]] = length
        else:
            remarks.append(
                f"{name} has a length of answers of its own; the tasks' is {length} tokens."
            )
    return remarks


def _length(run: Arguments) -> int | None:
    """Return the user's limit, else the longest of our tasks; None with a dataset of the host.

    A model is made once for all datasets.
    """
    limit: int | None = run.host.max_tokens
    if limit is not None or len(run.ours) < len(run.data):
        return limit
    return max((task.length for task in run.ours if task.length is not None), default=None)
