"""Options of judges: the judges that a command line names, their rule, a forecast of the cost."""

import argparse
import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.judge import Judge, JudgeClient
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge
from spiqa_tasks.judge.rules import DEFAULT_PROMPT, PROMPTS, Rule, SampledRule, make_rule
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.report.printer import STYLES, Column, Table, render


def add_judge_options(parser: argparse._ActionsContainer) -> None:
    """Add the options that name judges and say how they are asked."""
    parser.add_argument(
        "--judge",
        action="append",
        metavar="PROVIDER:MODEL[@URL]",
        help=(
            "the judge of free answers, or none; @URL names its server; several are compared"
            " (default: SPIQA_JUDGE)"
        ),
    )
    parser.add_argument(
        "--rule",
        metavar="NAME",
        help=(
            "how free answers are judged: l3score (default), or sampled[:K] for judges without "
            "log-probabilities, by K answers (default: 5)"
        ),
    )
    parser.add_argument(
        "--judge-prompt",
        choices=list(PROMPTS),
        default=DEFAULT_PROMPT,
        help="wording of the question",
    )
    parser.add_argument(
        "--thinking-tokens",
        type=int,
        metavar="N",
        help="tokens in which a judge may think before a draw of the rule sampled (default: 2048)",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print how many calls, tokens and dollars; ask nothing",
    )


def rule_of(arguments: argparse.Namespace, name: str) -> Rule:
    """Return the rule `name`, `l3score` or `sampled:5`, with the options of `add_judge_options`.

    Raises InputError: an unknown rule, or an option that it does not take.
    """
    options = {"prompt": arguments.judge_prompt}
    if arguments.thinking_tokens is not None:
        # The other rules read a judge's first token: it cannot think before.
        if not name.startswith(SampledRule.name):
            raise InputError(
                f"Expected --thinking-tokens with --rule {SampledRule.name}, found the rule {name}."
                " Leave it out."
            )
        options["thoughts"] = arguments.thinking_tokens
    return make_rule(name, options)


def judges_by(
    rule_name: str, arguments: argparse.Namespace, environ: Mapping[str, str]
) -> dict[str, Judge]:
    """Return name as typed -> judge by a rule: each `--judge`, else the environment's; {} if off.

    Raises JudgeError for an unusable judge, InputError for an unusable rule.
    """
    if arguments.judge:
        configs = {name: parse_judge(name, environ=environ) for name in _named_judges(arguments)}
    else:
        config = judge_from_environ(environ)
        configs = {} if config is None else {config.name: config}

    rule = rule_of(arguments, rule_name)
    return {name: Judge(config, rule) for name, config in configs.items()}


def _named_judges(arguments: argparse.Namespace) -> list[str]:
    """Return the judges of `--judge`, without `none`."""
    return [name for name in arguments.judge or () if name.lower() != "none"]


def chosen_judges(
    task: Task, arguments: argparse.Namespace, environ: Mapping[str, str]
) -> dict[str, Judge]:
    """Return name as typed -> judge of a task: each `--judge`, else the environment's.

    {} if the task needs no judge, or judging is off. Raises InputError for an unusable rule,
    JudgeError for an unusable judge.
    """
    # SciFIBench needs one if its setting `extractor` names a judge that reads the letters.
    rule_name = task.benchmark.judge(task.settings)
    return {} if rule_name is None else judges_by(rule_name, arguments, environ)


def check_use(tasks: Collection[Task], arguments: argparse.Namespace) -> None:
    """Raise InputError if --judge or --rule is named, and none of the tasks has a use for it."""
    has_judge = any(task.benchmark.judge(task.settings) is not None for task in tasks)
    has_rule = any("rule" in task.benchmark.scoring for task in tasks)
    unused = {
        "--judge": "" if has_judge else ", ".join(_named_judges(arguments)),
        "--rule": "" if has_rule else arguments.rule,
    }
    for option, value in unused.items():
        if value:
            names = ", ".join(task.name for task in tasks)
            raise InputError(
                f"Expected no {option} for {names}, as no answer there needs it; found {value}. "
                "Leave it out."
            )


def all_stored(judges: Iterable[JudgeClient]) -> bool:
    """Return whether all verdicts of the judges could be written into the cache."""
    return not any(judge.unstored for judge in judges)


def expected_calls(
    arguments: argparse.Namespace,
    judges: Mapping[str, Judge],
    requests: Mapping[str, Sequence[JudgeRequest]],
    **about: str,
) -> list[dict[str, Any]]:
    """Return a row for each judge with the calls, tokens and dollars that its requests take.

    `about` is added to each row. Unless `--dry-run` is given, each judge that will be called has
    answered its test questions. Raises JudgeError: one has not.
    """
    rows = []
    # all judges are tried before the first is paid for all answers
    for name, judge in judges.items():
        estimate = judge.estimate(requests[name])
        if estimate.calls and not arguments.dry_run:
            judge.preflight()
        rows.append({**about, "judge": name, **dataclasses.asdict(estimate)})
    return rows


def forecast(form: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of what `--dry-run` prints, of `expected_calls`."""
    if not rows and form in STYLES:
        return "No judge would be asked."

    values = ["task", "judge", "calls", "cached", "prompt_tokens", "completion_tokens"]
    cost = Column("cost", show=lambda cost: "not known" if cost is None else f"{cost:.2f}")
    return render(form, Table(rows, [*values, cost]), whole={"dry_run": rows})
