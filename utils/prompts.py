"""Hooks of the YAMLs that convert a document to a model's input.

An unreadable picture ends the run with one sentence: the host would retry exceptions, and exit with 0.
"""

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.prompting import chat_messages, plain_text, visuals
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.hosts.lmms_eval.registration import one_sentence

Doc = Mapping[str, Any]


@one_sentence()
def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Doc | None = None) -> list[dict[str, Any]]:
    """Return chat messages, in the paper's order; the YAML's `images` for the model class is the form of pictures."""
    return chat_messages(benchmark_of(doc).prompt(doc), (lmms_eval_specific_kwargs or {}).get("images"))


@one_sentence()
def doc_to_visual(doc: Doc) -> list[Any]:
    """Return the pictures for simple models, in the order shown."""
    return visuals(benchmark_of(doc).prompt(doc))


@one_sentence()
def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Doc | None = None) -> str:  # noqa: ARG001 - the host passes it
    """Return the text for simple models, each of several pictures marked."""
    return plain_text(benchmark_of(doc).prompt(doc))
