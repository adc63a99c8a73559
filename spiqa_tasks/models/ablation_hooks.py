"""Replace the pictures in the results of a task's hooks: visuals, messages, rounds."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from PIL import Image

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.picture_ablation import ablate, digest, is_picture, like, open_value

PicturesOf = Callable[[Any], list[Any]]
"""Document of another question -> its pictures by the same hook."""

_PLACEHOLDERS = re.compile(r"(?:<image(?:[ _]?\d+)?>|<\|image(?:_pad)?(?:_\d+)?\|>)[ \n]?", re.IGNORECASE)


class AblatedPictures:
    """Replaces every picture by one made from it (`ablate`), or removes it (`text`).

    Attributes:
        removes: whether pictures are removed.
    """

    def __init__(self, kind: str, seed: int) -> None:
        self.removes = kind == "text"
        self._kind = kind
        self._seed = seed

    def __call__(self, pictures: Sequence[Any], doc: Any, opening: PicturesOf, skip: int = 0) -> list[Any]:  # noqa: ARG002
        """Return as many pictures ([] if `removes`), each in the form of the one that it replaces.

        `opening` returns the pictures of another document; `skip` is the number shown in earlier rounds.
        """
        if self.removes:
            return []
        return [like(value, ablate(open_value(value), self._kind, self._seed)) for value in pictures]


class NumberedDoc(dict[str, Any]):
    """A document with its index in the split."""

    place: int


class NumberedDocs:
    """A split of numbered documents, and the seeded cycle through them that `shuffled` follows."""

    def __init__(self, docs: Any, seed: str) -> None:
        """
        Args:
            seed: seed of the cycle, which also depends on the number of documents.
        """
        self.docs = docs
        self._order = list(range(len(docs)))
        random.Random(seed).shuffle(self._order)
        self._rank = {place: rank for rank, place in enumerate(self._order)}

    def __len__(self) -> int:
        return len(self.docs)

    def __getitem__(self, place: int) -> NumberedDoc:
        doc = NumberedDoc(self.docs[place])
        doc.place = place
        return doc

    def __iter__(self) -> Iterator[NumberedDoc]:
        return (self[place] for place in range(len(self)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "docs":  # absent while `copy` rebuilds the object
            raise AttributeError(name)
        return getattr(self.docs, name)

    def others(self, place: int) -> Iterator[NumberedDoc]:
        """Yield every other document once, from the successor of `place` in the cycle: none is its own donor."""
        rank = self._rank[place]
        for step in range(1, len(self)):
            yield self[self._order[(rank + step) % len(self)]]


class ShuffledPictures:
    """Replaces every picture by one of the next question in the cycle of the split.

    If that question shows fewer pictures, later ones add theirs, so that the number of pictures stays. Pictures of the
    question itself are skipped: benchmarks ask several questions about one picture.
    """

    removes = False

    def __init__(self, docs: NumberedDocs) -> None:
        self._docs = docs

    def __call__(self, pictures: Sequence[Any], doc: Any, opening: PicturesOf, skip: int = 0) -> list[Any]:
        """Return as many pictures, as `AblatedPictures` does.

        Raises:
            InputError: too few pictures in the other questions, or a base that does not read `task_dict`.
        """
        own = {digest(open_value(value)) for value in pictures}
        if not isinstance(doc, NumberedDoc):
            raise InputError("Expected a base model that reads its documents by number; use another ablation.")
        donated: list[Image.Image] = []
        for other in self._docs.others(doc.place):
            candidates = [open_value(value) for value in opening(other)]
            donated += [picture for picture in candidates if digest(picture) not in own]
            if len(donated) >= skip + len(pictures):
                break
        else:
            raise InputError(
                f"Expected {skip + len(pictures)} pictures of other questions for ablation=shuffled; "
                f"the split of {len(self._docs)} questions has {len(donated)}. Use another ablation."
            )
        return [like(value, picture) for value, picture in zip(pictures, donated[skip:], strict=False)]


PictureSource = AblatedPictures | ShuffledPictures


def without_placeholders(text: str) -> str:
    """Return `text` without picture placeholders (`<image>`, `<image 1>`, `<|image_pad|>`)."""
    return _PLACEHOLDERS.sub("", text)


def ablated_visuals(hook: Callable[..., Any], replace: PictureSource) -> Callable[..., Any]:
    """Wrap a simple model's `doc_to_visual`."""

    @functools.wraps(hook)
    def ablated(doc: Any, *args: Any, **kwargs: Any) -> Any:
        return _visuals(hook(doc, *args, **kwargs), doc, replace, lambda other: _flat(hook(other, *args, **kwargs)))

    return ablated


def ablated_rounds(hook: Callable[..., Any], visuals: Callable[..., Any], replace: PictureSource) -> Callable[..., Any]:
    """Wrap a simple model's `doc_to_text` of several rounds: (visuals, text, terminal, outputs, info) or a text."""

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
    """Wrap a chat model's `doc_to_messages` of one round or several."""

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
    """Return the visuals of a hook as a flat list; it may return None, one visual, or nested lists."""
    if shown is None:
        return []
    if isinstance(shown, list | tuple):
        return [value for item in shown for value in _flat(item)]
    return [shown]


def _messages(result: Any) -> list[Any]:
    messages = result[0] if isinstance(result, tuple) else result
    return list(messages or [])


def _picture_parts(message: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], str]]:
    """Return (part, key of its picture) of each picture in a message."""
    parts = []
    content = message["content"]
    for part in content if isinstance(content, list) else []:
        if part["type"] != "text":
            key = next((key for key in ("url", "image", "image_url") if part.get(key) is not None), "url")
            _check(part[key] if part["type"] in ("image", "image_url") else part)
            parts.append((part, key))
    return parts


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
