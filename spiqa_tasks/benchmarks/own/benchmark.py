"""A benchmark of one's own as the rest of the package sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark, Row
from spiqa_tasks.benchmarks.choice import truncation_remark
from spiqa_tasks.benchmarks.open_metrics import judge_advice
from spiqa_tasks.benchmarks.own import prompts, records, rows
from spiqa_tasks.benchmarks.own.definition import Definition
from spiqa_tasks.benchmarks.prompting import Part
from spiqa_tasks.benchmarks.settings import parse_settings, settings_text
from spiqa_tasks.benchmarks.signature import ablation_fields
from spiqa_tasks.files.image_ablation import Ablation
from spiqa_tasks.files.source import Repository, Source, default_source


@dataclass(frozen=True)
class OwnSettings:
    """What a task of one's own shows.

    Attributes:
        ablation: `grey` shows grey pictures of the same size, `text` no picture.
    """

    ablation: Ablation = "none"


def own_benchmark(definition: Definition) -> Benchmark:
    """Return the benchmark of a definition; no data is read before it is needed."""
    splits = _Splits(definition)

    @cache
    def shots(settings: OwnSettings) -> list[rows.Row]:
        """The solved questions before each one: the first of their split, read once."""
        return splits.load(default_source(), definition.shots.split, settings)[: definition.shots.count]

    def prompt(row: Row) -> list[Part]:
        settings = parse_settings(OwnSettings, row["settings"])
        return prompts.prompt(definition, row, shots(settings) if definition.shots.count else (), settings.ablation)

    def files(split: str, _settings: Any) -> list[tuple[Repository, str]]:
        place = definition.data[split]
        return [rows.hub_place(definition.benchmark, place)] if place.startswith(rows.HUB) else []

    return Benchmark(
        name=definition.benchmark,
        splits=splits,
        load=splits.load,
        prompt=prompt,
        record=partial(records.record, definition),
        metrics=lambda _settings: records.metrics(definition),
        settings=OwnSettings,
        files=files,
        unseen=lambda settings: replace(settings, ablation="text"),
        table=lambda _settings: records.table(definition),
        judge=lambda _settings: definition.judged,
        signature=ablation_fields,
        remarks=lambda found: [*truncation_remark(found), *judge_advice(found)],
        definition=definition.portable,
        tasks={name: (definition.split, settings) for name, settings in definition.tasks.items()},
        groups=definition.groups,
        max_new_tokens=definition.max_new_tokens,
        clustered=bool(definition.columns.cluster),
    )


class _Splits(Mapping[str, int]):
    """Split -> number of its questions, counted when they are loaded, or when it is asked for."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._known: dict[str, int] = {}

    def load(self, source: Source, split: str, settings: OwnSettings) -> list[rows.Row]:
        """Return the rows of a split."""
        pictures = settings.ablation != "text"
        found = rows.load(self._definition, source, split, settings_text(settings), pictures=pictures)
        self._known[split] = len(found)
        return found

    def __getitem__(self, split: str) -> int:
        if split not in self._definition.data:
            raise KeyError(split)
        if split not in self._known:
            self.load(default_source(), split, OwnSettings(ablation="text"))
        return self._known[split]

    def __iter__(self) -> Iterator[str]:
        return iter(self._definition.data)

    def __len__(self) -> int:
        return len(self._definition.data)

    def __contains__(self, split: object) -> bool:
        return split in self._definition.data
