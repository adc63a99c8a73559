"""Score the host's file of answers to one task, with the judge that the host's arguments name."""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.benchmarks.metric import RecordSet, Value
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.lmms_eval_files import LoggedAnswer, task_log, write_log
from spiqa_tasks.hosts.vlmevalkit.tasks import HOST
from spiqa_tasks.judge.judge import Judge, make_judge
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge
from spiqa_tasks.judge.types import DEFAULT_JUDGE, JUDGE_VARIABLE, JudgeConfig

# Judge names that switch judging off; the second is the host's.
NO_JUDGE = ("none", "exact_matching")


def judge_of(task: Task, arguments: Mapping[str, Any]) -> Judge | None:
    """Return the judge of a task, or None; a new judge is asked one real question.

    `arguments` are those that the host passes to `evaluate`. Raises JudgeError: an unusable judge,
    or none if needed.
    """
    rule = task.benchmark.judge(task.settings)
    if rule is None:
        return None
    model, url, key = (str(arguments.get(name) or "") for name in ("model", "api_base", "key"))
    return _judge(rule, model, url, key)


@cache
def _judge(rule: str, model: str, url: str, key: str) -> Judge | None:
    """Return the judge of `--judge` and its address, to score by a rule; None for `none`."""
    return make_judge(rule, config_of(model, url, key, os.environ))


def config_of(model: str, url: str, key: str, environ: Mapping[str, str]) -> JudgeConfig | None:
    """Return the judge's configuration, or None; empty arguments default to the SPIQA_JUDGE ones.

    `model` is `provider:model`, a model of OpenAI's protocol, or one of `NO_JUDGE`.
    Raises JudgeError.
    """
    if not (model or url or key):
        return judge_from_environ(environ)

    name = model or environ.get(JUDGE_VARIABLE, "").strip() or DEFAULT_JUDGE
    if name.lower() in NO_JUDGE:
        return None
    if name.partition(":")[0] not in PROVIDERS:
        name = f"openai:{name}"

    base_url = url.rstrip("/").removesuffix("/chat/completions") or None
    return parse_judge(name, base_url=base_url, api_key=key or None, environ=environ)


def scored(scorer: Scorer, rows: Sequence[Row], answers: Mapping[str, str]) -> list[LoggedAnswer]:
    """Return the answers (by id) scored, waiting for the judge.

    Questions without an answer are left out.
    """
    answered = [(position, row) for position, row in enumerate(rows) if row["id"] in answers]
    if not answered:
        raise InputError(
            "Expected answers to the task's questions, found none of them. Run the host again."
        )

    unscored = [scorer.record(row, response_of(answers[row["id"]])) for _, row in answered]
    return [
        LoggedAnswer(record, answers[row["id"]], position, str(row["question"]))
        for record, (position, row) in zip(scorer.score(unscored), answered, strict=True)
    ]


def write(
    folder: Path, model: str, task: Task, scorer: Scorer, answers: Sequence[LoggedAnswer]
) -> Mapping[str, Value]:
    """Write a run in lmms-eval's format; return the values of metrics and groups.

    Values over too few questions are withheld.
    """
    documents = [answer.record for answer in answers]
    records = RecordSet(documents, scorer.questions(documents), task.questions)
    rows = summary.rows_of(scorer.metrics, records)
    values = {name: records.value(*row) for name, row in rows.items()}

    more = {
        "judge": summary.merged_signature(documents).judge,
        **summary.score_object(task.name, records, values),
    }
    log = task_log(task, records, values, scorer.metrics, answers, more)
    write_log(folder, model, HOST, {task.name: log})
    return values
