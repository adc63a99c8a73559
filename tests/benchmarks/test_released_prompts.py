"""The authors' own wordings: MMStar's shots and SciFIBench's README."""

from __future__ import annotations

from pathlib import Path

from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.definition import prompt
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.judge.rules import RULES, Candidate
from spiqa_tasks.utils.prompts import doc_to_messages, doc_to_text


def test_the_authors_shots_are_turns_of_a_chat() -> None:
    """System, two answered questions, the question in their form; a simple model gets the same as one text."""
    row = load_rows("mmstar", "demo", "ablation=text,shots=authors")[0]
    messages = doc_to_messages(row)
    texts = [message["content"][0]["text"] for message in messages]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert texts[2] == "B"
    assert texts[4] == "D"
    assert "A. oepn the door\nB. drink water\n" in texts[3]
    assert texts[5].startswith("Question: ")
    assert "Options: " not in texts[5]
    assert all(f"\n{letter}. {text}\n" in texts[5] for letter, text in zip("ABCD", row["options"], strict=True))
    assert doc_to_text(row) == "\n\n".join(texts)


def test_scifibench_is_asked_as_the_readme_asks(real_data: Path) -> None:
    """The options as Python prints their list, then the question and the closing with the source line's indent."""
    row = load_rows("scifibench", "cs_fig2cap", "prompt=released", LocalSource(real_data))[0]
    options = [f"{letter})  {text}\n" for letter, text in zip(row["letters"], row["options"], strict=True)]
    question = "Which caption best matches the image?"
    picture, text = prompt(row)
    assert isinstance(picture, Picture)
    assert text == (
        f"{options} {question} Let's think step by step. \
            Only provide the letter of the correct caption as your answer. Answer: \n"
    )


def test_figures_are_asked_as_the_readme_asks() -> None:
    """Every letter before its picture, then the release's question, which holds the caption."""
    row = load_rows("scifibench", "demo_cap2fig", "prompt=released")[0]
    *options, text = prompt(row)
    assert options[::2] == ["A) ", "B) ", "C) ", "D) ", "E) "]
    assert all(isinstance(part, Picture) for part in options[1::2])
    assert text == (
        f"{row['asked']} Let's think step by step. \
                Only provide the letter of the correct image as your answer. Answer: \n"
    )


def test_the_readmes_extraction_asks_for_three_tokens() -> None:
    """The output stands in quotes, and "None" too."""
    request = RULES["letters_released"]().request(Candidate("It is B.", letters=tuple("ABCDE")))
    assert request.max_tokens == 3
    assert '\n"It is B."\nThe output contains' in request.prompt
    assert request.prompt.endswith('If no answer is found, return "None".')
