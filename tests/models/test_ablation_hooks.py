"""Other pictures in what a task's hooks hand over, whatever its form."""

from typing import Any

import pytest
from PIL import Image

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.ablation_hooks import (
    ablated_messages,
    ablated_visuals,
    without_placeholders,
)

RED = Image.new("RGB", (2, 3), "red")


def sizes(pictures: list[Any]) -> list[tuple[int, int]]:
    """The size of each picture, all of which are grey."""
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
    """As many grey pictures as there were; the hook's further arguments reach it."""

    def hook(doc: Any, extra: int, *, more: int) -> Any:
        assert (doc, extra, more) == ("own", 1, 2)
        return shown

    assert sizes(ablated_visuals(hook, "grey")("own", 1, more=2)) == [RED.size] * count


def test_pictures_of_all_messages_are_replaced_in_order() -> None:
    """The hook's own messages are not changed."""
    pictures = [Image.new("RGB", (2, height), "red") for height in range(1, 5)]
    shown = [{"type": "image", "url": each} for each in pictures]
    text = {"type": "text", "text": "<image> Q"}
    messages = [
        {"role": "user", "content": [shown[0], text, shown[1]]},
        {"role": "assistant", "content": [shown[2], text, shown[3]]},
    ]
    found = ablated_messages(lambda _: messages, "grey")("own")
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
    found = ablated_messages(lambda _: messages, "text")({})
    assert [message["content"] for message in found] == [[{"type": "text", "text": ""}], "Q"]


def test_videos_of_chat_tasks_are_refused() -> None:
    """So is a sound; the sentence shows what was found."""
    for part in ({"type": "video", "url": "clip.mp4"}, {"type": "audio", "url": "a.wav"}):
        messages = [{"role": "user", "content": [part]}]
        with pytest.raises(InputError, match=r"no video or sound; found .*(clip\.mp4|a\.wav)"):
            ablated_messages(lambda _, shown=messages: shown, "grey")({})
