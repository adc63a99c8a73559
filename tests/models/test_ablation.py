"""Other pictures in what a task's hooks hand over, whatever its form."""

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.models.ablation import (
    ablated_messages,
    ablated_visuals,
    is_picture,
    open_value,
    replaced,
    without_placeholders,
)

RED = Image.new("RGB", (2, 3), "red")


def sizes(pictures: list[Any]) -> list[tuple[int, int]]:
    """Return the size of each picture, after a check that it is grey."""
    assert all(shown.getpixel((0, 0)) == (128, 128, 128) for shown in pictures)
    return [shown.size for shown in pictures]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<image>\nWhat?", "What?"),
        ("<image 1> and <IMAGE_2> and <image3>.", "and and ."),
        ("<|image_pad|><|image|><|image_1|> Q", "Q"),
        ("<image", "<image"),
        ("an <images> folder, <img>", "an <images> folder, <img>"),
        ("", ""),
    ],
)
def test_marks_of_pictures_are_taken_out(text: str, left: str) -> None:
    """With the blank or the line's end behind each; other words stay."""
    assert without_placeholders(text) == left


@pytest.mark.parametrize(
    ("shown", "count"),
    [([RED], 1), ([[RED, [RED]], RED], 3), (RED, 1), ((RED, RED), 2)],
    ids=["list", "nested", "one", "tuple"],
)
def test_visuals_of_any_nesting_become_a_list(shown: Any, count: int) -> None:
    """As many grey pictures as there were."""
    assert sizes(ablated_visuals(shown, "grey")) == [RED.size] * count


def test_pictures_of_all_messages_are_replaced_in_order() -> None:
    """The hook's own messages are not changed."""
    pictures = [Image.new("RGB", (2, height), "red") for height in range(1, 5)]
    shown = [{"type": "image", "url": each} for each in pictures]
    text = {"type": "text", "text": "<image> Q"}
    messages = [
        {"role": "user", "content": [shown[0], text, shown[1]]},
        {"role": "assistant", "content": [shown[2], text, shown[3]]},
    ]
    found = ablated_messages(messages, "grey")
    replaced = [
        part["url"] for message in found for part in message["content"] if part["type"] == "image"
    ]
    assert sizes(replaced) == [each.size for each in pictures]
    assert found[0]["content"][1]["text"] == "<image> Q"
    assert messages[0]["content"][0] == {"type": "image", "url": pictures[0]}


def test_a_message_of_pictures_alone_keeps_an_empty_text() -> None:
    """Without its pictures a model would have no content at all; marks go from plain contents
    too.
    """
    messages = [
        {"role": "user", "content": [{"type": "image", "url": RED}]},
        {"role": "user", "content": "<image>\nQ"},
    ]
    found = ablated_messages(messages, "text")
    assert [message["content"] for message in found] == [[{"type": "text", "text": ""}], "Q"]


def test_videos_of_chat_tasks_are_refused() -> None:
    """So is a sound; the sentence shows what was found."""
    for part in ({"type": "video", "url": "clip.mp4"}, {"type": "audio", "url": "a.wav"}):
        messages = [{"role": "user", "content": [part]}]
        with pytest.raises(InputError, match=r"no video or sound; found .*(clip\.mp4|a\.wav)"):
            ablated_messages(messages, "grey")


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


def test_every_form_is_replaced_by_a_grey_picture(tmp_path: Path) -> None:
    """Of the same size, or by none."""
    path = tmp_path / "a.png"
    picture().save(path)
    url = "data:image/png;base64," + base64.b64encode(encoded(picture())).decode()
    forms = [url, str(path), picture()]
    assert replaced(forms, "grey") == [Image.new("RGB", (7, 5), (128, 128, 128))] * 3
    assert replaced(forms, "text") == []


@pytest.mark.parametrize("name", ["a.tif", "a.TIFF", "a.webp", "a.bmp"])
def test_a_path_of_any_kind_of_picture_is_one(name: str) -> None:
    """Else the model would see what it is said not to."""
    assert is_picture(name)


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
