"""SPIQA's prompts: the released wordings (paper section 3.1 and Figure 1; ablations of section 5.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.prompting import Part, Picture, prompt_hash
from spiqa_tasks.benchmarks.spiqa.pictures import shown_picture
from spiqa_tasks.benchmarks.spiqa.settings import settings_of

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


PER_FIGURE: dict[str, str] = {
    "helpful": (
        "Caption: <caption>. Is the input image and caption helpful to answer the following question. Answer in one "
        "word - Yes or No. Question: <question>. "
    ),
    "answer": (
        "Caption: <caption>. Please provide a brief answer to the following question after looking into the input "
        "image and caption. Question: <question>."
    ),
}
"""The two prompts of a figure that is shown alone (released open-model scripts); the picture comes first."""


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """The prompt of a row: the instruction, then every figure as `Image i: ` picture `Caption i: ...`, i from 0.

    A figure without a path (caption-only, text ablation) leaves its picture out. `perfigure` shows the row's one
    figure, then the prompt of its step.
    """
    settings = settings_of(row)
    setting = settings.setting
    pictures = [Picture(shown_picture(figure["path"], settings)) if figure["path"] else "" for figure in row["figures"]]
    if setting == "perfigure":
        template = PER_FIGURE[row["step"]]
        return [pictures[0], _filled(template, {"caption": row["figures"][0]["caption"], "question": row["question"]})]
    instruction = _filled(INSTRUCTIONS[setting], {"question": row["question"], "text": row["full_text"]})
    parts: list[Part] = [instruction]
    for index, (figure, picture) in enumerate(zip(row["figures"], pictures, strict=True)):
        if picture:
            parts += [f"Image {index}: ", picture]
        if setting != "nocaption":
            parts.append(f"Caption {index}: {figure['caption']} \n\n")
    return parts


def setting_hash(setting: str) -> str:
    """The hash of a setting's wording, for the signature."""
    return prompt_hash("".join(PER_FIGURE.values()) if setting == "perfigure" else INSTRUCTIONS[setting])


def _filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its `<name>` fields filled in; what is filled in is never read as a field."""
    return re.sub(r"<(question|caption|text)>", lambda field: values[field[1]], template)
