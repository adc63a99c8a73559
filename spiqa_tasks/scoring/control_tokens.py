"""Control tokens of chat templates (`<s>`, `<|im_end|>`, `[/INST]` and their kin), which are no part of an answer."""

from __future__ import annotations

import re

CONTROL_TOKEN = re.compile(
    r"<\|[^<>|\n]{1,60}\|>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK|sMASK)\]"
    r"|<</?SYS>>"
    r"|</?(?:s|bos|eos|pad|unk|sop|eop|image|video|audio|think|tool_call|tool_response|start_of_turn|end_of_turn"
    r"|start_of_image|end_of_image|end_of_utterance|endoftext|begin_of_text|extra_id_\d{1,3}|unused\d{1,3})>",
    re.IGNORECASE,
)


def without_control_tokens(text: str) -> str:
    """Return `text` without blanks and control tokens before and after it; those within it stay."""
    start, end = 0, len(text)
    tokens = [found.span() for found in CONTROL_TOKEN.finditer(text)]
    for first, last in tokens:
        if text[start:first].strip():
            break
        start = last
    for first, last in reversed(tokens):
        if first < start or text[last:end].strip():
            break
        end = first
    return text[start:end].strip()
