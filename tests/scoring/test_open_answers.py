"""Lexical baselines of open answers."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.open_answers import (
    LEXICAL,
    contains,
    contains_normalized,
    exact,
    normalized,
    token_f1,
)

SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
AGREEMENT = {
    "contains": (88.8, 83.8, 79.6, 81.7, 80.8),
    "contains_normalized": (89.7, 84.7, 80.3, 82.5, 82.3),
}
"""How often each agrees with the people on the half of EVOUNA from Natural Questions, by system, in percent."""


def test_case_punctuation_and_articles_do_not_count() -> None:
    """Except for `contains`, which ignores case alone."""
    assert normalized("The  U.S.A., an ally!") == "usa ally"
    assert exact("The Beatles.", ["beatles"]) == 1
    assert contains("it was John  Smith", ["john smith"]) == 0
    assert contains_normalized("it was John  Smith", ["Smith", "x"]) == 1


def test_overlap_is_the_harmonic_mean_of_precision_and_recall() -> None:
    """Words count as often as both have them; the best reference counts."""
    assert token_f1("red red car", ["red car car"]) == pytest.approx(2 / 3)
    assert token_f1("x y", ["z", "x"]) == pytest.approx(2 * (1 / 2) / (3 / 2))
    assert token_f1("x", []) == 0


@given(st.text(), st.lists(st.text(), max_size=3))
def test_scores_lie_between_0_and_1_and_a_reference_has_all(text: str, others: list[str]) -> None:
    """And an empty reference stands in no answer."""
    for name, score in LEXICAL.items():
        assert 0 <= score(text, others) <= 1
        assert score(text, [""]) == 0
        if normalized(text):
            assert score(text, [*others, text]) == 1, name


@pytest.mark.parametrize("name", AGREEMENT)
def test_the_known_agreement_with_people_comes_out(real_data: Path, name: str) -> None:
    """On 15,099 verdicts; a missing answer is empty."""
    rows = [
        row
        for row in json.loads((real_data / "evouna" / "NQ.json").read_text())
        if not row["improper"]
    ]
    found, verdicts = [], 0
    for system in SYSTEMS:
        judged = [row for row in rows if row[f"judge_{system}"] is not None]
        verdicts += len(judged)
        right = sum(
            LEXICAL[name](row[f"answer_{system}"] or "", row["golden_answer"].split("/"))
            == row[f"judge_{system}"]
            for row in judged
        )
        found.append(round(100 * right / len(judged), 1))
    assert verdicts == 15099
    assert found == pytest.approx(AGREEMENT[name], abs=0.051)
