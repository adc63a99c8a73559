"""`spiqa-tasks exam` with a judge at a local server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai_server import Behaviour, OpenAIServer
from run_command import run_json

from spiqa_tasks.analysis.traps import TRAPS, demo_traps
from spiqa_tasks.cli import main


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A judge that says yes to equal answers."""
    with OpenAIServer(Behaviour()) as running:
        yield running


def test_a_judge_that_compares_letters_is_found_out(server: OpenAIServer, capsys: pytest.CaptureFixture[str]) -> None:
    """It knows the reference itself, falls into no wrong answer, and fails every other wording; scores by trap."""
    judge = f"openai:one@{server.url}"
    status, found, _ = run_json(capsys, "exam", "--judge", judge)
    assert status == 0
    (examined,) = found["judges"]
    groups = {group["name"]: group["agreement"]["accuracy"]["value"] for group in examined["groups"]}
    assert list(groups) == list(TRAPS)
    right = {name: share for name, share in groups.items() if TRAPS[name].right}
    assert right.pop("the reference") == 1
    assert set(right.values()) == {0}
    assert {share for name, share in groups.items() if not TRAPS[name].right} == {1}
    assert examined["groups"][0]["quantiles"] == pytest.approx([0.9 / 0.98] * 3)
    assert {example["trap"] for example in examined["examples"]} == set(right)


def test_traps_are_listed_and_written_without_a_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rules with their number; the pairs as a file that `--traps` takes."""
    status, rules, _ = run_json(capsys, "exam", "--list")
    assert status == 0
    assert {rule["trap"]: rule["right"] for rule in rules} == {name: trap.right for name, trap in TRAPS.items()}
    assert all(rule["about"] for rule in rules)
    path = tmp_path / "traps.jsonl"
    assert main(["exam", "--write", str(path), "--trap", "empty"]) == 0
    assert str(path) in capsys.readouterr().out
    assert len(path.read_text().splitlines()) == [each.trap for each in demo_traps().answers].count("empty")
    assert run_json(capsys, "exam", "--traps", path, "--list")[1] == [rule for rule in rules if rule["trap"] == "empty"]


def test_traps_of_ones_own_are_asked_about(
    server: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Instead of the demo's, under their own names."""
    rows = [
        {"question": f"q{place}", "reference": "5", "prediction": text, "label": right, "trap": name}
        for place, (name, text, right) in enumerate([("roman", "V", True), ("off by one", "6", False)] * 3)
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    _, found, _ = run_json(capsys, "exam", "--judge", f"openai:one@{server.url}", "--traps", path)
    groups = {group["name"]: group["agreement"]["accuracy"]["value"] for group in found["judges"][0]["groups"]}
    assert groups == {"roman": 0, "off by one": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--judge PROVIDER"),
        (["--trap", "riddle"], "among 'the reference'"),
        (["--traps", "none"], "No such"),
    ],
)
def test_unusable_options_are_one_sentence(
    capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    """Before anybody is asked."""
    assert main(["exam", *options]) == 2
    assert message in capsys.readouterr().err
