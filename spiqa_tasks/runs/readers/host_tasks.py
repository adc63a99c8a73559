"""The logged answers to a host's own tasks, as records: scores of questions, as far as logged."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from spiqa_tasks.benchmarks.record import EMPTY, Record, Response
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.lmms_eval_files import LoggedSample, LoggedTask
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.task import LOGGED, is_reported
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.refusals import is_refusal

# Fields of a logged metric that name a group of the question.
_GROUPS = ("category", "subdomain", "data_type", "l2_category", "L2-category")

# Fields of a logged metric with what the host read in the response.
_PREDICTIONS = ("pred", "parsed_pred", "prediction")

_PLACEHOLDERS = re.compile(r"<image(?:[ _]?\d+)?>")


def host_answers(samples: Sequence[LoggedSample], task: LoggedTask) -> list[Answer]:
    """Return the answers in the samples of a host's task.

    A record has the scores that are logged, 0 to 1, and lists the host's metrics. Scores inferred
    from prediction and answer are left out if their mean is not what the host reports.
    """
    limit = (task.config.get("generation_kwargs") or {}).get("max_new_tokens")
    answers = [_answer(sample, limit) for sample in samples]
    if len({answer.id for answer in answers}) < len({answer.place for answer in answers}):
        # what is logged as an id is none
        answers = [_with_id(answer, str(answer.place)) for answer in answers]

    for name in {name for sample in samples for name in sample.values}:
        values = [sample.values[name] for sample in samples if name in sample.values]
        if any(map(_is_scored, values)):
            continue
        mean = _mean_score(answers, name, len(values))
        if not is_reported(task.name, task.config, task.values, name, mean):
            answers = [_without_score(answer, name) for answer in answers]
    return answers


def _mean_score(answers: Sequence[Answer], name: str, count: int) -> float:
    """The mean as the host computes it: a failed request is a wrong answer."""
    records = [answer.record for answer in answers if answer.record is not None]
    return sum(record.scores.get(name, 0.0) for record in records) / count


def score_of(logged: Any) -> float | None:
    """Return the score in a metric's value of one question, 0 to 1; None if it has none.

    Known: a number or truth value, a mapping with `score` or `true_false`, or one of answer and
    prediction, which is read by `extract_choice` if it has the options, too (`A`, `B`, ...).
    """
    if not isinstance(logged, dict):
        is_share = isinstance(logged, int | float) and 0 <= logged <= 1
        return float(logged) if is_share else None

    given = logged.get("score", logged.get("true_false"))
    return _compared(logged) if given is None else score_of(given)


def _compared(logged: Mapping[str, Any]) -> float | None:
    predicted = next((logged[name] for name in _PREDICTIONS if name in logged), None)
    answer = logged.get("answer")
    if predicted is None or answer is None:
        return None

    options = _options(logged)
    if options and isinstance(predicted, str):
        return float(extract_choice(predicted, options).letter == answer)
    return float(_plain(answer) in _flat(predicted))


def _options(logged: Mapping[str, Any]) -> dict[str, str]:
    options = {letter: str(logged[letter]) for letter in "ABCDE" if letter in logged}
    return {letter: text for letter, text in options.items() if text != "nan"}


def _is_scored(logged: Any) -> bool:
    """Whether a metric's value has the host's own score."""
    return isinstance(logged, int | float) or (isinstance(logged, dict) and "score" in logged)


def _answer(sample: LoggedSample, limit: Any) -> Answer:
    mappings = [value for value in sample.values.values() if isinstance(value, dict)]
    ids = (str(value["id"]) for value in mappings if "id" in value)
    key = next(ids, str(sample.position))
    response = response_of("" if sample.response is None else str(sample.response))
    record = replace(
        _record(sample, response),
        id=key,
        groups=next(filter(None, map(_groups, mappings)), {}),
        details={LOGGED: tuple(sample.values), **_truncation(sample, limit)},
    )
    return Answer(
        key, response, record, sample.position, _question(sample.prompt), record.reference
    )


def _record(sample: LoggedSample, response: Response) -> Record:
    if response.failure is not None:
        return Record("", reference=sample.target, status="request_failed", reason=response.failure)

    scores = {name: score_of(value) for name, value in sample.values.items()}
    known = {name: score for name, score in scores.items() if score is not None}
    is_wrong = not any(known.values())
    is_empty = response.text.strip().lower() in EMPTY
    return Record(
        "",
        reference=sample.target,
        rule="empty" if is_wrong and is_empty else None,
        refused=is_wrong and is_refusal(response.text),
        scores=known,
    )


def _truncation(sample: LoggedSample, limit: Any) -> dict[str, bool]:
    if sample.tokens is None or not isinstance(limit, int):
        return {}
    return {"truncated": sample.tokens >= limit}


def _question(prompt: str) -> str:
    """The prompt without placeholders of pictures; options end with their lines."""
    lines = (" ".join(line.split()) for line in _PLACEHOLDERS.sub(" ", prompt).splitlines())
    return "\n".join(filter(None, lines))


def _groups(value: Mapping[str, Any]) -> dict[str, str]:
    """Kind -> name of the groups in a metric's value, each name once."""
    kinds = {str(value[kind]): kind for kind in reversed(_GROUPS) if value.get(kind)}
    return {kind: name for name, kind in reversed(kinds.items())}


def _with_id(answer: Answer, key: str) -> Answer:
    return replace(answer, id=key, record=answer.record and replace(answer.record, id=key))


def _without_score(answer: Answer, name: str) -> Answer:
    if answer.record is None:
        return answer
    scores = {key: score for key, score in answer.record.scores.items() if key != name}
    return replace(answer, record=replace(answer.record, scores=scores))


def _flat(value: Any) -> list[str]:
    if isinstance(value, list):
        return [text for item in value for text in _flat(item)]
    return [_plain(value)]


def _plain(value: Any) -> str:
    return str(value).strip().lower()
