"""A run's number as a `decomposition.Side`: its scores by its own and by the other number's rule, and its average."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from spiqa_tasks.analysis.decomposition import CUT, FAILED, NONE, Side
from spiqa_tasks.analysis.pair import scores_of
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.choice import options_in
from spiqa_tasks.benchmarks.mmstar.definition import LETTER, LMMS_EVAL
from spiqa_tasks.benchmarks.record import EMPTY, Record
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.task import NAMES, ROUNDING, unit
from spiqa_tasks.scoring.mcq import MATCHER_VERSION, extract_choice
from spiqa_tasks.scoring.mcq.circulating import CIRCULATING
from spiqa_tasks.scoring.reasoning import without_reasoning

OVER_QUESTIONS = "questions"
_JUDGE = ("judge", "judge_served", "judge_host", "judge_extra", "judge_prompt", "judge_rule", "judge_temperature")
_FIELDS = {"judge": (*_JUDGE, "judge_max_tokens"), "text programs": ("tokenizer",), "nothing": ("matcher",)}
"""What a metric needs -> the signature fields that name its tools."""


@dataclass(frozen=True)
class Measured:
    """A run and the metric of its number.

    Attributes:
        run: the run.
        name: the metric; of questions with options also one of `CIRCULATING`, by whatever the run was scored.
        again: whether the answers are read again by that rule, although the run has scores of that name.
    """

    run: Run
    name: str
    again: bool = False

    @cached_property
    def metric(self) -> Metric | None:
        """The run's metric of that name, or None."""
        return None if self.again else next((each for each in self.run.metrics if each.name == self.name), None)

    @cached_property
    def questions(self) -> Mapping[str, Record]:
        """Id -> record of the questions that the metric is of."""
        if self.metric is not None:
            return self.run.kind.members(self.run, self.metric)
        return {record.id: record for record in self.run.questions if record.status != "incomplete"}

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """Id -> score."""
        known = {} if self.metric is None else scores_of(self.questions, self.metric)
        return known or {key: score for key in self.questions if (score := self._read(key)) is not None}

    @cached_property
    def rule(self) -> str:
        """The metric or, of a host's metric, the circulating rule that gives all of its scores."""
        if self.run.is_own or self.metric is None:
            return self.name
        rules = (name for name in CIRCULATING if self.scores and self.by(name, True).scores == self.scores)
        return next(rules, self.name)

    @cached_property
    def tools(self) -> dict[str, str]:
        """Signature fields of what the scores were computed with."""
        needs = "nothing" if self.metric is None else self.metric.needs
        if self.rule == "accuracy" and (self.again or not self.run.is_own):
            return {"matcher": MATCHER_VERSION}
        fields = _FIELDS[needs] if needs != "nothing" or self.rule == "accuracy" else ()
        return {name: getattr(self.run.signature, name) for name in fields}

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Id -> `FAILED`, `CUT` or `NONE`, of answers that are none."""
        return {key: kind for key in self.questions if (kind := self._kind(key))}

    @cached_property
    def texts(self) -> dict[str, str]:
        """Id -> text of the answers to questions that are one document."""
        answers = {key: self.run.by_id[key] for key in self.questions if key in self.run.by_id}
        return {key: each.response.text for key, each in answers.items() if self.kinds.get(key) != FAILED}

    def by(self, name: str, again: bool) -> Measured:
        """Return the run measured by another metric or rule."""
        return self._others.setdefault((name, again), Measured(self.run, name, again))

    def crossed(self, other: Measured) -> dict[str, float]:
        """Return id -> score by the other's rule, of the answers of which it can be had without asking a judge."""
        found: Mapping[str, float] = {}
        if self.run.is_own and self.by(other.rule, False).tools == other.tools:
            found = self.by(other.rule, False).scores
        elif other.rule in CIRCULATING and other.tools.get("matcher", MATCHER_VERSION) == MATCHER_VERSION:
            found = self.by(other.rule, True).scores
        same = {
            key: other.scores[key]
            for key, text in self.texts.items()
            if other.texts.get(key) == text and key in other.scores
        }
        failed = {key: 0.0 for key, kind in self.kinds.items() if kind == FAILED}
        return {**found, **same, **failed}

    def side(self, other: Measured) -> tuple[Side, str]:
        """Return the number with its questions, and the average that gives it: over questions or a kind of group."""
        counts = Counter(answer.id for answer in self.run.read())
        times = {key: counts[key] for key in self.questions if counts[key] > 1}
        side = Side(math.nan, self.scores, self.crossed(other), self.kinds, times=times)
        usual = "subcategory" if self.name == LMMS_EVAL.name else OVER_QUESTIONS
        kinds = [usual, *dict.fromkeys(kind for record in self.questions.values() for kind in record.groups)]
        ways = [
            (replace(side, groups=groups, failed=failed), kind)
            for kind in dict.fromkeys([*kinds, OVER_QUESTIONS])
            for groups in [{key: each.groups[kind] for key, each in self.questions.items() if each.groups.get(kind)}]
            if kind == OVER_QUESTIONS or len(groups) == len(self.questions)
            for failed in self._failed()
        ]
        printed = self._printed()
        for number in printed:
            for way, kind in ways:
                if abs(way.computed - number) <= ROUNDING:
                    return replace(way, number=number), kind
        way, kind = ways[0]
        return replace(way, number=printed[0] if printed else way.computed), kind

    def _failed(self) -> list[dict[str, float]]:
        """Return the scores of failed requests in the ways of counting them: wrong, left out, read like answers."""
        keys = [key for key, kind in self.kinds.items() if kind == FAILED]
        if self.run.is_own or not keys:
            return [{}]
        rule = CIRCULATING.get(self.rule)
        texts = {key: self.run.by_id[key].response.failure or "" for key in keys if self._options(key)}
        read = rule and {
            key: float(rule(text, self._options(key), self.questions[key].reference)) for key, text in texts.items()
        }
        return [dict.fromkeys(keys, 0.0), {}, *([read] if read else [])]

    def _printed(self) -> Sequence[float]:
        """Return the number that the run has, 0 to 1, in each unit that it may be in; [] if it has none."""
        if self.run.is_own:
            value = math.nan if self.metric is None else self.run.value(self.metric).value
            return [] if math.isnan(value) else [value]
        reported = self.run.reported.get(self.name)
        if reported is None:
            return []
        divisor = unit(self.run.task, self.name, self.run.config)
        shares = (reported / each for each in (NAMES.values() if divisor is None else [divisor]))
        return [share for share in shares if 0 <= share <= 1]

    def _read(self, key: str) -> float | None:
        """Return the score of an answer by the circulating rule; None without such a rule, or without its options."""
        record = self.questions[key]
        if self.name == LMMS_EVAL.name and LETTER in record.details:
            return float(record.details[LETTER] == record.reference)
        options = self._options(key)
        if self.name not in CIRCULATING or not options or record.status == "request_failed":
            return None
        return float(CIRCULATING[self.name](self._text(key), options, record.reference))

    def _kind(self, key: str) -> str:
        record, options = self.questions[key], {} if self.run.is_own else self._options(key)
        if record.status == "request_failed":
            return FAILED
        if record.truncated or (options and extract_choice(self._text(key), options).rule == "truncated"):
            return CUT
        is_empty = key in self.run.by_id and self._text(key).strip().lower() in EMPTY
        return NONE if record.refused or is_empty else ""

    def _text(self, key: str) -> str:
        return without_reasoning(self.run.by_id[key].response.text)

    def _options(self, key: str) -> Mapping[str, str]:
        answer = self.run.by_id.get(key)
        found = (answer.options or options_in(answer.question)) if answer is not None else {}
        return found if self.questions[key].reference in found else {}

    @cached_property
    def _others(self) -> dict[tuple[str, bool], Measured]:
        return {}
