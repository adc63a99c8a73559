"""SPIQA's prompts in the released wordings (paper section 3.1, Figure 1, section 5.3), and as
fine-tuning samples.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from PIL import Image

from spiqa_tasks.benchmarks.prompting import Part, Picture
from spiqa_tasks.benchmarks.spiqa.settings import SMALL, STEPS, SpiqaSettings, settings_of
from spiqa_tasks.files.archives import unpacked
from spiqa_tasks.files.atomic import cache_folder
from spiqa_tasks.files.pictures import ablated_pictures, open_picture, save_png

_FORMAT = "Output in the following format: {'Answer': 'Direct Answer to the Question'}. \n"
_GIVEN_FIGURES = (
    "You are given a question, a few input images, and a caption corresponding to each input"
    " image. "
)
_FROM_FIGURES = (
    "Please answer the question based on the input images and corresponding captions. Question: "
)

# Setting -> instruction, which the figures follow; step of `perfigure` -> prompt after the figure
# (released open-model scripts). Fields are `<question>`, `<text>` and `<caption>`.
INSTRUCTIONS: dict[str, str] = {
    "direct": _GIVEN_FIGURES + _FROM_FIGURES + "<question>. " + _FORMAT,
    "fullpaper": (
        "You are given a question, paragraphs from a scientific paper, a few input images, and a"
        " caption corresponding to each input image. Please answer the question based on the paper,"
        " input images and corresponding captions. Question: <question>. "
        + _FORMAT
        + "Paragraphs from the paper: <text>: "
    ),
    "cot": (
        _GIVEN_FIGURES
        + "First, please determine which image and corresponding caption is most helpful to answer"
        " the question, and briefly explain why. Next, please generate a direct answer to the"
        " question. Question: <question>. First output which image is helpful in the following"
        " format: {'Image': A, 'Rationale': 'Very Brief Explanation on Why Image A is helpful'}"
        " where A is the image number. Next, answer the question as The answer is : <Your"
        " Answer>. \n"
    ),
    "nocaption": (
        "You are given a question, and a few input images. Please answer the question based on the"
        " input images. Question: <question>. " + _FORMAT
    ),
    "captiononly": (
        "You are given a question, and a few input captions. Please answer the question based on"
        " the input captions. Question: <question>. " + _FORMAT
    ),
    "helpful": (
        "Caption: <caption>. Is the input image and caption helpful to answer the following"
        " question. Answer in one word - Yes or No. Question: <question>. "
    ),
    "answer": (
        "Caption: <caption>. Please provide a brief answer to the following question after looking"
        " into the input image and caption. Question: <question>."
    ),
}

# Suffix of the release's archives of small pictures.
SMALL_FOLDER = f"_Images_{SMALL}"


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """Return the instruction, then every figure as `Image i: ` picture `Caption i: ...`, i from 0.

    Figures without a path (caption-only, text ablation) have no picture. `perfigure`: figure and
    prompt of the step.
    """
    settings = settings_of(row)
    pictures = [
        Picture(shown_picture(figure["path"], settings)) if figure["path"] else ""
        for figure in row["figures"]
    ]
    values = {
        "question": row["question"],
        "text": row["full_text"],
        "caption": row["figures"][0]["caption"],
    }
    template = INSTRUCTIONS[row["step"] if settings.setting == "perfigure" else settings.setting]
    # in one pass: a value is never read as a field
    instruction = re.sub(r"<(question|caption|text)>", lambda field: values[field[1]], template)
    if settings.setting == "perfigure":
        return [pictures[0], instruction]
    parts: list[Part] = [instruction]
    for index, (figure, picture) in enumerate(zip(row["figures"], pictures, strict=True)):
        if picture:
            parts += [f"Image {index}: ", picture]
        if settings.setting != "nocaption":
            parts.append(f"Caption {index}: {figure['caption']} \n\n")
    return parts


def shown_picture(path: str, settings: SpiqaSettings) -> str:
    """Return the file shown for a row's picture: the figure, resized to a square, or pure grey.

    Cached.

    Squares whatever the figure's shape, by PIL's bicubic filter of the RGB picture, as in the
    released scripts of the open models. Gemini's resize by OpenCV (bilinear, not antialiased);
    those of the other closed models do not. A member of an archive (`archive::member`) is extracted
    first. Raises DataError: an unreadable picture.
    """
    path = unpacked(path)
    if settings.resolution != "full" and not (
        settings.resolution == SMALL and SMALL_FOLDER in path
    ):
        side = int(settings.resolution.removesuffix("px"))
        status = os.stat(path)
        name = hashlib.sha256(f"{path} {status.st_size} {status.st_mtime_ns}".encode()).hexdigest()[
            :24
        ]
        square = cache_folder() / f"{side}px" / name[:2] / f"{name}.png"
        if not square.exists():
            save_png(open_picture(path).resize((side, side), Image.Resampling.BICUBIC), square)
        path = str(square)
    return ablated_pictures([path], settings.ablation)[0]


def wording(setting: str) -> str:
    """Return the template of a setting's prompts, for the signature."""
    return "".join(INSTRUCTIONS[name] for name in (STEPS if setting == "perfigure" else (setting,)))


Form = Literal["llava", "messages"]
CAPTION = "Provide a caption for this figure of a scientific paper."


def conversations(
    rows: Iterable[Mapping[str, Any]], form: Form, captions: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield one conversation per row for fine-tuning, with the picture, question and answer
    (section 5.1).

    Rows of `perfigure` are taken if they ask for an answer to a referred figure. The form is
    `llava` (`image`, a list for several figures, and `conversations` of `from` and `value`) or
    `messages` (`images` and `messages` of `role` and `content`); pictures are `<image>` in the
    text. With `captions` each figure and its caption is one, too, once.
    """
    shown: set[str] = set()
    for row in rows:
        settings = settings_of(row)
        is_single = settings.setting == "perfigure"
        if row["step"] in ("", "answer") and row["referred"]:
            yield _conversation(str(row["id"]), prompt(row), row["answer"], form, is_single)
        for figure in row["figures"] if captions else ():
            if figure["path"] and figure["caption"] and figure["path"] not in shown:
                shown.add(figure["path"])
                parts: list[Part] = [Picture(shown_picture(figure["path"], settings)), CAPTION]
                yield _conversation(figure["file"], parts, figure["caption"], form, is_single)


def _conversation(
    name: str, parts: Sequence[Part], answer: str, form: Form, is_single: bool
) -> dict[str, Any]:
    pictures = [part.path for part in parts if isinstance(part, Picture)]
    texts = (
        f"<image>{chr(10)}" if isinstance(part, Picture) else str(part) for part in parts if part
    )
    question = "".join(texts)
    if form == "llava":
        turns = [{"from": "human", "value": question}, {"from": "gpt", "value": answer}]
        return {"id": name, "image": pictures[0] if is_single else pictures, "conversations": turns}
    turns = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return {"id": name, "images": pictures, "messages": turns}
