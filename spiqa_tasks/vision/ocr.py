"""OCR of figures, for the text-only baseline of SciFIBench (section 4.1).

The engine is RapidOCR, whose package ships its models; the paper used another one, so numbers differ a little.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from filelock import FileLock
from PIL import Image
from tqdm import tqdm

from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import cache_folder, write_atomically
from spiqa_tasks.files.pictures import open_picture

PACKAGE = "rapidocr"
_WHAT = "A task with text read out of figures (ocr=yes)"

_SMALLEST_SIDE = 320
"""Pixels to which a shorter side is enlarged; the engine's default 736 takes three times as long for the same text."""
_NARROWEST_LINE = 96
"""Pixels to which a line, 48 high, is padded; with the engine's default 320 short labels take twice as long."""
_MOST_WORKERS = 8
"""Engines of one thread each, which are faster than one engine of several threads."""

Reader = Callable[[Image.Image], list[str]]


def figure_texts(figures: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return sha256 digest -> text of a figure in reading order, for (digest, path) pairs.

    Texts are cached by the engine's version and the digest. A lock makes other processes wait instead of reading the
    same figures.

    Raises:
        MissingPartError: the extra `ocr` is not installed.
        DataError: the engine fails on a figure.
    """
    folder = cache_folder() / "ocr" / f"{PACKAGE}-{_version()}-{_SMALLEST_SIDE}-{_NARROWEST_LINE}"
    folder.mkdir(parents=True, exist_ok=True)
    paths = dict(figures)
    with FileLock(folder / ".lock"):
        _read_missing({digest: path for digest, path in paths.items() if not _file(folder, digest).is_file()}, folder)
    return {digest: "\n".join(json.loads(_file(folder, digest).read_text(encoding="utf-8"))) for digest in paths}


def _read_missing(missing: dict[str, str], folder: Path) -> None:
    if not missing:
        return
    own = threading.local()

    def read(figure: tuple[str, str]) -> None:
        digest, path = figure
        if not hasattr(own, "engine"):
            own.engine = _engine()
        try:
            lines = own.engine(open_picture(path))
        except Exception as error:  # the engine documents no errors of its own
            raise DataError(f"Expected the OCR engine to read {path}, it failed: {error}.") from error
        write_atomically(_file(folder, digest), json.dumps(lines, ensure_ascii=False).encode())

    with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_WORKERS)) as pool:
        for _ in tqdm(pool.map(read, missing.items()), "reading figures (OCR)", len(missing)):
            pass


def _file(folder: Path, digest: str) -> Path:
    return folder / f"{digest}.json"


def _version() -> str:
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        require("ocr", _WHAT)
        raise


def _engine() -> Reader:
    require("ocr", _WHAT)
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
