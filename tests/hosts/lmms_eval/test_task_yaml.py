"""The YAMLs of our tasks, as texts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from own_data import write_own

from spiqa_tasks.benchmarks.registry import BENCHMARKS, yaml_folder
from spiqa_tasks.hosts.catalogue import load_yaml, own_definitions
from spiqa_tasks.hosts.lmms_eval.task_yaml import Group, Leaf, generation, stub, template

MMSTAR = BENCHMARKS["mmstar"]
VARIANTS = ["prompt=letter", "prompt=lmms_eval", "prompt=letter,ablation=text"]


def test_a_leaf_includes_the_template_and_says_what_is_its_own() -> None:
    """Lines that say nothing are left out."""
    assert Leaf("t", "val").text() == "include: _template_yaml\ntask: t\ntest_split: val\n"
    assert Leaf("t", "val", "a=1,b=2", "What it is.", ["x: 1", "y: 2"]).text() == (
        "# What it is.\ninclude: _template_yaml\ntask: t\ntest_split: val\ndataset_name: a=1,b=2\nx: 1\ny: 2\n"
    )


def test_a_group_has_its_members_and_may_have_their_mean() -> None:
    """The mean weighs every member alike."""
    assert Group("g", ["a", "b"]).text() == "group: g\ntask: [a, b]\n"
    assert Group("g", ["a"], "Two of them.", "accuracy").text() == (
        "# Two of them.\ngroup: g\ntask: [a]\n"
        "aggregate_metric_list: [{metric: accuracy, aggregation: mean, weight_by_size: false}]\n"
        "metadata: {version: 2.0}\n"
    )


def test_the_line_of_generation_has_length_and_ends() -> None:
    """Greedy; the ends are written so that a YAML's reader undoes the escapes."""
    line = "generation_kwargs: {max_new_tokens: 7, temperature: 0, do_sample: false, top_p: 1.0, until: %s}"
    assert generation(7) == line % "[]"
    assert generation(7, ["\n\n", "Q:"]) == line % r'["\n\n", "Q:"]'


def test_a_template_has_head_splits_rows_and_the_benchmarks_name(tmp_path: Path) -> None:
    """The rows are those of all variants, each once, in the order of the first that has it, failures last."""
    text = template(replace(MMSTAR, clustered=True), "# Head.\n", "prompt=letter", VARIANTS)
    assert text.startswith("# Head.\ndataset_path: json\n")
    (tmp_path / "t").write_text(text)
    found = load_yaml(tmp_path / "t")
    shipped = load_yaml(yaml_folder() / "mmstar" / "_template_yaml")
    rows = list(dict.fromkeys(row for each in VARIANTS for row in MMSTAR.rows_of_table(MMSTAR.parse(each))))
    lower = {name for name in rows if name.endswith(("_rate", "_count"))}
    assert found.pop("metric_list") == [
        {
            "metric": name,
            "aggregation": "spiqa_tasks.utils.answers.aggregate",
            "higher_is_better": name not in {*lower, "scoring_failed_count"},
        }
        for name in [*rows, "scoring_failed_count"]
    ]
    assert found.pop("cluster_key") == "cluster"
    del shipped["metric_list"]
    assert found == shipped
    assert found["metadata"] == {"version": 2.0, "benchmark": "mmstar", "headline": "accuracy"}
    assert stub(MMSTAR) == '{"benchmark": "mmstar"}\n'


def test_a_benchmark_of_ones_own_carries_its_definition(tmp_path: Path) -> None:
    """In what the host logs of a task, and in the row by which our hook knows the benchmark."""
    write_own(tmp_path)
    (definition,) = own_definitions([tmp_path])
    benchmark = BENCHMARKS[definition.benchmark]
    (tmp_path / "t").write_text(template(benchmark, "", "", [""]))
    metadata = load_yaml(tmp_path / "t")["metadata"]
    assert metadata == {
        **{"version": 2.0, "benchmark": "shapes", "headline": benchmark.headline(benchmark.parse("")).name},
        "definition": json.loads(json.dumps(benchmark.definition)),
    }
    row = json.loads(stub(benchmark))
    assert (row["benchmark"], json.loads(row["definition"])) == ("shapes", metadata["definition"])
    assert stub(replace(benchmark, definition=None)) == '{"benchmark": "shapes"}\n'


@pytest.mark.parametrize("tokens", [1, 512])
def test_the_length_of_answers_is_that_of_the_benchmark(tmp_path: Path, tokens: int) -> None:
    """In the template's line of generation."""
    (tmp_path / "t").write_text(template(replace(MMSTAR, max_new_tokens=tokens), "", "", [""]))
    assert load_yaml(tmp_path / "t")["generation_kwargs"]["max_new_tokens"] == tokens
