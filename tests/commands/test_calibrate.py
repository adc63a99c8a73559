"""`spiqa-tasks calibrate` with judges at local servers."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer, TopLogprobs, agreeing
from run_command import run_json

from spiqa_tasks.cli import main


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A judge that says yes to equal answers."""
    with OpenAIServer(Behaviour()) as running:
        yield running


@pytest.fixture
def judge(server: OpenAIServer) -> str:
    """Its name."""
    return f"openai:one@{server.url}"


NAME = "openai:one"
"""What it is called in results: without its address, where that tells no two apart."""


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Forty answers to twenty questions: every second one right, of which a fourth in other words."""
    rows = [
        {
            "question": f"q{place // 2}",
            "reference": "blue",
            "prediction": ("azure" if place % 8 == 0 else "blue") if place % 2 == 0 else "red",
            "label": place % 2 == 0,
            "system": "ab"[place % 2],
        }
        for place in range(40)
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_the_agreement_is_printed_in_every_form(
    judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """csv has a row per judge and system in natural units; tables have the judges' values times 100."""
    shown = {}
    for form in ("csv", "md", "text"):
        assert main(["calibrate", str(labels), "--judge", judge, "--format", form]) == 0
        shown[form] = capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(shown["csv"])))
    assert [(row["kind"], row["group"]) for row in rows if row["judge"] == NAME][:3] == [
        ("all", "all"),
        ("system", "a"),
        ("system", "b"),
    ]
    assert float(rows[0]["accuracy.value"]) == pytest.approx(35 / 40)
    assert f"| {NAME} " in shown["md"]
    assert "87.5 [" in shown["text"]
    assert max(map(len, shown["text"].splitlines())) <= 100


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Judge -> its numbers."""
    return {each["name"]: each for each in found["judges"]}


def test_a_judge_is_measured_beside_lexical_baselines(
    server: OpenAIServer, judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Agreement overall and by system, what it took, the examples that it got wrong, and how the numbers were made."""
    status, found, _ = run_json(capsys, "calibrate", labels, "--judge", judge)
    assert status == 0
    judges = by_name(found)
    assert list(judges) == [NAME, "exact", "contains", "contains_normalized", "token_f1"]
    for name in (NAME, "exact"):
        assert judges[name]["overall"]["accuracy"]["value"] == pytest.approx(35 / 40), name
        assert judges[name]["overall"]["f1"]["value"] == pytest.approx(2 * 15 / (15 + 20)), name
    groups = {
        group["name"]: group["agreement"]["accuracy"]["value"] for group in judges[NAME]["groups"]
    }
    assert groups == {"a": 0.75, "b": 1.0}
    assert (
        judges[NAME]["took"]["judged"]
        == len({request["body"]["messages"][0]["content"] for request in server.requests}) - 2
    )
    assert {example["prediction"] for example in judges[NAME]["examples"]} == {"azure"}
    assert re.search(
        r"data:labels/labels.jsonl@[0-9a-f]{12}\|judge:openai:one\|judge_served:one\|",
        judges[NAME]["signature"],
    )
    assert (found["n"], found["labels"], found["pairs"]) == (40, "labels.jsonl", [])


def test_asking_again_is_asking_anew_and_paid_for_once(
    server: OpenAIServer, judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three times the same prompt and once the other wording; a judge that wavers flips; a second run asks nothing."""
    asked: list[str] = []

    def wavering(prompt: str) -> TopLogprobs:
        asked.append(prompt)
        agreed = agreeing(prompt)
        return agreed if asked.count(prompt) != 3 else [("Yes", -0.01), ("No", -5.0), *agreed[2:]]

    server.behaviour.verdict = wavering
    options = (labels, "--judge", judge, "--repeat", 3, "--rewordings")
    _, found, _ = run_json(capsys, "calibrate", *options)
    flips = {flip["over"]: flip for flip in by_name(found)[NAME]["flips"]}
    assert list(flips) == ["the same prompt, asked 3 times", "prompt paper"]
    assert flips["the same prompt, asked 3 times"]["share"]["value"] == pytest.approx(25 / 40)
    assert flips["prompt paper"]["share"]["value"] == 0
    assert "log-probabilities" not in json.dumps(found)
    before = len(asked)
    again = run_json(capsys, "calibrate", *options)[1]
    assert len(asked) == before
    assert by_name(again)[NAME]["overall"] == by_name(found)[NAME]["overall"]
    assert by_name(again)[NAME]["flips"] == by_name(found)[NAME]["flips"]


def test_an_unfit_judge_is_refused(
    server: OpenAIServer, judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After its two test questions."""
    server.behaviour.verdict = lambda _: [
        ("Yes", -0.1),
        ("No", -3.0),
        ("a", -5),
        ("b", -6),
        ("c", -7),
    ]
    assert main(["calibrate", str(labels), "--judge", judge]) == 2
    assert "cannot be used: asked whether Blue" in capsys.readouterr().err
    assert len(server.requests) == 2


def test_a_sample_has_its_seed_in_the_signature(
    judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every system and label has its share."""
    _, found, _ = run_json(
        capsys, "calibrate", labels, "--judge", judge, "--sample", 10, "--seed", 7
    )
    (group, other) = (
        group["agreement"] for group in by_name(found)[NAME]["groups"] if group["kind"] == "system"
    )
    assert (found["n"], group["n"], other["n"]) == (10, 5, 5)
    assert "|questions:10 of 40, stratified, seed 7|" in by_name(found)[NAME]["signature"]


def test_failures_are_no_verdicts(
    server: OpenAIServer, judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With more than a hundredth of them the numbers are withheld, with the reason, and the status is 3."""
    server.behaviour.script = ["ok", "ok", "400"]
    assert main(["calibrate", str(labels), "--judge", judge]) == 3
    out = capsys.readouterr().out
    assert re.search(rf"{NAME} +-", out)
    assert "answers have a score, fewer than 99%" in out


def test_the_page_and_the_forecast(
    server: OpenAIServer,
    judge: str,
    labels: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A forecast asks nothing; the page has every section, its plots, no browser of samples, and escapes texts."""
    status, forecast, _ = run_json(
        capsys, "calibrate", labels, "--judge", judge, "--repeat", 2, "--dry-run"
    )
    assert (status, forecast["labels"], server.requests) == (0, "labels.jsonl", [])
    labels.write_text(labels.read_text().replace("azure", "<script>azure</script>"))
    page = tmp_path / "page.html"
    assert (
        main(["calibrate", str(labels), "--judge", judge, "--rewordings", "--html", str(page)]) == 0
    )
    text = page.read_text(encoding="utf-8")
    for title in (
        "Agreement with the labels",
        "By system",
        "Verdicts that change",
        "What it took",
        "Reliability",
    ):
        assert title in text, title
    assert text.count("<svg") == 3
    assert "&lt;script&gt;azure" in text
    assert "<script>azure" not in text
    assert 'id="samples"' not in text


def test_a_judge_that_compares_letters_falls_into_traps(
    judge: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It accepts the reference itself, no wrong answer, and no other wording; no words are compared beside it."""
    status, found, _ = run_json(capsys, "calibrate", "--traps", "--judge", judge)
    assert (status, found["n"]) == (0, 1113)
    examined, no, yes = found["judges"]
    kinds = run_json(capsys, "calibrate", "--traps", "--list")[1]
    shares = {
        group["name"]: group["agreement"]["accuracy"]["value"] for group in examined["groups"]
    }
    assert shares == {
        row["kind"]: 1 if not row["right"] or row["kind"] == "the reference" else 0 for row in kinds
    }
    assert examined["groups"][0]["quantiles"] == pytest.approx([0.9 / 0.98] * 3)
    assert {example["kind"] for example in examined["examples"]} == {
        kind for kind, share in shares.items() if not share
    }
    assert [
        (each["name"], round(each["overall"]["accuracy"]["value"], 2)) for each in (no, yes)
    ] == [
        ("always no", 0.67),
        ("always yes", 0.33),
    ]
    said = {each["conclusion"].partition(" (")[0] for each in found["conclusions"]}
    assert {"it cannot tell right from wrong: choose another judge", "it punishes form"} <= said
    assert "saying nothing pays" not in said


def test_a_judge_that_says_yes_to_all_is_told_what_that_means(
    server: OpenAIServer, judge: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The conclusions are printed, each with the kinds of traps that it rests on."""
    server.behaviour.verdict = lambda _prompt: agreeing(
        "Ground-truth answer: a\nCandidate answer: a"
    )
    assert main(["calibrate", "--traps", "--judge", judge, "--anyway"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for said in (
        "always yes does as well",
        "saying nothing pays",
        "reads numbers loosely",
        "can buy its score",
    ):
        assert said in shown, said


def test_traps_may_be_ones_own(
    judge: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their kinds are listed with an example without a judge, and asked about as the shipped ones are."""
    rows = [
        {
            "question": f"q{place}",
            "reference": "5",
            "candidate": text,
            "verdict": right,
            "kind": kind,
        }
        for place, (kind, text, right) in enumerate(
            [("roman", "V", True), ("off by one", "6", False)] * 3
        )
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    roman, other = run_json(capsys, "calibrate", "--traps", path, "--list")[1]
    assert roman == {"kind": "roman", "right": True, "n": 3, "reference": "5", "example": "V"}
    assert (other["kind"], other["right"]) == ("off by one", False)
    _, found, _ = run_json(capsys, "calibrate", "--judge", judge, "--traps", path)
    assert {group["name"]: group["agreement"]["n"] for group in found["judges"][0]["groups"]} == {
        "roman": 3,
        "off by one": 3,
    }
