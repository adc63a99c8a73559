"""A scored answer of the multiple-choice benchmarks, one record per metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.choice_prompts import template
from spiqa_tasks.benchmarks.mmstar_prompts import is_few_shot
from spiqa_tasks.benchmarks.mmstar_shots import own_answer
from spiqa_tasks.benchmarks.prompting import prompt_hash
from spiqa_tasks.benchmarks.signature import signature
from spiqa_tasks.data.choices import slug
from spiqa_tasks.scoring.mcq import extract_choice, released_match

Record = dict[str, Any]


def choice_records(row: Mapping[str, Any], response: str) -> dict[str, Record]:
    """Metric name -> record of one answer.

    `accuracy` (by `extract_choice`), `refusal_rate`, `unparsed_rate` (no letter for any other reason) and
    `request_failed_rate` are of every question; `accuracy/<category>` of its category and sub-axis or direction.
    MMStar adds `accuracy_released` (the authors' four rules), also per category. A failed request has no accuracy.
    """
    if row["benchmark"] == "mmstar" and is_few_shot(row):
        response = own_answer(response)
    choice = extract_choice(response, dict(zip(row["letters"], row["options"], strict=True)))
    failed = choice.rule == "request_failed"
    signed = signature(row["benchmark"], row, prompt_hash(template(row)))
    identity = {"id": row["id"]}
    details = {"answer": row["answer"], "letter": choice.letter, "rule": choice.rule, "category": row["category"]}
    hit: Record = {} if failed else {"score": float(choice.letter == row["answer"])}
    unparsed = choice.letter is None and not failed and choice.rule != "refusal"
    records: dict[str, Record] = {
        "accuracy": {**identity, **hit, **details, "signature": signed},
        "refusal_rate": {**identity, "score": float(choice.rule == "refusal")},
        "unparsed_rate": {**identity, "score": float(unparsed)},
        "request_failed_rate": {**identity, "score": float(failed)},
    }
    groups = (slug(row["category"]), slug(row["subcategory"]))
    records |= {f"accuracy/{group}": {**identity, **hit} for group in groups}
    if row["benchmark"] == "mmstar":
        released: Record = {} if failed else {"score": float(released_match(response, row["answer"]))}
        for name in ("accuracy_released", f"accuracy_released/{groups[0]}"):
            records[name] = {**identity, **released}
    return records
