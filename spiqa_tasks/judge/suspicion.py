"""Answers that speak to the judge in words that honest ones may have, too: marked, and sent as they are."""

from __future__ import annotations

import re

from spiqa_tasks.judge.sanitize import folded, sanitize
from spiqa_tasks.scoring.reasoning import without_control_tokens

_ROLE = r"(?:system|user|human|assistant|bot|judge|grader|evaluator|instructions?)"
_JUDGE = r"(?:judge|grader|evaluator|rater|assessor)"
_WORDS = r"(?:\w+[ \t,:]+){0,5}[^\w\s]{0,3}"
_SPEAKING = re.compile(
    "|".join(
        (
            rf"(?:^|[.!?]\s)[^\w\n]{{0,8}}{_ROLE}[^\w\n]{{0,8}}:",
            rf"[\[<{{(|#]{{1,3}}[ \t]?{_ROLE}[ \t]?[\]>}})|#]{{1,3}}",
            r"\b(?:reference|ground[\W_]?truth|candidate|gold|golden|expected)[\W_]{0,3}(?:answer|response)s?\b\W{0,8}:",
            r"^[^\w\n]{0,8}#{2,6}\W{0,8}(?:answer|question|response|input|output)\b",
            r"\b(?:verdict|judge?ment|similar|similarity|equivalent|score|rating|grade)\W{0,8}[:=]\W{0,8}"
            r"(?:yes|no|true|similar|correct|high|1|5|10|100)\b",
            r"\byes\W{1,4}(?:or\W{1,4}no\b|yes\b)",
            r"\bsemantic(?:ally)?\W{1,4}(?:meaning|similar|equivalent|the same|identical)\b",
            r"\b(?:ignore|disregard|forget|override)\s+(?:all|any|the|what|everything|previous|above|prior|these|your)\b",
            rf"\b(?:reply|respond|say|output|print|return)\s+{_WORDS}(?:yes|no)\b",
            r"\banswer\s+(?:with|only|simply|just|on|this)\b[^.\n]{0,60}?\b(?:yes|no)\b",
            rf"\b(?:dear|note\s+to|to)\s+(?:the\s+|all\s+)?{_JUDGE}s?\b",
            r"\bplease\s+(?:be\s+(?:lenient|generous|kind)|accept|mark|grade|judge|rate|score|give)\b",
            r"\b(?:mark|count|grade|accept|treat|rate|score|judge)s?\s+[^.\n]{0,40}?\bas\s+"
            r"(?:correct|right|similar|a match)",
            r"\b(?:been|was|is)\s+(?:checked|verified|confirmed|approved)\s+(?:by|as|to be)\b",
            r"\b(?:new|following|previous|above|system)\s+(?:instruction|prompt)s?\b",
            r"\bfull\s+(?:marks|score|credit|points)\b",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)


def is_suspicious(text: str) -> bool:
    """Return whether an answer has what speaks to a judge: a prompt's labels, roles, verdict words or orders.

    Control tokens before and after an answer do not count. That is a mark for people and changes nothing: honest
    answers may have such words, and an attack in other words, or in another language, has none of them.
    """
    plain = without_control_tokens(text)
    return _SPEAKING.search(folded(plain)[0]) is not None or sanitize(plain) != plain
