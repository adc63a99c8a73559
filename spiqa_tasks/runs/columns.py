"""Answers in rows: the names that each column is known by, and the readers of lines and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.json_text import conforms, json_lines
from spiqa_tasks.files.records import ID_COLUMNS, KEY, read_records, text_of, whole_id
from spiqa_tasks.hosts.failed_requests import LONGEST_REASON, response_of
from spiqa_tasks.hosts.lmms_eval_files import FILTERED
from spiqa_tasks.printable import abridged, say
from spiqa_tasks.runs.run import Answer
from spiqa_tasks.scoring.options import as_value, option_letter, row_options

# The forms of files of rows: an object a line, or any table.
LINES = "jsonl"
TABLE = "table"

# Field -> the names of its column, those that are surest first.
_FIELDS = {
    # a line of a batch has a `custom_id`, which is that of the question, beside its own id
    "id": (
        f"custom_id {' '.join(ID_COLUMNS)} {KEY} question_id questionId qid pid problem_id"
        " sample_id data_id idx uid key"
    ),
    # beside the whole answer stands the letter that a pipeline read in it, as `pred`; `text`, which
    # is LLaVA's, comes last
    "prediction": (
        "response model_response model_output model_outputs generated_text output_text raw_output"
        " raw_response prediction candidate output generation completion pred model_answer"
        f" model_prediction predicted_answer {FILTERED} text"
    ),
    "question": "question query problem question_text problem_text prompt instruction",
    "reference": (
        "reference answer ground_truth groundtruth gt_answer gold_answer correct_answer gold target"
        " gt answer_idx answer_key answerKey"
    ),
    # the last is of MMMU's own outputs
    "options": "options choices candidates answer_choices index2ans",
    "figures": "figures all_figures_names selected_figures_names selected_figures",
    # what a file's own questions are grouped by
    "group": "category subject topic domain type",
    # a person's yes or no, which `calibrate` reads
    "label": "label verdict",
    # tells the question where ids are another pipeline's; the last is VisDoM's
    "paper": "paper_id arxiv_id doc_id",
}
# Field -> names of its column; the first that is there counts, in every command.
FIELDS: Mapping[str, tuple[str, ...]] = {
    name: tuple(columns.split()) for name, columns in _FIELDS.items()
}

# The answer in a line of a batch of OpenAI's or vLLM's, whose `response` is an object.
_BATCH = "response.body.choices.0.message.content"

# A picture's file name or nothing; a sentence that ends in one is an answer.
_PICTURE = re.compile(r"(?:\S+\.(?:png|jpe?g))?", re.IGNORECASE)

# Values of a column `status` that say that there is no answer: words, or an error of HTTP.
_FAILED_STATUS = re.compile(r"error|failed|failure|timeout|request_failed|[45]\d\d")

# Remedy for a file that has no ids.
_NO_TASK = " Without a task, name question instead of id, and reference or options."

# Names in a message, and characters of each: an object of answers by id has thousands.
_MOST_NAMES = 12
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Columns:
    """The columns of a file of answers: those of `--columns`, else those with usual names.

    Attributes:
        named: field -> its column as `--columns` says, "" for a field without one. A column with
            dots is a path into objects and lists: `doc.question`, `resps.0`.
        by: column of `--by`, which groups the questions beside that of `group`; or ''.
    """

    named: Mapping[str, str] = field(default_factory=dict)
    by: str = ""

    @classmethod
    def parse(cls, text: str) -> Columns:
        """Return the columns of `FIELD=COLUMN,...`.

        Raises InputError: a field that is unknown, doubled or without `=`.
        """
        pairs = [part.partition("=") for part in text.split(",") if part.strip()]
        named = {key.strip(): column.strip() for key, _, column in pairs}
        has_signs = all(sign for _, sign, _ in pairs)
        if named.get("answer"):
            raise InputError(
                f"Expected reference or prediction in --columns, found {text!r}. The true answer "
                "is reference=COLUMN, the model's is prediction=COLUMN."
            )
        if len(named) < len(pairs) or not named.keys() <= FIELDS.keys() or not has_signs:
            raise InputError(
                f"Expected --columns FIELD=COLUMN,... with fields among {', '.join(FIELDS)}, each "
                f"once; found {text!r}."
            )
        return cls(named)

    def column_of(self, field: str, names: Collection[str]) -> str | None:
        """Return the column of a field, such as `prediction`, among `names`, or None."""
        if field in self.named:
            return self.named[field] if self.named[field] in names else None

        present = self.usual_columns(field, names)
        # of several columns of figures nobody knows which the model saw
        is_unclear = field == "figures" and len(present) > 1
        return present[0] if present and not is_unclear else None

    def usual_columns(self, field: str, names: Collection[str]) -> list[str]:
        """Return the columns among `names` that a field is usually called, the surest first."""
        # with prediction=answer, a column `answer` is no true answer
        taken = set(self.named.values())
        # beside a true answer `text` is a passage, as TAT-QA's, unless LLaVA wrote the file
        may_be_passage = "answer_id" not in names
        if field == "prediction" and may_be_passage and self.column_of("reference", names):
            taken.add("text")
        return [name for name in FIELDS[field] if name in names and name not in taken]

    def in_all_rows(self, names: Collection[str]) -> Columns:
        """Return the columns with the one of `names` for each field.

        A row that lacks it is not read from another column, which may be of something else.
        """
        # options may have a column for each letter
        fields = FIELDS.keys() - {"options"}
        found = {field: self.column_of(field, names) or "" for field in fields}
        return replace(self, named={**found, **self.named})

    def check(self, names: Collection[str], where: object) -> None:
        """Raise InputError if a column of `--columns` is not among `names`, those of the rows of
        `where`, a file.
        """
        missing = [name for name in self.named.values() if name and name not in names]
        if missing:
            hint = ": a path begins in the row" if "." in "".join(missing) else ""
            raise InputError(
                f"Expected the column {' and '.join(missing)} of --columns in {where}, found "
                f"{listed(names)}. Correct --columns{hint}."
            )

    def missing(self, names: Collection[str]) -> list[str]:
        """Return the fields that `names` lack for answers, [] if they are enough.

        An answer needs a prediction, and either an id, or a question with reference or paper.
        """
        lacking = [] if self.column_of("prediction", names) else ["prediction"]
        has_more = self.column_of("reference", names) or self.column_of("paper", names)
        has_question = self.column_of("question", names) and has_more
        return lacking if has_question or self.column_of("id", names) else [*lacking, "id"]

    def resolved(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a row with further columns: the values at paths of `--columns`, by these paths.

        With `prediction=resps.0` the row `{"resps": ["A"]}` has a column `resps.0` with A, too.
        `response` is the text of the answer in a line of a batch, where it is an object.
        """
        paths = [name for name in self.named.values() if "." in name and name not in row]
        values = {path: _value_at(row, path) for path in paths}
        values["response"] = _value_at(row, _BATCH)
        return {**row, **{path: value for path, value in values.items() if value is not None}}

    def answer(self, row: Mapping[str, Any], answer_id: str, position: int = 0) -> Answer:
        """Return the answer in a row: prediction, question, references, options and groups.

        The columns are those `in_all_rows`.
        Raises ValueError: figures that are no list of names, or a prediction or reference that is
        no text.
        """
        return Answer(
            answer_id,
            self._response(row),
            position=position,
            question=_plain_text(row.get(self.named["question"])),
            references=_references(row.get(self.named["reference"])),
            options=self.options(row),
            needed=_needed(row),
            groups=self._groups(row),
            paper=_plain_text(row.get(self.named["paper"])),
        )

    def _groups(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Return column -> group, for the columns of groups in which a row has one."""
        columns = (self.named["group"], self.by)
        groups = {column: _plain_text(row.get(column)) for column in columns if column}
        return {column: group for column, group in groups.items() if group}

    def options(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Return label -> text of the options, in one column or in a column for each; or {}."""
        named = self.named.get("options")
        # `options=choices` rules out the columns A, B, ...; `options=A` is one of them
        if named is not None and not option_letter(named):
            row = {named: row.get(named)}

        names = self.usual_columns("options", row) if named is None else [named]
        with suppress(ValueError):
            return {label: text for label, text in row_options(row, names).items() if text}
        return {}

    def _response(self, row: Mapping[str, Any]) -> Response:
        """Return the answer in a row, or the failure of its request.

        Raises ValueError: the prediction is an object with several keys.
        """
        figures = self._figures(row)
        if reason := _failure_of(row):
            return Response("", reason, figures)

        column = self.named["prediction"]
        prediction = row.get(column)
        if isinstance(prediction, dict) and prediction:
            path = f"{column}.{next(iter(prediction))}"
            raise ValueError(
                f"the keys {listed(prediction)}; --columns prediction={path} names one"
            )

        answer = cell_text(prediction)
        if answer is None:
            return Response("", f"no answer in the column {column}", figures)
        return response_of(answer, figures)

    def _figures(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the files that a row says were shown. Raises ValueError: no list of names."""
        figures = as_value(row.get(self.named["figures"])) or []
        if not conforms(figures, list[str]):
            raise ValueError(f"the figures {str(figures)[:60]!r}, which are no list of names")
        return tuple(figures)


# Columns by their usual names alone.
USUAL = Columns()


def read_answers(path: Path, form: str, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of a file of the form `LINES` or `TABLE`.

    Raises DataError, InputError: a broken file, or a row that lacks a column.
    """
    numbered = json_lines(path) if form == LINES else enumerate(read_records(path), 1)
    unit = "line" if form == LINES else "row"
    rows = {f"{unit} {number}": columns.resolved(row) for number, row in numbered}
    answers = answers_of_rows(path, rows, columns)
    _check_one_model(path, rows.values(), answers)

    names = columns.usual_columns("prediction", columns_of(rows.values()))
    if len(names) > 1 and "prediction" not in columns.named:
        say(
            f"{path}: the answers are read from {names[0]}, not {listed(names[1:])}; --columns "
            f"prediction={names[1]} reads that."
        )
    return answers


def answers_of_rows(
    path: Path,
    rows: Mapping[str, Mapping[str, Any]],
    columns: Columns,
    needed: Collection[str] = ("prediction", "id"),
) -> list[Answer]:
    """Return the answers of rows; `rows` is a name for messages, such as `line 3`, -> row.

    `needed` are those of `prediction` and `id` (or what `Columns.missing` takes for it) that must
    be there.

    Raises InputError: no rows, no column of predictions, a row without a needed id if there is a
    column of ids, or a prediction that is no text.
    """
    if not rows:
        raise InputError(f"Expected answers in {path}, found none.")

    names = columns_of(rows.values())
    columns.check(names, path)
    if not set(needed).isdisjoint(columns.missing(names)):
        raise InputError(
            f"Expected answers in {path}, found the columns {listed(names)}. "
            f"{advice(names, columns)}"
        )

    columns = columns.in_all_rows(_with_true_answers(names, rows.values(), columns))
    answers = []
    for position, (name, row) in enumerate(rows.items()):
        where = f"{name} of {path}"
        answer_id = _id_of(row, columns.named["id"], where, "id" in needed)
        try:
            answers.append(columns.answer(row, answer_id, position))
        except ValueError as error:
            raise InputError(
                f"Expected an answer in {where}, found {error}. Correct it."
            ) from error
    if not any(answer.options for answer in answers):
        _check_no_options(path, rows.values(), columns)
    return answers


def _check_no_options(path: Path, rows: Collection[Mapping[str, Any]], columns: Columns) -> None:
    """Raise InputError if cells of the column for options could not be read as options.

    This is only printed if `--columns` did not name the column, which may be of something else.
    """
    column = columns.column_of("options", columns_of(rows)) or ""
    filled = [row[column] for row in rows if as_value(row.get(column))]
    if not filled:
        return

    fault = (
        f"Expected options in the column {column} of {path}, found {filled[0]!r:.60}. Name a list,"
        " or a column such as option_a."
    )
    if "options" in columns.named:
        raise InputError(fault)
    say(fault)


def _check_one_model(
    path: Path, rows: Iterable[Mapping[str, Any]], answers: Sequence[Answer]
) -> None:
    """Raise InputError if several models answer a question: their mean is no model's score."""
    first: dict[tuple[str, ...], Any] = {}
    for row, answer in zip(rows, answers, strict=True):
        model = row.get("model") or row.get("model_name")
        question = (answer.question or answer.id, *answer.options.values())
        other = first.setdefault(question, model)
        if model != other:
            raise InputError(
                f"Expected answers of one model in {path}, found {other} and {model}. Write a file "
                "for each, as by groupby of pandas."
            )


def columns_in(path: Path, columns: Columns = USUAL) -> Collection[str]:
    """Return the columns of a table, with the paths of `--columns` in it; [] if it is broken."""
    try:
        return columns_of(columns.resolved(row) for row in read_records(path))
    except DataError:
        return []


def columns_of(rows: Iterable[Mapping[str, Any]]) -> Collection[str]:
    """Return the names of the columns, in their order."""
    return dict.fromkeys(column for row in rows for column in row)


def cell_text(value: Any) -> str | None:
    """Return the text of a cell in any form of file, or None of a null.

    A whole float is its integer, a number its text, a list of one text that text.
    Raises ValueError: an object, a truth value or a longer list.
    """
    if isinstance(value, list) and len(value) == 1:
        return cell_text(value[0])
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | list | dict):
        raise ValueError(
            f"{value!r:.60}, no text or number; --columns FIELD=COLUMN.0 reads the first of a list"
        )
    return text_of(value)


def listed(columns: Iterable[str]) -> str:
    """Return names of columns for a message, the first `_MOST_NAMES` of them.

    `KEY`, our own name for the keys of a JSON object, is left out.
    """
    return abridged((name[:_LONGEST_NAME] for name in columns if name != KEY), _MOST_NAMES)


def advice(names: Collection[str], columns: Columns = USUAL) -> str:
    """Return the sentence on how to name the columns that an answer needs, or '' if none lacks."""
    missing = columns.missing(names)
    if not missing:
        return ""

    pairs = ",".join(f"{field}=COLUMN" for field in missing)
    without_task = _NO_TASK if "id" in missing else ""
    # a table may have a column for each model
    apart = ", one model at a time," if missing == ["prediction"] else ""
    return (
        f"No column looks like {' or '.join(missing)}: add it, or name it{apart} by --columns "
        f"{pairs}.{without_task}"
    )


def _id_of(row: Mapping[str, Any], name: str, where: str, is_needed: bool) -> str:
    """Return the id of a row, or '' without a column of ids.

    Raises InputError: a cell without one, if it `is_needed`.
    """
    with suppress(ValueError):
        text = whole_id(cell_text(row.get(name)) or "")
        if text or not name:
            return text
    if not is_needed:
        return ""
    raise InputError(
        f"Expected a text or number as {name} in {where}, found {row.get(name)!r:.60}. Correct it."
    )


def _failure_of(row: Mapping[str, Any]) -> str:
    """Return why a request failed, by the columns `error` and `status` or a batch's, or ''."""
    error = row.get("error")
    if error and error == error:  # an empty cell of a table is NaN, which differs from itself
        return str(error)[:LONGEST_REASON]

    status = str(_value_at(row, "response.status_code") or row.get("status", "")).strip()
    return f"status {status}" if _FAILED_STATUS.fullmatch(status.lower()) else ""


def _value_at(value: Any, path: str) -> Any:
    """Return the value at a path of keys and indices, such as `resps.0`, or None."""
    for step in path.split("."):
        key = int(step) if isinstance(value, list) and step.isdigit() else step
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _with_true_answers(
    names: Collection[str], rows: Collection[Mapping[str, Any]], columns: Columns
) -> Collection[str]:
    """Return the names of columns without `reference` if it has files of figures, as in SPIQA's
    rows, beside the true answers.
    """
    others = [name for name in names if name != "reference"]
    if not columns.column_of("reference", others):
        return names
    cells = (str(row.get("reference") or "") for row in rows)
    return others if all(map(_PICTURE.fullmatch, cells)) else names


def _references(cell: Any) -> tuple[str, ...]:
    """Return the true answers in a cell: one text, or a list of several.

    A cell is a list in JSON, and a text in csv, which may print a list. A text such as
    `["a", "b"]` is a list, too, but `[0, 1]` in a table's cell is one answer.
    Raises ValueError: a list with an object.
    """
    value = as_value(cell)
    is_list = isinstance(value, list) if value is cell else conforms(value, list[str])
    if is_list:
        if any(isinstance(text, dict) for text in value):
            raise ValueError(f"the true answers {value!r:.60}, which are no texts")
        return tuple(str(text) for text in value if text is not None)
    return (_plain_text(cell),)


def _needed(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the files of the figures that the true answer needs, or ().

    SPIQA's released scripts write the figures in the order shown, and which of these are needed:
    if the release needs others, the row is of another question.
    """
    shown = as_value(row.get("all_figures_names"))
    indices = as_value(row.get("referred_figures_indices"))
    if not isinstance(shown, list) or not isinstance(indices, list):
        return ()
    files = {str(index): str(file) for index, file in enumerate(shown)}
    return tuple(files.get(str(index), "") for index in indices)


def _plain_text(value: Any) -> str:
    """Return the text of a cell or of a list of one; '' for a longer list or an object."""
    if isinstance(value, list) and len(value) == 1:
        return _plain_text(value[0])
    return "" if isinstance(value, list | dict) else text_of(value)
