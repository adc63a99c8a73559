"""A response is read line by line from its end, with the listings and headings around a line in
mind.
"""

from collections.abc import Mapping

import pytest
from lines import COLOURS, NINE, named

from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.options import Options
from spiqa_tasks.scoring.mcq.reading import RULES, Reading

LISTING = "A. red\nB) blue\n(C) green\nOption D: dark red"


def reading_of(text: str, choices: Mapping[str, str] = COLOURS) -> Reading:
    """Return the reading of `text` with these options."""
    return Reading(text, Options(choices))


def test_a_reading_keeps_its_text() -> None:
    """Whether it is a refusal is asked of the whole text."""
    assert reading_of("<answer>\nB").text == "<answer>\nB"


def test_lines_that_mention_an_option_come_last_first() -> None:
    """Blank lines do not count, and lines without a mention are passed over."""
    lines = reading_of("B\n\n \nIt rains.\nI hope so.\nIt is blue").backwards()
    assert [(index, named(line)) for index, line in lines] == [(3, "IT IS TEXT"), (0, "LETTER")]


@pytest.mark.parametrize("text", ["The answer is unknown", "A dog is shown"])
def test_a_line_without_a_mention_is_passed_over(text: str) -> None:
    """Words that name no option, an article among them, mention nothing."""
    assert list(reading_of(text).backwards()) == []


def test_a_line_is_read_once() -> None:
    """However often a line stands, and however often the lines are gone through."""
    reading = reading_of("It is B\nA or C\nIt is B")
    (_, last), (_, _), (_, first) = reading.backwards()
    assert last is first
    assert next(reading.backwards())[1] is last


def test_case_and_markup_do_not_count() -> None:
    """Lines are cleaned before they are read."""
    assert [named(line) for _, line in reading_of("**The Answer** is `B`").backwards()] == [
        "FILL ANSWER IS LETTER"
    ]
    assert [named(line) for _, line in reading_of("It is DARK RED").backwards()] == ["IT IS TEXT"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Answer:\nB", "ANSWER COLON LETTER"),
        ("**Answer:**\n\nB. blue", "ANSWER COLON CONFIRMED"),
        ("# Answer\n(B)", "ANSWER COLON ENCLOSED"),
        ("The final answer:\nB", "FILL SO ANSWER COLON LETTER"),
        ("The picture shows this:\nB", "FILL OTHER IT COLON LETTER"),
        ("So:\n- B", "SO COLON COLON LETTER"),
        ("Option X:\nB", "OPTION OUT_OF_RANGE COLON LETTER"),
        ("It rains.\nB", "LETTER"),
        ("Answer\nIt is B", "IT IS LETTER"),
        ("Answer:\nBoth fit, B", "FILL FITS COMMA LETTER"),
        ("B", "LETTER"),
        ("B\nAnswer:", "LETTER"),
        ("Answer:\nIt rains.\nB", "LETTER"),
        ("Answer:\nA. red\nB. blue", "CONFIRMED"),
    ],
)
def test_a_heading_belongs_to_the_line_below(text: str, kinds: str) -> None:
    """A line that ends with a colon, or says "answer", announces the option that the next line
    begins with.
    """
    reading = reading_of(text)
    assert next(named(line) for _, line in reading.backwards()) == kinds


@pytest.mark.parametrize("text", ["A\nIt is so:\nB", "C:\nB"])
def test_the_first_line_has_no_heading(text: str) -> None:
    """What stands last is no heading of what stands first."""
    *_, (index, line) = reading_of(text).backwards()
    assert index == 0
    assert named(line).split()[0] in ("LETTER", "ENCLOSED")


def test_items_with_neighbours_in_the_alphabet_are_a_listing() -> None:
    """Each item of a listing is known, even the last one where it is cut off."""
    reading = reading_of(LISTING)
    assert [index in reading.listed for index in range(4)] == [True] * 4


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("B. blue", [False]),
        ("B", [False]),
        ("A. red\nC. green", [True, True]),
        ("B. blue\nA. red", [True, True]),
        ("A. red\nB. blue\nA. red", [True, True, False]),
        ("A. red\nB. blue\nD. dark red", [True, True, True]),
        ("A. red\nas it is\nB. blue", [True, False, True]),
        ("A. red\nC", [False, False]),
        ("A. red\nB.", [True, True]),
        ("A. red\nso\nB", [False, False, False]),
        ("A. red\nBlue", [False, False]),
        ("a) red\nb) blue", [True, True]),
        ("- A: red\n- B: blue", [True, True]),
        ("A is red.\nB is blue.", [False, False]),
        ("A. red\nA. red\nB. blue", [False, True, True]),
    ],
)
def test_a_listing_is_told_from_single_items(text: str, listed: list[bool]) -> None:
    """An item is in a listing by its neighbour in the alphabet, or by a later letter on the next
    line.
    """
    reading = reading_of(text)
    assert [index in reading.listed for index in range(len(listed))] == listed


@pytest.mark.parametrize(
    ("field", "letter"),
    [
        ("B", "B"),
        ("(b) blue", "B"),
        ("A or B", None),
        ("The answer is B", "B"),
        ("B, because A is correct only at night", "B"),
        ("blue", "B"),
        ("The answer is blue", "B"),
        ("not B", None),
        ("null", None),
        ("", None),
    ],
)
def test_a_field_names_options(field: str, letter: str | None) -> None:
    """What a field made for the answer is, begins with or claims."""
    assert extract_choice(f"It rains.\n<answer>{field}</answer>", COLOURS).letter == letter


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Option A shows a dog.\nOption B shows a cat, and so does C.", "ABC"),
        ("red or blue", "AB"),
        ("A dog and F", ""),
        ("It rains.", ""),
    ],
)
def test_all_mentioned_options_are_known(text: str, letters: str) -> None:
    """Every option that a line mentions counts, and nothing that is no option."""
    assert reading_of(text).mentioned() == set(letters)


def test_a_text_of_two_options_mentions_both() -> None:
    """Options that share their text are mentioned together."""
    assert reading_of("nan", {"A": "nan", "B": "nan", "C": "x"}).mentioned() == {"A", "B"}


def test_an_option_x_is_mentioned_only_where_it_stands() -> None:
    """Options may have any letters."""
    assert reading_of("W\nor Y and Z", dict.fromkeys("WXYZ", "")).mentioned() == {"W", "Y", "Z"}


@pytest.mark.parametrize(
    ("text", "index", "start", "found"),
    [
        ("It is blue.\nI cannot tell.", 0, 0, True),
        ("It is blue.\nIt rains.\nI CANNOT tell.", 0, 99, True),
        ("It is blue.\nnone of these", 0, 99, True),
        ("It is blue.\n无法确定", 0, 99, True),
        ("I cannot tell.\nIt is blue.", 1, 0, False),
        ("I cannot tell.\nIt is blue.", 0, 0, True),
        ("I cannot tell.\nIt is blue.", 0, 99, False),
        ("It is difficult to identify it.\nIt rains.\nIt is blue.", 1, 0, False),
        ("It is blue.\nIt rains.", 0, 0, False),
        ("Answer:\nB. I don't know", 1, 0, True),
    ],
)
def test_what_is_said_later_may_choose_nothing(
    text: str, index: int, start: int, found: bool
) -> None:
    """In the line itself from a place on, or in a later one; what stands before takes nothing
    back.
    """
    assert reading_of(text).retracts(index, start) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It rains.\nI cannot determine which one it is.\nB", True),
        ("I'm sorry, but I cannot see the image.", True),
        ("判断できません", True),
        ("I don't know", True),
        ("The correct answer cannot be determined from the diagram.", True),
        ("none of these", False),
        ("It is not blue.", False),
        ("It rains.", False),
        ("", False),
    ],
)
def test_an_answer_may_say_that_it_cannot_be_given(text: str, found: bool) -> None:
    """In any line; one that says that no option is right has given an answer."""
    assert reading_of(text).declines() is found


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("It is blue.", -1),
        ("Answer: 108", 0),
        ("It is blue.\nThe answer is 108\nIt rains.", 1),
        ("The answer is 7\nAnswer: 108\nB", 1),
        ("Answer: blue", -1),
        ("Answer: the 15", -1),
        ("It rains.\n\n = \\boxed{108}\nIt is blue.", 2),
        ("It rains.\n\\boxed{B}", -1),
        ("It rains.\n\\boxed{blue}", -1),
        ("It rains.\n\\boxed{7}\nThe answer is 7 m", 2),
        ("Answer:", -1),
        ("Answer:\n108", 0),
    ],
)
def test_the_last_answer_that_names_no_option_is_known(text: str, index: int) -> None:
    """A line with an answer, which a field is; blank lines do not count."""
    assert reading_of(text).unread == index


@pytest.mark.parametrize(
    ("after", "expected"), [(-1, [3, 1, 0]), (0, [3, 1]), (1, [3]), (2, [3]), (3, [])]
)
def test_lines_behind_another_are_read_alone(after: int, expected: list[int]) -> None:
    """Those that mention an option, the last one first."""
    reading = reading_of("It is red\nIt is B\nIt rains\nIt is green")
    assert [index for index, _ in reading.backwards(after)] == expected


PICTURES = dict.fromkeys("ABCDE", "")
POINTS = {letter: f"Point {letter}" for letter in "ABCD"}
BOXES = {"A": "Box A", "B": "Box B"}
TWO = {"A": "yes", "B": "no"}
ROMAN = {"A": "I", "B": "II", "C": "III"}
LENGTHS = {"A": "10 cm", "B": "20 cm"}

MARKED = {
    "after-a-line-that-ends-in-a-colon": (
        "The corresponding point is:\n(D) Point D",
        PICTURES,
        "D",
    ),
    "after-a-colon": ("The caption that best describes it is: E) number of nodes", PICTURES, "E"),
    "after-a-blank-line": (
        "The image that best matches is:\n\nE) The plot with bars",
        PICTURES,
        "E",
    ),
    "after-its-listing": (
        "(A) one\n(B) two\n(C) three\n\nSo the best match is:\n(B) two",
        PICTURES,
        "B",
    ),
    "whatever-noun-stands-before-it": ("The spending is (D) 3.25 million", PICTURES, "D"),
    "in-the-middle": ("As it shines, the third image (B) is most similar to it", PICTURES, "B"),
    "option-in-brackets": ("It moves at 0.91c (Option D)", PICTURES, "D"),
    "with-text-that-is-not-known": ("(B) Something else", PICTURES, "B"),
    "with-a-text-like-a-denial": ("(B) No\n\nThe bed is not near.", PICTURES, "B"),
    "with-another-options-text": ("A) green", COLOURS, "A"),
    "after-a-token": ("<s> (B) Box B", BOXES, "B"),
    "beside-one-that-is-rejected": ("(A) looks off, but (C) fits well", PICTURES, "C"),
    "beside-one-that-is-rejected-with-texts": ("(A) looks off, but (C) fits well", COLOURS, "C"),
    "beside-a-text": ("The sky is red, as in (B)", COLOURS, "B"),
    "numbered": ("1. B", PICTURES, "B"),
    "numbered-in-brackets": ("1) (A)", PICTURES, "A"),
    "chinese-brackets": ("【答案】B．①③", PICTURES, "B"),
    "odd-bracket": ("The answer is (B] False.", PICTURES, "B"),
    "after-a-box": ("= \\boxed{72}$ cm.The answer is (B).", PICTURES, "B"),
    "my-pick": ("It has two legs, so my pick is B because it fits", PICTURES, "B"),
    "option-number": ("option number B", PICTURES, "B"),
    "japanese-in-lower-case": (
        "正解は **e** です。\n\n説明:\na: 違います\nb: 違います",
        PICTURES,
        "E",
    ),
    "capital-of-a-picture": ("Point B is closer than point A.", dict.fromkeys("AB", ""), "B"),
    "capital-in-quotes": ('It corresponds to point "C" in it.', POINTS, "C"),
}
TEXTS = {
    "in-contrast": ("Box B localizes it more accurately, whereas Box A is too large.", BOXES, "B"),
    "in-the-next-sentence": ("Box B fits. Box A, on the other hand, is too large.", BOXES, "B"),
    "concluded": (
        "- Point A is up.\n- Point B is low.\n\nTherefore, the point that we seek is Point B.",
        POINTS,
        "B",
    ),
    "compared": ("Blue is nearer than red.", COLOURS, "B"),
    "yes-or-no": ("No, the car is larger than it.", TWO, "B"),
    "roman-at-the-end": ("The region is II.", ROMAN, "B"),
    "roman": ("II", ROMAN, "B"),
    "after-a-value": ("\\boxed{3} of them.\n\nThe colour is blue.", COLOURS, "B"),
    "number-at-the-end": ("It grows. The length is **20 cm**", LENGTHS, "B"),
    "number-first": ("20 cm\n\nIt grows by half of 10 cm. So 10 +", LENGTHS, "B"),
}
NOTHING = {
    "different": ("The second image (A) is quite different from the first", PICTURES, "no_match"),
    "least": ("(A) is the least likely", PICTURES, "no_match"),
    "panel": ("Panel (b) shows the loss.", PICTURES, "no_match"),
    "either": ("The answer is either (A) 2 MeV or (C) 5 MeV", PICTURES, "ambiguous"),
    "either-alone": ("either (A) 2 MeV or (C) 5 MeV", PICTURES, "ambiguous"),
    "neither": ("Neither (A) nor (B) fits.", PICTURES, "ambiguous"),
    "cannot-select": ("I cannot confidently select one of red and blue.", COLOURS, "refusal"),
    "cannot-determine-later": (
        "The sky may be blue. However, it is difficult to determine.",
        COLOURS,
        "refusal",
    ),
    "none-of-the-options": (
        "The sky is blue, but none of the options is right.",
        COLOURS,
        "no_match",
    ),
    "no-correct-answer": (
        "Option A, it is wide.\nAnswer: no correct answer",
        PICTURES,
        "no_match",
    ),
    "no-correct-answer-chinese": ("选项A，很宽。\n【答案】: 无正确答案", PICTURES, "no_match"),
    "none-of-the-options-chinese": ("The sky is blue. 无正确答案", COLOURS, "no_match"),
    "no-as-a-word": ("There is no image provided.", TWO, "refusal"),
    "i-as-a-word": ("I think that it shows this.", ROMAN, "no_match"),
    "not-visible": ("The image is not visible, so it is not possible to answer", TWO, "refusal"),
    "not-visible-chinese": ("图片不可见，所以无法回答", TWO, "refusal"),
    "boxed-value": ("As x = 15, we get \\boxed{108}", COLOURS, "out_of_range"),
    "boxed-none": (
        "A: red.\n\nE: 15\n\nSo it is \\boxed{\\text{none of these}}",
        COLOURS,
        "ambiguous",
    ),
    "answer-line-value": ("The side is 10 cm.\nThe answer is: 30", LENGTHS, "out_of_range"),
    "working-that-breaks-off": (
        "It grows by 10 cm. It grows by 10 cm. It grows by",
        LENGTHS,
        "no_match",
    ),
    "formula": ("So p_1(B) = f(A) + 3", PICTURES, "no_match"),
    "question": ("Is it (B)?", PICTURES, "no_match"),
    "two-in-brackets": ("The points (A, B, C) are wide.", PICTURES, "ambiguous"),
    "article-in-a-loop": ("I cannot tell a from the rest", NINE, "refusal"),
}
TURNS = {
    "question": ("So (B).\n\nQuestion: Which?\nAnswer: C", "B"),
    "question-first": ("Question: Which?\nAnswer: C", "C"),
    "nothing-stated-before": ("Let me see.\nQ: Which one?\nThe answer is C", "C"),
    "instruction": (
        "The answer is B.\n\n### Instruction:\nGo on.\n### Response:\nThe answer is C",
        "B",
    ),
    "token": ("B<|im_end|>\n<|im_start|>user\nAnswer: C", "B"),
    "open": ("The answer is A or B.\nQuestion: Which?\nAnswer: C", None),
    "declined": ("I cannot see the image.\nQuestion: Which?\nAnswer: C", None),
    "channels": (
        "<|channel|>analysis<|message|>It is A<|end|><|channel|>final<|message|>It is B.<|return|>",
        "B",
    ),
    "channel-cut-off": ("<|channel|>analysis<|message|>It is A", None),
}


@pytest.mark.parametrize(("response", "choices", "letter"), MARKED.values(), ids=MARKED)
def test_a_marked_letter_is_read_wherever_it_stands(
    response: str, choices: Mapping[str, str], letter: str
) -> None:
    """It outranks whatever texts stand around it, unless it is rejected."""
    assert extract_choice(response, choices).letter == letter


@pytest.mark.parametrize(("response", "choices", "letter"), TEXTS.values(), ids=TEXTS)
def test_a_text_that_is_spoken_for_is_read(
    response: str, choices: Mapping[str, str], letter: str
) -> None:
    """Texts that are contrasted, compared or of the working are not."""
    choice = extract_choice(response, choices)
    assert (choice.letter, choice.rule) == (letter, "text")


@pytest.mark.parametrize(("response", "choices", "rule"), NOTHING.values(), ids=NOTHING)
def test_nothing_is_read_where_nothing_is_chosen(
    response: str, choices: Mapping[str, str], rule: str
) -> None:
    """The reason says whether the answer declines, leaves several open, or is no option."""
    choice = extract_choice(response, choices)
    assert (choice.letter, choice.rule) == (None, rule)


@pytest.mark.parametrize(("response", "letter"), TURNS.values(), ids=TURNS)
def test_the_first_turn_that_states_an_answer_decides(response: str, letter: str | None) -> None:
    """What a model goes on to ask itself is not its answer; what it thinks in another channel is
    none.
    """
    assert extract_choice(response, PICTURES).letter == letter


@pytest.mark.parametrize(
    ("rule", "response", "choices", "letters"),
    [
        ("answer_line", "<answer>B</answer> \\boxed{A}", COLOURS, "A"),
        ("answer_line", "\\boxed{A} \\boxed{7}", COLOURS, "A"),
        ("answer_line", "\\boxed{A}\nAnswer: B", COLOURS, "B"),
        ("answer_line", "Answer: B\n\\boxed{A}", COLOURS, "A"),
        ("answer_line", "The answer is B\nAnswer: 108", COLOURS, "B"),
        ("answer_line", "The answer is A\nIt rains.\nB\nIt is wide.", COLOURS, "A"),
        ("answer_line", "B\nThe answer is A\nIt is red.", COLOURS, "A"),
        ("answer_line", "The answer is A, so B is correct", COLOURS, "A"),
        ("answer_line", "A. red\nB. blue", COLOURS, ""),
        ("answer_line", "The answer is blue", COLOURS, "B"),
        ("answer_line", "blue", COLOURS, ""),
        ("conclusion", "It is wide, so B.\nA", COLOURS, "B"),
        ("conclusion", "A is correct\nActually, it is C\nB is correct", COLOURS, "C"),
        ("conclusion", "B", COLOURS, ""),
        ("statement", "A is correct. C is correct.", COLOURS, "AC"),
        ("statement", "A is correct.\nIt rains.\nB is correct", COLOURS, "AB"),
        ("statement", "B, because it fits.\nC is wide", COLOURS, "B"),
        ("statement", "B, because it fits.\nC is correct", COLOURS, "C"),
        ("statement", "blue, because it fits", COLOURS, ""),
        ("statement", "A. red\nB. blue", COLOURS, ""),
        ("statement", "It rains.", COLOURS, ""),
        ("mark", "As it shines, the third image (B) is wide", PICTURES, "B"),
        ("mark", "(A) is wide.\n(C) fits well.\nIt rains.", PICTURES, "C"),
        ("mark", "(A) fits.\nTherefore (C) fits.\n(B) fits.", PICTURES, "C"),
        ("mark", "(A) is wide.\nThus the image is (C).\nPoint B is wide", PICTURES, "C"),
        ("mark", "(A) is wide.\nI cannot tell.", PICTURES, ""),
        ("mark", "(A) one\n(B) two", PICTURES, ""),
        ("text", "The sky is blue", COLOURS, "B"),
        ("answer_line", "\\boxed{blue} is green", COLOURS, "B"),
        ("text", "The colour is blue.\nAnswer: 108", COLOURS, "?"),
        ("text", "The answer is blue.\nAnswer: 108", COLOURS, "?"),
        ("text", "\\boxed{7}\nThe colour is blue.", COLOURS, "B"),
        ("text", "It rains.", COLOURS, ""),
        ("letter", "Point B is closer than A", PICTURES, "B"),
        ("letter", "Point B is closer than A", COLOURS, ""),
    ],
)
def test_each_rule_by_itself(
    rule: str, response: str, choices: Mapping[str, str], letters: str
) -> None:
    """What it leaves standing, whatever the rules before it say; `?` for an answer that is no
    option.
    """
    reading = Reading(response, Options(choices))
    found = (read(reading) for name, read in RULES if name == rule)
    assert next(filter(None, found), set()) == set(letters)


def test_half_a_surrogate_pair_is_a_character_of_a_long_answer() -> None:
    """Which JSON can hold and UTF-8 cannot."""
    options = {"A": "red", "B": "blue"}
    answer = "The answer is B.\n\ud83d It is wide " + "and wide " * 300 + "and"
    assert extract_choice(answer, options).letter == "B"
