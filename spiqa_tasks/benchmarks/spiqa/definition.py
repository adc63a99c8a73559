"""SPIQA: free-form questions over the figures and tables of scientific papers, scored by L3Score."""

from __future__ import annotations

import dataclasses

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.open_metrics import judge_advice
from spiqa_tasks.benchmarks.signature import ablation_fields
from spiqa_tasks.benchmarks.spiqa.description import describe
from spiqa_tasks.benchmarks.spiqa.image_limits import image_limit_advice
from spiqa_tasks.benchmarks.spiqa.metrics import metrics, table
from spiqa_tasks.benchmarks.spiqa.perfigure import join
from spiqa_tasks.benchmarks.spiqa.prompts import prompt
from spiqa_tasks.benchmarks.spiqa.records import record
from spiqa_tasks.benchmarks.spiqa.release import figures_of, files_of, load
from spiqa_tasks.benchmarks.spiqa.retrieval import order_advice
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings


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
    join=lambda settings: join if settings.setting == "perfigure" else None,
    remarks=lambda records: [*image_limit_advice(records), *judge_advice(records), *order_advice(records)],
    scoring=frozenset({"protocol", "rule"}),
)
