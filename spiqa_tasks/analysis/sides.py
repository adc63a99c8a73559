"""A run's number as a `decomposition.Side`: its scores by a metric or rule, and the average that gives it."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from spiqa_tasks.analysis.decomposition import CUT, FAILED, NONE, OVER_QUESTIONS, Side
from spiqa_tasks.analysis.pair import scores_of
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.mmstar.definition import LETTER, LMMS_EVAL
from spiqa_tasks.benchmarks.record import EMPTY, Record
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.task import NAMES, ROUNDING, unit
from spiqa_tasks.scoring.mcq import MATCHER_VERSION, extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import CIRCULATING
from spiqa_tasks.scoring.responses import without_reasoning

_JUDGE = (
    "judge",
    "judge_served",
    "judge_host",
    "judge_extra",
    "judge_prompt",
    "judge_rule",
    "judge_temperature",
)
_FIELDS = {"judge": (*_JUDGE, "judge_max_tokens"), "text programs": ("tokenizer",)}
"""What a metric needs -> the signature fields that name its tools."""


def side_of(run: Run, name: str) -> Side:
    """Return a run's number by one of its metrics or, of questions with options, by a rule of `CIRCULATING`.

    Of the averages over questions and over a kind of group it is the first that gives the number which the run has. The
    scores of a host's metric are by the circulating rule that gives all of them, if one does.
    """
    metric = next((each for each in run.metrics if each.name == name), None)
    questions = _complete(run) if metric is None else run.kind.members(run, metric)
    own = {} if metric is None else scores_of(questions, metric)  # a mean over axes has none
    scores = own or {key: score for key, score in _read(run, name).items() if key in questions}
    rule = name
    if metric is not None and not run.is_own and scores:
        rule = next((each for each in CIRCULATING if _read(run, each) == scores), name)
    kinds = {key: kind for key, record in questions.items() if (kind := _kind(run, record))}
    counts = Counter(answer.id for answer in run.read())
    times = {key: counts[key] for key in questions if counts[key] > 1}
    side = Side(
        math.nan, scores, kinds=kinds, times=times, rule=rule, tools=_tools(run, metric, rule)
    )
    usual = "subcategory" if name == LMMS_EVAL.name else OVER_QUESTIONS
    of_groups = (kind for record in questions.values() for kind in record.groups)
    sides = []
    for kind in dict.fromkeys([usual, *of_groups, OVER_QUESTIONS]):
        groups = {
            key: record.groups[kind] for key, record in questions.items() if record.groups.get(kind)
        }
        if kind == OVER_QUESTIONS or len(groups) == len(questions):
            ways = (False,) if run.is_own or FAILED not in kinds.values() else (True, False)
            sides += [replace(side, average=kind, groups=groups, counts_failed=way) for way in ways]
    numbers = _numbers(run, name, metric)
    known = (
        replace(way, number=of)
        for of in numbers
        for way in sides
        if abs(way.computed - of) <= ROUNDING
    )
    return next(known, replace(sides[0], number=numbers[0] if numbers else sides[0].computed))


def crossed(run: Run, side: Side, other_run: Run, other: Side) -> dict[str, float]:
    """Return id -> score of a run's answers by the other number's rule, where it can be had without asking a judge."""
    found: Mapping[str, float] = {}
    own = side_of(run, other.rule) if run.is_own else None
    if own is not None and own.tools == other.tools:
        found = own.scores
    elif (
        other.rule in CIRCULATING and other.tools.get("matcher", MATCHER_VERSION) == MATCHER_VERSION
    ):
        found = _read(run, other.rule)
    ours, theirs = (
        {
            key: answer.response.text
            for key, answer in each.by_id.items()
            if of.kinds.get(key) != FAILED
        }
        for each, of in ((run, side), (other_run, other))
    )
    same = {
        key: score
        for key, score in other.scores.items()
        if key in ours and ours[key] == theirs.get(key)
    }
    return {**found, **same, **{key: 0.0 for key, kind in side.kinds.items() if kind == FAILED}}


def _complete(run: Run) -> dict[str, Record]:
    return {record.id: record for record in run.questions if record.status != "incomplete"}


def _tools(run: Run, metric: Metric | None, rule: str) -> dict[str, str]:
    if rule == "accuracy":
        return {"matcher": run.signature.matcher or MATCHER_VERSION}
    fields = () if metric is None else _FIELDS.get(metric.needs, ())
    return {name: getattr(run.signature, name) for name in fields}


def _numbers(run: Run, name: str, metric: Metric | None) -> Sequence[float]:
    """Return the number that a run has by a metric, 0 to 1, in each unit that it may be in; [] without one."""
    if run.is_own:
        value = math.nan if metric is None else run.value(metric).value
        return [] if math.isnan(value) else [value]
    divisor = unit(run.task, name, run.origin.config)
    divisors = NAMES.values() if divisor is None else [divisor]
    numbers = [run.written.values[name] / each for each in divisors if name in run.written.values]
    return [number for number in numbers if 0 <= number <= 1]


def _read(run: Run, rule: str) -> dict[str, float]:
    """Return id -> score by a circulating rule, of the answers to questions whose options are known."""
    found = {}
    for key, record in _complete(run).items() if rule in CIRCULATING else ():
        options = _options(run, record)
        if rule == LMMS_EVAL.name and LETTER in record.details:
            found[key] = float(record.details[LETTER] == record.reference)
        elif options and record.status != "request_failed":
            found[key] = float(CIRCULATING[rule](_text(run, key), options, record.reference))
    return found


def _kind(run: Run, record: Record) -> str:
    """Return `FAILED`, `CUT` or `NONE` of an answer that is none, else ''."""
    if record.status == "request_failed":
        return FAILED
    options = {} if run.is_own else _options(run, record)
    if record.truncated or (
        options and extract_choice(_text(run, record.id), options).rule == "truncated"
    ):
        return CUT
    is_empty = record.id in run.by_id and _text(run, record.id).strip().lower() in EMPTY
    return NONE if record.refused or is_empty else ""


def _text(run: Run, key: str) -> str:
    return without_reasoning(run.by_id[key].response.text)


def _options(run: Run, record: Record) -> Mapping[str, str]:
    answer = run.by_id.get(record.id)
    options = answer.known_options if answer is not None else {}
    return options if record.reference in options else {}
