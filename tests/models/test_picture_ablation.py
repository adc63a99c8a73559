"""What is put in the place of a picture."""

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from spiqa_tasks.errors import DataError
from spiqa_tasks.models.picture_ablation import ablate, digest, is_picture, like, open_value


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


def test_mean_counts_transparent_pixels_as_white() -> None:
    """A fully transparent picture has a white mean, whatever colour lies under the transparency."""
    assert ablate(Image.new("RGBA", (3, 3), (255, 0, 0, 0)), "mean").getpixel((0, 0)) == (
        255,
        255,
        255,
    )


def test_noise_depends_on_seed_and_picture_alone() -> None:
    """The same seed and picture give the same noise, another seed or picture another one."""
    noise = np.asarray(ablate(picture(), "noise", 1))
    assert (noise == np.asarray(ablate(picture(), "noise", 1))).all()
    assert (noise != np.asarray(ablate(picture(), "noise", 2))).any()
    assert (noise != np.asarray(ablate(picture(9), "noise", 1))).any()
    assert noise.shape == (5, 7, 3)


def test_all_forms_of_a_picture_open_to_the_same_pixels(tmp_path: Path) -> None:
    """PIL, path, file URL and data URL are one picture."""
    path = tmp_path / "a.png"
    picture().save(path)
    url = "data:image/png;base64," + base64.b64encode(encoded(picture())).decode()
    forms: list[Any] = [picture(), str(path), f"file://{path}", url]
    assert all(is_picture(form) for form in forms)
    assert {digest(open_value(form)) for form in forms} == {digest(picture())}


def test_replacement_keeps_data_urls() -> None:
    """A base that reads data URLs gets one; paths and PIL images become PIL images."""
    other = picture(5)
    url = "data:image/png;base64," + base64.b64encode(encoded(picture())).decode()
    assert digest(open_value(like(url, other))) == digest(other)
    assert like("x.png", other) is other


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
