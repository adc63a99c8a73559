"""Find out before a run, without asking a server, how an API class of the host sends pictures."""

import base64
import binascii
import copy
import io
from collections.abc import Iterator
from functools import cache
from typing import Any

from PIL import Image

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.vlmevalkit.arguments import ACCEPT
from spiqa_tasks.hosts.vlmevalkit.tasks import Row, message, picture_paths, rows_of

# Longest edge in pixels at which a reduced picture is refused: a figure's text is lost there.
SMALL = 512
# Model -> the field `pictures` of its signatures.
accepted: dict[str, str] = {}


def check(model: str, instance: Any, task: str, *, accepts: bool) -> list[str]:
    """Return a sentence if a model class reduces a task's largest picture, else [].

    Raises InputError: reduced to `SMALL` or less, unless the user accepts that.
    """
    for shown, sent in _largest_picture(instance, task):
        if max(sent.size) >= max(shown.size):
            continue

        sizes = "{:,} x {:,} as {:,} x {:,}".format(*shown.size, *sent.size)
        remark = f"{model} ({type(instance).__name__}) sends pictures of {task} reduced, {sizes}."
        if max(sent.size) <= SMALL and not accepts:
            raise InputError(
                f"Expected a model class that sends pictures as they are shown; {remark} Take a "
                f"configuration that does not (img_size=-1), or add {ACCEPT}: the signature of "
                "every number then says so."
            )
        if max(sent.size) <= SMALL:
            accepted[model] = f"up to {SMALL} px"
        return [remark]

    return []


def _largest_picture(instance: Any, task: str) -> list[tuple[Image.Image, Image.Image]]:
    """Return the pictures of the question with the largest one, as shown and as sent."""
    row = _row_of_largest(task)
    return [] if row is None else _pairs(instance, row)


@cache
def _row_of_largest(task: str) -> Row | None:
    """Return the row with the largest picture, or None for a task without pictures."""
    largest, found = 0, None
    for row in rows_of(task):
        for path in picture_paths(row):
            with Image.open(path) as image:
                edge = max(image.size)
            if edge > largest:
                largest, found = edge, row
    return found


def _pairs(instance: Any, row: Row) -> list[tuple[Image.Image, Image.Image]]:
    """Return the pictures of a question as shown and as sent; [] if they are sent otherwise."""
    prompt = message(row)
    shown = [Image.open(part["value"]) for part in prompt if part["type"] == "image"]
    try:
        content = instance.prepare_itlist(copy.deepcopy(prompt))
    except Exception:  # it will fail in the run, too, which the host logs
        return []

    sent = list(_pictures_in(content))
    return list(zip(shown, sent, strict=True)) if len(shown) == len(sent) else []


def _pictures_in(content: Any) -> Iterator[Image.Image]:
    """Yield the pictures in base64, also in data URLs, in the parts of a request."""
    if isinstance(content, str):
        encoded = content.rpartition(";base64,")[2]
        try:
            yield Image.open(io.BytesIO(base64.b64decode(encoded, validate=True)))
        except (binascii.Error, OSError, ValueError):  # a text
            return
    elif isinstance(content, dict):
        for value in content.values():
            yield from _pictures_in(value)
    elif isinstance(content, list):
        for value in content:
            yield from _pictures_in(value)
