"""A prompt as a sequence of texts and pictures, and the three forms in which hosts want it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Picture:
    """A picture's place in a prompt."""

    path: str


@dataclass(frozen=True)
class Turn:
    """The beginning of a chat turn; a prompt that begins without one is a single turn of the user's.

    Attributes:
        role: `system`, `user` or `assistant`.
    """

    role: str


Part = str | Picture | Turn


def chat_messages(parts: Iterable[Part], form: str | None = None) -> list[dict[str, Any]]:
    """Return the prompt as chat messages, one per turn; see `chat_content`."""
    turns: list[tuple[str, list[Part]]] = []
    for part in parts:
        if isinstance(part, Turn) or not turns:
            turns.append((part.role if isinstance(part, Turn) else "user", []))
        if not isinstance(part, Turn):
            turns[-1][1].append(part)
    return [{"role": role, "content": chat_content(content, form)} for role, content in turns]


def chat_content(parts: Iterable[Part], form: str | None = None) -> list[dict[str, Any]]:
    """The content of one chat turn, texts and pictures interleaved as given; neighbouring texts are joined.

    Pictures are path strings in the form `path` (for model classes that take them), PIL images that are sent as the
    files they are in the form `encoded` (for API classes, which encode what they get), and else PIL images.
    """
    from spiqa_tasks.files.pictures import encoded_picture, open_picture, page_path

    opened = {"path": page_path, "encoded": encoded_picture}.get(form or "", open_picture)
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Picture):
            content.append({"type": "image", "url": opened(part.path)})
        elif isinstance(part, str) and content and content[-1]["type"] == "text":
            content[-1]["text"] += part
        elif isinstance(part, str):
            content.append({"type": "text", "text": part})
    return content


def plain_text(parts: Sequence[Part]) -> str:
    """Return the prompt for models that take all pictures first and then one text.

    With several pictures, each one's place in the text is marked `[picture]`; the prompt's own words number them.
    Turns are parted by a blank line.
    """
    mark = "[picture] " if sum(isinstance(part, Picture) for part in parts) > 1 else ""
    texts = (part if isinstance(part, str) else mark if isinstance(part, Picture) else "\n\n" for part in parts)
    return "".join(texts).removeprefix("\n\n")


def visuals(parts: Iterable[Part]) -> list[Any]:
    """The prompt's pictures, decoded, in order."""
    from spiqa_tasks.files.pictures import open_picture

    return [open_picture(part.path) for part in parts if isinstance(part, Picture)]


def prompt_hash(template: str) -> str:
    """Eight hexadecimal digits that name a prompt's wording in a signature."""
    return hashlib.sha256(template.encode()).hexdigest()[:8]
