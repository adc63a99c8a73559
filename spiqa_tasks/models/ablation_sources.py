"""The two ways to replace a question's pictures: by what is made of each, and by those of another question."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from PIL import Image

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.ablation_hooks import PicturesOf
from spiqa_tasks.models.picture_ablation import ablate, digest, like, open_value


class AblatedPictures:
    """Every picture becomes one made from it (`ablate`), or none (`text`)."""

    def __init__(self, kind: str, seed: int) -> None:
        self.removes = kind == "text"
        self._kind = kind
        self._seed = seed

    def __call__(self, pictures: Sequence[Any], doc: Any, opening: PicturesOf, skip: int = 0) -> list[Any]:  # noqa: ARG002
        """See `PictureSource`."""
        if self.removes:
            return []
        return [like(value, ablate(open_value(value), self._kind, self._seed)) for value in pictures]


class NumberedDoc(dict[str, Any]):
    """A document that knows its place in its split."""

    place: int


class NumberedDocs:
    """A split whose documents know their place, and the cycle through all of them that `shuffled` follows."""

    def __init__(self, docs: Any, seed: str) -> None:
        """
        Args:
            docs: the host's split.
            seed: what the cycle depends on, next to the number of documents.
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
        if name.startswith("__") or name == "docs":  # not yet there when a copy is made
            raise AttributeError(name)
        return getattr(self.docs, name)

    def others(self, place: int) -> Iterator[NumberedDoc]:
        """Yield every other document once, from the one after `place` in the cycle: so no document is its own donor."""
        rank = self._rank[place]
        for step in range(1, len(self)):
            yield self[self._order[(rank + step) % len(self)]]


class ShuffledPictures:
    """Every picture becomes one of the question that follows in the cycle of its split.

    Where that question shows fewer pictures, those after it give theirs, so that the number of pictures stays. A
    picture that the question itself shows (benchmarks ask several questions about one) is passed over.
    """

    removes = False

    def __init__(self, docs: NumberedDocs) -> None:
        self._docs = docs

    def __call__(self, pictures: Sequence[Any], doc: Any, opening: PicturesOf, skip: int = 0) -> list[Any]:
        """See `PictureSource`.

        Raises:
            InputError: the other questions of the split do not show enough pictures, or a base model that does not
                take documents from its `task_dict`.
        """
        own = {digest(open_value(value)) for value in pictures}
        if not isinstance(doc, NumberedDoc):
            raise InputError("Expected a base model that reads its documents by number; use another ablation.")
        found: list[Image.Image] = []
        for other in self._docs.others(doc.place):
            candidates = [open_value(value) for value in opening(other)]
            found += [picture for picture in candidates if digest(picture) not in own]
            if len(found) >= skip + len(pictures):
                break
        else:
            raise InputError(
                f"Expected {skip + len(pictures)} pictures of other questions for ablation=shuffled; "
                f"the split of {len(self._docs)} questions has {len(found)}. Use another ablation."
            )
        return [like(value, picture) for value, picture in zip(pictures, found[skip:], strict=False)]
