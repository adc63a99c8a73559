"""The YAMLs of docs/your_task.md, run by the host with a judge."""

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from numbers_task import manager
from openai_server import OpenAIServer
from pages import blocks, page
from PIL import Image
from run_command import run_json

from spiqa_tasks.cli import main
from spiqa_tasks.hosts.lmms_eval.open_docs import open_task

Evaluate = Callable[..., dict[str, Any]]
CHOICE, OPEN, BLIND = blocks(page("your_task"), "yaml")
(CAST,) = blocks(page("your_task"), "python")
ROWS = [
    {
        "query": "Sky?",
        "options": ["red", "blue"],
        "letter": "B",
        "gold": ["Azure", "Blue"],
        "partial": ["Blue"],
    },
    {
        "query": "Blood?",
        "options": ["red", "blue"],
        "letter": "A",
        "gold": ["Red"],
        "partial": [],
    },
]


@pytest.fixture
def charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the page, with the table and the YAMLs of two tasks."""
    import datasets

    Image.new("RGB", (32, 24), "blue").save(tmp_path / "chart.png")
    picture = {"bytes": (tmp_path / "chart.png").read_bytes(), "path": None}
    table = datasets.Dataset.from_list([{**row, "image": picture} for row in ROWS])
    table.cast_column("image", datasets.Image()).to_parquet(tmp_path / "charts.parquet")
    (tmp_path / "charts_choice.yaml").write_text(CHOICE)
    (tmp_path / "charts_open.yaml").write_text(OPEN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pictures(server: OpenAIServer) -> int:
    """The number of pictures that the model was sent."""
    return sum("image_url" in str(request["body"]) for request in server.requests)


def test_letters_are_read_of_any_choice_task(
    charts: Path, judged: OpenAIServer, chat_args: str, evaluate: Evaluate
) -> None:
    """By the filter, which any metric of the host compares."""
    judged.behaviour.text = "It is blue."
    found = evaluate("openai", ["charts_choice"], chat_args, task_manager=manager(charts))
    assert found["results"]["charts_choice"]["exact_match,letter"] == 0.5
    assert pictures(judged) == 2


def test_a_question_may_have_ten_options(
    charts: Path, judged: OpenAIServer, chat_args: str, evaluate: Evaluate
) -> None:
    """The prompt of the page labels them A to J."""
    import datasets

    digits = [*"0123456789"]
    row = {**ROWS[0], "options": digits, "letter": "J", "image": str(charts / "chart.png")}
    datasets.Dataset.from_list([row]).to_json(charts / "charts.jsonl")
    exec(CAST.replace("from_parquet", "from_json").replace('.parquet")  #', '.jsonl")  #'))
    judged.behaviour.text = "J. 9"
    found = evaluate("openai", ["charts_choice"], chat_args, task_manager=manager(charts))
    assert found["results"]["charts_choice"]["exact_match,letter"] == 1
    assert "\\nI. 8\\nJ. 9" in str(judged.requests[-1]["body"])
    assert pictures(judged) == 1


@pytest.mark.parametrize("is_bare", [True, False])
def test_pictures_that_are_bytes_are_sent_after_the_cast_of_the_page(
    charts: Path, judged: OpenAIServer, chat_args: str, evaluate: Evaluate, is_bare: bool
) -> None:
    """Bytes alone, or in an object with a path, as pandas writes them."""
    import pandas as pd

    data = (charts / "chart.png").read_bytes()
    rows = [{**row, "image": data if is_bare else {"bytes": data, "path": None}} for row in ROWS]
    pd.DataFrame(rows).to_parquet(charts / "charts.parquet")
    exec(CAST)
    evaluate("openai", ["charts_choice"], chat_args, task_manager=manager(charts))
    assert pictures(judged) == 2


def test_open_answers_of_any_task_are_judged_in_one_go(
    charts: Path, judged: OpenAIServer, chat_args: str, evaluate: Evaluate
) -> None:
    """One request for each reference beside the two test questions; the best reference counts."""
    judged.behaviour.text = "blue"
    found = evaluate("openai", ["charts_open"], chat_args, task_manager=manager(charts))
    assert found["results"]["charts_open"]["l3score,none"] == pytest.approx(0.5, abs=0.1)
    asked = [request for request in judged.requests if request["body"].get("logprobs")]
    assert len(asked) == 2 + 3
    first, second = (sample["l3score"] for sample in found["samples"]["charts_open"])
    assert (first["id"], first["prediction"]) == ("0", "blue")
    assert first["score"] > 0.9 > 0.1 > second["score"]
    assert "data:answers/charts_open@docs " in first["signature"]


def test_the_number_of_a_run_has_an_interval(
    charts: Path,
    judged: OpenAIServer,
    chat_args: str,
    evaluate: Evaluate,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`score` prints them, with the judge, of the files that the host writes; it scores nothing."""
    from lmms_eval.loggers import EvaluationTracker

    judged.behaviour.text = "blue"
    found = evaluate("openai", ["charts_open"], chat_args, task_manager=manager(charts))
    tracker = EvaluationTracker(output_path="out")
    tracker.general_config_tracker.model_name_sanitized = "model"
    samples = found["samples"]["charts_open"]
    tracker.save_results_aggregated(found, found["samples"], "20260101_000000")
    tracker.save_results_samples("charts_open", samples)
    capsys.readouterr()
    status, (row,), _ = run_json(capsys, "score", "out")
    assert status == 0
    assert (row["task"], row["metric"], row["n"]) == ("charts_open", "l3score", 2)
    assert row["low"] < row["value"] < row["high"]

    assert main(["score", "out", "--task", "charts_open"]) == 0
    assert "|judge:openai:judge|" in capsys.readouterr().out
    status, _, said = run_json(capsys, "score", "out", "--output", "scored")
    assert status == 2
    assert "to be scored; found those to charts_open. `score RUN` alone prints what" in said


def test_a_doc_without_a_reference_is_no_0(
    charts: Path, judged: OpenAIServer, chat_args: str, evaluate: Evaluate
) -> None:
    """The value over half of the docs is withheld, the sample says why."""
    judged.behaviour.text = "blue"
    (charts / "charts_open.yaml").write_text(OPEN.replace("answer: gold}", "answer: partial}"))
    found = evaluate("openai", ["charts_open"], chat_args, task_manager=manager(charts))
    assert math.isnan(found["results"]["charts_open"]["l3score,none"])
    first, second = (sample["l3score"] for sample in found["samples"]["charts_open"])
    assert first["score"] > 0.9
    assert second["status"] == "scoring_failed"
    assert "no reference" in second["reason"]


def test_columns_that_are_not_there_are_named_before_the_model_is_asked(
    charts: Path, judged: OpenAIServer, chat_args: str, evaluate: Evaluate
) -> None:
    """The judge alone has been asked, its two test questions; our mark is no column of the user."""
    text = OPEN.replace("answer: gold}", "answer: golden}")
    (charts / "charts_open.yaml").write_text(text)
    found = "found query, options, letter, gold, partial. Name it"
    with pytest.raises(SystemExit, match=f"charts_open: Expected golden as the column .*{found}"):
        evaluate("openai", ["charts_open"], chat_args, task_manager=manager(charts))
    assert len(judged.requests) == 2


@pytest.mark.parametrize(
    ("name", "text", "said", "asked"),
    [
        ("open", OPEN.replace("answer: gold", "anwser: gold"), "Expected answer in the YAML's", 2),
        ("open", OPEN.replace("process_docs:", "# "), "Expected process_docs: !function", 0),
        ("choice", CHOICE.replace("options: opt", "options: op"), "the column opions of", 0),
        ("choice", CHOICE.replace("options: opt", "choices: opt"), "fallback .* found choices", 0),
        ("choice", CHOICE.replace("visual: image", "visual: picture"), "the column picture of", 0),
        ("open", OPEN.replace("visual: image", "visual: picture"), "the column picture of", 2),
    ],
)
def test_what_is_misspelt_in_a_yaml_is_named_before_the_model_is_asked(
    charts: Path,
    judged: OpenAIServer,
    chat_args: str,
    evaluate: Evaluate,
    name: str,
    text: str,
    said: str,
    asked: int,
) -> None:
    """A key of the metadata, a hook that lacks its other half, a column, or an argument of the
    filter; the judge alone has been asked, by that hook.
    """
    (charts / f"charts_{name}.yaml").write_text(text)
    with pytest.raises(SystemExit, match=said):
        evaluate("openai", [f"charts_{name}"], chat_args, task_manager=manager(charts))
    assert len(judged.requests) == asked


@pytest.mark.parametrize(
    ("filter_of", "found"),
    [
        ("choice_letter", "in query, opts, letter, .* found none"),
        ("choice_letter, options: letter", "in letter, found letter is 'B', not a list"),
    ],
)
def test_docs_without_options_are_named_before_the_model_is_asked(
    charts: Path,
    judged: OpenAIServer,
    chat_args: str,
    evaluate: Evaluate,
    filter_of: str,
    found: str,
) -> None:
    """A column with no usual name, and a wrong one: every answer would be scored 0."""
    import datasets

    table = datasets.Dataset.from_parquet("charts.parquet").rename_column("options", "opts")
    table.to_parquet(charts / "charts.parquet")
    text = CHOICE.replace("choice_letter, options: options", filter_of)
    text = text.replace("in options %", "in opts %")
    (charts / "charts_choice.yaml").write_text(text)
    with pytest.raises(SystemExit, match=f"charts_choice: Expected the options .* {found}"):
        evaluate("openai", ["charts_choice"], chat_args, task_manager=manager(charts))
    assert not judged.requests


@pytest.mark.parametrize("is_picture", [True, False])
def test_one_doc_with_options_is_enough_and_needs_no_column(
    charts: Path, judged: OpenAIServer, chat_args: str, evaluate: Evaluate, is_picture: bool
) -> None:
    """Options in the question's text, or pictures behind the letters A and B."""
    import datasets

    picture = str(charts / "chart.png")
    rows = [
        {"query": "Sky?", "letter": "B"},
        {"query": "Blood?" if is_picture else "Blood?\nA. red\nB. blue", "letter": "B"},
    ]
    columns = ("image", "A", "B") if is_picture else ("image",)
    table = datasets.Dataset.from_list([{**row, **dict.fromkeys(columns, picture)} for row in rows])
    for column in columns:
        table = table.cast_column(column, datasets.Image())
    table.to_parquet(charts / "charts.parquet")
    text = CHOICE.replace("choice_letter, options: options", "choice_letter")
    text = text.replace("in options %", "in [] %")
    (charts / "charts_choice.yaml").write_text(text)
    judged.behaviour.text = "B"
    found = evaluate("openai", ["charts_choice"], chat_args, task_manager=manager(charts))
    score = found["results"]["charts_choice"]["exact_match,letter"]
    assert score == (1 if is_picture else 0.5)


def test_a_row_without_a_picture_is_said_before_the_model_is_asked(
    charts: Path, judged: OpenAIServer, chat_args: str, evaluate: Evaluate
) -> None:
    """The host would end the run there with a traceback."""
    import datasets

    rows = [{**row, "image": None} for row in ROWS]
    rows[0]["image"] = str(charts / "chart.png")
    table = datasets.Dataset.from_list(rows).cast_column("image", datasets.Image())
    table.to_parquet(charts / "charts.parquet")
    with pytest.raises(SystemExit, match="image of each row, found none in 1 of 2"):
        evaluate("openai", ["charts_choice"], chat_args, task_manager=manager(charts))
    assert not judged.requests


def test_a_yaml_with_its_version_alone_takes_the_usual_names() -> None:
    """The host's own YAMLs have `metadata: {version: ...}`, which is no misspelt `question`."""
    docs = SimpleNamespace(column_names=["question", "answer", "image"])
    task = open_task("charts", {"version": 1.0}, docs)
    assert (task.question, task.answer) == ("question", "answer")


def test_a_run_without_a_judge_does_not_start(
    charts: Path,
    chat_args: str,
    evaluate: Evaluate,
    server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L3Score is all that the task has: nor is it advised to do without a judge."""
    with pytest.raises(SystemExit, match=r"Expected a judge for l3score.* SPIQA_JUDGE"):
        evaluate("openai", ["charts_open"], chat_args, task_manager=manager(charts))
    for judge, fault in (
        ("openai:gpt-4o", "needs a key"),
        ("anthropic:claude", "cannot be judged"),
    ):
        monkeypatch.setenv("SPIQA_JUDGE", judge)
        with pytest.raises(SystemExit, match=fault) as refusal:
            evaluate("openai", ["charts_open"], chat_args, task_manager=manager(charts))
        assert "SPIQA_JUDGE=none" not in str(refusal.value)
    assert not server.requests


def test_any_task_runs_without_its_pictures(
    charts: Path, judged: OpenAIServer, chat_args: str, evaluate: Evaluate
) -> None:
    """By the model of the file for `--config`, with the judge's number as before."""
    judged.behaviour.text = "blue"
    options = yaml.safe_load(BLIND)
    arguments = options["model_args"].replace("model_version=gpt-4o", chat_args)
    tasks = options["tasks"].split(",")
    found = evaluate(options["model"], tasks, arguments, task_manager=manager(charts))
    assert pictures(judged) == 0
    assert found["results"]["charts_open"]["l3score,none"] == pytest.approx(0.5, abs=0.1)
    assert found["results"]["charts_choice"]["exact_match,letter"] == 0.5
