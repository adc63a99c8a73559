"""A run's number by a metric: the rule that read the answers and the average that gives it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from spiqa_tasks.analysis.merging import kinds_of, questions
from spiqa_tasks.benchmarks.metric import mean_of
from spiqa_tasks.benchmarks.mmstar.definition import LETTER, LMMS_EVAL
from spiqa_tasks.benchmarks.record import EMPTY, Record
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.task import NAMES, ROUNDING, unit
from spiqa_tasks.scoring.mcq import MATCHER_VERSION, extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import CIRCULATING
from spiqa_tasks.scoring.responses import without_reasoning

if TYPE_CHECKING:
    import pandas as pd

OVER_QUESTIONS = "questions"

FAILED = "requests failed"
CUT = "answers cut off"
NONE = "answers empty or refused"
UNREAD = "no letter read"

# Largest rounding of a number that papers print: percent with one decimal.
PRINTED = 0.0005 + 1e-9

# Words from which an answer without an end was cut: a letter or an option has none either.
SHORTEST_CUT = 8
# The end of a text within a sentence; a capital alone may be the answer's letter.
IN_SENTENCE = re.compile(r"(?:\w\w|[a-z,;:=+])\s*\Z")
# Share of the longest answer's words from which answers end at the same limit of tokens.
SIMILAR = 0.8
# Answers that must end so: one or two may be the model's own.
LEAST_CUT = 3

# What a metric needs -> beginning of the signature fields that name its tools.
TOOLS = {"judge": "judge", "text programs": "tokenizer"}


@dataclass(frozen=True)
class Average:
    """The mean over questions or, with a column, of the means of its groups.

    `counts_failed`: whether a failed request counts as wrong, instead of being left out.
    """

    column: str = ""
    counts_failed: bool = False

    @property
    def name(self) -> str:
        """The name for people: `questions`, `category`, ..."""
        return self.column or OVER_QUESTIONS

    def weights(self, frame: pd.DataFrame) -> pd.Series[float]:
        """Return the weight of each question; they add up to 1."""
        import pandas as pd

        if not self.column:
            return pd.Series(1 / len(frame), index=frame.index)
        sizes = frame.groupby(self.column).score.transform("size")
        return 1 / (sizes * frame[self.column].nunique())

    def of(self, frame: pd.DataFrame) -> float:
        """Return the average of the scores; NaN without one."""
        counted = frame if self.counts_failed else frame[frame.score.notna()]
        if counted.empty:
            return math.nan
        return math.fsum(self.weights(counted) * counted.score.fillna(0.0))


@dataclass(frozen=True)
class ReportedNumber:
    """A number, and how it is made of a run's answers.

    Attributes:
        value: as it was printed, 0 to 1.
        metric: its name.
        questions: the columns of `merging.questions`, and the `kind` of an answer that is none;
            the `score` of a failed request is NaN.
        rule: by which the answers were read: the metric, or a circulating rule.
        tools: signature fields of what the scores were computed with.
    """

    value: float
    metric: str
    questions: pd.DataFrame
    average: Average = field(default_factory=Average)
    rule: str = ""
    tools: Mapping[str, str] = field(default_factory=dict)

    @property
    def computed(self) -> float:
        """The number made again from the scores."""
        return self.average.of(self.questions)


def number_of(run: Run, name: str) -> ReportedNumber:
    """Return a run's number by a metric or, of questions with options, a circulating rule."""
    values = _reported(run, name)
    frame = _answers_by(run, name)
    averages = list(_averages(run, name, frame))

    found = _explained(run, name, frame, values, ROUNDING)
    if found is not None:
        return found
    value = values[0] if values else averages[0].of(frame)
    return _made(run, name, frame, value, averages[0])


def explain_number(run: Run, printed: float) -> ReportedNumber | None:
    """Return the metric or rule and the average that give a printed number of a run's answers.

    The run's metrics come first, then the rules that circulate. None if none of them gives it.
    """
    names = [metric.name for metric in run.metrics if metric.higher_is_better]
    # Its own metrics first: a rule that happens to agree is a worse explanation.
    for name in dict.fromkeys([*names, *CIRCULATING]):
        if found := _explained(run, name, _answers_by(run, name), [printed], PRINTED):
            return found
    return None


def _explained(
    run: Run, name: str, frame: pd.DataFrame, values: Sequence[float], rounding: float
) -> ReportedNumber | None:
    for value in values:
        for average in _averages(run, name, frame):
            if abs(average.of(frame) - value) <= rounding:
                return _made(run, name, frame, value, average)
    return None


def _made(
    run: Run, name: str, frame: pd.DataFrame, value: float, average: Average
) -> ReportedNumber:
    rule = _rule(run, name, frame)
    return ReportedNumber(value, name, frame, average, rule, _tools(run, name, rule))


def _averages(run: Run, name: str, frame: pd.DataFrame) -> Iterator[Average]:
    """Yield the averages that circulate, the usual one of the metric first."""
    columns = ["", *(kind for kind in kinds_of(run) if frame[kind].notna().all())]
    # lmms-eval's `mmstar` averages sub-axes; a plain mean that is equal by chance explains less.
    if name == LMMS_EVAL.name:
        columns.sort(key=lambda column: column != "subcategory")

    has_failed = (frame.kind == FAILED).any()
    # To a host a failed request is a wrong answer; in our numbers it has no score.
    for column in columns:
        if has_failed and not run.is_own:
            yield Average(column, counts_failed=True)
        yield Average(column)


def _answers_by(run: Run, name: str) -> pd.DataFrame:
    """Return the questions that have a score by a metric or rule, or a failed request."""
    metric = next((each for each in run.metrics if each.name == name), mean_of(name))
    frame = questions(run, metric)
    if not frame.score.notna().any():
        # A mean over axes has no scores of its own; a rule reads the answers.
        frame["score"] = frame.index.map(read_by(run, name)).astype(float)

    frame["kind"] = _kinds(run, list(frame.record))
    return frame[frame.score.notna() | (frame.kind == FAILED)]


def _rule(run: Run, name: str, frame: pd.DataFrame) -> str:
    """Return the circulating rule that gives all scores of a host's metric, or the metric."""
    scores = dict(frame.score.dropna())
    if run.is_own or not scores:
        return name
    return next((rule for rule in CIRCULATING if read_by(run, rule) == scores), name)


def _tools(run: Run, name: str, rule: str) -> dict[str, str]:
    if rule == "accuracy":
        return {"matcher": run.signature.matcher or MATCHER_VERSION}
    needs = next((each.needs for each in run.metrics if each.name == name), "nothing")
    if needs not in TOOLS:
        return {}
    fields = asdict(run.signature)
    return {key: fields[key] for key in fields if key.startswith(TOOLS[needs])}


def _reported(run: Run, name: str) -> list[float]:
    """Return the number that a run has by a metric, 0 to 1, in each unit it may be in."""
    if run.is_own:
        values = [run.value(metric).value for metric in run.metrics if metric.name == name]
        return [value for value in values if not math.isnan(value)]
    return _in_units(run, name) if name in run.written.values else []


def _in_units(run: Run, name: str) -> list[float]:
    """Return a host's value as a share, in each unit it may be in."""
    divisor = unit(run.task, name, run.origin.config)
    divisors = NAMES.values() if divisor is None else [divisor]
    numbers = [run.written.values[name] / each for each in divisors]
    return [number for number in numbers if 0 <= number <= 1]


def read_by(run: Run, rule: str) -> dict[str, float]:
    """Return id -> score by a circulating rule, of answers to questions with known options."""
    if rule not in CIRCULATING:
        return {}

    scores = {}
    for record in run.questions:
        options = _options(run, record)
        if record.status in ("incomplete", "request_failed"):
            continue
        if rule == LMMS_EVAL.name and LETTER in record.details:
            scores[record.id] = float(record.details[LETTER] == record.reference)
        elif options:
            text = _text(run, record.id)
            scores[record.id] = float(CIRCULATING[rule](text, options, record.reference))
    return scores


def rescored(run: Run, other_run: Run, other: ReportedNumber) -> dict[str, float]:
    """Return id -> score of a run's answers by another number's rule, without asking a judge."""
    scores: dict[str, float] = {}
    if run.is_own and any(metric.name == other.rule for metric in run.metrics):
        own = number_of(run, other.rule)
        scores = dict(own.questions.score.dropna()) if own.tools == other.tools else {}
    elif other.tools.get("matcher", MATCHER_VERSION) == MATCHER_VERSION:
        scores = read_by(run, other.rule)

    for record in run.questions:
        if record.status == "request_failed":
            scores[record.id] = 0.0
        # The same answer has the other's score, also of a judge, who is not asked again.
        elif _text(run, record.id) == _text(other_run, record.id):
            theirs = other.questions.score.dropna()
            if record.id in theirs:
                scores[record.id] = float(theirs[record.id])
    return scores


def _kinds(run: Run, records: Sequence[Record]) -> list[str]:
    """Return of each answer why it is none (`FAILED`, `CUT`, `NONE`, `UNREAD`), or ''."""
    kinds = [_kind(run, record) for record in records]

    # Hosts seldom log token counts: answers that stop in a sentence at one length were cut, too.
    lengths = [len(_text(run, record.id).split()) for record in records]
    least = max(SHORTEST_CUT, SIMILAR * max(lengths, default=0))
    cut = [
        place
        for place, record in enumerate(records)
        if kinds[place] in ("", UNREAD)
        and lengths[place] >= least
        and IN_SENTENCE.search(_text(run, record.id))
    ]
    for place in cut if len(cut) >= LEAST_CUT else ():
        kinds[place] = CUT
    return kinds


def _kind(run: Run, record: Record) -> str:
    if record.status == "request_failed":
        return FAILED

    text = _text(run, record.id)
    rule, is_unread = record.rule, record.unparsed
    options = {} if run.is_own else _options(run, record)
    if options:
        choice = extract_choice(text, options)
        rule, is_unread = choice.rule, choice.letter is None

    # A cut answer is often unread, too: the limit of tokens is what can be changed.
    if record.truncated or rule == "truncated":
        return CUT
    if record.refused or text.strip().lower() in EMPTY:
        return NONE
    return UNREAD if is_unread else ""


def _text(run: Run, key: str) -> str:
    """Return an answer without its reasoning; '' if the run has none."""
    answer = run.by_id.get(key)
    return "" if answer is None else without_reasoning(answer.response.text)


def _options(run: Run, record: Record) -> Mapping[str, str]:
    """Return letter -> text of a question's options, {} if they are not known."""
    answer = run.by_id.get(record.id)
    options = {} if answer is None else answer.known_options
    return options if record.reference in options else {}
