"""A benchmark as the rest of the package sees it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.description import Count
from spiqa_tasks.benchmarks.prompting import Part
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.benchmarks.settings import parse_settings
from spiqa_tasks.files.source import Repository, Source

Row = Mapping[str, Any]
Join = Callable[[Sequence[Record], Context], list[Record]]


@dataclass(frozen=True)
class NoSettings:
    """The settings of a benchmark that has none."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark. A row is one document: a dict with at least `id`, `benchmark`, `split`, `settings` and `data`.

    Attributes:
        name: as in the names of its tasks and the folder of its YAMLs.
        splits: split -> number of questions of the release; those named `demo...` are shipped.
        load: (source, split, settings) -> rows, a list or a pyarrow table.
        prompt: row -> the prompt's parts.
        record: (row, response, context) -> the record of one answer; asks no judge and waits for nothing.
        metrics: settings -> the metrics, the headline first.
        settings: frozen dataclass of the keys of a task's `dataset_name`.
        files: (split, settings) -> the (repository, pattern) pairs that `load` reads.
        unseen: settings -> the same without what only a model sees, so that scoring reads no picture.
        table: settings -> the names of the rows in the host's table, `metric` or `metric/group`, the headline first.
        judge: settings -> the name in `judge.rules.RULES` of the rule by which a judge scores; None: no judge.
        signature: settings -> the signature fields that they contribute, beside their own text.
        join: settings -> what joins records of documents into those of questions; None where each is a question.
        remarks: records of a whole run -> sentences for people.
        tasks: task -> its split and settings; the package's own benchmarks have YAMLs instead.
        groups: group -> its tasks, of those in `tasks`.
        max_new_tokens: how many tokens a model may generate for an answer, unless its task says otherwise.
        clustered: whether its records have a cluster, for the host's standard errors.
        properties: name -> a number measured of a row, for `breakdown --by`.
        labels: names of details of its records that `breakdown --by` splits by, too.
        measured: settings -> those under which rows are loaded to be measured.
        scoring: names of the settings that change how answers are scored, and nothing that a model sees.
        figures: (source, split) -> paper -> the files of all of its figures, for benchmarks whose answers name figures.
        definition: of a benchmark of one's own: its YAML's values, which results carry, so that they can be read
            without it.
        describe: (source, splits) -> what its paper counts of the release, counted again; None: nothing.
        from_table: (cells of a table's rows, split, settings, digest of the table) -> rows of the questions in it.
    """

    name: str
    splits: Mapping[str, int]
    load: Callable[[Source, str, Any], Any]
    prompt: Callable[[Row], list[Part]]
    record: Callable[[Row, Response, Context], Record]
    metrics: Callable[[Any], Sequence[Metric]]
    settings: Callable[..., Any] = NoSettings
    files: Callable[[str, Any], list[tuple[Repository, str]]] = lambda _split, _settings: []
    unseen: Callable[[Any], Any] = lambda settings: settings
    table: Callable[[Any], Sequence[str]] | None = None
    judge: Callable[[Any], str | None] = lambda _settings: None
    signature: Callable[[Any], Mapping[str, str]] = lambda _settings: {}
    join: Callable[[Any], Join | None] = lambda _settings: None
    remarks: Callable[[Sequence[Record]], list[str]] = lambda _records: []
    tasks: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    max_new_tokens: int = 512
    clustered: bool = False
    properties: Mapping[str, Callable[[Row], float]] = field(default_factory=dict)
    labels: Sequence[str] = ()
    measured: Callable[[Any], Any] = lambda settings: settings
    scoring: frozenset[str] = frozenset()
    figures: Callable[[Source, str], Mapping[str, Collection[str]]] = lambda _source, _split: {}
    definition: Mapping[str, Any] | None = None
    describe: Callable[[Source, Collection[str]], Iterable[Count]] | None = None
    from_table: Callable[[Sequence[Mapping[str, str]], str, Any, str], list[dict[str, Any]]] | None = None

    def parse(self, text: str) -> Any:
        """Return the settings of a task's `dataset_name`; InputError where a key or value is unknown."""
        return parse_settings(self.settings, text)

    def rows_of_table(self, settings: Any) -> list[str]:
        """Return the names of the rows in the host's table."""
        return [metric.name for metric in self.metrics(settings)] if self.table is None else list(self.table(settings))

    def metric(self, name: str, settings: Any) -> Metric:
        """Return the metric of a row's name; KeyError for an unknown one."""
        return {metric.name: metric for metric in self.metrics(settings)}[name.partition("/")[0]]

    def headline(self, settings: Any) -> Metric:
        """Return the metric that speaks for a run."""
        return self.metrics(settings)[0]
