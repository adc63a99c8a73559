"""Samples of the runs as data for the page's browser: question, figures, and each run's answer."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.runs.run import Run

Row = Mapping[str, Any]
Scored = tuple[Run, Mapping[str, float]]  # question id -> score
RIGHT = 0.5
"""Score from which the browser's filters count an answer as right: a letter has 0 or 1, an L3Score leans to yes."""
MOST = 10_000
"""Samples of a task in the page: more than anybody reads, or than any released split has but SPIQA's training set."""
_OTHERS = "Filters and search see no others; `report --ids FILE` shows those of a list, `score --output DIR` writes all"
PROMPT = 3000
"""Characters of a prompt in the page: full papers would make it many times larger."""


def samples(runs: Sequence[Run], places: dict[str, int] | None) -> dict[str, Any]:
    """Return the browser's data: `runs` (labels), `samples`, one per task and question with an answer per run.

    Of a task with more than `MOST` samples these are some; `notes` then say which, and `total` is the number of all.
    `places` is path of a picture -> its number from 0 in the page, to which new ones are added; None for no pictures.
    """
    labels = list(dict.fromkeys(run.name for run in runs))
    data: dict[str, Any] = {"runs": labels, "right": RIGHT, "samples": []}
    notes, total = [], 0
    for task in dict.fromkeys(run.task for run in runs):
        of_task = [(run, _scores(run)) for run in runs if run.task == task]
        ids, number, which = _chosen(of_task)
        data["samples"] += _samples_of(of_task, labels, places, ids)
        total += number
        notes += (
            [f"{task}: {len(ids):,} of {number:,} samples are on this page, {which}. {_OTHERS}."]
            if which
            else []
        )
    return data | ({"notes": notes, "total": total} if notes else {})


def _chosen(runs: Sequence[Scored]) -> tuple[Collection[str], int, str]:
    """Return the ids of the samples of a task to show, the number of all, and which the shown ones are, '' for all.

    Those in which the verdicts differ come first; these and the others are taken evenly from the whole task.
    """
    verdicts: dict[str, set[bool | None]] = {}
    for run, scores in runs:
        for record in run.questions:
            score = scores.get(record.id)
            verdicts.setdefault(record.id, set()).add(None if score is None else score >= RIGHT)
    if len(verdicts) <= MOST:
        return verdicts.keys(), len(verdicts), ""
    differing = [key for key, of_runs in verdicts.items() if len(of_runs) > 1]
    found: set[str] = set()
    for ids in (differing, [key for key, of_runs in verdicts.items() if len(of_runs) == 1]):
        count = min(len(ids), MOST - len(found))
        found.update(ids[place * len(ids) // count] for place in range(count))
    differ = len(differing)
    which = (
        f"all {differ:,} in which the runs differ, and others evenly"
        if differ
        else "evenly from the task"
    )
    return (
        found,
        len(verdicts),
        f"evenly from the {differ:,} in which the runs differ" if differ > MOST else which,
    )


def as_script(data: Any) -> str:
    """Return JSON for a script element: without `<`, so that no text in it ends the element or begins another."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace(
        "<", "\\u003c"
    )


def _samples_of(
    runs: Sequence[Scored],
    labels: Sequence[str],
    places: dict[str, int] | None,
    ids: Collection[str],
) -> list[dict[str, Any]]:
    rows = _rows(runs[0][0], places is not None, ids)
    found: dict[str, dict[str, Any]] = {}
    for run, scores in runs:
        logged = _logged(run, ids)
        for record in [record for record in run.questions if record.id in ids]:
            if record.id not in found:
                question = _question(rows.get(record.id), record, places)
                found[record.id] = {"task": run.task, "id": record.id, **question}
            response, prompt = logged.get(record.id, ("", ""))
            answer = _answer(record, response, scores.get(record.id))
            if prompt not in ("", found[record.id].get("question")):
                more = (
                    f" ... ({len(prompt) - PROMPT:,} characters more)"
                    if len(prompt) > PROMPT
                    else ""
                )
                text = prompt[:PROMPT] + more
                if (
                    found[record.id].setdefault("prompt", text) != text
                ):  # this run was asked otherwise than the first
                    answer["prompt"] = text
            found[record.id]["answers"].append({"run": labels.index(run.name), **answer})
    return list(found.values())


def _rows(run: Run, pictures: bool, ids: Collection[str]) -> dict[str, Row]:
    """Return question id -> row of some questions; without pictures if they are missing, {} if the data is missing."""
    for load in (load_rows, rows_for_scoring) if pictures else (rows_for_scoring,):
        try:
            rows = load(run.own.benchmark, run.own.split, run.own.settings_text)
            return {
                key: row for row in rows if (key := str(row.get("question_id") or row["id"])) in ids
            }
        except (SpiqaTasksError, OSError):
            continue
    return {}


def _logged(run: Run, ids: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return question id -> response and prompt as logged; of several documents the responses and the first prompt."""
    found: dict[str, list[str]] = {}
    prompts: dict[str, str] = {}
    for record in run.records:
        if (question := str(record.details.get("question_id", record.id))) not in ids:
            continue
        name = f"{record.id.removeprefix(question).strip('/')}: " if question != record.id else ""
        answer = run.by_id.get(record.id)
        found.setdefault(question, []).append(name + (answer.response.text if answer else ""))
        prompts.setdefault(question, answer.question if answer else "")
    return {question: ("\n".join(texts), prompts[question]) for question, texts in found.items()}


def _scores(run: Run) -> Mapping[str, float]:
    """Return question id -> score by the headline, also if the run's value is withheld."""
    if not run.metrics:
        return {}
    metric = run.metrics[0]
    own = {
        record.id: record.scores[metric.name]
        for record in run.questions
        if metric.name in record.scores
    }
    return {**own, **metric.compute(run.record_set.members(metric)).scores}


def _question(row: Row | None, record: Record, places: dict[str, int] | None) -> dict[str, Any]:
    def show(path: str) -> int | None:
        return places.setdefault(path, len(places)) if places is not None and path else None

    found: dict[str, Any] = {
        "reference": record.reference,
        "groups": [*record.groups.values()],
        "answers": [],
    }
    if row is None:
        return found
    found["question"] = row["question"]
    if "figures" in row:
        needed = set(row["referred"])
        found["figures"] = [
            [show(figure["path"]), figure["caption"], int(figure["file"] in needed)]
            for figure in row["figures"]
        ]
    elif "options" in row:
        if not all(text in row["question"] for text in row["options"]):
            found["options"] = list(
                map(": ".join, zip(row["letters"], row["options"], strict=True))
            )
        of_options = len(row["images"]) == len(row["letters"])
        marks = row["letters"] if of_options else [""] * len(row["images"])
        found["figures"] = [
            [show(path), mark, int(of_options and mark == row["answer"])]
            for path, mark in zip(row["images"], marks, strict=True)
        ]
    return found


def _answer(record: Record, response: str, score: float | None) -> dict[str, Any]:
    asked = dict.fromkeys(
        str(verdict["prompt"]) for verdict in record.verdicts if "prompt" in verdict
    )
    found: dict[str, Any] = {
        "response": response,
        "extracted": record.prediction,
        "rule": record.rule,
        "status": record.status,
        "score": score,
        "reason": record.reason,
        "refused": record.refused or None,
        "scores": {name: round(value, 4) for name, value in record.scores.items()}
        if len(record.scores) > 1
        else None,
        "judge": list(map(_verdict, record.verdicts)) or None,
        "asked": "\n\n".join(asked) or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    kept = {
        name: verdict[name]
        for name in ("metric", "score", "model", "reason", "text")
        if name in verdict
    }
    tokens = [[token, round(logprob, 3)] for token, logprob in verdict.get("top_logprobs", ())]
    return kept | ({"tokens": tokens} if tokens else {})
