"""Options of questions, wherever datasets and files of answers have them."""

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.options import (
    SeveralOptionsError,
    answer_label,
    as_value,
    options_in,
    options_of,
    question_before,
    row_options,
)

RED_BLUE = {"A": "red", "B": "blue"}


@pytest.mark.parametrize(
    ("record", "options"),
    [
        ({"choices": RED_BLUE}, RED_BLUE),
        ({"options": ["red", "blue"]}, RED_BLUE),
        ({"options": ["(A) red", "(B) blue"]}, RED_BLUE),
        ({"choices": {"B": "blue", "D": ""}}, {"B": "blue", "D": ""}),
        ({"choices": {"a": "red", "b": None}}, {"a": "red"}),
        ({"A": "red", "B": "blue", "C": None}, RED_BLUE),
        ({"option_a": "red", "option_b": "blue"}, RED_BLUE),
        ({"question": "Which?\nA. red\nB. blue"}, {}),
        ({"response": "B"}, {}),
        ({"A": "a single column"}, {}),
        ({"options": None, "A": "red", "B": "blue"}, RED_BLUE),
        ({"options": 2, "A": "red", "B": "blue"}, RED_BLUE),
        ({"options": ["red", "blue"], "A": "0.3", "B": "0.7"}, RED_BLUE),
    ],
)
def test_options_are_where_their_column_says(
    record: dict[str, Any], options: dict[str, str]
) -> None:
    """An object or a list, else a column for each letter; not the question's text."""
    assert row_options(record) == options


@pytest.mark.parametrize("value", [7, "red", ["red"], {"A": "red", "a": "blue"}, {"one": "red"}])
def test_options_in_no_known_form_are_an_error(value: Any) -> None:
    """A number, a text that lists nothing, a single option, a letter twice."""
    with pytest.raises(ValueError, match=r"not a list|1 options|a letter twice"):
        row_options({"options": value})


@pytest.mark.parametrize(
    ("value", "options"),
    [
        ({"b": "x", "a": "y"}, {"b": "x", "a": "y"}),
        ({"B": "x", "C": "y", "D": None, "E": ""}, {"B": "x", "C": "y", "E": ""}),
        (["x", "y", "", None], {"A": "x", "B": "y"}),
        ([{"label": "A", "text": "x"}, {"label": "B", "text": "y"}], {"A": "x", "B": "y"}),
        ({"text": ["x", "y"], "label": ["1", "2"]}, {"1": "x", "2": "y"}),
        ("A. 4; B. 3; C. 2 ;D.1 ; E. none", {"A": "4", "B": "3", "C": "2", "D": "1", "E": "none"}),
        ("A. 3, 4;B. 30, 40;C. 5, 6", {"A": "3, 4", "B": "30, 40", "C": "5, 6"}),
        ("A. B; B. C; C. D; D. E", dict(zip("ABCD", "BCDE", strict=True))),
        (
            "A. Vitamin B.; B. Vitamin C.; C. Vitamin D.",
            {"A": "Vitamin B.", "B": "Vitamin C.", "C": "Vitamin D."},
        ),
        ("(A)B (B)C (C)A", {"A": "B", "B": "C", "C": "A"}),
        (
            "a ) 38 , b ) 27.675 , c ) none of these",
            {"A": "38", "B": "27.675", "C": "none of these"},
        ),
        ({"one": "x", "two": "y"}, {"A": "x", "B": "y"}),
        ({"id": 7, "question": "q?", "a": "x", "b": "y", "answer": "a"}, {"a": "x", "b": "y"}),
        ({"I": "x", "II": "y", "V": "z"}, {"I": "x", "II": "y", "V": "z"}),
        ({"A": "x", "B ": "y", "C": "z"}, {"A": "x", "B": "y", "C": "z"}),
        ({"A": "x", "B": "y", "AB": "z"}, {"A": "x", "B": "y", "AB": "z"}),
        (["A. x", "B. "], {"A": "A. x", "B": "B."}),
        ([" (a) x ", "(b) y"], {"A": "x", "B": "y"}),
        ({}, {}),
        (None, {}),
        ("A. x\nB. y", {"A": "x", "B": "y"}),
        (list(range(26)), dict(zip(string.ascii_uppercase, map(str, range(26)), strict=True))),
    ],
)
def test_options_keep_their_labels_or_get_letters_in_order(
    value: Any, options: dict[str, str]
) -> None:
    """Published labels are kept, None is no option, and a text is split at each label that
    continues.
    """
    assert options_of({"o": value}, ("o",)) == options


def test_options_in_columns_of_their_own_end_where_the_row_has_no_more() -> None:
    """An empty one between others is a fault; a row without any has no options."""
    columns = ("x", "y", "z")
    assert options_of({"x": 1, "y": "b", "z": None}, columns) == {"A": "1", "B": "b"}
    assert options_of({"x": "", "y": None}, columns) == {}
    with pytest.raises(ValueError, match=r"^no text in option B$"):
        options_of({"x": "a", "z": "c"}, columns)
    assert options_of({"q": "Which?\nA. x\nB. y"}, ("q",)) == {"A": "x", "B": "y"}
    assert options_of({"q": None}, ("q",)) == {}


@pytest.mark.parametrize(
    "listing",
    [
        "\n(A) red\n(B) dark blue",
        "\nA. red\nB. dark blue",
        "\nA) red\nB) dark blue\n",
        "\n- A: red\n- B: dark blue",
        "\n[A] red\n[B] dark blue\nAnswer with the letter.",
        "\nOptions: A: red, B: dark blue",
        "\nChoices:\n(A) red\n(B) dark blue",
        " (A) red (B) dark blue",
        " A. red; B. dark blue",
    ],
)
def test_lists_of_options_are_known_in_many_forms(listing: str) -> None:
    """Lines or one line, with any of the usual labels, whatever sentence stands before or in a
    line after them.
    """
    assert options_in(f"Which colour is it?{listing}") == {"A": "red", "B": "dark blue"}


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "下列省、自治区中，其简称源\n自西周封国国名的是（ \u3000\u3000） \n"
            "A．河南、河北  B．湖南、湖北  C．山东、山西  D．广东、广西\n",
            ["河南、河北", "湖南、湖北", "山东、山西", "广东、广西"],
        ),
        (
            "下列叙述错误的是（ \u3000\u3000） \nA．DNA与ATP \nB．一个 tRNA分子 \n"
            "C．T2噬菌体 \nD．细菌",
            ["DNA与ATP", "一个 tRNA分子", "T2噬菌体", "细菌"],
        ),
        ("准确的图示是（ \u3000\u3000） \nA．  B．  \nC．  D．\n", ["", "", "", ""]),
        ("哪个是？\nA、红  B、绿\nC、蓝  D、白", ["红", "绿", "蓝", "白"]),
        ("（A）红（B）绿（C）蓝", ["红", "绿", "蓝"]),
        (
            "1　胃癌で適切なのはどれか。\n\na　緊急手術\n\nb　腹腔穿刺\n\nc　薬　物\n\nd　投与",
            ["緊急手術", "腹腔穿刺", "薬　物", "投与"],
        ),
    ],
)
def test_chinese_and_japanese_exams_have_full_width_labels(question: str, texts: list[str]) -> None:
    """Questions of GAOKAO-Bench and of Japan's medical licensing exam, some shortened."""
    assert list(options_in(question).values()) == texts


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "Nobody  is perfect.  \nA. Take  your time B. You’re right   C.Whatever  you say"
            "    D. Take  it easy\n",
            ["Take  your time", "You’re right", "Whatever  you say", "Take  it easy"],
        ),
        (
            "说法错误的是（）\nA. 泡沬灭火器\nB．疫苗\nC. 水性漆\nD. 镁棒\n",
            ["泡沬灭火器", "疫苗", "水性漆", "镁棒"],
        ),
        (
            "则 $C_{A} B=(）$\nA. $\\{4\\}$\nB. $\\{0\\}$\nC. $\\{6\\}$ D. $\\{2\\}$\n",
            ["$\\{4\\}$", "$\\{0\\}$", "$\\{6\\}$", "$\\{2\\}$"],
        ),
        (
            "Which?\nA. S. aureus\nB. vitamin C.\nC. none\nD. the toxin of E. coli",
            ["S. aureus", "vitamin C.", "none", "the toxin of E. coli"],
        ),
    ],
)
def test_a_list_goes_on_where_its_labels_do(question: str, texts: list[str]) -> None:
    """Without a blank, with another dot or within a line, as in GAOKAO-Bench; not with names."""
    assert list(options_in(question).values()) == texts


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What did A. Smith draw?",
        "Is (A) the best?",
        "Which of B. and C. is it?",
        "Who is right, A. Smith or B. Jones?",
        "North of Straße A (street A) there are 7 houses. East of Straße B (street B) there are 8.",
        "There are 5 points labeled as (A), (B), (C), (D), and (E), respectively.",
        "At the starting point $(A)$ the top face is 3. Which will be at the end point $(B)$?",
        "It gives compound A. Compound A is transformed into compound B. What is compound C?",
        "如图，A、B间距离为3，B、C间距离为4，C、D间距离为5，则（）",
        "The ratio A:B is 2:3, B:C is 4:5, C:D is 1:2. What is A:D?",
        "Event A:a total of 5 is thrown, Event B: a total of 6, Event C: a total of 7.",
    ],
)
def test_a_question_without_a_list_has_no_options(text: str) -> None:
    """A single label, one that does not begin with A, and points and people are no list."""
    assert options_in(text) == {}


def test_the_last_option_has_as_many_lines_as_the_others() -> None:
    """One if each of them is a line, else all that follow."""
    assert options_in("Which?\n(A) red\n(B) blue\nAnswer.") == {"A": "red", "B": "blue"}
    listed = options_in("Which?\n(A) red\nor pink\n(B) blue\nor green")
    assert listed == {"A": "red\nor pink", "B": "blue\nor green"}


@given(st.lists(st.text("abc ,.", min_size=1).map(str.strip).filter(bool), min_size=2, max_size=10))
def test_what_is_listed_is_found(options: list[str]) -> None:
    """Texts of options are those that were written."""
    lines = "".join(
        f"\n({letter}) {text}" for letter, text in zip("ABCDEFGHIJ", options, strict=False)
    )
    assert list(options_in(f"Which one?{lines}").values()) == options


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("What is it?\nOptions: A: x, B: y, C: z", "What is it?"),
        (
            "Hint: a letter, e.g., A, B.\nQuestion: Sum?\nChoices:\n(A) 1\n(B) 2",
            "Hint: a letter, e.g., A, B.\nQuestion: Sum?",
        ),
        ("Which?\nA. x\nB. y", "Which?"),
        ("Which? \n(A)red\n(B)blue", "Which?"),
        ("Options: A: are they?\nOptions: A: red, B: blue", "Options: A: are they?"),
        (" No options here. ", "No options here."),
        ("Options: none", "Options: none"),
    ],
)
def test_the_question_before_the_options(text: str, question: str) -> None:
    """Without their heading; whole where there are none."""
    assert question_before(text) == question


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("['0' '4'\n '2' \"it's\"]", ["0", "4", "2", "it's"]),
        (
            "[{'label': 'A', 'text': 'x'}\n {'label': 'B', 'text': 'y'}]",
            [{"label": n, "text": t} for n, t in ("Ax", "By")],
        ),
        (
            "{'text': array(['a', 'b'], dtype=object), 'label': array(['A', 'B'], dtype=object)}",
            {"text": ["a", "b"], "label": ["A", "B"]},
        ),
        (
            "{'text': ['Denver'], 'answer_start': array([177, 177])}",
            {"text": ["Denver"], "answer_start": [177, 177]},
        ),
        ('[\'an array([x]) of "a" "b"\']', ['an array([x]) of "a" "b"']),
        ("['one']", ["one"]),
    ],
)
def test_arrays_are_read_as_pandas_prints_them(cell: str, value: Any) -> None:
    """Python would join texts without a comma to one."""
    assert as_value(cell) == value


def test_numbers_under_letters_are_options() -> None:
    """They become texts, 0 and 1 too."""
    assert options_of({"options": {"A": 1, "B": 0}}, ["options"]) == {"A": "1", "B": "0"}


@pytest.mark.parametrize(
    ("answer", "label"), [("b", "B"), (" (B). ", "B"), (" RED\n", "A"), ("dark  Blue", "B")]
)
def test_the_right_option_is_named_by_its_label_or_its_text(answer: str, label: str) -> None:
    """Case, spaces and marks around a label do not count."""
    assert answer_label(answer, {"A": "red", "B": "dark blue"}) == label


@pytest.mark.parametrize("answer", ["AC", "c, a", "A/C", "A、C", "A and C", "[A] [C]", "A;C."])
def test_several_labels_are_several_options(answer: str) -> None:
    """However they are written; twice the same one, or another word, is a fault of the file."""
    options = {"A": "red", "B": "blue", "C": "black"}
    with pytest.raises(SeveralOptionsError, match=r"the labels of 2 options$"):
        answer_label(answer, options)
    for other in ("AA", "A or so", "AD"):
        with pytest.raises(ValueError, match="no option's text"):
            answer_label(other, options)
    assert answer_label("A, C", options | {"D": "a, c"}) == "D"


def test_a_label_among_texts_may_be_the_text_of_another_option() -> None:
    """As in MedQA, where the options of a picture are B, C, D and E, and the true answer is B."""
    found = "^'B', the label of one option and another's text$"
    options = {"A": "B", "B": "C", "C": "D", "D": "E"}
    with pytest.raises(SeveralOptionsError, match=found):
        answer_label("B", options, among_texts=True)
    assert answer_label("E", options, among_texts=True) == "D"
    assert answer_label("B", {"A": "A", "B": "B"}, among_texts=True) == "B"
    # among letters it is a letter, as in MMStar
    assert answer_label("B", options) == "B"


def test_a_published_label_stays_as_it_is() -> None:
    """ARC has labels of numbers in some rows and of letters in others."""
    assert answer_label("2", {"1": "x", "2": "y"}) == "2"
    assert answer_label("B", {"b": "x", "c": "y"}) == "b"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("C", "no option's text"),
        ("green", "no option's text"),
        ("red", "the text of 2 options"),
        ("", "no option's text"),
    ],
)
def test_an_answer_that_names_no_single_option_is_a_fault(answer: str, found: str) -> None:
    """The message has the labels, and how many options have the text."""
    with pytest.raises(ValueError, match=rf"^'{answer}', {found} and none of the labels A, B$"):
        answer_label(answer, {"A": "red", "B": "Red"})
