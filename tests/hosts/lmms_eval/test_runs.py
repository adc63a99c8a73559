"""Runs of the host on the demo data and on real annotations: baselines, a chat model behind a
server, a judge.
"""

import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer
from run_command import run_json

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.metrics import coco_java
from spiqa_tasks.scoring.coco_toolkit import FIELDS

Evaluate = Callable[..., dict[str, Any]]


def metric(result: dict[str, Any], task: str, name: str) -> Any:
    return result["results"][task][f"{name},none"]


def test_frequent_choice_scores_the_share_of_the_most_frequent_letters(evaluate: Evaluate) -> None:
    """Per category and overall, the baseline's accuracy is that of always giving the commonest
    answer.
    """
    result = evaluate("frequent_choice", ["mmstar_demo", "scifibench_demo"])
    for task in ("mmstar_demo", "scifibench_demo"):
        rows = load_rows(task.removesuffix("_demo"), "demo", "ablation=text")
        hits = 0
        for category in {row["category"] for row in rows}:
            answers = [row["answer"] for row in rows if row["category"] == category]
            hits += answers.count(statistics.mode(sorted(answers)))
        assert metric(result, task, "accuracy") == pytest.approx(hits / len(rows))
        assert [sample["accuracy"]["id"] for sample in result["samples"][task]] == [
            row["id"] for row in rows
        ]
        assert result["results"][task]["accuracy_stderr_clt,none"] > 0


def test_a_limited_run_keeps_its_numbers_in_the_hosts_table_alone(
    evaluate: Evaluate,
    write_samples: Callable[[dict[str, Any], str], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """There `--limit` is the asking; commands on its files print the same values with --partial,
    and else none.
    """
    task = "mmstar_demo"
    result = evaluate("frequent_choice", [task], limit=12)
    ours = metric(result, task, "accuracy")
    assert 0 < ours < 1
    path = write_samples(result, task)
    written = {name: value for name, value in result.items() if name != "samples"}
    path.with_name("20260101_000000_results.json").write_text(json.dumps(written, default=str))
    for arguments in (
        ["score", "--by", "group", path.parent],
        ["score", path.parent],
        ["score", task, path],
    ):
        status, found, said = run_json(capsys, *arguments)
        known = found[0]["value"] if isinstance(found, list) else found["metrics"]["accuracy"]
        assert (status, known) == (3 if "score" in arguments else 0, None)
        assert "12 of 24 questions were answered, fewer than 99%" in said + json.dumps(found)
        _, found, _ = run_json(capsys, *arguments, "--partial")
        known = found[0]["value"] if isinstance(found, list) else found["metrics"]["accuracy"]
        assert known == ours


@pytest.mark.java
def test_without_a_judge_the_text_metrics_are_there_alone(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """METEOR among them, of a program that finds every word matched; L3Score is no row of the
    table.
    """
    monkeypatch.setattr(coco_java, "_run_aligner", lambda pairs: [(1.0,) * FIELDS] * len(pairs))
    result = evaluate("caption_retrieval", ["spiqa_demo"], limit=3)
    assert all(
        metric(result, "spiqa_demo", name) > 0 for name in ("bleu_1", "rouge_l", "cider", "meteor")
    )
    assert "l3score,none" not in result["results"]["spiqa_demo"]


def test_chat_model_sees_pictures_and_text_in_the_papers_order(
    evaluate: Evaluate, judged: OpenAIServer, chat_args: str
) -> None:
    """An API model gets instruction, `Image i:`, picture, caption in turn; the judge's verdicts
    become L3Score.
    """
    result = evaluate("openai", ["spiqa_demo"], chat_args, limit=4)
    body = next(r["body"] for r in judged.requests if r["body"]["model"] == "tiny")
    content = body["messages"][0]["content"]
    assert [part["type"] for part in content][:5] == [
        "text",
        "image_url",
        "text",
        "image_url",
        "text",
    ]
    assert content[0]["text"].endswith("Image 0: ")
    assert content[2]["text"].startswith("Caption 0: ")
    assert body["temperature"] == 0
    scores = [sample["l3score"]["score"] for sample in result["samples"]["spiqa_demo"]]
    assert metric(result, "spiqa_demo", "l3score") == pytest.approx(sum(scores) / 4)
    assert all(
        score == pytest.approx(0.08 / 0.98) or score == pytest.approx(0.9 / 0.98)
        for score in scores
    )
    assert metric(result, "spiqa_demo", "judge_failed_rate") == 0
    assert sum(r["body"]["model"] == "judge" for r in judged.requests) == 4 + 2


def test_failed_judgements_withhold_the_number_and_keep_the_answers(
    evaluate: Evaluate, judged: OpenAIServer
) -> None:
    """A judge that dies in the middle costs no result: NaN, a counted failure with its reason,
    all other metrics.
    """
    judged.behaviour.script.extend(["ok", "ok", "ok", "400", "ok"])
    result = evaluate("caption_retrieval", ["spiqa_demo"], limit=3)
    assert math.isnan(metric(result, "spiqa_demo", "l3score"))
    assert metric(result, "spiqa_demo", "judge_failed_rate") == pytest.approx(1 / 3)
    records = [sample["l3score"] for sample in result["samples"]["spiqa_demo"]]
    failed = [record for record in records if record["status"] == "judge_failed"]
    assert len(failed) == 1
    assert not {"score", "l3score"} & {*failed[0], *failed[0]["scores"]}
    assert "400" in failed[0]["reason"]
    (verdict,) = failed[0]["verdicts"]
    assert verdict.pop("prompt").endswith("Answer in one word - Yes or No.")
    assert verdict == {"metric": "l3score", "reason": failed[0]["reason"]}
    assert ["score" in sample for sample in result["samples"]["spiqa_demo"]].count(False) == 1
    assert metric(result, "spiqa_demo", "rouge_l") > 0


def test_no_judge_is_asked_about_answers_that_are_only_to_be_kept(
    evaluate: Evaluate, judged: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a test question nor an answer of `--predict_only`; a run after it is judged."""
    monkeypatch.setattr("spiqa_tasks.benchmarks.scorer.Scorer.score", None)
    result = evaluate("caption_retrieval", ["spiqa_demo"], limit=3, predict_only=True)
    assert [sample["resps"][0][0][:9] for sample in result["samples"]["spiqa_demo"]] == [
        "{'Answer'"
    ] * 3
    assert judged.requests == []
    monkeypatch.undo()
    monkeypatch.setenv("SPIQA_JUDGE", f"openai:judge@{judged.url}")
    assert metric(evaluate("caption_retrieval", ["spiqa_demo"], limit=3), "spiqa_demo", "l3score")


@pytest.mark.parametrize("judge", ["", "openai:gpt-4o", "anthropic:claude", "nonsense"])
def test_judge_that_cannot_be_used_stops_the_run_with_the_remedy(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch, judge: str
) -> None:
    """No key, no logprobs or an unknown provider: one sentence that names the variable, before
    any answer.
    """
    monkeypatch.setenv("SPIQA_JUDGE", judge)
    with pytest.raises(SystemExit, match=r"spiqa-tasks: .*(SPIQA_JUDGE|choose openai:|provider)"):
        evaluate("caption_retrieval", ["spiqa_demo"])


def test_missing_data_stops_the_run_with_the_remedy(
    evaluate: Evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty data folder is one sentence with the command that fills it."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="hf download Lin-Chen/MMStar"):
        evaluate("frequent_choice", ["mmstar_filtered"])


def test_simple_models_get_all_pictures_and_a_text_that_marks_them(
    evaluate: Evaluate, server: OpenAIServer, chat_args: str
) -> None:
    """With --force_simple the same five figures come first, and the text marks the place of each
    beside its letter.
    """
    result = evaluate("openai", ["scifibench_demo"], chat_args, limit=13, force_simple=True)
    assert len(result["samples"]["scifibench_demo"]) == 13
    bodies = [r["body"]["messages"][0]["content"] for r in server.requests]
    five = next(
        content for content in bodies if sum(part["type"] == "image_url" for part in content) == 5
    )
    text = "".join(part["text"] for part in five if part["type"] == "text")
    assert all(f"{letter}) [picture] \n" in text for letter in "ABCDE")
    assert text.count("[picture]") == 5
