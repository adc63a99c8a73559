"""What is put in the place of a picture."""

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from spiqa_tasks.errors import DataError
from spiqa_tasks.models.picture_ablation import is_picture, open_value, replaced


def picture(seed: int = 0) -> Image.Image:
    """A picture of 7 x 5 random pixels."""
    return Image.fromarray(
        np.random.default_rng(seed).integers(256, size=(5, 7, 3), dtype=np.uint8)
    )


def encoded(image: Image.Image) -> bytes:
    """The picture as PNG."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def test_all_forms_of_a_picture_open_to_the_same_pixels(tmp_path: Path) -> None:
    """PIL, path, file URL and data URL are one picture."""
    path = tmp_path / "a.png"
    picture().save(path)
    url = "data:image/png;base64," + base64.b64encode(encoded(picture())).decode()
    forms: list[Any] = [picture(), str(path), f"file://{path}", url]
    assert all(is_picture(form) for form in forms)
    assert {open_value(form).tobytes() for form in forms} == {picture().tobytes()}


def test_replacement_keeps_data_urls(tmp_path: Path) -> None:
    """A base that reads data URLs gets one; paths and PIL images become PIL images."""
    path = tmp_path / "a.png"
    picture().save(path)
    url = "data:image/png;base64," + base64.b64encode(encoded(picture())).decode()
    of_url, of_path, of_picture = replaced([url, str(path), picture()], "grey")
    assert of_path == of_picture == Image.new("RGB", (7, 5), (128, 128, 128))
    assert of_url.startswith("data:image/png;base64,")
    assert open_value(of_url).tobytes() == of_path.tobytes()


@pytest.mark.parametrize(
    "value", ["clip.mp4", {"type": "video", "url": "clip.mp4"}, {"bytes": b""}, 3]
)
def test_videos_and_sounds_are_no_pictures(value: Any) -> None:
    """They are told apart by their form."""
    assert not is_picture(value)


def test_unreadable_pictures_and_web_addresses_are_refused(tmp_path: Path) -> None:
    """The message says which one."""
    (tmp_path / "bad.png").write_bytes(b"no picture")
    with pytest.raises(DataError, match=r"bad\.png"):
        open_value(str(tmp_path / "bad.png"))
    with pytest.raises(DataError, match=r"https://example.org/a\.png"):
        open_value("https://example.org/a.png")
