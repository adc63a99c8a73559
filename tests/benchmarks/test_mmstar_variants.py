"""MMStar without images and for LLM bases: what each variant shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from spiqa_tasks.benchmarks.choice.prompts import prompt, template
from spiqa_tasks.benchmarks.choice.records import choice_records
from spiqa_tasks.benchmarks.mmstar.shots import SHOTS
from spiqa_tasks.benchmarks.prompting import Picture, chat_content, plain_text, visuals
from spiqa_tasks.benchmarks.loading import load_rows
from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.catalogue import catalogue

VARIANTS = {
    "": "prompt=letter",
    "_text": "prompt=letter,ablation=text",
    "_grey": "prompt=letter,ablation=grey",
    "_llm": "prompt=letter,ablation=text,shots=2",
}


def rows(variant: str) -> list[dict[str, Any]]:
    """The demo questions of a variant."""
    return load_rows("mmstar", "demo", VARIANTS[variant])


@pytest.mark.parametrize("name", ["mmstar_filtered", "mmstar_demo"])
def test_yamls_have_these_settings(name: str) -> None:
    """Each variant is a YAML of the same split with its settings."""
    tasks, _ = catalogue()
    assert {suffix: tasks[name + suffix].settings for suffix in VARIANTS} == VARIANTS
    assert {tasks[name + suffix].split for suffix in VARIANTS} == {"val" if name == "mmstar_filtered" else "demo"}


def test_text_shows_the_same_words_and_no_picture() -> None:
    """Chat and simple models get the question alone."""
    for plain, without in zip(rows(""), rows("_text"), strict=True):
        parts = prompt(without)
        assert [part for part in prompt(plain) if not isinstance(part, Picture)] == parts
        assert visuals(parts) == []
        assert chat_content(parts) == [{"type": "text", "text": plain_text(parts)}]


def test_grey_shows_128_at_the_original_size() -> None:
    """Every pixel is the one grey, and the signature says which."""
    for plain, grey in zip(rows("")[:3], rows("_grey")[:3], strict=True):
        ((original,), (shown,)) = (visuals(prompt(row)) for row in (plain, grey))
        assert shown.size == original.size
        assert shown.getcolors() == [(shown.width * shown.height, (128, 128, 128))]
        assert isinstance(shown, Image.Image)
        assert "grey:128 at the original size" in choice_records(grey, "A")["accuracy"]["signature"]
        assert "grey:" not in choice_records(plain, "A")["accuracy"]["signature"]


def test_llm_bases_get_two_solved_questions_first() -> None:
    """Both shots with their answers, in one order, then the question, which ends in `Answer:`."""
    for row in rows("_llm"):
        (text,) = prompt(row)
        assert isinstance(text, str)
        first, second, last = text.split("\n\n")
        for shot, (question, letter) in zip((first, second), SHOTS, strict=True):
            assert shot.startswith(question)
            assert shot.endswith(f"\nAnswer: {letter}")
        assert last.startswith(row["question"])
        assert last.endswith("directly.\nAnswer:")


def test_shots_are_well_formed_and_differ() -> None:
    """The answers are options, and the two letters are not the same."""
    assert len(SHOTS) == len({letter for _, letter in SHOTS}) == 2
    assert all(letter in read_options(question) for question, letter in SHOTS)


def test_shots_are_no_questions_of_mmstar(real_data: Path) -> None:
    """Neither shot is among the released questions or ours."""
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    stems = {json.loads(line)["question"].split("\n")[0].lower() for line in lines}
    stems |= {row["question"].split("\n")[0].lower() for row in rows("")}
    assert not stems & {question.split("\n")[0].lower() for question, _ in SHOTS}


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("B\n\nWhich of these is blue?\nOptions: A: sky, B: grass, C: sun, D: coal\nAnswer: A\n\n", "B"),
        ("B", "B"),
        ("The picture is missing, but it should be so.\n\nThe answer is C.", "C"),
        ("\n\nWhich of these?\nOptions: A: 1, B: 2, C: 3, D: 4\nAnswer: D", "D"),
    ],
)
def test_questions_that_a_base_model_goes_on_to_write_are_not_its_answer(response: str, letter: str) -> None:
    """Where no stop string ends a base model's answer, its first letter counts, not those of its own questions."""
    assert choice_records(rows("_llm")[0], response)["accuracy"]["letter"] == letter


def test_prompt_hash_is_that_of_the_wording() -> None:
    """The plain question and its ablations have one wording, the shots are another."""
    wordings = {variant: template(rows(variant)[0]) for variant in VARIANTS}
    assert wordings[""] == wordings["_text"] == wordings["_grey"]
    assert wordings["_llm"] != wordings[""]


def test_other_numbers_of_shots_are_refused() -> None:
    """There are two shots or none."""
    with pytest.raises(InputError, match="shots to be one of 0, 2"):
        load_rows("mmstar", "demo", "shots=1")
