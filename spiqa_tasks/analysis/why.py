"""Why two numbers of one model differ: lines that add up to the difference, one per cause."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from spiqa_tasks.analysis.merging import conditions, headline, questions
from spiqa_tasks.benchmarks.metric import mean_of
from spiqa_tasks.benchmarks.mmstar.definition import LETTER, LMMS_EVAL
from spiqa_tasks.benchmarks.record import EMPTY, Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted
from spiqa_tasks.runs.metric_values import ROUNDING, reported_shares
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import CIRCULATING
from spiqa_tasks.scoring.responses import without_reasoning

# Causes. Of several that hold for a question, the first of these four has its effect.
FAILED = "requests failed"
CUT = "answers cut off"
NONE = "answers empty or refused"
UNREAD = "no letter read"
OF_ANSWERS = (FAILED, CUT, NONE, UNREAD)

# MMStar's sub-axes, over which lmms-eval averages, in our files and in those of its own task.
AXES = ("subcategory", "l2_category")

COVERAGE = "questions missing"
RULE = "reading rule"
AVERAGE = "average"
OTHER = "other answers"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Number:
    """A number, and how it is made of a run's answers.

    Attributes:
        value: as it was reported, 0 to 1.
        average: the group column whose means are averaged, or '' for the mean over questions.
        answers: the columns of `merging.questions`, `text` and `cause`, why it is not usable.
            To a host a failed request is a wrong answer; in our numbers it has no score.
        rule: by which the answers were read: the metric, or a circulating rule.
    """

    run: Run
    metric: str
    value: float
    average: str
    answers: pd.DataFrame
    rule: str

    @property
    def reading(self) -> str:
        """The metric and the rule for people."""
        return self.metric + ("" if self.rule == self.metric else f" (read as {self.rule})")


@dataclass(frozen=True)
class Line:
    """A cause's part of the difference in natural units, and the ids of its questions.

    Those that changed it most come first; `about` says what is known of the cause.
    """

    cause: str
    value: float
    ids: Sequence[str] = ()
    about: str = ""


@dataclass(frozen=True)
class Why:
    """The difference of two numbers, `number_b - number_a`, as the sum of the lines.

    `differ` are the conditions in which the runs are known to differ; `parts` say which run
    answered a part of its task.
    """

    a: str
    b: str
    metric_a: str
    metric_b: str
    number_a: float
    number_b: float
    lines: Sequence[Line]
    differ: Sequence[str]
    parts: Sequence[str] = ()


def why(a: Run, b: Run, metric_a: str = "", metric_b: str = "") -> Why:
    """Return why the number of the second run differs from that of the first.

    Without names of metrics they are the headlines of the tasks.
    Raises InputError: runs without common questions or scores of single questions, or with other
    true answers.
    """
    one = number_of(a, metric_a or headline(a).name)
    two = number_of(b, metric_b or headline(b).name)
    both = one.answers.join(two.answers, how="inner", lsuffix="_a", rsuffix="_b")
    _check(one, two, both)

    differ = conditions(a, b)
    if a.identity.label != b.identity.label:
        differ.insert(0, f"model: {a.identity.label} and {b.identity.label}")
    parts = [
        f"{run.name} answered {run.coverage} questions"
        for run in ([a] if a is b else [a, b])
        if not run.record_set.is_whole
    ]
    lines = _lines(one, two, both)
    return Why(a.name, b.name, one.metric, two.metric, one.value, two.value, lines, differ, parts)


def number_of(run: Run, metric: str) -> Number:
    """Return a run's number by a metric or, of questions with options, a circulating rule."""
    answers = _answers(run, metric)
    averages = _averages(metric, answers)
    rule = _rule(run, metric, answers)
    reported = _reported(run, metric)
    for value in reported:
        for average in averages:
            if abs(_mean(answers, average) - value) <= ROUNDING:
                return Number(run, metric, value, average, answers, rule)

    # No average that circulates gives the reported number: a part of the difference is unknown.
    value = reported[0] if reported else _mean(answers, averages[0])
    return Number(run, metric, value, averages[0], answers, rule)


def _averages(metric: str, answers: pd.DataFrame) -> list[str]:
    """Return the averages that circulate, the usual one of the metric first."""
    axes = [column for column in AXES if column in answers and answers[column].notna().all()]
    # lmms-eval's `mmstar` averages sub-axes; a plain mean that is equal by chance explains less.
    return [*axes, ""] if metric == LMMS_EVAL.name else ["", *axes]


def _mean(answers: pd.DataFrame, average: str = "") -> float:
    """Return the mean of the known scores or, with a column, of the means of its groups."""
    scores = answers.score.dropna()
    if average:
        scores = scores.groupby(answers[average]).mean()
    return float(scores.mean())


def _reported(run: Run, metric: str) -> list[float]:
    """Return the number that a run has by a metric, 0 to 1, in each unit it may be in."""
    if run.is_of_benchmark:
        values = [run.value(each).value for each in run.metrics if each.name == metric]
    else:
        reported = run.reported.values.get(metric, math.nan)
        values = reported_shares(run.task, run.origin.config, reported, metric)
    # NaN, no value, is in no range, nor is CIDEr, which is the mean of its scores
    return [value for value in values if 0 <= value <= 1]


def _answers(run: Run, metric: str) -> pd.DataFrame:
    """Return the questions that have a score by a metric or rule, or a failed request."""
    known = next((each for each in run.metrics if each.name == metric), mean_of(metric))
    frame = questions(run, known)
    if not frame.score.notna().any():
        # A mean over axes has no scores of its own; a rule reads the answers.
        frame["score"] = _read_by(run, metric).reindex(frame.index)

    frame["text"] = frame.prediction.fillna("").map(without_reasoning)
    frame["cause"] = list(map(partial(_cause, run), frame.record, frame.text))
    if not run.is_of_benchmark:
        frame.loc[frame.cause == FAILED, "score"] = 0.0
    return frame[frame.score.notna() | (frame.cause == FAILED)]


def _read_by(run: Run, rule: str) -> pd.Series:
    """Return question id -> 1 or 0 by a circulating rule; no score without known options."""
    scores: dict[str, float] = {}
    if rule not in CIRCULATING:
        return pd.Series(scores, dtype=float)

    for record in run.questions:
        if record.status in ("incomplete", "request_failed"):
            continue
        # Records of MMStar have the letter that lmms-eval reads.
        if rule == LMMS_EVAL.name and LETTER in record.details:
            scores[record.id] = float(record.details[LETTER] == record.reference)
        elif options := _options(run, record):
            text = without_reasoning(run.by_id[record.id].response.text)
            scores[record.id] = float(CIRCULATING[rule](text, options, record.reference))
    return pd.Series(scores, dtype=float)


def _rule(run: Run, metric: str, answers: pd.DataFrame) -> str:
    """Return the circulating rule that gives all scores of a host's metric, or the metric."""
    scores = answers.score[answers.cause != FAILED]
    if not run.is_of_benchmark and len(scores):
        for rule in CIRCULATING:
            if _read_by(run, rule).equals(scores):
                return rule
    return metric


def _options(run: Run, record: Record) -> Mapping[str, str]:
    """Return letter -> text of a question's options, {} if unknown or if none has its answer."""
    answer = run.by_id.get(record.id)
    options = {} if answer is None else answer.known_options
    return options if record.reference in options else {}


def _cause(run: Run, record: Record, text: str) -> str:
    """Return why a response has no usable answer, or ''; `text` is without its reasoning."""
    if record.status == "request_failed":
        return FAILED

    rule, is_unread = record.rule, record.unparsed
    options = {} if run.is_of_benchmark else _options(run, record)
    if options:
        choice = extract_choice(text, options)
        rule, is_unread = choice.rule, choice.letter is None

    # A cut answer is often unread, too: the limit of tokens is what can be changed.
    if record.truncated or rule == "truncated":
        return CUT
    if record.refused or text.strip().lower() in EMPTY:
        return NONE
    return UNREAD if is_unread else ""


def _check(a: Number, b: Number, both: pd.DataFrame) -> None:
    """Raise InputError unless both numbers are of scores of the same questions."""
    for number in (a, b):
        if not number.answers.score.notna().any():
            names = ", ".join(metric.name for metric in number.run.metrics)
            raise InputError(
                f"Expected scores of single questions by {number.metric} for --why; "
                f"{number.run.task} of {number.run.name} has none. Choose with --metric: {names}."
            )

    others = both.index[both.reference_a != both.reference_b]
    if both.empty or len(others):
        found = "none"
        if len(others):
            count = counted(len(others), "question")
            found = f"another true answer of {count}, such as {others[0]}"
        raise InputError(
            f"Expected the same questions in {a.run.path} and {b.run.path}; found {found}. Name "
            "two runs of one task."
        )


def _lines(a: Number, b: Number, both: pd.DataFrame) -> list[Line]:
    """Return lines whose values add up to `b.value - a.value`.

    That difference is taken of ever simpler means, down to that of all answers to the questions
    that both have; a step from one mean to the next is a line. What is left is the sum of the
    questions' effects.
    """
    # Differences of the means, as each number averages and then over questions.
    averaged = _mean(b.answers, b.average) - _mean(a.answers, a.average)
    over_known = _mean(b.answers) - _mean(a.answers)
    # Here and below failed requests count as wrong.
    over_all = b.answers.score.fillna(0.0).mean() - a.answers.score.fillna(0.0).mean()
    over_common = both.score_b.fillna(0.0).mean() - both.score_a.fillna(0.0).mean()

    of_rule, of_causes = _effects(a, b, both)
    over = f"over {a.average or 'questions'} and over {b.average or 'questions'}"
    lines = [
        Line(
            COVERAGE,
            over_all - over_common,
            list(a.answers.index.symmetric_difference(b.answers.index, sort=False)),
            f"{len(a.answers)} and {len(b.answers)} questions",
        ),
        _line(RULE, of_rule, f"{a.reading} and {b.reading}"),
        Line(AVERAGE, averaged - over_known, (), over),
    ]
    for cause, effects in of_causes.items():
        # Failed requests that one of the numbers leaves out, and those that both count.
        more = over_known - over_all if cause == FAILED else 0.0
        about = _counts(a, b, cause) if cause in OF_ANSWERS else ""
        lines.append(_line(cause, effects, about, more))

    about = "no known average of the scores gives the reported number"
    lines.append(Line(UNKNOWN, b.value - a.value - averaged, (), about))
    return lines


def _effects(a: Number, b: Number, both: pd.DataFrame) -> tuple[pd.Series, dict[str, pd.Series]]:
    """Return each question's part of the difference: by the rule, on the second run's answers, and
    for each cause by the answers.
    """
    scores_a, scores_b = both.score_a.fillna(0.0), both.score_b.fillna(0.0)
    of_rule = (scores_b - _rescored(a, b, both)) / len(both)
    of_answers = (scores_b - scores_a) / len(both) - of_rule

    # A question has a cause if either answer has it.
    masks = [(both.cause_a == cause) | (both.cause_b == cause) for cause in OF_ANSWERS]
    causes = np.select(masks, list(OF_ANSWERS), OTHER)
    return of_rule, {cause: of_answers[causes == cause] for cause in (*OF_ANSWERS, OTHER)}


def _counts(a: Number, b: Number, cause: str) -> str:
    """Return how many answers of either number have a cause."""
    return " and ".join(str((number.answers.cause == cause).sum()) for number in (a, b))


def _line(cause: str, effects: pd.Series, about: str, more: float = 0.0) -> Line:
    """Return the sum of the effects of questions, and of `more`, with the questions changed."""
    changed = effects[effects != 0].sort_values(key=abs, ascending=False, kind="stable")
    return Line(cause, float(effects.sum()) + more, list(changed.index), about)


def _rescored(a: Number, b: Number, both: pd.DataFrame) -> pd.Series:
    """Return the scores of the second number's answers by the first one's rule.

    An answer that both runs gave has the first run's score. Other answers are read again if the
    first rule is a `CIRCULATING` one; by any other rule, such as a judge's, they keep their scores.
    """
    scores = both.score_b.fillna(0.0)
    if a.rule != b.rule and a.rule in CIRCULATING:
        by_rule = _answers(b.run, a.rule).score
        scores = by_rule.reindex(both.index).fillna(scores)

    # The same answer has the same score; a failed request is wrong by any rule.
    is_same = (both.text_a == both.text_b) & both.score_a.notna()
    return scores.mask(is_same, both.score_a).mask(both.cause_b == FAILED, 0.0)
