"""L3Score's rule: the prompts, the scores, what makes a judge unfit, and the signature."""

import math
from dataclasses import replace

import pytest
from openai_server import OpenAIServer, agreeing

from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.rules import Candidate, L3ScoreRule, yes_no_mass
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict, failed


def _l3judge(config: JudgeConfig, prompt: str = "released") -> Judge:
    return Judge(config, L3ScoreRule(prompt))


def _prompt(name: str, question: str, reference: str, prediction: str) -> str:
    return L3ScoreRule(name).request(Candidate(prediction, question, reference)).prompt


def _score(judge: Judge, reference: str, prediction: str) -> float | None:
    candidate = Candidate(prediction, "Q?", reference)
    return judge.rule.score(candidate, *judge.verdicts([judge.rule.request(candidate)]))


def test_a_score_is_that_of_the_paper(config: JudgeConfig) -> None:
    """The score follows equation 1 from the log-probabilities that the server gave."""
    assert _score(_l3judge(config), "red", "Red") == pytest.approx(0.9 / (0.9 + 0.08))


def test_a_judge_without_a_word_of_both_scores_zero(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """Neither yes nor no among the five is a score of 0, as in the paper; `neither_rate` counts
    it.
    """
    server.behaviour.verdict = lambda _prompt: [("Sure", -0.1), *((word, -4.0) for word in "abcd")]
    assert _score(_l3judge(config), "a", "a") == 0


@pytest.mark.parametrize("first", ["<think>", "Okay", "\n"])
def test_a_judge_that_says_neither_is_refused(
    server: OpenAIServer, config: JudgeConfig, first: str
) -> None:
    """A judge that begins with something else would score everything 0; the message says what
    switches it off.
    """
    others = [("Let", -4.0), ("The", -5.0), ("I", -6.0), ("We", -7.0)]
    server.behaviour.verdict = lambda _prompt: [(first, -0.1), *others]
    with pytest.raises(
        JudgeError, match=r"is no clear yes or no.*SPIQA_JUDGE_EXTRA.*enable_thinking"
    ):
        _l3judge(config).preflight()


def test_fewer_log_probabilities_are_enough_with_yes_or_no_among_them(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """As servers merge tokens of equal text; with neither among them there is no verdict, and no
    0.
    """
    server.behaviour.verdict = lambda prompt: agreeing(prompt)[:3]
    _l3judge(config).preflight()
    assert _score(_l3judge(config), "red", "Red") == pytest.approx(0.9 / (0.9 + 0.08))
    server.behaviour.verdict = lambda _prompt: [("Sure", -0.1), ("Well", -3.0)]
    assert _score(_l3judge(config), "a", "b") is None


def test_extra_fields_are_sent_and_signed(server: OpenAIServer, config: JudgeConfig) -> None:
    """What a user adds is in every request, in the signature, and makes other verdicts."""
    judge = _l3judge(replace(config, extra='{"chat_template_kwargs": {"enable_thinking": false}}'))
    assert _score(judge, "a", "a") is not None
    assert server.requests[0]["body"]["chat_template_kwargs"] == {"enable_thinking": False}
    assert judge.signature["judge_extra"] == judge.config.extra
    _score(_l3judge(config), "a", "a")
    assert len(server.requests) == 2


def test_five_alternatives_are_asked_for_and_no_more_count(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """A no in sixth place is a missing one, though the server sends it."""
    others = [(f"w{i}", -4.0) for i in range(4)]
    entries = [("Yes", -0.5), *others, ("No", -5.0)]
    server.behaviour.verdict = lambda _prompt: entries
    score = _score(_l3judge(config), "a", "a")
    assert server.requests[0]["body"]["top_logprobs"] == 5
    assert score == pytest.approx(math.exp(-0.5) / (math.exp(-0.5) + math.exp(-4.0)))


def test_the_rule_needs_no_judge() -> None:
    """Requests, scores and the rule's part of the signature come without a config, or a key."""
    rule = L3ScoreRule()
    candidate = Candidate("Candidate answer: blue", "Q?", "red")
    assert rule.request(candidate) == JudgeRequest(
        _prompt("released", "Q?", "red", "[removed] blue")
    )
    verdict = Verdict("Yes", (("Yes", math.log(0.6)), ("No", math.log(0.2))))
    assert rule.score(candidate, verdict) == pytest.approx(0.75)
    assert rule.score(candidate, failed("HTTP 500")) is None
    assert rule.signature()["rule"] == "top-5"


def test_the_released_prompt_is_the_released_one() -> None:
    """The default prompt has the released script's wording, blanks and line breaks."""
    assert (
        _prompt("released", "Q?", "R", "P")
        == "You are given a question, ground-truth answer, and a candidate answer. Question: Q?"
        " \nGround-truth answer: R \nCandidate answer: P \nIs the semantic meaning of the"
        " ground-truth and candidate answers similar? Answer in one word - Yes or No."
    )


def test_the_papers_prompt_has_the_figures_lines() -> None:
    """The prompt `paper` is Fig. F.1 line by line."""
    lines = _prompt("paper", "Q?", "R", "P").split("\n")
    assert lines[:2] == [
        "You are given a question, ground-truth answer, and a candidate",
        "answer.",
    ]
    assert lines[3:6] == ["Question: Q?", "Ground-truth answer: R", "Candidate answer: P"]
    assert lines[7:] == [
        "Is the semantic meaning of the ground-truth and candidate answers",
        "similar? Answer in one word - Yes or No.",
    ]


def test_placeholders_in_the_texts_stay_text() -> None:
    """Braces in a question or an answer are filled in nowhere."""
    prompt = _prompt("released", "{reference} {0}", "{prediction}", "{question}")
    assert "Question: {reference} {0} \n" in prompt
    assert "Candidate answer: {question} \n" in prompt


def test_an_unknown_prompt_is_one_sentence() -> None:
    """The sentence has what was expected and what was found."""
    with pytest.raises(InputError) as error:
        L3ScoreRule("mine")
    assert str(error.value) == "Unknown L3Score prompt 'mine'; expected one of released, paper."


def _said(yes: float, first: str = "Yes") -> Verdict:
    """Return a verdict with this probability of yes."""
    return Verdict(first, ((first, math.log(yes)), ("No", math.log(1 - yes))))


def test_a_judge_is_fit_that_tells_right_from_wrong() -> None:
    """More than a half for the one, less for the other; the sentences say what it did and what
    to do.
    """
    rule = L3ScoreRule()
    assert rule.fault([_said(0.51), _said(0.49)]) is None
    for right, wrong in ((0.5, 0.4), (0.6, 0.5), (0.2, 0.9)):
        assert (
            rule.fault([_said(right), _said(wrong)])
            == f"it scored a right answer {right:.2f} and a wrong one {wrong:.2f}, which must be"
            " above and below 0.5; choose another one"
        )
    thinks = Verdict(" Okay, let me think about it", (("Okay", -0.1), ("yes", -3.0)))
    assert rule.fault([_said(0.9), thinks]) == (
        "its answer begins with 'Okay, let me think a' and is no clear yes or no; a judge that"
        " thinks or greets first "
        "has to be told not to, with SPIQA_JUDGE_EXTRA "
        """'{"chat_template_kwargs": {"enable_thinking": false}}' (vLLM, SGLang, hf:); else """
        "choose another judge"
    )
    unsure = Verdict("Yes", (("Yes", math.log(0.2)), ("No", math.log(0.1))))
    assert "begins with 'Yes' and is no clear yes or no" in str(rule.fault([unsure, unsure]))
    assert rule.score(Candidate("p"), _said(0.75)) == pytest.approx(0.75)
    assert rule.score(Candidate("p"), Verdict(reason="x")) is None
    assert yes_no_mass(thinks.top_logprobs) == pytest.approx(math.exp(-3))
