"""The length of answers: that of our tasks' YAMLs, where the model class takes one."""

from __future__ import annotations

import inspect
from typing import Any

from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments
from spiqa_tasks.hosts.vlmevalkit.registration import supported

PARAMETERS = ("max_new_tokens", "max_tokens", "max_completion_tokens")
"""What model classes of the host call it."""


def wanted(arguments: Arguments) -> int | None:
    """Return the most tokens that an answer of the run may have; None to leave it to the host.

    A model is made once for all datasets: the longest of the tasks counts, and datasets of the host leave it as it is.
    """
    if arguments.max_tokens is not None:
        return arguments.max_tokens
    if len(arguments.ours) < len(arguments.data):
        return None
    return max((task.length for task in arguments.ours if task.length is not None), default=None)


def set_length(arguments: Arguments) -> tuple[tuple[str, ...], list[str]]:
    """Set the length in the host's configurations; return its arguments and what is to be said.

    Models in a `--config` file keep what it says.
    """
    length = wanted(arguments)
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
    """What a configuration's class calls the length; None where it takes none."""
    keywords = getattr(configured, "keywords", None)
    if keywords is None:
        return None
    taken = [*keywords, *inspect.signature(configured.func.__init__).parameters]
    return next((name for name in PARAMETERS if name in taken), None)
