"""The rules that read letters out of a judge's text: the wordings, the scores, what a test
question says.
"""

import pytest

from spiqa_tasks.judge.rules import Candidate, LettersRule, ReleasedLettersRule
from spiqa_tasks.judge.types import JudgeRequest, Verdict


def _read(text: str) -> list[str]:
    """The letters for which a judge's text is the true answer."""
    candidates = [
        Candidate("an answer", reference=letter, letters=tuple("ABCDE")) for letter in "ABCDE"
    ]
    return [each.reference for each in candidates if LettersRule().score(each, Verdict(text))]


def test_the_rule_asks_in_the_words_of_the_paper() -> None:
    """Appendix G.2's text with the answer and the first and last letter, for a short text; needs
    no judge.
    """
    assert LettersRule().request(
        Candidate("The second one {x}", letters=tuple("ABC"))
    ) == JudgeRequest(
        "Here is the output from a generative model:\nThe second one {x}\n"
        "The output contains the answer to a multiple choice question with options A) - C). "
        "Return only the letter of the answer. If no answer is found, return None.",
        top_logprobs=None,
        max_tokens=16,
    )


@pytest.mark.parametrize(
    ("text", "letters"),
    [("B", "B"), ("B)", "B"), ("The answer is C.", "C"), ("None", ""), ("", ""), ("F", "")],
)
def test_the_rule_reads_a_letter_or_none(text: str, letters: str) -> None:
    """Only one of the question's letters counts, and nothing is guessed."""
    assert _read(text) == list(letters)


@pytest.mark.parametrize("text", ["", "The answ", "<think> B or C", "F", "I cannot tell."])
def test_a_text_without_a_verdict_has_no_score(text: str) -> None:
    """It is a failed judgement, not a wrong answer; that there is no letter is a verdict."""
    candidate = Candidate("an answer", reference="B", letters=tuple("ABCDE"))
    assert LettersRule().score(candidate, Verdict(text)) is None
    assert [
        LettersRule().score(candidate, Verdict(none))
        for none in ("None", '"None".', "No answer found.")
    ] == [0.0] * 3


def test_a_judge_that_writes_no_verdict_on_the_test_question_is_unfit() -> None:
    """The sentence has its words."""
    assert LettersRule().fault([Verdict("B")]) is None
    reason = "asked for the letter of an answer it wrote 'The answ'; choose another one"
    assert LettersRule().fault([Verdict("The answ")]) == reason


def test_the_wordings_have_signatures_of_their_own() -> None:
    """Eight digits of the prompt's hash tell the paper's from the README's."""
    prompts = [rule.signature()["prompt"] for rule in (LettersRule(), ReleasedLettersRule())]
    assert len(set(prompts)) == 2
    assert {(prompt.partition(":")[0], len(prompt.partition(":")[2])) for prompt in prompts} == {
        ("letters", 8)
    }
