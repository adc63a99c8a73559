"""Tokenization `ptb-python`: the COCO caption toolkit's PTB tokenizer, approximated without Java.

The toolkit runs the Stanford PTBTokenizer 3.4.1 (`-preserveLines -lowerCase`) and then drops punctuation. This module
follows the same scheme, the longest match of a list of rules, for the text that answers about papers are made of:
clitics are split off (`model 's`, `do n't`, `can not`); hyphenated words, numbers, abbreviations, words with inner
dots and e-mail-like words (`p@1`) stay whole; brackets become `-lrb-`, `-rcb-` and so on, and stay (the toolkit's
punctuation list has them in capitals); everything else is a token of one character. Left out: telephone numbers,
emoticons, and the rarer abbreviations and currencies.
"""

from __future__ import annotations

import re

DROPPED = frozenset(".,:;-!?'\"`‘’“”«»‹›…–—‒―‐‑")
"""Tokens that the toolkit drops; it does so before it rewrites quotes and dashes in ASCII."""

RENAMED = {
    "(": "-lrb-",
    ")": "-rrb-",
    "{": "-lcb-",
    "}": "-rcb-",
    "[": "-lsb-",
    "]": "-rsb-",
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "£": "#",
    "€": "$",
    "¢": "cents",
    "½": "1/2",
    "¼": "1/4",
    "¾": "3/4",
}

_WORD_CHARACTER = r"[^\W_\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089]|[\u0300-\u036f]"
_ALNUM = f"(?:{_WORD_CHARACTER})"
_LETTER = rf"(?:(?!\d)(?:{_WORD_CHARACTER}))"
_MAIL = r"[^\s<>\"|(){}]"
_ABBREVIATIONS = (
    r"(?i:mrs?|ms|drs?|profs?|gen|col|lt|sgt|capt|rev|govs?|sens?|reps?|hon|jr|sr|bros|ste?|ave|blvd|mt|vs|cf|etc|al|"
    r"seq|inc|cos?|corp|ltd|dept|univ|assn|plc|tel|est|ext|sq|ph\.d|ed\.d)"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Calif|Conn|Mass|Ore|Pa|Penn|Tenn|Va|Wash"
)
_STARTERS = (
    "A|About|After|An|And|As|At|But|He|Her|Here|However|If|In|It|Last|Many|More|Now|Once|One|Other|Our|She|Since|So|"
    "Some|Such|That|The|Their|Then|There|These|They|This|We|What|When|While|Yet|You"
)

_RULES = [
    re.compile(rule)
    for rule in (
        rf"{_LETTER}{_ALNUM}*(?:[.!?]{_LETTER}{_ALNUM}*)*",
        rf"\d+(?:{_LETTER}{_ALNUM}*)?",
        r"[-+]?(?:\d*(?:[.:,]\d+)+|\d+)",
        rf"{_ALNUM}+(?:[-_‐‑]{_ALNUM}+)+",
        r"[A-Za-z0-9][A-Za-z0-9.,]{0,64}(?:-[A-Za-z0-9]+)+",
        r"[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2}",
        rf"[A-Za-z0-9]{_MAIL}{{0,64}}@(?:(?!\.){_MAIL}+\.)?(?:(?!\.){_MAIL})+",
        r"(?:https?://|www\.)[^\s<>\"|(){}]+[^\s<>\"|(){}.,:;!?']",
        rf"(?:{_ABBREVIATIONS})\.",
        r"(?:[Ff]igs?|[Nn]os?|pp?|[Aa]rt)\.(?=\s?\d)",
        rf"[A-Za-z]\.(?!\s+(?:{_STARTERS})\s)",
        r"[A-Za-z](?:\.[A-Za-z])+\.",
        r"[A-Z]+(?:[+&][A-Z]+)+",
        r"[Cc]\+\+|[CcFf]#|[A-Z]*\$|[#@][A-Za-z_]\w*",
        r"['’](?:s|m|d|ll|re|ve|em|til|\d\ds)\b|n['’]t\b",
        r"</?[A-Za-z][\w:.-]{0,64}(?:\s[A-Za-z][\w:.-]{0,64}(?:=(?:\"[^\"<>\n]{0,99}\"|'[^'<>\n]{0,99}'))?){0,4}\s?/?>",
        r"&(?:amp|lt|gt);",
        r"\*+|_+|[!?]{2,}",
    )
]

_CLITICS = re.compile(
    r"(?i)(?<=\w)(?=n['’]t\b)|(?<=\w)(?=['’](?:s|m|d|ll|re|ve)\b)|(?<=\by['’])(?=all\b)|(?<=['’]t)(?=is\b|was\b)"
)
_COMPOUNDS = re.compile(r"(?i)\b(can(?=not\b)|gon(?=na\b)|wan(?=na\b)|got(?=ta\b)|gim(?=me\b)|lem(?=me\b))")
_UNTOKENIZABLE = re.compile("[\U00010000-\U0010ffff\x00-\x08\x0e-\x1f\x7f\ufeff\ufffd]")
_SPACES = re.compile(r"\s+")


def tokenize(text: str) -> str:
    """Return the tokens of `text`, lower-cased, without punctuation, joined by single spaces ("" if none is left)."""
    text = _SPACES.sub(" ", _UNTOKENIZABLE.sub(" ", text)).strip()
    text = " ".join(_split_clitics(chunk) for chunk in text.split(" "))
    tokens = []
    position = 0
    while position < len(text):
        token = _longest(text, position)
        position += len(token)
        if token != " " and token not in DROPPED:
            tokens.append(RENAMED.get(token, token).replace(" ", "\u00a0").replace("’", "'").lower())
    return " ".join(tokens)


def _split_clitics(chunk: str) -> str:
    """Return the chunk with a space before clitics and inside `cannot`, `gonna` ...; e-mail-like words stay whole."""
    if "@" in chunk:
        return chunk
    return _COMPOUNDS.sub(r"\1 ", _CLITICS.sub(" ", chunk))


def _longest(text: str, position: int) -> str:
    """Return the longest match of any rule at `position`, or one character."""
    matches = (rule.match(text, position) for rule in _RULES)
    return max((match.group() for match in matches if match), key=len, default=text[position])
