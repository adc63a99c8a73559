"""SciFIBench: figure -> caption and caption -> figure choices, and captions, with their records and metrics."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.aggregation import Metric, mean_of, share_of
from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.choice import (
    ACCURACY,
    FAILURE_RATES,
    TRUNCATED_RATE,
    choice_record,
    slug,
    truncation_remark,
)
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.benchmarks.scifibench.description import describe
from spiqa_tasks.benchmarks.scifibench.prompts import prompt, template
from spiqa_tasks.benchmarks.scifibench.release import SPLITS, caption_length, figure_size, from_table, load
from spiqa_tasks.benchmarks.scifibench.settings import SciFIBenchSettings
from spiqa_tasks.benchmarks.signature import ablation_fields
from spiqa_tasks.files import source
from spiqa_tasks.judge.rules import Candidate

OPEN_RULES = frozenset({"ambiguous", "no_match", "out_of_range"})
"""Matcher rules after which a judge is asked for the letter; refusals and empty answers have none."""

BY_JUDGE = "accuracy_llm"
"""Accuracy by the matcher's letter, or the judge's for `OPEN_RULES` (appendix G.2)."""


def record(row: Mapping[str, Any], response: Response, context: Context) -> Record:
    """Return the record of one response, grouped by direction and category.

    The letter of a marked caption is a detail.
    """
    signature = context.sign(row, template(row))
    if row["prompt"] == "caption":
        return _caption_record(row, response, signature)
    groups = {"direction": row["subcategory"], "category": slug(row["category"])}
    marked = {"marked": row["marked"]} if row.get("marked") else {}
    scored = choice_record(row, response, groups, signature, **marked)
    if "extractor=none" in row["settings"].split(",") or scored.status == "request_failed":
        return scored
    if scored.rule not in OPEN_RULES:
        return scored.with_scores({BY_JUDGE: scored.scores["accuracy"]})
    candidate = Candidate(response.text, reference=row["answer"], letters=tuple(row["letters"]))
    return dataclasses.replace(scored, asks=context.asks(BY_JUDGE, candidate))


def metrics(settings: SciFIBenchSettings) -> Sequence[Metric]:
    """Return the metrics, the headline first."""
    if settings.prompt == "caption":
        return (mean_of("captioned_rate"), FAILURE_RATES[-1])
    is_asked = share_of("extractor_rate", lambda record: bool(record.asks or record.verdicts), "judge")
    by_judge = (mean_of(BY_JUDGE, "judge"), is_asked)
    return (ACCURACY, *(by_judge if settings.extractor != "none" else ()), *FAILURE_RATES, TRUNCATED_RATE)


def table(settings: SciFIBenchSettings) -> list[str]:
    """Return the rows of the host's table."""
    return [metric.name for metric in metrics(settings) if metric is not TRUNCATED_RATE]


def _caption_record(row: Mapping[str, Any], response: Response, signature: str) -> Record:
    """Return the record of a generated caption: the caption or None, and the true one."""
    caption = " ".join(response.text.split()) or None if response.failure is None else None
    return Record(
        row["id"],
        caption,
        row["caption"],
        status="request_failed" if response.failure is not None else "ok" if caption else "unparsed",
        reason=response.failure,
        scores={"captioned_rate": float(caption is not None)},
        groups={"category": slug(row["category"])},
        signature=signature,
    )


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
