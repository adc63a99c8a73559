"""The judges that a command line names, how they are asked, and what that would take."""

import argparse
import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.judge import Judge, JudgeClient, JudgingEstimate
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge
from spiqa_tasks.judge.rules import DEFAULT_PROMPT, PROMPTS, TOP, Rule, SampledRule, make_rule
from spiqa_tasks.judge.types import EXTRA_VARIABLE, HEADER_VARIABLE, JudgeConfig
from spiqa_tasks.report.printer import Column, Table, render


def add_rule_options(parser: argparse._ActionsContainer) -> None:
    """Add the options that say how judges are asked."""
    about = (
        "how free answers are judged: l3score (default), or sampled[:K] for judges without "
        "log-probabilities, by K answers (default: 5)"
    )
    parser.add_argument("--rule", metavar="NAME", help=about)
    about = "wording of the question"
    parser.add_argument("--judge-prompt", choices=list(PROMPTS), default=DEFAULT_PROMPT, help=about)
    about = "tokens in which a judge may think before a draw of the rule sampled (default: 2048)"
    parser.add_argument("--thinking-tokens", type=int, metavar="N", help=about)
    about = "first-token log-probabilities used (default: 5)"
    parser.add_argument("--top", type=int, default=TOP, help=about)
    about = f"JSON added to each request to a self-hosted judge (default: {EXTRA_VARIABLE})"
    parser.add_argument("--judge-extra", metavar="JSON", help=about)
    about = f"header of each request to a self-hosted judge (default: {HEADER_VARIABLE})"
    parser.add_argument(
        "--judge-header", action="append", default=[], metavar="NAME=VALUE", help=about
    )


def rule_of(arguments: argparse.Namespace, name: str) -> Rule:
    """Return the rule of a name with the options of `add_rule_options`; InputError if unusable."""
    options = {"prompt": arguments.judge_prompt, "top": arguments.top}
    # Only a draw has room to think: the other rules read the first token.
    if arguments.thinking_tokens is not None:
        if not name.startswith(SampledRule.name):
            raise InputError(
                f"Expected --thinking-tokens with --rule {SampledRule.name}, found the rule {name}."
                " Leave it out."
            )
        options["thoughts"] = arguments.thinking_tokens
    return make_rule(name, options)


def judge_configs(
    arguments: argparse.Namespace, environ: Mapping[str, str]
) -> dict[str, JudgeConfig]:
    """Return the judges of `--judge` by name as typed, or the environment's; {} if judging is off.

    Raises JudgeError for an unusable judge, InputError for options that none of the judges takes.
    """
    extra, headers = arguments.judge_extra, arguments.judge_header
    if extra is not None:
        environ = {**environ, EXTRA_VARIABLE: extra}

    if arguments.judge:
        named = _but_none(arguments.judge)
        configs = {name: parse_judge(name, headers=headers, environ=environ) for name in named}
    else:
        configs = _default(headers, environ)

    if extra and not any(config.extra for config in configs.values()):
        _refuse("--judge-extra", configs)
    if headers and not any(config.headers for config in configs.values()):
        _refuse("--judge-header", configs)
    return configs


def _default(headers: Sequence[str], environ: Mapping[str, str]) -> dict[str, JudgeConfig]:
    if headers:
        # They replace those of the environment, which go to the environment's judge alone.
        environ = {**environ, HEADER_VARIABLE: "\n".join(headers)}
    config = judge_from_environ(environ)
    return {} if config is None else {config.name: config}


def _but_none(judges: Sequence[str] | None) -> list[str]:
    return [name for name in judges or () if name.lower() != "none"]


def _refuse(option: str, configs: Mapping[str, JudgeConfig]) -> None:
    """Raise InputError for an option of self-hosted judges, unless judging is off."""
    if configs:
        names = ", ".join(config.name for config in configs.values())
        raise InputError(
            f"Expected a self-hosted judge (provider:model@URL) for {option}; found {names}. Leave"
            " it out."
        )


def chosen_judges(
    task: Task, arguments: argparse.Namespace, environ: Mapping[str, str]
) -> dict[str, Judge]:
    """Return the judges of `--judge`, else the environment's, as typed; {} if judging is off.

    Raises InputError for a judge of a task that needs none, or an unusable rule; JudgeError for an
    unusable judge.
    """
    named = _but_none(arguments.judge)
    # It depends on the settings: SciFIBench has a judge where it reads the letters.
    rule_name = task.benchmark.judge(task.settings)
    if rule_name is None:
        if named:
            raise InputError(
                f"Expected no --judge for {task.name}, which needs none; found {named[0]}. Leave it"
                " out."
            )
        return {}
    configs = judge_configs(arguments, environ)
    rule = rule_of(arguments, rule_name)
    return {name: Judge(config, rule) for name, config in configs.items()}


def check_judges(judges: Mapping[str, Judge], estimates: Mapping[str, JudgingEstimate]) -> None:
    """Ask each judge that has calls to make its test questions; JudgeError if one is unfit."""
    for name, judge in judges.items():
        if estimates[name].calls:
            judge.preflight()


def all_stored(judges: Iterable[JudgeClient]) -> bool:
    """Return whether the judges' verdicts are all where the next run finds them."""
    return not any(judge.unstored for judge in judges)


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

    values = ["calls", "cached", "prompt_tokens", "completion_tokens"]
    cost = Column("cost", show=lambda cost: "not known" if cost is None else f"{cost:.2f}")
    return render(arguments.format, Table(rows, ["judge"], [*values, cost]))
