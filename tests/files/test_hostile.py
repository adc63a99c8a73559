"""Files that are damaged or made to harm: one sentence each, and nothing is lost."""

import json
import struct
import warnings
import zipfile
import zlib
from pathlib import Path

import pytest
from PIL import Image, ImageFile

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.archives import extract
from spiqa_tasks.files.pictures import check_pictures
from spiqa_tasks.runs.paths import read_path


def _read(path: Path) -> None:
    """Read the answers in a file."""
    for run in read_path(path, ())[0]:
        run.read()


def _archive(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.png", b"pixels" * 100)
    return path


def _patched(path: Path, offset: int, value: int) -> Path:
    """The archive with a 16-bit field of its member's two headers changed."""
    content = bytearray(path.read_bytes())
    for signature, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        place = content.index(signature) + offset + shift
        content[place : place + 2] = struct.pack("<H", value)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(("offset", "value"), [(6, 1), (8, 9)], ids=["encrypted", "deflate64"])
def test_an_archive_that_cannot_be_unpacked_is_named(
    tmp_path: Path, offset: int, value: int
) -> None:
    """Encryption and packing that Python does not know are a sentence with the archive's name."""
    with pytest.raises(DataError, match=r"a\.zip"):
        extract(_patched(_archive(tmp_path / "a.zip"), offset, value), ["a.png"])


def _png(width: int, height: int, data: bytes) -> bytes:
    """A PNG whose checksums are right, whatever its data."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content))
            + kind
            + content
            + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    "content",
    [_png(64, 64, b"no deflate stream"), _png(60_000, 60_000, zlib.compress(b"\0" * 1000))],
    ids=["broken stream", "decompression bomb"],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_a_picture_is_checked_by_decoding_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, lenient: bool
) -> None:
    """Right checksums do not hide a broken stream, nor does a host that has PIL show what is
    left of one.
    """
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", lenient)
    Image.new("RGB", (4, 4)).save(tmp_path / "good.png")
    (tmp_path / "bad.png").write_bytes(content)
    check_pictures([str(tmp_path / "good.png")])
    with pytest.raises(DataError, match=r"bad\.png"):
        check_pictures([str(tmp_path / "good.png"), str(tmp_path / "bad.png")])
    assert lenient is ImageFile.LOAD_TRUNCATED_IMAGES


def test_deeply_nested_json_is_a_sentence(tmp_path: Path) -> None:
    """Predictions and result files that nest without end are refused with their name."""
    deep = "[" * 200_000
    (tmp_path / "p.jsonl").write_text(
        json.dumps({"id": "1", "prediction": "x"}) + "\n" + deep + "\n"
    )
    with pytest.raises(DataError, match=r"line 2 of .*p\.jsonl"):
        _read(tmp_path / "p.jsonl")
    (tmp_path / "1_response.json").write_text(deep)
    with pytest.raises(DataError, match="1_response"):
        _read(tmp_path / "1_response.json")
    (tmp_path / "x_results.json").write_text(deep)
    with pytest.raises(DataError, match="x_results"):
        _read(tmp_path / "x_results.json")


@pytest.mark.parametrize("damage", ["cut", "no sheet", "broken xml", "flipped"])
def test_a_damaged_spreadsheet_is_a_sentence(tmp_path: Path, damage: str) -> None:
    """Wherever an xlsx file is broken, its name is in one sentence."""
    pytest.importorskip("openpyxl")
    import pandas as pd

    path = tmp_path / "p.xlsx"
    pd.DataFrame({"index": range(500), "prediction": ["a"] * 500}).to_excel(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if damage == "no sheet":
        del members["xl/worksheets/sheet1.xml"]
    if damage in ("cut", "broken xml"):
        members["xl/worksheets/sheet1.xml"] = members["xl/worksheets/sheet1.xml"][:300]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    if damage == "flipped":
        content = bytearray(path.read_bytes())
        place = content.index(b"xl/worksheets/sheet1.xml") + 200
        content[place : place + 50] = b"\xff" * 50
        path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(DataError, match=r"p\.xlsx"):
            _read(path)
