"""Which captions are ranked, and in what order they are shown."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from host_files import sample_of, write_run
from report_runs import choices, run_of, runs_at

from spiqa_tasks.analysis.paper.ranking import TRUE, Item, RankingOutcome, ask_of, rank, read_items
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.judge import Asker
from spiqa_tasks.judge.types import JudgeRequest, Verdict

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


def test_without_an_item_that_all_judges_ranked_nothing_is_combined() -> None:
    """Writers stand in alphabetical order then."""
    table = RankingOutcome({"one": {"1": {"b": 1, "a": 2}}, "two": {"2": {"b": 1, "a": 2}}}).table
    assert list(table) == ["a", "b"]
    assert math.isnan(table["b"]["Combined"][0])
    assert table["b"]["Combined"][2] == 0


def test_the_prompt_has_every_caption_and_an_example() -> None:
    """Of the letters in some other order, the same one each time; an answer may be as long as a list."""
    asked = ask_of(ITEM, "j", 0)
    captions = "\n".join(f"{letter}) {ITEM.captions[writer]}" for letter, writer in asked.writers.items())
    assert re.fullmatch(
        "Your task is to rank the following captions in order of how well they represent the figure.\n"
        + re.escape(captions)
        + "\nRank the captions from best to worst. Return just a list of the ranked captions, nothing else. For "
        r"example: Ranked Captions: \[(\w, \w, \w, \w)\]\.\nRanked Captions:",
        asked.request.prompt,
    )
    (example,) = re.findall(r"\[(.*)\]", asked.request.prompt)
    assert sorted(example.split(", ")) == list("ABCD") != example.split(", ")
    assert (asked.item, list(asked.writers)) == ("7", list("ABCD"))
    assert (asked.request.top_logprobs, asked.request.max_tokens) == (None, 256)
    long = replace(ITEM, captions={**ITEM.captions, "a": "x" * 100_000})
    assert len(ask_of(long, "j", 0).request.prompt) < 50_000


class Answering:
    """Stands in for a judge with these verdicts."""

    def __init__(self, *verdicts: Verdict) -> None:
        self.answers = list(verdicts)

    def verdicts(self, requests: Sequence[JudgeRequest]) -> list[Verdict]:
        self.requests = list(requests)
        return self.answers


def test_every_judge_ranks_every_item_and_what_cannot_be_read_is_counted() -> None:
    """By its reason; a failed request is no ranking whatever its text, and an incomplete one is none either."""
    items = [replace(ITEM, id=str(number)) for number in range(4)]
    answers = (
        Verdict("ok", "[D, A, C, B]"),
        Verdict("ok", "[A, B]"),
        Verdict("judge_failed", "[D, A, C, B]", reason="boom"),
        Verdict("judge_failed", reason="boom"),
    )
    one, other = Answering(*answers), Answering(*answers[:1] * 4)
    asked = {name: [ask_of(item, name, 3) for item in items] for name in ("one", "other")}
    outcome = rank(asked, {"one": cast(Asker, one), "other": cast(Asker, other)})
    assert one.requests == [each.request for each in asked["one"]]
    writers = asked["one"][0].writers
    assert outcome.ranks["one"] == {"0": {writers["D"]: 1, writers["A"]: 2, writers["C"]: 3, writers["B"]: 4}}
    assert outcome.failures == {"one": {"incomplete": 1, "judge_failed: boom": 2}, "other": {}}
    assert list(outcome.ranks["other"]) == ["0", "1", "2", "3"]


def test_more_writers_than_letters_are_refused() -> None:
    """A letter stands for each caption, the true one's included."""
    made = "data:scifibench/demo_fig2cap@d|settings:prompt=caption"
    runs = [run_of([Record("1", "c", "t")], f"m{number}", "scifibench_captioning", made) for number in range(26)]
    with pytest.raises(InputError) as error:
        read_items(runs)
    assert str(error.value) == "Expected at most 25 models, found 26. Name fewer runs."
