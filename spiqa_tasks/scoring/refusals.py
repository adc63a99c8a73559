"""Refusals: texts in which a model says that it cannot see the picture or will not answer."""

from __future__ import annotations

import re

_VISUAL = r"(?:image|picture|figure|photo|photograph|chart|graph|plot|diagram|visual|attachment|screenshot|file)s?\b"
_UNABLE = (
    r"(?:(?:\bI|\bwe)(?:'m| am|'re| are)?|^|[.!?,:;]|\bbut)\s*(?:currently |still |also )?"
    r"(?:can(?:not|'t| not)|could(?:n't| not)|(?:am |are |'m )?(?:unable|not able) to|do(?:n't| not) have)"
)
_REFUSALS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        # unable to see the picture
        rf"{_UNABLE}\s+(?:\w+\s+){{0,2}}?(?:see|view|access|open|display|load|process|analy[sz]e|interpret|perceive)"
        rf"\s+(?:\w+\s+){{0,5}}?{_VISUAL}",
        rf"{_UNABLE}\s+(?:the ability|access|any way)\s+to\s+(?:\w+\s+){{0,4}}?{_VISUAL}",
        # unable to answer
        rf"{_UNABLE}\s+(?:\w+\s+)?(?:assist|help|comply|fulfill?|answer (?:th|your|any|it|without)"
        r"|provide (?:an?|the|any) (?:\w+ )?(?:answer|response)|(?:determine|identify|select|choose|give|make)"
        r" (?:the|an?|which|what|any)\b(?:\W+\w+){0,3}?\W+(?:answers?|options?|choices?|captions?))",
        # no picture was given
        rf"\b(?:no|any)\s+(?:\w+\s+)?{_VISUAL}\s+(?:was|were|is|are|has been|have been)?\s*"
        r"(?:provided|attached|uploaded|included|shared|given)\b",
        rf"\b(?:the|your)\s+{_VISUAL}\s+(?:was|were|is|are|did|does|has)(?:n't| not)\s+(?:been\s+)?"
        r"(?:provided|attached|uploaded|included|visible to me|load(?:ed)?)\b",
        rf"\b(?:you|user)\s+(?:have|has|did)(?:n't| not)\s+\w+\s+(?:an?|any|the)\s+{_VISUAL}",
        # a request for the picture
        rf"\b(?:please|(?:could|can|would) you)\s+(?:\w+\s+){{0,2}}?(?:provide|upload|share|attach|resend|describe)"
        rf"\s+(?:\w+\s+){{0,3}}?(?:{_VISUAL}|it\b)",
        r"\bas an? (?:AI|text-based|language)(?: \w+){0,2},? I\b[^.]{0,40}?"
        r"(?:can(?:not|'t)|unable|not able|do(?:n't| not))",
    )
)


def is_refusal(text: str) -> bool:
    """Return whether `text` says that its author cannot see the picture or will not answer.

    The wording alone decides: "I cannot see the image, but the answer is B" is a refusal here, and an answer to
    `extract_choice`, where a letter found wins over such words. A finding about the content ("the speed cannot be
    determined", "I cannot see the cat in option A") is no refusal.
    """
    plain = text.replace("\u2019", "'").replace("\u2018", "'")
    return any(pattern.search(plain) for pattern in _REFUSALS)
