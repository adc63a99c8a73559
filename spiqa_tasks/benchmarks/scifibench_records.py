"""A scored answer of SciFIBench, one record per metric: a choice, or a caption."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.choice_prompts import template
from spiqa_tasks.benchmarks.choice_records import choice_records
from spiqa_tasks.benchmarks.prompting import prompt_hash
from spiqa_tasks.benchmarks.signature import signature
from spiqa_tasks.judge.letters import LetterJudge
from spiqa_tasks.scoring.refusals import is_request_failure

Record = dict[str, Any]
OPEN_RULES = frozenset({"ambiguous", "no_match", "out_of_range"})
"""Why the matcher finds no letter in an answer that may still have one; refusals and empty answers have none."""


def scifibench_records(row: Mapping[str, Any], response: str, judge: LetterJudge | None = None) -> dict[str, Record]:
    """Metric name -> record of one answer; returns at once, a judge's verdict comes later.

    Beside the metrics of `choice_records` a judge adds `accuracy_llm` (the matcher's letter, or the judge's where
    the matcher leaves the answer open) and `extractor_rate` (whether the judge was asked).
    """
    if row["prompt"] == "caption":
        return _caption_records(row, response)
    records = choice_records(row, response)
    if judge is None:
        return records
    matched = records["accuracy"]
    fields = {key: matched[key] for key in ("id", "answer", "letter", "category")} | {"extractor": judge.name}
    asked = matched["rule"] in OPEN_RULES
    if asked:
        records["accuracy_llm"] = judge.record(fields, response, row["letters"], row["answer"])
    else:
        records["accuracy_llm"] = fields | ({"score": matched["score"]} if "score" in matched else {})
    return {**records, "extractor_rate": {"id": row["id"], "score": float(asked)}}


def _caption_records(row: Mapping[str, Any], response: str) -> dict[str, Record]:
    """`captioned_rate` carries the caption (None where there is none) and the true one."""
    failed = is_request_failure(response)
    caption = None if failed else " ".join(response.split()) or None
    return {
        "captioned_rate": {
            "id": row["id"],
            "score": float(caption is not None),
            "caption": caption,
            "reference": row["caption"],
            "category": row["category"],
            "signature": signature("scifibench", row, prompt_hash(template(row))),
        },
        "request_failed_rate": {"id": row["id"], "score": float(failed)},
    }
