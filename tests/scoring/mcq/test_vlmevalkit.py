"""VLMEvalKit's exact matching beside the host's own function, where that is installed."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phrasings import phrasings

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.scoring.mcq.other_matchers import vlmevalkit_match

CHOICES = {"A": "the red bear", "B": "a blue boat", "C": "Cats", "D": "nothing of these"}
WORDS = st.sampled_from(
    [
        "A",
        "B",
        "C",
        "Z",
        "a",
        "(B)",
        "the",
        "red",
        "bear",
        "Cats",
        "boat,",
        "a blue boat",
        "is",
        ".",
    ]
)
NOT_HERE = "VLMEvalKit is not installed (make test-vlmevalkit)"


def theirs(response: str, choices: dict[str, str]) -> str | None:
    """Return the letter that the host reads; None also for Z and False, which are never right."""
    matching = pytest.importorskip(
        "vlmeval.utils.matching_util", reason=NOT_HERE, exc_type=ImportError
    )
    return matching.can_infer(response, dict(choices)) or None


@given(st.lists(WORDS, max_size=9).map(" ".join))
def test_made_answers_have_the_hosts_letter(response: str) -> None:
    """Letters, words of options and punctuation in any order."""
    found = theirs(response, CHOICES)
    assert vlmevalkit_match(response, CHOICES) == (None if found == "Z" else found)


def test_ten_thousand_answers_have_the_hosts_letters(real_data: Path) -> None:
    """Of real models, and every phrasing of every option of the demo."""
    path = real_data / "mcq" / "answers.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not on this machine")
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    answers = [(line["response"], line["choices"]) for line in lines]
    for row in load_rows("mmstar", "demo", "ablation=text"):
        options = dict(zip(row["letters"], row["options"], strict=True))
        answers += [
            (text, options)
            for letter in options
            for _, text in phrasings(letter, options[letter], list(options))
        ]
    assert len(answers) > 10_000
    different = []
    for response, choices in answers:
        found = theirs(response, choices)
        if vlmevalkit_match(response, choices) != (None if found == "Z" else found):
            different.append((response, choices))
    assert different == []
