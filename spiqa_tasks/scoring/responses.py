"""Parts of a response that are no answer: reasoning, control tokens of chat templates, refusals."""

import re

# Tags around a model's reasoning, by the chat templates of open models. Those of the first line
# also come in other brackets: ◁think▷ (Kimi), [THINK] (Magistral).
_IN_ANY_BRACKETS = "think|thinking|thought|reasoning"
_IN_ANGLES = "analysis|seed:think|mm:think|longcat_think"
_TAG = re.compile(
    rf"(?P<start>[<◁\[](?:{_IN_ANY_BRACKETS})[>▷\]]|<(?:{_IN_ANGLES})>"
    r"|<unused94>|<\|START_THINKING\|>|<\|begin_of_thought\|>)"
    rf"|[<◁\[]/(?:{_IN_ANY_BRACKETS})[>▷\]]|</(?:{_IN_ANGLES})>"
    r"|<unused95>|<\|END_THINKING\|>|<\|end_of_thought\|>",
    re.IGNORECASE,
)

# Named channels (gpt-oss): the answer is in the final one.
_CHANNEL_TAG = "<|channel|>"
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s{0,9}final\b[^<\n]{0,40}(?:<\|message\|>)?")

_ANSWER = re.compile(r"[<\[](?:final_?)?answer[>\]]", re.IGNORECASE)


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
    position = 0
    is_open = False
    for tag in _TAG.finditer(text):
        if tag["start"] is None:
            if not is_open:
                # The block began in the prompt: all before its end is reasoning.
                kept.clear()
            is_open = False
            position = tag.end()
        elif not is_open:
            kept.append(text[position : tag.start()])
            is_open = True
            position = tag.end()

    if is_open:
        answer = _answer_in_block(text, position)
        return "".join([*kept, answer]).strip(), is_cut if answer else True
    return "".join([*kept, text[position:]]).strip() if position else text, is_cut


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


_LONGEST = 400
"""Characters of a sentence that are read: refusals are short, and patterns stay fast on texts without full stops."""
_SENTENCE_END = re.compile(r"[.!?;。！？]+(?:\s|$)|[。！？]|\n+")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'"})

_VISUAL = r"(?:image|picture|figure|photo|photograph|chart|graph|plot|diagram|visual|attachment|screenshot|file)s?\b"
_TEXT = r"(?:texts?|contexts?|chunks?|excerpts?|passages?|paragraphs?|documents?|papers?|articles?|information)\b"
_UNABLE = (
    r"(?:\b(?:i|we)(?:'m| am|'re| are)?|^|[,:]|\bbut|\band) ?(?:\w+ly |still |also |just )?"
    r"(?:can(?:not|'t| not)|could(?:n't| not)|(?:am |are |'m )?(?:unable|not able) to|do(?:n't| not) have|wo(?:n't)"
    r"|will not|must decline|decline to)"
)
_WORDS = r"(?:[^\s]+ ){0,6}?"
_REFUSALS = tuple(
    re.compile(pattern)
    for pattern in (
        # unable to see the picture, or to tell something from it
        rf"{_UNABLE} (?:\w+ ){{0,2}}?(?:see|view|access|open|display|load|process|analy[sz]e|interpret|perceive|read)"
        rf" {_WORDS}{_VISUAL}",
        rf"{_UNABLE} (?:the ability|access|any way) to {_WORDS}{_VISUAL}",
        rf"{_UNABLE} (?:\w+ ){{0,2}}?(?:determine|identify|recogni[sz]e|tell|infer|describe|discern|give"
        rf"|provide|answer) {_WORDS}(?:from|in|of|without|based on) (?:the |this |your |an? |any )(?:\w+ )?{_VISUAL}",
        # unable or unwilling to answer
        rf"{_UNABLE} (?:\w+ )?(?:assist|help|comply|fulfill?|continue|do (?:that|this|so|it)\b|answer (?:th|your|any|it"
        r"|without)|respond|engage|provide (?:an?|the|any) (?:\w+ )?(?:answer|response|information)"
        r"|(?:determine|identify|select|choose|give|make) (?:the|an?|which|what|any)\b"
        r" ?(?:[^\s]+ ){0,3}?(?:answers?|options?|choices?|captions?)\b)",
        rf"\b(?:sorry|apologi[sz]e|apologies|afraid)\b.{{0,60}}?{_UNABLE}",
        # no picture was given
        rf"\b(?:no|any) (?:\w+ )?{_VISUAL} (?:was |were |is |are |has been |have been )?"
        r"(?:provided|attached|uploaded|included|shared|given)\b",
        rf"\b(?:the|your) {_VISUAL} (?:was|were|is|are|did|does|has)(?:n't| not) (?:been )?"
        r"(?:provided|attached|uploaded|included|visible to me|load(?:ed)?)\b",
        rf"\b(?:you|user) (?:have|has|did)(?:n't| not) \w+ (?:an?|any|the) {_VISUAL}",
        rf"\b(?:the|your) {_VISUAL} (?:is|was|are|were)(?:n't| not) visible(?:$|,| so\b| and\b| to me\b)",
        r"\b(?:not |im)possible (?:for me )?to answer\b",
        # a request for the picture or the text, or the word that they are missing
        rf"\b(?:please|(?:could|can|would) you) (?:\w+ ){{0,2}}?(?:provide|upload|share|attach|resend|describe)"
        rf" (?:\w+ ){{0,3}}?(?:{_VISUAL}|it\b)",
        rf"^(?!if\b).{{0,99}}?\b(?:please|(?:could|can|would) you) (?:\w+ ){{0,2}}?(?:provide|share)"
        rf" (?:\w+ ){{0,3}}?(?:{_TEXT}|them\b)",
        rf"\b(?:i|we|you)(?:'m| am|'re| are| seem to be| appear to be) missing {_WORDS}(?:{_VISUAL}|{_TEXT})",
        r"\bas an? (?:ai|text-based|language)(?: \w+){0,2},? i\b.{0,40}?(?:can(?:not|'t)|unable|not able"
        r"|do(?:n't| not))",
        # other languages
        r"(?:图|图片|图像|照片)[^。]{0,6}(?:不可见|看不到|看不见|无法(?:显示|加载|查看|看到))|(?:无法|不能)(?:回答|作答)",
        r"(?:我|抱歉|对不起)[^。]{0,10}(?:无法|不能|没有办法)[^。]{0,6}(?:看|查看|识别|确定|提供|回答|协助|帮助|判断)",
        r"(?:申し訳|すみません)[^。]{0,30}(?:できません|できない)|죄송[^.]{0,40}(?:없습니다|없어요)",
        r"\blo siento\b.{0,20}\bno puedo\b|\bdesculpe\b.{0,20}\bnão posso\b|\bdésolée?\b.{0,20}\bne (?:peux|puis)\b",
        r"\b(?:es )?tut mir leid\b.{0,20}\bkann (?:ich )?.{0,30}\bnicht\b|\bmi dispiace\b.{0,20}\bnon posso\b"
        r"|\b(?:извините|простите|к сожалению)\b.{0,20}\bне могу\b",
    )
)
_MAY_REFUSE = re.compile(
    r"\b(?:no|any|you|user|please|as an?|non|nicht)\b|not|n't|unable|impossible|decline|missing|[^\x00-\x7f]"
)
"""Necessary for a refusal; checked first, as it is faster."""


def is_refusal(text: str) -> bool:
    """Return whether `text` says that its author cannot see the picture or will not answer.

    The wording alone decides: "I cannot see the image, but the answer is B" is a refusal here, and an answer to
    `extract_choice`, which prefers a letter. Statements about the content ("the speed cannot be determined", "I cannot
    see the cat in option A") are not refusals.
    """
    sentences = _SENTENCE_END.split(text.translate(_QUOTES).lower())
    shortened = (" ".join(sentence[:_LONGEST].split()) for sentence in sentences)
    doubtful = filter(_MAY_REFUSE.search, shortened)
    return any(pattern.search(sentence) for sentence in doubtful for pattern in _REFUSALS)
