"""SPIQA: free-form questions over the figures and tables of scientific papers, scored by L3Score."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.open_metrics import judge_advice
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.signature import ablation_fields, parse
from spiqa_tasks.benchmarks.spiqa.description import describe
from spiqa_tasks.benchmarks.spiqa.metrics import metrics, order_advice, table
from spiqa_tasks.benchmarks.spiqa.perfigure import join
from spiqa_tasks.benchmarks.spiqa.prompts import prompt
from spiqa_tasks.benchmarks.spiqa.records import record
from spiqa_tasks.benchmarks.spiqa.release import figures_of, files_of, load
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings

_IMAGES = re.compile(r"\b(?:images?|pictures?|multi-?modal|media)\b", re.IGNORECASE)
_LIMIT = re.compile(r"\b(?:many|most|limit\w*|max\w*|exceed\w*|only|up to|single|support\w*)\b", re.IGNORECASE)


def image_limit_advice(records: Sequence[Record]) -> list[str]:
    """Return a sentence for people where failed requests tell of a limit on images, else nothing."""
    failed = [record for record in records if record.status == "request_failed"]
    refused = [record for record in failed if all(words.search(record.reason or "") for words in (_IMAGES, _LIMIT))]
    if not refused:
        return []
    return [
        f"{len(refused)} of {len(records)} requests were refused, it seems for the number of images "
        f"({(refused[0].reason or '')[:300]!r}). Show one figure at a time with "
        f"spiqa_{parse(refused[0].signature).split}_perfigure, or fewer at once with a task of your own (include the "
        "task's YAML, set dataset_name: max_figures=4; see docs/spiqa.md)."
    ]


def _unseen(settings: SpiqaSettings) -> SpiqaSettings:
    setting = "direct" if settings.setting == "fullpaper" else settings.setting
    return dataclasses.replace(settings, ablation="text", setting=setting)


SPIQA = Benchmark(
    name="spiqa",
    splits={"testA": 666, "testB": 228, "testC": 493, "val": 2085, "train": 262524, "demo": 39},
    load=load,
    prompt=prompt,
    record=record,
    metrics=metrics,
    settings=SpiqaSettings,
    files=files_of,
    figures=figures_of,
    describe=describe,
    unseen=_unseen,
    table=table,
    signature=ablation_fields,
    judge=lambda settings: settings.rule,
    clustered=True,
    join=lambda settings: join if settings.setting == "perfigure" else None,
    remarks=lambda records: [*image_limit_advice(records), *judge_advice(records), *order_advice(records)],
    scoring=frozenset({"protocol", "rule"}),
)
