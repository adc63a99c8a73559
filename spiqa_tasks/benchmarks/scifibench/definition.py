"""SciFIBench: figure -> caption and caption -> figure choices, and the paper's side experiments."""

from __future__ import annotations

import dataclasses

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.choice.records import truncation_remark
from spiqa_tasks.benchmarks.scifibench.description import describe
from spiqa_tasks.benchmarks.scifibench.prompts import prompt
from spiqa_tasks.benchmarks.scifibench.records import metrics, record, table
from spiqa_tasks.benchmarks.scifibench.release import SPLITS, caption_length, figure_size, from_table, load
from spiqa_tasks.benchmarks.scifibench.settings import SciFIBenchSettings
from spiqa_tasks.benchmarks.signature import ablation_fields
from spiqa_tasks.files import source

_SIZES = {"captioning": 100, "demo": 24, "demo_fig2cap": 12, "demo_cap2fig": 12}
_RULES = {"none": None, "judge": "letters", "released": "letters_released"}
SCIFIBENCH = Benchmark(
    name="scifibench",
    splits={split: _SIZES.get(split, 500) for split in SPLITS},
    load=load,
    prompt=prompt,
    record=record,
    metrics=metrics,
    settings=SciFIBenchSettings,
    files=lambda split, _settings: [(source.SCIFIBENCH, f"data/{name}-*.parquet") for name in SPLITS[split]],
    unseen=lambda settings: dataclasses.replace(
        settings, ablation="text", ocr="no", shots=0, shot_kind="random", encoder=""
    ),
    table=table,
    signature=ablation_fields,
    remarks=truncation_remark,
    judge=lambda settings: _RULES[settings.extractor],
    properties={"caption_length": caption_length, "figure_size": figure_size},
    measured=lambda settings: SciFIBenchSettings(
        negatives=settings.negatives, shuffle=settings.shuffle, seed=settings.seed
    ),
    scoring=frozenset({"extractor"}),
    from_table=from_table,
    describe=describe,
)
