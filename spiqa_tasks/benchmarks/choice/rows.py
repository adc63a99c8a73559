"""The row that both multiple-choice benchmarks share.

{id, question, letters, options, answer, images, category, subcategory, benchmark, split, prompt, settings,
data}: `letters` and `options` are parallel lists, `images` are paths in the order shown, `prompt` a prompt's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from spiqa_tasks.errors import DataError

Row = dict[str, Any]


def check_answer(row_id: str, answer: Any, letters: Sequence[str]) -> str:
    """The answer letter of a row.

    Raises:
        DataError: no letter, or not one of the row's options.
    """
    if answer not in letters:
        raise DataError(
            f"Expected the answer of question {row_id} to be one of its options {', '.join(letters)}; "
            f"found {answer!r}. Fetch the file again."
        )
    return str(answer)


def slug(name: str) -> str:
    """A category name as the part of a metric name after the slash: `science & technology` -> `science_technology`."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._")
