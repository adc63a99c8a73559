"""Questions of SciFIBench out of a table of answers."""

from __future__ import annotations

from typing import Any

import pytest

from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.settings import SciFIBenchSettings
from spiqa_tasks.benchmarks.scifibench.tabled_questions import from_table
from spiqa_tasks.benchmarks.scorer_factory import make_scorer
from spiqa_tasks.errors import DataError, InputError

PLAIN = SciFIBenchSettings()


def cells_of(row: dict[str, Any]) -> dict[str, str]:
    """The row of a table that has a question, as VLMEvalKit writes it."""
    options = dict(zip(row["letters"], row["options"], strict=True))
    return {"id": row["id"], "question": row["question"], "answer": f" {row['answer']}\n", **options} | {
        "category": row["category"],
        "prediction": row["answer"],
    }


@pytest.mark.parametrize("split", ["demo_fig2cap", "demo_cap2fig"])
def test_a_tables_questions_are_scored_as_the_releases(split: str) -> None:
    """The same records come out of both, but for where the data is from."""
    rows = load_rows("scifibench", split, "ablation=text")
    own = from_table([cells_of(row) for row in rows], split, PLAIN, "table x")
    scorer = make_scorer("scifibench", own[0]["settings"], "", None)
    for mine, released in zip(own, rows, strict=True):
        assert mine["images"] == []
        assert mine["data"] == "table x"
        assert mine["subcategory"] == released["subcategory"]
        for text in (released["answer"], "The best one is C.", "none of them"):
            ours, theirs = (scorer.record(row, Response(text)).as_dict() for row in (mine, released))
            assert {**ours, "signature": ""} == {**theirs, "signature": ""}


def test_figures_have_no_text_as_options() -> None:
    """A table of questions about captions leaves the columns A to E out, and a category may be missing."""
    (row,) = from_table([{"id": "7", "question": "q", "answer": "E"}], "cs_cap2fig", PLAIN, "t")
    assert (row["letters"], row["options"]) == (list("ABCDE"), [""] * 5)
    assert (row["answer"], row["category"], row["subcategory"]) == ("E", "", "cap2fig")


@pytest.mark.parametrize("settings", [{"mark": "label"}, {"prompt": "caption"}])
def test_what_needs_the_release_is_refused(settings: dict[str, Any]) -> None:
    """Marks are drawn into the figures, and captions are compared with the true one."""
    with pytest.raises(InputError, match=r"Expected SciFIBench's release .* Fetch it"):
        from_table([{"id": "7", "question": "q", "answer": "E"}], "cs_fig2cap", SciFIBenchSettings(**settings), "t")


def test_an_answer_that_is_no_option_is_named() -> None:
    """With its question."""
    with pytest.raises(DataError, match="question 7 to be one of its options A, B, C, D, E; found 'F'"):
        from_table([{"id": "7", "question": "q", "answer": "F"}], "cs_fig2cap", PLAIN, "t")
