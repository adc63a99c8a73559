"""Files of answers that people bring themselves, and their scored runs."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from spiqa_tasks.benchmarks.registry import Task, rows_for_scoring
from spiqa_tasks.benchmarks.scorer import Scorer, make_scorer
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.join import Joined, join_questions
from spiqa_tasks.runs.run import Answer, Run
from spiqa_tasks.runs.scoring import write_runs


def rows_of(task: Task) -> list[dict[str, Any]]:
    """Return a task's rows as scoring loads them."""
    return rows_for_scoring(task.benchmark_name, task.split, task.settings_text)


def right_answers(name: str) -> dict[str, str]:
    """Return the true answer to every question of a task, by id."""
    return {row["id"]: row["answer"] for row in rows_of(*find_tasks([name]))}


def scorer_of(task: Task, judge: Judge | None = None) -> Scorer:
    """Return a task's scorer."""
    return make_scorer(task.benchmark, task.settings_text, "offline", judge)


def matched(task: Task, answers: Mapping[str, str], form: str = "jsonl", **options: Any) -> Joined:
    """Return the answers of a model `m`, joined to the task's questions.

    `answers` is id -> text; `options` are fields of every `Response`.
    """
    responses = [
        Answer(key, replace(response_of(text), **options)) for key, text in answers.items()
    ]
    run = Run(task.name, Identity("m"), Path("m.jsonl"), form, lambda: responses)
    joined, _ = join_questions(run, task)
    return joined


def scored(name: str, answers: Mapping[str, str] | None = None, form: str = "jsonl") -> Run:
    """Return the scored answers to a task, id -> text; by default every answer is right."""
    (task,) = find_tasks([name])
    texts = right_answers(name) if answers is None else answers
    return scoring.score(scoring.read(matched(task, texts, form)))


def write_jsonl(path: Path, answers: Mapping[str, str] | Iterable[tuple[str, str]]) -> Path:
    """Write a line of id and prediction for each answer; return the file's path."""
    pairs = answers.items() if isinstance(answers, Mapping) else answers
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(json.dumps({"id": key, "prediction": text}) + "\n" for key, text in pairs)
    )
    return path


def mmstar_table(
    rows: Sequence[Mapping[str, Any]], predictions: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the table that VLMEvalKit writes of MMStar's answers: some predictions, and right ones
    for the other rows.
    """
    return pd.DataFrame(
        {
            "index": int(row["id"]),
            "question": row["question"],
            "answer": row["answer"],
            "category": row["category"],
            "l2_category": row["subcategory"],
            "prediction": predictions[place] if place < len(predictions) else row["answer"],
        }
        for place, row in enumerate(rows)
    )


def write_table(frame: pd.DataFrame, path: Path) -> Path:
    """Write a table in the format of the file's suffix; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    elif path.suffix == ".pkl":
        frame.to_pickle(path)
    elif path.suffix == ".json":
        frame.to_json(path, orient="records", indent=4, force_ascii=False)
    else:
        frame.to_csv(path, sep="\t", index=False, quoting=csv.QUOTE_ALL)
    return path


def samples_beside(results: Path, task: str) -> Path:
    """Return the samples file of a task beside a results file."""
    return results.with_name(results.name.replace("_results.json", f"_samples_{task}.jsonl"))


def write_run_file(folder: Path, task: str, model: str, answers: Mapping[str, str]) -> Path:
    """Write what `score --output` writes of a model's answers to a task; return the file's path."""
    (path,) = write_runs([replace(scored(task, answers), identity=Identity(model))], folder)
    return path
