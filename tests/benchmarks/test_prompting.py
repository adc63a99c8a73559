"""A prompt in the three forms in which hosts want it."""

from __future__ import annotations

from PIL import Image

from spiqa_tasks.benchmarks.prompting import Picture, chat_content, plain_text, prompt_hash, visuals
from spiqa_tasks.benchmarks.registry import benchmark_of, load_rows


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
    parts = benchmark_of(row).prompt(row)
    text = plain_text(parts)
    assert text.startswith("A) [picture] \nB) [picture] \nC) [picture] \n")
    assert text.count("[picture]") == 5
    assert len(visuals(parts)) == 5
    assert "[picture" not in plain_text(["one ", Picture(row["images"][0]), "picture"])


def test_another_wording_has_another_hash() -> None:
    """Eight hexadecimal digits, the same for the same words."""
    assert prompt_hash("a") == prompt_hash("a") != prompt_hash("b")
    assert len(prompt_hash("a")) == 8
    int(prompt_hash("a"), 16)
