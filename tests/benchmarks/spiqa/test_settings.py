"""Settings of SPIQA tasks, the figures that a question is shown with, and their order."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.benchmark import parse_settings, settings_text
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.formats import Figure, Paper, Question
from spiqa_tasks.benchmarks.spiqa.release import (
    SpiqaSettings,
    choose_figures,
    questions_shown,
    rows_of,
)
from spiqa_tasks.errors import InputError

FILES = st.lists(st.text("abcdefgh", min_size=1, max_size=4), min_size=1, max_size=30, unique=True)


@given(FILES, st.data(), st.integers(0, 10), st.integers(0, 3))
def test_choice_of_figures_holds_the_referred_ones_and_the_limit(
    files: list[str], data: st.DataObject, limit: int, seed: int
) -> None:
    """Shown figures are distinct, of the paper, at most the limit, and hold the referred ones as
    far as they fit.
    """
    referred = data.draw(st.lists(st.sampled_from(files), min_size=1, max_size=4, unique=True))
    shown = choose_figures(files, referred, "paper/0", limit, seed)
    assert shown == choose_figures(files, referred, "paper/0", limit, seed)
    assert len(set(shown)) == len(shown) == (min(limit, len(files)) if limit else len(files))
    assert set(shown) <= set(files)
    assert len(set(shown) & set(referred)) == min(len(referred), limit or len(referred))


def test_choice_of_figures_is_the_same_in_every_version() -> None:
    """The default order of a question never changes again: reported numbers depend on it."""
    files = [f"{index}.png" for index in range(12)]
    expected = ["8.png", "11.png", "6.png", "9.png", "5.png", "2.png", "7.png", "3.png"]
    assert choose_figures(files, ["5.png"], "paper/0", 8, 0) == expected


def test_a_limit_or_another_setting_does_not_change_the_figures() -> None:
    """A question's figures and their order are those of its identity and seed, whatever else is
    asked.
    """
    names = {
        settings: [
            [figure["file"] for figure in row["figures"]]
            for row in load_rows("spiqa", "demo", settings)
        ]
        for settings in (
            "max_figures=3",
            "max_figures=3,setting=cot",
            "max_figures=3,ablation=text",
            "max_figures=3,seed=1",
        )
    }
    first, *same, other = names.values()
    assert all(each == first for each in same)
    assert other != first


def test_referred_figures_beyond_the_limit_keep_the_first() -> None:
    """Where the referred figures alone exceed the limit, the first of them are shown and no
    others.
    """
    shown = choose_figures(["a", "b", "c", "d", "e"], ["d", "b", "a"], "paper/0", 2, 0)
    assert sorted(shown) == ["b", "d"]


FIGURES = {
    name: Figure(name, f"p/{name}", f"caption {name}", "plot", name == "a") for name in "abc"
}
PAPER = Paper(
    "p",
    FIGURES,
    (Question("p/0", "Why?", "So.", ("c", "a")), Question("p/2", "Who?", "They.", ("b",))),
    full_text="Text.",
)


def rows(
    settings: SpiqaSettings, paper: Paper = PAPER, paths: dict[str, str] | None = None
) -> list[dict[str, Any]]:
    """The rows of a paper's questions."""
    shown = questions_shown([paper], settings)
    return [dict(row) for row in rows_of(shown, paths or {}, settings, "testA", "digest")]


def test_a_row_has_the_question_and_its_figures() -> None:
    """Those that the answer needs by their places in the order shown; pictures where they are."""
    settings = SpiqaSettings("fullpaper", figures="referred")
    first, second = rows(settings, paths={"p/a": "/a.png"})
    order = choose_figures(["a", "c"], ["c", "a"], "p/0", 8, 0)
    assert first == {
        "id": "p/0",
        "paper_id": "p",
        "question": "Why?",
        "answer": "So.",
        "figure_type": "plot",
        "figure_type_released": "plot",
        "full_text": "Text.",
        "question_id": "p/0",
        "referred": [0, 1],
        "step": "",
        "documents": 1,
        "figures": [
            {
                "path": "/a.png" if name == "a" else "",
                "file": name,
                "caption": f"caption {name}",
            }
            for name in order
        ],
        "benchmark": "spiqa",
        "split": "testA",
        "data": "digest",
        "settings": settings_text(settings),
    }
    assert (
        second["id"],
        second["question_id"],
        [figure["file"] for figure in second["figures"]],
    ) == (
        *("p/2", "p/2"),
        ["b"],
    )


def test_a_figure_alone_is_shown_twice() -> None:
    """Whether it helps, and for an answer; the documents of a question are counted."""
    found = rows(SpiqaSettings("perfigure", figures="referred"))
    order = choose_figures(["a", "c"], ["c", "a"], "p/0", 8, 0)
    assert [
        (
            row["id"],
            row["question_id"],
            row["step"],
            row["documents"],
            row["referred"],
            row["figures"][0]["file"],
        )
        for row in found
    ] == [
        *(
            ("p/0/0/helpful", "p/0", "helpful", 4, [0], order[0]),
            ("p/0/0/answer", "p/0", "answer", 4, [0], order[0]),
        ),
        *(
            ("p/0/1/helpful", "p/0", "helpful", 4, [0], order[1]),
            ("p/0/1/answer", "p/0", "answer", 4, [0], order[1]),
        ),
        *(
            ("p/2/0/helpful", "p/2", "helpful", 2, [0], "b"),
            ("p/2/0/answer", "p/2", "answer", 2, [0], "b"),
        ),
    ]
    assert {len(row["figures"]) for row in found} == {1}
    every = rows(SpiqaSettings("perfigure"))
    assert [row["referred"] for row in every if row["question_id"] == "p/2"].count([0]) == 2
    assert [row["documents"] for row in every] == [6] * 12


def test_every_key_of_a_text_is_read_and_the_others_keep_their_default() -> None:
    """Each key changes its own field."""
    text = (
        "setting=cot,max_figures=3,seed=7,resolution=224px,ablation=grey,protocol=both,"
        "figures=referred"
    )
    assert parse_settings(SpiqaSettings, text) == SpiqaSettings(
        "cot", 3, 7, "224px", "grey", "both", "referred", "l3score"
    )
    assert parse_settings(SpiqaSettings, "") == SpiqaSettings(
        "direct", 8, 0, "full", "none", "corrected", "all", "l3score"
    )


def test_pictures_are_shown_unless_the_setting_or_the_ablation_hides_them() -> None:
    """Captions alone and the text ablation show none."""
    assert SpiqaSettings().shows_pictures
    assert SpiqaSettings(ablation="grey").shows_pictures
    assert not SpiqaSettings(ablation="text").shows_pictures
    assert not SpiqaSettings(setting="captiononly").shows_pictures


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"rule": "bleu"},
            "Expected rule to be one of l3score, sampled; found 'bleu'.",
        ),
        (
            {"resolution": "0"},
            "Expected resolution to be full, 224px or a number of pixels; found 0.",
        ),
        (
            {"resolution": "512px"},
            "Expected resolution to be full, 224px or a number of pixels; found 512px.",
        ),
    ],
)
def test_values_that_mean_nothing_are_refused(fields: dict[str, Any], said: str) -> None:
    """In a sentence with what there is."""
    with pytest.raises(InputError) as error:
        SpiqaSettings(**fields)
    assert str(error.value) == said
