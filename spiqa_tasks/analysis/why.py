"""Why two numbers of one model differ: lines of `decomposition`, and what is known of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from spiqa_tasks.analysis.conditions import differing
from spiqa_tasks.analysis.decomposition import (
    AVERAGE,
    COVERAGE,
    MIXED,
    OTHER,
    RULE,
    UNKNOWN,
    Line,
    decomposed,
)
from spiqa_tasks.analysis.merging import headline
from spiqa_tasks.analysis.numbers import (
    CUT,
    FAILED,
    NONE,
    UNREAD,
    ReportedNumber,
    explain_number,
    number_of,
    rescored,
)
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.mcq.other_matchers import CIRCULATING
from spiqa_tasks.scoring.values import percent

# Questions that a line names.
NAMED = 3
# Size of a difference that is printed as other than 0.0.
LEAST = 0.0005

# Cause -> how its part of the difference is settled; rule and average need no settling.
REMEDIES = {
    COVERAGE: "run the shorter one again with the same --use_cache, which asks what is missing",
    FAILED: "run it again with the same --use_cache, which asks what failed",
    CUT: "run it again with a larger --gen_kwargs max_new_tokens=N",
    NONE: "spiqa-tasks report {a} {b}, which shows them",
    UNREAD: "spiqa-tasks report {a} {b}, which shows them",
    MIXED: "spiqa-tasks score {task} {a} --judge {judge} --output again",
    UNKNOWN: "spiqa-tasks score {a} --output again, and of {b} alike",
    OTHER: "run it again with one condition as in the other run",
}
# How what is unknown of a printed number is settled.
BEHIND = "spiqa-tasks compare {a} OTHER --why, with the answers behind {b} as OTHER"


@dataclass(frozen=True)
class Why:
    """The difference of two numbers, `number_b - number_a`, as the sum of the lines.

    Attributes:
        number_a, number_b: 0 to 1.
        about: cause -> what is known of it.
        differ: conditions in which the runs are known to differ.
        by_rule: `metric over average` -> number of the first run's answers by it.
        explains, settles: what explains most, and how the rest would be settled.
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


def why(run_a: Run, run_b: Run, metric_a: str | None = None, metric_b: str | None = None) -> Why:
    """Return why the number of the second run differs from that of the first.

    Raises InputError: runs without common questions or scores of single questions, or with other
    true answers.
    """
    a = number_of(run_a, metric_a or headline(run_a).name)
    b = number_of(run_b, metric_b or headline(run_b).name)
    _check((run_a, a), (run_b, b))

    differ = [] if run_a is run_b else differing(run_a, run_b)
    about = {
        COVERAGE: f"{len(a.questions)} and {len(b.questions)} questions",
        FAILED: f"{_failed(a)} and {_failed(b)}",
        UNKNOWN: "what is reported is no known average of the scores",
        OTHER: differ[0] if len(differ) == 1 else "",
    }
    for kind in (CUT, NONE, UNREAD):
        counts = [int((number.questions.kind == kind).sum()) for number in (a, b)]
        about[kind] = f"{counts[0]} and {counts[1]}"
    names = {"a": run_a.path, "b": run_b.path, "task": run_a.task, "judge": run_b.judge_name}
    remedies = {cause: remedy.format(**names) for cause, remedy in REMEDIES.items()}
    return _why((run_a, a), (run_b, b), run_b.name, about, differ, remedies)


def why_printed(
    run: Run,
    printed: float,
    name: str,
    metric: str | None = None,
    printed_metric: str | None = None,
) -> Why:
    """Return why a printed number, 0 to 1, differs from that of a run.

    Its metric is the named one, or the first rule and average that give it of the run's answers;
    what these do not explain is unknown. Raises InputError: as `why`.
    """
    a = number_of(run, metric or headline(run).name)
    explained = number_of(run, printed_metric) if printed_metric else explain_number(run, printed)
    b = replace(explained or a, value=printed)
    _check((run, a), (run, b))

    unknown = "other answers, or more"
    if not run.record_set.is_whole:
        unknown += f"; {run.name} answered {run.coverage} questions"
    remedies = {UNKNOWN: BEHIND.format(a=run.path, b=percent(printed))}
    return _why((run, a), (run, b), name, {UNKNOWN: unknown}, [], remedies)


def _why(
    one: tuple[Run, ReportedNumber],
    two: tuple[Run, ReportedNumber],
    name_b: str,
    about: Mapping[str, str],
    differ: Sequence[str],
    remedies: Mapping[str, str],
) -> Why:
    (run_a, a), (run_b, b) = one, two
    rules = _other_rules(a, b)
    average = f"over {a.average.name} and over {b.average.name}"
    about = {RULE: rules, AVERAGE: average, MIXED: rules, **about}

    lines = decomposed(
        _with_rescored(a, rescored(run_a, run_b, b)),
        _with_rescored(b, rescored(run_b, run_a, a)),
        same_rule=not rules,
    )
    by_rule = {}
    for name in dict.fromkeys([a.metric, *CIRCULATING]):
        number = number_of(run_a, name)
        if len(number.questions):
            by_rule[f"{name} over {number.average.name}"] = number.value

    return Why(
        run_a.name,
        name_b,
        a.metric,
        b.metric,
        a.value,
        b.value,
        lines,
        about,
        differ,
        by_rule,
        _explains(lines, about),
        _settles(lines, differ, remedies),
    )


def _with_rescored(number: ReportedNumber, scores: Mapping[str, float]) -> ReportedNumber:
    column = number.questions.index.map(dict(scores)).astype(float)
    return replace(number, questions=number.questions.assign(rescored=column))


def _failed(number: ReportedNumber) -> str:
    if not (number.questions.kind == FAILED).any():
        return "none"
    return "counted as wrong" if number.average.counts_failed else "left out"


def _check(*numbers: tuple[Run, ReportedNumber]) -> None:
    """Raise InputError unless both numbers are of scores of the same questions."""
    for run, number in numbers:
        if not number.questions.score.notna().any():
            names = ", ".join(metric.name for metric in run.metrics)
            raise InputError(
                f"Expected scores of single questions by {number.metric} for --why; {run.task} of "
                f"{run.name} has none. Choose with --metric: {names}."
            )

    (run_a, a), (run_b, b) = numbers
    both = a.questions.join(b.questions, how="inner", lsuffix="_a", rsuffix="_b")
    others = list(both.index[both.reference_a != both.reference_b])
    if both.empty or others:
        count = counted(len(others), "question")
        found = f"another true answer of {count}, such as {others[0]}" if others else "none"
        raise InputError(
            f"Expected the same questions in {run_a.path} and {run_b.path}; found {found}. Name "
            "two runs of one task."
        )


def _other_rules(a: ReportedNumber, b: ReportedNumber) -> str:
    """Return the rules and tools in which two numbers differ, or ''."""
    found = []
    if a.rule != b.rule:
        found.append(f"{_rule_name(a)} and {_rule_name(b)}")
    for name in a.tools.keys() & b.tools.keys():
        if a.tools[name] != b.tools[name]:
            found.append(f"{name}: {a.tools[name] or 'none'} and {b.tools[name] or 'none'}")
    return "; ".join(sorted(found))


def _rule_name(number: ReportedNumber) -> str:
    if number.rule == number.metric:
        return number.metric
    return f"{number.metric} (read as {number.rule})"


def _explains(lines: Sequence[Line], about: Mapping[str, str]) -> str:
    """Return the sentence on the line that explains most."""
    if all(abs(line.value) < LEAST for line in lines):
        return "The numbers are equal, line by line."

    total = percent(math.fsum(line.value for line in lines))
    known = [line for line in lines if line.cause != UNKNOWN and abs(line.value) >= LEAST]
    if not known:
        return f"Nothing that is known explains a part of the {total} points."

    most = max(known, key=lambda line: abs(line.value))
    detail = f" ({about[most.cause]})" if about.get(most.cause) else ""
    on = ""
    if most.ids:
        on = f", on {counted(len(most.ids), 'question')} such as {', '.join(most.ids[:NAMED])}"
    part = f"{percent(most.value)} of {total} points"
    return f"What explains most: {most.cause}{detail}, {part}{on}."


def _settles(lines: Sequence[Line], differ: Sequence[str], remedies: Mapping[str, str]) -> str:
    """Return the sentence on how the largest line that is not settled yet would be."""
    open_lines = [line for line in lines if line.cause in remedies and abs(line.value) >= LEAST]
    if len(differ) == 1:
        open_lines = [line for line in open_lines if line.cause != OTHER]
    if not open_lines:
        return "Nothing is left to settle."

    most = max(open_lines, key=lambda line: abs(line.value))
    remedy = remedies[most.cause]
    if most.cause == OTHER and differ:
        remedy += f": {'; '.join(differ)}"
    return f"To settle {most.cause} ({percent(most.value)} points): {remedy}."
