"""Replacing the pictures in what a task's hooks hand to a model: lists of visuals, chat messages, rounds."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.picture_ablation import is_picture

PicturesOf = Callable[[Any], list[Any]]
"""Another question's document -> the pictures that the same hook shows for it."""

_PLACEHOLDERS = re.compile(r"(?:<image(?:[ _]?\d+)?>|<\|image(?:_pad)?(?:_\d+)?\|>)[ \n]?", re.IGNORECASE)


class PictureSource(Protocol):
    """What puts other pictures in the place of a question's own."""

    removes: bool
    """Whether no picture is shown at all."""

    def __call__(self, pictures: Sequence[Any], doc: Any, opening: PicturesOf, skip: int = 0) -> list[Any]:
        """Return as many pictures as given (none where `removes`), each in the form of the one it replaces.

        `opening` gives the pictures of another document; `skip` how many pictures earlier rounds have shown.
        """


def without_placeholders(text: str) -> str:
    """Return `text` without the tokens that mark a picture's place (`<image>`, `<image 1>`, `<|image_pad|>`)."""
    return _PLACEHOLDERS.sub("", text)


def ablated_visuals(hook: Callable[..., Any], replace: PictureSource) -> Callable[..., Any]:
    """Return a simple model's `doc_to_visual` with the pictures replaced."""

    @functools.wraps(hook)
    def ablated(doc: Any, *args: Any, **kwargs: Any) -> Any:
        return _visuals(hook(doc, *args, **kwargs), doc, replace, lambda other: _flat(hook(other, *args, **kwargs)))

    return ablated


def ablated_rounds(hook: Callable[..., Any], visuals: Callable[..., Any], replace: PictureSource) -> Callable[..., Any]:
    """Return a simple model's `doc_to_text` of several rounds, (visuals, text, terminal, outputs, info) or a text."""

    @functools.wraps(hook)
    def ablated(doc: Any, *args: Any, **kwargs: Any) -> Any:
        payload = hook(doc, *args, **kwargs)
        if isinstance(payload, str):
            return without_placeholders(payload) if replace.removes else payload
        if not isinstance(payload, tuple) or len(payload) != 5:
            return payload
        shown, text, *rest = payload
        if replace.removes and isinstance(text, str):
            text = without_placeholders(text)
        skip = int(kwargs.get("round_idx") or 0)
        return (_visuals(shown, doc, replace, lambda other: _flat(visuals(other)), skip), text, *rest)

    return ablated


def ablated_messages(hook: Callable[..., Any], replace: PictureSource) -> Callable[..., Any]:
    """Return a chat model's `doc_to_messages` with the pictures replaced, of one round or several."""

    def opening(other: Any) -> list[Any]:
        return [part[key] for message in _messages(hook(other)) for part, key in _picture_parts(message)]

    @functools.wraps(hook)
    def ablated(doc: Any, *args: Any, **kwargs: Any) -> Any:
        result = hook(doc, *args, **kwargs)
        skip = int(kwargs.get("round_idx") or 0)
        messages = _rewritten(_messages(result), doc, replace, opening, skip)
        if isinstance(result, tuple):
            return (messages if result[0] else result[0], *result[1:])
        return messages

    return ablated


def _visuals(shown: Any, doc: Any, replace: PictureSource, opening: PicturesOf, skip: int = 0) -> Any:
    values = _flat(shown)
    for value in values:
        _check(value)
    return replace(values, doc, opening, skip) if values else shown


def _flat(shown: Any) -> list[Any]:
    """The visuals of a hook, which may be None, one visual, or lists of visuals."""
    if shown is None:
        return []
    if isinstance(shown, list | tuple):
        return [value for item in shown for value in _flat(item)]
    return [shown]


def _messages(result: Any) -> list[Any]:
    messages = result[0] if isinstance(result, tuple) else result
    return list(messages or [])


def _picture_parts(message: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], str]]:
    """The (part, key of its picture) pairs of a message."""
    found = []
    content = message["content"]
    for part in content if isinstance(content, list) else []:
        if part["type"] != "text":
            key = next((key for key in ("url", "image", "image_url") if part.get(key) is not None), "url")
            _check(part[key] if part["type"] in ("image", "image_url") else part)
            found.append((part, key))
    return found


def _rewritten(messages: list[Any], doc: Any, replace: PictureSource, opening: PicturesOf, skip: int) -> list[Any]:
    parts = [pair for message in messages for pair in _picture_parts(message)]
    new = iter(replace([part[key] for part, key in parts], doc, opening, skip) if parts else [])
    keys = {id(part): key for part, key in parts}

    def content_of(content: Any) -> Any:
        if not isinstance(content, list):
            return without_placeholders(content) if replace.removes else content
        kept = []
        for part in content:
            if id(part) not in keys:
                text = without_placeholders(part["text"]) if replace.removes else part["text"]
                kept.append({**part, "text": text})
            elif not replace.removes:
                kept.append({**part, keys[id(part)]: next(new)})
        return kept or [{"type": "text", "text": ""}]

    return [{**message, "content": content_of(message["content"])} for message in messages]


def _check(value: Any) -> None:
    if not is_picture(value):
        raise InputError(
            f"Expected a task that shows pictures; this one shows {str(value)[:100]!r}, which is none. "
            "The model `ablated` replaces pictures only, no video and no sound."
        )
