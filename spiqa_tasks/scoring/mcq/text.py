"""Clean responses and option texts before comparison, and split responses into turns."""

import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise

from spiqa_tasks.scoring.responses import without_reasoning

# Characters read of a response, from both ends: longer ones are a model in a loop.
LONGEST = 20_000

# Quotes, dashes and brackets -> the signs of ASCII that mean the same.
_CHARACTERS = str.maketrans(
    "\u2018\u2019\u02bb\u02bc\u201c\u201d\u00ab\u00bb\u2010\u2011\u2012\u2013\u2212\u3010\u3011",
    "''''\"\"\"\"-----[]",
    "\u0640",  # stretches Arabic letters: هـ
)
_CIRCLED = re.compile("[\u2460-\u2473]")


def _compiled(replacements: Mapping[str, str]) -> dict[re.Pattern[str], str]:
    return {re.compile(pattern): replacement for pattern, replacement in replacements.items()}


# Pattern -> its replacement, in whole responses. A pattern begins with the characters that are
# sought, for speed.
_NOISE = _compiled(
    {
        # tags of HTML
        r"</?(?:b|i|u|strong|em|p|br|code|span|div)\s{0,3}/?>": "",
        # citations: `It is green.[1][2]`
        r"\[(?:(?<=[\w.!?)\]]\[)\d{1,3}\]|\d{1,3}\](?=\[\d{1,3}\]))": "",
        # the form that a prompt asks for, repeated: `for example: Answer: A`
        r"[EeFfSs例比譬](?i:(?<=\be)\.g\.|(?<=\bf)or (?:example|instance)|(?<=\bs)uch as"
        r"|(?<=[例比譬])如)"
        r"(?i:[,: ]{0,3}[\"'\[(]?(?:the )?(?:final |correct )?"
        r"(?:answer(?: letter| option)?|正确答案|答案)"
        r"[\]\"' ]{0,3}(?:is )?:? ?[\"'(\[]?[A-Z](?![A-Za-z]))": "",
        # a field that the prompt has opened: `B</answer>`
        r"(?i)\A(?=[^<]{1,200}</answer>)": "<answer>",
        # who speaks
        r"(?i)\A\W{0,4}(?:ai|bot|model|output|response|result)\W{0,3}:\s": "",
        # several picks, one a line: A, B, D
        r"(?m)\n(?<=^[A-Z]\n)(?=[A-Z]$)": ", ",
        # sources, to the end
        r"(?i)\n\W{0,6}(?:sources|references|citations|fuentes|referencias|参考文献)\W{0,6}"
        r"(?:\n[\s\S]*|$)": "",
    }
)

# Pattern -> its replacement, in lines with a backslash.
_LATEX = _compiled(
    {
        r"\\(?:text|mbox|textbf|textit|textrm|mathrm|mathbf|mathsf|mathit|rm|bf|boxed)\s{0,3}"
        r"\{([^{}]{0,500})\}": r"\1",
        r"\\[dt]?frac\s{0,3}\{([^{}]{0,200})\}\s{0,3}\{([^{}]{0,200})\}": r"\1/\2",
        r"\^\s?\{?\s?\\circ\s?\}?|\\degree": "°",
        r"\\[;: ]|~": " ",
        r"\\([%$#&_])|\\[,!]|\\(?:left|right|displaystyle)(?![a-z])": r"\1",
        r"\\times(?![a-z])": "×",
    }
)
_SPECIAL = re.compile(
    r"<\|[^|<>\n]{0,40}\|>|</?(?:s|eos|bos|pad|end_of_turn|b|i|u|strong|em|p|br|code|span|div)\s{0,3}/?>"
    r"|[\ue000-\uf8ff\u200b-\u200f\u2060\ufeff\u00ad]|[*`$]|\\[()\[\]]|#{2,6}|^#|__"
)

# A single letter in quotes or in markdown's italics.
_QUOTED = re.compile(r"(?<![\w\\'])(['_])([A-Za-z])\1(?![\w'])")

# Cyrillic and Greek capitals that are written for Latin ones, as labels.
_LATIN = str.maketrans("АВСЕΑΒΕ", "ABCEABE")
_LOOKALIKE = re.compile(r"[АВСЕΑΒΕ](?<![\w.].)(?=[*\"')\]]{0,4}(?:[.,:)]|\s*$))", re.MULTILINE)


def cleaned(response: str) -> str:
    """Return a response without its reasoning, tags, citations and examples, its signs in one form.

    Of a very long one the two ends are left.
    """
    text = without_reasoning(response).strip().replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]
    text = _LOOKALIKE.sub(lambda letter: letter[0].translate(_LATIN), in_one_form(text))
    return _replaced(text, _NOISE)


def _replaced(text: str, replacements: Mapping[re.Pattern[str], str]) -> str:
    for pattern, replacement in replacements.items():
        text = pattern.sub(replacement, text)
    return text


def in_one_form(text: str) -> str:
    """Return a text in compatibility form, with quotes and dashes of ASCII and `(1)` for a circled
    1.
    """
    text = unicodedata.normalize("NFKC", _CIRCLED.sub(r"(\g<0>)", text))
    return text.replace("\u2014", " - ").translate(_CHARACTERS)


def plain(text: str) -> str:
    """Return a text of a response without markdown, LaTeX wrappers and special tokens, with
    single spaces.
    """
    if "\\" in text:
        text = _replaced(text, _LATEX)
    text = _QUOTED.sub(r"\2", _SPECIAL.sub("", text))
    return " ".join(text.split()).strip("'")


def lower(text: str) -> str:
    """Return `text` in lower case at its own length: İ, which would grow, stays."""
    return "İ".join(part.lower() for part in text.split("İ"))


def fold(text: str) -> str:
    """Return cleaned `text` in lower case without enclosing quotes and closing punctuation, for
    comparison.
    """
    return lower(text).rstrip(".,;:!?\"'。").lstrip("\"'").rstrip()


# A sentence that breaks off after the first letter of a word.
_CUT_WORD = re.compile(r"[A-Z][^:]* [a-z]")

# Bytes from which on an answer that ends within a sentence counts as cut: shorter ones often lack a
# full stop. A character of Chinese, which says more than one of English, has three.
_CUT_LENGTH = 1_500
_CLOSING = ".!?。！？…:：;；)]}>\"'”’*`$|"

# Characters of a last line that is no sentence, such as `Answer: B`.
_SHORT_LINE = 40
_ITEM = re.compile(r"\W{0,8}(?:option |choice )?[A-Za-z]\b", re.IGNORECASE)
_LISTED = re.compile(r"\W{0,8}(?:option |choice )?[A-Z]\W{0,4}[).:、-]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")


def ends_early(text: str) -> bool:
    """Return whether `text` ends within a sentence, and is long or ends within an item of a
    listing; a short last line is no sentence.
    """
    text = text.strip()
    line = text[text.rfind("\n") + 1 :]
    if len(line) < len(text) and _CUT_WORD.fullmatch(line):
        return True
    if len(line) <= _SHORT_LINE or line[-1] in _CLOSING:
        return False
    is_long = len(text.encode("utf-8", "surrogatepass")) >= _CUT_LENGTH
    return is_long or (len(line) < len(text) and bool(_LISTED.match(line)))


def breaks_off(text: str) -> bool:
    """Return whether the last of several sentences lacks its full stop."""
    return text.rstrip()[-1:] not in _CLOSING and len(_SENTENCE_END.findall(text)) > 1


def without_echo(text: str, prompt: str) -> str:
    """Return `text` without the lines of `prompt` that it repeats, but for those that begin with
    an option.
    """
    asked = {line.strip() for line in prompt.split("\n")} - {""}
    return "\n".join(
        line for line in text.split("\n") if line.strip() not in asked or _ITEM.match(line)
    ).strip()


# The first character is sought fast.
_NEXT = re.compile(
    r"[<\[#\n.](?:"
    r"(?<=<)(?:\|(?:end|im_end|im_start|eot_id|endoftext|end_of_text|end_of_turn|start|user|return)\|>|eo[ahm]>"
    r"|/s>|(?:end_of_turn|start_of_turn|eos)>)|(?<=\[)/?INST\]"
    r"|(?<=#)#{1,5}[ \t]?(?:instructions?|input|output|response|question|human|user)\s?\d{0,3}:"
    r"|(?<=\n)(?:[ \t]{0,4}(?:请(?:你|从|选)|\[(?:例题|题目)|\#include)"
    r"|[ \t>*_]{0,4}#{1,6}[ \t]?(?:instructions?|input|question|human|user)\b)"
    # on the next line, or directly behind a full stop
    r"|(?:(?<=\n)[ \t>*_]{0,4}|(?<=\.))(?:(?:next |new )?question|q|human|user|frage|pregunta"
    r"|pergunta|quest[ãa]o|domanda|вопрос|soru|sual|savol|suraq|soraw|савол|суаль|сорау|сұрақ|سوئال"
    r"|问题|問題|题目|題目|問|问|질문|문제)[ \t]?\d{0,3}[ \t*_]{0,3}[:：])",
    re.IGNORECASE,
)


# The options in one line, from A on, each behind its letter: `A) red B) blue C) green`. Behind `or`
# and colons stand mentions: `(B) blue, or (C) green`, `Answer: (C)`.
_BEFORE_ITEM = r"(?<![\w(])(?<!or )(?<!and )(?<!: )"
_LISTING = re.compile(
    r"(?<![\w(])(?P<opens>[(\[]?)A(?P<closes>\W{0,2}[)\].:、])\s?(?:\w|\.\.\.)"
    rf".{{0,300}}?{_BEFORE_ITEM}(?P=opens)B(?P=closes)\s?(?:\w|\.\.\.)"
    rf".{{0,300}}?{_BEFORE_ITEM}(?P=opens)C(?P=closes)\s?(?:\w|\.\.\.).*"
)


def one_a_line(text: str) -> str:
    """Return `text` with each option of a listing that is in one line on a line of its own."""
    return _LISTING.sub(_split, text)


def _split(listing: re.Match[str]) -> str:
    opens, closes = map(re.escape, listing.groups())
    return re.sub(rf"{_BEFORE_ITEM}(?={opens}[A-Z]{closes}\s?(?:\w|\.\.\.))", "\n", listing[0])


def turns(text: str) -> list[str]:
    """Return the non-empty turns of `text`, split before each mark of a new turn."""
    starts = [0, *(mark.start() for mark in _NEXT.finditer(text)), len(text)]
    parts = (text[start:end].strip() for start, end in pairwise(starts))
    return [part for part in parts if part]
