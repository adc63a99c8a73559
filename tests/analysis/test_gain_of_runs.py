"""Whether runs may be compared, and what comes out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gain_files import LLM, TEXT, host_samples, rights, write_triple
from host_files import choice_sample, choice_samples, write_run
from run_command import run_json

from spiqa_tasks.scoring.mcq import released_match

Gain = Callable[..., tuple[int, list[dict[str, Any]], str]]


@pytest.fixture
def gain(capsys: pytest.CaptureFixture[str]) -> Gain:
    """Runs the command: (exit status, records, stderr)."""
    return partial(run_json, capsys, "gain")


def test_authors_case_from_result_files(tmp_path: Path, gain: Gain) -> None:
    """781, 340 and 304 of 1,500 right (52.1, 22.7, 20.3) give MG 29.4 and ML 2.4, overall and in the one group."""
    write_triple(tmp_path, rights(781, 1500), rights(340, 1500), rights(304, 1500))
    status, records, errors = gain(tmp_path)
    assert (status, errors) == (0, "")
    assert [record["group"] for record in records] == ["all", "math"]
    for record in records:
        assert [round(100 * record[name], 1) for name in ("s_v", "s_wv", "s_t", "mg", "ml")] == [
            52.1,
            22.7,
            20.3,
            29.4,
            2.4,
        ]
        assert record["mg_low"] < record["mg"] < record["mg_high"]
    assert (records[0]["task"], records[0]["ablation"]) == ("mmstar_filtered", "text")
    assert (records[0]["model"], records[0]["llm"]) == ("m,pretrained=a", "llm,pretrained=b")


def test_real_predictions_under_the_released_rules(real_data: Path, tmp_path: Path, gain: Gain) -> None:
    """S_v of a real submission is its share of hits, counted by first letters, overall and per capability."""
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    hits = [row["prediction"].strip().lower()[:1] == row["answer"].lower() for row in rows]
    options = {"metric": "accuracy_released"}
    samples = [
        choice_sample(place, released_match(row["prediction"], row["answer"]), row["category"], **options)
        for place, row in enumerate(rows)
    ]
    blind = [choice_sample(place, place % 4 == 0, row["category"], **options) for place, row in enumerate(rows)]
    write_run(tmp_path, "llava", {"mmstar_filtered": samples}, stamp="1")
    write_run(tmp_path, "ablated", {"mmstar_filtered": blind}, "base=llava,ablation=text", stamp="2")
    _, records, _ = gain(tmp_path, "--metric", "accuracy_released")
    by_group = {record["group"]: record for record in records}
    assert len(by_group) == 7
    assert by_group["all"]["s_v"] == pytest.approx(sum(hits) / len(rows))
    assert by_group["all"]["mg"] == pytest.approx((sum(hits) - len(range(0, len(rows), 4))) / len(rows))
    math = [hit for hit, row in zip(hits, rows, strict=True) if row["category"] == "math"]
    assert by_group["math"]["s_v"] == pytest.approx(sum(math) / len(math))


@pytest.mark.parametrize(
    ("options", "count", "message"),
    [
        ({}, 5, r"found 4 and 5, 0 only in the first and 1 only in the second \(such as q4\)"),
        ({"data": "d2"}, 4, "same data .* found mmstar/val@d1 and mmstar/val@d2"),
        ({"prompt": "p2"}, 4, "same prompt .* found p1 and p2"),
        ({"answer": "B"}, 4, r"4 have another text or answer .*\(such as q0, q1, q2\)"),
    ],
)
def test_runs_of_other_questions_are_refused(
    tmp_path: Path, gain: Gain, options: dict[str, str], count: int, message: str
) -> None:
    """Other ids, another data hash, another prompt or another answer: refused, and the message says how."""
    write_run(tmp_path, "m", {"mmstar_filtered": choice_samples(rights(1, 4))}, stamp="1")
    samples = choice_samples(rights(1, count), **options)
    write_run(tmp_path, "m", {"mmstar_filtered_text": samples}, stamp="2", settings=TEXT)
    status, _, errors = gain(tmp_path)
    assert status == 2
    assert re.search(message, errors)


def test_other_text_of_a_host_task_is_refused(tmp_path: Path, gain: Gain) -> None:
    """The marks of pictures may go, any other change of the prompt is refused."""
    lines = host_samples("AB", lambda letter: float(letter == "A"))
    without = [{**line, "input": line["input"].replace("<image>", "")} for line in lines]
    write_run(tmp_path, "m", {"t": lines}, stamp="1")
    write_run(tmp_path, "ablated", {"t": without}, "base=m,ablation=text", stamp="2")
    assert gain(tmp_path)[0] == 0
    write_run(
        tmp_path, "ablated", {"t": [{**line, "input": "other"} for line in lines]}, "base=m,ablation=text", stamp="3"
    )
    status, _, errors = gain(tmp_path)
    assert status == 2
    assert "2 have another text or answer" in errors


def test_other_revision_of_a_host_dataset_is_refused(tmp_path: Path, gain: Gain) -> None:
    """Where the YAMLs name a revision, it must be the same."""
    lines = host_samples("AB", lambda letter: float(letter == "A"))
    write_run(tmp_path, "m", {"t": lines}, stamp="1", revision="a1")
    write_run(tmp_path, "ablated", {"t": lines}, "base=m,ablation=text", stamp="2", revision="b2")
    status, _, errors = gain(tmp_path)
    assert status == 2
    assert "found owner/data@a1 and owner/data@b2" in errors


def test_refusals_are_told_and_warned_of(tmp_path: Path, gain: Gain) -> None:
    """A model that refuses without images has a lower bound of leakage only."""
    write_run(tmp_path, "m", {"mmstar_filtered": choice_samples(rights(8, 20))}, stamp="1")
    blind = [choice_sample(place, False, refused=place < 2) for place in range(20)]
    write_run(tmp_path, "m", {"mmstar_filtered_text": blind}, stamp="2", settings=TEXT)
    llm = [choice_sample(place, False, refused=place < 19) for place in range(20)]
    write_run(tmp_path, "llm", {"mmstar_filtered_llm": llm}, stamp="3", settings=LLM)
    _, records, errors = gain(tmp_path)
    assert [records[0][f"refused_{name}"] for name in ("v", "wv", "t")] == [0.0, 0.1, 0.95]
    assert len(records[0]["warnings"]) == 2
    assert "10% refused without images: S_wv and ML are lower bounds" in errors
    assert "95% of the LLM base's answers are refusals" in errors


def test_failed_requests_withhold_the_numbers(tmp_path: Path, gain: Gain) -> None:
    """More than 1% without an answer: no number; fewer: the others count in all runs."""
    write_triple(tmp_path / "a", [True, None, *[True] * 98], rights(50, 100), None)
    write_triple(tmp_path / "b", [None, None, *[True] * 98], rights(50, 100), None)
    few, many = gain(tmp_path / "a")[1][0], gain(tmp_path / "b")[1][0]
    assert (few["s_v"], few["s_wv"]) == (1.0, pytest.approx(49 / 99))
    assert (many["s_v"], many["mg"]) == (None, None)
    assert "withheld" in many["warnings"][0]


def test_sample_lists(tmp_path: Path, gain: Gain) -> None:
    """The file has every question that the image won or lost or that leaked, and no other."""
    write_triple(tmp_path, [True, False, True, True], [False, True, True, True], [False, False, False, True])
    target = tmp_path / "samples.jsonl"
    gain(tmp_path, "--samples", target)
    found = {line["id"]: line["outcomes"] for line in map(json.loads, target.read_text().splitlines())}
    assert found == {"q0": ["won_by_image"], "q1": ["lost_by_image", "leaked"], "q2": ["leaked"]}


def test_averages_over_tasks(tmp_path: Path, gain: Gain) -> None:
    """Several tasks of one model end in a row of means, as Table 6 has it."""
    for stamp, model, args, shift in (("1", "m", "", 2), ("2", "ablated", "base=m,ablation=text", 1)):
        samples = {"a": choice_samples(rights(shift, 4)), "b": choice_samples(rights(shift + 1, 4))}
        write_run(tmp_path, model, samples, args, stamp=stamp)
    record = gain(tmp_path)[1][-1]
    assert (record["task"], record["s_v"], record["s_wv"], record["mg"]) == ("average", 0.625, 0.375, 0.25)
