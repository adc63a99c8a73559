"""SPIQA's own result files, `<paper>_response.json`, as the released evaluation scripts write them.

A file maps a question's key (its position in A and val, `question_key` in B and C) to {question,
response, answer, all_figures_names, ...}. Figures are shuffled without a seed: `all_figures_names`
alone says which was "Image 2". Open models were asked per figure: their response is
{figure: [Yes or No, answer]}.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.spiqa.release import STEPS
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import conforms, json_value
from spiqa_tasks.runs.columns import USUAL, Columns, answers_of_rows
from spiqa_tasks.runs.run import Answer

# Name of the form in `Run.form` and in signatures.
FORM = "spiqa-responses"

SUFFIX = "_response.json"


def is_response_file(path: Path, content: Any) -> bool:
    """Return whether a JSON file maps the questions of a paper to responses."""
    return path.name.endswith(SUFFIX) and is_of_objects(content)


def read_responses(path: Path, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of a file or folder, with ids `<paper>/<key>[/<figure>/<step>]`.

    Raises DataError, InputError: files of another form.
    """
    answers: list[Answer] = []
    files = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
    for file in files:
        rows = {row["id"]: row for row in _rows(file, columns)}
        answers += answers_of_rows(file, rows, Columns({**columns.named, "id": "id"}))
    return answers


def _rows(path: Path, columns: Columns) -> Iterator[Mapping[str, Any]]:
    """Yield each response, or each text of one per figure, with its id and the entry's fields."""
    content = json_value(path)
    if not is_of_objects(content):
        raise InputError(
            f"Expected {path} to map question keys to question and response, found "
            f"{str(content)[:60]!r}. Give the files that SPIQA's evaluation scripts write."
        )

    for key, entry in content.items():
        row = columns.resolved(entry)
        answer_id = f"{path.name.removesuffix(SUFFIX)}/{key}"
        prediction = columns.column_of("prediction", row) or "response"
        response = row.get(prediction)
        if not isinstance(response, dict):
            yield {**row, "id": answer_id}
            continue

        for figure, texts in response.items():
            if not isinstance(texts, list) or len(texts) != len(STEPS):
                raise InputError(
                    f"Expected a text or, per figure, [Yes or No, answer] as the response to {key} "
                    f"in {path}; found {texts!r} for {figure}. Ask the model again."
                )
            for step, text in zip(STEPS, texts, strict=True):
                yield {**row, "id": f"{answer_id}/{figure}/{step}", prediction: text}


def is_of_objects(content: Any) -> bool:
    """Return whether a JSON value is an object of objects: question key -> entry."""
    return conforms(content, dict[str, dict[str, Any]])
