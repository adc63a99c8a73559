"""Image and text embeddings of CLIP and SigLIP checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.files.pictures import open_picture

Embeddings = NDArray[np.float64]


class ClipEncoder:
    """A contrastive image-text model; embeddings are rows of unit length."""

    def __init__(self, checkpoint: str, device: str | None = None, batch_size: int = 32) -> None:
        """
        Args:
            checkpoint: folder or hub id of a model with `get_text_features` and `get_image_features`.
            device: torch device (default: a GPU if available).
            batch_size: texts or pictures in one forward pass.

        Raises:
            InputError: no checkpoint, or one of another kind.
        """
        require("hf", "A CLIP or SigLIP checkpoint")
        import torch
        from transformers import AutoModel, AutoProcessor

        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._batch_size = batch_size
        try:
            self._model = AutoModel.from_pretrained(checkpoint).eval().to(self.device)
            self._processor = AutoProcessor.from_pretrained(checkpoint)
        except (OSError, ValueError) as error:
            raise InputError(
                f"Expected {checkpoint!r} to be a folder or hub id of a CLIP or SigLIP checkpoint: "
                f"{str(error).splitlines()[0]}"
            ) from error
        if not hasattr(self._model, "get_text_features") or not hasattr(self._model, "get_image_features"):
            raise InputError(
                f"Expected {checkpoint!r} to be a CLIP or SigLIP checkpoint, found a {type(self._model).__name__}."
            )
        # SigLIP was trained with texts padded to a fixed length, CLIP masks its padding
        self._padding = "max_length" if "siglip" in self._model.config.model_type else "longest"
        self._length = int(self._model.config.text_config.max_position_embeddings)

    def texts(self, texts: Sequence[str]) -> Embeddings:
        """Return embeddings, shape (texts, dimension); texts are truncated to the model's context."""
        return self._embed(texts, self._text_inputs, "get_text_features")

    def images(self, paths: Sequence[str]) -> Embeddings:
        """Return embeddings of picture files, shape (paths, dimension)."""
        return self._embed(paths, self._image_inputs, "get_image_features")

    def _text_inputs(self, texts: Sequence[str]) -> Any:
        tokenizer = self._processor.tokenizer
        return tokenizer(
            list(texts), padding=self._padding, truncation=True, max_length=self._length, return_tensors="pt"
        )

    def _image_inputs(self, paths: Sequence[str]) -> Any:
        return self._processor.image_processor(images=[open_picture(path) for path in paths], return_tensors="pt")

    def _embed(self, items: Sequence[str], inputs: Any, features: str) -> Embeddings:
        import torch

        rows = []
        for start in tqdm(range(0, len(items), self._batch_size), features, disable=len(items) <= self._batch_size):
            batch = inputs(items[start : start + self._batch_size]).to(self.device)
            with torch.inference_mode():
                output = getattr(self._model, features)(**batch)
            pooled = output if isinstance(output, torch.Tensor) else output.pooler_output
            rows.append(torch.nn.functional.normalize(pooled.double(), dim=-1).cpu().numpy())
        return np.concatenate(rows)
