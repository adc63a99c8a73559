"""Answers of the forms that models really give are matched to the option they pick, or to none
with the reason.
"""

import itertools
import json
import string
from pathlib import Path

import pytest
from growth import is_linear
from hypothesis import example, given
from hypothesis import strategies as st
from lines import COLOURS, NINE

from spiqa_tasks.scoring.mcq import Choice, extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import released_match

PICTURES = dict.fromkeys("ABCDE", "")
NUMBERS = {"A": "5", "B": "15", "C": "5.5", "D": "-5"}
COMPOUND = {
    "A": "An overview of training.",
    "B": "Accuracy over epochs.",
    "C": "Both A and B",
    "D": "None of the above",
}
LANGUAGES = {"A": "C++", "B": "Java", "C": "C#", "D": "C"}
TWINS = {"A": "Yes", "B": "No", "C": "nan", "D": "nan"}
RESTATED = "A) red\nB) blue\nC) green\nD) dark red\nE) 15"

PICKS = {
    "bare": ("B", "B"),
    "bare-lower": ("b", "B"),
    "bare-stop": ("B.", "B"),
    "bare-parentheses": ("(B)", "B"),
    "bare-quotes": ("“B”", "B"),
    "bare-bullet": ("- B", "B"),
    "bare-full-width": ("（Ｂ）", "B"),
    "bare-end-token": ("B</s>", "B"),
    "bare-html-like": ("<B>", "B"),
    "bare-bold": ("**B**", "B"),
    "box-token": ("<|begin_of_box|>C<|end_of_box|>", "C"),
    "lead-parenthesis": ("B) some text", "B"),
    "lead-colon": ("B: blue", "B"),
    "lead-space-text": ("B blue", "B"),
    "lead-article-letter-text": ("A red", "A"),
    "lead-comma-because": ("B, because the sky is blue", "B"),
    "lead-after-article": ("A dog is shown.\nB, because it is red.", "B"),
    "lead-then-denial": ("B, not A", "B"),
    "lead-then-explanation": ("A\n\nExplanation: B is a distractor and C is wrong.", "A"),
    "lead-then-others-rejected": ("B\n\nA: wrong.\nC: wrong.\nD: wrong.", "B"),
    "lead-then-listing": ("A\n\n- A: fits.\n- B: no.\n- C: no.", "A"),
    "lead-text-contradicts": ("B: green", "B"),
    "boxed": ("\\boxed{C}", "C"),
    "boxed-text-in-dollars": ("$\\boxed{\\text{C}}$", "C"),
    "boxed-in-sentence": ("The answer is \\(\\boxed{\\textbf{(C)}}\\).", "C"),
    "boxed-option-text": ("\\boxed{15}", "E"),
    "answer-element": ("A is close. <answer>B</answer>", "B"),
    "json": ('{"answer": "C", "reason": "A is wrong"}', "C"),
    "json-fenced": ('```json\n{"answer": "C"}\n```', "C"),
    "json-single-quotes": ("{'Answer': 'C. green'}", "C"),
    "json-text": ('{"answer": "blue"}', "B"),
    "answer-is": ("The answer is B", "B"),
    "answer-is-lower": ("the answer is a.", "A"),
    "answer-is-bold-text": ("The correct answer is: **B. Blue**", "B"),
    "answer-colon": ("Answer: C", "C"),
    "answer-colon-lower-parentheses": ("Answer: (b)", "B"),
    "answer-next-line": ("### Answer\n\nB. blue\n\n### Explanation\nA is wrong.", "B"),
    "answer-then-rejected": ("Answer: B, A is wrong", "B"),
    "answer-text-then-letter": ("The answer is blue (B).", "B"),
    "final-answer": ("Final answer: D", "D"),
    "arabic": ("الإجابة: B", "B"),
    "hindi": ("उत्तर: B", "B"),
    "chinese": ("答案是B", "B"),
    "option": ("Option C", "C"),
    "choice-lower": ("choice (d)", "D"),
    "therefore-option": ("A man holds an umbrella, therefore option C", "C"),
    "option-is-correct": ("Option B is correct. A is the distractor", "B"),
    "is-the-answer": ("C is the answer because A shows a bar chart.", "C"),
    "i-think-it-is": ("I think it's C because A is wrong", "C"),
    "i-choose": ("I choose c.", "C"),
    "i-would-go-with": ("I'd go with B.", "B"),
    "best-caption": ("The caption that best describes the figure is C.", "C"),
    "best-matches": ("The figure best matches caption C.", "C"),
    "caption-best-matches": ("Based on the figure, caption D best matches.", "D"),
    "option-best-describes": ("Among these, option B best describes the trend.", "B"),
    "figure-alone": ("Figure (B)", "B"),
    "not-a-but-b": ("It's not A, it's B", "B"),
    "neither-so": ("Neither A nor B; so C", "C"),
    "all-rejected-therefore": ("A is wrong, C is wrong, D is wrong, therefore B.", "B"),
    "stated-then-named": ("A is correct at night. The answer is B", "B"),
    "stated-then-corrected": ("A is correct. But B is correct", "B"),
    "doubt-then-answer": ("I don't think A is correct. The answer is B", "B"),
    "self-correction-wait": ("A. Wait, actually the answer is B", "B"),
    "self-correction-recheck": ("The answer is A. Hmm, let me re-check. The answer is B.", "B"),
    "self-correction-i-mean": ("The answer is A. I mean, B", "B"),
    "self-correction-no": ("The answer is A... no, C.", "C"),
    "final-after-first": ("The answer is A at first sight. Final answer: B", "B"),
    "list-narrowed": ("The answer is A or B. I'd say the answer is B.", "B"),
    "torn-then-pick": ("I was torn between A and C, but C is the best match.", "C"),
    "reasoning-over-options": (
        "Option A shows a dog. Option B shows a cat.\nOption C shows growth.\n\nSo the answer is C",
        "C",
    ),
    "reasoning-line-letter": ("Reasoning goes here.\n**C**", "C"),
    "reasoning-left-over": ("maybe A\n</think>\n\nB", "B"),
    "restated-then-answer": (f"{RESTATED}\n\nThe answer is C", "C"),
    "restated-then-letter": (f"{RESTATED}\n\nB", "B"),
    "restated-inline-then-so": ("A: red, B: blue, C: green, D: dark red, E: 15. So it is D.", "D"),
    "restated-with-reasons": (
        "A. red - no.\nB. blue - no.\nC. green - yes.\n\nTherefore, the answer is C. green.",
        "C",
    ),
    "answer-beats-refusal-words": ("I cannot see the cat in option A, so the answer is B", "B"),
    "guess-beats-refusal": (
        "I'm unable to see the image, but if I had to guess, I would choose B.",
        "B",
    ),
    "text": ("blue", "B"),
    "text-stop-case": ("Blue.", "B"),
    "text-longest": ("Dark red.", "D"),
    "text-number": ("15", "E"),
    "text-stated": ("The answer is dark red, not red.", "D"),
    "text-it-is": ("It is 15", "E"),
    "text-ends-sentence": ("The colour of the car is dark red.", "D"),
}
NONE = {
    "empty": ("", "empty"),
    "spaces": (" \n\t", "empty"),
    "only-a-token": ("</s>", "empty"),
    "only-tokens": ("<|pad|>" * 100, "empty"),
    "article-capital": ("A chart shows growth", "no_match"),
    "article-lower": ("a dog", "no_match"),
    "article-after-answer-is": ("The answer is a dog", "out_of_range"),
    "pronoun": ("I think this shows a dog", "no_match"),
    "vitamin": ("Vitamin C is essential", "no_match"),
    "initials": ("The U.S. GDP grew", "no_match"),
    "panel": ("Panel (b) shows the loss.", "no_match"),
    "truncated": ("Let's consider option A. The chart shows", "no_match"),
    "denied": ("The answer is not A", "no_match"),
    "denied-cannot": ("The answer cannot be B.", "no_match"),
    "denied-belief": ("I don't think A is correct.", "no_match"),
    "denied-text": ("It is not blue", "no_match"),
    "rejected": ("So A is wrong.", "no_match"),
    "conditional": ("If A is correct, the curve would rise", "no_match"),
    "none-of-the-above": ("None of the above", "no_match"),
    "number-inside-number": ("115", "no_match"),
    "and": ("A and B", "ambiguous"),
    "or": ("A or B", "ambiguous"),
    "or-spanish": ("La respuesta correcta es A o C", "ambiguous"),
    "both": ("Both A and C", "ambiguous"),
    "comma": ("A, B", "ambiguous"),
    "slash": ("A/B", "ambiguous"),
    "boxed-two": ("\\boxed{A, C}", "ambiguous"),
    "either": ("The answer is either A or B", "ambiguous"),
    "each-correct": ("A is correct.\nB is correct.", "ambiguous"),
    "both-correct": ("Options A and B are both correct.", "ambiguous"),
    "conflict": ("The answer is A. Colours differ. The answer is B.", "ambiguous"),
    "two-texts": ("red and blue", "ambiguous"),
    "considered": ("Option A shows a dog. Option B shows a cat.", "ambiguous"),
    "restated": (RESTATED, "ambiguous"),
    "restated-inline": (RESTATED.replace("\n", " "), "ambiguous"),
    "restated-heading": ("Answer choices:\nA. red\nB. blue\nC. green", "ambiguous"),
    "restated-undecided": (
        "Let's check each option:\n\nA. red - it has red.\nB. blue - it has blue.",
        "ambiguous",
    ),
    "out-of-range": ("F", "out_of_range"),
    "out-of-range-stated": ("The answer is F.", "out_of_range"),
    "refusal-image": ("Sorry, I cannot see any image. Could you provide it?", "refusal"),
    "refusal-determine": ("I'm unable to determine the answer without the image.", "refusal"),
    "refusal-assist": ("I'm sorry, I can’t assist with that.", "refusal"),
}
OTHER = {
    "i-letter": ("I", NINE, "I"),
    "i-stated": ("The answer is I.", NINE, "I"),
    "i-pronoun": ("I believe the answer is H", NINE, "H"),
    "i-contraction": ("I'm sure this is a dog", NINE, None),
    "five-is-not-fifteen": ("15", NUMBERS, "B"),
    "five-is-not-five-and-a-half": ("The value is 5.5.", NUMBERS, "C"),
    "five-is-not-minus-five": ("-5", NUMBERS, "D"),
    "five": ("The answer is 5.", NUMBERS, "A"),
    "two-numbers": ("5 or 15", NUMBERS, None),
    "text-with-letters": ("Both A and B", COMPOUND, "C"),
    "text-with-letters-stated": ("The answer is both A and B.", COMPOUND, "C"),
    "text-none-of-the-above": ("None of the above.", COMPOUND, "D"),
    "only-option": ("A", {"A": "red"}, "A"),
    "text-quoted": (
        'The curve rises.\n\nSo the correct caption is: "Accuracy over epochs."',
        COMPOUND,
        "B",
    ),
    "text-like-a-letter": ("C++", LANGUAGES, "A"),
    "text-sharp": ("C#", LANGUAGES, "C"),
    "letter-before-equal-text": ("C", LANGUAGES, "C"),
    "no-is-an-option": ("No, it does not.", TWINS, "B"),
    "shared-text": ("nan", TWINS, None),
    "shared-text-with-letter": ("D: nan", TWINS, "D"),
    "text-that-is-no-letter-here": ("x", {"A": "x", "B": "y"}, "A"),
    "punctuation-with-pictures": ("?", PICTURES, None),
}


@pytest.mark.parametrize(("response", "letter"), PICKS.values(), ids=PICKS)
def test_an_answer_gives_the_letter_it_picks(response: str, letter: str) -> None:
    """A response that commits to one option gives that option."""
    assert extract_choice(response, COLOURS).letter == letter


@pytest.mark.parametrize(("response", "rule"), NONE.values(), ids=NONE)
def test_an_answer_without_a_pick_gives_the_reason(response: str, rule: str) -> None:
    """A response that commits to no single option gives None and says why."""
    assert extract_choice(response, COLOURS) == Choice(None, rule)


@pytest.mark.parametrize(("response", "choices", "letter"), OTHER.values(), ids=OTHER)
def test_an_answer_is_read_in_the_light_of_its_choices(
    response: str, choices: dict[str, str], letter: str | None
) -> None:
    """What a word or letter means depends on the options offered."""
    assert extract_choice(response, choices).letter == letter


@pytest.mark.parametrize(
    ("response", "rule"),
    [
        ("\\boxed{B}", "answer_line"),
        ("\\boxed{B}\n\nThe answer is B.", "answer_line"),
        ("The answer is B", "answer_line"),
        ("(B)", "answer_line"),
        ("B: blue", "answer_line"),
        ("The answer is blue", "answer_line"),
        ('{"answer": "blue"}', "answer_line"),
        ("\\boxed{blue}", "answer_line"),
        ("The sky (B) is wide.", "mark"),
        ("B\nred", "answer_line"),
        ("It is not A, so B.", "conclusion"),
        ("Option B is correct.", "statement"),
        ("The car is blue.", "text"),
        ("It rains, therefore blue.", "conclusion"),
        ("It rains, therefore blue.\nRed is shown too.", "conclusion"),
        ("I choose blue.\nRed is shown too.", "text"),
        ("Blue, as shown.", "text"),
    ],
)
def test_the_rule_that_fired_is_named(response: str, rule: str) -> None:
    """Each of the rules reports its own name."""
    assert extract_choice(response, COLOURS) == Choice("B", rule)


@pytest.mark.parametrize(
    "choices", [{}, {"": "x"}, {"a": "x", "A": "y"}, {"a b": "x"}, {"long": "x"}]
)
def test_choices_without_short_labels_are_rejected(choices: dict[str, str]) -> None:
    """No options, or keys that are not different labels of at most three characters, are errors."""
    with pytest.raises(ValueError, match="letters or short labels"):
        extract_choice("B", choices)


FOUR = dict.fromkeys("ABCD", "")
VEHICLES = {"A": "red car", "B": "blue truck", "C": "bus"}
CHARTS = {"A": "line chart", "B": "bar chart"}
NUMBERED = {"1": "Ann is Bo's child.", "2": "Bo is Ann's child.", "3": "They are siblings."}
CUT = "The first panel is likely similar to the second, and option B looks similar. " * 30
LISTED = "the correct answer is:\n\nA) ground\nC) surface of earth"


@pytest.mark.parametrize(
    ("response", "choices", "letter"),
    [
        # "a" before the text of option A is an article
        (
            (
                "The picture shows a red car next to a blue truck. The larger vehicle is the blue"
                " truck."
            ),
            VEHICLES,
            "B",
        ),
        ("It resembles a line chart. However, it is hard to tell.", CHARTS, None),
        ("The answer is a red car.", VEHICLES, "A"),
        ("A red car", VEHICLES, "A"),
        # echoes of the prompt's example
        ("例如[正确答案]A<eoa>。请你严格按照这个格式回答。", FOUR, None),
        ("Answer with the letter, e.g. Answer: A", FOUR, None),
        ("Answer directly, such as answer letter 'A' only.", FOUR, None),
        # another question follows
        ("[正确答案]B<eoa>\n请你回答：\n下列哪个是正确的\n[正确答案]A<eoa>", FOUR, "B"),
        ("B\n【例题】下列\n答案：C", FOUR, "B"),
        ("B\n#include <stdio.h>\nAnswer: C", FOUR, "B"),
        # lists
        (LISTED, FOUR, None),
        ("规定是A:“城禁”;B:“嬉禁”;C:“犯夜”;D:“宵禁”", FOUR, None),
        ("A:A, B, C, D.", FOUR, None),
        ('{"answer_choice": "A. Pneumococcus, C. H.influenza"}', FOUR, None),
        ('{"answer_choice": "A. Lysis and D. Coagulation of proteins"}', FOUR, None),
        ('{"answer_choice": "A. Pneumococcus"}', FOUR, "A"),
        ('{"answer_choice": "Not listed among the options"}', FOUR, None),
        # denials and variables
        ("Answer choice (D) does not match the main idea.", FOUR, None),
        ("Difference (D) = Rs.72", FOUR, None),
        ("Option (d) 10 degrees seems too small", FOUR, None),
        # quoted, marked and struck letters
        *(
            (form, FOUR, "B")
            for form in ("Answer: 'B'", "‘B’", "_B_", "['B']", r"\boxed{'B'}", r"\fbox{B}")
        ),
        # plain answers
        ("C<eoa>", FOUR, "C"),
        ("B 解析:因为如此", FOUR, "B"),
        ("#答案\nA\n\n#解析\n" + "法律规则" * 400, FOUR, "A"),
        ("The estimate for X would be:\n\nb", {"A": "10", "B": "20"}, "B"),
        ("The sum is 125 (D)", FOUR, "D"),
        ("D lies on BC, as does A.\n\n**Answer: True**", {"A": "True", "B": "False"}, "A"),
        # numbers
        ("The answer is 3.0", {"A": "3", "B": "3.0", "C": "3.00"}, "B"),
        # cut off
        ("<think>The answer is B, but let me", FOUR, None),
        (CUT + "It may also be that the third panel is more", FOUR, None),
        # labels other than letters
        ("<ANSWER>2</ANSWER>", NUMBERED, "2"),
        ("Option 2 is correct; there are 3 of them.", NUMBERED, "2"),
        ("There are 2 cats and 3 dogs.", NUMBERED, None),
        ("The answer is ②", {"①": "foo", "②": "bar"}, "②"),
        ("答えはイです。", dict.fromkeys("アイウエ", ""), "イ"),
        ("정답은 나입니다.", dict.fromkeys("가나다라", ""), "나"),
        ("정답은 3번입니다", dict.fromkeys("1234", ""), "3"),
        ("الإجابة هي ب", dict.fromkeys("أبجد", ""), "ب"),
        ("<answer>2</answer>", {"A": "Ann is older", "B": "Bo is older"}, "B"),
        ("<answer>2</answer>", {"A": "two cats", "B": "a dog"}, None),
    ],
)
def test_nothing_is_read_that_was_not_chosen(
    response: str, choices: dict[str, str], letter: str | None
) -> None:
    """Forms of real answers that no rule read, or that were read as a letter which nobody chose."""
    assert extract_choice(response, choices).letter == letter


def test_a_cut_answer_is_read_as_far_as_it_commits() -> None:
    """The host's word decides whether it was cut: then a named answer counts, or a line of its
    own at the start.
    """
    weak = "Option B is correct so far, but"
    assert extract_choice(weak, FOUR) == Choice("B", "statement")
    assert extract_choice(weak, FOUR, truncated=True) == Choice(None, "truncated")
    assert extract_choice(CUT + "and more", FOUR, truncated=False).letter == "B"
    assert extract_choice("The answer is C. This is", FOUR, truncated=True) == Choice(
        "C", "answer_line"
    )
    assert extract_choice("Let's see:\nA", FOUR, truncated=True).letter is None


def test_lines_of_the_prompt_are_not_read_but_for_options() -> None:
    """A line that repeats the prompt is left out; one that begins with an option may be the
    answer.
    """
    echo = "The last line of your response is Answer: A"
    prompt = f"Which is it?\nA. red\nB. blue\n{echo}"
    assert extract_choice(echo, COLOURS).letter == "A"
    assert extract_choice(echo, COLOURS, prompt=prompt).letter is None
    assert extract_choice(f"{echo}\nB. blue", COLOURS, prompt=prompt).letter == "B"


def test_lower_case_keys_are_returned_as_given() -> None:
    """The letter of the result is a key of the choices in the caller's own case."""
    assert extract_choice("The answer is B", {"a": "red", "b": "blue"}).letter == "b"


OF_THE_ISSUE = {
    "text-after-the-letter": ("The sky is wide. The answer is (B) blue", COLOURS, "B"),
    "text-repeated": (
        "The correct answer is (B) 30°, as ∠AOB is 30°",
        {"A": "20°", "B": "30°"},
        "B",
    ),
    "text-without-space": ("Answer: (G)10", dict(zip("EFG", ("8", "9", "10"), strict=True)), "G"),
    "boxed-fraction-with-letter": (
        "\\boxed{\\text{(D) }\\frac{14}{3}}",
        {"A": "7", "D": "\\frac{14}{3}"},
        "D",
    ),
    "boxed-latex-space": ("\\boxed{\\text{Option~B}}", COLOURS, "B"),
    "boxed-fraction": ("\\boxed{\\frac{1}{3}}", {"A": "\\frac{1}{3}", "B": "1/2"}, "A"),
    "json-with-comma": (
        '{"answer": "(A) a plot, with axes"}',
        {"A": "a plot, with axes", "B": "a map"},
        "A",
    ),
    "last-line-decides": ("I think it is A.\n\nAnswer: C", COLOURS, "C"),
    "text-is-a-letter": ("D. A", {"A": "D", "B": "C", "C": "B", "D": "A"}, "D"),
    "text-is-a-letter-bracketed": (
        "The answer is B (A).",
        {"A": "D", "B": "A", "C": "B", "D": "C"},
        "B",
    ),
    "lack-of-appeal": (
        "Conclusion: a lack of appeal.\n\nAnswer: (F) Yes",
        {"A": "No", "C": "Never", "F": "Yes"},
        "F",
    ),
    "text-not-other": ("The colour shown is green, not blue.", COLOURS, "C"),
    "text-of-a-count": ("There are 10 people.", {"A": "8", "B": "10"}, "B"),
    "text-then-letter": ("the hawfinch (D) has a thick beak", {"A": "wren", "D": "hawfinch"}, "D"),
    "corresponding-to": ("The curve rises, corresponding to option D", COLOURS, "D"),
    "verdicts-in-line": ("A ✗ B ✓ C ✗", {"A": "", "B": "", "C": ""}, "B"),
    "role-a": ("A: no", {"A": "yes", "B": "no"}, "B"),
    "cut-off-reasoning": ("<think>It could be A, so the answer is A", COLOURS, None),
    "question": ("Is the answer B?", COLOURS, None),
    "condition": ("The answer might be B", COLOURS, None),
    "wrong-one": ("The wrong answer is B", COLOURS, None),
    "listing-cut-off": ("The answer is B.\n\nNext one:\nA) x\nB) y\nC", PICTURES, "B"),
}


@pytest.mark.parametrize(("response", "choices", "letter"), OF_THE_ISSUE.values(), ids=OF_THE_ISSUE)
def test_forms_of_real_models_are_read(
    response: str, choices: dict[str, str], letter: str | None
) -> None:
    """What real models write about real options gives the option, or none where they say none."""
    assert extract_choice(response, choices).letter == letter


DECORATIONS = (
    "{}", "({})", "{}.", "{})", "{}:", "[{}]", "**{}**", "__{}__", "`{}`", '"{}"', "\\boxed{{{}}}", "${}$", "> {}",
    "<answer>{}</answer>", '{{"answer": "{}"}}', "{}</s>", "Answer: {}", "Answer: ({})", "The answer is {}.",
    "The correct answer is **{}**.", "Final answer: {}", "Option {}", "option ({})", "I choose {}.",
    "So the answer is {}!", "The text of this figure is long. Therefore, {}",
)  # fmt: skip
words = st.lists(
    st.sampled_from(["loss", "curve", "heat", "map", "robot", "network", "tree"]),
    min_size=1,
    max_size=4,
)
fragments = st.sampled_from(
    [
        "A",
        "B",
        "(C)",
        "a",
        "I",
        "the answer is ",
        "answer: ",
        "not ",
        "so ",
        "\n",
        ". ",
        ", ",
        " or ",
        "red",
        "dark red",
        "15",
        "\\boxed{",
        "}",
        "<answer>",
        "option ",
        "⟦",
        "⟧",
        "wait, ",
        " is correct",
        "'s",
        "ß",
        "İ",
        '{"answer": "',
    ]
)
responses = st.text() | st.lists(fragments, max_size=25).map("".join)


@example("İ.A", {"A": "x", "B": "y"})  # a letter of which lower case makes two characters
@given(
    responses,
    st.dictionaries(st.sampled_from(string.ascii_uppercase), st.text() | fragments, min_size=1),
)
def test_any_response_gives_an_offered_letter_or_none(
    response: str, choices: dict[str, str]
) -> None:
    """Whatever the response and the option texts are, nothing is raised and the letter is one of
    the choices.
    """
    choice = extract_choice(response, choices)
    assert choice.letter is None or choice.letter in choices


@given(responses, st.text(" \n\t\r", max_size=5), st.text(" \n\t\r", max_size=5))
def test_surrounding_whitespace_changes_nothing(response: str, before: str, after: str) -> None:
    """The verdict is the same with whitespace around the response."""
    assert extract_choice(before + response + after, COLOURS) == extract_choice(response, COLOURS)


@given(
    st.sampled_from(list(PICKS.values())),
    st.sampled_from(["It rains.", "I hope this helps!", "Let me look closely."]),
)
def test_a_sentence_that_names_no_option_changes_nothing(
    pick: tuple[str, str], sentence: str
) -> None:
    """A line before or after an answer that speaks of no option leaves its letter as it is."""
    response, letter = pick
    assert extract_choice(f"{response}\n{sentence}", COLOURS).letter == letter
    assert (
        "</think>" in response
        or extract_choice(f"{sentence}\n{response}", COLOURS).letter == letter
    )


@pytest.mark.parametrize("form", DECORATIONS)
@pytest.mark.parametrize("choices", [COLOURS, PICTURES, NINE], ids=["texts", "pictures", "nine"])
def test_a_decorated_letter_is_that_letter(form: str, choices: dict[str, str]) -> None:
    """Every letter in every common decoration is picked."""
    assert [extract_choice(form.format(letter), choices).letter for letter in choices] == list(
        choices
    )


@given(st.lists(words.map(" ".join), min_size=2, max_size=5, unique=True), st.data())
def test_an_option_text_alone_is_its_letter(texts: list[str], data: st.DataObject) -> None:
    """An option's text picks it, in any case and with a closing stop, even if other options'
    texts are inside it.
    """
    choices = dict(zip(string.ascii_uppercase, texts, strict=False))
    letter = data.draw(st.sampled_from(sorted(choices)))
    form = data.draw(
        st.sampled_from([str, str.upper, str.title, "{}.".format, "The answer is {}.".format])
    )
    assert extract_choice(form(choices[letter]), choices).letter == letter


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "A ",
            "(A) ",
            "answer is ",
            "<answer>",
            "\\boxed{",
            "I cannot see ",
            "\n",
            "x\n",
            "-> ",
            "A:\n",
            "red ",
            '"',
        ),
        *(
            "(A), ",
            "red, ",
            "(A",
            "f(A) ",
            "Question:\n",
            "</s>",
            "[asy]",
            "<|channel|>",
            "answer: 5\n",
            "A) x ",
            "A) x B) y ",
        ),
    ],
)
def test_long_repetitive_responses_are_read_in_linear_time(piece: str) -> None:
    """A megabyte of a model stuck in a loop."""
    assert is_linear(lambda text: extract_choice(text, COLOURS), piece, "Well ", "end")


def test_both_matchers_agree_with_a_count_by_eye_on_real_predictions(real_data: Path) -> None:
    """On real predictions, each a letter alone or before a colon, both matchers count what
    splitting at it counts.
    """
    text = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    expected = sum(row["prediction"].split(":")[0].strip() == row["answer"] for row in rows)
    released = sum(released_match(row["prediction"], row["answer"]) for row in rows)
    extracted = sum(
        extract_choice(row["prediction"], dict.fromkeys("ABCD", "")).letter == row["answer"]
        for row in rows
    )
    assert (len(rows), expected, released, extracted) == (307, 164, 164, 164)


@pytest.mark.parametrize("form", ["{}", "{}.", "({})", "{})", " {}\n", "({}).", "**{}**"])
@pytest.mark.parametrize(
    "texts",
    [("red", "blue", "a cat"), ("B", "A", "C"), ("", "", ""), ("two words", "A and B", "(A)")],
)
def test_a_bare_letter_is_its_option(form: str, texts: tuple[str, ...]) -> None:
    """Whatever the options' texts and the prompt; one that is no option is none."""
    for letter, prompt, is_cut in itertools.product(
        "ABCD", ("", "A\nB", "Which? (A) x"), (None, True)
    ):
        options = dict(zip("ABC", texts, strict=True))
        found = extract_choice(form.format(letter), options, truncated=is_cut, prompt=prompt)
        assert found.letter == (letter if letter in options else None)


@pytest.mark.parametrize(
    ("option", "response", "rule"),
    [
        ("30°", r"The angle is $30^\circ$.", "text"),
        ("30°", r"Therefore, the answer is $30^{\circ}$.", "answer_line"),
        ("30°", r"\boxed{30^\circ}", "answer_line"),
        ("30°", r"It is 30\degree.", "text"),
        (r"$2 \times 3$", "The answer is 2 × 3.", "answer_line"),
        ("2 × 3", r"The answer is $2\;\times\ 3$.", "answer_line"),
        ("(1, 2)", r"The answer is $\left(1,~2\right)$.", "answer_line"),
    ],
)
def test_an_option_is_found_as_latex(option: str, response: str, rule: str) -> None:
    """Degrees, products, brackets and spaces of LaTeX."""
    assert extract_choice(response, {"A": "60°", "B": option}) == Choice("B", rule)


DEGREES = {"A": r"$20^{\circ}$", "B": r"$30^{\circ}$"}
AREAS = {
    "A": r"$1 \mathrm{~cm}^{2}$",
    "B": r"$2 \mathrm{~cm}^{2}$",
}


@pytest.mark.parametrize(
    ("response", "options", "letter"),
    [
        ("【回答】b\u3000耳石置換法", dict.fromkeys("abcde", ""), "b"),
        ("答え: a 耳石", dict.fromkeys("abcde", ""), "a"),
        ("Positive. So ascites. Answer b.", dict.fromkeys("abcde", ""), "b"),
        (r"\boxed{2\sqrt{2}}", {"A": "$1$", "B": r"$2 \sqrt{2}$"}, "B"),
        ("75%", {"A": r"$75 \%$", "B": r"$5 \%$"}, "A"),
        (
            r"the perimeter, which is $4 \times 18 = \boxed{72}$ cm.The answer is (B).",
            {"A": r"$54 \mathrm{~cm}$", "B": r"$72 \mathrm{~cm}$"},
            "B",
        ),
        (r"The answer is: 50+5\pi", {"A": "$50$", "B": r"$10+5 \pi$"}, None),
        (r"$\frac{1}{4}\cdot\pi$", {"A": r"$\pi$", "B": r"$2 \pi$"}, None),
        (r"The angle is \boxed{30}.", DEGREES, None),
        ("30", DEGREES, None),
        (r"\boxed{2\mbox{ cm}^2}", AREAS, "B"),
        ("2 Cm^2", AREAS, "B"),
        (r"\boxed{\dfrac{1}{2}}", {"A": "$1$", "B": "$2$", "C": r"$\frac{1}{2}$"}, "C"),
        (r"\boxed{80 - 10 \pi}", {"A": r"$80-10\pi$", "B": r"$60-10\pi$"}, "A"),
        ("\\boxed{PS}", {"A": "$P Q$", "B": "$P S$"}, "B"),
        ("A + P = 5, A is best.\n\\boxed{7}", {"A": "8 Taler", "B": "9 Taler"}, None),
    ],
)
def test_values_and_labels_as_models_published_them(
    response: str, options: dict[str, str], letter: str | None
) -> None:
    """Kinds of published answers to a medical exam and to MATH-V; a number lacks no unit."""
    assert extract_choice(response, options).letter == letter
