"""Multiple-choice questions: rows, records and metrics.

A row is {id, question, letters, options, answer, images, category, subcategory, benchmark, split,
prompt, settings, data}: `letters` and `options` are parallel lists, `images` are paths in the order
shown, `prompt` names a wording.
"""

import dataclasses
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.benchmarks.metric import mean_of
from spiqa_tasks.benchmarks.record import Record, Response, Status
from spiqa_tasks.errors import DataError
from spiqa_tasks.scoring.mcq import MATCHER_VERSION, extract_choice


def check_answer(row_id: str, answer: Any, letters: Sequence[str]) -> str:
    """Return the answer letter of a row.

    Raises DataError: not the letter of one of the row's options.
    """
    if answer not in letters:
        raise DataError(
            f"Expected the answer of question {row_id} to be one of its options"
            f" {', '.join(letters)}; found {answer!r}. Fetch the file again."
        )
    return str(answer)


def check_unique(ids: Sequence[str], file: str) -> None:
    """Raise DataError if an id occurs twice: answers and scores are found by it."""
    repeated = [row_id for row_id, count in Counter(ids).items() if count > 1]
    if repeated:
        raise DataError(
            f"Expected each question of {file} once, found {len(repeated)} ids more than once "
            f"({repeated[0]}). Fetch the file again."
        )


def slug(name: str) -> str:
    """Return a category as the group of a metric's name: `science & technology` ->
    `science_technology`.
    """
    return re.sub(r"[^\w.-]+", "_", name).strip("._")


# Detail of a record of a choice: the number of its options.
OPTIONS = "options"

# Detail of a record of a choice without a release: letter -> text of its options.
OPTION_TEXTS = "option_texts"

# Detail of a record of a choice: the benchmark that its question is from, if it is another one.
SOURCE = "source"

# Share of answers whose letter, extracted by `extract_choice`, is the true one.
ACCURACY = dataclasses.replace(mean_of("accuracy"), signature={"matcher": MATCHER_VERSION})


def choice_record(
    row: Row, response: Response, groups: Mapping[str, str], **details: Any
) -> Record:
    """Return the record of one response, with its `accuracy`."""
    options = dict(zip(row["letters"], row["options"], strict=True))
    question = str(row.get("question", ""))
    choice = extract_choice(response.text, options, truncated=response.truncated, prompt=question)
    refused = choice.rule == "refusal"
    status: Status = "ok"
    if choice.letter is None:
        status = "refused" if refused else "unparsed"
    return Record(
        row["id"],
        choice.letter,
        reference=row["answer"],
        status=status,
        rule=choice.rule,
        refused=refused,
        scores={"accuracy": float(choice.letter == row["answer"])},
        groups=groups,
        details={OPTIONS: len(options), **details},
    )
