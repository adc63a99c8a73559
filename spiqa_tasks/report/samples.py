"""The samples of runs as data for the browser of the page: questions, figures and answers."""

import json
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Row, question_of
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS, Task, load_rows, rows_for_scoring
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.runs.run import Run

# Path of a picture -> its number from 0 in the page.
Numbers = dict[str, int]

# Lowest score of a right answer: the right letter has 1, an L3Score from 0.5 leans to yes.
RIGHT = 0.5

# Characters of a prompt in the page at most: full papers would make it many times larger.
PROMPT = 3000


def samples(runs: Sequence[Run], numbers: Numbers | None) -> dict[str, Any]:
    """Return the browser's data: `runs` (labels) and `samples` (one per task and question).

    The pictures of the samples are added to `numbers`, which is None for a page without pictures.
    """
    labels = list(dict.fromkeys(run.name for run in runs))
    data: dict[str, Any] = {"runs": labels, "right": RIGHT, "samples": []}
    for task in dict.fromkeys(run.task for run in runs):
        of_task = [run for run in runs if run.task == task]
        data["samples"] += _samples_of(of_task, labels, numbers)
    return data


def as_script(data: Any) -> str:
    """Return JSON for a script element, with `<` escaped: no text in it ends the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _samples_of(
    runs: Sequence[Run], labels: Sequence[str], numbers: Numbers | None
) -> list[dict[str, Any]]:
    """Return the samples of a task's runs; an answer names its run by the position in `labels`."""
    task = runs[0].benchmark_task
    is_released = task.benchmark_name in BENCHMARKS
    released = _rows(task, numbers is not None) if is_released else {}
    by_question: dict[str, dict[str, Any]] = {}
    for run in runs:
        logged = _logged(run)
        scores = _scores(run)
        # files without a task may have other questions under the same ids
        rows = released if is_released else _rows_of(run)
        for record in run.questions:
            row = rows.get(record.id)
            key = f"{record.id} {row}"
            if key not in by_question:
                asked = _question(row, record, numbers)
                by_question[key] = {"task": run.task, "id": record.id, **asked, "answers": []}
            sample = by_question[key]

            response, prompt = logged.get(record.id, ("", ""))
            score = scores.get(record.id)
            answer = {"run": labels.index(run.name), **_answer(record, response, score)}
            if prompt not in ("", sample.get("question")):
                # The first run's prompt is the sample's; only runs with another one repeat theirs.
                first_prompt = sample.setdefault("prompt", prompt)
                if prompt != first_prompt:
                    answer["prompt"] = prompt
            sample["answers"].append(answer)

    return list(by_question.values())


def _rows(task: Task, has_pictures: bool) -> dict[str, Row]:
    """Return question id -> row of the release, without pictures if these are missing; {} without
    data.
    """
    loaders = [load_rows, rows_for_scoring] if has_pictures else [rows_for_scoring]
    for load in loaders:
        with suppress(SpiqaTasksError, OSError):
            rows = load(task.benchmark_name, task.split, task.settings_text)
            return {question_of(row): row for row in rows}
    return {}


def _rows_of(run: Run) -> dict[str, Row]:
    """Return question id -> row, without pictures, of questions that only the run's file has."""
    return {
        answer.id: {
            "question": answer.question,
            "images": [],
            "letters": answer.options,
            "options": answer.options.values(),
        }
        for answer in run.by_id.values()
    }


def _logged(run: Run) -> dict[str, tuple[str, str]]:
    """Return question id -> (response, prompt) as logged.

    A question asked once per figure has its responses on lines, and the first prompt.
    """
    responses = defaultdict(list)
    prompts: dict[str, str] = {}
    for record in run.records:
        question = str(record.details.get("question_id", record.id))
        part = record.id.removeprefix(question).strip("/")
        answer = run.by_id[record.id]
        text = answer.response.text
        responses[question].append(f"{part}: {text}" if part else text)
        prompts.setdefault(question, _cut(answer.question))

    return {key: ("\n".join(texts), prompts[key]) for key, texts in responses.items()}


def _cut(prompt: str) -> str:
    """Return the beginning of a long prompt, with how many characters are left out."""
    if len(prompt) <= PROMPT:
        return prompt
    return f"{prompt[:PROMPT]} ... ({len(prompt) - PROMPT:,} characters more)"


def _scores(run: Run) -> dict[str, float | None]:
    """Return question id -> score by the headline or None, also if the run's value is withheld."""
    if not run.metrics:
        return {}

    metric = run.metrics[0]
    scores = {record.id: record.scores.get(metric.name) for record in run.questions}
    # The metric makes one score of several verdicts on an answer.
    return {**scores, **metric.compute(run.record_set.members(metric)).scores}


def _question(row: Row | None, record: Record, numbers: Numbers | None) -> dict[str, Any]:
    """Return a sample's question, reference, groups, figures and options; of an unknown row only
    what the record has.
    """
    fields: dict[str, Any] = {
        "reference": record.reference,
        "groups": list(record.groups.values()),
    }
    if row is None:
        return fields

    fields["question"] = row["question"]
    if "figures" in row:
        fields["figures"] = [
            [
                _number_of(figure["path"], numbers),
                figure["caption"],
                int(figure["file"] in row["referred"]),
            ]
            for figure in row["figures"]
        ]
    else:
        fields["figures"] = _images(row, numbers)
        if not all(text in row["question"] for text in row["options"]):
            lettered = zip(row["letters"], row["options"], strict=True)
            fields["options"] = [f"{letter}: {text}" for letter, text in lettered]
    return fields


def _images(row: Row, numbers: Numbers | None) -> list[list[Any]]:
    """Return [picture's number, letter, 1 if it is the right option else 0] of each image."""
    are_options = len(row["images"]) == len(row["letters"])
    letters = row["letters"] if are_options else [""] * len(row["images"])
    return [
        [_number_of(path, numbers), letter, int(letter == row["answer"])]
        for path, letter in zip(row["images"], letters, strict=True)
    ]


def _number_of(path: str, numbers: Numbers | None) -> int | None:
    """Return the number of a picture, after adding a new one to `numbers`; None without either."""
    if numbers is None or not path:
        return None
    return numbers.setdefault(path, len(numbers))


def _answer(record: Record, response: str, score: float | None) -> dict[str, Any]:
    """Return the fields of an answer that are known."""
    fields = {
        "response": response,
        "extracted": record.prediction,
        "rule": record.rule,
        "status": record.status,
        "reason": record.reason,
        "refused": record.refused or None,
        "judge": list(record.verdicts) or None,
        "scores": dict(record.scores) if len(record.scores) > 1 else None,
        "score": score,
    }
    return {name: value for name, value in fields.items() if value is not None}
