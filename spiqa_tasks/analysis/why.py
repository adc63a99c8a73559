"""Why two numbers of one model differ: the lines of `decomposition` for two runs, or for a run and a printed number."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from spiqa_tasks.analysis.conditions import differing
from spiqa_tasks.analysis.decomposition import (
    AVERAGE,
    COVERAGE,
    CUT,
    FAILED,
    MIXED,
    NONE,
    OTHER,
    RULE,
    UNKNOWN,
    Line,
    Side,
    decomposed,
)
from spiqa_tasks.analysis.sides import Measured
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.mcq.circulating import CIRCULATING
from spiqa_tasks.scoring.units import percent

NAMED = 3
"""Questions that a line names."""
LEAST = 0.0005
"""Size of a difference that is printed as other than 0.0."""


@dataclass(frozen=True)
class Why:
    """The difference of two numbers, `number_b - number_a`, as the sum of the lines.

    Attributes:
        a, b: names of the runs, or of the printed number.
        metric_a, metric_b: of the numbers.
        number_a, number_b: 0 to 1.
        lines: one for each cause.
        about: cause -> what is known of it.
        differ: in what the runs are known to differ beside that.
        by_rule: `metric over average` -> number of the first run's answers by it.
        explains, settles: what explains most, and the command that would settle the rest.
    """

    a: str
    b: str
    metric_a: str
    metric_b: str
    number_a: float
    number_b: float
    lines: Sequence[Line]
    about: dict[str, str]
    differ: Sequence[str]
    by_rule: Mapping[str, float]
    explains: str
    settles: str


def why(
    run_a: Run,
    run_b: Run,
    metric_a: str | None = None,
    metric_b: str | None = None,
    printed: tuple[str, float] | None = None,
) -> Why:
    """Return why the number of the second run differs from that of the first.

    `printed` is a name and a number from 0 to 1 instead of the second run's, with `run_b` the first run again and
    `metric_b` the printed number's metric, if known; then what the rule and the average do not explain is unknown.

    Raises InputError: runs without common questions or scores of single questions, or with other true answers.
    """
    one, two = (Measured(run, name or run.metric().name) for run, name in ((run_a, metric_a), (run_b, metric_b)))
    _check(one, two)
    (a, average_a), (b, average_b) = one.side(two), two.side(one)
    by_rule, rules = _by_rule(one), _other_rules(one, two)
    about = {RULE: rules, AVERAGE: f"over {average_a} and over {average_b}"}
    differ: list[str] = []
    if printed is None:
        common = [key for key in one.questions if key in two.questions]
        differ = [] if run_a is run_b else differing(run_a, run_b, common)
        about |= {
            COVERAGE: f"{len(a.asked)} and {len(b.asked)} questions",
            FAILED: " and ".join(_counted(side) for side in (a, b)),
            **{kind: " and ".join(str([*side.kinds.values()].count(kind)) for side in (a, b)) for kind in (CUT, NONE)},
            MIXED: rules,
            UNKNOWN: "what is reported is no known average of the scores",
            OTHER: differ[0] if len(differ) == 1 else "",
        }
    else:
        b = replace(b, number=printed[1])
        same = " or ".join(way for way, value in by_rule.items() if abs(value - b.number) <= LEAST)
        about[UNKNOWN] = f"the same answers give {percent(b.number)} by {same}" if same else "other answers, or more"
        if not run_a.record_set.is_whole:
            about[UNKNOWN] += f"; {run_a.name} answered {run_a.coverage} questions"
    lines = decomposed(a, b, not rules, {key: record.cluster for key, record in one.questions.items()})
    settles = (
        _settles(lines, one, two, differ)
        if printed is None
        else f"The rest: spiqa-tasks compare {run_a.path} OTHER --why, with the answers behind {percent(b.number)} as "
        "OTHER."
    )
    names = (run_a.name, printed[0] if printed else run_b.name, one.name, two.name, a.number, b.number)
    return Why(*names, lines, about, differ, by_rule, _explains(lines, about), settles)


def _by_rule(one: Measured) -> dict[str, float]:
    """Return `metric over average` -> number by each rule that the answers can be read by."""
    read = {name: one if name == one.name else one.by(name, False) for name in dict.fromkeys((one.name, *CIRCULATING))}
    sides = {name: each.side(one) for name, each in read.items() if each.scores}
    return {f"{name} over {average}": side.number for name, (side, average) in sides.items()}


def _check(one: Measured, two: Measured) -> None:
    for each in (one, two):
        if not each.scores:
            raise InputError(
                f"Expected scores of single questions by {each.name} for --why; {each.run.task} of {each.run.name} has "
                f"none. Choose with --metric: {', '.join(metric.name for metric in each.run.metrics)}."
            )
    common = [key for key in one.questions if key in two.questions]
    others = [key for key in common if one.questions[key].reference != two.questions[key].reference]
    if others or not common:
        found = f"another true answer of {counted(len(others), 'question')}, such as {others[0]}" if others else "none"
        raise InputError(
            f"Expected the same questions in {one.run.path} and {two.run.path}; found {found}. Name two runs of one "
            "task, or of tasks with the same ids."
        )


def _other_rules(one: Measured, two: Measured) -> str:
    """Return in what the readings of two numbers differ, or ''."""
    rules = [each.name if each.name == each.rule else f"{each.name} (read as {each.rule})" for each in (one, two)]
    found = [" and ".join(rules)] if one.rule != two.rule else []
    both = [(name, one.tools[name] or "none", two.tools[name] or "none") for name in one.tools if name in two.tools]
    return "; ".join([*found, *(f"{name}: {ours} and {theirs}" for name, ours, theirs in both if ours != theirs)])


def _counted(side: Side) -> str:
    """Return how a number counts failed requests."""
    if not side.failed:
        return "left out" if FAILED in side.kinds.values() else "none"
    return "read like answers" if any(side.failed.values()) else "counted as wrong"


def _explains(lines: Sequence[Line], about: Mapping[str, str]) -> str:
    if all(abs(line.value) < LEAST for line in lines):
        return "The numbers are equal, line by line."
    total = percent(math.fsum(line.value for line in lines))
    most = max((line for line in lines if line.cause != UNKNOWN), key=lambda line: abs(line.value))
    if abs(most.value) < LEAST:
        return f"Nothing that is known explains a part of the {total} points."
    told = f" ({about[most.cause]})" if about.get(most.cause) else ""
    count = f", on {counted(len(most.ids), 'question')} such as {', '.join(most.ids[:NAMED])}" if most.ids else ""
    return f"What explains most: {most.cause}{told}, {percent(most.value)} of {total} points{count}."


def _settles(lines: Sequence[Line], one: Measured, two: Measured, differ: Sequence[str]) -> str:
    """Return the sentence with the command that would settle the largest line that is not settled yet."""
    settled = {RULE, AVERAGE, *([OTHER] if len(differ) == 1 else [])}
    most = max((line for line in lines if line.cause not in settled), key=lambda line: abs(line.value))
    if abs(most.value) < LEAST:
        return "Nothing is left to settle."
    counts = [list(side.kinds.values()).count(most.cause) for side in (one, two)]
    if most.cause == COVERAGE:
        counts = [-len(side.questions) for side in (one, two)]
    worse = one.run if counts[0] > counts[1] else two.run
    command = [*(worse.command or ("lmms-eval", "--model", "MODEL")), "--tasks", worse.task, "--log_samples"]
    length = int((worse.config.get("generation_kwargs") or {}).get("max_new_tokens", 1024))
    if most.cause == CUT:
        place = command.index("--gen_kwargs") if "--gen_kwargs" in command else len(command)
        given = [each for each in "".join(command[place + 1 : place + 2]).split(",") if "max_new_tokens" not in each]
        command[place : place + 2] = ["--gen_kwargs", ",".join(filter(None, [*given, f"max_new_tokens={4 * length}"]))]
    again = shlex.join([*command, "--output_path", "again"])
    if most.cause == MIXED:
        judge = f" --judge {two.run.judge_name}" if one.run.judge_name != two.run.judge_name else ""
        again = f"spiqa-tasks score {one.run.task} {one.run.path}{judge} --output again"
    if most.cause == UNKNOWN:
        again = f"spiqa-tasks score {worse.path} --output again"
    if most.cause == NONE:
        again = f"spiqa-tasks report {one.run.path} {two.run.path}, which shows them"
    as_in = f", with one of these as in {one.run.name}: {'; '.join(differ)}" if differ and most.cause == OTHER else ""
    return f"To settle {most.cause} ({percent(most.value)} points): {again}{as_in}."
