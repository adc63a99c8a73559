"""Answer matching as others do it: cases worked out by hand, and lmms-eval's own function."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phrasings import phrasings

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.scoring.mcq.other_matchers import lmms_eval_match, released_match, vlmevalkit_match


@pytest.mark.parametrize(
    ("response", "answer", "hit"),
    [
        ("B", "B", True),
        (" b: blue", "B\n", True),
        ("(B) blue", "b", True),
        ("Option B", "B", True),
        ("The answer is B.", "B", True),
        ("The answer\nis B.", "B", True),
        ("Blue", "B", True),
        ("A chart shows B", "B", False),
        ("The correct answer is B", "B", False),
        ("Answer: B", "B", False),
        ("the answer is (B)", "B", False),
        ("(", "B", False),
        ("", "B", False),
        ("B", "", False),
        ("BC", "BC", False),
    ],
)
def test_released_rules_look_at_one_character(response: str, answer: str, hit: bool) -> None:
    """Only the character at the start or right after one of three openings counts, whatever word
    it begins.
    """
    assert released_match(response, answer) is hit


PIECES = st.sampled_from(
    [
        *(
            "A",
            "B",
            "(C)",
            "D.",
            "A:",
            "B)",
            "C ",
            "Dog",
            "a",
            "E",
            " ",
            "\n",
            "'",
            '"',
            ".",
            ":",
            "!",
            "İ",
        ),
        *(
            "the answer is",
            "The correct option is ",
            "I choose",
            "my choice is",
            "答案是",
            "选",
            "답:",
            "답은 ",
        ),
    ]
)


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("B", "B"),
        (" 'B.' ", "B"),
        ("B: it is blue", "B"),
        ("A chart shows C, I think", "A"),
        ("It can only be (c), says D", "D"),
        ("The answer is B, not A, as one sees", "A"),
        ("The answer is not a Dog, I fear", "D"),
        ("(A) or (B), who knows", "B"),
        ("Both AD. and (A) fit here", "A"),
        ("BAD: I cannot say", "D"),
        ("Blue", "B"),
        ("b", None),
        ("E", None),
        ("  ", None),
        ("", None),
    ],
)
def test_it_reads_what_the_host_reads(response: str, letter: str | None) -> None:
    """The first, else the last letter of the answer; else one behind a phrase; else the last of
    the best form.
    """
    assert lmms_eval_match(response) == letter


@pytest.fixture
def theirs(host: None) -> Any:  # noqa: ARG001
    """The host's score of an answer, 0.0 or 1.0, by its function."""
    from lmms_eval.tasks.mmstar.utils import exact_match

    return exact_match


def differing(theirs: Any, responses: list[str]) -> list[tuple[str, str]]:
    """Return (answer, true letter) pairs for which the host's score is not ours."""
    return [
        (response, letter)
        for response in responses
        for letter in "ABCD"
        if theirs(response, letter) != float(lmms_eval_match(response) == letter)
    ]


def test_made_answers_have_the_hosts_scores(theirs: Any) -> None:
    """Letters, marks, words and phrases in any order."""

    @given(st.lists(PIECES, max_size=9).map("".join))
    def check(response: str) -> None:
        assert differing(theirs, [response]) == []

    check()


def test_sixteen_thousand_answers_have_the_hosts_scores(theirs: Any, real_data: Path) -> None:
    """Of real models to choice questions and to MMStar, and every phrasing of every option of
    the demo.
    """
    answers = [
        json.loads(line)
        for name in ("mcq/answers.jsonl", "mmstar/llava_next_34b_sample.jsonl")
        for line in (real_data / name).read_text(encoding="utf-8").splitlines()
    ]
    texts = [answer.get("response", answer.get("prediction")) for answer in answers]
    for row in load_rows("mmstar", "demo", "ablation=text"):
        options = dict(zip(row["letters"], row["options"], strict=True))
        texts += [
            text
            for letter in options
            for _, text in phrasings(letter, options[letter], list(options))
        ]
    assert len(texts) > 10_000
    assert differing(theirs, texts) == []


CHOICES = {"A": "the red bear", "B": "a blue boat", "C": "Cats", "D": "nothing of these"}


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("B", "B"),
        ("The answer is (B).", "B"),
        ("A chart", "A"),
        ("A", "A"),
        ("b", None),
        ("A or B", None),
        ("A: it is red, not C", None),
        ("A is what I see in there", None),
        ("I see the red bear", "A"),
        ("I see THE RED BEAR", "A"),
        ("A is what I see, a blue boat", "B"),
        ("cats and the red bear", None),
        ("It is cats. " + "So many of them are there. " * 4, None),
        ("I can't process this file. B", None),
        ("Z", None),
        ("Z cats", None),
        ("Z cats B", "B"),
        ("B**", "B"),
        ("", None),
        ("one B three four five six", None),
        ("one two B four five", "B"),
        ("one two B four B five", "B"),
        ("B one two three B", None),
    ],
)
def test_vlmevalkit_reads_a_letter_near_the_end_or_a_text(
    response: str, letter: str | None
) -> None:
    """The only letter near the end, else the only option's text in a short answer; refusals and
    Z are nothing.
    """
    assert vlmevalkit_match(response, CHOICES) == letter


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("is A: or 1xB", "A"),
        ("I think the answer is A or B, the answer is A maybe", "B"),
        ("", None),
        ("none", None),
    ],
)
def test_lmms_eval_reads_ends_first_occurrences_and_forms(
    response: str, letter: str | None
) -> None:
    """A letter of a word at the end does not stand alone; behind a phrase's first occurrence the
    last letter counts.
    """
    assert lmms_eval_match(response) == letter
