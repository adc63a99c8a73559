"""A scored answer of SPIQA to a question whose figures were shown together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.aggregation import RELEASED
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.benchmarks.spiqa.figure_types import groups_of
from spiqa_tasks.benchmarks.spiqa.perfigure import document_record
from spiqa_tasks.benchmarks.spiqa.prompts import wording
from spiqa_tasks.benchmarks.spiqa.retrieval import RETRIEVAL, with_retrieval
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings, settings_of
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.scoring.answer_formats import parse_answer, parse_answer_released, parse_cot
from spiqa_tasks.scoring.cot_released import parse_cot_released
from spiqa_tasks.scoring.reasoning import without_control_tokens
from spiqa_tasks.scoring.refusals import is_refusal


def record(row: Mapping[str, Any], response: Response, context: Context) -> Record:
    """Return the record of one answer.

    `rule` is how the answer was found (`ok`, `unformatted`, `truncated`, `empty`), `details` has the figures in the
    order shown, the image that a chain of thought names, and with the protocol `released` what the released scripts
    read. The setting `perfigure` gives the record of a document (see `perfigure`).
    """
    settings = settings_of(row)
    if settings.setting == "perfigure":
        return document_record(row, response, context)
    if response.shown is not None:
        row = _as_shown(row, response.shown)
    shared: dict[str, Any] = {
        "reference": row["answer"],
        "cluster": row["paper_id"],
        "groups": groups_of(row, len(row["figures"])),
        "signature": context.sign(row, wording(settings.setting)),
    }
    details: dict[str, Any] = {"figures": [figure["file"] for figure in row["figures"]]}
    if settings.setting == "fullpaper" and row["no_text"] is not None:
        details["no_text"] = row["no_text"]
    if response.failure is not None:
        return Record(row["id"], status="request_failed", reason=response.failure, details=details, **shared)
    prediction, rule, image = _parse(settings.setting, response.text)
    found = Record(
        row["id"],
        prediction,
        rule=rule,
        refused=is_refusal(response.text),
        details=details | ({"image": image} if settings.setting == "cot" else {}),
        **shared,
    )
    if settings.protocol != "released":
        if settings.setting == "cot":
            found = with_retrieval(found, RETRIEVAL, image, row)
        candidate = Candidate(prediction, row["question"], row["answer"])
        found = dataclasses.replace(found, asks=context.asks(settings.judged, candidate))
    return found if settings.protocol == "corrected" else _with_released(found, row, response.text, settings, context)


def _with_released(
    found: Record, row: Mapping[str, Any], response: str, settings: SpiqaSettings, context: Context
) -> Record:
    """The record with what the released scripts' parsers find."""
    released: dict[str, Any] = {"prediction": parse_answer_released(response)}
    if settings.setting == "cot":
        released["image"], released["prediction"] = parse_cot_released(response)
        found = with_retrieval(found, RETRIEVAL + RELEASED, released["image"], row)
    candidate = Candidate(released["prediction"], row["question"], row["answer"], as_written=True)
    asks = (*found.asks, *context.asks(settings.judged + RELEASED, candidate))
    return dataclasses.replace(found, asks=asks, details={**found.details, "released": released})


def _parse(setting: str, response: str) -> tuple[str, str, int | None]:
    """The answer as the paper means it, without control tokens around it, how it was found, and the image named."""
    text = without_control_tokens(response)
    if setting == "cot":
        cot = parse_cot(text)
        return without_control_tokens(cot.answer), cot.status, cot.image
    parsed = parse_answer(text)
    return without_control_tokens(parsed.text), parsed.status, None


def _as_shown(row: Mapping[str, Any], shown: tuple[str, ...]) -> Mapping[str, Any]:
    """The row with the figures that the model was really shown, in that order; with none where that is not known."""
    referred = {row["figures"][index]["file"] for index in row["referred"]}
    indices = [index for index, file in enumerate(shown) if file in referred]
    return {**row, "figures": [{"file": file} for file in shown], "referred": indices}
