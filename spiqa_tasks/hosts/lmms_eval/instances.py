"""The host's requests of one task, with their answers."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any


def split_repeats(instances: list[Any]) -> None:
    """Make each request with several answers (`repeats`) as many requests with one.

    The host counts a document's requests before it measures stability, but makes one for all repeats.
    """
    instances[:] = [single for instance in instances for single in _singles(instance)]


def answers_of(instances: Sequence[Any], filter_name: str) -> dict[int, list[tuple[str, bool | None]]]:
    """Return, by the place of its document, each repeat's answer and whether it was cut off.

    An answer is cut off when it ended at the limit of generated tokens; None where the model does not tell its length.
    """
    found: dict[int, list[tuple[str, bool | None]]] = {}
    for instance in instances:
        answers = _answers(instance, filter_name)
        if answers:
            found.setdefault(instance.doc_id, []).extend(answers)
    return found


def _singles(instance: Any) -> list[Any]:
    if len(instance.resps) < 2:
        return [instance]
    found = []
    for place, (text, tokens) in enumerate(zip(instance.resps, instance.token_counts, strict=True)):
        single = copy.copy(instance)
        single.idx, single.resps, single.token_counts = place, [text], [tokens]
        single.filtered_resps, single.raw_filtered_resps = {}, {}
        found.append(single)
    return found


def _answers(instance: Any, filter_name: str) -> list[tuple[str, bool | None]]:
    """The texts of a request, and whether each ended at the limit of generated tokens, where the model says."""
    texts = _texts(instance.filtered_resps.get(filter_name))
    settings = next((value for value in instance.arguments if isinstance(value, Mapping)), {})
    limit = settings.get("max_new_tokens")
    counts = getattr(instance, "token_counts", None) or ()
    lengths = [getattr(count, "output_tokens", None) for count in counts]
    if limit is None or len(lengths) != len(texts):
        return [(text, None) for text in texts]
    return [(text, None if n is None else n >= limit) for text, n in zip(texts, lengths, strict=True)]


def _texts(answers: Any) -> list[str]:
    if isinstance(answers, str):
        return [answers]
    return [text for item in answers for text in _texts(item)] if isinstance(answers, list) else []
