"""Answers are found in the requested formats, in near misses of them, and never by evaluating
anything.
"""

import json

import pytest
from growth import is_linear
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.answer_formats import (
    ParsedAnswer,
    parse_answer,
    parse_answer_released,
    parse_cot,
)


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("{'Answer': 'KEHNN'}", "KEHNN"),
        ('{"Answer": "KEHNN"}', "KEHNN"),
        ("{'answer': 'KEHNN'}", "KEHNN"),
        ("{Answer: 'KEHNN'}", "KEHNN"),
        ("{“Answer”: “KEHNN”}", "KEHNN"),
        ("{ 'Answer' :\n 'KEHNN',\n}", "KEHNN"),
        ("```json\n{'Answer': 'KEHNN'}\n```", "KEHNN"),
        ("Sure, here it is: {'Answer': 'KEHNN'} I hope it's {helpful}.", "KEHNN"),
        ("'Answer': 'KEHNN'", "KEHNN"),
        ('"Answer": "The model\'s accuracy"\nBecause it says so.', "The model's accuracy"),
        ("{'Answer': 'The model's accuracy'}", "The model's accuracy"),
        ("{'Answer': 'The models' accuracy, 'P@1', is 5'}", "The models' accuracy, 'P@1', is 5"),
        ("{'Answer': \"It's 5\"}", "It's 5"),
        (r"{'Answer': 'It\'s 5'}", "It's 5"),
        ("{'Answer': 'unbalanced}", "unbalanced"),
        ("{'Answer': unbalanced'}", "unbalanced"),
        ("{'Answer': loose words}", "loose words"),
        ("{'Answer': 'The set {'a', 'b'} wins'}", "The set {'a', 'b'} wins"),
        (r"{'Answer': '$R_{10}$@1 is \mathcal{L}_{x}'}", r"$R_{10}$@1 is \mathcal{L}_{x}"),
        (r"{'Answer': '\theta \times \nabla \rho \nu \frac{1}{2} \beta \alpha'}", None),
        (r"{'Answer': 'one\nTwo'}", "one\nTwo"),
        (r'{"Answer": "caf\u00e9 \ud83d\ude00"}', "café 😀"),
        ("{'Answer': 72.50}", "72.50"),
        ("{'Answer': True}", "True"),
        ("{'Answer': ['a', \"b's\", 3]}", "a, b's, 3"),
        ("{'Answer': [[1, 2], [3]]}", "[[1, 2], [3]]"),
        ("{'Answer': [[1, 2]]}", "[[1, 2]]"),
        ("{'Answer': less loss'}", "less loss"),
        ("{'Answer': unbalanced\"}", "unbalanced"),
        ("'Answer': 72.5, as shown\nBecause it says so.", "72.5, as shown"),
        ("'Answer': 72.5,", "72.5"),
        ("{'Image': 2, 'Answer': 72.5}", "72.5"),
        ("{a} {'Image': 2, 'Answer': 72.5} b", "72.5"),
        ("{'Image': 2} {b}\n'Answer': 72.5 (see {c})", "72.5 (see {c})"),
        (r"{'Answer': '\U0010ffff \U00110000'}", "\U0010ffff \\U00110000"),
        ("{'Answer': 'x', 'Rationale': 'Figure 2 says so'}", "x"),
        ("{'Image': 2, 'Answer': 'x'}", "x"),
        ("{'Answer': 'first'}\n{'Answer': 'second'}", "first"),
        ("Format: {'Answer': 'Direct Answer to the Question'}\n{'Answer': 'second'}", "second"),
        ("{'Answer': 'Direct Answer to the Question'}", "Direct Answer to the Question"),
    ],
)
def test_answers_in_the_format_are_found(response: str, text: str | None) -> None:
    """The requested object, and every near miss of it that leaves no doubt, gives the answer."""
    expected = response[len("{'Answer': '") : -2] if text is None else text
    assert parse_answer(response) == ParsedAnswer(expected, "ok")


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("{'Answer': 'The accuracy of the", "The accuracy of the"),
        ("{'Answer': 'The model's accuracy of", "The model's accuracy of"),
        ("{'Answer': 'done'", "done"),
        ("```\n{'Answer': 'done'\n```", "done"),
        ("{'Answer': '$R_{10}$ and", "$R_{10}$ and"),
        ("{'Answer': [1, 2", "[1, 2"),
        ("{'Answer': ", ""),
        ("{'Answer': '", ""),
        ('"Answer": "cut', "cut"),
        ("'Answer': 'see {a} and } b", "see {a} and } b"),
    ],
)
def test_a_format_that_does_not_end_is_truncated(response: str, text: str) -> None:
    """What there is of a cut answer is kept, and said to be cut."""
    assert parse_answer(response) == ParsedAnswer(text, "truncated")


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("  KEHNN is best. \n", ParsedAnswer("KEHNN is best.", "unformatted")),
        ("The answer: {5}", ParsedAnswer("The answer: {5}", "unformatted")),
        ("", ParsedAnswer("", "empty")),
        (" \n", ParsedAnswer("", "empty")),
        ("{'Answer': ''}", ParsedAnswer("", "empty")),
        ("{'Answer': }", ParsedAnswer("", "empty")),
        ("{'Answer': '}", ParsedAnswer("", "empty")),
    ],
)
def test_other_responses_have_their_status(response: str, expected: ParsedAnswer) -> None:
    """Plain text and nothing are told apart."""
    assert parse_answer(response) == expected


LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\n\t\r\b\f")


@given(
    st.text(LETTERS, max_size=60),
    st.sampled_from(
        ["{{'Answer': {}}}", "Sure. {{'answer': {}}} Bye.", "```\n{{'Answer':{}}}\n```"]
    ),
)
def test_quoted_text_comes_back(text: str, form: str) -> None:
    """Any text, quoted as Python or as JSON quotes it, comes back as it was."""
    for quoted in (repr(text), json.dumps(text), json.dumps(text, ensure_ascii=False)):
        if text.strip() != "Direct Answer to the Question":
            assert parse_answer(form.format(quoted)).text == text.strip()


@given(st.lists(st.text("abc XYZ09.", min_size=1, max_size=9), max_size=4))
def test_lines_come_back(lines: list[str]) -> None:
    """Line breaks written as escapes come back unless a LaTeX command follows from them."""
    text = "\n".join(line.strip().capitalize() for line in lines)
    assert parse_answer(f"{{'Answer': {text!r}}}").text == text.strip()


PIECES = st.sampled_from(
    [
        "{",
        "}",
        "'",
        '"',
        "\\",
        ",",
        ":",
        " ",
        "[",
        "]",
        "Answer",
        "'Answer':",
        "{'Answer': '",
        "'Image'",
        "Image 2",
        "\n",
        *[
            "The answer is :",
            "```",
            "\\u",
            "\\ud800",
            "\\x4",
            "\\U99999999",
            "Yes",
            "no",
            "<",
            ">",
            "é",
        ],
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=30).map("".join)))
def test_no_text_is_an_error(response: str) -> None:
    """No parser raises on any text, an answer is stripped, and it is there exactly if its status
    says so.
    """
    parsed = parse_answer(response)
    assert parsed.text == parsed.text.strip()
    assert parsed.status != "ok" or parsed.text
    assert parsed.status not in ("empty", "request_failed") or not parsed.text
    cot = parse_cot(response)
    assert cot.status not in ("ok", "unformatted") or cot.text
    parse_answer_released(response)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "{",
        "}",
        "'",
        "\\",
        "\\'",
        "{'Answer': ",
        "{'Answer': '",
        "{'",
        "[",
        "'Answer'",
        "{ ",
        " ",
        "image ",
        "answer is ",
        "'}",
        "a.b@",
        "'x, ",
    ],
)
@pytest.mark.parametrize(
    "start",
    [
        "",
        "{'Answer': '",
        "{'Answer': [",
        "{'Image': ",
        "image",
        "answer",
        "'answer'",
        "{'Answer': 'a'",
    ],
)
def test_hostile_text_takes_linear_time(unit: str, start: str) -> None:
    """Anything repeated, behind every beginning of an answer."""
    for parse in (parse_answer, parse_cot, parse_answer_released):
        assert is_linear(parse, unit, start, "x")


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("{'Answer': 'KEHNN'}", "'KEHNN'"),
        ("KEHNN", "KEHN"),
        ("'Answer': 'KEHNN'", "'KEHNN"),
        ("{'Answer': '$R_{10}$'}", "'$R_10}$'"),
        ("{'Answer': 'x', 'Image': 3}", "'x',"),
        ("", ""),
    ],
)
def test_the_released_parser_keeps_its_faults(response: str, text: str) -> None:
    """Quotes stay in, LaTeX loses its braces, and a text without the object loses its last
    character.
    """
    assert parse_answer_released(response) == text


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (
            "{'Image': 2, 'Rationale': 'Image 2 is it'} The answer is : KEHNN",
            ParsedAnswer("KEHNN", "ok", 2),
        ),
        (
            "{'Image': 0, 'Rationale': 'It's it'}\nThe answer is: KEHNN.",
            ParsedAnswer("KEHNN.", "ok", 0),
        ),
        ('```json\n{"image": "Image 3"}\n```\nThe answer is KEHNN', ParsedAnswer("KEHNN", "ok", 3)),
        ("{'Image': [1, 2], 'Rationale': 'x'} answer is 5", ParsedAnswer("5", "ok", 1)),
        ("{'Image': A, 'Rationale': 'Image 2 no'} The answer is : x", ParsedAnswer("x", "ok")),
        ("{'Image': 'Image B'} The answer is : x", ParsedAnswer("x", "ok")),
        ("Image 12 helps. The answer to the question is : x", ParsedAnswer("x", "ok", 12)),
        ("image: 2\n**The answer is :** x", ParsedAnswer("x", "ok", 2)),
        (
            "{'Image': 1, 'Rationale': 'r'} The answer is : {'Answer': 'x'}",
            ParsedAnswer("x", "ok", 1),
        ),
        ("{'Image': 1, 'Rationale': 'r'} The answer is : <x y>", ParsedAnswer("x y", "ok", 1)),
        (
            "{'Image': 1, 'Rationale': 'r'} The answer is : <MAX X>\n```",
            ParsedAnswer("MAX X", "ok", 1),
        ),
        ("{'Image': 1, 'Rationale': 'r'} The answer is : x ->", ParsedAnswer("x ->", "ok", 1)),
        (
            "{'Image': 1, 'Rationale': 'r'} The answer is : {'Answer': 'x",
            ParsedAnswer("x", "ok", 1),
        ),
        ("{'Image': 2, 'Rationale': 'r', 'Answer': 'MAP'}", ParsedAnswer("MAP", "ok", 2)),
        (
            '{"Image": 0, "Text": 4, "Rationale": "r", "Answer": "5 {x}"}',
            ParsedAnswer("5 {x}", "ok", 0),
        ),
        ("{'Answer': 'MAP', 'Image': 2, 'Rationale': 'r'}", ParsedAnswer("MAP", "ok", 2)),
        (
            "{'Image': 2, 'Rationale': 'as the answer is here', 'Answer': 'MAP'}",
            ParsedAnswer("MAP", "ok", 2),
        ),
        (
            "{'Image': 2, 'Rationale': 'r', 'Answer': 'MAP'} The answer is : BLEU",
            ParsedAnswer("BLEU", "ok", 2),
        ),
        ("{'Image': 2, 'Rationale': 'r', 'Answer': 'MA", ParsedAnswer("MA", "truncated", 2)),
        ("{'Image': 2, 'Rationale': 'a {b', 'Answer': 'MAP'}", ParsedAnswer("MAP", "ok", 2)),
        ("{'Image': 2, 'Rationale': 'r', 'Answer': ''}", ParsedAnswer("", "empty", 2)),
        ("{'Image': 2, 'Rationale': 'a {b'} The answer is : x", ParsedAnswer("x", "ok", 2)),
        ("{'Image': 1, 'Rationale': 'r'}KEHNN", ParsedAnswer("KEHNN", "unformatted", 1)),
        ("{'Image': 1234} The answer is : x", ParsedAnswer("x", "ok", 1234)),
        ("{'Image': 12345} The answer is : x", ParsedAnswer("x", "ok")),
        (
            (
                "{'Image': 1, 'Rationale': 'the answer is in it'} As the answer is there. The"
                " answer is : x"
            ),
            ParsedAnswer("x", "ok", 1),
        ),
        ("{'Image': 1, 'Rationale': 'r'}\n\nKEHNN", ParsedAnswer("KEHNN", "unformatted", 1)),
        ("{'Image': 1, 'Rationale': 'r'}\n{'Answer': 'x'}", ParsedAnswer("x", "unformatted", 1)),
        ("KEHNN in Figure 3", ParsedAnswer("KEHNN in Figure 3", "unformatted")),
        ("{'Image': 1, 'Rationale': 'because", ParsedAnswer("", "truncated", 1)),
        ("{'Image': 1, 'Rationale': 'r'}", ParsedAnswer("", "truncated", 1)),
        ("{'Image': 1} The answer is :", ParsedAnswer("", "truncated", 1)),
        ("The answer is : 42. {'Image': 2, 'Rationale': 'x'}", ParsedAnswer("42.", "ok", 2)),
        ("The answer is : 42.{'Image': 2, 'Rationale': 'x'}", ParsedAnswer("42.", "ok", 2)),
        ("The answer is : 42\n\n{'Image': 2, 'Rationale': 'x'}", ParsedAnswer("42", "ok", 2)),
        (
            "The answer is : 42\n```json\n{'Image': 2, 'Rationale': 'x'}\n```",
            ParsedAnswer("42", "ok", 2),
        ),
        ("The answer is : 42 ```{'Image': 2}```", ParsedAnswer("42", "ok", 2)),
        ("The answer is 42. {'Image': 2, 'Rationale': 'x'}", ParsedAnswer("42.", "ok", 2)),
        ("The answer is : 42 {'Image': 2} I hope this helps.", ParsedAnswer("42", "ok", 2)),
        ("The answer is : 42 {'Image': 2, 'Rationale': 'cut", ParsedAnswer("42", "ok", 2)),
        (
            "The answer is shown. {'Image': 2, 'Rationale': 'r'} 42",
            ParsedAnswer("42", "unformatted", 2),
        ),
        (
            "The answer is : shown. {'Image': 2, 'Rationale': 'r', 'Answer': '42'}",
            ParsedAnswer("42", "ok", 2),
        ),
        ("{'Image': 2} {'The answer is': '42'}", ParsedAnswer("42", "unformatted", 2)),
        ("{'Image': 2, 'The answer is': '42'}", ParsedAnswer("42", "ok", 2)),
        ("Rationale: The answer is shown. Answer: 42", ParsedAnswer("42", "ok")),
        ("Answer: The answer is 42", ParsedAnswer("42", "ok")),
        ("", ParsedAnswer("", "empty")),
    ],
)
def test_chain_of_thought_gives_image_and_answer(response: str, expected: ParsedAnswer) -> None:
    """The named image and the answer are found in every usual form."""
    assert parse_cot(response) == expected


@pytest.mark.parametrize("escape", [r"\u03b1", r"\u03B1", r"\xB1", r"\U000003B1"])
def test_escapes_are_decoded_in_either_case(escape: str) -> None:
    """Hexadecimal digits may be capitals, as JSON allows."""
    expected = "±" if escape.startswith(r"\x") else "α"
    assert parse_answer("{'Answer': '" + escape + "'}").text == expected
