"""The logged answers to the host's own tasks, as records: who was right on which question, as far as the log has it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from spiqa_tasks.benchmarks.record import EMPTY, Record, Response
from spiqa_tasks.files.json_text import first_of
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.task import LOGGED, is_reported
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.responses import is_refusal

_GROUPS = ("category", "subdomain", "data_type", "l2_category", "L2-category")
_PLACEHOLDERS = re.compile(r"<image(?:[ _]?\d+)?>")
_LOGGED = (
    "doc_id",
    "target",
    "filtered_resps",
    "resps",
    "token_counts",
    "doc_hash",
    "input",
    "input_media",
)
_NO_METRICS = frozenset((*_LOGGED, "doc", "arguments", "submission"))


def host_answers(
    lines: Sequence[Mapping[str, Any]],
    task: str,
    config: Mapping[str, Any],
    reported: Mapping[str, float],
) -> list[Answer]:
    """Return the answers in the lines of a samples file of a host's task.

    A record has the scores that are logged, 0 to 1, and lists the host's metrics. Scores inferred from prediction and
    answer are left out if their mean is not `reported` (metric -> value).
    """
    limit = (config.get("generation_kwargs") or {}).get("max_new_tokens")
    answers = [_answer(sample, limit) for sample in lines]
    if len({answer.id for answer in answers}) < len(
        {answer.place for answer in answers}
    ):  # what is logged is no id
        answers = [
            replace(answer, id=key, record=answer.record and replace(answer.record, id=key))
            for answer in answers
            for key in [str(answer.place)]
        ]
    for name in {name for sample in lines for name in sample if name not in _NO_METRICS}:
        values = [sample[name] for sample in lines if name in sample]
        if not any(
            isinstance(each, int | float) or (isinstance(each, dict) and "score" in each)
            for each in values
        ):
            # inferred; to the host a failed request is a wrong answer
            scores = [answer.record.scores.get(name, 0.0) for answer in answers if answer.record]
            if not is_reported(task, config, reported, name, sum(scores) / len(values)):
                answers = [_without(answer, name) for answer in answers]
    return answers


def score_of(logged: Any) -> float | None:
    """Return the score in a metric's value of one question, 0 to 1; None where it has none.

    Known: a number or truth value; a mapping with `score` or `true_false`, or of answer and prediction, which is read
    by `extract_choice` where the options are there too (`A`, `B`, ...).
    """
    if isinstance(logged, dict):
        given = logged.get("score", logged.get("true_false"))
        if given is not None:
            return score_of(given)
        predicted = next(
            (logged[name] for name in ("pred", "parsed_pred", "prediction") if name in logged), None
        )
        if predicted is None or logged.get("answer") is None:
            return None
        options = {
            letter: str(logged[letter])
            for letter in "ABCDE"
            if str(logged.get(letter, "nan")) != "nan"
        }
        if options and isinstance(predicted, str):
            return float(extract_choice(predicted, options).letter == logged["answer"])
        return float(_plain(logged["answer"]) in _flat(predicted))
    return float(logged) if isinstance(logged, (int, float)) and 0 <= logged <= 1 else None


def _answer(sample: Mapping[str, Any], limit: Any) -> Answer:
    values = {name: sample[name] for name in sample if name not in _NO_METRICS}
    mappings = [value for value in values.values() if isinstance(value, dict)]
    key = next((str(value["id"]) for value in mappings if "id" in value), str(sample["doc_id"]))
    text = str(first_of(sample.get("filtered_resps", ""), ""))
    failure = response_of(text).failure
    scores = (
        {} if failure is not None else {name: score_of(value) for name, value in values.items()}
    )
    known = {name: score for name, score in scores.items() if score is not None}
    length = (first_of(sample.get("token_counts"), None) or {}).get("output_tokens")
    cut = (
        {"truncated": length >= limit} if isinstance(length, int) and isinstance(limit, int) else {}
    )
    is_wrong = not any(known.values())
    record = Record(
        key,
        reference=str(sample["target"]),
        status="ok" if failure is None else "request_failed",
        rule="empty" if failure is None and is_wrong and text.strip().lower() in EMPTY else None,
        refused=is_wrong and is_refusal(text),
        reason=failure,
        scores=known,
        groups=next(filter(None, map(_groups, mappings)), {}),
        details={LOGGED: tuple(values), **cut},
    )
    lines = _PLACEHOLDERS.sub(" ", str(sample.get("input", ""))).splitlines()
    question = "\n".join(
        filter(None, (" ".join(line.split()) for line in lines))
    )  # options end with their lines
    return Answer(
        key, Response(text, failure), record, int(sample["doc_id"]), question, record.reference
    )


def _groups(value: Mapping[str, Any]) -> dict[str, str]:
    """Kind -> name of the groups in a metric's value, each name once."""
    kinds = {str(value[kind]): kind for kind in reversed(_GROUPS) if value.get(kind)}
    return {kind: name for name, kind in reversed(kinds.items())}


def _without(answer: Answer, name: str) -> Answer:
    scores = (
        {key: score for key, score in answer.record.scores.items() if key != name}
        if answer.record
        else {}
    )
    return replace(answer, record=answer.record and replace(answer.record, scores=scores))


def _flat(value: Any) -> list[str]:
    return (
        [text for item in value for text in _flat(item)]
        if isinstance(value, list)
        else [_plain(value)]
    )


def _plain(value: Any) -> str:
    return str(value).strip().lower()
