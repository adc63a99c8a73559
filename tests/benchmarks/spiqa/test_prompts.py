"""SPIQA's prompts read as the paper prints them."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from spiqa_tasks.benchmarks.prompting import Part, Picture, plain_text
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.prompts import (
    CAPTION,
    INSTRUCTIONS,
    SMALL_FOLDER,
    conversations,
    prompt,
    shown_picture,
    wording,
)
from spiqa_tasks.benchmarks.spiqa.release import SpiqaSettings
from spiqa_tasks.cli import main
from spiqa_tasks.files.atomic import cache_folder


def outline(row: dict[str, Any]) -> str:
    """The prompt as one text, pictures as <file>."""
    names = {figure["path"]: f"<{figure['file']}>" for figure in row["figures"]}
    return "".join(names[part.path] if isinstance(part, Picture) else part for part in prompt(row))


def test_a_figure_shown_alone_precedes_its_question() -> None:
    """One figure a prompt, the picture first: whether it helps, then for an answer (released
    open-model scripts).
    """
    helpful, answer = load_rows("spiqa", "demo", "setting=perfigure")[:2]
    file, caption = helpful["figures"][0]["file"], helpful["figures"][0]["caption"]
    assert (
        outline(helpful)
        == f"<{file}>Caption: {caption}. Is the input image and caption helpful to answer the"
        f" following question. Answer in one word - Yes or No. Question: {helpful['question']}. "
    )
    assert (
        outline(answer)
        == f"<{file}>Caption: {caption}. Please provide a brief answer to the following question"
        f" after looking into the input image and caption. Question: {answer['question']}."
    )


def test_what_is_filled_in_is_never_read_as_a_field() -> None:
    """A question that contains a field's name keeps it."""
    row = load_rows("spiqa", "demo", "setting=fullpaper,ablation=text")[0]
    text = plain_text(prompt({**row, "question": "What is <text>?", "full_text": "A <question>."}))
    assert "Question: What is <text>?. " in text
    assert "Paragraphs from the paper: A <question>.: " in text


@pytest.fixture
def wide(tmp_path: Path) -> str:
    """A picture that is no square."""
    path = tmp_path / "wide.png"
    Image.new("RGB", (40, 20), "red").save(path)
    return str(path)


@pytest.mark.parametrize(("resolution", "side"), [("224px", 224), ("50", 50)])
def test_another_resolution_is_a_square_in_the_cache(wide: str, resolution: str, side: int) -> None:
    """Whatever the picture's shape; made once for a file as it is, and again for a changed one."""
    settings = SpiqaSettings(resolution=resolution)
    square = Path(shown_picture(wide, settings))
    with Image.open(square) as image:
        assert (image.size, image.getpixel((0, 0))) == ((side, side), (255, 0, 0))
    assert square.is_relative_to(cache_folder() / f"{side}px")
    assert (square.parent.name, square.suffix, len(square.stem)) == (square.stem[:2], ".png", 24)
    Image.new("RGB", (8, 8), "blue").save(square)
    assert shown_picture(wide, settings) == str(square)
    with Image.open(square) as image:
        assert image.size == (8, 8)
    Image.new("RGB", (41, 20), "red").save(wide)
    assert shown_picture(wide, settings) != str(square)


def test_a_palette_is_no_obstacle_to_smooth_squares(tmp_path: Path) -> None:
    """Its colours are mixed; PIL would take the nearest pixel of a picture with a palette."""
    path = tmp_path / "palette.png"
    colours = Image.effect_noise((64, 48), 80).convert("RGB").quantize(16)
    colours.save(path)
    with Image.open(shown_picture(str(path), SpiqaSettings(resolution="16"))) as square:
        shown = square.convert("RGB").tobytes()
    assert shown == colours.convert("RGB").resize((16, 16), Image.Resampling.BICUBIC).tobytes()


def test_the_releases_own_small_pictures_stay_as_they_are(wide: str, tmp_path: Path) -> None:
    """Where they are wanted; another size is made of them."""
    small = tmp_path / f"SPIQA{SMALL_FOLDER}" / "a.png"
    small.parent.mkdir()
    Path(wide).rename(small)
    assert shown_picture(str(small), SpiqaSettings(resolution="224px")) == str(small)
    assert shown_picture(str(small), SpiqaSettings(resolution="50")) != str(small)


def test_grey_pictures_have_the_size_that_would_be_shown(wide: str) -> None:
    """That of the file, or of the square."""
    for resolution, size in (("full", (40, 20)), ("30", (30, 30))):
        with Image.open(
            shown_picture(wide, SpiqaSettings(resolution=resolution, ablation="grey"))
        ) as image:
            assert (image.size, image.convert("RGB").getpixel((0, 0))) == (size, (128, 128, 128))


def asked(setting: str, *paths: str) -> list[Part]:
    """Return the prompt of a question with a figure for each path."""
    figures = [{"path": path, "caption": f"c{place}"} for place, path in enumerate(paths)]
    own = {"question": "Why?", "full_text": "T", "step": "answer", "settings": f"setting={setting}"}
    return prompt({**own, "figures": figures})


def test_the_whole_prompt_of_each_setting(wide: str) -> None:
    """A figure without a path leaves its picture and its number out, but not its caption."""
    picture = Picture(wide)
    direct = INSTRUCTIONS["direct"].replace("<question>", "Why?")
    assert asked("direct", wide, "", wide) == [
        *(direct, "Image 0: ", picture, "Caption 0: c0 \n\n", "Caption 1: c1 \n\n"),
        *("Image 2: ", picture, "Caption 2: c2 \n\n"),
    ]
    assert asked("nocaption", wide) == [
        INSTRUCTIONS["nocaption"].replace("<question>", "Why?"),
        "Image 0: ",
        picture,
    ]
    assert asked("captiononly", "") == [
        INSTRUCTIONS["captiononly"].replace("<question>", "Why?"),
        "Caption 0: c0 \n\n",
    ]
    whole = INSTRUCTIONS["fullpaper"].replace("<question>", "Why?").replace("<text>", "T")
    assert asked("fullpaper", "") == [whole, "Caption 0: c0 \n\n"]
    alone = INSTRUCTIONS["answer"].replace("<caption>", "c0").replace("<question>", "Why?")
    assert asked("perfigure", wide) == [picture, alone]
    assert asked("perfigure", "") == ["", alone]
    assert wording("perfigure") == INSTRUCTIONS["helpful"] + INSTRUCTIONS["answer"]
    assert wording("cot") == INSTRUCTIONS["cot"]


@pytest.mark.parametrize("settings", ["setting=perfigure,figures=referred", "setting=direct"])
def test_exported_conversations_load_with_datasets(tmp_path: Path, settings: str) -> None:
    """One conversation per question that ends in its answer, each picture there and marked in
    the text.
    """
    import datasets

    path = tmp_path / "out.jsonl"
    arguments = ["export", "spiqa_demo", "--settings", settings, "--captions", "--output"]
    assert main([*arguments, str(path)]) == 0
    loaded = datasets.load_dataset(
        "json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache")
    )
    rows = {row["question_id"]: row for row in load_rows("spiqa", "demo", "ablation=text")}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    questions = {}
    for line in lines:
        pictures = [line["image"]] if isinstance(line["image"], str) else line["image"]
        texts = [turn["value"] for turn in line["conversations"]]
        assert texts[0].count("<image>") == len(pictures)
        assert all(Path(picture).is_file() for picture in pictures)
        if "/" in line["id"]:
            questions["/".join(line["id"].split("/")[:2])] = texts[-1]
    assert len(loaded) == len(lines) > len(rows)
    assert questions == {key: row["answer"] for key, row in rows.items()}


def row(folder: Path, **fields: Any) -> dict[str, Any]:
    """A question with two figures, of which the answer needs the first."""
    figures = [
        {"path": str(folder / f"{name}.png"), "file": f"{name}.png", "caption": f"{name}."}
        for name in "ab"
    ]
    own = {
        "id": "p/0",
        "question": "Why?",
        "answer": "So.",
        "full_text": "",
        "step": "",
        "referred": [0],
    }
    return {**own, "figures": figures, "settings": "setting=direct", **fields}


QUESTION = (
    "You are given a question, a few input images, and a caption corresponding to each input image."
    " Please answer the question based on the input images and corresponding captions. Question:"
    " Why?. Output in the following format: {'Answer': 'Direct Answer to the Question'}. \nImage 0:"
    " <image>\nCaption 0: a. \n\nImage 1: <image>\nCaption 1: b. \n\n"
)


def test_a_conversation_is_the_prompt_and_the_answer(tmp_path: Path) -> None:
    """With the pictures in their order."""
    paths = [f"{tmp_path}/a.png", f"{tmp_path}/b.png"]
    assert list(conversations([row(tmp_path)])) == [
        {
            "id": "p/0",
            "image": paths,
            "conversations": [
                {"from": "human", "value": QUESTION},
                {"from": "gpt", "value": "So."},
            ],
        }
    ]


def test_captions_are_conversations_of_their_own(tmp_path: Path) -> None:
    """Of every figure shown, once; those without a caption or a picture have none."""
    rows = [row(tmp_path), row(tmp_path, id="p/1")]
    rows[1]["figures"] += [
        {"path": f"{tmp_path}/c.png", "file": "c.png", "caption": ""},
        {"path": "", "file": "d.png", "caption": "d."},
        {"path": f"{tmp_path}/e.png", "file": "e.png", "caption": "e."},
    ]
    found = list(conversations(rows, captions=True))
    assert [each["id"] for each in found] == ["p/0", "a.png", "b.png", "p/1", "e.png"]
    assert found[1] == {
        "id": "a.png",
        "image": [f"{tmp_path}/a.png"],
        "conversations": [
            {"from": "human", "value": f"<image>\n{CAPTION}"},
            {"from": "gpt", "value": "a."},
        ],
    }
