"""Parse answers in the formats of the SPIQA prompts (section 5), and as the released scripts do.

Every function takes any text, never raises and takes time linear in its length. Nothing is
evaluated as code.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Status = Literal["ok", "unformatted", "truncated", "empty"]

# Opening quote -> closing quote. Models write typographic quotes and backticks, too.
_QUOTES = {"'": "'", '"': '"', "“": "”", "‘": "’", "`": "`"}
_QUOTE = "['\"“”‘’`]"

# The key of the answer in the requested object, also in the words of the chain-of-thought prompt.
# A quote or the opening brace must come before it, else it is a sentence about the answer.
_KEY = rf"(?:\{{\s*{_QUOTE}?|{_QUOTE})(?:the\s+answer\s+is|answer){_QUOTE}?\s*:\s*"
_ANY_KEY = re.compile(_KEY, re.IGNORECASE)

# Some models repeat the prompt's example before they answer.
_PLACEHOLDER = rf"{_QUOTE}Direct Answer to the Question{_QUOTE}"
_KEY_UNLESS_PLACEHOLDER = re.compile(rf"{_KEY}(?!\s|{_PLACEHOLDER})", re.IGNORECASE)

# What follows the closing quote of a value, in an object and on a line of its own. Quotes within
# the value, which models do not escape, are followed by something else.
_OBJECT_END = re.compile(rf"\s*(?:\}}|,\s*(?:\}}|{_QUOTE}\w+{_QUOTE}\s*:))")
_LINE_END = re.compile(r"\s*(?:$|[\n,.;}])")

# An item of a list: in single quotes, in double quotes, or bare.
_ITEM = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s,'\"][^,'\"]*)")

# Longer lists stay as they are: the pattern of items is not linear in its length.
_LONGEST_LIST = 4096

# Escapes of Python and JSON; letters behind \n, \t and \r may make them LaTeX.
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\\'\"/])|([ntr])([A-Za-z]*))"
)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}

# LaTeX commands that begin like the escapes \n, \t and \r.
_LATEX = re.compile(
    r"n(?:abla|atural|cong|e|earrow|eg|eq|ewline|exists|geq|i|leq|mid|ot|otin|u|sim|subseteq"
    r"|warrow)"
    r"|t(?:ag|an|anh|au|binom|ext|extbf|extit|extrm|extsc|extsf|extsuperscript|extsubscript|exttt"
    r"|frac|herefore|heta|hickapprox|hicksim|ilde|imes|iny|o|op|riangle|riangleleft|riangleq"
    r"|riangleright|woheadrightarrow)"
    r"|r(?:angle|brace|ceil|ef|floor|ho|ight|ightarrow|ightharpoonup|ightleftharpoons|m|oot|ule"
    r"|vert)"
)

_BRACE = re.compile(r"[{}]")

# The image of a chain of thought: the value of the key, and a name in running text. Four digits
# are more than any paper has figures, and keep years out of longer numbers.
_IMAGE_KEY = re.compile(
    rf"{_QUOTE}image{_QUOTE}\s*:\s*[\[(]?{_QUOTE}?\s*(?:image\s*)?#?\s*(\w*)", re.IGNORECASE
)
_IMAGE_NAME = re.compile(
    r"\bimage\s*(?:(?::|#|=|is|number|no\.)\s*)?(\d{1,4})(?!\w|\.\d)", re.IGNORECASE
)
_MOST_DIGITS = 4

# The start of the block that a chain of thought is asked for: {'Image': A, 'Rationale': '...'}.
_BLOCK = re.compile(rf"\{{\s*{_QUOTE}?(?:image|text|rationale|answer){_QUOTE}?\s*:", re.IGNORECASE)

# Leads to the answer of a chain of thought, the surest first: a rationale may well say that "the
# answer is shown in the plot", with a colon it is the answer. A quote that closes a key is none.
_NO_KEY = rf"(?!{_QUOTE}\s*:)"
_SURE_LEADS = (
    re.compile(r"\banswer\s+is\s*:(?:\s*\*\*)?", re.IGNORECASE),
    re.compile(r"\banswer\s*:(?:\s*\*\*)?(?:\s*the\s+answer\s+is\b)?", re.IGNORECASE),
)
_LEADS = (
    *_SURE_LEADS,
    re.compile(
        rf"\bthe\s+answer\s+(?:to\s+the\s+question\s+)?is\b{_NO_KEY}(?:\s*:)?", re.IGNORECASE
    ),
    re.compile(rf"\banswer\s+is\b{_NO_KEY}", re.IGNORECASE),
)

# A code fence that opens before the block, at the end of the text before it.
_FENCE = re.compile(r"\s*```\w{0,9}\s*$")


@dataclass(frozen=True)
class ParsedAnswer:
    """The stripped answer, how it was read, and the image (from 0) that a chain of thought names.

    `ok`: in the requested format. `unformatted`: format absent, the text is the whole response.
    `truncated`: format begun and not ended, the text is the rest. `empty`: no text, or an empty
    answer.
    """

    text: str
    status: Status
    image: int | None = None


def parse_answer(response: str) -> ParsedAnswer:
    """Return the answer to the direct prompts: `{'Answer': 'Direct Answer to the Question'}`.

    Accepted are text, code fences and other keys around the object, any quotes, missing braces, and
    apostrophes, braces and LaTeX in the answer. The first object counts that does not repeat the
    prompt's placeholder. A list of values is joined with ", ". Escapes of Python and JSON are
    undone, unless `\\n`, `\\t` or `\\r` begins a LaTeX command (`\\theta`).
    """
    response = response.strip()
    if not response:
        return ParsedAnswer("", "empty")

    key = _KEY_UNLESS_PLACEHOLDER.search(response) or _ANY_KEY.search(response)
    if key is None:
        return ParsedAnswer(response, "unformatted")

    value = response[key.end() :].removesuffix("```").rstrip()
    is_open = response.rfind("{", 0, key.start()) > response.rfind("}", 0, key.start())
    text, is_complete = _value(value, braced=key.group().startswith("{") or is_open)
    text = text.strip()
    if not is_complete:
        return ParsedAnswer(text, "truncated")
    return ParsedAnswer(text, "ok" if text else "empty")


def parse_answer_released(response: str) -> str:
    """Return the answer as the released script of the closed models reads it (corpus metrics).

    It keeps the text before `'Image':`, deletes every `'Answer':` and `{`, and drops the last
    character, meant to be the closing brace. So quotes and text around the object stay, LaTeX loses
    its braces, and an answer without braces loses a real character.
    """
    before_image, _, _ = response.partition("'Image':")
    return before_image.replace("'Answer':", "").replace("{", "")[:-1].strip()


def parse_cot(response: str) -> ParsedAnswer:
    """Return the image and the answer of a response to the chain-of-thought prompt.

    The image is the value of the key `Image`, else the first "Image N" (from 0 as in the prompt),
    or None if that is not a number. The answer is read with the first of these that there is:

    1. what follows "The answer is :", or a near variant, behind the `{...}` block (`ok`)
    2. the value of the block's key `Answer`
    3. what stands between "The answer is :" and the block (`ok`)
    4. the text behind the block (`unformatted`)
    5. what stands between "The answer is", without a colon, and the block (`ok`)

    A response with nothing of these is `truncated`; one without a block is its own text behind it.
    """
    response = response.strip()
    if not response:
        return ParsedAnswer("", "empty")

    image = _image_number(response)
    block = _BLOCK.search(response)
    if block is None:
        answer = _introduced(response, _LEADS)
        parsed = _as_text(response) if answer is None else _as_answer(answer)
    else:
        parsed = _answer_around_block(response, block.start())
    return replace(parsed, image=image)


def _answer_around_block(response: str, start: int) -> ParsedAnswer:
    """Return the answer of a response with a block from `start`, as `parse_cot` describes."""
    before = _FENCE.sub("", response[:start])
    end = _closing_brace(response, start + 1)
    inside = response[start:end]
    after = "" if end is None else response[end + 1 :]

    answer = _introduced(after, _LEADS)
    if answer is not None:
        return _as_answer(answer)
    if _ANY_KEY.search(inside):
        return parse_answer(response[start:])

    if end is None:
        # A brace within the rationale may be what keeps the block open.
        answer = _introduced(inside, _LEADS)
    if answer is None:
        answer = _introduced(before, _SURE_LEADS)
    if answer is not None:
        return _as_answer(answer)

    parsed = _as_text(after)
    if parsed.text:
        return parsed
    return _as_answer(_introduced(before, _LEADS) or "")


def _introduced(text: str, leads: Sequence[re.Pattern[str]]) -> str | None:
    """Return what follows the first of `leads` that is in `text`, or None without one."""
    for lead in leads:
        if match := lead.search(text):
            return _unwrapped(text[match.end() :])
    return None


def _as_answer(answer: str) -> ParsedAnswer:
    """Return an answer that was introduced; `truncated` if nothing follows its lead."""
    return ParsedAnswer(answer, "ok" if answer else "truncated")


def _as_text(text: str) -> ParsedAnswer:
    """Return a text without a lead as the answer; `truncated` if it is empty."""
    answer = _unwrapped(text)
    return ParsedAnswer(answer, "unformatted" if answer else "truncated")


def _image_number(response: str) -> int | None:
    """Return the image of the key `Image`, else of the first "Image N", or None."""
    if key := _IMAGE_KEY.search(response):
        digits = key.group(1)
        is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
        return int(digits) if is_number else None

    name = _IMAGE_NAME.search(response)
    return int(name.group(1)) if name else None


def _unwrapped(text: str) -> str:
    """Return the answer without an object, a closing fence or the prompt's `<...>` around it."""
    parsed = parse_answer(text)
    if parsed.status in ("ok", "truncated"):
        return parsed.text

    text = text.strip().removesuffix("```").rstrip()
    inner = text[1:-1]
    is_bracketed = text.startswith("<") and text.endswith(">") and not set(inner) & set("<>")
    return inner.strip() if is_bracketed else text


def _value(text: str, braced: bool) -> tuple[str, bool]:
    """Return the value at the start of `text`, and whether it ends.

    `braced`: the value is inside an open object, else on a line of its own.
    """
    closing = _QUOTES.get(text[:1])
    if closing is None:
        return _bare_value(text, braced)

    end = _closing_quote(text, closing, braced)
    if end is None and braced:
        # The closing quote was forgotten: the brace ends the value.
        end = _closing_brace(text, 1)
    if end is not None:
        return _unescaped(text[1:end]), True

    value = text[1:-1] if len(text) > 1 and text.endswith(closing) else text[1:]
    return _unescaped(value), False


def _closing_brace(text: str, start: int) -> int | None:
    """Return the index of the brace that closes the block with content from `start`, or None."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return None


def _bare_value(text: str, braced: bool) -> tuple[str, bool]:
    """Return a value without an opening quote: a number, a list or loose words."""
    end = _closing_brace(text, 0) if braced else len(text.partition("\n")[0])
    value = text[:end].strip().rstrip(",")
    if _is_list(value):
        items = [_first(item) for item in _ITEM.findall(value[1:-1])]
        value = ", ".join(_unescaped(item.strip()) for item in items)
    elif value.endswith(("'", '"')) and value.count(value[-1]) == 1:
        # The quote that opens the value was forgotten.
        value = value[:-1]
    return value, end is not None


def _is_list(value: str) -> bool:
    """Return whether a value is a short list without inner ones."""
    is_bracketed = value.startswith("[") and value.endswith("]")
    return is_bracketed and "[" not in value[1:] and len(value) <= _LONGEST_LIST


def _first(groups: Sequence[str | None]) -> str:
    """Return the first group of a match that is not empty, or ''."""
    return next(filter(None, groups), "")


def _closing_quote(text: str, closing: str, braced: bool) -> int | None:
    """Return the index of the quote that ends the value at the start of `text`, or None.

    That is the first unescaped quote with a proper continuation, outside inner braces unless it is
    the very first: inner quotes may not be escaped.
    """
    follows = _OBJECT_END if braced else _LINE_END
    depth = 0
    is_first = True
    for sign in re.finditer(rf"\\.|[{{}}]|{closing}", text[1:], re.DOTALL):
        mark = sign.group()
        if mark == closing:
            if (is_first or depth <= 0) and follows.match(text, sign.end() + 1):
                return sign.start() + 1
            is_first = False
        elif mark in "{}":
            depth += 1 if mark == "{" else -1
    return None


def _unescaped(text: str) -> str:
    """Return `text` with the escapes of Python and JSON strings undone.

    Two escapes of a surrogate pair become one character; a lone surrogate becomes U+FFFD.
    """
    characters = _ESCAPE.sub(_character, text)
    return characters.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(escape: re.Match[str]) -> str:
    """Return what an escape stands for, or the escape itself if it is none."""
    *codes, literal, control, letters = escape.groups()
    if code := _first(codes):
        number = int(code, 16)
        return chr(number) if number <= sys.maxunicode else escape.group()
    if literal:
        return str(literal)

    is_command = _LATEX.fullmatch(control + letters)
    return escape.group() if is_command else _CONTROL[control] + letters
