"""Replace pictures and texts in the results of a task's hooks: visuals, messages."""

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from spiqa_tasks.models.picture_ablation import replaced

_PLACEHOLDERS = re.compile(
    r"(?:<image(?:[ _]?\d+)?>|<\|image(?:_pad)?(?:_\d+)?\|>)[ \n]?", re.IGNORECASE
)


def without_placeholders(text: str) -> str:
    """Return `text` without picture placeholders (`<image>`, `<image 1>`, `<|image_pad|>`)."""
    return _PLACEHOLDERS.sub("", text)


def ablated_visuals(hook: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """Wrap a simple model's `doc_to_visual`."""

    @functools.wraps(hook)
    def ablated(*args: Any, **kwargs: Any) -> Any:
        shown = hook(*args, **kwargs)
        pictures = _flat(shown)
        return replaced(pictures, kind) if pictures else shown

    return ablated


def ablated_messages(hook: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """Wrap a chat model's `doc_to_messages`."""

    @functools.wraps(hook)
    def ablated(*args: Any, **kwargs: Any) -> Any:
        messages = hook(*args, **kwargs)
        new = iter(replaced(_pictures(messages), kind))
        return [
            {**message, "content": _content(message["content"], kind == "text", new)}
            for message in messages
        ]

    return ablated


def with_last_turn(
    hook: Callable[..., Any], change: Callable[[list[str]], list[str]]
) -> Callable[..., Any]:
    """Wrap a chat model's `doc_to_messages`: `change` takes and returns the texts of the last user turn."""

    @functools.wraps(hook)
    def changed(*args: Any, **kwargs: Any) -> Any:
        messages = [dict(message) for message in hook(*args, **kwargs)]
        last = next(message for message in reversed(messages) if message["role"] == "user")
        if isinstance(last["content"], str):
            (last["content"],) = change([last["content"]])
            return messages
        texts = iter(change([part["text"] for part in last["content"] if part["type"] == "text"]))
        last["content"] = [
            {**part, "text": next(texts)} if part["type"] == "text" else part
            for part in last["content"]
        ]
        return messages

    return changed


def _flat(shown: Any) -> list[Any]:
    """Return the visuals of a hook as a flat list; it may return None, one visual, or nested lists."""
    if isinstance(shown, list | tuple):
        return [value for item in shown for value in _flat(item)]
    return [] if shown is None else [shown]


def _pictures(messages: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the pictures of chat messages; a video or sound is the part itself, which no ablation takes."""
    contents = [message["content"] for message in messages if isinstance(message["content"], list)]
    parts = [part for content in contents for part in content if part["type"] != "text"]
    return [part["url"] if part["type"] == "image" else part for part in parts]


def _content(content: Any, removes: bool, new: Iterator[Any]) -> Any:
    if not isinstance(content, list):
        return without_placeholders(content) if removes else content
    kept = []
    for part in content:
        if part["type"] == "text":
            kept.append({**part, "text": without_placeholders(part["text"])} if removes else part)
        elif not removes:
            kept.append({**part, "url": next(new)})
    return kept or [{"type": "text", "text": ""}]
