"""SPIQA: free-form questions over the figures and tables of scientific papers, scored by
L3Score.
"""

import dataclasses
import re
from functools import partial
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark, Row
from spiqa_tasks.benchmarks.metric import RELEASED
from spiqa_tasks.benchmarks.open_metrics import judge_advice
from spiqa_tasks.benchmarks.record import MetricRequest, Record, Records, Response, metric_requests
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.benchmarks.spiqa.formats import groups_of
from spiqa_tasks.benchmarks.spiqa.metrics import RETRIEVAL, metrics
from spiqa_tasks.benchmarks.spiqa.perfigure import document_record, join
from spiqa_tasks.benchmarks.spiqa.prompts import prompt, wording
from spiqa_tasks.benchmarks.spiqa.release import SpiqaSettings, load, settings_of
from spiqa_tasks.judge.rules import Candidate, Rule
from spiqa_tasks.scoring.answer_formats import parse_answer, parse_answer_released, parse_cot
from spiqa_tasks.scoring.cot_released import parse_cot_released
from spiqa_tasks.scoring.refusals import is_refusal
from spiqa_tasks.scoring.responses import without_control_tokens


def record(row: Row, response: Response, rule: Rule | None) -> Record:
    """Return the record of one response, with the answer that is read in it.

    `rule` is the status of the parsed answer (`ok`, `unformatted`, `truncated`, `empty`); `details`
    has the figures in the order shown, the image that a chain of thought names, and the released
    scripts' reading of the answer. The setting `perfigure` gives the record of a document.
    """
    settings = settings_of(row)
    if settings.setting == "perfigure":
        return document_record(row, response)
    if response.shown is not None:
        row = _as_shown(row, response.shown)

    is_cot = settings.setting == "cot"
    cleaned = without_control_tokens(response.text)
    parsed = parse_cot(cleaned) if is_cot else parse_answer(cleaned)
    text = without_control_tokens(parsed.text)
    # suffix of a protocol's metrics -> the text that it reads, and the image that this names
    readings = {"": (text, parsed.image)}
    details: dict[str, Any] = {"figures": [figure["file"] for figure in row["figures"]]}
    details |= _named(parsed.image, is_cot)
    if settings.protocol == "both":
        answer, image = _released_reading(response.text, is_cot)
        readings[RELEASED] = (answer, image)
        details["released"] = {"prediction": answer, **_named(image, is_cot)}

    scores: dict[str, float] = {}
    requests: list[MetricRequest] = []
    for suffix, (answer, image) in readings.items():
        # Without figures, their order is unknown.
        if is_cot and row["figures"]:
            scores[RETRIEVAL + suffix] = float(image in row["referred"])
        candidate = Candidate(answer, row["question"], row["answer"], as_written=bool(suffix))
        requests += metric_requests(rule, settings.judged + suffix, candidate)
    return Record(
        row["id"],
        text,
        row["answer"],
        row["paper_id"],
        rule=parsed.status,
        refused=is_refusal(response.text),
        scores=scores,
        groups=groups_of(row, len(row["figures"])),
        details=details,
        requests=tuple(requests),
    )


def _named(image: int | None, is_cot: bool) -> dict[str, int | None]:
    """Return the detail of the image that a chain of thought names, {} for another answer."""
    return {"image": image} if is_cot else {}


def _released_reading(text: str, is_cot: bool) -> tuple[str, int | None]:
    """Return what the released scripts read in a response, control tokens included."""
    if not is_cot:
        return parse_answer_released(text), None
    image, answer = parse_cot_released(text)
    return answer, image


def _as_shown(row: Row, shown: tuple[str, ...]) -> Row:
    """Return the row with the figures that the model was shown, in that order.

    Without figures if unknown.
    """
    referred = {row["figures"][index]["file"] for index in row["referred"]}
    indices = [index for index, file in enumerate(shown) if file in referred]
    return {**row, "figures": [{"file": file} for file in shown], "referred": indices}


# Servers word it in many ways; each names images and a limit.
_TOO_MANY = (
    re.compile("image", re.IGNORECASE),
    re.compile("many|most|limit|max|exceed|only|single", re.IGNORECASE),
)


def image_limit_advice(records: Records) -> list[str]:
    """Return a remedy if failed requests name a limit on images, or []."""
    refused = [
        record
        for record in records
        if record.status == "request_failed"
        and all(words.search(record.reason or "") for words in _TOO_MANY)
    ]
    if not refused:
        return []
    return [
        f"{len(refused)} of {len(records)} requests were refused, it seems for the number of"
        " images. Show one figure at a time with"
        f" spiqa_{parse(refused[0].signature).split}_perfigure, or fewer (max_figures;"
        " docs/spiqa.md)."
    ]


SPIQA = Benchmark(
    name="spiqa",
    splits={"testA": 666, "testB": 228, "testC": 493, "val": 2085, "train": 262524, "demo": 39},
    load=load,
    prompt=prompt,
    record=record,
    wording=lambda row: wording(settings_of(row).setting),
    metrics=metrics,
    settings=SpiqaSettings,
    scoring_settings=lambda settings: dataclasses.replace(
        settings,
        ablation="text",
        setting="direct" if settings.setting == "fullpaper" else settings.setting,
    ),
    judge=lambda settings: settings.rule,
    join=lambda settings: partial(join, settings) if settings.setting == "perfigure" else None,
    remarks=lambda records: [*image_limit_advice(records), *judge_advice(records)],
    scoring=frozenset({"protocol", "rule"}),
)
