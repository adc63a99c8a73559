"""A prompt in the three forms in which hosts want it."""

from pathlib import Path

import pytest
from PIL import Image

from spiqa_tasks.benchmarks.prompting import (
    Part,
    Picture,
    Turn,
    chat_content,
    chat_messages,
    plain_text,
    visuals,
)


@pytest.fixture
def red(tmp_path: Path) -> str:
    """The path of a red picture."""
    Image.new("RGB", (4, 3), "red").save(tmp_path / "red.png")
    return str(tmp_path / "red.png")


def test_turns_are_messages(red: str) -> None:
    """What comes before the first one is the user's; neighbouring texts are one."""
    parts: list[Part] = [
        Turn("system"),
        "Be ",
        "brief.",
        Turn("user"),
        Picture(red),
        "What?",
        Turn("assistant"),
        "Red",
    ]
    assert chat_messages(parts, "path") == [
        {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
        {
            "role": "user",
            "content": [{"type": "image", "url": red}, {"type": "text", "text": "What?"}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Red"}]},
    ]
    assert chat_messages(["a", Picture(red), "b"], "path") == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image", "url": red},
                {"type": "text", "text": "b"},
            ],
        }
    ]
    assert chat_messages([]) == []


def test_pictures_are_paths_or_images(red: str) -> None:
    """Encoded ones are sent as the files that they are."""
    (message,), (encoded,) = (
        chat_messages([Picture(red)], form)[0]["content"] for form in (None, "encoded")
    )
    assert (message["url"].size, message["url"].getpixel((0, 0))) == ((4, 3), (255, 0, 0))
    assert type(message["url"]) is Image.Image
    assert type(encoded["url"]) is not Image.Image
    assert chat_content([Picture(red)], "encoded")[0]["url"].size == (4, 3)
    assert visuals(["a", Picture(red), Turn("user")])[0].size == (4, 3)
    assert len(visuals(["a", Picture(red), Turn("user")])) == 1


def test_pictures_are_marked_in_a_text_of_several() -> None:
    """A single one needs no mark; turns are parted by a blank line, the first one by none."""
    assert plain_text([Picture("a"), "What?"]) == "What?"
    assert (
        plain_text(["A: ", Picture("a"), "B: ", Picture("b"), "Which?\n\n"])
        == "A: [picture] B: [picture] Which?\n\n"
    )
    assert plain_text([Turn("system"), "Be brief.", Turn("user"), "What?"]) == "Be brief.\n\nWhat?"
