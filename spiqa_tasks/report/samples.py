"""Samples of the runs as data for the page's browser: question, figures, and each run's answer."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.prompting import plain_text
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.judge.rules import Candidate, rule_of_prompt
from spiqa_tasks.judge.rules.letters import LettersRule
from spiqa_tasks.runs.run import Run

Row = Mapping[str, Any]
RIGHT = 0.5
"""Score from which the browser's filters count an answer as right: a letter has 0 or 1, an L3Score leans to yes."""
PROMPT = 3000
"""Characters of a prompt in the page: full papers would make it many times larger."""


def samples(runs: Sequence[Run], places: dict[str, int] | None) -> dict[str, Any]:
    """Return the browser's data: `runs` (labels), `samples`, one per task and question with an answer per run.

    Args:
        runs: those of the report.
        places: path of a picture -> its number from 0 in the page; new ones are added. None for no pictures.
    """
    labels = list(dict.fromkeys(run.name for run in runs))
    tasks = dict.fromkeys(run.task for run in runs)
    found = [_samples_of([run for run in runs if run.task == task], labels, places) for task in tasks]
    return {"runs": labels, "right": RIGHT, "samples": [sample for of_task in found for sample in of_task]}


def as_script(data: Any) -> str:
    """Return JSON for a script element: without `<`, so that no text in it ends the element or begins another."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _samples_of(runs: Sequence[Run], labels: Sequence[str], places: dict[str, int] | None) -> list[dict[str, Any]]:
    rows = _rows(runs[0], pictures=places is not None)
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        responses, scores = _responses(run), _scores(run)
        for record in run.questions:
            if record.id not in found:
                question = _question(run, rows.get(record.id), record, places)
                found[record.id] = {"task": run.task, "id": record.id, **question}
            answer = _answer(record, responses.get(record.id, ""), scores.get(record.id))
            if record.verdicts and (asked := _asked(run, record, found[record.id].get("question"))):
                answer["asked"] = asked
            found[record.id]["answers"].append({"run": labels.index(run.name), **answer})
    return list(found.values())


def _rows(run: Run, pictures: bool) -> dict[str, Row]:
    """Return question id -> row; without pictures if they are missing, {} if the data is missing."""
    for load in (load_rows, rows_for_scoring) if pictures else (rows_for_scoring,):
        try:
            rows = load(run.own.entry, run.own.split, run.own.settings)
            return {str(row.get("question_id") or row["id"]): row for row in rows}
        except (SpiqaTasksError, OSError):
            continue
    return {}


def _responses(run: Run) -> dict[str, str]:
    """Return question id -> response; for a question of several documents, their responses one after the other."""
    found: dict[str, list[str]] = {}
    for record in run.records:
        question = str(record.details.get("question_id", record.id))
        name = f"{record.id.removeprefix(question).strip('/')}: " if question != record.id else ""
        text = run.by_id[record.id].response.text if record.id in run.by_id else ""
        found.setdefault(question, []).append(name + text)
    return {question: "\n".join(texts) for question, texts in found.items()}


def _scores(run: Run) -> Mapping[str, float]:
    """Return question id -> score by the headline, also if the run's value is withheld."""
    if not run.metrics:
        return {}
    metric = run.metrics[0]
    own = {record.id: record.scores[metric.name] for record in run.questions if metric.name in record.scores}
    return {**own, **metric.compute(run.record_set.members(metric)).scores}


def _question(run: Run, row: Row | None, record: Record, places: dict[str, int] | None) -> dict[str, Any]:
    def show(path: str) -> int | None:
        return places.setdefault(path, len(places)) if places is not None and path else None

    found: dict[str, Any] = {"reference": record.reference, "groups": [*record.groups.values()], "answers": []}
    if row is None:
        return found
    prompt = plain_text(run.own.entry.prompt(row))
    more = len(prompt) - PROMPT
    found["question"] = row["question"]
    found["prompt"] = prompt if more <= 0 else f"{prompt[:PROMPT]} ... ({more:,} characters more)"
    if "figures" in row:
        needed = set(row["referred"])
        found["figures"] = [
            [show(figure["path"]), figure["caption"], int(figure["file"] in needed)] for figure in row["figures"]
        ]
    elif "options" in row:
        if not all(text in row["question"] for text in row["options"]):
            found["options"] = list(map(": ".join, zip(row["letters"], row["options"], strict=True)))
        of_options = len(row["images"]) == len(row["letters"])
        marks = row["letters"] if of_options else [""] * len(row["images"])
        found["figures"] = [
            [show(path), mark, int(of_options and mark == row["answer"])]
            for path, mark in zip(row["images"], marks, strict=True)
        ]
    return found


def _asked(run: Run, record: Record, question: str | None) -> str:
    """Return the judge's prompt for a free answer; '' for a custom rubric, or if the question is missing."""
    rule = rule_of_prompt(run.signature.judge_prompt)
    if question is None or record.prediction is None or rule is None or isinstance(rule, LettersRule):
        return ""
    return rule.request(Candidate(record.prediction, question, record.reference)).prompt


def _answer(record: Record, response: str, score: float | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "response": response,
        "extracted": record.prediction,
        "rule": record.rule,
        "status": record.status,
        "score": score,
        "reason": record.reason,
        "refused": record.refused or None,
        "scores": {name: round(value, 4) for name, value in record.scores.items()} if len(record.scores) > 1 else None,
        "judge": list(map(_verdict, record.verdicts)) or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: verdict[name] for name in ("metric", "score", "model", "reason", "text") if name in verdict}
    tokens = [[token, round(logprob, 3)] for token, logprob in verdict.get("top_logprobs", ())]
    return kept | ({"tokens": tokens} if tokens else {})
