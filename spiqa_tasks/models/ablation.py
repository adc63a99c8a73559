"""Replace or remove pictures in the results of a task's hooks, and change the texts around them."""

import base64
import io
import re
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PIL import Image, UnidentifiedImageError

from spiqa_tasks.benchmarks.prompting import GREY
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.pictures import SUFFIXES

# What `doc_to_messages` of a chat model returns: role and content of each turn.
Messages = Sequence[Mapping[str, Any]]

# `grey`: a grey picture of the same size; `text`: no picture.
KINDS = ("grey", "text")

# A text of a message with such an ending is a path of a picture, also of a kind that few take.
_PICTURES = (*SUFFIXES, ".tif", ".tiff")

# `<image>`, `<image 1>`, `<|image|>`, `<|image_pad|>`, `<|image_1|>` and the blank behind.
_PLACEHOLDERS = re.compile(
    r"(?:<image(?:[ _]?\d+)?>|<\|image(?:_pad)?(?:_\d+)?\|>)[ \n]?", re.IGNORECASE
)


def without_placeholders(text: str) -> str:
    """Return `text` without picture placeholders (`<image>`, `<image 1>`, `<|image_pad|>`)."""
    return _PLACEHOLDERS.sub("", text)


def replaced(pictures: Sequence[Any], kind: str) -> list[Any]:
    """Return as many grey pictures of the same sizes; [] for `text`.

    Raises InputError: no picture, such as a video; DataError: see `open_value`.
    """
    for value in pictures:
        if not is_picture(value):
            raise InputError(
                "Expected a task that shows pictures, no video or sound; "
                f"found {str(value)[:100]!r}."
            )
    if kind == "text":
        return []
    return [Image.new("RGB", open_value(value).size, (GREY, GREY, GREY)) for value in pictures]


def is_picture(value: Any) -> bool:
    """Return whether a value is a picture as tasks show them: PIL image, path or data URL."""
    if isinstance(value, str):
        return value.lower().endswith(_PICTURES) or value.startswith("data:image/")
    return isinstance(value, Image.Image)


def open_value(value: Image.Image | str) -> Image.Image:
    """Return the lazily decoded picture.

    Raises DataError: unreadable, such as a web address, which is not fetched.
    """
    if isinstance(value, Image.Image):
        return value
    try:
        if value.startswith("data:"):
            content = base64.b64decode(value.partition(",")[2], validate=True)
            return Image.open(io.BytesIO(content))
        return Image.open(value.removeprefix("file://"))
    except (UnidentifiedImageError, Base64Error, OSError) as error:
        raise DataError(
            f"Expected a readable picture, found {value[:100]}: {error}. Fetch the data again."
        ) from error


def ablated_visuals(shown: Any, kind: str) -> Any:
    """Return the visuals of a simple model's `doc_to_visual`, grey or none."""
    pictures = _flat(shown)
    return replaced(pictures, kind) if pictures else shown


def ablated_messages(messages: Messages, kind: str) -> Messages:
    """Return the messages of a chat model's `doc_to_messages` with grey pictures, or without."""
    return [
        {**message, "content": _ablated_content(message["content"], kind)} for message in messages
    ]


def with_last_turn(messages: Messages, change: Callable[[list[str]], list[str]]) -> Messages:
    """Return messages with the texts of the last user turn changed.

    `change` takes these texts and returns as many.
    """
    changed = [dict(message) for message in messages]
    last = next(message for message in reversed(changed) if message["role"] == "user")

    parts = last["content"]
    if isinstance(parts, str):
        (last["content"],) = change([parts])
        return changed

    texts = iter(change([part["text"] for part in parts if part["type"] == "text"]))
    last["content"] = [
        {**part, "text": next(texts)} if part["type"] == "text" else part for part in parts
    ]
    return changed


def _flat(shown: Any) -> list[Any]:
    """Return the visuals of a hook as a flat list; it may return None, one, or nested lists."""
    if shown is None:
        return []
    if isinstance(shown, list | tuple):
        return [value for item in shown for value in _flat(item)]
    return [shown]


def _ablated_content(content: Any, kind: str) -> Any:
    """Return the content of a message with other pictures, or without them and placeholders."""
    if isinstance(content, str):
        return without_placeholders(content) if kind == "text" else content

    parts = []
    for part in content:
        if part["type"] != "text":
            # A video or sound is passed on whole, which no ablation takes.
            picture = part["url"] if part["type"] == "image" else part
            parts += [{**part, "url": new} for new in replaced([picture], kind)]
        elif kind == "text":
            parts.append({**part, "text": without_placeholders(part["text"])})
        else:
            parts.append(part)
    # Without its pictures a message may have nothing left, which no model takes.
    return parts or [{"type": "text", "text": ""}]
