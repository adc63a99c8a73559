"""`score`: answers that exist already, scored by the code of the hooks, as a whole or by group."""

import argparse
import dataclasses
import functools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from spiqa_tasks.benchmarks.metric import prepare
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.summary import remarks_on
from spiqa_tasks.commands import grouping
from spiqa_tasks.commands.judge_options import add_rule_options, all_stored, chosen_judges, forecast
from spiqa_tasks.commands.run_arguments import add_columns, add_include_path, add_part, selection
from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.files.atomic import check_folder
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.printable import counted, say
from spiqa_tasks.report import score_tables
from spiqa_tasks.report.printer import add_format, as_csv, as_json
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.join import Joined, join_questions, task_questions
from spiqa_tasks.runs.loading import ByTask, unscored_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.scoring import Unjudged, is_complete, write_runs
from spiqa_tasks.runs.selection import Selection

_REMEDIES = {
    "judge_failed": ("could not be judged", "Score again: only these are asked."),
    "request_failed": (
        "are none of the model's but failed requests",
        "They have no score: ask the model again.",
    ),
}
# Unscored answers to a task, each with the name of the judge that will be asked, or ''.
_Answers = list[tuple[str, Unjudged]]


class _Batch(NamedTuple):
    """Unscored answers to a task, and the judges that will be asked."""

    answers: _Answers
    judges: list[Judge]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    about = (
        "the task or group that the answers are of, or its YAML; or a RUN, whose tasks are known;"
        " or answers that need no task: rows of question, reference and prediction"
    )
    parser.add_argument("task", metavar="TASK", help=about)
    about = (
        "samples of lmms-eval, jsonl of id and prediction, SPIQA's response files, a table (xlsx,"
        " tsv, json), or the output folder of a host; one per model"
    )
    parser.add_argument("predictions", nargs="*", type=Path, metavar="PREDICTIONS", help=about)
    add_columns(parser)
    about = "score answers to other questions, true answers, options or figures as the release's"
    parser.add_argument("--accept-differences", action="store_true", help=about)
    parser.add_argument(
        "--task", action="append", default=[], dest="only", help="of a RUN, only this task"
    )
    about = "compute only these (default: all; with --by the headline)"
    parser.add_argument("--metrics", type=_names, default=[], metavar="NAME,...", help=about)
    grouping.add_options(parser)
    add_include_path(parser)
    add_part(parser)
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="write results and samples as lmms-eval does"
    )
    add_format(parser)
    judging = parser.add_argument_group("judge")
    about = (
        "judge of L3Score, or none; with @URL one at a server of its own; "
        "several are compared (default: SPIQA_JUDGE)"
    )
    judging.add_argument("--judge", action="append", metavar="PROVIDER:MODEL[@URL]", help=about)
    add_rule_options(judging)
    judging.add_argument(
        "--dry-run", action="store_true", help="say how many calls, tokens and dollars; ask nothing"
    )


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def run(arguments: argparse.Namespace) -> int:
    """Score and print; 0 if each question has a scored answer and each verdict is stored, else 3.

    With `--partial`, questions may be without an answer.
    Of a RUN's tasks, those whose judge cannot be asked are scored without it.
    """
    if arguments.output is not None:
        check_folder(arguments.output)
    if arguments.by is not None:
        runs = grouping.scored_runs(arguments)
        if runs is not None:
            return 0 if grouping.show_groups(arguments, runs) else 3

    batches, all_judged = _batches(arguments)
    if arguments.dry_run:
        return 0
    results = [_scored(arguments, batch.answers) for batch in batches]
    _print(arguments, results)

    scored = [run for of_task in results for run in of_task]
    if arguments.output is not None:
        say(*(f"wrote {path}." for path in write_runs(scored, arguments.output)))
    is_whole = all_judged and _is_whole(batches, scored)
    return 0 if is_whole else 3


def _is_whole(batches: Sequence[_Batch], scored: Sequence[Run]) -> bool:
    stored = all_stored(judge for batch in batches for judge in batch.judges)
    return stored and all(map(is_complete, scored))


def _batches(arguments: argparse.Namespace) -> tuple[list[_Batch], bool]:
    """The answers to each task, and whether the judges of all can be asked."""
    batches = []
    all_judged = True
    for task, given in _given(arguments):
        try:
            batches.append(_unscored(arguments, task, given))
        except JudgeError as error:
            if arguments.judge or grouping.names_task(arguments):
                raise
            say(f"{task.name}: {error}", *_recorded_judge(given))
            all_judged = False
            without = argparse.Namespace(**{**vars(arguments), "judge": ["none"]})
            batches.append(_unscored(without, task, given))
    return batches, all_judged


def _print(arguments: argparse.Namespace, results: Sequence[Sequence[Run]]) -> None:
    form = arguments.format
    if arguments.by is not None:
        grouping.show_groups(arguments, [run for of_task in results for run in of_task])
    elif form == "json":
        objects = [score_tables.as_json(of_task) for of_task in results]
        print(as_json(objects[0] if len(objects) == 1 else objects))
    elif form == "csv":
        print(as_csv([row for of_task in results for row in score_tables.rows(of_task)]))
    elif results:
        print(_as_text(results, form))


def _as_text(results: Sequence[Sequence[Run]], form: str) -> str:
    tables = [score_tables.as_text(of_task, form) for of_task in results]
    if len(results) > 1:
        tables.append(score_tables.models_table(score_tables.of_one_model(results), form))
    return "\n\n".join(tables)


def _unscored(arguments: argparse.Namespace, task: Task, given: Sequence[Joined]) -> _Batch:
    """Return the answers and their judges, all tested; with `--dry-run` print the forecast."""
    judges = chosen_judges(task, arguments, os.environ)
    _check_extra(arguments, judges.values())
    asked: dict[str, Judge | None] = dict(judges.items()) or {"": None}
    answers = [(name, scoring.read(each, judge)) for each in given for name, judge in asked.items()]
    _check_metrics(task, answers)

    requests: dict[str, list[JudgeRequest]] = {name: [] for name in asked}
    for name, read in answers:
        requests[name] += read.scorer.requests(read.records)
    estimates = {name: judge.estimate(requests[name]) for name, judge in judges.items()}
    if arguments.dry_run:
        print(forecast(arguments, estimates, {"task": task.name}))
        return _Batch(answers, [])

    for name, judge in judges.items():
        if estimates[name].calls:
            judge.preflight()
    return _Batch(answers, list(judges.values()))


def _check_extra(arguments: argparse.Namespace, judges: Iterable[Judge]) -> None:
    configs = [judge.config for judge in judges]
    if not arguments.judge_extra or any(config.extra for config in configs):
        return
    names = ", ".join(config.name for config in configs) or "none"
    raise InputError(
        "Expected a judge at an address of its own (provider:model@URL), or in this process, for "
        f"--judge-extra; found {names}. Leave it out."
    )


def _check_metrics(task: Task, answers: _Answers) -> None:
    for _, read in answers:
        if not read.scorer.metrics:
            first, *_ = read.scorer.benchmark.metrics(read.scorer.settings)
            raise InputError(
                f"Expected --metrics of {task.name} that can be computed; found none: "
                f"{read.scorer.why_not(first)}. Name others."
            )


def _scored(arguments: argparse.Namespace, answers: _Answers) -> list[Run]:
    prepare((read.scorer.metrics, read.records) for _, read in answers if read.scorer.join is None)
    results = []
    for name, read in answers:
        run = dataclasses.replace(scoring.score(read, name), partial=arguments.partial)
        say(*scoring.differences(read.run, run))
        say(*_failures(run))
        say(*(f"{run.name}: {remark}" for remark in remarks_on(run.own.benchmark, run.records)))
        results.append(run)
    return results


def _given(arguments: argparse.Namespace) -> list[tuple[Task, list[Joined]]]:
    """Return each task with the answers to it, joined to its questions."""
    wanted = selection(grouping.as_runs(arguments))
    found = [(_as_asked(arguments, task), runs) for task, runs in _named(arguments, wanted)]
    for task, _ in found:
        if arguments.judge:  # before any file is matched
            chosen_judges(task, arguments, os.environ)

    rows_of = functools.cache(task_questions)  # shared by the files of a task
    joined = []
    for task, runs in found:
        of_task = []
        for run in runs:
            answers, remarks = join_questions(
                run, task, arguments.accept_differences, rows_of, wanted.subset
            )
            say(*remarks)
            of_task.append(answers)
        joined.append((task, of_task))
        if len({each.rows[0]["data"] for each in of_task if each.rows}) > 1:
            say(
                f"{task.name}: the files have different questions, so that their values do not "
                "compare."
            )
    return joined


def _named(arguments: argparse.Namespace, wanted: Selection) -> ByTask:
    """Return the answers to the named task, or the runs at the paths.

    Raises InputError: neither a task nor a run.
    """
    as_runs = grouping.as_runs(arguments)
    if grouping.names_task(arguments):
        places = list(map(RunPath, arguments.predictions))
        found, remarks = unscored_runs(places, wanted, arguments.task)
    else:
        if not as_runs.runs[0].path.exists():
            raise InputError(
                f"There is no file or folder {arguments.task}. Name one, or a task and the answers "
                "to it."
            )
        found, remarks = unscored_runs(as_runs.runs, wanted)
    say(*remarks)
    return found


def _as_asked(arguments: argparse.Namespace, task: Task) -> Task:
    """The task with the rule and the metrics that the arguments name."""
    if arguments.rule is not None:
        task = _with_rule(task, arguments.rule)
    if arguments.metrics and grouping.ALL not in arguments.metrics:
        task = task.with_metrics(arguments.metrics)
    return task


def _with_rule(task: Task, rule: str) -> Task:
    if "rule" not in task.benchmark.scoring:
        raise InputError(
            f"Expected no --rule for {task.name}, which has no free answers; found {rule}. "
            "Leave it out."
        )
    return dataclasses.replace(task, settings_text=f"{task.settings_text},rule={rule}".strip(","))


def _recorded_judge(given: Sequence[Joined]) -> Iterable[str]:
    runs = [each.run for each in given]
    for name, host in dict.fromkeys((run.judge_name, run.signature.judge_host) for run in runs):
        if name:
            place = f" at {host}" if host else ""
            yield (
                f"These answers were judged by {name}{place}: --judge {name} asks it again. Scored"
                " without a judge."
            )
        else:
            yield "Scored without a judge; --judge PROVIDER:MODEL[@URL] names one."


def _failures(run: Run) -> Iterable[str]:
    for status, (what, remedy) in _REMEDIES.items():
        failed = [record for record in run.records if record.status == status]
        if failed:
            yield (
                f"{run.task}: {run.name}: {len(failed)} of {counted(len(run.records), 'answer')}"
                f" {what}, the first {failed[0].id}: {str(failed[0].reason).rstrip('. ')}. {remedy}"
            )
