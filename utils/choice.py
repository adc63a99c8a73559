"""What the YAMLs of both multiple-choice benchmarks call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks import aggregation
from spiqa_tasks.benchmarks.choice_prompts import prompt
from spiqa_tasks.benchmarks.choice_records import choice_records
from spiqa_tasks.benchmarks.prompting import plain_text, visuals

from .guard import keeps_answers, withholds
from .messages import user_turn

Doc = Mapping[str, Any]


def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Doc | None = None) -> list[dict[str, Any]]:
    """Chat models: pictures and text interleaved in the paper's order."""
    return user_turn(prompt(doc), lmms_eval_specific_kwargs)


def doc_to_visual(doc: Doc) -> list[Any]:
    """Simple models: the pictures, in the paper's order."""
    return visuals(prompt(doc))


def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Doc | None = None) -> str:  # noqa: ARG001 - the host passes it
    """Simple models: the text, with the place of every picture marked where there are several."""
    return plain_text(prompt(doc))


@keeps_answers("accuracy", "accuracy_released")
def process_results(doc: Doc, results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """One record per metric."""
    return choice_records(doc, results[0])


mean = withholds(aggregation.mean)
