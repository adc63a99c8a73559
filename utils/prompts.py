"""What a YAML calls to show a document to a model.

A picture that cannot be read ends the run with one sentence: the host would retry exceptions, and exit with 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.prompting import Part, chat_messages, plain_text, visuals
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.hosts.lmms_eval.guard import one_sentence

Doc = Mapping[str, Any]


def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Doc | None = None) -> list[dict[str, Any]]:
    """Chat models: one user turn or those of the prompt, pictures and text interleaved in the paper's order.

    The form of the pictures is that which the YAML names for the model class: `images: path` gives paths, `encoded`
    pictures that an API class sends as the files they are, anything else PIL images.
    """
    form = (lmms_eval_specific_kwargs or {}).get("images")
    with one_sentence():
        return chat_messages(_prompt(doc), form)


def doc_to_visual(doc: Doc) -> list[Any]:
    """Simple models: the pictures, in the order shown."""
    with one_sentence():
        return visuals(_prompt(doc))


def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Doc | None = None) -> str:  # noqa: ARG001 - the host passes it
    """Simple models: the text, with the place of every picture marked where there are several."""
    with one_sentence():
        return plain_text(_prompt(doc))


def _prompt(doc: Doc) -> list[Part]:
    return benchmark_of(doc).prompt(doc)
