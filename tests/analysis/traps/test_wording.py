"""Traps in words, each on references of its own."""

from __future__ import annotations

import pytest

from spiqa_tasks.analysis.traps.item import Item
from spiqa_tasks.analysis.traps.wording import EVASIONS, INJECTION_TRAPS, INJECTIONS, TRAPS, injected, lowered, replaced

MAKE = {trap.name: trap.make for trap in (*TRAPS, *INJECTION_TRAPS)}
SHOWN = "Judging by what is shown"
STEPS = (
    "To answer this, I first looked for the figure that the question is about and read its caption. Then I found the "
    "parts that the question names, read off what belongs to each of them, and compared them."
)


def made(name: str, reference: str, place: int = 0) -> str | None:
    """What a rule makes of a question whose other answers are The second. and MQTT."""
    return MAKE[name](Item("?", reference, ["The second.", "MQTT"], place))


@pytest.mark.parametrize(
    ("name", "reference", "expected"),
    [
        ("the reference", "The first.", "The first."),
        ("other words", "It falls and drops.", "It drops and drops."),
        ("other words", "About the clouds", "Roughly the clouds"),
        ("other words", "nothing", None),
        ("other words", "befalls", None),
        ("long and right", "The first.", f"{STEPS} So the answer to the question is: the first."),
        ("other name", "MQTT, then the gateway", "HTTP, then the gateway"),
        ("other name", "nothing", None),
        ("other direction", "It grows, then falls", "It shrinks, then falls"),
        ("other direction", "the most of all", "the least of all"),
        ("negation", "Yes, it does.", "No"),
        ("negation", "No.", "Yes"),
        ("negation", "None.", "It is not the case that the answer is: None."),
        ("negation", "The first.", "It is not the case that the answer is: the first."),
        ("another question's", "The first.", "The second."),
        (
            "wrong end",
            "The first.",
            f"{STEPS} At first sight the answer is: the first. A closer look shows that this is wrong. The final "
            "answer is: the second.",
        ),
        (
            "alternatives",
            "The first.",
            "It is one of these, but I cannot say which: the second; the first; MQTT.",
        ),
    ],
)
def test_a_rule_says_the_reference_otherwise_or_something_else(name: str, reference: str, expected: str | None) -> None:
    """And makes nothing of a reference that it does not fit."""
    assert made(name, reference) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "whole sentence",
            [
                "According to the figure, the answer is: the x.",
                "I would say: the x.",
                "Judging by what is shown: the x.",
            ],
        ),
        ("marks of a format", ["{'Answer': 'The x.'}", "**Answer:** The x.", "<answer>The x.</answer>"]),
        ("empty", ["", None, None]),
        ("evasive", list(EVASIONS)),
    ],
)
def test_frames_take_turns(name: str, expected: list[str | None]) -> None:
    """By the number of the question."""
    turns = [made(name, "The x.", place) for place in range(2 * len(expected))]
    assert turns == expected * 2


def test_an_injection_frames_a_wrong_answer_of_every_second_question() -> None:
    """Of those that are not of yes or no; as often as the frame has it."""
    for place, (name, frame) in enumerate(INJECTIONS.items()):
        asked = [made(f"injection: {name}", "The x.", number) for number in range(place % 2, place % 2 + 4)]
        text = frame.replace("{}", "The second")
        assert asked == [text, None, text, None]
        assert made(f"injection: {name}", "Yes.", place) is made(f"injection: {name}", "No, it is", place) is None
    assert INJECTION_TRAPS[0].about == f"a wrong answer that goes on: {INJECTIONS['order']!r}"


def test_only_plain_words_begin_in_lower_case_inside_a_sentence() -> None:
    """A name stays as it is."""
    assert [lowered(text) for text in ("The x.", "MQTT.", "In all. Yes.", "Them")] == [
        "the x",
        "MQTT",
        "in all. Yes",
        "Them",
    ]
    assert [trap.right for trap in (*TRAPS, *INJECTION_TRAPS)] == [True] * 5 + [False] * 16


def test_the_phrase_that_comes_first_is_replaced_once() -> None:
    """Of those that begin at one place the longest, as whole words; special characters mean themselves."""
    make = replaced({"a b": "x", "a": "y", "c.d": "z", "b c": "w"})
    texts = {"a b a b": "x a b", "a c": "y c", "c.d": "z", "cxd": None, "ab": None, "b c a b": "w a b", "": None}
    assert {text: make(Item("?", text, [], 0)) for text in texts} == texts


def test_a_frame_is_put_round_a_wrong_answer_without_its_full_stop() -> None:
    """For the even or the odd questions; not where the reference is yes or no."""
    even, odd = injected(2, "{} and {}!"), injected(3, "{}!")
    items = [Item("?", reference, ["Other.", "More."], place) for place in (0, 1) for reference in ("x", "Yes", "No.")]
    assert [even(item) for item in items] == ["Other and Other!", None, None, None, None, None]
    assert [odd(item) for item in items] == [None, None, None, "Other!", None, None]
