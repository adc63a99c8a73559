"""Parts of a response that are no answer: reasoning and control tokens of chat templates."""

import re

# Tags around a model's reasoning, by the chat templates of open models. Those of the first line
# also come in other brackets: ◁think▷ (Kimi), [THINK] (Magistral).
_IN_ANY_BRACKETS = "think|thinking|thought|reasoning"
_IN_ANGLES = "analysis|seed:think|mm:think|longcat_think"
_TAG = re.compile(
    r"(?=[<◁\[])(?:"  # looked at first: most characters begin no tag
    rf"(?P<start>[<◁\[](?:{_IN_ANY_BRACKETS})[>▷\]]|<(?:{_IN_ANGLES})>"
    r"|<unused94>|<\|START_THINKING\|>|<\|begin_of_thought\|>)"
    rf"|[<◁\[]/(?:{_IN_ANY_BRACKETS})[>▷\]]|</(?:{_IN_ANGLES})>"
    r"|<unused95>|<\|END_THINKING\|>|<\|end_of_thought\|>)",
    re.IGNORECASE,
)

# The end of LLaVA-CoT's blocks, which no prompt opens: further ones, as in a loop, end nothing.
_OPENED_BY_MODEL = "</reasoning>"

# Named channels (gpt-oss): the answer is in the final one.
_CHANNEL_TAG = "<|channel|>"
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s{0,9}final\b[^<\n]{0,40}(?:<\|message\|>)?")

# A mark that an answer begins, behind thoughts that never end: a tag, "Answer:" before a short end
# of the text or as the heading of a short last line, or a box at the end.
_ANSWER = re.compile(
    r"[<\[](?:final_?)?answer[>\]]|\n\W{0,4}(?:final )?answer\W{1,4}(?=[^\n]{1,40}\Z)"
    r"|\\boxed\{[^{}\n]{1,40}\}\W{0,9}\Z",
    re.IGNORECASE,
)


def without_reasoning(text: str) -> str:
    """Return `text` without reasoning blocks, unchanged if it has none.

    Of named channels only the final one is kept. A block may begin in the prompt: it then ends at
    its closing tag. An unclosed one ends at the tag that opens the answer, or at the end: truncated
    reasoning is not an answer.
    """
    return _parted(text)[0]


def is_cut_in_reasoning(text: str) -> bool:
    """Return whether `text` ends in reasoning: an unclosed block, or channels but no final one."""
    return _parted(text)[1]


def _parted(text: str) -> tuple[str, bool]:
    """Return `text` without reasoning, and whether it ends in reasoning."""
    text, is_cut = _final_channel(text)
    kept: list[str] = []
    read_to = 0
    is_open = False
    has_opened = False
    for tag in _TAG.finditer(text):
        opens = tag["start"] is not None
        if opens and is_open:
            continue

        if not is_open:
            if opens or _closes_nothing(tag, has_opened):
                kept.append(text[read_to : tag.start()])
            else:
                # The block began in the prompt: all before its end is reasoning.
                kept.clear()
        is_open = opens
        has_opened |= opens
        read_to = tag.end()

    if not read_to:
        return text, is_cut  # without tags nothing is cut, not even blanks around the text

    if is_open:
        kept.append(_answer_in_block(text, read_to))
        is_cut = is_cut or not kept[-1]
    else:
        kept.append(text[read_to:])
    return "".join(kept).strip(), is_cut


def _closes_nothing(tag: re.Match[str], has_opened: bool) -> bool:
    """Return whether a closing tag, with no block open, ends nothing."""
    return has_opened and tag.group().lower() == _OPENED_BY_MODEL


def _final_channel(text: str) -> tuple[str, bool]:
    """Return the final channel of `text`, and whether it has channels but no final one."""
    if _CHANNEL_TAG not in text:
        return text, False

    before, *final = _FINAL_CHANNEL.split(text)
    if final:
        return final[-1], False
    return before.partition(_CHANNEL_TAG)[0], True


def _answer_in_block(text: str, start: int) -> str:
    """Return the tagged answer of a block that never closes, up to the next reasoning, or ''."""
    answer = _ANSWER.search(text, start)
    if answer is None:
        return ""
    again = _TAG.search(text, answer.end())
    return text[answer.start() : again.start() if again else None]


# Control tokens by their shape, and by name if they look like any word in brackets: `<b>` and
# `[MASK]` are part of an honest answer.
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


def without_control_tokens(text: str) -> str:
    """Return `text` without leading and trailing spaces and control tokens; inner ones stay."""
    start = 0
    end = len(text)
    spans = [token.span() for token in CONTROL_TOKEN.finditer(text)]
    for first, last in spans:
        if text[start:first].strip():
            break
        start = last

    for first, last in reversed(spans):
        if first < start or text[last:end].strip():
            break
        end = first
    return text[start:end].strip()
