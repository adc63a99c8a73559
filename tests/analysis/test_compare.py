"""Comparisons of runs, against the host's own function for `--baseline` and against counts by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from host_files import write_demo_run

from spiqa_tasks.analysis.compare import compared_places
from spiqa_tasks.cli import main
from spiqa_tasks.errors import InputError


@pytest.fixture
def places(tmp_path: Path) -> list[Path]:
    """Run a is right on every second question, b on the first 18 of 24, c on all."""
    right: dict[str, Callable[[int], bool]] = {
        "a": lambda place: place % 2 == 0,
        "b": lambda place: place < 18,
        "c": lambda _: True,
    }
    return [
        write_demo_run(tmp_path / name, name, lambda place, row, right=each: row["answer"] if right(place) else "E")
        for name, each in right.items()
    ]


def compare(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> list[dict[str, Any]]:
    """What `compare --json` prints."""
    assert main(["compare", *map(str, arguments), "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_difference_interval_and_p_are_those_of_the_hosts_baseline(
    places: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """On unclustered questions both compute the paired t-test."""
    from lmms_eval.api.metrics import paired_ttest

    (found,) = compare(capsys, *places[:2])
    a = [float(place % 2 == 0) for place in range(24)]
    b = [float(place < 18) for place in range(24)]
    expected = paired_ttest(b, a)
    difference = found["difference"]
    assert difference["mean"] == pytest.approx(expected["mean_diff"])
    assert (difference["low"], difference["high"]) == pytest.approx((expected["ci_lower"], expected["ci_upper"]))
    assert difference["p"] == pytest.approx(expected["p_value"])


def test_won_and_lost_are_named(places: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """b wins the odd questions below 18 and loses the even ones from there."""
    (found,) = compare(capsys, *places[:2])
    assert found["won"] == [str(place) for place in range(1, 18, 2)]
    assert found["lost"] == ["18", "20", "22"]
    assert (found["score_a"], found["score_b"]) == (0.5, 0.75)


def test_several_runs_are_compared_in_pairs_with_corrected_p_values(
    places: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Three runs make three pairs; the smallest p-value is multiplied by three."""
    found = compare(capsys, *places)
    names = [(each["a"][-1], each["b"][-1]) for each in found]
    assert names == [("a", "b"), ("a", "c"), ("b", "c")]
    smallest = min(found, key=lambda each: each["difference"]["p"])
    assert smallest["p_corrected"] == pytest.approx(3 * smallest["difference"]["p"])


def test_partial_runs_are_compared_on_what_both_answered(
    places: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten questions of one run are compared with the same ten of the other, and the rest is said to be left out."""
    path = next(places[1].glob("*.jsonl"))
    path.write_text("".join(f"{line}\n" for line in path.read_text().splitlines()[:10]))
    (found,) = compare(capsys, *places[:2])
    assert found["difference"]["n"] == 10
    assert found["warnings"] == ["14 questions have a score in one run only and are left out"]


def test_numbers_made_otherwise_are_compared_with_a_warning(
    places: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Another prompt is named with both hashes."""
    path = next(places[1].glob("*.jsonl"))
    path.write_text(path.read_text().replace("|prompt:", "|prompt:x"))
    (found,) = compare(capsys, *places[:2])
    assert [warning[:17] for warning in found["warnings"]] == ["differ in prompt:"]


def test_the_same_model_at_two_places_is_two_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are told apart by their folders."""
    places = [write_demo_run(tmp_path / name / "m", "m", lambda _, row: row["answer"]) for name in ("one", "two")]
    (found,) = compare(capsys, *places)
    assert found["a"].endswith("(one/m)")
    assert found["b"].endswith("(two/m)")
    assert found["difference"]["p"] == 1.0


def test_one_run_alone_and_no_run_are_one_sentence(places: list[Path], tmp_path: Path) -> None:
    """Both say what was expected, found, and what to do."""
    with pytest.raises(InputError, match="Expected two runs of one task; found mmstar_demo of openai"):
        compared_places(places[:1])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"Expected a result file of lmms-eval or a folder with some.*empty"):
        compared_places([tmp_path / "empty"])
