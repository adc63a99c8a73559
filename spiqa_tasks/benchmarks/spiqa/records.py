"""A scored answer of SPIQA to a question whose figures were shown together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.aggregation import RELEASED
from spiqa_tasks.benchmarks.context import Context
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.signature import sign
from spiqa_tasks.benchmarks.spiqa.groups import groups_of
from spiqa_tasks.benchmarks.spiqa.perfigure import document_record
from spiqa_tasks.benchmarks.spiqa.prompts import setting_hash
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
        "signature": signature(row, context),
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
        found = _with_corrected(found, row, settings, context)
    if settings.protocol != "corrected":
        found = _with_released(found, row, response.text, settings, context)
    return found


def signature(row: Mapping[str, Any], context: Context) -> str:
    """Return the signature of an answer to `row`, as text."""
    wording = setting_hash(settings_of(row).setting)
    return sign(row, wording, context.host, **context.signature).text


def _with_corrected(found: Record, row: Mapping[str, Any], settings: SpiqaSettings, context: Context) -> Record:
    if settings.setting == "cot":
        found = with_retrieval(found, RETRIEVAL, found.details["image"], row)
    return _asking(found, settings.judged, Candidate(found.prediction or "", row["question"], row["answer"]), context)


def _with_released(
    found: Record, row: Mapping[str, Any], response: str, settings: SpiqaSettings, context: Context
) -> Record:
    """The record with what the released scripts' parsers find."""
    released: dict[str, Any] = {"prediction": parse_answer_released(response)}
    if settings.setting == "cot":
        released["image"], released["prediction"] = parse_cot_released(response)
        found = with_retrieval(found, RETRIEVAL + RELEASED, released["image"], row)
    candidate = Candidate(released["prediction"], row["question"], row["answer"], as_written=True)
    return _asking(_detailed(found, {"released": released}), settings.judged + RELEASED, candidate, context)


def _asking(found: Record, metric: str, candidate: Candidate, context: Context) -> Record:
    return dataclasses.replace(found, asks=(*found.asks, *context.asks(metric, candidate)))


def _detailed(found: Record, details: Mapping[str, Any]) -> Record:
    return dataclasses.replace(found, details={**found.details, **details})


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
