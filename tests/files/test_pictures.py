"""Pictures as files: checked once, shown as on a page, written out of parquet cells."""

import base64
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import ExifTags, Image

from spiqa_tasks.benchmarks.prompting import Picture, chat_content
from spiqa_tasks.errors import DataError
from spiqa_tasks.files import pictures as module
from spiqa_tasks.files.pictures import (
    check_pictures,
    encoded,
    encoded_picture,
    open_picture,
    page_path,
    write_pictures,
)


def test_picture_that_cannot_be_decoded_is_named_and_a_good_one_is_read_once(
    tmp_path: Path,
) -> None:
    """Every picture is checked; the broken one is in the message, and a clean set is remembered."""
    good, bad = tmp_path / "good.png", tmp_path / "bad.png"
    Image.new("RGB", (4, 4)).save(good)
    bad.write_bytes(good.read_bytes()[:40])
    with pytest.raises(DataError, match=r"bad\.png"):
        check_pictures([str(good), str(bad)])
    check_pictures([str(good)])
    times = good.stat().st_atime_ns, good.stat().st_mtime_ns
    good.write_bytes(b"x" * good.stat().st_size)
    os.utime(good, ns=times)
    check_pictures([str(good)])
    os.utime(good, ns=(times[0], times[1] + 1))
    with pytest.raises(DataError, match=r"good\.png"):
        check_pictures([str(good)])


def test_transparent_parts_become_white(tmp_path: Path) -> None:
    """A figure with a transparent background is shown as on a page, not black."""
    path = tmp_path / "figure.png"
    Image.new("RGBA", (2, 2), (255, 0, 0, 0)).save(path)
    assert open_picture(str(path)).getpixel((0, 0)) == (255, 255, 255)


def test_transparent_colours_of_a_palette_become_white() -> None:
    """In the mode PA, which has a palette and its own transparency."""
    image = Image.new("PA", (2, 1))
    image.putpalette([255, 0, 0, 0, 255, 0])
    image.putdata([(0, 255), (1, 0)])
    page = module.on_page(image)
    assert [page.getpixel((x, 0)) for x in (0, 1)] == [(255, 0, 0), (255, 255, 255)]


def test_16_bits_become_8(tmp_path: Path) -> None:
    """Every grey value keeps its share of the range; PIL would make white of all but the
    darkest.
    """
    path = tmp_path / "figure.png"
    Image.fromarray(np.array([[0, 256, 0x8080, 65535]], dtype=np.uint16)).save(path)
    assert np.asarray(open_picture(str(path)))[0].tolist() == [
        [value] * 3 for value in (0, 1, 128, 255)
    ]


def test_every_level_of_16_bits_is_rounded() -> None:
    """To the nearest of 256."""
    levels = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    page = np.asarray(module.on_page(Image.fromarray(levels)))
    assert np.array_equal(page[..., 0], np.round(levels / 257).astype(np.uint8))


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(
            (kind, "a.png")
            for kind in (
                "rgb",
                "grey",
                "palette",
                "rgba",
                "grey with alpha",
                "clear palette",
                "16 bits",
            )
        ),
        *(("rgb", name) for name in ("a.jpg", "a.BMP", "a.gif", "a.webp", "a.tif", "a")),
        *(("cmyk", name) for name in ("a.jpg", "a.tiff")),
        *(("turned", name) for name in ("a.png", "a.jpg", "a.tif")),
    ],
)
def test_the_file_that_a_model_class_opens_has_the_pixels_of_the_page(
    tmp_path: Path, kind: str, name: str
) -> None:
    """The file itself if every class shows it so (format, channels, orientation), else a PNG
    that is made once.
    """
    path = tmp_path / name
    noise = np.random.default_rng(0).integers(0, 256, (9, 7, 4), dtype=np.uint8)
    rgba = Image.fromarray(noise)
    made = {
        "rgb": rgba.convert("RGB"),
        "grey": rgba.convert("L"),
        "palette": rgba.convert("RGB").quantize(9),
        "rgba": rgba,
        "grey with alpha": rgba.convert("LA"),
        "clear palette": rgba.quantize(9),
        "16 bits": Image.fromarray(noise[..., 0].astype(np.uint16) * 257),
        "cmyk": rgba.convert("RGB").convert("CMYK"),
        "turned": rgba.convert("RGB"),
    }[kind]
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6 if kind == "turned" else 1
    made.save(path, format=None if path.suffix else "PNG", exif=exif)
    shown = page_path(str(path))
    seen = Image.open(shown)
    assert np.array_equal(np.asarray(seen.convert("RGB")), np.asarray(open_picture(str(path))))
    assert seen.size == ((9, 7) if kind == "turned" else (7, 9))
    assert seen.mode in ("RGB", "L", "P")
    is_shown_alike = kind in ("rgb", "grey", "palette") and name not in ("a", "a.tif")
    assert (shown == str(path)) == is_shown_alike
    assert page_path(str(path)) == shown
    assert encoded_picture(str(path)).convert("RGB").tobytes() == open_picture(str(path)).tobytes()


def test_parquet_cells_are_written_once_with_the_suffix_of_their_content(tmp_path: Path) -> None:
    """A cell's bytes become a file of its name and format; a file cut short is written again; no
    bytes are an error.
    """
    Image.new("RGB", (4, 4), "red").save(tmp_path / "red.png")
    content = (tmp_path / "red.png").read_bytes()
    assert encoded({"bytes": content, "path": None}, "row 1") == content
    first = [
        Path(path) for path in write_pictures("set", [("a", content), ("b", b"\xff\xd8\xff more")])
    ]
    assert [path.name for path in first] == ["a.png", "b.jpg"]
    first[0].write_bytes(content[:9])
    assert write_pictures("set", [("a", content)]) == [str(first[0])]
    assert first[0].read_bytes() == content
    with pytest.raises(DataError, match="in row 1"):
        encoded({"bytes": b"", "path": "x.png"}, "row 1")


def test_a_filled_cache_need_not_be_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written where nothing is missing, and what cannot be noted is checked again."""
    Image.new("RGB", (4, 4), "red").save(tmp_path / "red.png")
    cell = ("a", (tmp_path / "red.png").read_bytes())
    paths = write_pictures("set", [cell])

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError

    monkeypatch.setattr(module, "write_atomically", refuse)
    assert write_pictures("set", [cell]) == paths
    monkeypatch.setattr(Path, "touch", refuse)
    check_pictures(paths)


def noise(folder: Path, name: str, mode: str = "RGB") -> Path:
    path = folder / name
    Image.frombytes(mode, (40, 30), os.urandom(40 * 30 * len(mode))).save(path)
    return path


def saved(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return buffer.getvalue()


def test_opaque_png_is_copied(tmp_path: Path) -> None:
    """Saving as PNG gives the file's bytes, and the pixels are those of the file."""
    path = noise(tmp_path, "a.png")
    picture = encoded_picture(str(path))
    assert saved(picture) == path.read_bytes()
    assert picture.convert("RGB").tobytes() == open_picture(str(path)).tobytes()


@pytest.mark.parametrize(("name", "mode"), [("a.jpg", "RGB"), ("a.png", "RGBA"), ("a.webp", "RGB")])
def test_other_pictures_are_encoded_once_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, mode: str
) -> None:
    """Other formats, and transparent pictures on their white page, become a PNG that is made
    once.
    """
    path = noise(tmp_path, name, mode)
    shown = open_picture(str(path)).tobytes()
    first = saved(encoded_picture(str(path)))
    monkeypatch.setattr(module, "open_picture", lambda _: pytest.fail("encoded again"))
    assert saved(encoded_picture(str(path))) == first
    assert Image.open(io.BytesIO(first)).convert("RGB").tobytes() == shown


def test_changed_file_is_read_again(tmp_path: Path) -> None:
    """A file written anew under the same name is shown anew."""
    path = noise(tmp_path, "a.png")
    before = saved(encoded_picture(str(path)))
    noise(tmp_path, "a.png")
    os.utime(path, ns=(1, 1))
    assert saved(encoded_picture(str(path))) == path.read_bytes() != before


def test_host_sends_the_file_as_it_is(tmp_path: Path) -> None:
    """In the host's message for an API model the data URL holds the file's own bytes."""
    from lmms_eval.protocol import ChatMessages

    path = noise(tmp_path, "a.png")
    content = chat_content(["Look: ", Picture(str(path))], "encoded")
    messages = ChatMessages(messages=[{"role": "user", "content": content}]).to_openai_messages()
    url = messages[0]["content"][1]["image_url"]["url"]
    assert url == "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()
