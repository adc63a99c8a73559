"""`score`: answers that exist already, scored by the code of the hooks, as a whole or by group.

A task and answers to it are scored. RUNs are scored again, but the scores that they have are shown
- with --by (`_logged_runs`),
- of a host's own tasks (`_print_reported`), which this package has no scorer of,
- of another judge than the one that would be asked (`_print_stored`).
Options of scoring (`_scores_anew`) rule out all three; --judge and SPIQA_JUDGE the last.
"""

import argparse
import dataclasses
import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.analysis.breakdown import is_of_part, values_by
from spiqa_tasks.analysis.merging import GROUP
from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.answers import FREE_ANSWERS
from spiqa_tasks.benchmarks.metric import Metric, prepare
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.commands.judge_options import (
    add_rule_options,
    all_stored,
    check_judges,
    chosen_judges,
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
from spiqa_tasks.judge.types import DEFAULT_JUDGE, JUDGE_VARIABLE, JudgeRequest
from spiqa_tasks.printable import counted, say
from spiqa_tasks.report.printer import Column, Table, add_format, render
from spiqa_tasks.report.values import VALUE, models_table, score_table
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.frame import frame_of, group_columns
from spiqa_tasks.runs.join import Joined, join_questions, task_questions
from spiqa_tasks.runs.loading import ByTask, remarks_on_host_tasks, unscored_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.scoring import Unjudged, is_complete, write_runs
from spiqa_tasks.runs.selection import (
    Selection,
    remarks_on,
    with_unique_labels,
)

# Name that stands for all metrics in `--metrics`.
ALL = "all"

# Status of answers without a score -> what happened to them, and the remedy.
REMEDIES = {
    "judge_failed": ("could not be judged", "Score again: only these are asked."),
    "request_failed": (
        "are none of the model's but failed requests",
        "They have no score: ask the model again.",
    ),
}

# Each task with the answers to it.
Answered = list[tuple[Task, list[Joined]]]


class Batch(NamedTuple):
    """Unscored answers to a task, and the judges that will be asked.

    `is_judged` is False if the task's judge cannot be asked.
    """

    answers: list[Unjudged]
    judges: list[Judge]
    is_judged: bool = True


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    about = (
        "the task or group that PREDICTIONS answer; or, alone, a RUN, or a file that needs no"
        " task: rows of question, reference and prediction"
    )
    parser.add_argument("first", metavar="TASK", help=about)
    about = (
        "one file or folder per model: lines or a table (jsonl, csv, xlsx, ...) of id and"
        " prediction, samples of lmms-eval, SPIQA's response files, or a host's output folder"
    )
    parser.add_argument(
        "predictions", nargs="*", type=Path, default=[], metavar="PREDICTIONS", help=about
    )
    add_columns(parser)
    about = "score answers whose questions, true answers, options or figures are not the release's"
    parser.add_argument("--accept-differences", action="store_true", help=about)
    about = "only this task of the RUNs"
    parser.add_argument("--task", action="append", default=[], metavar="TASK", help=about)
    about = (
        "compute only these, or all (default: the task's, without a task those that need no Java;"
        " with --by the headline)"
    )
    parser.add_argument("--metrics", type=_names, default=[], metavar="NAME,...", help=about)
    about = (
        "print values by a column of the answers (category, figure_type, source, ...), or by all"
        " of them (group); RUNs keep their scores"
    )
    parser.add_argument("--by", metavar="COLUMN", help=about)
    add_include_path(parser)
    add_part(parser)
    about = "write results and samples as lmms-eval does"
    parser.add_argument("--output", type=Path, metavar="DIR", help=about)
    add_format(parser)
    judging = parser.add_argument_group("judge")
    about = (
        "the judge of L3Score, or none; @URL names its server; several are compared (default:"
        " SPIQA_JUDGE)"
    )
    judging.add_argument("--judge", action="append", metavar="PROVIDER:MODEL[@URL]", help=about)
    add_rule_options(judging)
    about = "print how many calls, tokens and dollars; ask nothing"
    judging.add_argument("--dry-run", action="store_true", help=about)


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def run(arguments: argparse.Namespace) -> int:
    """Score and print; 0 if each question has a scored answer and each verdict is stored, else 3.

    With `--partial`, questions may be without an answer. The other tasks of a RUN are scored even
    if the judge of one cannot be asked.
    """
    if arguments.output is not None:
        check_folder(arguments.output)
    arguments.named, arguments.runs = _task_and_places(arguments)
    if arguments.by is not None:
        arguments.columns = dataclasses.replace(arguments.columns, by=arguments.by)
        if not _is_scoring(arguments):
            return 0 if _print_groups(arguments, _logged_runs(arguments)) else 3

    wanted = selection(arguments)
    by_task, remarks = unscored_runs(arguments.runs, wanted, arguments.named)
    if not by_task:
        return _print_reported(arguments)
    if _has_other_judge(arguments, by_task):
        return _print_stored(arguments)

    # scores that are kept have remarks of their own: their judges make a difference
    say_remarks(arguments, remarks)
    return _score(arguments, _joined(arguments, wanted, by_task))


def _task_and_places(arguments: argparse.Namespace) -> tuple[str, list[RunPath]]:
    """Return the task that the answers are to, or '' with RUNs, and where the answers are.

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
    return "", [RunPath.parse(str(place)) for place in (first, *others)]


def _score(arguments: argparse.Namespace, answers: Answered) -> int:
    batches = [_batch(arguments, task, joined) for task, joined in answers]
    if arguments.dry_run:
        return 0
    results = [_scored(arguments, batch.answers) for batch in batches]
    _print(arguments, results)

    scored = [run for of_task in results for run in of_task]
    if arguments.output is not None:
        say(*(f"wrote {path}." for path in write_runs(scored, arguments.output)))
    return 0 if _is_whole(batches, scored) else 3


def _has_other_judge(arguments: argparse.Namespace, by_task: ByTask) -> bool:
    """Return whether RUNs have verdicts of a judge that is not named now: these are kept."""
    if arguments.judge or os.environ.get(JUDGE_VARIABLE) or _scores_anew(arguments):
        return False
    names = {run.judge_name for _, runs in by_task for run in runs}
    return not names <= {"", DEFAULT_JUDGE}


def _print_stored(arguments: argparse.Namespace) -> int:
    """Print the scores that RUNs have; 0 if they are whole."""
    found = _logged_runs(arguments)
    say_remarks(arguments, remarks_on_host_tasks(found, []))
    runs = [run for run in found if run.is_own]
    judges = ", ".join(sorted({run.judge_name for run in runs} - {""}))
    say(f"The verdicts of {judges} are shown; --judge PROVIDER:MODEL[@URL] asks another judge.")
    if arguments.dry_run:
        print(forecast(arguments, {}, {}))
        return 0

    by_task: dict[str, list[Run]] = {}
    for run in runs:
        shown = dataclasses.replace(run, definition=_as_asked(arguments, run.own))
        by_task.setdefault(run.task, []).append(shown)
    _print(arguments, list(by_task.values()))
    return 0 if all(map(is_complete, runs)) else 3


def _print_reported(arguments: argparse.Namespace) -> int:
    """Print the values of a host's own tasks; 0 if none is withheld."""
    runs = _logged_runs(arguments)
    if _is_scoring(arguments):
        tasks = ", ".join(sorted({run.task for run in runs}))
        raise InputError(
            f"Expected answers to this package's tasks, to be scored; found those to {tasks}. "
            "`score RUN` alone prints what they have."
        )

    arguments.by = ""
    arguments.metrics = arguments.metrics or [ALL]
    return 0 if _print_groups(arguments, runs) else 3


def _logged_runs(arguments: argparse.Namespace) -> list[Run]:
    """Return the RUNs that have samples, also of a host's own tasks.

    Raises InputError: none has.
    """
    runs = runs_by_path(arguments)
    logged = [run for run in runs if run.records]
    if not logged:
        raise InputError("No run has samples to score. Run it again with --log_samples.")
    return logged


def _is_whole(batches: Sequence[Batch], scored: Sequence[Run]) -> bool:
    are_judged = all(batch.is_judged and all_stored(batch.judges) for batch in batches)
    return are_judged and all(map(is_complete, scored))


def _batch(arguments: argparse.Namespace, task: Task, joined: Sequence[Joined]) -> Batch:
    """Return the unscored answers to a task, of a RUN without a judge if that cannot be asked."""
    try:
        return _unscored(arguments, task, joined, chosen_judges(task, arguments, os.environ))
    except JudgeError as error:
        if arguments.judge or arguments.named:
            raise
        say(f"{task.name}: {error}", "Scored without it; --judge PROVIDER:MODEL[@URL] names one.")
        return _unscored(arguments, task, joined, {})._replace(is_judged=False)


def _is_scoring(arguments: argparse.Namespace) -> bool:
    """Return whether answers are scored, or would be without `--dry-run`, not only shown."""
    return arguments.dry_run or _scores_anew(arguments)


def _scores_anew(arguments: argparse.Namespace) -> bool:
    """Return whether RUNs are scored again, as options of scoring ask; else their scores stay."""
    of_scoring = (
        arguments.named,
        arguments.rule,
        arguments.output,
        arguments.accept_differences,
        len(arguments.judge or ()) > 1,
    )
    return any(of_scoring)


def _joined(arguments: argparse.Namespace, wanted: Selection, by_task: ByTask) -> Answered:
    """Return each task with the answers to it, joined to its questions."""
    rows_of = functools.cache(task_questions)  # shared by the files of a task
    joined = []
    for known, runs in by_task:
        task = _as_asked(arguments, known)
        of_task = []
        for run in runs:
            answers, remarks = join_questions(
                run, task, arguments.accept_differences, rows_of, wanted.subset
            )
            say(*remarks)
            of_task.append(answers)
        if len({each.rows[0]["data"] for each in of_task if each.rows}) > 1:
            say(
                f"{task.name}: the files have different questions, so that their values do not "
                "compare."
            )
        joined.append((task, of_task))
    return joined


def _as_asked(arguments: argparse.Namespace, task: Task) -> Task:
    """Return the task with the rule and the metrics that the arguments name."""
    if arguments.rule is not None:
        if "rule" not in task.benchmark.scoring:
            raise InputError(
                f"Expected no --rule for {task.name}, which has no free answers; found "
                f"{arguments.rule}. Leave it out."
            )
        settings = f"{task.settings_text},rule={arguments.rule}".strip(",")
        task = dataclasses.replace(task, settings_text=settings)

    names = arguments.metrics
    if not names and task.benchmark is FREE_ANSWERS:
        # The first score of a few answers does not wait for Java.
        metrics = task.benchmark.metrics(task.settings)
        names = [metric.name for metric in metrics if metric.needs != "text programs"]
    return task if not names or ALL in names else task.with_metrics(names)


def _unscored(
    arguments: argparse.Namespace,
    task: Task,
    joined: Sequence[Joined],
    judges: Mapping[str, Judge],
) -> Batch:
    """Return the answers, and the judges, all tested; with `--dry-run` print the forecast."""
    # Without a judge, the other metrics are computed all the same.
    asked: Mapping[str, Judge | None] = judges or {"": None}
    answers = [scoring.read(each, asked[name], name) for each in joined for name in asked]
    _check_metrics(task, answers)

    requests: dict[str, list[JudgeRequest]] = {name: [] for name in asked}
    for read in answers:
        requests[read.judge] += read.scorer.requests(read.records)
    estimates = {name: judge.estimate(requests[name]) for name, judge in judges.items()}
    if arguments.dry_run:
        print(forecast(arguments, estimates, {"task": task.name}))
        return Batch(answers, [])

    check_judges(judges, estimates)
    return Batch(answers, list(judges.values()))


def _check_metrics(task: Task, answers: Sequence[Unjudged]) -> None:
    for read in answers:
        if not read.scorer.metrics:
            first, *_ = read.scorer.benchmark.metrics(read.scorer.settings)
            raise InputError(
                f"Expected --metrics of {task.name} that can be computed; found none: "
                f"{read.scorer.why_not(first)}. Name others."
            )


def _scored(arguments: argparse.Namespace, answers: Sequence[Unjudged]) -> list[Run]:
    """Return the scored runs, waiting for the judge; remarks go to stderr."""
    prepare((read.scorer.metrics, read.records) for read in answers if read.scorer.join is None)
    results = []
    for read in answers:
        run = dataclasses.replace(scoring.score(read), partial=arguments.partial)
        remarks = summary.remarks_on(run.own.benchmark, run.records)
        say(*_failures(run), *(f"{run.task} of {run.name}: {remark}" for remark in remarks))
        results.append(run)
    return results


def _failures(run: Run) -> Iterator[str]:
    for status, (what, remedy) in REMEDIES.items():
        failed = [record for record in run.records if record.status == status]
        if failed:
            first = f"{failed[0].id}: {str(failed[0].reason).rstrip('. ')}"
            yield (
                f"{run.task}: {run.name}: {len(failed)} of {counted(len(run.records), 'answer')}"
                f" {what}, the first is {first}. {remedy}"
            )


def _print(arguments: argparse.Namespace, results: Sequence[Sequence[Run]]) -> None:
    runs = [run for of_task in results for run in of_task]
    if arguments.by is not None:
        # `runs_by_path` says it of runs whose scores are shown.
        say(*remarks_on(runs))
        _print_groups(arguments, runs)
        return

    said: set[str] = set()
    shown = as_shown(arguments, runs)
    tables = [score_table(run, said, is_named=len(runs) > 1) for run in shown]
    if len(runs) > 1:
        # For people alone: csv and json have these values already.
        tables.append(dataclasses.replace(models_table(shown), data=()))
    objects = [_object(of_task) for of_task in results]
    whole = objects[0] if len(objects) == 1 else objects
    print(render(arguments.format, *tables, whole=whole))


def _object(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the JSON object of a task's run; of several runs (models, judges) all objects."""
    if len(runs) == 1:
        return scoring.score_object(runs[0])

    results = [
        {**scoring.score_object(run), "predictions": run.name, "judge": run.judge_name or "none"}
        for run in runs
    ]
    return {"task": runs[0].task, "results": results}


def _print_groups(arguments: argparse.Namespace, runs: Sequence[Run]) -> bool:
    """Print one line per run, metric and group; return whether no value is withheld.

    Raises InputError: no run that has the column, or an unknown metric.
    """
    suited = _with_column(with_unique_labels(as_shown(arguments, runs)), arguments.by)
    measured = [(run, _metrics(run, arguments.metrics)) for run in suited]
    rows, reasons = values_by(measured, arguments.by)

    labels = ["model", "task", "metric", "group"]
    values: list[Column | str] = [VALUE, "n"]
    if any(is_of_part(row) for row in rows):
        values.append("questions")
    notes = []
    if not arguments.by:
        notes = [f"{run.task} of {run.name}: {run.signature.text}" for run in suited]
    print(render(arguments.format, Table(rows, labels, values, notes=notes)))

    say(*reasons)
    return not reasons and all(run.record_set.withheld() is None for run in suited)


def _with_column(runs: Sequence[Run], by: str) -> list[Run]:
    """Return the runs that have a column, or all for ''. Raises InputError: none has it."""
    suited = [run for run in runs if by in (GROUP, "", *group_columns(frame_of([run])))]
    if not suited:
        known = ", ".join(sorted(group_columns(frame_of(runs)))) or "none"
        raise InputError(f"No answers have the column {by}. Known: {known}.")
    return suited


def _metrics(run: Run, names: Sequence[str]) -> list[Metric]:
    if ALL in names:
        return run.metrics
    return [run.metric(name) for name in names or (None,)]
