"""What an API class of the host sends of a task's pictures, found out before a run without asking a server."""

import base64
import copy
import io
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from PIL import Image

from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.vlmevalkit.arguments import ACCEPT
from spiqa_tasks.hosts.vlmevalkit.tasks import Row, message, rows_of

SMALL = 512
"""Longest edge in pixels at which a reduced picture is refused: the text in a paper's figure is lost."""
_ENCODED = re.compile(
    r"(?:data:image/[\w.+-]+;base64,)?(?:iVBOR|/9j/|R0lGOD|UklGR|Qk)[A-Za-z0-9+/\s]{60,}={0,2}\s*"
)
"""A PNG, JPEG, GIF, WebP or BMP in base64, by its first characters."""
accepted: dict[str, str] = {}
"""Model -> the field `pictures` of its signatures."""


def check(model: str, instance: Any, task: str, *, accepts: bool) -> list[str]:
    """Return a sentence per kind of change that a model class makes to the task's largest and narrowest pictures."""
    changes: dict[str, str] = {}
    is_small = False
    what = f"{model} ({type(instance).__name__}) sends pictures of {task}"
    for shown, sent in (pair for row in _extremes(task) for pair in _pairs(instance, row)):
        sizes = "{:,} x {:,} as {:,} x {:,}".format(*shown.size, *sent.size)
        if max(sent.size) < max(shown.size):
            changes.setdefault("reduced", f"{what} reduced, {sizes}.")
            is_small |= max(sent.size) <= SMALL
        if min(sent.size) > min(shown.size):
            changes.setdefault(
                "enlarged", f"{what} with an edge below {min(sent.size)} px enlarged, {sizes}."
            )
        if sent.mode not in ("RGB", shown.mode.replace("1", "L")):
            changes.setdefault("mode", f"{what} in the mode {sent.mode} instead of {shown.mode}.")
    if is_small and not accepts:
        raise InputError(
            f"Expected a model class that sends pictures as they are shown; {changes['reduced']} Take a configuration "
            f"that does not (img_size=-1), or add {ACCEPT}: the signature of every number then says so."
        )
    if is_small:
        accepted[model] = f"up to {SMALL} px"
    return list(changes.values())


@cache
def _extremes(task: str) -> list[Row]:
    """Return the rows of a task with the largest and with the narrowest picture; [] without pictures."""
    sizes = []
    for row in rows_of(task):
        for part in benchmark_of(row).prompt(row):
            if isinstance(part, Picture):
                with Image.open(part.path) as image:
                    sizes.append((image.size, row))
    return (
        [max(sizes, key=lambda each: max(each[0]))[1], min(sizes, key=lambda each: min(each[0]))[1]]
        if sizes
        else []
    )


def _pairs(instance: Any, row: Row) -> list[tuple[Image.Image, Image.Image]]:
    """Return the pictures of a question as shown and as sent; [] if the class sends them in another form, or fails."""
    prompt = message(row)
    shown = [Image.open(part["value"]) for part in prompt if part["type"] == "image"]
    try:
        sent = [
            Image.open(io.BytesIO(content))
            for content in _encoded(instance.prepare_itlist(copy.deepcopy(prompt)))
        ]
    except Exception:  # it will fail in the run, too, which the host logs
        return []
    return list(zip(shown, sent, strict=True)) if len(shown) == len(sent) else []


def _encoded(content: Any) -> Iterator[bytes]:
    if isinstance(content, str) and _ENCODED.fullmatch(content):
        yield base64.b64decode(content.rpartition(",")[2])
    elif isinstance(content, dict | list):
        for each in content.values() if isinstance(content, dict) else content:
            yield from _encoded(each)
