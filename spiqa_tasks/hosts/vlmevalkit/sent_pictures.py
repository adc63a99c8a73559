"""What an API class of the host sends of a task's pictures, found out before a run without asking a server."""

import base64
import copy
import io
from collections.abc import Iterator
from functools import cache
from typing import Any

from PIL import Image

from spiqa_tasks.benchmarks.own.pictures import is_encoded
from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.vlmevalkit.arguments import ACCEPT
from spiqa_tasks.hosts.vlmevalkit.tasks import Row, message, rows_of

SMALL = 512
"""Longest edge in pixels at which a reduced picture is refused: the text in a paper's figure is lost."""
accepted: dict[str, str] = {}
"""Model -> the field `pictures` of its signatures."""
Pair = tuple[Image.Image, Image.Image]
"""A picture as shown and as sent."""


def check(model: str, instance: Any, task: str, *, accepts: bool) -> Iterator[str]:
    """Yield a sentence per kind of change that a model class makes to the task's largest and narrowest pictures.

    Raises InputError: one is reduced to `SMALL` or less, unless `accepts`.
    """
    edges = _edges(task)
    if not edges:
        return
    keys = {max(edges, key=lambda key: edges[key][1]), min(edges, key=lambda key: edges[key][0])}
    pairs = [pair for row in rows_of(task) if row["id"] in keys for pair in _pairs(instance, row)]
    what = f"{model} ({type(instance).__name__}) sends pictures of {task}"
    for shown, sent in [pair for pair in pairs if max(pair[1].size) < max(pair[0].size)][:1]:
        change = f"{what} reduced, {_size(shown)} as {_size(sent)}"
        if max(sent.size) <= SMALL and not accepts:
            raise InputError(
                f"Expected a model class that sends pictures as they are shown; {change}. Take a configuration that "
                f"does not (img_size=-1), or add {ACCEPT}: the signature of every number then says so."
            )
        if max(sent.size) <= SMALL:
            accepted[model] = f"up to {SMALL} px"
        yield f"{change}."
    for shown, sent in [pair for pair in pairs if min(pair[1].size) > min(pair[0].size)][:1]:
        narrow = sum(shortest < min(sent.size) for shortest, _ in edges.values())
        yield (
            f"{what} with an edge below {min(sent.size)} px enlarged, {_size(shown)} as {_size(sent)}; "
            f"{narrow} of {len(edges)} questions with pictures have one."
        )
    for shown, sent in [pair for pair in pairs if pair[1].mode not in ("RGB", pair[0].mode.replace("1", "L"))][:1]:
        yield f"{what} in the mode {sent.mode} instead of {shown.mode}."


@cache
def _edges(task: str) -> dict[str, tuple[int, int]]:
    """Return id -> shortest and longest edge of the pictures of each of a task's questions that has any."""
    found: dict[str, tuple[int, int]] = {}
    for row in rows_of(task):
        paths = [part.path for part in benchmark_of(row).prompt(row) if isinstance(part, Picture)]
        edges = [edge for path in paths for edge in _size_of(path)]
        found |= {row["id"]: (min(edges), max(edges))} if edges else {}
    return found


@cache
def _size_of(path: str) -> tuple[int, int]:
    with Image.open(path) as image:
        return image.size


def _pairs(instance: Any, row: Row) -> list[Pair]:
    """Return the pictures of a question as shown and as sent; [] if the class sends them in another form, or fails."""
    prompt = message(row)
    shown = [Image.open(part["value"]) for part in prompt if part["type"] == "image"]
    try:
        sent = [Image.open(io.BytesIO(content)) for content in _encoded(instance.prepare_itlist(copy.deepcopy(prompt)))]
    except Exception:  # it will fail in the run, too, which the host logs
        return []
    return list(zip(shown, sent, strict=True)) if len(shown) == len(sent) else []


def _encoded(content: Any) -> Iterator[bytes]:
    """Yield the pictures in the content of a request, in order."""
    if isinstance(content, str) and is_encoded(content):
        yield base64.b64decode(content.rpartition(",")[2])
    elif isinstance(content, dict | list):
        for each in content.values() if isinstance(content, dict) else content:
            yield from _encoded(each)


def _size(image: Image.Image) -> str:
    return "{:,} x {:,}".format(*image.size)
