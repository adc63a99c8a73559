"""Two benchmarks of answers whose file has the questions, so that they belong to no task.

Free answers are scored as `L3Score` does, choices by their letters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark, Row, parse_settings, settings_text
from spiqa_tasks.benchmarks.choice import ACCURACY, OPTION_TEXTS, choice_record
from spiqa_tasks.benchmarks.metric import FAILURE_RATES, Metric, Value, is_covered, mean_value
from spiqa_tasks.benchmarks.open_metrics import (
    JUDGE_FAILED,
    L3SCORE,
    YES_NO_MASS,
    judge_advice,
    judged_by,
    metric_of,
    text_metric,
)
from spiqa_tasks.benchmarks.record import MetricRequest, Record, Records, Response, metric_requests
from spiqa_tasks.errors import DataError
from spiqa_tasks.judge.rules import Candidate, Rule
from spiqa_tasks.metrics.text_scores import METRICS
from spiqa_tasks.scoring.options import (
    LETTERS,
    SeveralOptionsError,
    answer_label,
    label_in,
    options_in,
)
from spiqa_tasks.scoring.refusals import is_refusal

# The only split: the file of the answers.
SPLIT = "file"

# What a question lacks whose true answer is none of its options.
_AN_OPTION = "an option that is the true answer"

# An answer of the file: its id, question, options, true answer and groups, and `where` it is.
Cells = Mapping[str, Any]


@dataclass(frozen=True)
class FreeSettings:
    """Settings of free answers; `rule` is the judge's, as of SPIQA."""

    rule: str = L3SCORE


class _UnscorableError(DataError):
    """An answer has no score, for what it `lacks`, and says nothing of the others."""

    def __init__(self, message: str, lacks: str) -> None:
        super().__init__(message)
        self.lacks = lacks


def free_row(
    key: str, question: str, references: Sequence[str], split: str = SPLIT, data: str = ""
) -> dict[str, Any]:
    """Return the row of a question with its true answers; `data` is the digest of all."""
    return {
        "id": key,
        "question": question,
        "answer": references[0] if references else "",
        "references": references,
        "benchmark": FREE_ANSWERS.name,
        "split": split,
        "settings": settings_text(FreeSettings()),
        "data": data,
    }


def _free_row(cells: Cells) -> dict[str, Any]:
    """Return the row of an open question, with the groups that the file has.

    Raises _UnscorableError: it has no question or no true answer.
    """
    _check_cells(cells, {"question": "a question", "answer": "a true answer"})
    row = free_row(cells["id"], cells["question"], cells["references"])
    return row | {"groups": cells["groups"]}


def _free_record(row: Row, response: Response, rule: Rule | None) -> Record:
    """Return the record of a response, taken as it is; the judge is asked about each reference."""
    # A host's doc may lack them; a file's rows were checked.
    if not row["question"] or not any(row["references"]):
        raise DataError("no question or no reference")  # the record's status says so

    metric = metric_of(parse_settings(FreeSettings, row["settings"]).rule)
    requests: list[MetricRequest] = []
    for reference in row["references"]:
        candidate = Candidate(response.text, row["question"], reference)
        requests += metric_requests(rule, metric, candidate)
    return Record(
        row["id"],
        response.text,
        row["answer"],
        rule=None if response.text.strip() else "empty",
        refused=is_refusal(response.text),
        groups=row.get("groups", {}),  # a host's doc has none
        requests=tuple(requests),
    )


def _free_metrics(settings: FreeSettings) -> list[Metric]:
    """Return the judged metric, the text metrics and the rates of failures."""
    name = metric_of(settings.rule)
    judged = judged_by(name, partial(_best_of_references, name))
    mass = [YES_NO_MASS] if name == L3SCORE else []
    return [judged, *mass, *map(text_metric, METRICS), JUDGE_FAILED, *FAILURE_RATES]


def _best_of_references(metric: str, records: Records) -> Value:
    """Return the mean over questions of the score by the best of their references."""
    return mean_value({record.id: best_score(metric, record) for record in records})


def best_score(metric: str, record: Record) -> float | None:
    """Return the highest score of an answer's verdicts, or None if a verdict has none: it might be
    the highest.
    """
    verdicts = [verdict for verdict in record.verdicts if verdict["metric"] == metric]
    is_judged = bool(verdicts) and all("score" in verdict for verdict in verdicts)
    return max(verdict["score"] for verdict in verdicts) if is_judged else None


def _choice_row(cells: Cells) -> dict[str, Any]:
    """Return the row of a question with options and its true letter.

    Raises _UnscorableError: it has no options, or the true answer is none of them, or several.
    """
    _check_cells(cells, {"options": "options", "answer": "a true answer"})
    options = cells["options"]
    try:
        labels = {
            answer_label(reference, options, cells["among_texts"])
            for reference in cells["references"]
        }
        if len(labels) > 1:
            raise SeveralOptionsError(f"{cells['answer']!r}, {len(labels)} options")
    except ValueError as error:
        raise _answer_fault(cells, error) from error
    return {
        "id": cells["id"],
        "question": cells["question"],
        "answer": labels.pop(),
        "letters": list(options),
        "options": list(options.values()),
        "groups": cells["groups"],
    }


def _answer_fault(cells: Cells, error: ValueError) -> _UnscorableError:
    """Return the error of a true answer that is no option, which may be in the wrong column."""
    answer, options, where = cells["answer"], cells["options"], cells["where"]
    if answer.upper() in tuple(LETTERS) and options == options_in(cells["question"]):
        return _UnscorableError(
            f"Expected the question's options up to {answer!r}, found {', '.join(options)} with "
            f"{where}. Add a column options.",
            "all of its options",
        )

    message = (
        "Expected the true answer to be a letter or the text of an option, found "
        f"{error} with {where}. Write the letter of one option"
    )
    if isinstance(error, SeveralOptionsError):
        return _UnscorableError(f"{message}, or leave out such questions.", "a single true answer")
    return _UnscorableError(f"{message}.", _AN_OPTION)


def _choice_record(row: Row, response: Response, _rule: Rule | None) -> Record:
    """Return the record of a choice, with the texts of its options."""
    # no release has them, if the written run is scored again
    texts = dict(zip(row["letters"], row["options"], strict=True))
    return choice_record(row, response, row["groups"], **{OPTION_TEXTS: texts})


def _no_release(*_: Any) -> Any:
    """Raise DataError: such answers have their questions beside them, and no release."""
    raise DataError("Expected answers to have their questions beside them, found none.")


# Open answers with their own questions, judged as SPIQA's are.
FREE_ANSWERS = Benchmark(
    name="answers",
    splits={SPLIT: 0},
    load=_no_release,
    prompt=_no_release,
    record=_free_record,
    metrics=_free_metrics,
    settings=FreeSettings,
    judge=lambda settings: settings.rule,
    remarks=judge_advice,
    scoring=frozenset({"rule"}),
)
# Choices with their own options, read as MMStar's are.
CHOICE_ANSWERS = Benchmark(
    name="choices",
    splits={SPLIT: 0},
    load=_no_release,
    prompt=_no_release,
    record=_choice_record,
    metrics=lambda _settings: [ACCURACY, *FAILURE_RATES],
)


def rows_in_file(
    benchmark: Benchmark, table: Sequence[Cells], data: str
) -> tuple[list[Row], dict[str, str]]:
    """Return the rows of a file's questions, from its cells and the digest of its questions, and id
    -> what a question lacks for a score.

    These are left out, if they are fewer than half.
    Raises DataError: more have none, or over 1% of the true answers are no option.
    """
    shared = {
        "benchmark": benchmark.name,
        "split": SPLIT,
        "settings": settings_text(benchmark.settings()),
        "data": data,
    }
    references = {text for cells in table for text in cells["references"]} - {""}
    among_texts = not all(map(label_in, references))
    row_of = _choice_row if benchmark is CHOICE_ANSWERS else _free_row
    rows: list[Row] = []
    faults: dict[str, _UnscorableError] = {}
    for cells in table:
        try:
            row = row_of({**cells, "among_texts": among_texts})
            rows.append(row | shared)
        except _UnscorableError as error:
            faults[cells["id"]] = error

    if fault := _fault_of_table(len(rows), len(table), list(faults.values())):
        raise fault
    return rows, {row_id: fault.lacks for row_id, fault in faults.items()}


def _fault_of_table(
    scored: int, total: int, faults: Sequence[_UnscorableError]
) -> _UnscorableError | None:
    """Return the fault that keeps a whole file from being scored, or None if it is scored."""
    # what is left of a file of another kind has a number that looks normal
    if faults and scored <= total / 2:
        return faults[0]

    # VLMEvalKit's tables lose the option `None`; if more lack theirs, the true answers may be those
    # of another column
    without_option = [fault for fault in faults if fault.lacks == _AN_OPTION]
    is_rare = is_covered(scored, scored + len(without_option))
    return without_option[0] if without_option and not is_rare else None


def _check_cells(cells: Cells, needed: Mapping[str, str]) -> None:
    """Raise _UnscorableError if an answer lacks one of the `needed` cells."""
    for name, what in needed.items():
        if not cells[name]:
            raise _UnscorableError(
                f"Expected {what} with each answer, found none with {cells['where']}. Add them, or "
                "keep other answers in a file of their own.",
                what,
            )
