"""`score`: answers that exist already, scored by the code of the hooks, as a whole or by group."""

import argparse
import dataclasses
import functools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from spiqa_tasks.benchmarks.aggregation import prepare
from spiqa_tasks.benchmarks.summary import remarks_on
from spiqa_tasks.benchmarks.task import Task
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
from spiqa_tasks.runs.join import join_questions, task_questions
from spiqa_tasks.runs.loading import unscored_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.scoring import Unjudged, is_complete, write_runs

_REMEDIES = {
    "judge_failed": ("could not be judged", "Score again: only these are asked."),
    "request_failed": (
        "are none of the model's but failed requests",
        "They have no score: ask the model again.",
    ),
}
_Answers = list[tuple[str, Unjudged]]
"""Unscored answers to a task, each with the name of the judge that will be asked, or ''."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    about = (
        "the task or group that the answers are of, or its YAML; or a RUN, whose tasks are known; or answers that need "
        "no task: rows of question, reference and prediction"
    )
    parser.add_argument("task", metavar="TASK", help=about)
    about = (
        "samples of lmms-eval, jsonl of id and prediction, SPIQA's response files, a table (xlsx, tsv, json), or the "
        "output folder of a host; one per model"
    )
    parser.add_argument("predictions", nargs="*", type=Path, metavar="PREDICTIONS", help=about)
    about = (
        "what the columns of a file in a form of its own are called, such as "
        "prediction=answer,reference=ground_truth,figures=selected_figures (docs/answers.md)"
    )
    add_columns(parser, about)
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
    if arguments.by is not None and (runs := grouping.scored_runs(arguments)) is not None:
        return 0 if grouping.show_groups(arguments, runs) else 3
    tasks: list[tuple[_Answers, list[Judge]]] = []
    all_there = True
    for task, given in _given(arguments):
        try:
            tasks.append(_unscored(arguments, task, given))
        except JudgeError as error:
            if arguments.judge or grouping.names_task(arguments):
                raise
            say(f"{task.name}: {error}", *_recorded_judge(given))
            all_there = False
            without = argparse.Namespace(**{**vars(arguments), "judge": ["none"]})
            tasks.append(_unscored(without, task, given))
    if arguments.dry_run:
        return 0
    results = [_scored(arguments, answers) for answers, _ in tasks]
    if arguments.by is not None:
        grouping.show_groups(arguments, [run for each in results for run in each])
    elif arguments.format == "json":
        objects = [score_tables.as_json(each) for each in results]
        print(as_json(objects[0] if len(objects) == 1 else objects))
    elif arguments.format == "csv":
        print(as_csv([row for each in results for row in score_tables.rows(each)]))
    elif results:
        print("\n\n".join(score_tables.as_text(each, arguments.format) for each in results))
        if len(results) > 1:
            print(
                f"\n{score_tables.models_table(score_tables.of_one_model(results), arguments.format)}"
            )
    if arguments.output is not None:
        scored = [run for found in results for run in found]
        say(*(f"wrote {path}." for path in write_runs(scored, arguments.output)))
    kept = all_stored(judge for _, judges in tasks for judge in judges)
    return (
        0 if kept and all_there and all(is_complete(run) for each in results for run in each) else 3
    )


def _unscored(
    arguments: argparse.Namespace, task: Task, given: Sequence[Run]
) -> tuple[_Answers, list[Judge]]:
    """Return the answers and their judges, all tested; with `--dry-run` print the forecast instead."""
    judges = chosen_judges(task, arguments, os.environ)
    asked: dict[str, Judge | None] = dict(judges.items()) or {"": None}
    answers = [(name, scoring.read(each, judge)) for each in given for name, judge in asked.items()]
    for scorer in [read.scorer for _, read in answers if not read.scorer.metrics][:1]:
        why = scorer.why_not(scorer.benchmark.metrics(scorer.settings)[0])
        raise InputError(
            f"Expected --metrics of {task.name} that can be computed; found none: {why}. Name others."
        )
    requests: dict[str, list[JudgeRequest]] = {name: [] for name in asked}
    for name, read in answers:
        requests[name] += read.scorer.requests(read.records)
    estimates = {name: judge.estimate(requests[name]) for name, judge in judges.items()}
    if arguments.dry_run:
        print(forecast(arguments, estimates, {"task": task.name}))
        return answers, []

    for name, judge in judges.items():
        if estimates[name].calls:
            judge.preflight()
    return answers, list(judges.values())


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


def _given(arguments: argparse.Namespace) -> list[tuple[Task, list[Run]]]:
    """Return each task with the answers to it: those named, or the runs at a path.

    Raises InputError: neither a task nor a run.
    """
    as_runs = grouping.as_runs(arguments)
    wanted = selection(as_runs)
    is_named = grouping.names_task(arguments)
    if not is_named and not as_runs.runs[0].path.exists():
        alone = f"{arguments.task} alone, no file or folder"
        raise InputError(
            f"Expected TASK PREDICTIONS..., or a RUN; found {alone}. Or name the answers to the task."
        )
    named = (list(map(RunPath, arguments.predictions)), wanted, arguments.task)
    found, remarks = unscored_runs(*named) if is_named else unscored_runs(as_runs.runs, wanted)
    say(*remarks)
    if arguments.rule is not None:
        found = [(_with_rule(task, arguments.rule), runs) for task, runs in found]
    if arguments.metrics and grouping.ALL not in arguments.metrics:
        found = [(task.with_metrics(arguments.metrics), runs) for task, runs in found]
    for task, _ in found if arguments.judge else ():  # before any file is matched
        chosen_judges(task, arguments, os.environ)
    accept = arguments.accept_differences
    rows_of = functools.cache(task_questions)  # shared by the files of a task
    joined = []
    for task, runs in found:
        pairs = [join_questions(run, task, accept, rows_of, wanted.subset) for run in runs]
        say(*(remark for _, remarks in pairs for remark in remarks))
        joined.append((task, [run for run, _ in pairs]))
    differ = [
        task.name
        for task, of in joined
        if len({row["data"] for each in of for row in each.rows[:1]}) > 1
    ]
    say(
        *(
            f"{name}: the files have different questions, so that their values do not compare."
            for name in differ
        )
    )
    return joined


def _with_rule(task: Task, rule: str) -> Task:
    if "rule" not in task.benchmark.scoring:
        raise InputError(
            f"Expected no --rule for {task.name}, which has no free answers; found {rule}. Leave it out."
        )
    return dataclasses.replace(task, settings_text=f"{task.settings_text},rule={rule}".strip(","))


def _recorded_judge(given: Sequence[Run]) -> Iterable[str]:
    for name, host in dict.fromkeys((run.judge_name, run.signature.judge_host) for run in given):
        if name:
            place = f" at {host}" if host else ""
            yield f"These answers were judged by {name}{place}: --judge {name} asks it again. Scored without a judge."
        else:
            yield "Scored without a judge; --judge PROVIDER:MODEL[@URL] names one."


def _failures(run: Run) -> Iterable[str]:
    for status, (what, remedy) in _REMEDIES.items():
        failed = [record for record in run.records if record.status == status]
        if failed:
            yield (
                f"{run.task}: {run.name}: {len(failed)} of {counted(len(run.records), 'answer')} {what}, the first "
                f"{failed[0].id}: {str(failed[0].reason).rstrip('. ')}. {remedy}"
            )
