"""Replace the pictures in the results of a task's hooks: visuals, messages, rounds."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

from spiqa_tasks.models.picture_ablation import Replacement

_PLACEHOLDERS = re.compile(r"(?:<image(?:[ _]?\d+)?>|<\|image(?:_pad)?(?:_\d+)?\|>)[ \n]?", re.IGNORECASE)


def without_placeholders(text: str) -> str:
    """Return `text` without picture placeholders (`<image>`, `<image 1>`, `<|image_pad|>`)."""
    return _PLACEHOLDERS.sub("", text)


def ablated_visuals(hook: Callable[..., Any], replace: Replacement) -> Callable[..., Any]:
    """Wrap a simple model's `doc_to_visual`."""

    @functools.wraps(hook)
    def ablated(doc: Any, *args: Any, **kwargs: Any) -> Any:
        shown = hook(doc, *args, **kwargs)
        pictures = _flat(shown)
        return replace(pictures, doc, lambda other: _flat(hook(other, *args, **kwargs))) if pictures else shown

    return ablated


def ablated_rounds(hook: Callable[..., Any], visuals: Callable[..., Any], replace: Replacement) -> Callable[..., Any]:
    """Wrap a simple model's `doc_to_text` of several rounds: (visuals, text, terminal, outputs, info) or a text."""

    @functools.wraps(hook)
    def ablated(doc: Any, *args: Any, **kwargs: Any) -> Any:
        result = hook(doc, *args, **kwargs)
        shown, text, *rest = result if isinstance(result, tuple) else (None, result)
        if replace.removes and isinstance(text, str):
            text = without_placeholders(text)
        if not isinstance(result, tuple):
            return text
        pictures = _flat(shown)
        skip = int(kwargs.get("round_idx") or 0)
        new = replace(pictures, doc, lambda other: _flat(visuals(other)), skip) if pictures else shown
        return (new, text, *rest)

    return ablated


def ablated_messages(hook: Callable[..., Any], replace: Replacement) -> Callable[..., Any]:
    """Wrap a chat model's `doc_to_messages`: messages, or of a later round (messages, terminal, outputs, info)."""

    @functools.wraps(hook)
    def ablated(doc: Any, *args: Any, **kwargs: Any) -> Any:
        result = hook(doc, *args, **kwargs)
        messages, rest = (result[0], result[1:]) if isinstance(result, tuple) else (result, None)
        pictures = _pictures(messages)
        skip = int(kwargs.get("round_idx") or 0)
        new = iter(replace(pictures, doc, lambda other: _pictures(hook(other)), skip) if pictures else [])
        rewritten = messages and [
            {**message, "content": _content(message["content"], replace.removes, new)} for message in messages
        ]
        return rewritten if rest is None else (rewritten, *rest)

    return ablated


def _flat(shown: Any) -> list[Any]:
    """Return the visuals of a hook as a flat list; it may return None, one visual, or nested lists."""
    if shown is None:
        return []
    if isinstance(shown, list | tuple):
        return [value for item in shown for value in _flat(item)]
    return [shown]


def _pictures(messages: Any) -> list[Any]:
    contents = [message["content"] for message in messages or [] if isinstance(message["content"], list)]
    return [_picture(part)[1] for content in contents for part in content if part["type"] != "text"]


def _picture(part: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the key and the picture of a part of a message; the part itself if it is of another type."""
    key = next((key for key in ("url", "image", "image_url") if part.get(key) is not None), "url")
    return key, part.get(key) if part["type"] in ("image", "image_url") else part


def _content(content: Any, removes: bool, new: Any) -> Any:
    """Return the content of a message with new pictures, or without pictures and their placeholders."""
    if not isinstance(content, list):
        return without_placeholders(content) if removes else content
    kept = []
    for part in content:
        if part["type"] == "text":
            kept.append({**part, "text": without_placeholders(part["text"])} if removes else part)
        elif not removes:
            kept.append({**part, _picture(part)[0]: next(new)})
    return kept or [{"type": "text", "text": ""}]
