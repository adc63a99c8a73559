"""Multiple-choice questions: rows, options listed in a text, records and metrics.

A row is {id, question, letters, options, answer, images, category, subcategory, benchmark, split, prompt, settings,
data}: `letters` and `options` are parallel lists, `images` are paths in the order shown, `prompt` names a wording.
"""

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Metric, Value, mean_of, mean_value, share_of
from spiqa_tasks.benchmarks.record import Record, Response, Status
from spiqa_tasks.errors import DataError
from spiqa_tasks.scoring.mcq import MATCHER_VERSION, extract_choice

Row = dict[str, Any]


def check_answer(row_id: str, answer: Any, letters: Sequence[str]) -> str:
    """Return the answer letter of a row. Raises DataError: not the letter of one of the row's options."""
    if answer not in letters:
        raise DataError(
            f"Expected the answer of question {row_id} to be one of its options {', '.join(letters)}; "
            f"found {answer!r}. Fetch the file again."
        )
    return str(answer)


def slug(name: str) -> str:
    """Return a category as the group of a metric's name: `science & technology` -> `science_technology`."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._")


_LETTERS = "ABCDEFGHIJ"
_LABELS = (r"\(([A-J])\)", r"([A-J]) ?[.)]", r"([A-J]):", r"\[([A-J])\]")
_FORMS = (
    *(re.compile(rf"(?:^|\n)[ \t]*(?:[-*][ \t]+)?{label}[ \t]*") for label in _LABELS),
    *(re.compile(rf"(?:^|[,;]?[ \n]){label} ") for label in (_LABELS[2], _LABELS[0], _LABELS[1])),
    *(re.compile(rf"(?:^|[,;，；、|])\s{{0,9}}{label}\s*") for label in _LABELS[1:]),
    re.compile(rf"[,;，；、|]?\s?{_LABELS[0]}\s*"),
)
"""Forms of labels, tried in order: at the start of lines, which is surest, then within a line."""
_CLOSE = _FORMS[-4:]
"""Forms that need no blank behind the label; they also continue a series that began in another form."""
_BETWEEN = " \t\r\n;；"
_HEADING = re.compile(r"\b(?:options|choices)\s*:\s*", re.IGNORECASE)


def options_in(text: str) -> dict[str, str]:
    """Return letter -> text of the options listed in a question, or {} unless at least A and B are.

    Known forms: lines with the labels `(A)`, `A.`, `A)`, `A:` or `[A]`; these in one line behind a blank, a comma or a
    semicolon. After "Options:" or "Choices:" only the rest is read. If each option is a line, the last one ends with
    its line.
    """
    *_, tail = _HEADING.split(text)
    labels = _labels(tail)
    ends = [*(label.start() for label in labels[1:]), len(tail)]
    found = {
        label[1]: tail[label.end() : end].strip(_BETWEEN)
        for label, end in zip(labels, ends, strict=False)
    }
    if found:
        *others, last = found
        if not any("\n" in found[letter] for letter in others):
            found[last] = found[last].partition("\n")[0].strip()
    return found


def question_before(text: str) -> str:
    """Return the text before the options that `options_in` reads and their heading, stripped."""
    *_, heading = None, *_HEADING.finditer(text)
    start = heading.end() if heading else 0
    if not (labels := _labels(text[start:])):
        return text.strip()
    return text[: heading.start() if heading else labels[0].start()].strip()


def _labels(text: str) -> list[re.Match[str]]:
    """Return consecutive labels from A on, of the first form that has at least two, and those that continue them."""
    for form in _FORMS:
        if len(labels := _series(form.finditer(text))) > 1:
            more = (
                label for each in (*_CLOSE, form) for label in each.finditer(text, labels[-1].end())
            )
            return labels + _series(sorted(more, key=lambda label: label.start(1)), len(labels))
    return []


def _series(labels: Iterable[re.Match[str]], start: int = 0) -> list[re.Match[str]]:
    """Return the labels that follow each other in the alphabet, from the letter at `start` on."""
    found: list[re.Match[str]] = []
    for label in labels:
        place = start + len(found)
        if label[1] == _LETTERS[place : place + 1]:
            found.append(label)
    return found


OPTIONS = "options"
"""Detail of a record of a choice: the number of its options."""

ACCURACY = dataclasses.replace(mean_of("accuracy"), signature=lambda: {"matcher": MATCHER_VERSION})
"""Share of answers whose letter, extracted by `extract_choice`, is the true one."""

FAILURE_RATES: tuple[Metric, ...] = (
    share_of("refusal_rate", lambda record: record.refused),
    share_of("unparsed_rate", lambda record: record.unparsed or record.taken_whole),
    share_of("request_failed_rate", lambda record: record.status == "request_failed"),
)
"""Shares of answers without a letter: refused, not parsed, request failed."""


def _truncated_rate(records: Sequence[Record]) -> Value:
    is_known = any(
        record.truncated is not None for record in records
    )  # else the host logs no lengths
    return (
        mean_value({r.id: float(bool(r.truncated)) for r in records})
        if is_known
        else Value(math.nan, 0)
    )


TRUNCATED_RATE = Metric("truncated_rate", _truncated_rate, higher_is_better=False)
"""Share of answers that are known to be cut off; no row of the host's table."""
_SCORES = (
    {"accuracy": 0.0},
    {"accuracy": 1.0},
)  # of a wrong answer and a right one, shared by up to a million records


def choice_record(
    row: Mapping[str, Any],
    response: Response,
    groups: Mapping[str, str],
    signature: str,
    **details: Any,
) -> Record:
    """Return the record of one response, with its `accuracy`; a failed request has no score."""
    shared: dict[str, Any] = {"reference": row["answer"], "groups": groups, "signature": signature}
    shared |= {"cluster": row.get("cluster"), "details": {OPTIONS: len(row["letters"]), **details}}
    if response.failure is not None:
        return Record(row["id"], status="request_failed", reason=response.failure, **shared)
    options = dict(zip(row["letters"], row["options"], strict=True))
    question = str(row.get("question", ""))
    choice = extract_choice(response.text, options, truncated=response.truncated, prompt=question)
    refused = choice.rule == "refusal"
    status: Status = "ok" if choice.letter is not None else "refused" if refused else "unparsed"
    scores = _SCORES[choice.letter == row["answer"]]
    return Record(
        row["id"],
        choice.letter,
        status=status,
        rule=choice.rule,
        refused=refused,
        scores=scores,
        **shared,
    )
