"""Questions of SciFIBench read from a table of answers that has them, where the release is not installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spiqa_tasks.benchmarks.choice.rows import Row, check_answer
from spiqa_tasks.benchmarks.scifibench.settings import SciFIBenchSettings
from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.errors import InputError

LETTERS = "ABCDE"


def from_table(table: Sequence[Mapping[str, str]], split: str, settings: SciFIBenchSettings, data: str) -> list[Row]:
    """Return one row per question of a table, with what scoring needs of it.

    Args:
        table: its rows, with `id`, `question`, `answer` and the options in `A` to `E` (figures have none).
        split: the task's.
        settings: the task's.
        data: digest of the table.

    Raises:
        InputError: a task whose answers cannot be scored without the release.
        DataError: an answer that is no option.
    """
    if settings.mark != "none" or settings.prompt == "caption":
        raise InputError("Expected SciFIBench's release for mark=... and prompt=caption, found none. Fetch it.")
    return [
        {
            "id": cells["id"],
            "question": cells["question"],
            "asked": cells["question"],
            "letters": list(LETTERS),
            "options": [cells.get(letter, "") for letter in LETTERS],
            "answer": check_answer(cells["id"], cells["answer"].strip(), LETTERS),
            "images": [],
            "texts": [],
            "caption": "",
            "category": cells.get("category", ""),
            "subcategory": "cap2fig" if "cap2fig" in split else "fig2cap",
            "benchmark": "scifibench",
            "split": split,
            "prompt": settings.prompt,
            "marked": "",
            "ignore": settings.ignore,
            "shots": [],
            "settings": settings_text(settings),
            "data": data,
        }
        for cells in table
    ]
