"""What every benchmark promises, under every setting that it has."""

import dataclasses
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.benchmark import Benchmark, parse_settings, settings_text
from spiqa_tasks.benchmarks.mmstar.definition import CATEGORIES
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.spiqa.formats import GROUPS
from spiqa_tasks.errors import InputError

MOST_FIELDS = 14
MOST_ROWS = {"spiqa": 16, "mmstar": 12, "scifibench": 8}


def test_a_benchmark_has_few_fields() -> None:
    """Few enough to be read at once by somebody who adds one."""
    assert len(dataclasses.fields(Benchmark)) <= MOST_FIELDS


def every_setting(benchmark: Benchmark) -> Iterator[Any]:
    """Return all allowed combinations of the named values, with numbers at their default."""
    types = typing.get_type_hints(benchmark.settings)
    named = {
        name: typing.get_args(kind)
        for name, kind in types.items()
        if typing.get_origin(kind) is typing.Literal
    }
    for values in product(*named.values()):
        try:
            yield benchmark.settings(**dict(zip(named, values, strict=True)))
        except InputError:
            continue


@pytest.mark.parametrize(("name", "most"), MOST_ROWS.items())
def test_the_hosts_table_is_short_and_begins_with_the_headline(name: str, most: int) -> None:
    """Under every setting the rows are few, all different, each of a metric that there is, the
    headline first.
    """
    benchmark = BENCHMARKS[name]
    longest = 0
    for settings in every_setting(benchmark):
        rows = benchmark.rows_of_table(settings)
        metrics = [metric.name for metric in benchmark.metrics(settings)]
        shown = [metric for metric in benchmark.metrics(settings) if metric.in_table]
        assert len(rows) == sum(1 + len(metric.groups) for metric in shown)
        assert len(metrics) == len(set(metrics))
        assert next(iter(rows)) == metrics[0]
        assert [(metric.name, group or "") for metric, group in rows.values()] == [
            (row.partition("/")[0], row.partition("/")[2]) for row in rows
        ]
        longest = max(longest, len(rows))
    assert 0 < longest <= most


def test_the_main_groups_are_in_the_table() -> None:
    """SPIQA's headline is told for every figure type, MMStar's for every core capability."""
    spiqa, mmstar = (
        [*BENCHMARKS[name].rows_of_table(BENCHMARKS[name].settings())]
        for name in ("spiqa", "mmstar")
    )
    assert spiqa[: len(GROUPS) + 1] == ["l3score", *(f"l3score/{group}" for group in GROUPS)]
    assert mmstar[: len(CATEGORIES) + 1] == [
        "accuracy",
        *(f"accuracy/{category}" for category in CATEGORIES),
    ]


@pytest.mark.parametrize("name", MOST_ROWS)
def test_what_scoring_needs_not_see_is_left_out_of_the_settings(name: str) -> None:
    """Rows for scoring show no picture; what decides the scores stays: metrics, judge and the
    shape of questions.
    """
    benchmark = BENCHMARKS[name]
    for settings in every_setting(benchmark):
        unseen = benchmark.scoring_settings(settings)
        assert unseen.ablation == "text"
        names, shown = ([m.name for m in benchmark.metrics(each)] for each in (unseen, settings))
        assert names == shown
        assert benchmark.judge(unseen) == benchmark.judge(settings)
        assert (benchmark.join(unseen) is None) == (benchmark.join(settings) is None)


@pytest.mark.parametrize("name", MOST_ROWS)
def test_each_split_has_a_size(name: str) -> None:
    assert all(count > 0 for count in BENCHMARKS[name].splits.values())


@dataclass(frozen=True)
class Settings:
    """Settings of every kind of field."""

    colour: Literal["red", "green"] = "red"
    number: int = 3
    name: str = ""


PLAIN = st.text("abc./:= -", max_size=9).map(str.strip)


@given(st.builds(Settings, st.sampled_from(["red", "green"]), st.integers(0), PLAIN))
def test_the_text_of_settings_is_read_back(settings: Settings) -> None:
    """The canonical text names every field and gives the same settings again."""
    assert parse_settings(Settings, settings_text(settings)) == settings


def test_fields_that_are_not_named_keep_their_default() -> None:
    """Spaces and empty parts between commas mean nothing; a value may hold an equals sign."""
    assert parse_settings(Settings, "") == Settings()
    assert parse_settings(Settings, " number=4 ,, name=a=b,") == Settings("red", 4, "a=b")
    assert settings_text(Settings()) == "colour=red,number=3,name="


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("size=3", "KEY=VALUE with colour, number, name in dataset_name; found 'size=3'"),
        ("number", "found 'number'"),
        ("number=many", "number to be a whole number from 0 in dataset_name; found 'number=many'"),
        ("number=-1", "number to be a whole number from 0 in dataset_name; found 'number=-1'"),
        ("number=²", "found 'number=²'"),
        ("colour=blue", "colour to be one of red, green in dataset_name; found 'colour=blue'"),
    ],
)
def test_what_the_settings_lack_is_refused(text: str, said: str) -> None:
    """A key, a form or a value that is not known is one sentence that says what is."""
    with pytest.raises(InputError, match=said):
        parse_settings(Settings, text)


def test_files_of_earlier_versions_name_settings_that_are_gone() -> None:
    """Without a value they change nothing; with one the answers are to something else."""
    scifibench = BENCHMARKS["scifibench"]
    assert scifibench.parse("shots=2,encoder=,seed=3") == scifibench.parse("shots=2,seed=3")
    with pytest.raises(InputError, match="found 'encoder=a/b'"):
        scifibench.parse("shots=2,encoder=a/b")
