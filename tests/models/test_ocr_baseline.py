"""The baseline that reads pictures: what is nearest, and what reading gains on real pictures through the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
pytest.importorskip("lmms_eval", reason="lmms-eval is not installed")


@pytest.mark.parametrize(
    ("candidates", "query", "place"),
    [
        (["a red line", "a blue line"], "BLUE", 1),
        (["rates 0.003 and 0.1", "rates 0.003 and 0.3"], "0.1\n0.003", 0),
        (["rates 0.003 and 0.1", "rates 0.003 and 0.3"], "0.3\n0.003", 1),
        (["one", "two"], "three", 0),
        (["", ""], "x", 0),
    ],
)
def test_the_nearest_shares_most_words_and_numbers(candidates: list[str], query: str, place: int) -> None:
    """Common words count little, decimal numbers as a whole; the first where nothing is shared."""
    from spiqa_tasks.models.ocr_baseline import nearest

    assert nearest(candidates, query) == place


@given(st.lists(st.text(), min_size=1, max_size=5), st.text())
def test_any_texts_have_a_nearest(candidates: list[str], query: str) -> None:
    """A place in the list, whatever the texts."""
    from spiqa_tasks.models.ocr_baseline import nearest

    assert 0 <= nearest(candidates, query) < len(candidates)


def test_reading_the_pictures_gains_on_choices(evaluate: Callable[..., dict[str, Any]]) -> None:
    """The captions of the demo's figures are told apart by the text in them, and not without the pictures."""
    results = evaluate("ocr_baseline", ["scifibench_demo_fig2cap", "scifibench_demo_text"])["results"]
    seen, blind = (results[name]["accuracy,none"] for name in ("scifibench_demo_fig2cap", "scifibench_demo_text"))
    assert seen >= blind + 0.3


def test_answers_have_the_form_that_each_task_asks_for(evaluate: Callable[..., dict[str, Any]]) -> None:
    """A letter, or SPIQA's dictionary; every answer can be read."""
    samples = evaluate("ocr_baseline", ["spiqa_demo", "spiqa_demo_cot", "mmstar_demo"], limit=3)["samples"]
    for task, logged in samples.items():
        records = [next(v for v in sample.values() if isinstance(v, dict) and "status" in v) for sample in logged]
        assert all(record["prediction"] for record in records), task
        assert {record["status"] for record in records} == {"ok"}, task
