"""SPIQA's prompts read as the paper prints them."""

from __future__ import annotations

from typing import Any

import pytest

from spiqa_tasks.benchmarks.prompting import Picture, plain_text
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.prompts import INSTRUCTIONS, prompt, wording


def outline(row: dict[str, Any]) -> str:
    """The prompt as one text, pictures as <file>."""
    names = {figure["path"]: f"<{figure['file']}>" for figure in row["figures"]}
    return "".join(names[part.path] if isinstance(part, Picture) else part for part in prompt(row))


def test_spiqa_direct_prompt_is_the_released_wording() -> None:
    """Instruction with question and format, then image and caption in turn, numbered from 0."""
    row = load_rows("spiqa", "demo", "setting=direct")[0]
    text = outline(row)
    start = (
        "You are given a question, a few input images, and a caption corresponding to each input image. Please answer "
        f"the question based on the input images and corresponding captions. Question: {row['question']}. "
        "Output in the following format: {'Answer': 'Direct Answer to the Question'}. \n"
    )
    first, second = row["figures"][:2]
    assert text.startswith(
        start
        + f"Image 0: <{first['file']}>Caption 0: {first['caption']} \n\n"
        + f"Image 1: <{second['file']}>Caption 1: {second['caption']} \n\n"
    )
    assert text.count("Caption ") == len(row["figures"])


@pytest.mark.parametrize("setting", ["direct", "fullpaper", "cot", "nocaption", "captiononly"])
def test_every_setting_shows_what_its_name_says(setting: str) -> None:
    """Captions, pictures and the paper's text are there exactly where the setting has them."""
    row = load_rows("spiqa", "demo", f"setting={setting}")[0]
    parts = prompt(row)
    text = outline(row)
    assert any(isinstance(part, Picture) for part in parts) == (setting != "captiononly")
    assert (f"Caption 0: {row['figures'][0]['caption']}" in text) == (setting != "nocaption")
    assert (
        bool(row["full_text"])
        == (f"Paragraphs from the paper: {row['full_text']}: " in text)
        == (setting == "fullpaper")
    )
    assert "<question>" not in text
    assert "<text>" not in text


def test_a_figure_shown_alone_precedes_its_question() -> None:
    """One figure a prompt, the picture first: whether it helps, then for an answer (released open-model scripts)."""
    helpful, answer = load_rows("spiqa", "demo", "setting=perfigure")[:2]
    file, caption = helpful["figures"][0]["file"], helpful["figures"][0]["caption"]
    assert outline(helpful) == (
        f"<{file}>Caption: {caption}. Is the input image and caption helpful to answer the following question. "
        f"Answer in one word - Yes or No. Question: {helpful['question']}. "
    )
    assert outline(answer) == (
        f"<{file}>Caption: {caption}. Please provide a brief answer to the following question after looking into the "
        f"input image and caption. Question: {answer['question']}."
    )


def test_what_is_filled_in_is_never_read_as_a_field() -> None:
    """A question that contains a field's name keeps it."""
    row = load_rows("spiqa", "demo", "setting=fullpaper,ablation=text")[0]
    text = plain_text(prompt({**row, "question": "What is <text>?", "full_text": "A <question>."}))
    assert "Question: What is <text>?. " in text
    assert "Paragraphs from the paper: A <question>.: " in text


def test_each_setting_has_a_hash_of_its_own() -> None:
    """Six wordings, six hashes."""
    assert len({wording(name) for name in (*INSTRUCTIONS, "perfigure")}) == len(INSTRUCTIONS) + 1 == 6
