"""The judge that reads letters: the pure rule, and the records that wait for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.letters import LetterJudge, LetterRule
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed


def test_the_rule_asks_in_the_words_of_the_paper() -> None:
    """Appendix G.2's text with the answer and the first and last letter, for a short text; needs no judge."""
    assert LetterRule().request("The second one {x}", "ABC") == JudgeRequest(
        "Here is the output from a generative model:\nThe second one {x}\n"
        "The output contains the answer to a multiple choice question with options A) - C). "
        "Return only the letter of the answer. If no answer is found, return None.",
        top_logprobs=None,
        max_tokens=16,
    )


@pytest.mark.parametrize(
    ("text", "letter"), [("B", "B"), ("B)", "B"), ("The answer is C.", "C"), ("None", None), ("", None), ("F", None)]
)
def test_the_rule_reads_a_letter_or_none(text: str, letter: str | None) -> None:
    """Only one of the question's letters counts, and nothing is guessed."""
    assert LetterRule().letter(Verdict("ok", text), "ABCDE") == letter


def test_a_failed_verdict_has_no_letter() -> None:
    """A failure is no answer."""
    assert LetterRule().letter(failed("HTTP 500"), "ABCDE") is None


def test_preflight_says_what_to_do(server: OpenAIServer, engine_of: Callable[..., Engine]) -> None:
    """A judge that refuses is named with its host, and the way without it."""
    judge = LetterJudge(engine_of())
    assert judge.preflight()[0].text == "A plain answer."
    server.behaviour.sticky = "401"
    with pytest.raises(JudgeError, match="extractor=judge") as caught:
        judge.preflight()
    assert server.url.split("/")[2] in str(caught.value)
