"""The judges that a command line names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge
from spiqa_tasks.judge.rules import make_rule


def chosen_judges(
    task: Task, names: Sequence[str] | None, prompt: str, top: str, environ: Mapping[str, str]
) -> dict[str, Judge]:
    """Return the judges by what the user called them; none where the task needs none or judging is switched off.

    Args:
        task: the task.
        names: `provider:model`, `provider:model@URL` for a server of its own, or `none`; None: what `environ` names.
        prompt: the name of the judge's prompt.
        top: how many first-token log-probabilities count, or `full-vocabulary`.
        environ: the environment, for the default judge, its URL and its key.

    Raises:
        InputError: a judge for a task that needs none, or an unknown prompt or rule.
        JudgeError: a judge that cannot return what the task's rule asks for.
    """
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
    rule = make_rule(rule_name, {"prompt": prompt, "top": int(top) if top.isdigit() else top})
    return {name: Judge(config, rule) for name, config in configs.items()}
