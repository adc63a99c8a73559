"""Score the host's file of answers to one task, with the judge that the environment names."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.benchmarks.metric import RecordSet, Value
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.lmms_eval_files import LoggedAnswer, task_log, write_log
from spiqa_tasks.hosts.vlmevalkit.tasks import HOST
from spiqa_tasks.judge.judge import Judge, judge_of_environment
from spiqa_tasks.judge.types import JUDGE_VARIABLE, KEY_VARIABLE


def judge_of(task: Task, is_named: bool) -> Judge | None:
    """Return the judge of a task, or None; a new judge is asked one real question.

    `is_named`: the host's options name a judge. Raises InputError: they do, JudgeError: an unusable
    judge, or none if needed.
    """
    rule = task.benchmark.judge(task.settings)
    if rule is None:
        return None
    if is_named:
        raise InputError(
            f"Expected the judge of {task.name} in {JUDGE_VARIABLE}, found one in VLMEvalKit's"
            f" --judge or --judge-... options. Leave them out and set {JUDGE_VARIABLE}="
            f"provider:model@URL, or none; the key goes into {KEY_VARIABLE}."
        )
    return judge_of_environment(rule)


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
