"""A prompt as a sequence of texts and pictures, converted to the forms that hosts take, and
ablations of the pictures.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Picture:
    """A picture in a prompt, by its path."""

    path: str


@dataclass(frozen=True)
class Turn:
    """The start of a chat turn; a prompt without one is a single user turn.

    Attributes:
        role: `system`, `user` or `assistant`.
    """

    role: str


Part = str | Picture | Turn

# What a task does to its pictures.
Ablation = Literal["none", "grey", "text"]

# Grey value of all three channels of pictures with the ablation `grey` (MMStar paper, section 5.1).
GREY = 128


def chat_messages(parts: Iterable[Part], form: str | None = None) -> list[dict[str, Any]]:
    """Return chat messages, one per turn; `form` as in `chat_content`."""
    turns: list[tuple[str, list[Part]]] = []
    for part in parts:
        if isinstance(part, Turn):
            turns.append((part.role, []))
            continue
        if not turns:
            turns.append(("user", []))
        turns[-1][1].append(part)
    return [{"role": role, "content": chat_content(content, form)} for role, content in turns]


def chat_content(parts: Iterable[Part], form: str | None = None) -> list[dict[str, Any]]:
    """Return the content of one chat turn: texts and pictures interleaved, adjacent texts joined.

    `form` of the pictures: `path` gives path strings (model classes that read files), `encoded` PIL
    images that keep their file's bytes (API classes would encode them again), anything else PIL
    images.
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
    """Return the text for models that take all pictures first and then one text.

    Of several pictures, each is marked `[picture]` in the text; the prompt's own words number them.
    A blank line separates turns.
    """
    mark = "[picture] " if sum(isinstance(part, Picture) for part in parts) > 1 else ""
    text = ""
    for part in parts:
        if isinstance(part, Turn):
            text += "\n\n"
        elif isinstance(part, Picture):
            text += mark
        else:
            text += part
    return text.removeprefix("\n\n")


def picture_paths(parts: Iterable[Part]) -> list[str]:
    """Return the paths of the pictures, in order."""
    return [part.path for part in parts if isinstance(part, Picture)]


def visuals(parts: Iterable[Part]) -> list[Any]:
    """Return the decoded pictures, in order."""
    from spiqa_tasks.files.pictures import open_picture

    return list(map(open_picture, picture_paths(parts)))


def ablated_pictures(paths: Sequence[str], ablation: Ablation) -> list[str]:
    """Return the pictures to show: the same ones, or with `grey` grey ones of the same sizes."""
    if ablation != "grey":
        return list(paths)
    return [_grey_picture(path) for path in paths]


def _grey_picture(path: str) -> str:
    """Return the path of a grey picture of the same size as that at `path`."""
    from PIL import Image

    from spiqa_tasks.files.atomic import cache_folder
    from spiqa_tasks.files.pictures import made_once

    with Image.open(path) as image:
        width, height = image.size
    grey = cache_folder() / "grey" / f"{width}x{height}-{GREY}.png"
    return made_once(grey, lambda: Image.new("RGB", (width, height), (GREY, GREY, GREY)))
