"""Samples of the runs as data for the page's browser: question, figures, and each run's answer."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.runs.run import Run

Row = Mapping[str, Any]

Numbers = dict[str, int]
"""Path of a picture -> its number from 0 in the page."""

RIGHT = 0.5
"""Score from which an answer counts as right: a letter has 0 or 1, an L3Score leans to yes."""

# samples of a task in the page: more than anybody reads; only SPIQA's training set is larger
MOST = 10_000

# characters of a prompt in the page: full papers would make it many times larger
PROMPT = 3000

_OF_VERDICT = ("metric", "score", "model", "reason", "text")


def samples(runs: Sequence[Run], numbers: Numbers | None) -> dict[str, Any]:
    """Return the browser's data: `runs` (labels), and `samples`, one per task and question.

    New pictures are added to `numbers`; None for a page without pictures. Of a task with more than
    `MOST` samples these are some; `notes` then say so, and `total` is the number of all.
    """
    labels = list(dict.fromkeys(run.name for run in runs))
    data: dict[str, Any] = {"runs": labels, "right": RIGHT, "samples": []}
    notes = []
    total = 0
    for task in dict.fromkeys(run.task for run in runs):
        of_task = [run for run in runs if run.task == task]
        every = list(dict.fromkeys(record.id for run in of_task for record in run.questions))
        ids = _evenly(every)
        data["samples"] += _samples_of(of_task, labels, numbers, ids)
        total += len(every)
        if len(ids) < len(every):
            notes.append(
                f"{task}: {len(ids):,} of {len(every):,} samples are on this page, taken evenly. "
                "Filters and search see no others; `report --ids FILE` shows those of a list."
            )

    return {**data, "notes": notes, "total": total} if notes else data


def as_script(data: Any) -> str:
    """Return JSON for a script element: without `<`, so that no text ends the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _evenly(ids: Sequence[str]) -> set[str]:
    """Return at most `MOST` of the ids, at equal distances."""
    count = min(len(ids), MOST)
    return {ids[place * len(ids) // count] for place in range(count)}


def _samples_of(
    runs: Sequence[Run],
    labels: Sequence[str],
    numbers: Numbers | None,
    ids: Collection[str],
) -> list[dict[str, Any]]:
    rows = _rows(runs[0], numbers is not None, ids)
    by_id: dict[str, dict[str, Any]] = {}
    for run in runs:
        logged = _logged(run, ids)
        scores = _scores(run)
        for record in run.questions:
            if record.id not in ids:
                continue
            if record.id not in by_id:
                question = _question(rows.get(record.id), record, numbers)
                by_id[record.id] = {"task": run.task, "id": record.id, **question, "answers": []}
            sample = by_id[record.id]

            response, prompt = logged.get(record.id, ("", ""))
            answer = {"run": labels.index(run.name), **_answer(record, response)}
            if record.id in scores:
                answer["score"] = scores[record.id]
            if prompt not in ("", sample.get("question")):
                _add_prompt(sample, answer, _cut(prompt))
            sample["answers"].append(answer)

    return list(by_id.values())


def _add_prompt(sample: dict[str, Any], answer: dict[str, Any], prompt: str) -> None:
    """Add a prompt to the sample; to the answer if its run was asked otherwise than the first."""
    if sample.setdefault("prompt", prompt) != prompt:
        answer["prompt"] = prompt


def _cut(prompt: str) -> str:
    if len(prompt) <= PROMPT:
        return prompt
    return f"{prompt[:PROMPT]} ... ({len(prompt) - PROMPT:,} characters more)"


def _rows(run: Run, pictures: bool, ids: Collection[str]) -> dict[str, Row]:
    """Return question id -> row; without pictures if they are missing, {} without the data."""
    for load in (load_rows, rows_for_scoring) if pictures else (rows_for_scoring,):
        try:
            rows = load(run.own.benchmark_name, run.own.split, run.own.settings_text)
        except (SpiqaTasksError, OSError):
            continue
        by_id = {str(row.get("question_id") or row["id"]): row for row in rows}
        return {key: row for key, row in by_id.items() if key in ids}

    return {}


def _logged(run: Run, ids: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return question id -> response and prompt as logged.

    Of a question that is several documents these are all responses, and the first prompt.
    """
    responses: dict[str, list[str]] = {}
    prompts: dict[str, str] = {}
    for record in run.records:
        question = str(record.details.get("question_id", record.id))
        answer = run.by_id.get(record.id)
        if question not in ids or answer is None:
            continue
        part = record.id.removeprefix(question).strip("/")
        text = answer.response.text
        responses.setdefault(question, []).append(f"{part}: {text}" if part else text)
        prompts.setdefault(question, answer.question)

    return {key: ("\n".join(texts), prompts[key]) for key, texts in responses.items()}


def _scores(run: Run) -> dict[str, float]:
    """Return question id -> score by the headline, also if the run's value is withheld."""
    if not run.metrics:
        return {}
    metric = run.metrics[0]
    of_records = {record.id: record.scores.get(metric.name) for record in run.questions}
    known = {key: score for key, score in of_records.items() if score is not None}
    return known | dict(metric.compute(run.record_set.members(metric)).scores)


def _question(row: Row | None, record: Record, numbers: Numbers | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "reference": record.reference,
        "groups": list(record.groups.values()),
    }
    if row is None:
        return found

    found["question"] = row["question"]
    if "figures" in row:
        found["figures"] = _figures(row, numbers)
    elif "options" in row:
        if not all(text in row["question"] for text in row["options"]):
            lettered = zip(row["letters"], row["options"], strict=True)
            found["options"] = [f"{letter}: {text}" for letter, text in lettered]
        found["figures"] = _images(row, numbers)
    return found


def _figures(row: Row, numbers: Numbers | None) -> list[list[Any]]:
    """Return number, caption, and whether the question refers to it, of each figure of a paper."""
    figures = []
    for figure in row["figures"]:
        is_referred = figure["file"] in row["referred"]
        figures.append([_number(figure["path"], numbers), figure["caption"], int(is_referred)])
    return figures


def _images(row: Row, numbers: Numbers | None) -> list[list[Any]]:
    """Return number, letter, and whether it is the right option, of each image of a choice."""
    are_options = len(row["images"]) == len(row["letters"])
    letters = row["letters"] if are_options else [""] * len(row["images"])
    images = []
    for path, letter in zip(row["images"], letters, strict=True):
        is_answer = are_options and letter == row["answer"]
        images.append([_number(path, numbers), letter, int(is_answer)])
    return images


def _number(path: str, numbers: Numbers | None) -> int | None:
    return numbers.setdefault(path, len(numbers)) if numbers is not None and path else None


def _answer(record: Record, response: str) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "response": response,
        "extracted": record.prediction,
        "rule": record.rule,
        "status": record.status,
        "reason": record.reason,
        "refused": record.refused or None,
        "judge": [_verdict(verdict) for verdict in record.verdicts] or None,
        "asked": _judge_prompts(record.verdicts) or None,
    }
    if len(record.scores) > 1:
        fields["scores"] = {name: round(score, 4) for name, score in record.scores.items()}
    return {name: value for name, value in fields.items() if value is not None}


def _judge_prompts(verdicts: Iterable[Mapping[str, Any]]) -> str:
    prompts = dict.fromkeys(str(each["prompt"]) for each in verdicts if "prompt" in each)
    return "\n\n".join(prompts)


def _verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: verdict[name] for name in _OF_VERDICT if name in verdict}
    tokens = [[token, round(logprob, 3)] for token, logprob in verdict.get("top_logprobs", ())]
    if tokens:
        kept["tokens"] = tokens
    return kept
