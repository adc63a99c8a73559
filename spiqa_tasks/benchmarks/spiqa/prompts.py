"""SPIQA's prompts in the released wordings (paper section 3.1, Figure 1, section 5.3), and as
fine-tuning samples.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from PIL import Image

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.benchmarks.prompting import Part, Picture, ablated_pictures
from spiqa_tasks.benchmarks.spiqa.release import SMALL, STEPS, SpiqaSettings, settings_of
from spiqa_tasks.files.archives import unpacked
from spiqa_tasks.files.atomic import cache_folder
from spiqa_tasks.files.pictures import made_once, open_picture, version_digest

# Parts that the released prompts share, with the released blanks.
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


def prompt(row: Row) -> list[Part]:
    """Return the instruction, then every figure as `Image i: ` picture `Caption i: ...`, i from 0.

    Figures without a path (caption-only, text ablation) have no picture. `perfigure`: figure and
    prompt of the step.
    """
    settings = settings_of(row)
    is_alone = settings.setting == "perfigure"
    values = {
        "question": row["question"],
        "text": row["full_text"],
        "caption": row["figures"][0]["caption"],
    }
    template = INSTRUCTIONS[row["step"] if is_alone else settings.setting]
    # in one pass: a value is never read as a field
    instruction = re.sub(r"<(question|caption|text)>", lambda field: values[field[1]], template)

    pictures = [_picture(figure["path"], settings) for figure in row["figures"]]
    if is_alone:
        return [pictures[0], instruction]
    parts: list[Part] = [instruction]
    for index, (figure, picture) in enumerate(zip(row["figures"], pictures, strict=True)):
        if picture:
            parts += [f"Image {index}: ", picture]
        if settings.setting != "nocaption":
            parts.append(f"Caption {index}: {figure['caption']} \n\n")
    return parts


def _picture(path: str, settings: SpiqaSettings) -> Part:
    """Return the picture of a figure, '' for one without a path."""
    return Picture(shown_picture(path, settings)) if path else ""


def shown_picture(path: str, settings: SpiqaSettings) -> str:
    """Return the file shown for a row's picture: the figure, resized to a square, or pure grey.

    A member of an archive (`archive::member`) is extracted first; all files are cached. Raises
    DataError: an unreadable picture.
    """
    path = unpacked(path)
    is_as_released = settings.resolution == SMALL and SMALL_FOLDER in path
    if settings.resolution != "full" and not is_as_released:
        path = _square(path, int(settings.resolution.removesuffix("px")))
    return ablated_pictures([path], settings.ablation)[0]


def _square(path: str, side: int) -> str:
    """Return a picture resized to a square, whatever its shape.

    By PIL's bicubic filter of the RGB picture, as in the released scripts of the open models.
    Gemini's resize by OpenCV (bilinear, not antialiased); those of the other closed models do not.
    """
    name = version_digest([path])
    square = cache_folder() / f"{side}px" / name[:2] / f"{name}.png"
    bicubic = Image.Resampling.BICUBIC
    return made_once(square, lambda: open_picture(path).resize((side, side), bicubic))


def wording(setting: str) -> str:
    """Return the template of a setting's prompts, for the signature."""
    return "".join(INSTRUCTIONS[name] for name in (STEPS if setting == "perfigure" else (setting,)))


# Ours: the paper does not print the prompt of its training on captions (Table B.2).
CAPTION = "Provide a caption for this figure of a scientific paper."


def conversations(rows: Iterable[Row], captions: bool = False) -> Iterator[dict[str, Any]]:
    """Yield one conversation per row for fine-tuning, in LLaVA's format (section 5.1).

    Rows of `perfigure` are taken if they ask for an answer to a referred figure. With `captions`
    each figure and its caption is one, too, once (Table B.2).
    """
    shown: set[str] = set()
    for row in rows:
        settings = settings_of(row)
        is_alone = settings.setting == "perfigure"
        if row["step"] in ("", "answer") and row["referred"]:
            yield _conversation(str(row["id"]), prompt(row), row["answer"], is_alone)
        for figure in row["figures"] if captions else ():
            if figure["path"] and figure["caption"] and figure["path"] not in shown:
                shown.add(figure["path"])
                parts = [_picture(figure["path"], settings), CAPTION]
                yield _conversation(figure["file"], parts, figure["caption"], is_alone)


def _conversation(name: str, parts: Sequence[Part], answer: str, is_alone: bool) -> dict[str, Any]:
    """Return a question and its answer; `image` is a list of paths unless each figure is alone:
    a file has one form, as `datasets` needs.
    """
    pictures = []
    question = ""
    for part in parts:
        if isinstance(part, Picture):
            pictures.append(part.path)
            question += "<image>\n"
        else:
            question += str(part)
    turns = [{"from": "human", "value": question}, {"from": "gpt", "value": answer}]
    image = pictures[0] if is_alone else pictures
    return {"id": name, "image": image, "conversations": turns}
