"""`run`: lmms-eval on the demo data, or all runs of an experiment of a paper, with its tables and page."""

import argparse
import os
import re
import shlex
import sys
from pathlib import Path

import yaml

from spiqa_tasks.analysis import experiments
from spiqa_tasks.analysis.experiments import LLM, MANIFEST, PAPERS, PICTURES, PlannedRun, task_names
from spiqa_tasks.analysis.twins import ablation_pairs
from spiqa_tasks.benchmarks.registry import fetch
from spiqa_tasks.commands import demo, gain
from spiqa_tasks.errors import InputError, SpiqaTasksError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import check_folder, write_atomically
from spiqa_tasks.hosts.catalogue import catalogue, filtered_tasks
from spiqa_tasks.hosts.lmms_eval.command_line import (
    Model,
    Options,
    alone_in,
    check_extra,
    command,
    run_host,
)
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge
from spiqa_tasks.judge.rules import make_rule
from spiqa_tasks.judge.types import redacted
from spiqa_tasks.printable import printable, say
from spiqa_tasks.report.content import build
from spiqa_tasks.report.page import as_html
from spiqa_tasks.report.printer import Table, add_format, render
from spiqa_tasks.report.score_tables import paper_table
from spiqa_tasks.runs.identity import model_arguments
from spiqa_tasks.runs.loading import load_runs, own_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import Selection, unread_remarks, withheld_remarks

_DEMO = "two baselines on the shipped data (no network, no Java), then the commands that conclude from runs"
_ABOUT = {
    "gain": "multi-modal gain and leakage of a model: runs with pictures, without, and of its LLM base",
    "scifibench": "SciFIBench's Table 2, beside the published rows",
    "spiqa": "SPIQA's Table 3, beside the published rows",
}
_EPILOG = (
    "Runs that are complete are not repeated, and of one that was killed lmms-eval keeps its answers: call it again to "
    "go on. Arguments behind -- go to lmms-eval."
)
_BLIND = ("text", "grey")
"""Ablations of runs without pictures; the second one with `--grey`."""
_END = 12
"""Lines of a failed run's log that are shown: a traceback's end with its message."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.set_defaults(llm=None, llm_args="", grey=False, judge=None)
    commands = parser.add_subparsers(required=True, metavar="EXPERIMENT", dest="experiment")
    demo.add_options(commands.add_parser("demo", help=_DEMO, description=_DEMO))
    for name, about in _ABOUT.items():
        command = commands.add_parser(name, help=about, description=about, epilog=_EPILOG)
        option = command.add_argument
        option("--model", required=True, help="of lmms-eval, as its --model")
        option(
            "--model-args",
            "--model_args",
            default="",
            metavar="KEY=VALUE,...",
            help="its arguments",
        )
        if name == "gain":
            option("--llm", help="the model's LLM base, for S_t and ML; as --model")
            option(
                "--llm-args",
                "--llm_args",
                default="",
                metavar="KEY=VALUE,...",
                help="its arguments",
            )
            option("--grey", action="store_true", help="a run with grey pictures, too")
        if name == "spiqa":
            option(
                "--judge", metavar="PROVIDER:MODEL[@URL]", help="of L3Score (default: SPIQA_JUDGE)"
            )
        usual = name if name in PAPERS else "mmstar_filtered"
        option(
            "--tasks",
            default=usual,
            metavar="TASK,...",
            help=f"tasks and groups of lmms-eval (default: {usual})",
        )
        option(
            "--output",
            type=Path,
            required=True,
            metavar="FOLDER",
            help="where results, logs and page go",
        )
        option(
            "--launch",
            default="",
            metavar="WORDS",
            help="put before `-m lmms_eval`: 'accelerate launch'",
        )
        option("--limit", type=int, metavar="N", help="only the first N questions of each task")
        option(
            "--include-path",
            "--include_path",
            type=Path,
            metavar="FOLDER",
            help="of tasks of one's own",
        )
        option("--print", action="store_true", help="only print the commands of what is missing")
        option("host", nargs="*", metavar="-- ARGUMENT", help="further arguments of lmms-eval")
        add_format(command)


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, print the tables and write the page; 3 if a run or a table is not complete."""
    if arguments.experiment == "demo":
        return demo.run_demo(arguments)
    experiment = _Experiment(arguments)
    if arguments.print:
        experiment.look()
        judge = [] if experiment.judge is None else [["export", f"SPIQA_JUDGE={experiment.judge}"]]
        print("\n".join(map(shlex.join, [*judge, *map(experiment.command, experiment.missing)])))
        print("# then, for tables and page, the same spiqa-tasks run without --print")
        return 0
    for part in ("lmms-eval", "report"):
        require(part, "The experiment")
    done = [experiment.complete()]
    if not experiment.paths():
        say("no tables and no page: no run has results.")
        return 3
    for make in (_gain_table if arguments.experiment == "gain" else _paper_table, _page):
        try:
            done.append(make(experiment, arguments.format))
        except SpiqaTasksError as error:
            say(str(error))
            done.append(False)
    return 0 if all(done) else 3


class _Experiment:
    """The planned runs and their results so far; `judge` is that of L3Score, or None for that of the environment.

    Raises InputError: arguments that cannot be used; or see `gain_plan` and `paper_plan`.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        check_extra(arguments.host)
        check_folder(arguments.output)
        if arguments.limit is not None and arguments.limit < 1:
            raise InputError(
                f"Expected --limit to be 1 or more, found {arguments.limit}. Leave it out for all."
            )
        self.judge: str | None = arguments.judge
        if self.judge is not None:
            parse_judge(self.judge, environ=os.environ)
        self.output: Path = arguments.output
        include = [] if arguments.include_path is None else [arguments.include_path]
        self.options = Options(
            shlex.split(arguments.launch), arguments.limit, arguments.include_path, arguments.host
        )
        self.wanted = Selection((), self.judge, arguments.limit is not None, include)
        tasks, groups = catalogue([*filtered_tasks(), *include])
        names = task_names(filter(None, map(str.strip, arguments.tasks.split(","))), groups)
        if not names:
            raise InputError(
                f"Expected --tasks to name tasks or groups, found {arguments.tasks!r}. Correct it."
            )
        model = Model(arguments.model, arguments.model_args)
        if arguments.experiment == "gain":
            llm = None if arguments.llm is None else Model(arguments.llm, arguments.llm_args)
            self.planned = experiments.gain_plan(
                tasks, names, model, llm, _BLIND[: 1 + arguments.grey]
            )
        else:
            self.planned = experiments.paper_plan(tasks, names, model)

    def look(self) -> None:
        """Look for the results of each run; say which earlier ones do not count."""
        for planned in self.planned:
            planned.look(self.output, self.options, self.judge)
        for differs in dict.fromkeys(
            planned.differs for planned in self.missing if planned.differs
        ):
            tasks = dict.fromkeys(
                planned.task for planned in self.missing if planned.differs == differs
            )
            say(f"{', '.join(tasks)}: run again, for earlier results differ in {differs}.")

    @property
    def missing(self) -> list[PlannedRun]:
        """The runs that are not complete."""
        return [planned for planned in self.planned if not planned.complete]

    def paths(self, *roles: str) -> list[Path]:
        """Return the existing result files, of some roles or of all."""
        return [
            each.path
            for each in self.planned
            if each.path is not None and (not roles or each.role in roles)
        ]

    def runs(self, *roles: str) -> list[Run]:
        """Return the runs of some roles; remarks about others go to stderr."""
        runs, remarks = load_runs(map(RunPath, self.paths(*roles)), self.wanted)
        say(*remarks, *unread_remarks(runs))
        return runs

    def command(self, planned: PlannedRun) -> list[str]:
        """Return the host's command of a run."""
        return command(
            planned.model, planned.task, self.output / planned.folder(self.options), self.options
        )

    def check(self) -> None:
        """Fetch the data of the incomplete runs, and look whether their judge has its key.

        Raises DataError, JudgeError: it cannot be had, or the judge cannot be used; no host need start to say so.
        """
        judge = (
            judge_from_environ(os.environ)
            if self.judge is None
            else parse_judge(self.judge, environ=os.environ)
        )
        for own in dict.fromkeys(
            planned.own for planned in self.missing if planned.own is not None
        ):
            fetch(own.benchmark, own.split, own.settings)
            rule = own.entry.judge(own.typed)
            if rule is not None and judge is not None:
                Judge(judge, make_rule(rule, {})).require_key()

    def complete(self) -> bool:
        """Show the plan and run the host for each incomplete run; return whether all are complete then.

        Raises InputError: the program to launch cannot be started; or see `check`.
        """
        with alone_in(
            self.output, lambda: say(f"waiting for a run at work in {self.output} ...")
        ) as held:
            self.look()
            heads = ("run", "task", "model", "requests", "there")
            runs = [
                (
                    each.role,
                    each.task,
                    each.label,
                    each.requests(self.options.limit) or "?",
                    each.state,
                )
                for each in self.planned
            ]
            rows = [dict(zip(heads, run, strict=True)) for run in runs]
            print(render("text", Table(rows, heads[:3], heads[3:])), file=sys.stderr)
            missing = self.missing
            self.check()
            for place, planned in enumerate(missing, 1):
                self._ask(planned, held, f"run {place} of {len(missing)}")
        return not self.missing

    def _ask(self, planned: PlannedRun, held: int, doing: str) -> None:
        """Run the host for a run, in the folder whose lock is `held`, and look for its results."""
        folder = self.output / planned.folder(self.options)
        log = self.output / "logs" / f"{folder.name}.log"
        name = f"{planned.role}, {planned.task}"
        say(f"{doing}: {name}; what it prints goes to {log}")
        folder.mkdir(exist_ok=True)
        write_atomically(folder / MANIFEST, yaml.safe_dump(planned.manifest(self.options)).encode())
        environment = {**os.environ, **({} if self.judge is None else {"SPIQA_JUDGE": self.judge})}
        status = run_host(self.command(planned), log, held, environment, doing)
        planned.look(self.output, self.options, self.judge)
        if planned.path is None:
            say(f"{name}: no results (exit status {status}). The end of {log}:")
            print(_end_of(log, planned), file=sys.stderr)
        elif planned.failed:
            say(
                f"{name}: {planned.failed} requests or judgements failed. Call it again to repeat them."
            )


def _end_of(log: Path, planned: PlannedRun) -> str:
    """Return the last lines of a log, without colours and the model's key."""
    lines = _COLOUR.sub("", log.read_text(encoding="utf-8", errors="replace")).splitlines()[-_END:]
    key = model_arguments(planned.model.arguments).get("api_key")
    return printable("\n".join(f"  {redacted(line, key)}" for line in lines))


def _gain_table(experiment: _Experiment, form: str) -> bool:
    """Print the table of `gain` and write its samples; return whether every run is in it."""
    samples = experiment.output / "questions.jsonl"
    runs = experiment.runs(PICTURES, *_BLIND)
    of_runs, alone, problems = ablation_pairs(runs, experiment.runs(LLM))
    gain.print_gain(of_runs, form, samples)
    say(*alone, *problems, f"questions that pictures won or lost, or that leaked: {samples}")
    if not any(planned.role == LLM for planned in experiment.planned):
        say("S_t and ML are withheld: they need the model's LLM base. Name it with --llm.")
    return not (alone or problems)


def _paper_table(experiment: _Experiment, form: str) -> bool:
    runs, remarks = own_runs(map(RunPath, experiment.paths()), experiment.wanted)
    order = [planned.task for planned in experiment.planned]
    print(paper_table(sorted(runs, key=lambda run: order.index(run.task)), form))
    say(*remarks, *withheld_remarks(runs), *unread_remarks(runs))
    return True


def _page(experiment: _Experiment, _form: str) -> bool:
    runs, remarks = load_runs(map(RunPath, experiment.paths()), experiment.wanted)
    if not any(run.is_own for run in runs):
        say("no page: it shows tasks of this package, and none was run.")
        return True
    page = experiment.output / "report.html"
    again = shlex.join(["spiqa-tasks", "report", str(experiment.output), "--html", str(page)])
    bases = experiment.paths(LLM)
    report = build(runs, remarks, "", again, [run for run in runs if run.path in bases])
    write_atomically(page, as_html(report, "large").encode("utf-8", "replace"))
    say(f"page: {page.resolve()}")
    return True
