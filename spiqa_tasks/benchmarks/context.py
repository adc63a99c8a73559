"""What answers are scored with: the host that ran them, the judge's rules, the programs of the text metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spiqa_tasks.judge.l3 import L3Rule
from spiqa_tasks.judge.letters import LetterRule


@dataclass(frozen=True)
class Context:
    """What the records of one run have in common.

    Attributes:
        host: what ran it, for the signature.
        l3: how L3Score's judge is asked.
        letters: how a judge is asked for the letter of an answer.
        judged_by: signature fields of the judge; empty where there is none.
        unavailable: text metric -> why it cannot be computed here.
        tokenizer: that of the text metrics; empty where none is computed.
    """

    host: str
    l3: L3Rule = field(default_factory=L3Rule)
    letters: LetterRule = field(default_factory=LetterRule)
    judged_by: tuple[tuple[str, str], ...] = ()
    unavailable: Mapping[str, str] = field(default_factory=dict)
    tokenizer: str = ""
