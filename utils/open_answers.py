"""Hooks for the open questions of anybody's task: L3Score of the docs' answers
(docs/your_task.md).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.answers import FREE_ANSWERS
from spiqa_tasks.benchmarks.open_metrics import L3SCORE
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval import open_docs
from spiqa_tasks.hosts.lmms_eval.batch_scoring import scorer_of
from spiqa_tasks.hosts.lmms_eval.registration import exit_with_message, run_options

from . import answers

aggregate = answers.aggregate


def process_docs(docs: Any) -> Any:
    """Return the docs, marked to be judged together.

    Raises SystemExit: no judge, or an unusable one.
    """
    with exit_with_message():
        is_scored = not run_options.get("predict_only")
        if is_scored and scorer_of(FREE_ANSWERS.name, open_docs.SETTINGS).judge is None:
            raise InputError("Expected a judge for l3score, found none. Name one in SPIQA_JUDGE.")
    return open_docs.mark(docs)


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """Return the record of an answer under `l3score`."""
    return {L3SCORE: answers.process_results(open_docs.row_of(doc), results)[L3SCORE]}
