"""The judges that a command line names, the options of how they are asked, and what that would take."""

import argparse
import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any

from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.config import EXTRA_VARIABLE
from spiqa_tasks.judge.judge import Asker, Judge
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge
from spiqa_tasks.judge.rules import Rule, make_rule
from spiqa_tasks.judge.rules.l3score import DEFAULT_PROMPT, PROMPTS, TOP, SampledRule
from spiqa_tasks.judge.types import JudgingEstimate
from spiqa_tasks.report.printer import Column, Table, render


def add_rule_options(parser: argparse._ActionsContainer) -> None:
    """Add the options that say how judges are asked."""
    parser.add_argument(
        "--rule",
        metavar="NAME",
        help="how free answers are judged: l3score (default) or sampled",
    )
    parser.add_argument(
        "--judge-prompt",
        choices=list(PROMPTS),
        default=DEFAULT_PROMPT,
        help="wording of the question",
    )
    parser.add_argument(
        "--draws", type=int, metavar="K", help="answers drawn by the rule sampled (default: 5)"
    )
    parser.add_argument(
        "--top", type=int, default=TOP, help="first-token log-probabilities used (default: 5)"
    )
    parser.add_argument(
        "--judge-extra",
        metavar="JSON",
        help="fields that every request to a judge at an address of its own, or in this process, has in addition "
        f"(default: {EXTRA_VARIABLE})",
    )


def rule_of(arguments: argparse.Namespace, name: str) -> Rule:
    """Return the rule of a name with the options of `add_rule_options`; InputError for one that it refuses."""
    draws = arguments.draws
    if draws is not None and not name.startswith(SampledRule.name):
        raise InputError(
            f"Expected --draws with --rule {SampledRule.name}, found the rule {name}. Leave it out."
        )
    options = {"prompt": arguments.judge_prompt, "top": arguments.top}
    return make_rule(name, options | ({} if draws is None else {"draws": draws}))


def environ_of(arguments: argparse.Namespace, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment, with what the arguments say instead."""
    extra = arguments.judge_extra
    return {**environ} if extra is None else {**environ, EXTRA_VARIABLE: extra}


def chosen_judges(
    task: Task, arguments: argparse.Namespace, environ: Mapping[str, str]
) -> dict[str, Judge]:
    """Return the judges of `--judge` (default: the environment's) as typed -> judge; {} if judging is switched off.

    Raises InputError for a judge of a task that needs none, or an unusable rule; JudgeError for an unusable judge.
    """
    environ = environ_of(arguments, environ)
    named = [name for name in arguments.judge or () if name.lower() != "none"]
    rule_name = task.entry.judge(task.typed)
    if rule_name is None:
        if named:
            raise InputError(
                f"Expected no --judge for {task.name}, which needs none; found {named[0]}. Leave it out."
            )
        return {}
    configs = {name: parse_judge(name, environ=environ) for name in named}
    if arguments.judge is None and (default := judge_from_environ(environ)) is not None:
        configs = {default.name: default}
    rule = rule_of(arguments, rule_name)
    return {name: Judge(config, rule) for name, config in configs.items()}


def all_stored(judges: Iterable[Asker]) -> bool:
    """Return whether the judges' verdicts are all where the next run finds them."""
    return not any(judge.summary().unstored for judge in judges)


def forecast(
    arguments: argparse.Namespace,
    estimates: Mapping[str, JudgingEstimate],
    about: Mapping[str, Any],
) -> str:
    """Return what judging would take; `about` has further fields of the JSON."""
    rows = [{"judge": name, **dataclasses.asdict(estimate)} for name, estimate in estimates.items()]
    if arguments.format == "json":
        return json.dumps({**about, "dry_run": rows}, indent=2)
    if not rows:
        return "No judge would be asked."
    cost = Column("cost", show=lambda dollars: "not known" if dollars is None else f"{dollars:.2f}")
    return render(arguments.format, Table(rows, ["judge"], [*[*rows[0]][1:-1], cost]))
