"""SciFIBench's four splits in the release's schema, with pictures and captions of our own.

Every question has five pairs of its own; question 1 shares its true caption, and question 2 its
true figure, with question 0. Captions grow and pictures shrink with the question's number.
"""

import io
from pathlib import Path
from typing import Any

import datasets
from PIL import Image

LETTERS = "ABCDE"
CATEGORIES = {
    "CS": ("cs.CV", "cs.LG", "other cs", "cross-list"),
    "General": ("physics", "math", "q-bio", "stat"),
}
FEATURES = datasets.Features(
    {
        "ID": datasets.Value("int64"),
        "Question": datasets.Value("string"),
        "Options": [datasets.Value("string")],
        "Answer": datasets.Value("string"),
        "Category": datasets.Value("string"),
        "Images": [datasets.Image()],
    }
)


def write_release(folder: Path, questions: int) -> None:
    """Write `scifibench/data/<split>-00000-of-00001.parquet` below `folder`."""
    target = folder / "scifibench" / "data"
    target.mkdir(parents=True)
    for subset, categories in CATEGORIES.items():
        for direction in ("Figure2Caption", "Caption2Figure"):
            rows = [
                row(subset, direction, number, categories[number % 4])
                for number in range(questions)
            ]
            data = datasets.Dataset.from_list(rows, features=FEATURES)
            data.to_parquet(target / f"{subset}_{direction}-00000-of-00001.parquet")


def row(subset: str, direction: str, number: int, category: str) -> dict[str, Any]:
    """Return question `number`; its right option is the one at position `number` modulo 5."""
    answer = number % 5
    captions = [caption(subset, number, option, option == answer) for option in range(5)]
    pictures = [picture(subset, number, option, option == answer) for option in range(5)]
    to_figure = direction == "Caption2Figure"
    return {
        "ID": number,
        "Question": (
            f"Caption: {captions[answer]} Which image best matches the caption?"
            if to_figure
            else "Which caption best matches the image?"
        ),
        "Options": [
            f"{letter})" if to_figure else f"{letter})  {captions[i]}"
            for i, letter in enumerate(LETTERS)
        ],
        "Answer": LETTERS[answer],
        "Category": category,
        "Images": pictures if to_figure else [pictures[answer]],
    }


def caption(subset: str, number: int, option: int, true: bool) -> str:
    """Return a caption of 4 + `number` words; the true one of question 1 is that of question 0."""
    if true and number == 1:
        number = 0
        option = 0
    words = " ".join(f"w{number}x{option}" for _ in range(number))
    return f"{subset} loss{number} of method{option} {words}."


def picture(subset: str, number: int, option: int, true: bool) -> dict[str, Any]:
    """Return a picture 60 - `number` wide; the true one of question 2 is that of question 0."""
    if true and number == 2:
        number = 0
        option = 0
    colour = (number * 12, option * 40, 0 if subset == "CS" else 255)
    buffer = io.BytesIO()
    Image.new("RGB", (60 - number, 20), colour).save(buffer, format="PNG")
    return {"bytes": buffer.getvalue(), "path": f"image_{number}_{option}.png"}
