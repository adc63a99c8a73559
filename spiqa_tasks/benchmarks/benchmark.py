"""The interface of a benchmark, `Benchmark`, and its settings: the `key=value,key=value` text of a
`dataset_name`.

The host passes this text to the loader, and every document carries it for prompts, scoring and
signature.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from spiqa_tasks.benchmarks.metric import Metric, Rows, metric_rows
from spiqa_tasks.benchmarks.prompting import Part
from spiqa_tasks.benchmarks.record import Record, Records, Response
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import Source
from spiqa_tasks.judge.rules import Rule

# A question of a release with its settings' choices: JSON values, and pictures as `Picture`.
Row = Mapping[str, Any]
# Records of documents and the judge's rule -> records of questions.
Join = Callable[[Records, Rule | None], list[Record]]


# Every document carries the text, so the same one is parsed for each.
@cache
def parse_settings(kind: type[Any], text: str) -> Any:
    """Return the settings dataclass `kind` of a `key=value,key=value` text.

    Absent keys keep their default.

    Raises InputError: an unknown key with a value, a key alone, or a value outside the field's type
    or choices.
    """
    types = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for part in text.split(","):
        if item := part.strip():
            key, separator, value = item.partition("=")
            # Files of earlier versions have settings that are gone, without a value.
            if key not in types and item == f"{key}=":
                continue
            if not separator or key not in types:
                raise _unfit(f"KEY=VALUE with {', '.join(types)}", item)
            values[key] = _value(types[key], key, value)
    return kind(**values)


def _value(kind: Any, key: str, text: str) -> int | str:
    """Return the value of a setting; InputError if it is none of its type or choices."""
    choices = typing.get_args(kind)
    if choices and text not in choices:
        raise _unfit(f"{key} to be one of {', '.join(choices)}", f"{key}={text}")
    if kind is not int:
        return text
    # All numbers are counts and seeds. Others than plain digits, such as ², are decimal, too.
    if not (text.isascii() and text.isdecimal()):
        raise _unfit(f"{key} to be a whole number from 0", f"{key}={text}")
    return int(text)


def _unfit(wanted: str, item: str) -> InputError:
    """Return the error for a part of `dataset_name`, such as `shots=x`."""
    return InputError(
        f"Expected {wanted} in dataset_name; found {item!r}. Correct the task's YAML."
    )


def question_of(row: Row) -> str:
    """Return the id of a row's question: its own, or that of the question it is a figure of."""
    return str(row.get("question_id") or row["id"])


def settings_text(settings: Any) -> str:
    """Return the canonical text of a settings dataclass: every field, in order of declaration."""
    return ",".join(
        f"{field.name}={getattr(settings, field.name)}" for field in dataclasses.fields(settings)
    )


@dataclass(frozen=True)
class NoSettings:
    """Settings without fields."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    A row is one document: a dict with at least `id`, `benchmark`, `split`, `settings` and `data`.

    Attributes:
        name: as in the names of its tasks and the folder of its YAMLs.
        splits: split -> number of questions of the release; splits named `demo...` are shipped.
        load: (source, split, settings) -> rows.
        prompt: row -> parts of the prompt.
        record: (row, response, judge's rule or None) -> record of one answer, not yet judged.
        metrics: settings -> metrics, the headline first.
        wording: row -> template of its prompt, for the signature; None if unknown.
        settings: frozen dataclass of the keys of a task's `dataset_name`.
        scoring_settings: settings -> settings for scoring: no images, no full text.
        judge: settings -> name of the judge's rule in `judge.rules.RULES`, or None.
        join: settings -> function that joins document records into question records, or None.
        remarks: records of a run -> warnings for people.
        scoring: names of the settings that change scores only, nothing that a model sees.
    """

    name: str
    splits: Mapping[str, int]
    load: Callable[[Source, str, Any], list[Row]]
    prompt: Callable[[Row], list[Part]]
    record: Callable[[Row, Response, Rule | None], Record]
    metrics: Callable[[Any], Sequence[Metric]]
    wording: Callable[[Row], str | None] = lambda _row: None
    settings: Callable[..., Any] = NoSettings
    scoring_settings: Callable[[Any], Any] = lambda settings: settings
    judge: Callable[[Any], str | None] = lambda _settings: None
    join: Callable[[Any], Join | None] = lambda _settings: None
    remarks: Callable[[Records], list[str]] = lambda _records: []
    scoring: frozenset[str] = frozenset()

    def parse(self, text: str) -> Any:
        """Return the settings of a task's `dataset_name`.

        InputError for an unknown key or value.
        """
        return parse_settings(self.settings, text)

    def rows_of_table(self, settings: Any) -> Rows:
        """Return the rows of the host's table, the headline first."""
        return metric_rows(metric for metric in self.metrics(settings) if metric.in_table)

    def with_metrics(self, names: Collection[str]) -> Benchmark:
        """Return the benchmark with only these metrics.

        Without a judge if none of them needs one.
        """

        def metrics(settings: Any) -> list[Metric]:
            return [metric for metric in self.metrics(settings) if metric.name in names]

        def judge(settings: Any) -> str | None:
            needs_judge = any(metric.needs == "judge" for metric in metrics(settings))
            return self.judge(settings) if needs_judge else None

        return replace(self, metrics=metrics, judge=judge)
