"""Fields made for the answer become lines that name it, in every notation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.mcq.fields import FIELD, as_lines

LONGEST = 2000


def contents_in(text: str) -> list[str]:
    """Return the contents of the fields of `text`."""
    lines = as_lines(text).split("\n")
    return [line.removeprefix(FIELD) for line in lines if line.startswith(FIELD)]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (r"\boxed{B}", ["B"]),
        (r"\boxed {B}", ["B"]),
        ("\\boxed     {B}", ["B"]),
        ("\\boxed      {B}", []),
        (r"It is $\boxed{\text{(D) }\frac{14}{3}}$.", [r"\text{(D) }\frac{14}{3}"]),
        (r"\boxed{{B}} or {C}", ["{B}"]),
        (r"\boxed{}", []),
        (r"\boxed B", []),
        (r"\boxed B, not \boxed{C}", ["C"]),
        (r"\boxed{\boxed{B}}", [r"\boxed{B}"]),
        (r"\boxed{B", ["B"]),
        (r"\boxed", []),
        (r"boxed{B}", []),
    ],
)
def test_a_box_holds_what_its_braces_enclose(text: str, contents: list[str]) -> None:
    """The content of a box, also within another, goes to the brace that closes it, or to where
    an answer is cut off.
    """
    assert contents_in(text) == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("<answer>B</answer>", ["B"]),
        ("<ANSWER> B</ANSWER>", ["B"]),
        ("<final_answer>B", ["B"]),
        ("<ans>B</ans>", ["B"]),
        ("<choice>B</choice>", ["B"]),
        ("[ANSWER] B [/ANSWER]", ["B "]),
        ("<answer>\nB", ["B"]),
        ("<answer></answer>", []),
        ("<answer B>", []),
        ("answer> B", []),
    ],
)
def test_an_element_holds_the_rest_of_its_line(text: str, contents: list[str]) -> None:
    """The content of an element for the answer, or of the line behind it, goes to the next tag or
    the end of the line.
    """
    assert contents_in(text) == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ('{"answer": "B"}', ["B"]),
        ('{"Final Answer" : "B"}', ["B"]),
        ('{"correct_option":"B"}', ["B"]),
        ("{'prediction': 'B'}", ["B"]),
        ("{'letter': B, 'reason': 'it fits'}", ["B"]),
        ('{"answer": null}', ["null"]),
        ('{"answer": ""}', []),
        ('{"answer": "the \\"B\\" one"}', ['the \\"B\\" one']),
        ("{'answer': 'it\\'s B'}", ["it\\'s B"]),
        ('{"reason": "B"}', []),
        ('{answer: "B"}', []),
    ],
)
def test_a_key_holds_its_value(text: str, contents: list[str]) -> None:
    """The content of a key for the answer is its string, or what stands before the next comma,
    quote or brace.
    """
    assert contents_in(text) == contents


def test_what_stands_around_a_field_stays() -> None:
    """The text before it and behind it are lines of their own."""
    text = "It is <answer>A</answer>, so \\boxed{B}."
    assert as_lines(text) == f"It is \n{FIELD}A\n, so \n{FIELD}B\n."


def test_fields_of_all_notations_are_read_in_their_order() -> None:
    """The order is the text's."""
    text = r'<answer>A</answer> \boxed{B} {"answer": "C"} \boxed{D} \boxed{A}'
    assert contents_in(text) == ["A", "B", "C", "D", "A"]


@pytest.mark.parametrize(
    ("opening", "closing"), [("\\boxed{", "}"), ("\\boxed{", ""), ("<answer>", "</answer>")]
)
def test_of_a_field_that_is_very_long_the_beginning_is_read(opening: str, closing: str) -> None:
    """A field has at most 2,000 characters."""
    assert contents_in(opening + "x" * (LONGEST + 5) + closing) == ["x" * LONGEST]


def test_a_box_inside_a_box_that_is_too_long_is_read() -> None:
    """Where a box ends unclosed the search for the next one goes on."""
    assert contents_in("\\boxed{" + "x" * LONGEST + "\\boxed{B}") == ["x" * LONGEST, "B"]


balanced = st.recursive(
    st.text("ab,. ", max_size=5),
    lambda inner: st.lists(inner.map("{{{}}}".format) | inner, max_size=4).map("".join),
    max_leaves=20,
)


@given(balanced, st.text("ab {}", max_size=10))
def test_any_balanced_content_of_a_box_is_found(content: str, rest: str) -> None:
    """Whatever balanced braces a box holds and whatever follows it, its content is what stands
    inside.
    """
    expected = [content.lstrip()] * bool(content.strip())
    assert contents_in(f"\\boxed{{{content}}}{rest}") == expected
