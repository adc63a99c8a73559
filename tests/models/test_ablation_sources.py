"""Where the pictures come from that are shown instead of a question's own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.ablation_sources import AblatedPictures, NumberedDoc, NumberedDocs, ShuffledPictures
from spiqa_tasks.models.picture_ablation import ablate, digest


class Split(list[Any]):
    """A split of the host with a further attribute."""

    features = "kept"


def picture(shade: int) -> Image.Image:
    """A plain picture."""
    return Image.new("RGB", (4, 4), (shade, 0, 0))


def shades(pictures: list[Any]) -> list[int]:
    """What tells the pictures apart."""
    return [shown.getpixel((0, 0))[0] for shown in pictures]


def split_of(*shown: list[int]) -> tuple[NumberedDocs, Callable[[Any], list[Any]]]:
    """Numbered questions that show pictures of these shades, and what opens them."""
    docs = NumberedDocs(Split({"shades": each} for each in shown), "seed")
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


def test_documents_know_their_place_and_the_split_is_as_before() -> None:
    """Its length, order and attributes are the host's, also in a copy and in another process."""
    docs = NumberedDocs(Split([{"a": 1}, {"a": 2}]), "seed")
    for same in (docs, copy.copy(docs), copy.deepcopy(docs), pickle.loads(pickle.dumps(docs))):
        assert len(same) == 2
        assert [(doc.place, dict(doc)) for doc in same] == [(0, {"a": 1}), (1, {"a": 2})]
        assert same.features == "kept"
    with pytest.raises(AttributeError, match="nothing"):
        _ = docs.nothing


def test_a_remade_picture_is_made_of_its_original() -> None:
    """In the form of each, by kind and seed; `text` shows none."""
    own = [picture(7), {"type": "image", "url": picture(9)}]
    first, second = AblatedPictures("noise", 3)(own, {}, lambda _: [])
    assert digest(first) == digest(ablate(picture(7), "noise", 3))
    assert second["type"] == "image"
    assert digest(second["url"]) == digest(ablate(picture(9), "noise", 3))
    assert AblatedPictures("text", 0)(own, {}, lambda _: []) == []
    assert (AblatedPictures("text", 0).removes, AblatedPictures("grey", 0).removes) == (True, False)


def test_pictures_come_from_those_that_follow() -> None:
    """As many as the question has, from as many donors as that takes, each in the form of the one it replaces."""
    docs, opening = split_of([1, 2, 3], [10], [20, 21], [30])
    order = [other["shades"] for other in docs.others(0)]
    expected = [shade for each in order for shade in each][:3]
    shown = ShuffledPictures(docs)([picture(1), {"url": picture(2)}, picture(3)], docs[0], opening)
    assert shades([shown[0], shown[1]["url"], shown[2]]) == expected
    later = ShuffledPictures(docs)([picture(1)], docs[0], opening, skip=2)
    assert shades(later) == expected[2:]


def test_a_questions_own_pictures_are_passed_over() -> None:
    """Several questions may be about one picture; equal pixels are the same picture."""
    docs, opening = split_of([1], [1], [1, 5], [1])
    for place in (0, 1, 3):
        assert shades(ShuffledPictures(docs)([picture(1)], docs[place], opening)) == [5]


def test_questions_that_share_one_picture_cannot_be_shuffled() -> None:
    """A split with too few other pictures has none to show, and says how many there are."""
    docs, opening = split_of([1], [1], [5])
    with pytest.raises(InputError) as error:
        ShuffledPictures(docs)([picture(1), picture(1)], docs[0], opening)
    assert str(error.value) == (
        "Expected 2 pictures of other questions for ablation=shuffled; the split of 3 questions has 1. "
        "Use another ablation."
    )


def test_a_document_without_a_number_is_refused() -> None:
    """A base model that copies its documents cannot be told which comes next."""
    docs, opening = split_of([1], [2])
    with pytest.raises(InputError, match="reads its documents by number"):
        ShuffledPictures(docs)([picture(1)], {"shades": [1]}, opening)
    assert isinstance(docs[0], NumberedDoc)
