"""A scored answer of SPIQA to a question whose figures were shown together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.aggregation import RELEASED
from spiqa_tasks.benchmarks.record import Ask, Context, Record, Response
from spiqa_tasks.benchmarks.spiqa.figure_types import groups_of
from spiqa_tasks.benchmarks.spiqa.metrics import RETRIEVAL, retrieval_score
from spiqa_tasks.benchmarks.spiqa.perfigure import document_record
from spiqa_tasks.benchmarks.spiqa.prompts import wording
from spiqa_tasks.benchmarks.spiqa.settings import settings_of
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
    is_cot = settings.setting == "cot"
    parsed = (parse_cot if is_cot else parse_answer)(without_control_tokens(response.text))
    prediction = without_control_tokens(parsed.text)
    details |= {"image": parsed.image} if is_cot else {}
    readings = [] if settings.protocol == "released" else [("", prediction, parsed.image)]
    if settings.protocol != "corrected":
        image, text = parse_cot_released(response.text) if is_cot else (None, parse_answer_released(response.text))
        details["released"] = {"prediction": text} | ({"image": image} if is_cot else {})
        readings.append((RELEASED, text, image))
    scores: dict[str, float] = {}
    asks: list[Ask] = []
    for suffix, text, image in readings:
        scores |= retrieval_score(RETRIEVAL + suffix, image, row) if is_cot else {}
        candidate = Candidate(text, row["question"], row["answer"], as_written=suffix == RELEASED)
        asks += context.asks(settings.judged + suffix, candidate)
    return Record(
        row["id"],
        prediction,
        rule=parsed.status,
        refused=is_refusal(response.text),
        scores=scores,
        details=details,
        asks=tuple(asks),
        **shared,
    )


def _as_shown(row: Mapping[str, Any], shown: tuple[str, ...]) -> Mapping[str, Any]:
    """The row with the figures that the model was really shown, in that order; with none where that is not known."""
    referred = {row["figures"][index]["file"] for index in row["referred"]}
    indices = [index for index, file in enumerate(shown) if file in referred]
    return {**row, "figures": [{"file": file} for file in shown], "referred": indices}
