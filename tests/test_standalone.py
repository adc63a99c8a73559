"""L3Score on its own, imported from the package."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "servers"))

from openai_server import Behaviour, OpenAIServer, TopLogprobs

QUESTION = "Where is Niagara Falls located?"
REFERENCE = "On the border between the United States and Canada."


def same_place(prompt: str) -> TopLogprobs:
    """A judge that knows that the falls lie between New York and Ontario, and that they are not in Africa."""
    _, _, answer = prompt.partition("Candidate answer: ")
    yes = 0.969 if "Ontario" in answer or "border" in answer else 0.02
    first, second = sorted((("Yes", yes), ("No", 0.99 - yes)), key=lambda pair: -pair[1])
    return [(word, math.log(share)) for word, share in (first, second, ("Maybe", 0.004), ("The", 0.003), ("It", 0.002))]


def test_three_lines_of_python_score_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A right answer in other words scores high where word overlap would not, a wrong one low (SPIQA, Figure 4)."""
    with OpenAIServer(Behaviour(verdict=same_place)) as server:
        monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", server.url)
        monkeypatch.setenv("SPIQA_JUDGE_API_KEY", "sk-secret")
        from spiqa_tasks import L3Score

        found = L3Score(judge="openai:gpt-4o").compute(
            questions=[QUESTION] * 2,
            references=[REFERENCE] * 2,
            predictions=["Between the state of New York and Ontario.", "In Zambia."],
        )
    assert found["scores"] == pytest.approx([0.969 / 0.99, 0.02 / 0.99])
    assert found["l3score"] == pytest.approx((0.969 + 0.02) / 0.99 / 2)
    assert found["judge_failed"] == 0
    assert found["signature"]["judge"] == "openai:gpt-4o"


def test_importing_the_package_imports_nothing_else() -> None:
    """The metric is loaded on first use; the host, torch and the HTTP client are not loaded by the import."""
    program = (
        "import sys, spiqa_tasks; print(any(m.split('.')[0] in ('torch', 'httpx', 'lmms_eval') for m in sys.modules),"
        "spiqa_tasks.L3Score.__name__, 'L3Score' in spiqa_tasks.__all__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "L3Score", "True"]


def test_a_name_that_the_package_lacks_is_an_attribute_error() -> None:
    """A typo is told as for any module."""
    import spiqa_tasks

    with pytest.raises(AttributeError, match="L4Score"):
        _ = spiqa_tasks.L4Score
