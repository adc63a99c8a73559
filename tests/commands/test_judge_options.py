"""The judges that a command line names."""

from argparse import Namespace

import pytest

from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.commands.judge_options import check_use, chosen_judges
from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.judge.rules import L3ScoreRule, LettersRule

(SPIQA,) = find_tasks(["spiqa_demo"])
(MMSTAR,) = find_tasks(["mmstar_demo"])
LETTERS = Task("mine", "scifibench", "demo", "prompt=letter,extractor=judge")
ENVIRON = {"SPIQA_JUDGE": "openai:gpt-4o", "SPIQA_JUDGE_BASE_URL": "http://localhost:1/v1"}


def asked(names: list[str] | None, rule: str | None = None) -> Namespace:
    """Return the parsed arguments of a command line."""
    return Namespace(
        judge=names,
        rule=rule,
        judge_prompt="released",
        thinking_tokens=None,
    )


def judges(task: Task, names: list[str] | None, environ: dict[str, str] | None = None) -> list[str]:
    """Return the names of the judges of a command line."""
    return list(chosen_judges(task, asked(names), ENVIRON if environ is None else environ))


def test_the_environments_judge_is_the_default_and_none_switches_off() -> None:
    """Named judges replace it, each once; a task that needs no judge has none of the
    environment's.
    """
    assert judges(SPIQA, None) == ["openai:gpt-4o"]
    assert judges(SPIQA, None, {"SPIQA_JUDGE": "none"}) == []
    assert judges(SPIQA, ["none"]) == []
    assert judges(SPIQA, ["openai:a", "openai:b@http://x/v1", "openai:a"]) == [
        "openai:a",
        "openai:b@http://x/v1",
    ]
    assert judges(MMSTAR, None) == []


def test_each_task_has_the_kind_of_judge_that_it_needs() -> None:
    """L3Score needs log-probabilities, the reading of letters does not."""
    (judge,) = chosen_judges(SPIQA, asked(None), ENVIRON).values()
    assert judge.rule == L3ScoreRule()
    (judge,) = chosen_judges(LETTERS, asked(["anthropic:claude-3-haiku"]), ENVIRON).values()
    assert judge.rule == LettersRule()
    with pytest.raises(JudgeError, match="anthropic"):
        judges(SPIQA, ["anthropic:claude-3-haiku"])
    assert judges(MMSTAR, ["openai:a"]) == []


def test_a_judge_or_a_rule_that_no_task_needs_is_refused() -> None:
    """Beside a task that needs it, other tasks of a RUN are scored without it."""
    with pytest.raises(InputError, match=r"no --judge for mmstar_demo, .* found openai:a"):
        check_use([MMSTAR], asked(["openai:a"]))
    with pytest.raises(InputError, match=r"no --rule for mine, .* found sampled"):
        check_use([LETTERS], asked(["openai:a"], rule="sampled"))
    check_use([MMSTAR], asked(["none"]))
    check_use([MMSTAR, SPIQA], asked(["openai:a"], rule="sampled"))
