"""Answers in no requested form: a marked letter outranks texts, and nothing is read where nothing is chosen."""

from collections.abc import Mapping

import pytest
from lines import COLOURS, NINE

from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.options import Options
from spiqa_tasks.scoring.mcq.reading import Reading
from spiqa_tasks.scoring.mcq.rules import RULES

PICTURES = dict.fromkeys("ABCDE", "")
POINTS = {letter: f"Point {letter}" for letter in "ABCD"}
BOXES = {"A": "Box A", "B": "Box B"}
TWO = {"A": "yes", "B": "no"}
ROMAN = {"A": "I", "B": "II", "C": "III"}
LENGTHS = {"A": "10 cm", "B": "20 cm"}

MARKED = {
    "after-a-line-that-ends-in-a-colon": ("The corresponding point is:\n(D) Point D", PICTURES, "D"),
    "after-a-colon": ("The caption that best describes it is: E) number of nodes", PICTURES, "E"),
    "after-a-blank-line": ("The image that best matches is:\n\nE) The plot with bars", PICTURES, "E"),
    "after-its-listing": ("(A) one\n(B) two\n(C) three\n\nSo the best match is:\n(B) two", PICTURES, "B"),
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
    "the-one-that-does-not": ("The animal that is not a mammal is (C).", PICTURES, "C"),
    "numbered": ("1. B", PICTURES, "B"),
    "numbered-in-brackets": ("1) (A)", PICTURES, "A"),
    "chinese-brackets": ("【答案】B．①③", PICTURES, "B"),
    "odd-bracket": ("The answer is (B] False.", PICTURES, "B"),
    "after-a-box": ("= \\boxed{72}$ cm.The answer is (B).", PICTURES, "B"),
    "my-pick": ("It has two legs, so my pick is B because it fits", PICTURES, "B"),
    "option-number": ("option number B", PICTURES, "B"),
    "japanese-in-lower-case": ("正解は **e** です。\n\n説明:\na: 違います\nb: 違います", PICTURES, "E"),
    "capital-of-a-picture": ("Point B is closer than point A.", dict.fromkeys("AB", ""), "B"),
    "capital-in-quotes": ('It corresponds to point "C" in it.', POINTS, "C"),
}
TEXTS = {
    "in-contrast": ("Box B localizes it more accurately, whereas Box A is too large.", BOXES, "B"),
    "in-the-next-sentence": ("Box B fits. Box A, on the other hand, is too large.", BOXES, "B"),
    "concluded": ("- Point A is up.\n- Point B is low.\n\nTherefore, the point that we seek is Point B.", POINTS, "B"),
    "compared": ("Blue is nearer than red.", COLOURS, "B"),
    "yes-or-no": ("No, the car is larger than it.", TWO, "B"),
    "roman-at-the-end": ("The region is II.", ROMAN, "B"),
    "roman": ("II", ROMAN, "B"),
    "drawing": ("[asy]\nlabel((A)); // red\n[/asy]\nThe colour is blue.", COLOURS, "B"),
    "after-a-value": ("\\boxed{3} of them.\n\nThe colour is blue.", COLOURS, "B"),
}
NOTHING = {
    "different": ("The second image (A) is quite different from the first", PICTURES, "no_match"),
    "least": ("(A) is the least likely", PICTURES, "no_match"),
    "panel": ("Panel (b) shows the loss.", PICTURES, "no_match"),
    "either": ("The answer is either (A) 2 MeV or (C) 5 MeV", PICTURES, "ambiguous"),
    "either-alone": ("either (A) 2 MeV or (C) 5 MeV", PICTURES, "ambiguous"),
    "neither": ("Neither (A) nor (B) fits.", PICTURES, "ambiguous"),
    "cannot-select": ("I cannot confidently select one of red and blue.", COLOURS, "refusal"),
    "cannot-determine-later": ("The sky may be blue. However, it is difficult to determine.", COLOURS, "refusal"),
    "none-of-the-options": ("The sky is blue, but none of the options is right.", COLOURS, "no_match"),
    "none-of-the-options-chinese": ("The sky is blue. 无正确答案", COLOURS, "no_match"),
    "no-as-a-word": ("There is no image provided.", TWO, "refusal"),
    "i-as-a-word": ("I think that it shows this.", ROMAN, "no_match"),
    "not-visible": ("The image is not visible, so it is not possible to answer", TWO, "refusal"),
    "not-visible-chinese": ("图片不可见，所以无法回答", TWO, "refusal"),
    "boxed-value": ("As x = 15, we get \\boxed{108}", COLOURS, "out_of_range"),
    "boxed-none": ("A: red.\n\nE: 15\n\nSo it is \\boxed{\\text{none of these}}", COLOURS, "out_of_range"),
    "answer-line-value": ("The side is 10 cm.\nThe answer is: 30", LENGTHS, "out_of_range"),
    "formula": ("So p_1(B) = f(A) + 3", PICTURES, "no_match"),
    "question": ("Is it (B)?", PICTURES, "no_match"),
    "two-in-brackets": ("The points (A, B, C) are wide.", PICTURES, "ambiguous"),
    "article-in-a-loop": ("I cannot tell a from the rest", NINE, "refusal"),
}
TURNS = {
    "question": ("So (B).\n\nQuestion: Which?\nAnswer: C", "B"),
    "question-first": ("Question: Which?\nAnswer: C", "C"),
    "nothing-stated-before": ("Let me see.\nQ: Which one?\nThe answer is C", "C"),
    "instruction": ("The answer is B.\n\n### Instruction:\nGo on.\n### Response:\nThe answer is C", "B"),
    "token": ("B<|im_end|>\n<|im_start|>user\nAnswer: C", "B"),
    "open": ("The answer is A or B.\nQuestion: Which?\nAnswer: C", None),
    "declined": ("I cannot see the image.\nQuestion: Which?\nAnswer: C", None),
    "channels": ("<|channel|>analysis<|message|>It is A<|end|><|channel|>final<|message|>It is B.<|return|>", "B"),
    "channel-cut-off": ("<|channel|>analysis<|message|>It is A", None),
}


@pytest.mark.parametrize(("response", "choices", "letter"), MARKED.values(), ids=MARKED)
def test_a_marked_letter_is_read_wherever_it_stands(response: str, choices: Mapping[str, str], letter: str) -> None:
    """It outranks whatever texts stand around it, unless it is rejected."""
    assert extract_choice(response, choices).letter == letter


@pytest.mark.parametrize(("response", "choices", "letter"), TEXTS.values(), ids=TEXTS)
def test_a_text_that_is_spoken_for_is_read(response: str, choices: Mapping[str, str], letter: str) -> None:
    """Texts that are contrasted, compared or of the working are not."""
    choice = extract_choice(response, choices)
    assert (choice.letter, choice.rule) == (letter, "text")


@pytest.mark.parametrize(("response", "choices", "rule"), NOTHING.values(), ids=NOTHING)
def test_nothing_is_read_where_nothing_is_chosen(response: str, choices: Mapping[str, str], rule: str) -> None:
    """The reason says whether the answer declines, leaves several open, or is no option."""
    choice = extract_choice(response, choices)
    assert (choice.letter, choice.rule) == (None, rule)


@pytest.mark.parametrize(("response", "letter"), TURNS.values(), ids=TURNS)
def test_the_first_turn_that_states_an_answer_decides(response: str, letter: str | None) -> None:
    """What a model goes on to ask itself is not its answer; what it thinks in another channel is none."""
    assert extract_choice(response, PICTURES).letter == letter


@pytest.mark.parametrize(
    ("rule", "response", "choices", "letters"),
    [
        ("field", "<answer>B</answer> \\boxed{A}", COLOURS, "A"),
        ("field", "\\boxed{A} \\boxed{7}", COLOURS, "A"),
        ("field", "\\boxed{A} \\boxed{none of these}", COLOURS, "?"),
        ("field", "\\boxed{blue}", COLOURS, ""),
        ("field", "B", COLOURS, ""),
        ("answer_line", "The answer is B\nAnswer: 108", COLOURS, "B"),
        ("answer_line", "The answer is A\nIt rains.\nB\nIt is wide.", COLOURS, "B"),
        ("answer_line", "B\nThe answer is A\nIt is red.", COLOURS, "A"),
        ("answer_line", "The answer is A, so B is correct", COLOURS, "A"),
        ("answer_line", "A. red\nB. blue", COLOURS, ""),
        ("answer_line", "The answer is blue", COLOURS, ""),
        ("answer_line", "blue", COLOURS, ""),
        ("conclusion", "It is wide, so B.\nA", COLOURS, "B"),
        ("conclusion", "A is correct\nActually, it is C\nB is correct", COLOURS, "C"),
        ("conclusion", "B", COLOURS, ""),
        ("statement", "A is correct. C is correct.", COLOURS, "AC"),
        ("statement", "A is correct.\nIt rains.\nB is correct", COLOURS, "AB"),
        ("statement", "B, because it fits.\nC is wide", COLOURS, "B"),
        ("statement", "A or B, because they fit", COLOURS, ""),
        ("statement", "blue, because it fits", COLOURS, ""),
        ("statement", "A. red\nB. blue", COLOURS, ""),
        ("statement", "It rains.", COLOURS, ""),
        ("mark", "As it shines, the third image (B) is wide", PICTURES, "B"),
        ("mark", "(A) is wide.\n(C) fits well.\nIt rains.", PICTURES, "C"),
        ("mark", "(A) fits.\nTherefore (C) fits.\n(B) fits.", PICTURES, "C"),
        ("mark", "(A) is wide.\nThus the image is (C).\nPoint B is wide", PICTURES, "C"),
        ("mark", "(A) is wide.\nI cannot tell.", PICTURES, ""),
        ("mark", "(A) one\n(B) two", PICTURES, ""),
        ("text", "The answer is blue", COLOURS, "B"),
        ("text", "It rains.\nblue\nIt is wide. The colour is red.", COLOURS, "A"),
        ("text", "red\nIt rains.\nblue", COLOURS, "B"),
        ("text", "\\boxed{blue} is green", COLOURS, "B"),
        ("text", "The colour is blue.\nAnswer: 108", COLOURS, "?"),
        ("text", "The answer is blue.\nAnswer: 108", COLOURS, "?"),
        ("text", "\\boxed{7}\nThe colour is blue.", COLOURS, "B"),
        ("text", "It rains.", COLOURS, ""),
        ("letter", "Point B is closer than A", PICTURES, "B"),
        ("letter", "Point B is closer than A", COLOURS, ""),
    ],
)
def test_each_rule_by_itself(rule: str, response: str, choices: Mapping[str, str], letters: str) -> None:
    """What it leaves standing, whatever the rules before it say; `?` for an answer that is no option."""
    assert RULES[rule](Reading(response, Options(choices))) == set(letters)
