"""Which captions are ranked, and in what order they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_files import sample_of, write_run
from report_runs import choices, run_of, runs_at

from spiqa_tasks.analysis.caption_ranking import TRUE, Item, RankingOutcome, ask_of, read_items
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError

ITEM = Item("7", "f.png", {TRUE: "t", "a": "x", "b": "y", "c": "z"})


def test_only_figures_that_every_model_has_a_caption_of_are_ranked(tmp_path: Path) -> None:
    """An empty caption leaves the figure out; the true caption is one of each item's."""
    rows = load_rows("scifibench", "demo_fig2cap", "prompt=caption")
    for model, missing in (("a", 3), ("b", 5)):
        samples = [sample_of(row, "" if place == missing else f"by {model}") for place, row in enumerate(rows)]
        options = {"benchmark": "scifibench", "split": "demo_fig2cap"}
        write_run(tmp_path / model, model, {"captions": samples}, settings={"captions": "prompt=caption"}, **options)
    items, left_out = read_items(runs_at(tmp_path / "a", tmp_path / "b"))
    assert (len(items), left_out) == (len(rows) - 2, 2)
    assert items[0].captions == {TRUE: rows[0]["caption"], "a": "by a", "b": "by b"}
    assert items[0].picture == rows[0]["images"][0]


def test_runs_of_different_settings_are_not_ranked_together(tmp_path: Path) -> None:
    """Captions of different samples of figures are of different tasks."""
    for model, settings in (("a", "prompt=caption"), ("b", "prompt=caption,sample=3")):
        rows = load_rows("scifibench", "demo_fig2cap", settings)
        tasks = {"captions": [sample_of(row, "c") for row in rows]}
        options = {"benchmark": "scifibench", "split": "demo_fig2cap", "settings": {"captions": settings}}
        write_run(tmp_path / model, model, tasks, **options)
    with pytest.raises(InputError) as error:
        read_items(runs_at(tmp_path / "a", tmp_path / "b"))
    assert str(error.value) == (
        "Expected samples of one captioning task with one choice of settings, found 2. Run `--tasks "
        "scifibench_captioning --log_samples` with every model and name those runs."
    )
    with pytest.raises(InputError, match=r"captioning task with one choice of settings, found 0\."):
        read_items([run_of(choices([True]))])


def test_the_order_is_drawn_by_item_judge_and_seed() -> None:
    """The same three give the same order; another judge, seed or item gives others, each with every caption once."""
    asked = ask_of(ITEM, "j", 0)
    assert asked == ask_of(ITEM, "j", 0)
    assert sorted(asked.writers.values()) == sorted(ITEM.captions)
    others = [ask_of(ITEM, f"j{k}", 0) for k in range(9)] + [ask_of(ITEM, "j", k) for k in range(9)]
    assert len({tuple(each.writers.values()) for each in others}) > 5
    for letter, writer in asked.writers.items():
        assert f"\n{letter}) {ITEM.captions[writer]}\n" in asked.request.prompt
    assert asked.request.images == ("f.png",)


def test_the_table_is_sorted_by_the_mean_rank_over_judges() -> None:
    """Mean, deviation and count per judge, and combined over the items that every judge ranked."""
    ranks = {
        "one": {"1": {"a": 2, TRUE: 1}, "2": {"a": 2, TRUE: 1}},
        "two": {"1": {"a": 1, TRUE: 2}},
    }
    table = RankingOutcome(ranks).table
    assert list(RankingOutcome({"one": ranks["one"]}).table) == [TRUE, "a"]
    assert table["a"]["one"] == (2.0, 0.0, 2)
    assert table["a"]["Combined"] == (1.5, 0.0, 1)
