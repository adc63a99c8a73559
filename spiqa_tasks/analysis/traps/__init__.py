"""Traps for judges in the domain of the benchmarks: answers made by rules, each with its right verdict.

They are made from the questions and references of SPIQA's demo set. An answer is right where all that it says of the
question is what the reference says; one wrong fact, and an answer that chooses nothing, are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

from spiqa_tasks.analysis.traps import numbers, wording
from spiqa_tasks.analysis.traps.item import Item, Trap
from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.runs.readers.labels import Labelled, Labels
from spiqa_tasks.scoring.open_answers import normalized

TRAPS: Mapping[str, Trap] = {trap.name: trap for trap in (*wording.TRAPS, *numbers.TRAPS, *wording.INJECTION_TRAPS)}
"""Name -> rule; those whose answers are right come first within each of the three kinds."""


def demo_traps() -> Labels:
    """Return the answers that the rules make of the demo's questions."""
    items = _items()
    made = [(trap, item, text) for trap in TRAPS.values() for item in items if (text := trap.make(item)) is not None]
    found = [
        Labelled(Candidate(text, item.question, item.reference), trap.right, (item.reference,), trap=trap.name)
        for trap, item, text in made
    ]
    rows = [[each.trap, each.candidate.question, each.candidate.prediction, each.label] for each in found]
    return Labels("demo traps", digest_of(rows), tuple(found))


def _items() -> list[Item]:
    """The demo's questions, each with answers that are wrong for it: those behind it in its paper, then all others."""
    rows = rows_for_scoring("spiqa", "demo", "")
    found = []
    for place, row in enumerate(rows):
        turned = [*rows[place + 1 :], *rows[:place]]
        others = sorted(turned, key=lambda other: other["paper_id"] != row["paper_id"])
        wrong = [other["answer"] for other in others if _may_stand_for(other["answer"], row["answer"])]
        found.append(Item(row["question"], row["answer"], list(dict.fromkeys(wrong)), place))
    return found


def _may_stand_for(other: str, reference: str) -> bool:
    """Whether another question's answer is surely wrong for this one: no yes or no, and neither part of the other."""
    first, second = normalized(other), normalized(reference)
    return first not in second and second not in first and first.partition(" ")[0] not in ("yes", "no")
