"""Rubrics of one's own."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules import make_rule
from spiqa_tasks.judge.rules.grade import DEFAULT, GradeRule, Rubric, read_rubric
from spiqa_tasks.judge.rules.rule import Candidate
from spiqa_tasks.judge.types import Verdict

CANDIDATE = Candidate("pred {question}", "which?", "ref")


def said(**probabilities: float) -> Verdict:
    """A verdict of these tokens."""
    pairs = tuple((token, math.log(value)) for token, value in probabilities.items())
    return Verdict("ok", pairs[0][0], pairs)


def test_a_rubric_is_a_file_of_a_prompt_and_levels(tmp_path: Path) -> None:
    """Levels get letters in their order; the score is the expected value; the signature changes with the content."""
    path = tmp_path / "helpful.yaml"
    prompt = "Q {question} R {reference} P {prediction} {other}"
    path.write_text(f"prompt: '{prompt}'\nlevels: {{good: 1, fair: 0.4, bad: 0}}\n")
    rule = make_rule(f"grade:{path}", {"top": 7, "prompt": "paper"})
    assert isinstance(rule, GradeRule)
    assert rule.rubric == Rubric("helpful", prompt, (("good", 1.0), ("fair", 0.4), ("bad", 0.0)))
    asked = rule.request(CANDIDATE).prompt
    assert asked.startswith("Q which? R ref P pred {question} {other}\n\n")
    assert "\nA: good\nB: fair\nC: bad\n" in asked
    assert rule.score(CANDIDATE, said(B=0.5, A=0.5)) == pytest.approx(0.7)
    signature = rule.signature()
    assert signature["rule"] == "expected A=1,B=0.4,C=0"
    assert signature["prompt"].startswith("helpful:")
    assert signature != GradeRule(Rubric("helpful", "{prediction}", rule.rubric.levels)).signature()
    assert make_rule("grade", {}) == GradeRule(DEFAULT)


def test_as_many_log_probabilities_are_asked_for_as_there_are_levels() -> None:
    """Five at least."""
    levels = tuple((f"level {place}", place / 7) for place in range(8))
    assert GradeRule(Rubric("many", "{prediction}", levels)).request(CANDIDATE).top_logprobs == 8
    assert GradeRule().request(CANDIDATE).top_logprobs == 5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "Expected a rubric at"),
        ("just words", "prompt of .* found None"),
        ("prompt: no field\nlevels: {a: 1, b: 0}", "prompt of"),
        ("prompt: '{prediction}'\nlevels: {a: 1}", "2 to 26 names"),
        ("prompt: '{prediction}'\nlevels: {a: 1, b: 2}", "values from 0 to 1"),
        ("prompt: '{prediction}'\nlevels: {a: yes, b: 0}", "values from 0 to 1"),
        ("prompt: '{prediction}'\nlevels: [a, b]", "2 to 26 names"),
    ],
)
def test_what_is_no_rubric_is_one_sentence(tmp_path: Path, content: str, message: str) -> None:
    """And so are a missing file, an unknown rule, and an argument to a rule that takes none."""
    path = tmp_path / "rubric.yaml"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        make_rule(f"grade:{path}", {})
    for spec, said_of in (
        ("grade:none.yaml", "rubric at none.yaml"),
        ("guess", "among l3score"),
        ("compass:x", "alone"),
    ):
        with pytest.raises(InputError, match=said_of):
            make_rule(spec, {})


def test_the_default_rubric_is_asked_for_by_its_letters() -> None:
    """The whole prompt, and the digest of its wording with the levels."""
    shape = "Question: {}\nReference answer: {}\nAnswer to grade: {}"
    levels = (
        "\n\nThe answer\nA: says all that the reference says\nB: says only a part of it, and nothing wrong\n"
        "C: is wrong\nReply with the letter alone."
    )
    start = "Grade the answer to a question against the reference answer, which is right.\n"
    assert GradeRule().request(CANDIDATE).prompt == start + shape.format("which?", "ref", "pred {question}") + levels
    wording = start + shape.format("{question}", "{reference}", "{prediction}") + levels
    assert GradeRule().wording() == f"default:{hashlib.sha256(wording.encode()).hexdigest()[:12]}"
    assert GradeRule.options_of("") == {}
    assert GradeRule().values == {"A": 1.0, "B": 0.5, "C": 0.0}


def test_the_sentences_of_what_is_no_rubric(tmp_path: Path) -> None:
    """They quote what was found."""
    path = tmp_path / "rubric.yaml"
    for content, sentence in (
        ("prompt: 5\nlevels: {a: 1, b: 0}", "the prompt of {} to be a text with {{prediction}} in it, found 5."),
        (
            "prompt: '{prediction}'\nlevels: {a: 1, b: -0.1}",
            "the levels of {} to be 2 to 26 names with values from 0 to 1, found {{'a': 1, 'b': -0.1}}.",
        ),
    ):
        path.write_text(content)
        read_rubric.cache_clear()
        with pytest.raises(InputError) as error:
            read_rubric(path)
        assert str(error.value) == "Expected " + sentence.format(path)
    with pytest.raises(InputError) as error:
        read_rubric(tmp_path / "none.yaml")
    assert str(error.value).startswith(
        f"Expected a rubric at {tmp_path / 'none.yaml'}, a YAML file with prompt (a text with {{question}}, "
        "{reference} and {prediction}) and levels (name: value in [0, 1]); found "
    )


@pytest.mark.parametrize("count", [2, 26, 27])
def test_a_rubric_has_at_most_a_level_for_each_letter(tmp_path: Path, count: int) -> None:
    """Twenty-six; names may be numbers."""
    path = tmp_path / f"{count}.yaml"
    path.write_text("prompt: é {prediction}\nlevels:\n" + "".join(f"  {place}: 1\n" for place in range(count)), "utf-8")
    if count > 26:
        with pytest.raises(InputError, match="2 to 26 names"):
            read_rubric(path)
    else:
        levels = tuple((str(place), 1.0) for place in range(count))
        assert read_rubric(path) == Rubric(str(count), "é {prediction}", levels)
