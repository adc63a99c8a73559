"""Pictures as files: written from parquet rows, checked once before a run, opened for a model, ablated."""

import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from itertools import compress
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock
from PIL import ExifTags, Image, ImageFile, ImageOps, PngImagePlugin, UnidentifiedImageError

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.atomic import cache_folder, write_atomically

UNREADABLE = (
    UnidentifiedImageError,
    Image.DecompressionBombError,
    OSError,
    SyntaxError,
    ValueError,
    MemoryError,
)
"""Exceptions of PIL for a picture that cannot be decoded, or that is much larger than its file."""
Ablation = Literal["none", "grey", "text"]
GREY = 128
"""Grey value of all three channels of pictures with the ablation `grey` (MMStar paper, section 5.1)."""
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
"""Of pictures that every model class reads."""
KEPT = 128
"""Files kept in memory as bytes; consecutive questions share the figures of a paper."""


def open_picture(path: str) -> Image.Image:
    """Return the picture as `on_page` shows it; DataError for a file that is missing or cannot be decoded."""
    with _named_if_unreadable(path), Image.open(path) as image:
        return on_page(image)


def on_page(image: Image.Image) -> Image.Image:
    """Return the image as RGB with 8 bits a channel, upright, its transparent parts white, as on a paper's page."""
    if _is_turned(image):
        image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I"):  # 16 bits, which PIL would cut off at 255
        return (
            image.convert("I")
            .point(lambda value: value * (1 / 257) + 0.5)
            .convert("L")
            .convert("RGB")
        )
    if _is_transparent(image):
        rgba = image.convert("RGBA")
        page = Image.new("RGBA", rgba.size, "white")
        return Image.alpha_composite(page, rgba).convert("RGB")
    return image.convert("RGB")


def _is_on_page(image: Image.Image) -> bool:
    # PIL's conversion to RGB, which model classes use, shows it so; some send CMYK as it is, some do not turn by EXIF
    return image.mode in ("RGB", "L", "P", "1") and not (
        _is_transparent(image) or _is_turned(image)
    )


def page_path(path: str) -> str:
    """Return the file of a picture as `open_picture` shows it: the file itself, else a PNG that is written once.

    Model classes drop transparency, cut off 16 bits, and refuse files of other `SUFFIXES`. Raises as `open_picture`.
    """
    with _named_if_unreadable(path), Image.open(path) as image:
        if _is_on_page(image) and Path(path).suffix.lower() in SUFFIXES:
            return path
    status = os.stat(path)
    name = hashlib.sha256(f"{path} {status.st_size} {status.st_mtime_ns}".encode()).hexdigest()[:24]
    page = cache_folder() / "page" / name[:2] / f"{name}.png"
    if not page.exists():
        save_png(open_picture(path), page)
    return str(page)


@contextmanager
def _named_if_unreadable(path: str) -> Iterator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise DataError(
            f"Expected a readable picture at {path}, found {type(error).__name__} {error}. Fetch the data again."
        ) from error


def _is_transparent(image: Image.Image) -> bool:
    return image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info


def _is_turned(image: Image.Image) -> bool:
    return "exif" in image.info and image.getexif().get(ExifTags.Base.Orientation, 1) != 1


class EncodedPicture(PngImagePlugin.PngImageFile):
    """A PNG whose `save(..., format="PNG")` copies its bytes: API classes of the host encode it for each question."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        super().__init__(io.BytesIO(content))

    def save(self, fp: Any, format: str | None = None, **params: Any) -> None:
        """Copy the encoded bytes for PNG without options, else encode."""
        if format == "PNG" and not params and hasattr(fp, "write"):
            fp.write(self._content)
        else:
            super().save(fp, format, **params)


def encoded_picture(path: str) -> EncodedPicture:
    """Return the picture of a file as `open_picture` does: an opaque PNG as it is, others encoded once as PNG."""
    return EncodedPicture(_png(path, os.stat(path).st_mtime_ns))


@lru_cache(maxsize=KEPT)
def _png(path: str, modified: int) -> bytes:  # noqa: ARG001 - a changed file is another entry
    with Image.open(path) as image:
        is_png = image.format == "PNG" and _is_on_page(image)
    return Path(path).read_bytes() if is_png else png(open_picture(path))


def check_pictures(paths: Iterable[str]) -> None:
    """Decode every picture, unchanged ones once; DataError for the first that cannot be decoded."""
    if broken := broken_pictures(paths):
        raise DataError(
            f"Expected every figure to be a readable picture, found {len(broken)} that cannot be decoded, "
            f"the first is {broken[0]}. Delete it (and its archive's extracted folder) and fetch the data again."
        )


def broken_pictures(paths: Iterable[str]) -> list[str]:
    """Return the pictures that cannot be decoded, in the order of their paths."""
    unique = sorted(set(paths))
    stamp = _stamp(unique, "checked")
    if stamp.exists():
        return []
    # PIL has to refuse cut and broken pictures; some modules of the hosts tell it to show what is left of them
    before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, False

    def is_broken(path: str) -> bool:
        try:
            with Image.open(path) as image:
                image.load()  # checksums alone do not tell
        except UNREADABLE:
            return True
        return False

    try:
        with ThreadPoolExecutor() as pool:
            broken = list(compress(unique, pool.map(is_broken, unique)))
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before
    if not broken:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    return broken


def _stamp(paths: Sequence[str], folder: str) -> Path:
    listing = hashlib.sha256()
    for path in paths:
        status = os.stat(path)
        listing.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return cache_folder() / folder / listing.hexdigest()[:24]


def write_pictures(folder: str, pictures: Sequence[tuple[str, bytes]]) -> list[str]:
    """Write (name without suffix, encoded bytes) pairs below the cache's `images/<folder>`; return their paths."""
    target = cache_folder() / "images" / folder
    target.mkdir(parents=True, exist_ok=True)
    paths = [target / f"{name}{_suffix(content)}" for name, content in pictures]
    with FileLock(target / ".lock"):
        for path, (_, content) in zip(paths, pictures, strict=True):
            if not path.is_file() or path.stat().st_size != len(content):
                write_atomically(path, content)
    return [str(path) for path in paths]


def png(image: Image.Image) -> bytes:
    """Encode as PNG."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def save_png(image: Image.Image, path: Path) -> None:
    """Write a picture atomically."""
    write_atomically(path, png(image))


def encoded(cell: Any, where: str) -> bytes:
    """Return the encoded bytes of a parquet Image cell: {bytes, path}, or the bytes alone."""
    content = (
        cell.get("bytes") if isinstance(cell, dict) else cell if isinstance(cell, bytes) else None
    )
    if not content:
        raise DataError(f"Expected a picture in {where}, found none. Fetch the file again.")
    return bytes(content)


def _suffix(content: bytes) -> str:
    signatures = {
        b"\x89PNG": ".png",
        b"\xff\xd8\xff": ".jpg",
        b"GIF8": ".gif",
        b"RIFF": ".webp",
        b"BM": ".bmp",
    }
    return next(
        (suffix for start, suffix in signatures.items() if content.startswith(start)), ".img"
    )


def ablated_pictures(paths: Sequence[str], ablation: Ablation) -> list[str]:
    """Return the pictures to show: the same ones, or with `grey` grey ones of the same sizes."""
    if ablation != "grey":
        return list(paths)
    shown = []
    for path in paths:
        with Image.open(path) as image:
            width, height = image.size
        grey = cache_folder() / "grey" / f"{width}x{height}-{GREY}.png"
        if not grey.exists():
            save_png(Image.new("RGB", (width, height), (GREY, GREY, GREY)), grey)
        shown.append(str(grey))
    return shown
