"""The vision-language baseline of the SciFIBench paper (section 4.1): the option of highest image-text similarity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lmms_eval.api.instance import Instance

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.base import Baseline, Doc
from spiqa_tasks.vision.clip_encoder import ClipEncoder, Embeddings


class ClipChoice(Baseline):
    """Answers SciFIBench in both directions by the cosine of a CLIP or SigLIP checkpoint's embeddings."""

    def __init__(
        self, pretrained: str, batch_size: int | str | None = None, device: str | None = None, **kwargs: Any
    ) -> None:
        """
        Args:
            pretrained: folder or hub id of a transformers checkpoint.
            batch_size: pictures or texts in one forward pass; 32 unless more than 1 is given.
        """
        super().__init__(**kwargs)
        size = int(batch_size) if batch_size is not None and str(batch_size).isdigit() else 0
        self._encoder = ClipEncoder(pretrained, device, size if size > 1 else 32)
        self._texts: dict[str, Embeddings] = {}
        self._images: dict[str, Embeddings] = {}

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one letter per request; every different picture and caption is embedded once, in batches."""
        self._prepare([self.document(request) for request in requests])
        return super().generate_until(requests)

    def check(self, doc: Doc) -> None:
        """Raise InputError for what is no SciFIBench task with pictures."""
        _captions(doc)

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:  # noqa: ARG002 - of the common interface
        """Return the letter of the most similar option, the first one of equals."""
        texts = np.stack([self._texts[text] for text in _captions(doc)])
        images = np.stack([self._images[path] for path in doc["images"]])
        similarities = (texts @ images.T).ravel()
        return str(doc["letters"][int(np.argmax(similarities))])

    def _prepare(self, docs: Sequence[Doc]) -> None:
        texts = sorted({text for doc in docs for text in _captions(doc)} - self._texts.keys())
        paths = sorted({path for doc in docs for path in doc["images"]} - self._images.keys())
        if texts:
            self._texts |= dict(zip(texts, self._encoder.texts(texts), strict=True))
        if paths:
            self._images |= dict(zip(paths, self._encoder.images(paths), strict=True))


def _captions(doc: Doc) -> list[str]:
    if doc.get("benchmark") != "scifibench" or not doc["images"]:
        raise InputError("Expected a SciFIBench task that shows its figures; clip_choice compares them with captions.")
    return list(doc["options"]) if doc["subcategory"] == "fig2cap" else [doc["question"]]
