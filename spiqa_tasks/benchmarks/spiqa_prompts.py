"""SPIQA's prompts: the released wordings (paper section 3.1 and Figure 1; ablations of section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.prompting import Part, Picture, prompt_hash

_FORMAT = "Output in the following format: {'Answer': 'Direct Answer to the Question'}. \n"
_GIVEN_FIGURES = "You are given a question, a few input images, and a caption corresponding to each input image. "
_FROM_FIGURES = "Please answer the question based on the input images and corresponding captions. Question: "

INSTRUCTIONS: dict[str, str] = {
    "direct": _GIVEN_FIGURES + _FROM_FIGURES + "<question>. " + _FORMAT,
    "fullpaper": (
        "You are given a question, paragraphs from a scientific paper, a few input images, and a caption corresponding "
        "to each input image. Please answer the question based on the paper, input images and corresponding captions. "
        "Question: <question>. " + _FORMAT + "Paragraphs from the paper: <text>: "
    ),
    "cot": (
        _GIVEN_FIGURES + "First, please determine which image and corresponding caption is most helpful to answer the "
        "question, and briefly explain why. Next, please generate a direct answer to the question. "
        "Question: <question>. First output which image is helpful in the following format: {'Image': A, 'Rationale': "
        "'Very Brief Explanation on Why Image A is helpful'} where A is the image number. Next, answer the question as "
        "The answer is : <Your Answer>. \n"
    ),
    "nocaption": (
        "You are given a question, and a few input images. Please answer the question based on the input images. "
        "Question: <question>. " + _FORMAT
    ),
    "captiononly": (
        "You are given a question, and a few input captions. Please answer the question based on the input captions. "
        "Question: <question>. " + _FORMAT
    ),
}
"""Setting -> instruction; `<question>` and `<text>` are filled in. The figures follow it."""


def prompt(row: Mapping[str, Any], setting: str) -> list[Part]:
    """The prompt of a row: the instruction, then every figure as `Image i: ` picture `Caption i: ...`, i from 0.

    A figure without a path (caption-only, text ablation) leaves its picture out.
    """
    instruction = INSTRUCTIONS[setting]
    before, _, after = instruction.partition("<question>")
    parts: list[Part] = [before + row["question"] + after.replace("<text>", row["full_text"], 1)]
    for index, figure in enumerate(row["figures"]):
        if figure["path"]:
            parts += [f"Image {index}: ", Picture(figure["path"])]
        if setting != "nocaption":
            parts.append(f"Caption {index}: {figure['caption']} \n\n")
    return parts


def setting_hash(setting: str) -> str:
    """The hash of a setting's instruction, for the signature."""
    return prompt_hash(INSTRUCTIONS[setting])
