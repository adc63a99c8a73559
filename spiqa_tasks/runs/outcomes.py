"""Shares of answers that were refused, unparsed, failed or truncated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spiqa_tasks.benchmarks.choice import OPTIONS, options_in
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.runs.run import Run


@dataclass(frozen=True)
class Outcomes:
    """Shares, 0 to 1, of some questions.

    Attributes:
        refused: the model would not answer, or wrote that it saw no picture.
        unparsed: no answer was found in what it wrote; of a host's task: it wrote nothing.
        failed: the request failed.
        truncated: the answer ended at the limit of tokens; None where no answer tells.
    """

    refused: float
    unparsed: float
    failed: float
    truncated: float | None

    @property
    def without_answer(self) -> float:
        """The share that was asked and not answered, which counts as wrong."""
        return self.refused + self.unparsed


def outcomes_of(run: Run, questions: Sequence[Record]) -> Outcomes:
    """Return what became of some questions of a run, of which there is at least one."""
    refusals = [is_refused(run, question) for question in questions]
    unread = [
        not refusal and run.kind.is_unparsed(run, each) for refusal, each in zip(refusals, questions, strict=True)
    ]
    failures = [question.status == "request_failed" for question in questions]
    cuts = [question.rule == "truncated" or question.details.get("truncated") for question in questions]
    known = [cut for cut in cuts if cut is not None]
    refused, unparsed, failed = (sum(each) / len(questions) for each in (refusals, unread, failures))
    return Outcomes(refused, unparsed, failed, sum(known) / len(known) if known else None)


def is_refused(run: Run, question: Record) -> bool:
    """Return whether the model would not answer a question, or wrote that it saw no picture."""
    return run.kind.is_refused(run, question)


def has_answer(run: Run, question: Record) -> bool:
    """Return whether the model answered a question: it neither refused nor wrote what nothing was read in."""
    return not is_refused(run, question) and not run.kind.is_unparsed(run, question)


def option_count(run: Run, question: Record) -> int | None:
    """Return how many options a question has; None where nobody knows, or it is none with choices.

    The record says it, or the options that the file has, alone or within the prompt, one of which is the true answer.
    """
    if OPTIONS in question.details:
        return int(question.details[OPTIONS])
    answer = run.by_id.get(question.id)
    options = (answer.options or options_in(answer.question)) if answer is not None else {}
    return len(options) if question.reference in (*options, *options.values()) else None
