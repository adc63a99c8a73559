"""The judges that a command line names."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from spiqa_tasks.commands.judge_options import environ_of, rule_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge


def chosen_judges(task: Task, arguments: argparse.Namespace, environ: Mapping[str, str]) -> dict[str, Judge]:
    """Return the judges by what the user called them; none where the task needs none or judging is switched off.

    Args:
        task: the task.
        arguments: of a command with the options of `add_rule_options` and `--judge`: `provider:model`,
            `provider:model@URL` for a server of its own, or `none`; None: what `environ` names.
        environ: the environment, for the default judge, its URL and its key.

    Raises:
        InputError: a judge for a task that needs none, or an unknown prompt or rule.
        JudgeError: a judge that cannot return what the task's rule asks for.
    """
    names, environ = arguments.judge, environ_of(arguments, environ)
    named = [name for name in dict.fromkeys(names or ()) if name.lower() != "none"]
    rule_name = task.entry.judge(task.typed)
    if rule_name is None:
        if named:
            raise InputError(f"Expected no --judge for {task.name}, which needs none; found {named[0]}. Leave it out.")
        return {}
    configs = {name: parse_judge(name, environ=environ) for name in named}
    if names is None:
        default = judge_from_environ(environ)
        configs = {default.name: default} if default is not None else {}
    rule = rule_of(arguments, rule_name)
    return {name: Judge(config, rule) for name, config in configs.items()}
