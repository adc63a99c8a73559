"""SciFIBench's prompts: appendix G.1, I.2 (reasoning) and G.3 (captions), with examples, marks and OCR text.

Where the paper gives no wording (examples, the instruction to ignore a mark, OCR text) it is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.prompting import Part, Picture

_ONLY = "Only provide the letter of the correct {kind} as your answer. "
_FIG2CAP = "Which of the captions best describes the image? Let's think step by step. "
_CAP2FIG = "Which of the images best matches the caption? Let's think step by step. "
_STEPS = " Let's think step by step. "
"""From the authors' README, whose prompt contains the indent of a continued source line."""
CAPTION = (
    "Provide a one sentence caption that describes the figure. Do not include prefixes such as "
    '"The figure shows" or "The plot shows". Include just the caption. Caption:'
)
CLOSINGS: dict[str, dict[str, str]] = {
    "letter": {
        "fig2cap": _FIG2CAP + _ONLY.format(kind="caption") + "Answer:",
        "cap2fig": _CAP2FIG + _ONLY.format(kind="image") + "Answer:",
    },
    "reasoning": {"fig2cap": _FIG2CAP + "\nAnswer:", "cap2fig": _CAP2FIG + "\nAnswer:"},
    "released": {
        "fig2cap": _STEPS + " " * 12 + _ONLY.format(kind="caption") + "Answer: \n",
        "cap2fig": _STEPS + " " * 16 + _ONLY.format(kind="image") + "Answer: \n",
    },
    "caption": {"fig2cap": CAPTION},
}
"""Prompt name -> direction -> the closing text."""
MARK = " <Correct>"
IGNORE = "Ignore the annotation <Correct>.\n"
OCR = "Text found in the image:\n"
NO_TEXT = "(none)"


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """Return the prompt: the examples, each closed by its letter, then the question."""
    parts: list[Part] = []
    for shot in row["shots"]:
        parts += [*_question(row, shot, ""), f" {shot['answer']}\n\n"]
    return [*parts, *_question(row, row, row["marked"])]


def template(row: Mapping[str, Any]) -> str:
    """Return the template of the row's prompt, for the signature."""
    used = [CLOSINGS[row["prompt"]][row["subcategory"]]]
    used += [MARK] if row["marked"] else []
    used += [IGNORE] if row["ignore"] == "yes" else []
    used += [OCR, NO_TEXT] if "ocr=yes" in row["settings"].split(",") else []
    return "".join(used)


def _question(row: Mapping[str, Any], shown: Mapping[str, Any], marked: str) -> list[Part]:
    """Return the figure and the captions, or the figures and the caption, then the question.

    Args:
        shown: the row or one of its examples.
        marked: letter of the caption to mark, or "".
    """
    closing = CLOSINGS[row["prompt"]][row["subcategory"]]
    figures = _figures(shown)
    if row["prompt"] == "caption":
        return [*figures, "\n" if figures else "", closing]
    if row["prompt"] == "released":
        return _released(row["subcategory"], shown, figures, closing)
    if row["subcategory"] == "fig2cap":
        lines = [
            f"{letter}) {text}{MARK if letter == marked else ''}\n"
            for letter, text in zip(shown["letters"], shown["options"], strict=True)
        ]
        ignore = IGNORE if marked and row["ignore"] == "yes" else ""
        return [*figures, "\n" if figures else "", "".join(lines) + ignore + closing]
    parts: list[Part] = []
    for index, letter in enumerate(shown["letters"]):
        parts += [f"{letter}) ", *figures[index : index + 1], "\n"]
    return [*parts, f"{shown['question']}\n{closing}"]


def _released(direction: str, shown: Mapping[str, Any], figures: list[Part], closing: str) -> list[Part]:
    """Return the prompt of the authors' README: the options as Python prints their list, the released question."""
    if direction == "fig2cap":
        options = [f"{letter})  {text}\n" for letter, text in zip(shown["letters"], shown["options"], strict=True)]
        return [*figures, f"{options} {shown['asked']}{closing}"]
    parts: list[Part] = []
    for index, letter in enumerate(shown["letters"]):
        parts += [f"{letter}) ", *figures[index : index + 1]]
    return [*parts, f"{shown['asked']}{closing}"]


def _figures(shown: Mapping[str, Any]) -> list[Part]:
    """Return one part per figure, a picture or its OCR text; [] without pictures."""
    if shown["texts"]:
        return [OCR + (text or NO_TEXT) for text in shown["texts"]]
    return [Picture(path) for path in shown["images"]]
