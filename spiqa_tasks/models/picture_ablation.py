"""Ablations of pictures: what replaces those of a document, in any form in which the host's tasks show them."""

import base64
import hashlib
import io
import os
import random
from binascii import Error as Base64Error
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.pictures import GREY, on_page, png

KINDS = ("grey", "text", "black", "white", "noise", "mean", "shuffled")
"""`grey` (128 of 255), `black`, `white`: that colour; `mean`: the picture's own mean colour; `noise`: every value of
every pixel drawn uniformly from 0 to 255; each at the picture's size. `text`: no picture. `shuffled`: another
question's pictures."""

UNCHANGED = "none"
_LEVELS = {"grey": GREY, "black": 0, "white": 255}
_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp"})
_KEYS = ("url", "image", "image_url", "bytes", "path")


def ablate(picture: Image.Image, kind: str, seed: int = 0) -> Image.Image:
    """Return an RGB picture of the same size without the content (`mean` keeps the mean colour).

    `noise` is seeded by `seed` and the picture's content, so that it depends on neither order nor process.

    Raises ValueError: `text` and `shuffled`, which make no picture from one, or an unknown kind.
    """
    if kind in _LEVELS:
        return Image.new("RGB", picture.size, (_LEVELS[kind],) * 3)
    if kind == "mean":
        red, green, blue = np.asarray(on_page(picture), dtype=np.float64).mean(axis=(0, 1)).round().astype(int).tolist()
        return Image.new("RGB", picture.size, (red, green, blue))
    if kind == "noise":
        generator = np.random.default_rng([seed, int(digest(picture), 16)])
        return Image.fromarray(generator.integers(256, size=(picture.height, picture.width, 3), dtype=np.uint8))
    raise ValueError(f"expected a kind that makes a picture, got {kind!r}")


def digest(picture: Image.Image) -> str:
    """Return the hexadecimal digest of mode, size and pixels."""
    content = f"{picture.mode} {picture.size}".encode() + picture.tobytes()
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def is_picture(value: Any) -> bool:
    """Return whether a value is a picture in any form of the host's tasks, not a video or sound."""
    if isinstance(value, Mapping):
        if value.get("type", "image") not in ("image", "image_url"):
            return False
        return any(is_picture(value[key]) for key in _KEYS if value.get(key) is not None)
    if isinstance(value, str):
        return value.startswith("data:image/") or os.path.splitext(value)[1].lower() in _SUFFIXES
    return isinstance(value, Image.Image | bytes)


def open_value(value: Any) -> Image.Image:
    """Return the lazily decoded picture of a PIL image, path, data URL, encoded bytes or mapping with one of them.

    Raises:
        DataError: an unreadable picture.
        InputError: a web address, which is not fetched.
    """
    if isinstance(value, Image.Image):
        return value
    if isinstance(value, Mapping):
        return open_value(next(value[key] for key in _KEYS if value.get(key) is not None))
    try:
        if isinstance(value, bytes):
            return Image.open(io.BytesIO(value))
        if value.startswith("data:"):
            return Image.open(io.BytesIO(base64.b64decode(value.partition(",")[2], validate=True)))
        if value.startswith(("http://", "https://")):
            raise InputError(f"Expected pictures that are here; found {value}. Use ablation=text, or fetch them first.")
        return Image.open(value.removeprefix("file://"))
    except (UnidentifiedImageError, Base64Error, OSError) as error:
        raise DataError(
            f"Expected a readable picture, found {str(value)[:100]}: {error}. Fetch the data again."
        ) from error


def like(value: Any, picture: Image.Image) -> Any:
    """Return `picture` in the form of `value`: mapping, encoded bytes, data URL, else a PIL image."""
    if isinstance(value, Mapping):
        key = next(key for key in _KEYS if value.get(key) is not None)
        return {**value, key: like(value[key], picture)}
    if isinstance(value, bytes):
        return png(picture)
    if isinstance(value, str) and value.startswith("data:"):
        return "data:image/png;base64," + base64.b64encode(png(picture)).decode("ascii")
    return picture


class NumberedDoc(dict[str, Any]):
    """A document with its index in the split."""

    place: int


class NumberedDocs:
    """A split of numbered documents, and the seeded cycle through them that `shuffled` follows."""

    def __init__(self, docs: Any, seed: str) -> None:
        """`seed` is that of the cycle, which also depends on the number of documents."""
        self._docs = docs
        self._order = list(range(len(docs)))
        random.Random(seed).shuffle(self._order)
        self._rank = {place: rank for rank, place in enumerate(self._order)}

    def __len__(self) -> int:
        return len(self._docs)

    def __getitem__(self, place: int) -> NumberedDoc:
        doc = NumberedDoc(self._docs[place])
        doc.place = place
        return doc

    def others(self, place: int) -> Iterator[NumberedDoc]:
        """Yield every other document once, from the successor of `place` in the cycle: none is its own donor."""
        rank = self._rank[place]
        for step in range(1, len(self)):
            yield self[self._order[(rank + step) % len(self)]]


@dataclass(frozen=True)
class Replacement:
    """Replaces the pictures of a document; `docs` are those of its split for `shuffled`."""

    kind: str
    seed: int = 0
    docs: NumberedDocs | None = None

    @property
    def removes(self) -> bool:
        """Whether pictures are removed."""
        return self.kind == "text"

    def __call__(
        self, pictures: Sequence[Any], doc: Any, opening: Callable[[Any], list[Any]], skip: int = 0
    ) -> list[Any]:
        """Return as many pictures ([] if `removes`), each in the form of the one that it replaces.

        `opening` returns the pictures of another document; `skip` is the number shown in earlier rounds.

        Raises InputError: no picture, such as a video; for `shuffled` too few pictures in the other questions, or a
        base that does not read `task_dict`.
        """
        if self.kind == UNCHANGED:
            return list(pictures)
        for value in pictures:
            if not is_picture(value):
                raise InputError(
                    f"Expected a task that shows pictures; this one shows {str(value)[:100]!r}, which is none. "
                    "The model `ablated` replaces pictures only, no video and no sound."
                )
        if self.removes:
            return []
        if self.docs is None:
            return [like(value, ablate(open_value(value), self.kind, self.seed)) for value in pictures]
        donated = self._donated(self.docs, {digest(open_value(value)) for value in pictures}, doc, opening)
        new = [picture for picture, _ in zip(donated, range(skip + len(pictures)), strict=False)]
        if len(new) < skip + len(pictures):
            raise InputError(
                f"Expected {skip + len(pictures)} pictures of other questions for ablation=shuffled; "
                f"the split of {len(self.docs)} questions has {len(new)}. Use another ablation."
            )
        return [like(value, picture) for value, picture in zip(pictures, new[skip:], strict=True)]

    def _donated(
        self, docs: NumberedDocs, own: set[str], doc: Any, opening: Callable[[Any], list[Any]]
    ) -> Iterator[Image.Image]:
        """Yield the pictures of the next questions; several may show one of the question's own, which is skipped."""
        if not isinstance(doc, NumberedDoc):
            raise InputError("Expected a base model that reads its documents by number; use another ablation.")
        for other in docs.others(doc.place):
            yield from (picture for picture in map(open_value, opening(other)) if digest(picture) not in own)
