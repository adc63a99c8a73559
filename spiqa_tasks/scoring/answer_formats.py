"""Parse answers in the formats of the SPIQA prompts, and as the released scripts read them (section 5).

Every function takes any text, never raises and takes time linear in its length. Nothing is evaluated as code.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from spiqa_tasks.scoring.mcq.fields import closing_brace

Status = Literal["ok", "unformatted", "truncated", "empty"]

_QUOTES = {"'": "'", '"': '"', "“": "”", "‘": "’", "`": "`"}
_QUOTE = "['\"“”‘’`]"
_PLACEHOLDER = rf"{_QUOTE}Direct Answer to the Question{_QUOTE}"
_KEY = rf"(?:\{{\s*{_QUOTE}?|{_QUOTE})answer{_QUOTE}?\s*:\s*"
_KEY_UNLESS_PLACEHOLDER = re.compile(rf"{_KEY}(?!\s|{_PLACEHOLDER})", re.IGNORECASE)
_ANY_KEY = re.compile(_KEY, re.IGNORECASE)

_OBJECT_END = re.compile(rf"\s*(?:\}}|,\s*(?:\}}|{_QUOTE}\w+{_QUOTE}\s*:))")
_LINE_END = re.compile(r"\s*(?:$|[\n,.;}])")
_ITEM = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s,'\"][^,'\"]*)")
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\\'\"/])|([ntr])([A-Za-z]*))"
)
_LONGEST_LIST = 4096
"""Characters of the longest list of values that is split: the pattern of items is not linear in its length."""
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}
_LATEX = re.compile(  # commands that begin like the escapes \n, \t and \r
    r"n(?:abla|atural|cong|e|earrow|eg|eq|ewline|exists|geq|i|leq|mid|ot|otin|u|sim|subseteq|warrow)"
    r"|t(?:ag|an|anh|au|binom|ext|extbf|extit|extrm|extsc|extsf|extsuperscript|extsubscript|exttt|frac|herefore|heta"
    r"|hickapprox|hicksim|ilde|imes|iny|o|op|riangle|riangleleft|riangleq|riangleright|woheadrightarrow)"
    r"|r(?:angle|brace|ceil|ef|floor|ho|ight|ightarrow|ightharpoonup|ightleftharpoons|m|oot|ule|vert)"
)


@dataclass(frozen=True)
class ParsedAnswer:
    """The stripped answer, its status, and the number (from 0) of the image named by a chain of thought.

    `ok`: in the requested format. `unformatted`: format absent, the text is the whole response. `truncated`: format
    begun and not ended, the text is the rest. `empty`: no text, or an empty answer.
    """

    text: str
    status: Status
    image: int | None = None


def parse_answer(response: str) -> ParsedAnswer:
    """Return the answer to the direct prompts: `{'Answer': 'Direct Answer to the Question'}`.

    Accepted are text, code fences and other keys around the object, any quotes, missing braces, and apostrophes, braces
    and LaTeX in the answer. The first object counts that does not repeat the prompt's placeholder. A list of values is
    joined with ", ". Escapes of Python and JSON are undone, unless `\\n`, `\\t` or `\\r` begins a LaTeX command
    (`\\theta`).
    """
    response = response.strip()
    if not response:
        return ParsedAnswer("", "empty")
    key = _KEY_UNLESS_PLACEHOLDER.search(response) or _ANY_KEY.search(response)
    if key is None:
        return ParsedAnswer(response, "unformatted")
    value = response[key.end() :].removesuffix("```").rstrip()
    is_open = response.rfind("{", 0, key.start()) > response.rfind("}", 0, key.start())
    text, complete = _value(value, braced=key.group().startswith("{") or is_open)
    if not complete:
        return ParsedAnswer(text.strip(), "truncated")
    return ParsedAnswer(text.strip(), "ok" if text.strip() else "empty")


def parse_answer_released(response: str) -> str:
    """Return the answer as the released script of the closed models reads it (corpus metrics, section 5).

    It keeps the text before `'Image':`, deletes every `'Answer':` and `{`, and drops the last character, meant to be
    the closing brace. So quotes and text around the object stay, LaTeX loses its braces, and an answer without braces
    loses a real character.
    """
    before_image, _, _ = response.partition("'Image':")
    return before_image.replace("'Answer':", "").replace("{", "")[:-1].strip()


_IMAGE_KEY = re.compile(
    rf"{_QUOTE}image{_QUOTE}\s*:\s*[\[(]?{_QUOTE}?\s*(?:image\s*)?#?\s*(\w*)", re.IGNORECASE
)
_IMAGE_NAME = re.compile(
    r"\bimage\s*(?:(?::|#|=|is|number|no\.)\s*)?(\d{1,4})(?!\w|\.\d)", re.IGNORECASE
)
_BLOCK = re.compile(rf"\{{\s*{_QUOTE}?(?:image|text|rationale|answer){_QUOTE}?\s*:", re.IGNORECASE)
"""Start of the `{...}` block of the prompt's format."""
_COT_MARKERS = (
    re.compile(r"\banswer\s+is\s*:(?:\s*\*\*)?", re.IGNORECASE),
    re.compile(r"\bthe\s+answer\s+(?:to\s+the\s+question\s+)?is\b(?:\s*:)?", re.IGNORECASE),
    re.compile(r"\banswer(?:\s+is\b|\s*:(?:\s*\*\*)?)", re.IGNORECASE),
)


def parse_cot(response: str) -> ParsedAnswer:
    """Return the image and the answer of a response to the chain-of-thought prompt.

    The image is the value of the key `Image`, else the first "Image N" (from 0 as in the prompt), or None if that is
    not a number. The answer is the text after "The answer is :" (or a near variant) behind the `{...}` block (`ok`),
    else the value of the block's key `Answer`, else the text after the block, else, without a block, the whole
    response. A block that does not end is `truncated`.
    """
    response = response.strip()
    if not response:
        return ParsedAnswer("", "empty")
    image = _image_number(response)
    block = _BLOCK.search(response)
    start = block.start() if block else None
    end = closing_brace(response, start + 1) if start is not None else None
    rest = response if end is None else response[end + 1 :]
    is_open = start is not None and end is None
    answer = None if is_open else _introduced(rest)
    if (
        answer is None
        and start is not None
        and _ANY_KEY.search(response, start, end or len(response))
    ):
        return replace(parse_answer(response[start:]), image=image)
    if is_open:  # a brace within the rationale may keep it open
        answer = _introduced(response) or ""
    if answer is not None:
        return ParsedAnswer(answer, "ok" if answer else "truncated", image)
    answer = _unwrapped(rest)
    return ParsedAnswer(answer, "unformatted" if answer else "truncated", image)


def _introduced(text: str) -> str | None:
    lead = next((lead for marker in _COT_MARKERS if (lead := marker.search(text))), None)
    return None if lead is None else _unwrapped(text[lead.end() :])


def _image_number(response: str) -> int | None:
    key = _IMAGE_KEY.search(response)
    if key:
        digits = key.group(1)
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 4 else None
    name = _IMAGE_NAME.search(response)
    return int(name.group(1)) if name else None


def _unwrapped(text: str) -> str:
    parsed = parse_answer(text)
    if parsed.status in ("ok", "truncated"):
        return parsed.text
    text = text.strip().removesuffix("```").rstrip()
    inner = text[1:-1]
    return (
        inner.strip()
        if text.startswith("<") and text.endswith(">") and not set(inner) & set("<>")
        else text
    )


def _value(text: str, braced: bool) -> tuple[str, bool]:
    """Return the value at the start of `text`, and whether it ends; `braced`: inside an open object."""
    closing = _QUOTES.get(text[:1])
    if closing is None:
        return _bare_value(text, braced)
    end = _closing_quote(text, closing, braced)
    if end is None and braced:
        end = closing_brace(text, 1)
    if end is not None:
        return _unescaped(text[1:end]), True
    ends = len(text) > 1 and text.endswith(closing)
    return _unescaped(text[1:-1] if ends else text[1:]), False


def _bare_value(text: str, braced: bool) -> tuple[str, bool]:
    """Return a value without an opening quote: a number, a list or loose words."""
    brace = closing_brace(text, 0) if braced else None
    value = text[:brace] if braced else text.partition("\n")[0]
    value = value.strip().rstrip(",")
    if (
        len(value) <= _LONGEST_LIST
        and value.startswith("[")
        and value.endswith("]")
        and "[" not in value[1:]
    ):
        items = (next((part for part in item if part), "") for item in _ITEM.findall(value[1:-1]))
        value = ", ".join(_unescaped(item.strip()) for item in items)
    elif value.endswith(("'", '"')) and value.count(value[-1]) == 1:
        value = value[:-1]
    return value, brace is not None or not braced


def _closing_quote(text: str, closing: str, braced: bool) -> int | None:
    """Return the index of the quote that ends the value at the start of `text`, or None.

    That is the first unescaped quote with a proper continuation, outside inner braces unless it is the very first:
    inner quotes may not be escaped.
    """
    follows = _OBJECT_END if braced else _LINE_END
    depth, first = 0, True
    for sign in re.finditer(rf"\\.|[{{}}]|{closing}", text[1:], re.DOTALL):
        mark = sign.group()
        if mark == closing:
            if (first or depth <= 0) and follows.match(text, sign.end() + 1):
                return sign.start() + 1
            first = False
        elif mark in "{}":
            depth += 1 if mark == "{" else -1
    return None


def _unescaped(text: str) -> str:
    """Return `text` with the escapes of Python and JSON strings undone; a lone surrogate becomes U+FFFD."""
    return (
        _ESCAPE.sub(_character, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def _character(escape: re.Match[str]) -> str:
    *codes, literal, control, letters = escape.groups()
    code = next((code for code in codes if code), None)
    if code is not None:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else escape.group()
    if literal:
        return str(literal)
    return escape.group() if _LATEX.fullmatch(control + letters) else _CONTROL[control] + letters
