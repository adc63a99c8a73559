"""Strip reasoning blocks, and control tokens of chat templates (`<s>`, `[/INST]`), from responses."""

import re

_NAMES = "think|thinking|thought|reasoning"
_TAG = re.compile(rf"[<◁\[](?P<end>/)?(?P<name>{_NAMES})[>▷\]]", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s{0,9}final\b[^<\n]{0,40}(?:<\|message\|>)?")
_ANSWER = re.compile(r"[<\[](?:final_?)?answer[>\]]", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """Return `text` without reasoning blocks, unchanged if it has none; of named channels only the final one.

    A block may begin in the prompt: it then ends at its closing tag. An unclosed one ends at the tag that opens the
    answer, or at the end: truncated reasoning is not an answer.
    """
    return _parted(text)[0]


def is_cut_in_reasoning(text: str) -> bool:
    """Return whether `text` ends in reasoning: a block that never closes, or channels without a final one."""
    return _parted(text)[1]


def _parted(text: str) -> tuple[str, bool]:
    """Return `text` without reasoning, and whether it ends in reasoning."""
    is_cut = False
    if "<|channel|>" in text:
        before, *final = _CHANNEL.split(text)
        text, is_cut = (final[-1], False) if final else (before.partition("<|channel|>")[0], True)
    kept: list[str] = []
    position = 0
    is_open = False
    for tag in _TAG.finditer(text):
        if tag["end"]:
            if not is_open:
                kept.clear()
            is_open, position = False, tag.end()
        elif not is_open:
            kept.append(text[position : tag.start()])
            is_open, position = True, tag.end()
    if is_open:
        answer = _ANSWER.search(text, position)
        again = _TAG.search(text, answer.end()) if answer else None
        text = text[: again.start()] if again else text
        position, is_cut = (answer.start(), is_cut) if answer else (len(text), True)
    return "".join([*kept, text[position:]]).strip() if position else text, is_cut


CONTROL_TOKEN = re.compile(
    r"<\|[^<>|\n]{1,60}\|?>|<[^<>|\s]{1,60}\|>"  # <|im_end|>, <|turn>, <turn|>
    r"|\[\|[^\W\d][\w ]{2,40}\|\]"  # [|endofturn|], but not E[|XY|]
    r"|\]~!?\w{1,2}[\[\]]|\[\w{1,2}~\["  # ]~b], [e~[
    r"|</?[^\W\d]\w{0,30}:[^\W\d]\w{0,30}>"  # <seed:eos>
    r"|</?(?:\w{3,30}_|unused)\d{1,5}>"  # <SPECIAL_11>, but not <x_1>
    r"|</?(?:start|begin|end)_?of_?[^\W\d]{1,30}>"  # <end_of_turn>
    r"|</?(?:s|bos|eos|pad|unk|sop|eop|image|video|audio|think|tool_call|tool_response|role)>"
    r"|<</?SYS>>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK|sMASK)\]",
    re.IGNORECASE,
)
"""Control tokens by their shape, and by name if they look like any word in brackets: `<b>` and `[MASK]` are honest."""


def without_control_tokens(text: str) -> str:
    """Return `text` without leading and trailing spaces and control tokens; inner ones stay."""
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
