"""MMStar without images and for LLM bases: what each variant shows."""

from __future__ import annotations

from typing import Any

from PIL import Image

from spiqa_tasks.benchmarks.mmstar.prompts import prompt, template
from spiqa_tasks.benchmarks.mmstar.shots import SHOTS
from spiqa_tasks.benchmarks.prompting import Picture, chat_content, plain_text, visuals
from spiqa_tasks.benchmarks.registry import load_rows

VARIANTS = {
    "": "prompt=letter",
    "_text": "prompt=letter,ablation=text",
    "_grey": "prompt=letter,ablation=grey",
    "_llm": "prompt=letter,ablation=text,shots=2",
}


def rows(variant: str) -> list[dict[str, Any]]:
    """The demo questions of a variant."""
    return load_rows("mmstar", "demo", VARIANTS[variant])


def test_text_shows_the_same_words_and_no_picture() -> None:
    """Chat and simple models get the question alone."""
    for plain, without in zip(rows(""), rows("_text"), strict=True):
        parts = prompt(without)
        assert [part for part in prompt(plain) if not isinstance(part, Picture)] == parts
        assert visuals(parts) == []
        assert chat_content(parts) == [{"type": "text", "text": plain_text(parts)}]


def test_grey_shows_128_at_the_original_size() -> None:
    """Every pixel is the one grey, and the picture is as large as the real one."""
    for plain, grey in zip(rows("")[:3], rows("_grey")[:3], strict=True):
        ((original,), (shown,)) = (visuals(prompt(row)) for row in (plain, grey))
        assert shown.size == original.size
        assert shown.getcolors() == [(shown.width * shown.height, (128, 128, 128))]
        assert isinstance(shown, Image.Image)


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


def test_prompt_hash_is_that_of_the_wording() -> None:
    """The plain question and its ablations have one wording, the shots are another."""
    wordings = {variant: template(rows(variant)[0]) for variant in VARIANTS}
    assert wordings[""] == wordings["_text"] == wordings["_grey"]
    assert wordings["_llm"] != wordings[""]
