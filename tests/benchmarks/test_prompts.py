"""Prompts read as the papers print them, in chat and in plain form."""

from __future__ import annotations

from typing import Any

import pytest
from PIL import Image

from spiqa_tasks.benchmarks import choice_prompts, spiqa_prompts
from spiqa_tasks.benchmarks.prompting import Picture, chat_content, plain_text, visuals
from spiqa_tasks.benchmarks.loading import load_rows


def outline(row: Any, prompt: Any) -> str:
    """The prompt as one text, pictures as <name>."""
    names = {path: f"<{index}>" for index, path in enumerate(row.get("images", []))}
    names |= {figure["path"]: f"<{figure['file']}>" for figure in row.get("figures", [])}
    return "".join(names[part.path] if isinstance(part, Picture) else part for part in prompt)


def test_spiqa_direct_prompt_is_the_released_wording() -> None:
    """Instruction with question and format, then image and caption in turn, numbered from 0."""
    row = load_rows("spiqa", "demo", "setting=direct")[0]
    text = outline(row, spiqa_prompts.prompt(row, "direct"))
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
    parts = spiqa_prompts.prompt(row, setting)
    text = outline(row, parts)
    assert any(isinstance(part, Picture) for part in parts) == (setting != "captiononly")
    assert (f"Caption 0: {row['figures'][0]['caption']}" in text) == (setting != "nocaption")
    assert (
        bool(row["full_text"])
        == (f"Paragraphs from the paper: {row['full_text']}: " in text)
        == (setting == "fullpaper")
    )
    assert "<question>" not in text
    assert "<text>" not in text


def test_scifibench_prompts_have_the_order_of_appendix_g() -> None:
    """Figure, lettered captions, question; lettered figures, caption, question."""
    rows = load_rows("scifibench", "demo", "")
    to_caption = next(row for row in rows if row["subcategory"] == "fig2cap")
    to_figure = next(row for row in rows if row["subcategory"] == "cap2fig")
    options = "".join(f"{letter}) {text}\n" for letter, text in zip("ABCDE", to_caption["options"], strict=True))
    assert outline(to_caption, choice_prompts.prompt(to_caption)) == (
        f"<0>\n{options}Which of the captions best describes the image? Let's think step by step. Only provide the "
        "letter of the correct caption as your answer. Answer:"
    )
    assert outline(to_figure, choice_prompts.prompt(to_figure)) == (
        f"A) <0>\nB) <1>\nC) <2>\nD) <3>\nE) <4>\n{to_figure['question']}\n"
        "Which of the images best matches the caption? Let's think step by step. Only provide the letter of the "
        "correct image as your answer. Answer:"
    )


def test_chat_content_joins_texts_and_gives_pictures_as_asked() -> None:
    """Neighbouring texts are one part; pictures are PIL images in RGB, or paths where the model takes them."""
    row = load_rows("scifibench", "demo", "")[0]
    parts = ["a", "b", Picture(row["images"][0]), "c"]
    content = chat_content(parts)
    assert [part["type"] for part in content] == ["text", "image", "text"]
    assert content[0]["text"] == "ab"
    assert isinstance(content[1]["url"], Image.Image)
    assert content[1]["url"].mode == "RGB"
    assert chat_content(parts, as_path=True)[1]["url"] == row["images"][0]


def test_plain_text_marks_the_place_of_each_of_several_pictures() -> None:
    """Simple models get all pictures first, so a text with several says which picture stands where."""
    row = next(row for row in load_rows("scifibench", "demo", "") if row["subcategory"] == "cap2fig")
    parts = choice_prompts.prompt(row)
    text = plain_text(parts)
    assert text.startswith("The 5 pictures are numbered from 1 in the order given.\nA) [picture 1] \nB) [picture 2] \n")
    assert len(visuals(parts)) == 5
    assert "[picture" not in plain_text(["one ", Picture(row["images"][0]), "picture"])
