"""Runs in lmms-eval's files, written by the host or by `score --output`.

Answers to this package's tasks have their records; those to a host's own tasks become records of
what the host logged.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.choice import OPTION_TEXTS
from spiqa_tasks.benchmarks.record import EMPTY, Record, Response
from spiqa_tasks.benchmarks.registry import ALL_BENCHMARKS, BENCHMARKS, Task, task_of
from spiqa_tasks.errors import InputError, SpiqaTasksError
from spiqa_tasks.files.json_text import conforms
from spiqa_tasks.hosts import lmms_eval_files
from spiqa_tasks.hosts.failed_requests import NULL, response_of
from spiqa_tasks.hosts.lmms_eval_files import LoggedSample, LoggedTask, Results
from spiqa_tasks.runs.identity import Identity, identity
from spiqa_tasks.runs.metric_values import LOGGED, is_reported, listed_metrics
from spiqa_tasks.runs.run import Answer, Origin, Reported, Run, canonical
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.refusals import is_refusal

# The forms: written by the host, or by `score --output`.
FORM, SCORED = FORMS = ("lmms-eval", "score")

# Logged `process_docs` of this package's own loader: the task then has all of its questions.
_OWN_LOADER = "<function load "

# What the host logs for a null, as reasoning models return that spent their tokens.
_NULL = "None"

# Fields of a host's logged metric that name a group of the question.
_GROUPS = ("category", "subdomain", "data_type", "l2_category", "L2-category")

# Fields of a host's logged metric with what the host read in the response.
_PREDICTIONS = ("pred", "parsed_pred", "prediction")

# The host's marks for a picture in a prompt, which are no part of the question.
_PLACEHOLDERS = re.compile(r"<image(?:[ _]?\d+)?>")


def runs_of(path: Path, results: Results) -> list[Run]:
    """Return the run to every task of a results file that was read.

    Raises InputError: another form of file.
    """
    with lmms_eval_files.named_if_broken(path):
        return [_run(path, results, task) for task in results.tasks]


def read_samples(path: Path) -> Run:
    """Return the run of a samples file, of the samples alone if no results file is beside it.

    lmms-eval called from Python may write samples alone: the folder of dated ones is called after
    the model.
    Raises InputError: samples of no benchmark.
    """
    beside = lmms_eval_files.results_beside(path)
    if beside.is_file():
        for run in runs_of(beside, lmms_eval_files.read_results(beside)):
            if path.name.endswith(f"{lmms_eval_files.SAMPLES}{run.task}.jsonl"):
                return run

    answers = benchmark_answers(path)
    records = [answer.record for answer in answers if answer.record is not None]
    signature = summary.merged_signature(records)
    if signature.benchmark not in ALL_BENCHMARKS:
        raise InputError(
            f"Expected samples of {', '.join(BENCHMARKS)} in {path}, found those of "
            f"{signature.benchmark or 'another task'}. Name the results file of the same run, "
            "or columns: --columns question=input,reference=target,prediction=filtered_resps."
        )

    date = lmms_eval_files.date_of(path.name)
    model = path.stem if date is None else path.resolve().parent.name
    name = lmms_eval_files.task_in_name(path)
    task = Task(name, signature.benchmark, signature.split, signature.settings)
    return Run(
        task.name,
        Identity(model),
        path,
        FORM,
        lambda: answers,
        benchmark_task_or_none=task,
        asked=task.questions,
        answered=len(answers),
    )


def _run(path: Path, results: Results, task: LoggedTask) -> Run:
    """Return the run of one task of a results file; its samples are read when they are needed."""
    ours = _benchmark_task(task.config)
    if ours is None:
        asked = task.questions
        read = partial(_host_answers, task)
    else:
        asked = _asked(ours, task)
        read = partial(benchmark_answers, task.samples)
    is_logged = task.samples.is_file()

    origin = Origin(
        config=task.config,
        conditions=results.conditions,
        date=results.date,
    )
    sizes = task.summary.get("groups", {})
    reported = Reported(
        values=task.values,
        sizes={str(group): int(size) for group, size in sizes.items()},
        judge=str(task.summary.get("judge", "")),
    )
    return Run(
        task.name,
        identity(results.model, results.model_args),
        path,
        SCORED if task.summary else FORM,
        read if is_logged else list,
        benchmark_task_or_none=ours,
        asked=asked,
        answered=task.answered,
        logged=is_logged,
        origin=origin,
        reported=reported,
    )


def _benchmark_task(config: Mapping[str, Any]) -> Task | None:
    """Return the task of a YAML's values; None for a host's, or with another version's settings."""
    try:
        task = task_of(config)
        if task is None:
            return None
        return replace(task, settings_text=settings_text(task.settings))
    except SpiqaTasksError:
        return None


def _asked(task: Task, logged: LoggedTask) -> int:
    """Return the number of the task's questions: the release's, unless a hook left some out."""
    loader = str(logged.config.get("process_docs", _OWN_LOADER))
    is_filtered = "kept" in (logged.config.get("metadata") or {})
    if is_filtered or not loader.startswith(_OWN_LOADER):
        return logged.questions or task.questions
    return task.questions


# Answers to tasks of this package


def benchmark_answers(path: Path) -> list[Answer]:
    """Return the logged answers to a task of this package.

    Those of --predict_only have no records and no ids: their documents are known by position.
    Raises InputError: a line that is no sample of such a task.
    """
    answers: list[Answer] = []
    for number, sample in lmms_eval_files.read_samples(path):
        try:
            answer = _benchmark_answer(sample)
            if answers and answers[0].record is not None and answer.record is None:
                raise ValueError("no record with an id")
            answers.append(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"Expected line {number} of {path} to be a sample of one of this package's tasks, "
                f"found {error}. Name the samples file of such a task."
            ) from error
    return answers


def _benchmark_answer(sample: LoggedSample) -> Answer:
    """Return the answer in a sample of one of our tasks. Raises ValueError: none, or changed."""
    record = Record.of_sample(sample.values)
    if not isinstance(sample.response, str):
        raise ValueError("no answer")

    if record is None:
        response = response_of("" if sample.response == _NULL else sample.response)
        return Answer("", response, None, sample.position, sample.prompt, (sample.target,))

    if record.reference and canonical(sample.target) != canonical(record.reference):
        raise ValueError(
            f"the target {sample.target!r:.60} beside the reference {record.reference!r:.60}"
        )
    options = record.details.get(OPTION_TEXTS, {})
    if not conforms(options, Mapping[str, str]):
        raise ValueError(f"the options {options!r:.60}")
    return Answer(
        record.id,
        _logged_response(sample.response, record),
        record,
        sample.position,
        sample.prompt,
        (sample.target,),
        options,
    )


def _logged_response(text: str, record: Record) -> Response:
    """Return the response that a record was made of, with the figures in the order shown."""
    is_null = text in (_NULL, NULL) and not record.prediction
    failure = record.reason or text if record.status == "request_failed" else None

    # a document of one figure does not have all figures of its question
    figures = None if "step" in record.details else record.details.get("figures")
    shown = tuple(map(str, figures)) if isinstance(figures, list | tuple) else None
    return Response("" if is_null else text, failure, shown, record.details.get("truncated"))


# Answers to a host's own tasks


def _host_answers(task: LoggedTask) -> list[Answer]:
    """Return the answers to a host's task.

    A record has the scores that are logged, 0 to 1, and lists the host's metrics.
    """
    samples = [sample for _, sample in lmms_eval_files.read_samples(task.samples)]
    names = {name for sample in samples for name in sample.values}
    # older versions log hashes, and forks what they like, beside the metrics
    metrics = names & listed_metrics(task.config).keys() or names
    scored = {name: _has_scores(name, samples, task) for name in metrics}
    limit = (task.config.get("generation_kwargs") or {}).get("max_new_tokens")
    return [
        _host_answer(answer_id, sample, scored, limit)
        for answer_id, sample in zip(_ids_of(samples), samples, strict=True)
    ]


def _has_scores(name: str, samples: Sequence[LoggedSample], task: LoggedTask) -> bool:
    """Return whether the host logs scores of a metric, or reports the mean of those read here."""
    values = [sample.values[name] for sample in samples if name in sample.values]
    for value in values:
        if isinstance(value, int | float) or (isinstance(value, dict) and "score" in value):
            return True
    if name not in task.values:
        return False
    mean = sum(score_of(value) or 0.0 for value in values) / len(values)
    return is_reported(task.name, task.config, task.values[name], name, mean)


def score_of(logged: Any) -> float | None:
    """Return the score in a metric's value of one question, 0 to 1; None if it has none.

    Known: a number or truth value, a mapping with `score` or `true_false`, or one of answer and
    prediction, which is read by `extract_choice` if it has the options, too (`A`, `B`, ...).
    """
    if not isinstance(logged, dict):
        is_share = isinstance(logged, int | float) and 0 <= logged <= 1
        return float(logged) if is_share else None

    score = logged.get("score", logged.get("true_false"))
    if score is not None:
        return score_of(score)

    predicted = [logged[name] for name in _PREDICTIONS if name in logged]
    if not predicted or predicted[0] is None or logged.get("answer") is None:
        return None
    return _score_of_choice(predicted[0], logged["answer"], logged)


def _score_of_choice(predicted: Any, answer: Any, logged: Mapping[str, Any]) -> float:
    """Return the score of what the host read in a response: 1 for the answer, 0 for another."""
    texts = {letter: str(logged[letter]) for letter in "ABCDE" if letter in logged}
    options = {letter: text for letter, text in texts.items() if text != "nan"}
    if options and isinstance(predicted, str):
        return float(extract_choice(predicted, options).letter == answer)
    return float(_folded(answer) in _flat(predicted))


def _ids_of(samples: Sequence[LoggedSample]) -> list[str]:
    """Return the ids of the samples, or their positions if what is logged as an id is none."""
    ids = [_id_of(sample) for sample in samples]
    positions = [str(sample.position) for sample in samples]
    return positions if len(set(ids)) < len(set(positions)) else ids


def _id_of(sample: LoggedSample) -> str:
    """Return the id in the first metric that has one, or the document's position."""
    for value in sample.values.values():
        if isinstance(value, dict) and "id" in value:
            return str(value["id"])
    return str(sample.position)


def _host_answer(
    answer_id: str, sample: LoggedSample, scored: Mapping[str, bool], limit: int | None
) -> Answer:
    """Return the answer in a sample of a task of the host, with the scores that it logged."""
    response = response_of("" if sample.response is None else str(sample.response))
    logged = [name for name in sample.values if name in scored]
    details: dict[str, Any] = {LOGGED: tuple(logged)}
    if sample.tokens is not None and isinstance(limit, int):
        details["truncated"] = sample.tokens >= limit

    record = Record(answer_id, reference=sample.target, groups=_groups(sample), details=details)
    if response.failure is not None:
        record = replace(record, status="request_failed", reason=response.failure)
    else:
        record = _read_record(record, response.text, sample, scored)
        record = _with_verdicts(record, sample)
    return Answer(
        answer_id, response, record, sample.position, _question(sample.prompt), (sample.target,)
    )


def _read_record(
    record: Record, text: str, sample: LoggedSample, scored: Mapping[str, bool]
) -> Record:
    """Return the record with the logged scores, and whether a wrong answer is none."""
    scores: dict[str, float] = {}
    for name, logged in sample.values.items():
        score = score_of(logged)
        if scored.get(name) and score is not None:
            scores[name] = score

    if any(scores.values()):
        return replace(record, scores=scores)
    rule = "empty" if text.strip().lower() in EMPTY else None
    return replace(record, scores=scores, rule=rule, refused=is_refusal(text))


def _with_verdicts(record: Record, sample: LoggedSample) -> Record:
    """Return the record with the verdicts, or their failure, that our open-answer hook logged."""
    hooked = Record.of_sample(sample.values)
    if hooked is None or not hooked.signature:
        return record
    return replace(
        record,
        status=hooked.status,
        reason=hooked.reason,
        verdicts=hooked.verdicts,
        signature=hooked.signature,
    )


def _question(prompt: str) -> str:
    """Return the prompt without placeholders of pictures; options end with their lines."""
    lines = (" ".join(line.split()) for line in _PLACEHOLDERS.sub(" ", prompt).splitlines())
    return "\n".join(filter(None, lines))


def _groups(sample: LoggedSample) -> dict[str, str]:
    """Return kind -> name of the groups in the first metric that names any, each name once."""
    for value in sample.values.values():
        groups: dict[str, str] = {}
        for kind in _GROUPS:
            name = value.get(kind) if isinstance(value, dict) else None
            if name and str(name) not in groups.values():
                groups[kind] = str(name)
        if groups:
            return groups
    return {}


def _flat(value: Any) -> list[str]:
    """Return the texts in nested lists, in lower case."""
    if isinstance(value, list):
        return [text for item in value for text in _flat(item)]
    return [_folded(value)]


def _folded(value: Any) -> str:
    """Return a value as text, without case and outer blanks."""
    return str(value).strip().lower()
