"""Small pictures for the page."""

from __future__ import annotations

import base64
import io
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from PIL import Image, ImageFile

from spiqa_tasks.report.thumbnails import SIDES, small_picture, small_pictures

SIDE = SIDES["large"]


def opened(text: str) -> Image.Image:
    """The picture that stands in the page."""
    image = Image.open(io.BytesIO(base64.b64decode(text, validate=True)))
    assert image.format == "WEBP"
    return image


def made(path: Path | str) -> Image.Image:
    """The thumbnail of a picture."""
    return opened(small_picture(str(path), SIDE))


@pytest.mark.parametrize("kind", ["png", "jpg"])
@pytest.mark.parametrize(
    ("size", "shown"), [((4000, 2000), (SIDE, SIDE // 2)), ((600, 2400), (SIDE // 4, SIDE)), ((40, 30), (40, 30))]
)
def test_the_longest_side_is_bounded(tmp_path: Path, kind: str, size: tuple[int, int], shown: tuple[int, int]) -> None:
    """The shape stays, and a small picture is not made larger."""
    path = tmp_path / f"p.{kind}"
    Image.new("RGB", size, (200, 30, 30)).save(path)
    thumbnail = made(path)
    assert thumbnail.size == shown
    assert thumbnail.convert("RGB").getpixel((5, 5)) == pytest.approx((200, 30, 30), abs=8)


def test_transparent_parts_are_white(tmp_path: Path) -> None:
    """As a model is shown them."""
    path = tmp_path / "p.png"
    Image.new("RGBA", (20, 20), (255, 0, 0, 0)).save(path)
    assert made(path).convert("RGB").getpixel((5, 5)) == pytest.approx((255, 255, 255), abs=2)


def test_a_picture_in_an_archive_is_unpacked(tmp_path: Path) -> None:
    """Its path names the archive and the member."""
    buffer = io.BytesIO()
    Image.new("RGB", (2000, 1000)).save(buffer, "PNG")
    with zipfile.ZipFile(tmp_path / "figures.zip", "w") as archive:
        archive.writestr("a/b.png", buffer.getvalue())
    assert made(f"{tmp_path / 'figures.zip'}::a/b.png").size == (1000, 500)


def png(width: int, height: int) -> bytes:
    """A PNG that says how large it is, and holds nothing."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checksum = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def test_what_cannot_be_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing, a broken, an empty and an enormous picture are empty texts at their places; the others are there."""
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", False)  # a host in this process may have changed it
    contents = {"broken": b"no picture", "empty": png(8, 8), "enormous": png(50_000, 50_000)}
    for name, content in contents.items():
        (tmp_path / f"{name}.png").write_bytes(content)
    Image.new("RGB", (9, 9)).save(tmp_path / "good.png")
    paths = [str(tmp_path / f"{name}.png") for name in ("missing", *contents, "good")]
    *unread, good = small_pictures(paths, SIDE)
    assert unread == [""] * 4
    assert opened(good).size == (9, 9)


def test_pictures_stand_in_their_order(tmp_path: Path) -> None:
    """However long each takes; no picture at all is no work."""
    for number in range(3):
        Image.new("RGB", (10 + number, 10)).save(tmp_path / f"{number}.png")
    paths = [str(tmp_path / f"{number}.png") for number in (2, 0, 1)]
    assert [opened(text).width for text in small_pictures(paths, 11)] == [11, 10, 11]
    assert small_pictures([], SIDE) == []
