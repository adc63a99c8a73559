"""SciFIBench's prompts: appendix G.1, marks, examples, captions, reasoning, OCR."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.definition import CAPTION, CLOSINGS, prompt, template


def shown(row: dict[str, Any]) -> str:
    """The prompt as one text, every picture as <its file name>."""
    return "".join(f"<{p.path.rsplit('/', 1)[-1]}>" if isinstance(p, Picture) else p for p in prompt(row))


@pytest.mark.parametrize("mark", ["correct", "incorrect"])
def test_exactly_one_caption_is_marked(mark: str) -> None:
    """The marked caption's line ends in <Correct>; nothing else differs from the control."""
    for control, row in zip(
        load_rows("scifibench", "demo_fig2cap", ""),
        load_rows("scifibench", "demo_fig2cap", f"mark={mark}"),
        strict=True,
    ):
        line = next(line for line in shown(row).splitlines() if line.startswith(f"{row['marked']}) "))
        assert line.endswith(" <Correct>")
        assert shown(row).count("<Correct>") == 1
        assert shown(row).replace(" <Correct>", "") == shown(control)
        assert row["options"] == control["options"]


def test_instruction_to_ignore_the_mark_precedes_the_question() -> None:
    """The `_ignore` forms differ by one line between the captions and the question."""
    marked = load_rows("scifibench", "demo_fig2cap", "mark=correct")[0]
    ignored = load_rows("scifibench", "demo_fig2cap", "mark=correct,ignore=yes")[0]
    assert shown(ignored) == shown(marked).replace("Which of", "Ignore the annotation <Correct>.\nWhich of")
    assert template(ignored) != template(marked)


def test_captioning_shows_the_figure_and_no_captions() -> None:
    """Appendix G.3: the figure, then the request; no option is given away."""
    row = load_rows("scifibench", "demo_fig2cap", "prompt=caption")[0]
    assert shown(row) == (
        "<0-0.png>\nProvide a one sentence caption that describes the figure. Do not include prefixes such as "
        '"The figure shows" or "The plot shows". Include just the caption. Caption:'
    )


def test_prompt_has_the_text_in_the_place_of_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ocr=yes a model gets no picture but what was read in it, for each figure of a question."""
    monkeypatch.setattr(
        "spiqa_tasks.vision.figure_texts", lambda figures: {digest: Path(path).name for digest, path in figures}
    )
    to_caption = load_rows("scifibench", "demo_fig2cap", "ocr=yes")[0]
    (text,) = prompt(to_caption)[:1]
    assert text == "Text found in the image:\n0-0.png"
    to_figure = load_rows("scifibench", "demo_cap2fig", "ocr=yes")[0]
    assert all(isinstance(part, str) for part in prompt(to_figure))
    start = "A) Text found in the image:\n12-0.png\nB) Text found in the image:\n12-1.png\nC) "
    assert "".join(str(part) for part in prompt(to_figure)).startswith(start)
    assert to_figure["images"] == []


SHOWN: dict[str, Any] = {
    "letters": ["A", "B"],
    "options": ["one", "two"],
    "images": ["a.png"],
    "texts": [],
    "question": "q",
    "asked": "Which?",
    "answer": "B",
}
FIGURES = {**SHOWN, "options": ["", ""], "images": ["a.png", "b.png"], "question": "a caption", "asked": "Which image?"}


def row_of(name: str, shown: dict[str, Any] = SHOWN, **fields: Any) -> dict[str, Any]:
    """A row with a prompt of that name."""
    direction = "cap2fig" if shown["options"] == ["", ""] else "fig2cap"
    own = {"prompt": name, "subcategory": direction, "marked": "", "ignore": "no", "shots": [], "settings": "ocr=no"}
    return {**shown, **own, **fields}


A, B = Picture("a.png"), Picture("b.png")


def test_the_whole_prompt_of_a_direction() -> None:
    """In parts, without pictures too."""
    closing = CLOSINGS["letter"]["fig2cap"]
    assert prompt(row_of("letter")) == [A, "\n", f"A) one\nB) two\n{closing}"]
    assert prompt(row_of("letter", {**SHOWN, "images": []})) == ["", f"A) one\nB) two\n{closing}"]
    marked = prompt(row_of("letter", marked="B", ignore="yes"))
    assert marked[2] == f"A) one\nB) two <Correct>\nIgnore the annotation <Correct>.\n{closing}"
    assert prompt(row_of("letter", ignore="yes"))[2] == f"A) one\nB) two\n{closing}"
    to_figure = f"a caption\n{CLOSINGS['letter']['cap2fig']}"
    assert prompt(row_of("letter", FIGURES)) == ["A) ", A, "\n", "B) ", B, "\n", to_figure]
    assert prompt(row_of("letter", {**FIGURES, "images": []})) == ["A) ", "\n", "B) ", "\n", to_figure]
    read = prompt(row_of("letter", {**FIGURES, "images": [], "texts": ["x", ""]}))
    assert read[1::3] == ["Text found in the image:\nx", "Text found in the image:\n(none)"]
    assert prompt(row_of("caption")) == [A, "\n", CAPTION]
    assert prompt(row_of("caption", {**SHOWN, "images": []})) == ["", CAPTION]


def test_examples_are_closed_by_their_letter() -> None:
    """Each as the question is asked, without its mark."""
    example = {**SHOWN, "images": ["b.png"], "answer": "A"}
    closing = CLOSINGS["letter"]["fig2cap"]
    assert prompt(row_of("letter", shots=[example], marked="A")) == [
        *(B, "\n", f"A) one\nB) two\n{closing}", " A\n\n"),
        *(A, "\n", f"A) one <Correct>\nB) two\n{closing}"),
    ]


def test_the_wording_has_what_stands_in_the_prompt() -> None:
    """The closing, the mark, the instruction to ignore it, and the heading of texts that were read."""
    closing = CLOSINGS["letter"]["fig2cap"]
    assert template(row_of("letter")) == closing
    assert template(row_of("letter", marked="A")) == f"{closing} <Correct>"
    ignored = template(row_of("letter", marked="A", ignore="yes"))
    assert ignored == f"{closing} <Correct>Ignore the annotation <Correct>.\n"
    assert template(row_of("letter", settings="x=1,ocr=yes")) == f"{closing}Text found in the image:\n(none)"
