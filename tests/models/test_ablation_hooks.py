"""Other pictures in what a task's hooks hand over, whatever its form."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.ablation_hooks import ablated_messages, ablated_visuals, without_placeholders
from spiqa_tasks.models.picture_ablation import NumberedDocs, Replacement

RED = Image.new("RGB", (2, 3), "red")


class Told:
    """Shows numbers for pictures, and keeps what it was told."""

    kind = "grey"

    def __init__(self) -> None:
        self.calls: list[tuple[int, Any, list[Any]]] = []

    def __call__(self, pictures: Sequence[Any], doc: Any, opening: Callable[[Any], list[Any]]) -> list[Any]:
        """See `Replacement`."""
        self.calls.append((len(pictures), doc, opening("other")))
        return list(range(len(pictures)))


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
    """As many pictures as there were; the hook's further arguments reach it for this document and for others."""
    replace = Told()

    def hook(doc: Any, extra: int, *, more: int) -> Any:
        assert (extra, more) == (1, 2)
        return shown if doc == "own" else [RED, [RED]]

    assert ablated_visuals(hook, replace)("own", 1, more=2) == list(range(count))
    assert replace.calls == [(count, "own", [RED, RED])]


def test_pictures_of_all_messages_are_replaced_in_order() -> None:
    """The hook's own messages are not changed, and another question's pictures can be opened."""
    shown = {"type": "image", "url": RED}
    messages = [
        {"role": role, "content": [shown, {"type": "text", "text": "<image> Q"}, shown]}
        for role in ("user", "assistant")
    ]
    replace = Told()
    found = ablated_messages(lambda _: messages, replace)("own")
    assert [[part.get("url") for part in message["content"]] for message in found] == [[0, None, 1], [2, None, 3]]
    assert found[0]["content"][1]["text"] == "<image> Q"
    assert replace.calls == [(4, "own", [RED] * 4)]
    assert messages[0]["content"][0] == {"type": "image", "url": RED}


def test_a_message_of_pictures_alone_keeps_an_empty_text() -> None:
    """Without its pictures a model would have no content at all; marks go from plain contents too."""
    messages = [{"role": "user", "content": [{"type": "image", "url": RED}]}, {"role": "user", "content": "<image>\nQ"}]
    found = ablated_messages(lambda _: messages, Replacement("text", 0))({})
    assert [message["content"] for message in found] == [[{"type": "text", "text": ""}], "Q"]


def test_videos_of_chat_tasks_are_refused() -> None:
    """So is a sound; the sentence shows what was found."""
    for part in ({"type": "video", "url": "clip.mp4"}, {"type": "audio", "url": "a.wav"}):
        messages = [{"role": "user", "content": [part]}]
        with pytest.raises(InputError, match=r"no video or sound; found .*(clip\.mp4|a\.wav)"):
            ablated_messages(lambda _, shown=messages: shown, Replacement("grey", 0))({})


def picture(shade: int) -> Image.Image:
    """A plain picture."""
    return Image.new("RGB", (4, 4), (shade, 0, 0))


def shades(pictures: list[Any]) -> list[int]:
    """What tells the pictures apart."""
    return [shown.getpixel((0, 0))[0] for shown in pictures]


def split_of(*shown: list[int]) -> tuple[NumberedDocs, Callable[[Any], list[Any]]]:
    """Numbered questions that show pictures of these shades, and what opens them."""
    docs = NumberedDocs([{"shades": each} for each in shown], "seed")
    return docs, lambda doc: [picture(shade) for shade in doc["shades"]]


@given(st.integers(1, 30), st.text(max_size=3))
def test_every_other_document_comes_once(count: int, seed: str) -> None:
    """From each place the cycle visits all others and never the document itself; the next one is another for each."""
    docs = NumberedDocs([{"n": place} for place in range(count)], seed)
    visits = [[other.place for other in docs.others(place)] for place in range(count)]
    for place, others in enumerate(visits):
        assert sorted(others) == [other for other in range(count) if other != place]
    if count > 1:
        assert sorted(others[0] for others in visits) == list(range(count))
    assert visits == [
        [other.place for other in NumberedDocs([{}] * count, seed).others(place)] for place in range(count)
    ]


def test_pictures_come_from_those_that_follow() -> None:
    """As many as the question has, from as many donors as that takes."""
    docs, opening = split_of([1, 2, 3], [10], [20, 21], [30])
    order = [other["shades"] for other in docs.others(0)]
    expected = [shade for each in order for shade in each][:3]
    shown = Replacement("shuffled", docs=docs)([picture(1), picture(2), picture(3)], docs[0], opening)
    assert shades(shown) == expected


def test_a_questions_own_pictures_are_passed_over() -> None:
    """Several questions may be about one picture; equal pixels are the same picture."""
    docs, opening = split_of([1], [1], [1, 5], [1])
    for place in (0, 1, 3):
        assert shades(Replacement("shuffled", docs=docs)([picture(1)], docs[place], opening)) == [5]


def test_questions_that_share_one_picture_cannot_be_shuffled() -> None:
    """A split with too few other pictures has none to show, and says how many there are."""
    docs, opening = split_of([1], [1], [5])
    with pytest.raises(InputError) as error:
        Replacement("shuffled", docs=docs)([picture(1), picture(1)], docs[0], opening)
    assert str(error.value) == "Expected 2 pictures of other questions, found 1. Do not shuffle."


def test_a_document_without_a_number_is_refused() -> None:
    """A base model that copies its documents cannot be told which comes next."""
    docs, opening = split_of([1], [2])
    with pytest.raises(InputError, match="reads its documents by number"):
        Replacement("shuffled", docs=docs)([picture(1)], {"shades": [1]}, opening)
