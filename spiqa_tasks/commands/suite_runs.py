"""The runs of a suite: what is there of each, their commands, and the host for what is missing."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from pathlib import Path

from spiqa_tasks.analysis.suites import Found, Known, PlannedRun, found, gain_plan, paper_plan
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import check_folder
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.hosts.filtered_tasks import filtered_tasks
from spiqa_tasks.hosts.lmms_eval.command_line import Model, Options, alone_in, check_extra, command, run_host
from spiqa_tasks.judge.redaction import redacted
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.printable import printable, say
from spiqa_tasks.report.forms import as_table
from spiqa_tasks.runs.identity import model_arguments
from spiqa_tasks.runs.loading import Wanted

BLIND = ("text", "grey")
"""Ablations of runs without pictures; the second one only where it is asked for."""
_END = 12
"""Lines of a failed run's log that are shown."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class SuiteRuns:
    """The planned runs, and what is there of each.

    Attributes:
        output: the folder of the suite.
        options: what all runs are called with.
        judge: of L3Score; None: that of the environment.
        wanted: what is wanted of the runs for the tables.
        state: run -> what is there of it, since it was looked at last.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Make the plan.

        Raises:
            InputError: arguments that cannot be used; or see `gain_plan` and `paper_plan`.
        """
        check_extra(arguments.host)
        check_folder(arguments.output)
        if arguments.limit is not None and arguments.limit < 1:
            raise InputError(f"Expected --limit to be 1 or more, found {arguments.limit}. Leave it out for all.")
        self.judge: str | None = arguments.judge
        if self.judge is not None:
            parse_judge(self.judge, environ=os.environ)
        self.output: Path = arguments.output
        include = [] if arguments.include_path is None else [arguments.include_path]
        self.options = Options(shlex.split(arguments.launch), arguments.limit, arguments.include_path, arguments.host)
        self.wanted = Wanted((), self.judge, arguments.limit is not None, include)
        self.state = dict.fromkeys(_plan(arguments, Known(*catalogue([*filtered_tasks(), *include]))), Found())

    def look(self) -> None:
        """Look what is there of every run."""
        self.state = {planned: self._found(planned) for planned in self.state}

    @property
    def missing(self) -> list[PlannedRun]:
        """The runs that are not complete."""
        return [planned for planned, there in self.state.items() if not there.complete]

    def paths(self, *roles: str) -> list[Path]:
        """Return the result files that are there, of some roles or of all."""
        return [
            there.path
            for planned, there in self.state.items()
            if there.path is not None and (not roles or planned.role in roles)
        ]

    def as_text(self) -> str:
        """Return the plan as a table."""
        rows = [
            [each.role, each.task, each.identity.label, "?" if each.requests is None else each.requests, there]
            for each, there in self.state.items()
        ]
        return as_table(rows, ["run", "task", "model", "requests", "there"])

    def commands(self) -> str:
        """Return the commands of what is missing, for a shell."""
        judge = [] if self.judge is None else [["export", f"SPIQA_JUDGE={self.judge}"]]
        return "\n".join(map(shlex.join, [*judge, *map(self._command, self.missing)]))

    def complete(self) -> bool:
        """Show the plan and run the host for each run that is not complete; return whether all are then.

        Raises:
            InputError: the program to launch cannot be started.
        """
        environment = {**os.environ, **({} if self.judge is None else {"SPIQA_JUDGE": self.judge})}
        with alone_in(self.output, lambda: say(f"waiting for a run at work in {self.output} ...")) as held:
            self.look()
            print(self.as_text(), file=sys.stderr)
            missing = self.missing
            for place, planned in enumerate(missing, 1):
                log = self.output / "logs" / f"{planned.folder(self.options)}.log"
                name = f"{planned.role}, {planned.task}"
                say(f"run {place} of {len(missing)}: {name}; what it prints goes to {log}")
                status = run_host(self._command(planned), log, held, environment)
                there = self.state[planned] = self._found(planned)
                if there.path is None:
                    say(f"{name}: no results (exit status {status}). The end of {log}:")
                    print(_end_of(log, planned), file=sys.stderr)
                elif there.failed:
                    say(f"{name}: {there.failed} requests or judgements failed. Run the suite again to repeat them.")
        return not self.missing

    def _found(self, planned: PlannedRun) -> Found:
        return found(planned, self.output, self.options, self.judge)

    def _command(self, planned: PlannedRun) -> list[str]:
        return command(planned.model, planned.task, self.output / planned.folder(self.options), self.options)


def _plan(arguments: argparse.Namespace, known: Known) -> list[PlannedRun]:
    names = [name.strip() for name in arguments.tasks.split(",") if name.strip()]
    if not names:
        raise InputError(f"Expected --tasks to name tasks or groups, found {arguments.tasks!r}. Correct it.")
    model = Model(arguments.model, arguments.model_args)
    if arguments.suite != "gain":
        return paper_plan(known, names, model, arguments.limit)
    llm = None if arguments.llm is None else Model(arguments.llm, arguments.llm_args)
    return gain_plan(known, names, model, llm, BLIND[: 1 + arguments.grey], arguments.limit)


def _end_of(log: Path, planned: PlannedRun) -> str:
    """The last lines of a log, without colours and the model's key."""
    lines = _COLOUR.sub("", log.read_text(encoding="utf-8", errors="replace")).splitlines()[-_END:]
    key = model_arguments(planned.model.arguments).get("api_key")
    return printable("\n".join(f"  {redacted(line, key)}" for line in lines))
