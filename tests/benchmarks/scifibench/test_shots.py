"""Examples: other questions of the file, random ones or the nearest."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return load_rows("scifibench", split, settings, LocalSource(folder))


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.mark.parametrize("kind", ["random", "similar"])
def test_examples_share_nothing_with_the_question(real_data: Path, kind: str) -> None:
    """Five different examples with pictures of their own; no caption or figure of theirs is in the question."""
    for row in rows_of(real_data, "cs_fig2cap", f"shots=5,shot_kind={kind}"):
        assert len(row["shots"]) == 5
        assert len({shot["images"][0] for shot in row["shots"]}) == 5
        for shot in row["shots"]:
            assert not set(shot["options"]) & set(row["options"])
            assert digest(shot["images"][0]) != digest(row["images"][0])


def test_similar_examples_are_the_nearest_by_tf_idf(real_data: Path) -> None:
    """The examples have the highest cosines to the true caption, the nearest one last, next to the question."""
    rows = rows_of(real_data, "cs_fig2cap", "shots=2,shot_kind=similar")
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform([row["caption"] for row in rows])
    cosines = np.asarray((vectors @ vectors.T).todense())
    for index, row in enumerate(rows):
        allowed = [place for place, other in enumerate(rows) if not set(other["options"]) & set(row["options"])]
        best = sorted(cosines[index, place] for place in allowed)[-2:]
        places = [next(i for i, other in enumerate(rows) if other["images"] == shot["images"]) for shot in row["shots"]]
        assert [cosines[index, place] for place in places] == pytest.approx(best)


def test_random_examples_depend_on_the_seed_and_the_question_alone(scifibench_release: Path) -> None:
    """The same seed draws the same examples; another one others."""
    first = rows_of(scifibench_release, "cs_cap2fig", "shots=2")
    assert [row["shots"] for row in first] == [r["shots"] for r in rows_of(scifibench_release, "cs_cap2fig", "shots=2")]
    assert [row["shots"] for row in first] != [
        row["shots"] for row in rows_of(scifibench_release, "cs_cap2fig", "shots=2,seed=3")
    ]
    assert all(len(shot["images"]) == 5 for row in first for shot in row["shots"])


def test_twins_are_no_examples_of_each_other(scifibench_release: Path) -> None:
    """Questions with a caption or a figure in common are kept apart."""
    rows = {row["id"]: row for row in rows_of(scifibench_release, "cs_fig2cap", "shots=11")}
    shown = [shot["images"][0] for shot in rows["0"]["shots"]]
    assert not {rows["1"]["images"][0], rows["2"]["images"][0]} & set(shown)
    with pytest.raises(DataError, match="Use fewer shots"):
        rows_of(scifibench_release, "cs_fig2cap", "shots=12")
