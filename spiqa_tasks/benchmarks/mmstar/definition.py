"""MMStar: 1,500 vision-indispensable multiple-choice questions."""

from __future__ import annotations

import dataclasses

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.choice.records import truncation_remark
from spiqa_tasks.benchmarks.mmstar.description import describe
from spiqa_tasks.benchmarks.mmstar.prompts import prompt
from spiqa_tasks.benchmarks.mmstar.records import SOURCE, metrics, record, table
from spiqa_tasks.benchmarks.mmstar.release import FILE, from_table, load
from spiqa_tasks.benchmarks.mmstar.settings import MMStarSettings
from spiqa_tasks.benchmarks.signature import ablation_fields
from spiqa_tasks.files import source

MMSTAR = Benchmark(
    name="mmstar",
    splits={"val": 1500, "demo": 24},
    load=load,
    prompt=prompt,
    record=record,
    metrics=metrics,
    settings=MMStarSettings,
    files=lambda _split, _settings: [(source.MMSTAR, FILE)],
    unseen=lambda settings: dataclasses.replace(settings, ablation="text"),
    table=table,
    signature=ablation_fields,
    from_table=from_table,
    describe=describe,
    remarks=truncation_remark,
    labels=(SOURCE,),
)
