"""Text and embeddings of figures: OCR, for SciFIBench's text-only baseline (4.1), CLIP and SigLIP.

The OCR engine is RapidOCR, whose package ships its models; the paper used another one, so numbers
differ a little.
"""

import json
import logging
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray
from PIL import Image

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import cache_folder, write_atomically
from spiqa_tasks.files.pictures import open_picture
from spiqa_tasks.printable import progress

# The OCR engine: it runs on a CPU, without another program or a download.
PACKAGE = "rapidocr"

# Pixels to which the shorter side of a small picture is enlarged. The engine's default, 736, takes
# three times as long for the same text.
_SMALLEST_SIDE = 320
# Pixels to which a short line of text, 48 high, is padded. With the engine's default, 320, short
# labels take twice as long.
_NARROWEST_LINE = 96
# Engines at a time, of one thread each: they are faster than one engine of several threads.
_MOST_WORKERS = 8

# Picture -> its lines of text.
Reader = Callable[[Image.Image], list[str]]
# A row per text or picture, scaled to length 1.
Embeddings = NDArray[np.float64]


def figure_texts(figures: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return sha256 digest -> text in reading order, for (digest, path) pairs of figures.

    Texts are cached by the engine's version and the digest. Of several processes one reads, the
    others wait for its texts. Raises MissingPartError: no extra `ocr`; DataError: the engine fails.
    """
    require("ocr", "Text read out of figures (ocr=yes, ocr_baseline)")
    engine = f"{PACKAGE}-{metadata.version(PACKAGE)}-{_SMALLEST_SIDE}-{_NARROWEST_LINE}"
    folder = cache_folder() / "ocr" / engine
    paths = dict(figures)
    files = {digest: folder / f"{digest}.json" for digest in paths}

    # Only texts to be read need the lock: a filled cache may be read-only.
    if not all(file.is_file() for file in files.values()):
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            unread = {file: paths[digest] for digest, file in files.items() if not file.is_file()}
            _write_lines(unread)

    texts = {}
    for digest, file in files.items():
        lines = json.loads(file.read_text(encoding="utf-8"))
        texts[digest] = "\n".join(lines)
    return texts


def _write_lines(figures: dict[Path, str]) -> None:
    """Read figures, and write the lines of each as JSON; `figures` is {file to write: figure}."""
    per_thread = threading.local()

    def read(figure: tuple[Path, str]) -> None:
        """Write the lines that the engine reads in a picture; each thread has an engine.

        Raises DataError: the engine failed.
        """
        file, path = figure
        if not hasattr(per_thread, "engine"):
            per_thread.engine = _engine()
        try:
            lines = per_thread.engine(open_picture(path))
        except Exception as error:  # the engine documents no errors of its own
            raise DataError(
                f"Expected the OCR engine to read {path}, it failed: {error}."
            ) from error
        write_atomically(file, json.dumps(lines, ensure_ascii=False).encode())

    workers = min(os.cpu_count() or 1, _MOST_WORKERS)
    doing = "reading figures (OCR)"
    with progress(doing, len(figures)) as bar, ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(read, figures.items()):  # errors of the workers are raised here
            bar.n += 1


def _engine() -> Reader:
    """Return a new engine; threads must not share one."""
    from rapidocr import RapidOCR

    engine = RapidOCR(
        params={
            "Global.log_level": "error",
            "Det.limit_type": "min",
            "Det.limit_side_len": _SMALLEST_SIDE,
            "Rec.rec_img_shape": [3, 48, _NARROWEST_LINE],
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        }
    )
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return lambda picture: list(engine(picture).txts or ())


class ClipEncoder:
    """A CLIP or SigLIP model, which embeds texts and pictures in one space."""

    def __init__(self, checkpoint: str, device: str | None = None, batch_size: int = 32) -> None:
        """Load the model from a folder or the hub, onto a GPU if there is one and no `device`.

        Raises InputError: no model, or one of another kind.
        """
        require("hf", "A CLIP or SigLIP checkpoint")
        import torch
        from transformers import AutoModel, AutoProcessor

        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._batch_size = batch_size
        try:
            self._model = AutoModel.from_pretrained(checkpoint).eval().to(self.device)
            self._processor = AutoProcessor.from_pretrained(checkpoint)
            self._length = int(self._model.config.text_config.max_position_embeddings)
        except (OSError, ValueError, AttributeError) as error:
            found = str(error).splitlines()[0]
            raise InputError(
                f"Expected {checkpoint!r} to be a CLIP or SigLIP checkpoint, found {found}"
            ) from error
        # SigLIP was trained with texts padded to a fixed length, CLIP masks its padding
        self._padding = "max_length" if "siglip" in self._model.config.model_type else "longest"

    def texts(self, texts: Sequence[str]) -> Embeddings:
        """Return embeddings, shape (texts, dimension), of texts cut to the model's context."""

        def inputs(batch: Sequence[str]) -> Any:
            """Return a batch of texts as padded tensors."""
            return self._processor.tokenizer(
                list(batch),
                padding=self._padding,
                truncation=True,
                max_length=self._length,
                return_tensors="pt",
            )

        return self._embed(texts, inputs, "get_text_features")

    def images(self, paths: Sequence[str]) -> Embeddings:
        """Return embeddings of picture files, shape (paths, dimension)."""

        def inputs(batch: Sequence[str]) -> Any:
            pictures = [open_picture(path) for path in batch]
            return self._processor.image_processor(pictures, return_tensors="pt")

        return self._embed(paths, inputs, "get_image_features")

    def _embed(
        self, items: Sequence[str], inputs: Callable[[Sequence[str]], Any], method: str
    ) -> Embeddings:
        """Return the embeddings that a method of the model gives for the inputs of each batch."""
        import torch

        rows = []
        starts = range(0, len(items), self._batch_size)
        with progress(method, len(starts)) as bar:
            for start in starts:
                batch = inputs(items[start : start + self._batch_size]).to(self.device)
                with torch.inference_mode():
                    output = getattr(self._model, method)(**batch)
                # Some versions of transformers return the tensor, others an object with it.
                pooled = output if isinstance(output, torch.Tensor) else output.pooler_output
                rows.append(torch.nn.functional.normalize(pooled.double(), dim=-1).cpu().numpy())
                bar.n += 1
        return np.concatenate(rows)
