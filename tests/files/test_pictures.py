"""Pictures as files: checked once, shown as on a page, written out of parquet cells."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.pictures import check_pictures, encoded, open_picture, page_path, save_png, write_pictures


def test_picture_that_cannot_be_decoded_is_named_and_a_good_one_is_read_once(tmp_path: Path) -> None:
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


def test_16_bits_become_8(tmp_path: Path) -> None:
    """Every grey value keeps its share of the range; PIL would make white of all but the darkest."""
    path = tmp_path / "figure.png"
    Image.fromarray(np.array([[0, 256, 0x8080, 65535]], dtype=np.uint16)).save(path)
    assert np.asarray(open_picture(str(path)))[0].tolist() == [[value] * 3 for value in (0, 1, 128, 255)]


@pytest.mark.parametrize(
    "kind", ["rgb", "grey", "palette", "jpeg", "rgba", "grey with alpha", "clear palette", "16 bits"]
)
def test_the_file_that_a_model_class_opens_has_the_pixels_of_the_page(tmp_path: Path, kind: str) -> None:
    """The file itself where PIL's own conversion shows it so, else a copy that is made once."""
    path = tmp_path / ("figure.jpg" if kind == "jpeg" else "figure.png")
    noise = np.random.default_rng(0).integers(0, 256, (9, 7, 4), dtype=np.uint8)
    rgba = Image.fromarray(noise)
    made = {
        "rgb": rgba.convert("RGB"),
        "grey": rgba.convert("L"),
        "palette": rgba.convert("RGB").quantize(9),
        "jpeg": rgba.convert("RGB"),
        "rgba": rgba,
        "grey with alpha": rgba.convert("LA"),
        "clear palette": rgba.quantize(9),
        "16 bits": Image.fromarray(noise[..., 0].astype(np.uint16) * 257),
    }[kind]
    made.save(path)
    shown = page_path(str(path))
    assert np.array_equal(np.asarray(Image.open(shown).convert("RGB")), np.asarray(open_picture(str(path))))
    assert (shown == str(path)) == (kind in ("rgb", "grey", "palette", "jpeg"))
    assert page_path(str(path)) == shown


def test_a_picture_that_is_gone_is_told_when_it_is_shown(tmp_path: Path) -> None:
    """By name."""
    with pytest.raises(DataError, match=r"gone\.png"):
        page_path(str(tmp_path / "gone.png"))


def test_parquet_cells_are_written_once_with_the_suffix_of_their_content(tmp_path: Path) -> None:
    """A cell's bytes become a file of its name and format; a file cut short is written again; no bytes are an error."""
    save_png(Image.new("RGB", (4, 4), "red"), tmp_path / "red.png")
    content = (tmp_path / "red.png").read_bytes()
    assert encoded({"bytes": content, "path": None}, "row 1") == content
    first = [Path(path) for path in write_pictures("set", [("a", content), ("b", b"\xff\xd8\xff more")])]
    assert [path.name for path in first] == ["a.png", "b.jpg"]
    first[0].write_bytes(content[:9])
    assert write_pictures("set", [("a", content)]) == [str(first[0])]
    assert first[0].read_bytes() == content
    with pytest.raises(DataError, match="in row 1"):
        encoded({"bytes": b"", "path": "x.png"}, "row 1")
