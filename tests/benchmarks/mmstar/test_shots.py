"""The two solved questions before each question of an LLM base."""

from __future__ import annotations

import json
from pathlib import Path

from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.benchmarks.mmstar.shots import SHOTS, own_answer
from spiqa_tasks.benchmarks.registry import load_rows


def test_shots_are_well_formed_and_differ() -> None:
    """The answers are options, and the two letters are not the same."""
    assert len(SHOTS) == len({letter for _, letter in SHOTS}) == 2
    assert all(letter in read_options(question) for question, letter in SHOTS)


def test_shots_are_no_questions_of_mmstar(real_data: Path) -> None:
    """Neither shot is among the released questions or ours."""
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    stems = {json.loads(line)["question"].split("\n")[0].lower() for line in lines}
    stems |= {row["question"].split("\n")[0].lower() for row in load_rows("mmstar", "demo", "ablation=text")}
    assert not stems & {question.split("\n")[0].lower() for question, _ in SHOTS}


def test_what_a_model_goes_on_to_write_is_cut_at_the_blank_line_before_it() -> None:
    """A response with nothing before further questions is left whole, and so is one without them."""
    further = "\n\nWhich?\nOptions: A: 1, B: 2, C: 3, D: 4\nAnswer: D"
    assert own_answer("It is B." + further) == "It is B."
    assert own_answer("B\n\nbecause." + further) == "B\n\nbecause."
    assert own_answer(further) == further
    assert own_answer("B\n\nbecause.") == "B\n\nbecause."
