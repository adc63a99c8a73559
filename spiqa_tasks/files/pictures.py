"""Pictures as files: written from parquet rows, checked before a run, opened."""

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import compress
from pathlib import Path
from typing import Any

from PIL import ExifTags, Image, ImageFile, ImageOps, PngImagePlugin, UnidentifiedImageError

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.atomic import cache_folder, write_atomically

# Exceptions of PIL for a picture that cannot be decoded, or that is much larger than its file.
UNREADABLE = (
    UnidentifiedImageError,
    Image.DecompressionBombError,
    OSError,
    SyntaxError,
    ValueError,
    MemoryError,
)
# Of pictures that every model class reads.
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
# First bytes of an encoded picture -> suffix.
_SIGNATURES = {
    b"\x89PNG": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"GIF8": ".gif",
    b"RIFF": ".webp",
    b"BM": ".bmp",
}
# Files kept in memory as bytes; consecutive questions share the figures of a paper.
KEPT = 128


def open_picture(path: str) -> Image.Image:
    """Return the picture as `on_page` shows it. Raises DataError: missing or not decodable."""
    with _named_if_unreadable(path), Image.open(path) as image:
        return on_page(image)


def on_page(image: Image.Image) -> Image.Image:
    """Return the image as on a paper's page: RGB, 8 bits, upright, transparent parts white."""
    if _is_turned(image):
        image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I"):  # 16 bits, which PIL would cut off at 255
        levels = image.convert("I").point(lambda value: value * (1 / 257) + 0.5)  # rounded
        return levels.convert("L").convert("RGB")
    if _is_transparent(image):
        rgba = image.convert("RGBA")
        page = Image.new("RGBA", rgba.size, "white")
        return Image.alpha_composite(page, rgba).convert("RGB")
    return image.convert("RGB")


def _is_on_page(image: Image.Image) -> bool:
    """Return whether model classes show an image as on a page, by PIL's conversion to RGB."""
    # Some send CMYK as it is, some do not turn by EXIF.
    is_plain = image.mode in ("RGB", "L", "P", "1")
    return is_plain and not _is_transparent(image) and not _is_turned(image)


def page_path(path: str) -> str:
    """Return the file of a picture as `open_picture` shows it: itself, else a PNG written once.

    Model classes drop transparency, cut off 16 bits, and refuse files of other `SUFFIXES`.
    Raises as `open_picture`.
    """
    with _named_if_unreadable(path), Image.open(path) as image:
        if _is_on_page(image) and Path(path).suffix.lower() in SUFFIXES:
            return path
    name = version_digest([path])
    page = cache_folder() / "page" / name[:2] / f"{name}.png"
    return made_once(page, lambda: open_picture(path))


@contextmanager
def _named_if_unreadable(path: str) -> Iterator[None]:
    """Turn the error of a broken picture into a DataError that names it."""
    try:
        yield
    except UNREADABLE as error:
        raise DataError(
            f"Expected a readable picture at {path}, found {type(error).__name__} {error}. "
            "Fetch the data again."
        ) from error


def _is_transparent(image: Image.Image) -> bool:
    """Return whether a picture has an alpha channel, or a transparent colour."""
    return image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info


def _is_turned(image: Image.Image) -> bool:
    """Return whether a photograph is stored in another orientation than it is seen in."""
    return "exif" in image.info and image.getexif().get(ExifTags.Base.Orientation, 1) != 1


class EncodedPicture(PngImagePlugin.PngImageFile):
    """A PNG whose `save(..., format="PNG")` copies its bytes.

    API classes of the host encode a picture for each question.
    """

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
    """Return the picture of a file as `open_picture` does, encoded once as PNG.

    An opaque PNG stays as it is.
    """
    return EncodedPicture(_png(path, os.stat(path).st_mtime_ns))


@lru_cache(maxsize=KEPT)
def _png(path: str, modified: int) -> bytes:  # noqa: ARG001 - a changed file is another entry
    """Return a picture's file as PNG, itself if it is one that pages can show."""
    with Image.open(path) as image:
        is_png = image.format == "PNG" and _is_on_page(image)
    return Path(path).read_bytes() if is_png else png(open_picture(path))


def check_pictures(paths: Iterable[str]) -> None:
    """Decode every picture, unchanged ones once; DataError for those that are broken."""
    unique = sorted(set(paths))
    stamp = cache_folder() / "checked" / version_digest(unique)
    if stamp.exists():
        return

    # PIL has to refuse cut pictures; some modules of the hosts tell it to show what is left.
    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        with ThreadPoolExecutor() as pool:
            broken = list(compress(unique, pool.map(_is_broken, unique)))
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before

    if broken:
        raise DataError(
            f"Expected readable pictures, found {len(broken)} that cannot be decoded, the first is "
            f"{broken[0]}. Delete it and its archive's extracted folder; fetch the data again."
        )
    with suppress(OSError):  # a cache that is read-only is checked each time
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()


def _is_broken(path: str) -> bool:
    """Return whether a picture cannot be decoded to its end."""
    try:
        with Image.open(path) as image:
            image.load()  # checksums do not show all faults
    except UNREADABLE:
        return True
    return False


def version_digest(paths: Iterable[str]) -> str:
    """Return a digest of paths, sizes and times: another one for files that were changed."""
    listing = hashlib.sha256()
    for path in paths:
        status = os.stat(path)
        listing.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return listing.hexdigest()[:24]


def write_pictures(folder: str, pictures: Sequence[tuple[str, bytes]]) -> list[str]:
    """Write (name without suffix, encoded bytes) pairs below the cache's `images/<folder>`.

    Returns their paths.
    """
    target = cache_folder() / "images" / folder
    contents = {target / f"{name}{_suffix(content)}": content for name, content in pictures}

    for path, content in contents.items():
        is_whole = path.is_file() and path.stat().st_size == len(content)
        if not is_whole:  # a filled cache may be read-only
            write_atomically(path, content)
    return [str(path) for path in contents]


def png(image: Image.Image) -> bytes:
    """Encode as PNG."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def made_once(path: Path, make: Callable[[], Image.Image]) -> str:
    """Return the path of a PNG in the cache, made unless it is there."""
    if not path.exists():
        write_atomically(path, png(make()))
    return str(path)


def encoded(cell: Any, where: str) -> bytes:
    """Return the encoded bytes of a parquet Image cell: {bytes, path}, or the bytes alone."""
    content = cell.get("bytes") if isinstance(cell, dict) else cell
    if not isinstance(content, bytes) or not content:
        raise DataError(f"Expected a picture in {where}, found none. Fetch the file again.")
    return content


def _suffix(content: bytes) -> str:
    """Return the suffix of an encoded picture's format."""
    for start, suffix in _SIGNATURES.items():
        if content.startswith(start):
            return suffix
    return ".img"
