"""Pictures that are sent as the files they are, and those that have to be encoded."""

from __future__ import annotations

import base64
import io
import os
from pathlib import Path

import pytest
from PIL import Image

from spiqa_tasks.benchmarks.prompting import Picture, chat_content
from spiqa_tasks.files import encoded_picture as module
from spiqa_tasks.files.encoded_picture import encoded_picture
from spiqa_tasks.files.pictures import open_picture


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
    """Other formats, and transparent pictures on their white page, become a PNG that is made once."""
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


def test_other_encodings_are_made_by_pillow(tmp_path: Path) -> None:
    """JPEG, which the host can be told to send, is an ordinary encoding of the pixels."""
    buffer = io.BytesIO()
    encoded_picture(str(noise(tmp_path, "a.png"))).save(buffer, format="JPEG", quality=85)
    assert Image.open(buffer).size == (40, 30)


def test_host_sends_the_file_as_it_is(tmp_path: Path) -> None:
    """In the host's message for an API model the data URL holds the file's own bytes."""
    from lmms_eval.protocol import ChatMessages

    path = noise(tmp_path, "a.png")
    content = chat_content(["Look: ", Picture(str(path))], encoded=True)
    messages = ChatMessages(messages=[{"role": "user", "content": content}]).to_openai_messages()
    url = messages[0]["content"][1]["image_url"]["url"]
    assert url == "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()
