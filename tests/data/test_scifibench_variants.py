"""What the side experiments change in SciFIBench's questions, on all four splits and on real questions."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from spiqa_tasks.benchmarks.loading import load_rows
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.errors import DataError, InputError

SPLITS = ["cs_fig2cap", "cs_cap2fig", "general_fig2cap", "general_cap2fig"]


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return load_rows("scifibench", split, settings, LocalSource(folder))


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def options(row: dict[str, Any]) -> list[str]:
    """What the options show, comparable between rows."""
    return row["options"] if row["subcategory"] == "fig2cap" else [digest(path) for path in row["images"]]


def true_option(row: dict[str, Any]) -> str:
    return options(row)[row["letters"].index(row["answer"])]


@pytest.mark.parametrize("split", SPLITS)
def test_random_negatives_are_other_true_options_and_never_the_pair_twice(scifibench_release: Path, split: str) -> None:
    """The answer stays in its place; the others are true options of other questions, all of them different."""
    plain = rows_of(scifibench_release, split)
    drawn = rows_of(scifibench_release, split, "negatives=random")
    pool = {true_option(row) for row in plain}
    for before, after in zip(plain, drawn, strict=True):
        assert after["answer"] == before["answer"]
        assert true_option(after) == true_option(before)
        assert set(options(after)) <= pool
        assert len(set(options(after))) == 5
        assert after["question"] == before["question"]
    assert [options(row) for row in drawn] != [
        options(row) for row in rows_of(scifibench_release, split, "negatives=random,seed=1")
    ]
    assert drawn == rows_of(scifibench_release, split, "negatives=random")


@pytest.mark.parametrize("split", ["cs_fig2cap", "cs_cap2fig"])
def test_duplicates_of_the_true_pair_are_never_drawn(scifibench_release: Path, split: str) -> None:
    """Question 1 has question 0's caption and question 2 its figure, so none of them is a negative of the other."""
    plain = {row["id"]: true_option(row) for row in rows_of(scifibench_release, split)}
    for seed in range(30):
        drawn = {row["id"]: row for row in rows_of(scifibench_release, split, f"negatives=random,seed={seed}")}
        for twins in ({"0", "1"}, {"0", "2"}):
            for one in twins:
                negatives = set(options(drawn[one])) - {plain[one]}
                assert not negatives & {plain[twin] for twin in twins}


def test_random_negatives_of_real_questions(real_data: Path) -> None:
    """Of the 60 real questions every one gets four captions of others, none of its adversarial ones by rule."""
    drawn = rows_of(real_data, "cs_fig2cap", "negatives=random")
    plain = rows_of(real_data, "cs_fig2cap")
    assert len(drawn) == 60
    assert all(len({text.casefold() for text in row["options"]}) == 5 for row in drawn)
    assert [true_option(row) for row in drawn] == [true_option(row) for row in plain]


@pytest.mark.parametrize("split", SPLITS)
def test_shuffling_moves_the_answer_with_its_option(scifibench_release: Path, split: str) -> None:
    """Another number is another order of the same options with the same true one; 0 is the released order."""
    plain = rows_of(scifibench_release, split)
    assert [options(row) for row in rows_of(scifibench_release, split, "shuffle=0")] == [options(row) for row in plain]
    orders = []
    for number in (1, 2):
        mixed = rows_of(scifibench_release, split, f"shuffle={number}")
        for before, after in zip(plain, mixed, strict=True):
            assert sorted(options(after)) == sorted(options(before))
            assert true_option(after) == true_option(before)
        orders.append([options(row) for row in mixed])
    assert orders[0] != orders[1]
    assert orders[0] != [options(row) for row in plain]


def test_marks_are_on_the_true_or_on_a_random_false_caption(real_data: Path) -> None:
    """`correct` marks the answer, `incorrect` spreads over the false options, none marks nothing."""
    correct = rows_of(real_data, "cs_fig2cap", "mark=correct")
    assert all(row["marked"] == row["answer"] for row in correct)
    incorrect = rows_of(real_data, "cs_fig2cap", "mark=incorrect")
    assert all(row["marked"] in row["letters"] and row["marked"] != row["answer"] for row in incorrect)
    assert len(Counter(row["marked"] for row in incorrect)) == 5
    assert {row["marked"] for row in rows_of(real_data, "cs_fig2cap")} == {""}


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
    """The last example has the highest cosine to the true caption among those that share no caption with it."""
    rows = rows_of(real_data, "cs_fig2cap", "shots=2,shot_kind=similar")
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform([row["caption"] for row in rows])
    cosines = np.asarray((vectors @ vectors.T).todense())
    for index, row in enumerate(rows):
        allowed = [place for place, other in enumerate(rows) if not set(other["options"]) & set(row["options"])]
        best = max(cosines[index, place] for place in allowed)
        near = row["shots"][-1]
        place = next(i for i, other in enumerate(rows) if other["images"] == near["images"])
        assert cosines[index, place] == pytest.approx(best)


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


def test_captioning_draws_figures_of_both_subsets(scifibench_release: Path) -> None:
    """The sample is seeded, keeps the order of the files, and its ids name the file."""
    drawn = rows_of(scifibench_release, "captioning", "prompt=caption,sample=10")
    assert len({row["id"] for row in drawn}) == 10
    assert {row["id"].partition("/")[0] for row in drawn} == {"CS_Figure2Caption", "General_Figure2Caption"}
    assert drawn == rows_of(scifibench_release, "captioning", "prompt=caption,sample=10")
    assert drawn != rows_of(scifibench_release, "captioning", "prompt=caption,sample=10,seed=1")
    assert len(rows_of(scifibench_release, "captioning", "prompt=caption,sample=100")) == 28
    assert all(row["caption"] in row["options"] for row in drawn)


@pytest.mark.parametrize(
    ("split", "settings"),
    [
        ("cs_cap2fig", "mark=correct"),
        ("cs_cap2fig", "prompt=caption"),
        ("cs_fig2cap", "ignore=yes"),
        ("cs_fig2cap", "ocr=yes,ablation=grey"),
        ("cs_fig2cap", "shots=-1"),
        ("cs_fig2cap", "encoder=x"),
        ("cs_fig2cap", "prompt=caption,shots=1"),
        ("cs_fig2cap", "mark=both"),
    ],
)
def test_settings_that_make_no_sense_together_are_refused(scifibench_release: Path, split: str, settings: str) -> None:
    """One sentence that says what was expected, before any data is shown."""
    with pytest.raises(InputError, match="Expected"):
        rows_of(scifibench_release, split, settings)


def test_every_variant_of_the_release_loads_with_or_without_pictures(scifibench_release: Path) -> None:
    """Random negatives and examples need no picture files where none is shown, and are the same as with them."""
    shown = rows_of(scifibench_release, "cs_fig2cap", "negatives=random,shuffle=2")
    blind = rows_of(scifibench_release, "cs_fig2cap", "negatives=random,shuffle=2,ablation=text")
    assert [row["options"] for row in shown] == [row["options"] for row in blind]
    assert all(row["images"] == [] for row in blind)
