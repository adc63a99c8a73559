"""Replace pictures and texts in the results of a task's hooks: visuals, messages."""

import functools
import re
from collections.abc import Callable
from typing import Any

from spiqa_tasks.models.picture_ablation import replaced

# `doc_to_visual` of simple models, or `doc_to_messages` of chat models.
Hook = Callable[..., Any]

_PLACEHOLDERS = re.compile(
    r"(?:<image(?:[ _]?\d+)?>|<\|image(?:_pad)?(?:_\d+)?\|>)[ \n]?", re.IGNORECASE
)


def without_placeholders(text: str) -> str:
    """Return `text` without picture placeholders (`<image>`, `<image 1>`, `<|image_pad|>`)."""
    return _PLACEHOLDERS.sub("", text)


def ablated_visuals(hook: Hook, kind: str) -> Hook:
    """Wrap a simple model's `doc_to_visual`."""

    @functools.wraps(hook)
    def ablated(*args: Any, **kwargs: Any) -> Any:
        shown = hook(*args, **kwargs)
        pictures = _flat(shown)
        return replaced(pictures, kind) if pictures else shown

    return ablated


def ablated_messages(hook: Hook, kind: str) -> Hook:
    """Wrap a chat model's `doc_to_messages`."""

    @functools.wraps(hook)
    def ablated(*args: Any, **kwargs: Any) -> Any:
        messages = []
        for message in hook(*args, **kwargs):
            messages.append({**message, "content": _ablated_content(message["content"], kind)})
        return messages

    return ablated


def with_last_turn(hook: Hook, change: Callable[[list[str]], list[str]]) -> Hook:
    """Wrap a chat model's `doc_to_messages`.

    `change` takes and returns the texts of the last user turn.
    """

    @functools.wraps(hook)
    def changed(*args: Any, **kwargs: Any) -> Any:
        messages = [dict(message) for message in hook(*args, **kwargs)]
        last = next(message for message in reversed(messages) if message["role"] == "user")

        parts = last["content"]
        if isinstance(parts, str):
            (last["content"],) = change([parts])
            return messages

        texts = iter(change([part["text"] for part in parts if part["type"] == "text"]))
        last["content"] = [
            {**part, "text": next(texts)} if part["type"] == "text" else part for part in parts
        ]
        return messages

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
