"""Every SPIQA setting through the real host, with a chat model and a simple model of random
weights.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny_vlm
from numbers_task import manager
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.registry import load_rows, yaml_folder
from spiqa_tasks.hosts.catalogue import catalogue

Evaluate = Callable[..., dict[str, Any]]
RESOLUTIONS = {"_112px", "_448px", "_672px"}
"""What Figure B.1 shows of test-B, and no other split has."""
SETTINGS = sorted(name for name in catalogue()[0] if name.startswith("spiqa_demo"))


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_vlm.build(tmp_path_factory.mktemp("tiny_vlm"))


def whole_record(sample: dict[str, Any]) -> dict[str, Any]:
    """The one entry of a sample that holds the whole record."""
    (found,) = (
        value for value in sample.values() if isinstance(value, dict) and "signature" in value
    )
    return found


def test_there_is_a_demo_task_for_every_setting() -> None:
    """What runs below is every suffix that the splits have; these have all of them under both
    protocols, too.
    """
    tasks = catalogue()[0]
    suffixes = {name.removeprefix("spiqa_demo") for name in SETTINGS}
    plain = {suffix for suffix in suffixes if not suffix.endswith("_both")} - RESOLUTIONS
    for split in ("testA", "testB", "testC", "val"):
        found = {
            name.removeprefix(f"spiqa_{split}")
            for name in tasks
            if name.startswith(f"spiqa_{split}")
        }
        more = RESOLUTIONS if split == "testB" else set()
        assert found == plain | {f"{suffix}_both" for suffix in plain} | more
    assert suffixes - plain - RESOLUTIONS == {"_both", "_cot_both", "_perfigure_both"}


def test_groups_have_the_three_test_splits_of_each_setting() -> None:
    """One `--tasks` argument runs an experiment of the paper on A, B and C."""
    groups = catalogue()[1]
    suffixes = {name.removeprefix("spiqa_demo") for name in SETTINGS}
    for suffix in suffixes - RESOLUTIONS - {"_both", "_cot_both", "_perfigure_both"}:
        assert groups[f"spiqa{suffix}"] == tuple(f"spiqa_test{split}{suffix}" for split in "ABC")


@pytest.mark.parametrize("force_simple", [False, True], ids=["chat", "simple"])
def test_model_of_random_weights_runs_every_setting(
    evaluate: Evaluate, checkpoint: Path, force_simple: bool
) -> None:
    """Two documents of each setting are answered, and every answer's record names its figures
    and settings.
    """
    options = {"limit": 2, "force_simple": force_simple, "gen_kwargs": "max_new_tokens=8"}
    result = evaluate("qwen2_5_vl", SETTINGS, tiny_vlm.model_args(checkpoint), **options)
    for name in SETTINGS:
        task = catalogue()[0][name]
        rows = load_rows("spiqa", "demo", task.settings_text)[:2]
        records = [whole_record(sample) for sample in result["samples"][name]]
        assert [record["id"] for record in records] == [row["id"] for row in rows], name
        assert all(
            f"settings:{row['settings']}" in record["signature"]
            for row, record in zip(rows, records, strict=True)
        )
        assert result["results"][name]["request_failed_rate,none"] == 0
    answers = {
        name: [sample["filtered_resps"] for sample in result["samples"][name]] for name in SETTINGS
    }
    assert answers["spiqa_demo"] != answers["spiqa_demo_grey"]
    assert force_simple or answers["spiqa_demo"] != answers["spiqa_demo_224px"]
    assert result["results"]["spiqa_demo_perfigure"]["incomplete_rate,none"] == 1.0


def test_figures_shown_alone_are_joined_and_judged_once(
    evaluate: Evaluate, judged: OpenAIServer, chat_args: str
) -> None:
    """One document per figure and prompt with one picture each; one judgement per question, in
    the aggregation.
    """
    judged.behaviour.text = "Yes, blue."
    rows = load_rows("spiqa", "demo", "setting=perfigure,max_figures=0")
    two = rows[0]["documents"] + rows[rows[0]["documents"]]["documents"]
    result = evaluate("openai", ["spiqa_demo_perfigure"], chat_args, limit=two + 1)
    bodies = [
        r["body"]["messages"][0]["content"] for r in judged.requests if r["body"]["model"] == "tiny"
    ]
    assert len(bodies) == two + 1
    assert all([part["type"] for part in body] == ["image_url", "text"] for body in bodies)
    scores = result["results"]["spiqa_demo_perfigure"]
    assert scores["l3score,none"] == pytest.approx(0.08 / 0.98)
    assert scores["incomplete_rate,none"] == pytest.approx(1 / 3)
    assert scores["judge_failed_rate,none"] == 0
    assert len([r for r in judged.requests if r["body"]["model"] == "judge"]) == 2 + 2
    samples = result["samples"]["spiqa_demo_perfigure"]
    # One document of each question has its score.
    scored = [sample["l3score"] for sample in samples if "score" in sample]
    assert [record["details"]["question_id"] for record in scored] == list(
        dict.fromkeys(row["question_id"] for row in rows[:two])
    )
    assert {record["prediction"] for record in scored} == {"Yes, blue."}


def test_a_task_may_name_another_rule(
    evaluate: Evaluate, judged: OpenAIServer, chat_args: str, tmp_path: Path
) -> None:
    """One setting makes its name that of the headline, which holds the records."""
    included = yaml_folder() / "spiqa" / "spiqa_demo.yaml"
    (tmp_path / "mine.yaml").write_text(
        f"include: {included}\ntask: spiqa_demo_mine\ndataset_name: rule=sampled\n"
    )
    judged.behaviour.text = lambda body: "No" if "Green" in str(body["messages"]) else "Yes"
    result = evaluate(
        "openai", ["spiqa_demo_mine"], chat_args, limit=2, task_manager=manager(tmp_path)
    )
    scores = result["results"]["spiqa_demo_mine"]
    assert scores["l3score_sampled,none"] == 1
    assert "l3score,none" not in scores
    record = whole_record(result["samples"]["spiqa_demo_mine"][0])
    assert record["scores"]["l3score_sampled"] == 1
    assert "judge_rule:share of 5 draws" in record["signature"]


def test_server_that_takes_few_images_leads_to_the_right_task(
    evaluate: Evaluate, server: OpenAIServer, chat_args: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A 400 about the number of images becomes one line that names the task to run instead."""
    server.behaviour.sticky = "images"
    result = evaluate("openai", ["spiqa_demo"], f"{chat_args},max_retries=1", limit=2)
    assert result["results"]["spiqa_demo"]["request_failed_rate,none"] == 1.0
    advice = [record.message for record in caplog.records if "_perfigure" in record.message]
    assert len(advice) == 1
    assert "spiqa_demo_perfigure" in advice[0]
    assert "max_figures" in advice[0]


def test_own_task_of_three_lines_changes_the_settings(
    evaluate: Evaluate, server: OpenAIServer, chat_args: str, tmp_path: Path
) -> None:
    """Including one of our YAMLs and changing dataset_name is enough; both protocols are told
    side by side.
    """
    included = yaml_folder() / "spiqa" / "spiqa_demo.yaml"
    settings = "max_figures=2,seed=7,protocol=both"
    text = f"include: {included}\ntask: spiqa_demo_mine\ndataset_name: {settings}\n"
    (tmp_path / "mine.yaml").write_text(text)
    server.behaviour.text = "Yes, blue."
    result = evaluate(
        "openai", ["spiqa_demo_mine"], chat_args, limit=3, task_manager=manager(tmp_path)
    )
    records = [whole_record(sample) for sample in result["samples"]["spiqa_demo_mine"]]
    expected = load_rows("spiqa", "demo", settings)[:3]
    figures = [record["details"]["figures"] for record in records]
    assert figures == [[figure["file"] for figure in row["figures"]] for row in expected]
    assert all(len(files) == 2 for files in figures)
    assert "seed=7" in records[0]["signature"]
    assert {"rouge_l,none", "rouge_l_released,none"} <= set(result["results"]["spiqa_demo_mine"])
    assert records[0]["prediction"] == "Yes, blue."
    assert records[0]["details"]["released"]["prediction"] == "Yes, blue"
