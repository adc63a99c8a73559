"""`score`: answers that exist already, scored by the code of the hooks, as a whole or by group.

A RUN that has scores, of a judge if its task needs one, is printed as it is, as by the other
commands. Options of scoring, and a TASK that is named, score it again (`_is_scoring`).
`_print_groups` prints values by group, `_print_reported` those of a host's own tasks.
"""

import argparse
import dataclasses
import functools
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.analysis.breakdown import values_by
from spiqa_tasks.analysis.merging import GROUP
from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.answers import FREE_ANSWERS
from spiqa_tasks.benchmarks.metric import Metric, prepare
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.commands.judge_options import (
    add_judge_options,
    all_stored,
    check_use,
    chosen_judges,
    expected_calls,
    forecast,
)
from spiqa_tasks.commands.run_arguments import (
    add_columns,
    add_include_path,
    add_part,
    as_shown,
    runs_by_path,
    say_remarks,
    selection,
)
from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.files.atomic import check_folder
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.printable import counted, say
from spiqa_tasks.report.printer import Table, add_format, render
from spiqa_tasks.report.tables import group_labels
from spiqa_tasks.report.values import PART, VALUE, models_table, score_table
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.frame import frame_of, group_columns
from spiqa_tasks.runs.join import Joined, join_questions, task_questions
from spiqa_tasks.runs.loading import ByTask, lacks_judge, runs_by_task
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.scoring import Unjudged, is_complete, write_runs
from spiqa_tasks.runs.selection import LeftOut, Selection, remarks_on_answers, with_unique_labels

# Value of `--metrics` for all metrics.
ALL = "all"

# Status of answers without a score -> the verb of a remark on them, and the remedy.
REMEDIES = {
    "judge_failed": ("could not be judged", "Score again with --judge: only these are asked."),
    "request_failed": (
        "are failed requests, not the model's",
        "They have no score: ask the model again.",
    ),
}

# Each task, the paths of its runs, those that have scores, and the others joined to its questions.
Answered = list[tuple[Task, list[Path], list[Run], list[Joined]]]


class Batch(NamedTuple):
    """A task's runs that have scores, unscored answers to it, the judges to ask about these, and
    a row for each judge with the calls that this takes; `paths` are in the order of the runs.
    """

    paths: list[Path]
    stored: list[Run]
    answers: list[Unjudged]
    judges: list[Judge]
    calls: list[dict[str, Any]]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "first",
        metavar="TASK",
        help=(
            "the task or group that PREDICTIONS answer; or a file that needs no task: rows of"
            " question, reference and prediction; or RUNs, whose scores are printed (--judge,"
            " --rule and --output score again)"
        ),
    )
    parser.add_argument(
        "predictions",
        nargs="*",
        type=Path,
        default=[],
        metavar="PREDICTIONS",
        help=(
            "one file or folder per model: lines or a table (jsonl, csv, xlsx, ...) of id and"
            " prediction, samples of lmms-eval, SPIQA's response files, or a host's output folder"
        ),
    )
    add_columns(parser)
    parser.add_argument(
        "--accept-differences",
        action="store_true",
        help=(
            "score answers whose questions, true answers, options or figures are not the release's"
        ),
    )
    parser.add_argument(
        "--task", action="append", default=[], metavar="TASK", help="only this task of the RUNs"
    )
    parser.add_argument(
        "--metrics",
        type=_names,
        default=[],
        metavar="NAME,...",
        help=(
            "compute only these, or all (default: the task's, without a task those that need no"
            " Java; with --by the headline)"
        ),
    )
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help=(
            "print values by a column of the answers (category, figure_type, source, ...), or by"
            " all of them (group); RUNs keep their scores"
        ),
    )
    add_include_path(parser)
    add_part(parser)
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="write results and samples as lmms-eval does"
    )
    add_format(parser)
    add_judge_options(parser.add_argument_group("judge"))


def _names(text: str) -> list[str]:
    """Return the names in `a,b`; [] for ''."""
    return [name for name in text.split(",") if name]


def run(arguments: argparse.Namespace) -> int:
    """Score answers, and print their values.

    Return 0 if every question has a scored answer (with `--partial` every answer a score) and every
    verdict was stored, else 3. If the judge of one task of a RUN cannot be asked, its other tasks
    are scored all the same.
    """
    if arguments.output is not None:
        check_folder(arguments.output)
    arguments.named_task, arguments.runs = _task_and_paths(arguments)
    is_scoring = _is_scoring(arguments)
    if arguments.by is not None:
        arguments.columns = dataclasses.replace(arguments.columns, by=arguments.by)
        if not (is_scoring or arguments.dry_run):
            return _print_groups(arguments, _logged_runs(arguments))

    wanted = selection(arguments)
    by_task, remarks = runs_by_task(arguments.runs, wanted, arguments.named_task, not is_scoring)
    if not by_task:
        return _print_reported(arguments)

    by_task = _suited(arguments, by_task)
    say_remarks(arguments, remarks)
    batches = [_batch(arguments, *each) for each in _answered(arguments, wanted, by_task)]
    if arguments.dry_run:
        print(forecast(arguments.format, [row for batch in batches for row in batch.calls]))
        return 0
    return _score(arguments, batches)


def _task_and_paths(arguments: argparse.Namespace) -> tuple[str, list[RunPath]]:
    """Return the task of `score TASK PREDICTIONS...`, or '' for RUNs, and the paths of the answers.

    Raises InputError: neither a task nor a run.
    """
    first, others = arguments.first, arguments.predictions
    if first.endswith(".yaml"):
        raise InputError(
            f"Expected a task or answers, found the YAML {first}. Name the task in it, and its"
            " folder with --include-path."
        )
    tasks, groups = catalogue(arguments.include_path)
    exists = RunPath.parse(first).path.exists()
    if others and (first in {**tasks, **groups} or not exists):
        return first, list(map(RunPath, others))
    if not exists:
        raise InputError(
            f"There is no file or folder {first}. Name one, or a task and the answers to it."
        )
    return "", [RunPath.parse(str(path)) for path in (first, *others)]


def _score(arguments: argparse.Namespace, batches: Sequence[Batch]) -> int:
    """Score and print the answers to each task; return the exit status."""
    results = [_scored(arguments, batch) for batch in batches]

    scored = [run for of_task in results for run in of_task]
    # the files come first, as `head` closes the pipe before a table ends; the table
    # is printed also if the disk is full
    try:
        if arguments.output is not None:
            say(*(f"wrote {path}." for path in write_runs(scored, arguments.output)))
    finally:
        _print(arguments, results)
    is_whole = all(all_stored(batch.judges) for batch in batches) and all(map(is_complete, scored))
    return 0 if is_whole else 3


def _print_reported(arguments: argparse.Namespace) -> int:
    """Print the values of a host's own tasks; return 0 if none is withheld, else 3."""
    runs = _logged_runs(arguments)
    if _is_scoring(arguments) or arguments.dry_run:
        tasks = ", ".join(sorted({run.task for run in runs}))
        raise InputError(
            f"Expected answers to this package's tasks, to be scored; found those to {tasks}. "
            "`score RUN` alone prints what they have."
        )

    arguments.by = ""
    arguments.metrics = arguments.metrics or [ALL]
    return _print_groups(arguments, runs)


def _logged_runs(arguments: argparse.Namespace) -> list[Run]:
    """Return the RUNs that have samples, also of a host's tasks. Raises InputError: none has."""
    runs = runs_by_path(arguments)
    say(*remarks_on_answers(as_shown(arguments, runs)))
    logged = [run for run in runs if run.records]
    if not logged:
        raise InputError("No run has samples to score. Run it again with --log_samples.")
    return logged


def _answered(arguments: argparse.Namespace, wanted: Selection, by_task: ByTask) -> Answered:
    """Return each task with its runs that have scores, and the others joined to its questions."""
    questions_of = functools.cache(task_questions)  # The files of a task share its questions.
    answered = []
    for task_of_runs, runs in by_task:
        task = _with_metrics(task_of_runs, arguments.metrics)
        stored = []
        joined = []
        for run in runs:
            # SPIQA_JUDGE, which may have been set for other answers, asks no other judge
            if not _is_scoring(arguments) and run.has_samples and not lacks_judge(run):
                own = _with_metrics(run.benchmark_task, arguments.metrics)
                scored = dataclasses.replace(run, benchmark_task_or_none=own)
                stored.append(scoring.as_stored(wanted.part_of(scored)))
                continue
            answers, remarks = join_questions(
                run, task, arguments.accept_differences, questions_of, wanted.subset
            )
            say(*remarks)
            joined.append(answers)

        data = {answers.rows[0]["data"] for answers in joined if answers.rows}
        if len(data) > 1:
            say(
                f"{task.name}: the files have different questions, so that their values do not "
                "compare."
            )
        answered.append((task, [run.path for run in runs], stored, joined))
    return answered


def _batch(
    arguments: argparse.Namespace,
    task: Task,
    paths: list[Path],
    stored: list[Run],
    joined: Sequence[Joined],
) -> Batch:
    """Return the batch of a task; of a RUN whose judge cannot be asked, without a judge."""
    try:
        judges = chosen_judges(task, arguments, os.environ) if joined else {}
        answers, calls = _unscored(arguments, task, joined, judges)
    except JudgeError as error:
        if arguments.judge or arguments.named_task:
            raise
        remark = f"{task.name}: {error} Scored without it; --judge PROVIDER:MODEL[@URL] names one."
        say_remarks(arguments, [LeftOut(remark)])
        judges = {}
        answers, calls = _unscored(arguments, task, joined, judges)
    return Batch(paths, stored, answers, [*judges.values()], calls)


def _is_scoring(arguments: argparse.Namespace) -> bool:
    """Return whether an option asks that RUNs are scored again, whatever scores they have."""
    # with --by, a single --judge selects among the scores that RUNs have
    most_judges = 0 if arguments.by is None else 1
    scoring_options = (
        arguments.named_task,
        arguments.rule,
        arguments.output,
        arguments.accept_differences,
        len(arguments.judge or ()) > most_judges,
    )
    return any(scoring_options)


def _suited(arguments: argparse.Namespace, by_task: ByTask) -> ByTask:
    """Return the tasks with the rule that is named, without those that have no metric of
    `--metrics`: the tasks of a RUN differ.

    Raises InputError: a judge, a rule or a metric that none of them has a use for.
    """
    ruled = [(_with_rule(task, arguments.rule), runs) for task, runs in by_task]
    tasks = [task for task, _ in ruled]
    check_use(tasks, arguments)

    wanted = {*arguments.metrics} - {ALL}
    known = {name for task in tasks for name in task.metric_names}
    if unknown := wanted - known:
        tasks[0].with_metrics(sorted(unknown))
    return [each for each in ruled if not wanted or wanted & {*each[0].metric_names}]


def _with_rule(task: Task, rule: str | None) -> Task:
    """Return the task with a rule, if it has free answers."""
    if rule is None or "rule" not in task.benchmark.scoring:
        return task
    return dataclasses.replace(task, settings_text=f"{task.settings_text},rule={rule}".strip(","))


def _with_metrics(task: Task, named: Sequence[str]) -> Task:
    """Return the task with those of its metrics that are named, or all."""
    names = [name for name in named if name in task.metric_names]
    if not named and task.benchmark is FREE_ANSWERS:
        # Answers without a task are scored at once, not after Java has started.
        names = [metric.name for metric in task.metrics if metric.needs != "text programs"]
    return task if ALL in named or not names else task.with_metrics(names)


def _unscored(
    arguments: argparse.Namespace,
    task: Task,
    joined: Sequence[Joined],
    judges: Mapping[str, Judge],
) -> tuple[list[Unjudged], list[dict[str, Any]]]:
    """Return answers with their records, for each judge, and the `expected_calls`.

    Each judge has answered its test questions. Raises JudgeError: one has not.
    """
    # Without a judge, the metrics that need none are computed all the same.
    judge_of: Mapping[str, Judge | None] = judges or {"": None}
    answers = [
        scoring.read(of_run, judge, name) for of_run in joined for name, judge in judge_of.items()
    ]
    _check_metrics(task, answers)

    requests: dict[str, list[JudgeRequest]] = {name: [] for name in judge_of}
    for of_judge in answers:
        requests[of_judge.judge] += of_judge.scorer.requests(of_judge.records)
    return answers, expected_calls(arguments, judges, requests, task=task.name)


def _check_metrics(task: Task, answers: Sequence[Unjudged]) -> None:
    """Raise InputError if no metric can be computed of some answers."""
    for unjudged in answers:
        scorer = unjudged.scorer
        if not scorer.metrics:
            first, *_ = scorer.benchmark.metrics(scorer.settings)
            raise InputError(
                f"Expected --metrics of {task.name} that can be computed; found none: "
                f"{scorer.why_not(first)}. Name others."
            )


def _scored(arguments: argparse.Namespace, batch: Batch) -> list[Run]:
    """Return the scored runs of a task, waiting for the judge; remarks on them go to stderr."""
    # The text metrics of all runs at once, as Java starts once.
    prepare(
        (unjudged.scorer.metrics, unjudged.records)
        for unjudged in batch.answers
        if unjudged.scorer.join is None
    )
    runs = [*batch.stored]
    for unjudged in batch.answers:
        runs.append(dataclasses.replace(scoring.score(unjudged), partial=arguments.partial))
    runs.sort(key=lambda run: batch.paths.index(run.path))
    for run in runs:
        remarks = summary.remarks_on(run.benchmark_task.benchmark, run.records)
        say(*_failures(run), *(f"{run.task} of {run.name}: {remark}" for remark in remarks))
    return runs


def _failures(run: Run) -> Iterator[str]:
    """Yield a sentence per status of `REMEDIES` on the run's answers without a score."""
    for status, (what, remedy) in REMEDIES.items():
        failed = [record for record in run.records if record.status == status]
        if failed:
            first = f"{failed[0].id}: {str(failed[0].reason).rstrip('. ')}"
            yield (
                f"{run.task}: {run.name}: {len(failed)} of {counted(len(run.records), 'answer')}"
                f" {what}, the first is {first}. {remedy}"
            )


def _print(arguments: argparse.Namespace, results: Sequence[Sequence[Run]]) -> None:
    """Print the values of the scored runs of each task."""
    runs = [run for of_task in results for run in of_task]
    if arguments.by is not None:
        _print_groups(arguments, runs)
        return

    shown = as_shown(arguments, runs)
    tables = [score_table(run, is_named=len(runs) > 1) for run in shown]
    if len(runs) > 1:
        tables += _models_tables(with_unique_labels(shown))
    objects = [_object(of_task) for of_task in results]
    whole = objects[0] if len(objects) == 1 else objects
    print(render(arguments.format, *tables, whole=whole))


def _models_tables(runs: Sequence[Run]) -> list[Table]:
    """Return a table of models for each benchmark, beside which a row has a column per task."""
    of_benchmark = defaultdict(list)
    for run in runs:
        of_benchmark[run.benchmark_task.benchmark_name].append(run)
    # Not for csv and json, which have these values already.
    return [dataclasses.replace(models_table(same), data=()) for same in of_benchmark.values()]


def _object(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the JSON object of a task's run, or of several runs (models, judges) one with all."""
    if len(runs) == 1:
        return scoring.score_object(runs[0])

    results = [
        {**scoring.score_object(run), "predictions": run.name, "judge": run.judge_name or "none"}
        for run in runs
    ]
    return {"task": runs[0].task, "results": results}


def _print_groups(arguments: argparse.Namespace, runs: Sequence[Run]) -> int:
    """Print one line per run, metric and group; return 3 if a value is withheld, else 0.

    Raises InputError: no run that has the column, or an unknown metric.
    """
    suited = _with_column(with_unique_labels(as_shown(arguments, runs)), arguments.by)
    measured = [(run, _metrics(run, arguments.metrics)) for run in suited]
    known = {metric.name for _, metrics in measured for metric in metrics}
    for name in arguments.metrics:
        if name not in {ALL, *known}:
            suited[0].metric(name)  # its error names those that there are
    rows, reasons = values_by(measured, arguments.by)

    labels = ["model", "task", "metric", *group_labels([(row["by"], row["group"]) for row in rows])]
    notes = []
    if not arguments.by:
        notes = [f"{run.task} of {run.name}: {run.signature.text}" for run in suited]
    print(render(arguments.format, Table(rows, [*labels, VALUE, "n", PART], notes=notes)))

    say(*reasons)
    return 3 if reasons else 0


def _with_column(runs: Sequence[Run], by: str) -> list[Run]:
    """Return the runs whose answers have the column `by`, all for `group` and ''.

    Raises InputError: none has it.
    """
    suited = [run for run in runs if by in (GROUP, "", *group_columns(frame_of([run])))]
    if not suited:
        known = ", ".join(sorted(group_columns(frame_of(runs)))) or "none"
        raise InputError(f"No answers have the column {by}. Known: {known}.")
    return suited


def _metrics(run: Run, names: Sequence[str]) -> list[Metric]:
    """Return those of a run's metrics that are named; by default its headline."""
    if ALL in names:
        return run.metrics
    if not names:
        return [run.metric()]
    return [metric for metric in run.metrics if metric.name in names]
