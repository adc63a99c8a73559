"""Choices in a file with their questions, options and answers, scored without a task."""

from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark, NoSettings, settings_text
from spiqa_tasks.benchmarks.choice import ACCURACY, FAILURE_RATES, choice_record
from spiqa_tasks.benchmarks.free_answers import SPLIT, no_release
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.errors import DataError
from spiqa_tasks.scoring.options import answer_label


def rows_in_file(table: Sequence[Mapping[str, Any]], data: str) -> list[dict[str, Any]]:
    """Return the rows of a file's questions, from its cells and the digest of its questions.

    Raises DataError: a row without options, or whose answer is none of them.
    """
    shared = {"benchmark": CHOICE_ANSWERS.name, "split": SPLIT, "data": data}
    settings = settings_text(NoSettings())
    rows = []
    for cells in table:
        options = cells["options"]
        if not options:
            raise DataError(
                f"Expected options with each answer, found none with {cells['id']}. Add them, or "
                "keep free answers in a file of their own."
            )
        try:
            answer = answer_label(cells["answer"], options)
        except ValueError as error:
            raise DataError(
                f"Expected the answer of {cells['id']} to be a letter or the text of an option, "
                f"found {error}. Correct the row."
            ) from error

        row = {"id": cells["id"], "question": cells["question"], "answer": answer}
        listed = {"letters": list(options), "options": list(options.values())}
        rows.append({**row, **listed, "settings": settings, **shared})
    return rows


def record(row: Mapping[str, Any], response: Response, context: Context) -> Record:
    """Return the record of a response, with the letter that it picks."""
    signature = parse(context.sign(row, "")).with_fields(prompt="").text  # nobody knows the prompt
    return choice_record(row, response, {}, signature)


CHOICE_ANSWERS = Benchmark(
    name="choices",
    splits={SPLIT: 0},
    load=no_release,
    prompt=no_release,
    record=record,
    metrics=lambda _settings: [ACCURACY, *FAILURE_RATES],
)
