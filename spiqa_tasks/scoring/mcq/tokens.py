"""Convert a line of a response to the kinds of its words, letters and marks.

`The correct answer is (B) blue, not A.` is FILL GOOD ANSWER IS CONFIRMED COMMA NOT LETTER STOP;
forms are patterns over such lines.
"""

import re

from spiqa_tasks.scoring.mcq import cues
from spiqa_tasks.scoring.mcq.forms import Line
from spiqa_tasks.scoring.mcq.options import TEXTS, Options, masked
from spiqa_tasks.scoring.mcq.text import lower

# Letters of scripts with spaces between words, and the vowel signs of those that write them beside
# letters.
_WORD = (
    r"(?:[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]"
    r"|[\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u0670\u0900-\u0963\u0970-\u0dff\u200c])"
)

# Letters beside which a letter is part of a word; joined scripts are none.
_NOT_IN = r"0-9a-z\u00c0-\u02af\u1e00-\u1eff"

# What may follow is looked at before what may stand before: most letters are followed by letters.
_TOKEN = re.compile(
    # (B), <B>, B), and [B] but behind a word, except of joined scripts: not f(B), (A, B), (A - B)
    # and (B) = 72
    r"(?P<enclosed>(?:[(<](?<![^\W\u3040-\ud7af].)(?<!['\\^)\]}].)\ ?[a-z]\ ?[)>]"
    r"|\[(?<![\w'\\^_)\]}].)\ ?[a-z]\ ?\]"
    r"|[a-z]\)(?<![,/&;(]\ ..)(?<![\w)]\ [-+*/=∩∪]\ ..)(?<!\\c[au]p\ ..)(?<![,/&;(]..)"
    rf"(?<!\bor\ ..)(?<!\band\ ..)(?<![{_NOT_IN}'\\_^∠△⊙°@#+∩∪-]..))(?!\s?=(?!>)))"
    rf"|(?<!\w)(?:{cues.any_of(cues.KIND_OF_PHRASE)})(?!\w)"
    # B, but in words, formulas (B_1, f(B), xy/B) and names (B-52, B.C)
    rf"|(?P<letter>[a-z])(?![{_NOT_IN}_^+\#&=]|'(?![dt][ıiuü]r)|\}}[_^]"
    r"|[-.](?!(?P=letter)(?!\w)|[dt][ıiuü]r)[0-9a-z]|/[a-z]?[0-9+^(]|\)\s?=(?!>))"
    rf"(?<![{_NOT_IN}'\\_^∠△⊙°@#+-].)"
    r"(?<!\b\w\(.)(?<![0-9_]\(.)(?<!(?:sin|cos|tan)\(.)(?<!\w\w/.)(?<![a-z]\ \[.)"
    rf"|(?P<word>{_WORD}+(?:'{_WORD}+)*)"
    rf"|(?P<text>[{TEXTS}-\ue0ff])"
    r"|[.!?…。।۔؟](?=[\s\"')\]]|$|(?<=[。।۔!?]))"
    r"|[:=→⇒,;、،/&✓✔✅☑✗✘❌✕☒×∴]|-(?:>|(?=\ ))|(?<=[\W][a-z]\ )\(|(?<=^[a-z]\ )\("
    rf"|(?=[^\x00-\x7f])(?:{cues.any_of(cues.KIND_OF_JOINED)})"
    r"|\d+(?:[.,]\d+)*|[\u3040-\u9fff\uac00-\ud7af\u0e00-\u0e7f]",
)  # fmt: skip
_NEGATIONS = ("no", "not", "none", "neither", "nothing", "false")

# Words and marks that are of one kind wherever they stand: read at a third of the time.
_CERTAIN = {
    cue: kind
    for cue, kind in cues.KIND_OF.items()
    if cue not in _NEGATIONS and not (cue.isascii() and len(cue) == 1 and cue.isalpha())
}

# Words whose meaning depends on what stands beside them; all others in lower case that are no
# cues tell nothing.
_DEPENDENT = frozenset((*_NEGATIONS, *cues.PLACE_OF_ORDINAL))
_SEPARATOR = re.compile(rf"[\s.:,()\[\]{{}}\"'=-]{{0,6}}([{TEXTS}-\ue0ff])")

# A letter that is repeated: `(C) Point C`, `B.B`.
_AGAIN = re.compile(r"[\s.:)]{1,3}(?:[A-Za-z]+ )?([A-Z])(?![\w'])")
_ANSWER_ROLE = re.compile(
    rf" ?: (?:[\"']?[{TEXTS}-\ue0ff]|let's)| ?: ?\(?[a-z][.)] [{TEXTS}-\ue0ff]"
)
# What shows that a small letter is no word: a sentence ends, or Chinese, Japanese, Korean or Thai.
_NO_WORD = re.compile(r"\.?$|[\s*]{1,9}[「『（]?[\u3040-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_AFTER_LETTER = (cues.IS, cues.AND, cues.BECAUSE, cues.FITS, cues.WRONG, cues.NOT, cues.BUT)
# Verbs of a letter, and Turkic nouns that follow one, where English has its article: "A şıkkıdır".
_ASSERTED = re.compile(r" (?:is |ni |seems |appears |şık|seçene|variant[ıi])")

# Negations that may begin the text of an option after its marked letter: `(B) No`.
_BEGINS_TEXT = re.compile(rf"(?:(?<=[)\]])|(?<=[)\]] ))(?:{'|'.join(_NEGATIONS)})")
_NEXT_WORD = re.compile(rf" ({_WORD}+|[{TEXTS}-\ue0ff])")
_NEXT_LETTER = re.compile(r" \(?[A-Z](?!\w)")
_MENTIONS = (cues.LETTER, cues.ENCLOSED, cues.OUT_OF_RANGE, cues.WEAK)

# A noun before a letter: `Sentence B`.
_LABELLED = re.compile(r"[A-Z]\w+ (?=\(?[A-Z](?![\w'+#]))")

# Kinds before what an answer names.
_NAMING = (cues.ANSWER, cues.IS, cues.COLON, cues.PICK)


def read_line(line: str, options: Options) -> Line:
    """Return the kinds of a cleaned line."""
    return _Tokens(line, masked(lower(line), options), options).read()


class _Tokens:
    """The tokens of a line: `low` is it in lower case with option texts as single characters."""

    def __init__(self, line: str, low: str, options: Options) -> None:
        self.line = line
        self.low = low
        self.options = options
        self.kinds: list[str] = []
        self.before = ""  # kind of the token before the current one
        self.letters: list[str] = []
        self.skip = 0  # the end of an option's text behind its letter

    def read(self) -> Line:
        """Return the line."""
        for token in _TOKEN.finditer(self.low):
            if token.start() < self.skip:
                continue
            kind, named = _CERTAIN.get(token[0], ""), ""
            if not kind:
                kind, named = _READERS[token.lastgroup](self, token)
            if kind == self.before == cues.OTHER:
                continue
            self.before = kind[-1]
            self.kinds += kind  # two, of a contraction
            self.letters += [named] * len(kind)
        return Line("".join(self.kinds), self.letters)

    def _mark(self, token: re.Match[str]) -> tuple[str, str]:
        return cues.KIND_OF.get(token[0], cues.OTHER), ""

    def _text(self, token: re.Match[str]) -> tuple[str, str]:
        text, named = self.options.masked_by(token[0])
        return (cues.WORD if text in self.options.words else cues.TEXT), named

    def _word(self, token: re.Match[str]) -> tuple[str, str]:
        """Return the kind of a word, and the letter that it names, or ''."""
        word, start = token[0], token.start()
        if self.line[start].islower() and word not in _DEPENDENT and "'" not in word:
            return cues.OTHER, ""
        if self.before in _MENTIONS and _BEGINS_TEXT.match(self.low, start):
            return cues.FILL, ""
        kind = _kind_of_word(word)
        if kind != cues.OTHER:
            return kind, ""
        if named := self._counted(token) or self._several(token):
            return cues.LETTER, named
        return (cues.NOUN if self._is_label(token) else kind), ""

    def _counted(self, token: re.Match[str]) -> str:
        """Return the letter of `second` in `the second option`, or ""."""
        place = cues.PLACE_OF_ORDINAL.get(token[0])
        following = _NEXT_WORD.match(self.low, token.end())
        if place is None or following is None or following[1] not in cues.ORDINALS_COUNT:
            return ""
        return "".join(sorted(self.options.texts)[place : place + 1])

    def _several(self, token: re.Match[str]) -> str:
        """Return the letters of several options behind the name of an answer, `BD`, or ""."""
        word = self.line[token.start() : token.end()]
        is_pick = self.before in _NAMING and len(word) > 1
        return word if is_pick and {*word} <= self.options.texts.keys() else ""

    def _is_named(self) -> bool:
        """Return whether what stands here follows the name of an answer."""
        return self.before in _NAMING and cues.ANSWER in self.kinds

    def _is_label(self, token: re.Match[str]) -> bool:
        """Return whether a noun before a letter, `Sentence B`, begins the line or follows the
        name of an answer.
        """
        is_noun = _LABELLED.match(self.line, token.start()) is not None
        is_of_option = any(token[0] in text for text in self.options.texts.values())
        return (not self.kinds or self._is_named()) and is_noun and not is_of_option

    def _own_text(self, letter: str, end: int) -> int:
        """Return the end of the option's text if it follows its letter, or 0."""
        again = _AGAIN.match(self.line, end)
        if again and again[1] == letter:
            return again.end()
        text = _SEPARATOR.match(self.low, end)
        if text and letter in self.options.masked_by(text[1])[1]:
            return text.end(1)
        return 0

    def _enclosed(self, token: re.Match[str]) -> tuple[str, str]:
        """Return the kind of a letter in brackets, and the letter, or '' if it is none."""
        letter = token[0].rstrip(")]> ")[-1].upper()
        if token[0][0] == "[" and self.before in (cues.OTHER, cues.FILL):  # the matrix [A]
            return cues.OTHER, ""
        self.skip = self._own_text(letter, token.end() - 1)
        if self.skip:
            return cues.CONFIRMED, letter
        return (cues.ENCLOSED if letter in self.options.texts else cues.OUT_OF_RANGE), letter

    def _letter(self, token: re.Match[str]) -> tuple[str, str]:
        """Return the kind of a lone letter, and the letter, or '' if it is a word such as "a"."""
        start, end = token.span()
        letter = token[0].upper()
        is_capital = self.line[start] == letter
        own = self._own_text(letter, end)
        if own and is_capital:  # not "a red car"
            self.skip = own
            return cues.CONFIRMED, letter
        if letter == "A" and not self.kinds and _ANSWER_ROLE.match(self.low, end):
            return cues.ANSWER, ""
        if letter not in self.options.texts:
            if is_capital and letter not in "AI":
                return cues.OUT_OF_RANGE, letter
            return cues.KIND_OF_WORD.get(letter.lower(), cues.OTHER), ""  # a word: "a", "y"
        kind = self._kind_of_letter(letter, is_capital, end)
        return kind, letter if kind != cues.FILL else ""

    def _kind_of_letter(self, letter: str, is_capital: bool, end: int) -> str:
        """Return the kind of an option's letter: `LETTER`, `WEAK`, or `FILL` for an article."""
        # "So ascites. Answer b.", "【回答】b 耳石置換法"
        is_answer = self._is_named() and _NO_WORD.match(self.low, end)
        if is_answer or self._is_labelled(is_capital, end):
            return cues.LETTER
        if letter == "A" and self._is_article(is_capital, end):
            return cues.FILL
        return cues.LETTER if is_capital and letter != "I" else cues.WEAK

    def _is_labelled(self, is_capital: bool, end: int) -> bool:
        """Return whether a letter that ends at `end` follows a noun of options: `option b`."""
        if is_capital:
            return self.before in (cues.OPTION, cues.NOUN, cues.ANSWER)
        # Hungarian has its article there: "lehetőség a B"
        return self.before == cues.OPTION and not _NEXT_LETTER.match(self.line, end)

    def _is_article(self, is_capital: bool, end: int) -> bool:
        """Return whether an A that ends at `end` is the article, such as in `a red car`."""
        following = _NEXT_WORD.match(self.low, end)
        if following and following[1].upper() not in self.options.texts:
            is_said = is_capital and cues.KIND_OF.get(following[1]) in _AFTER_LETTER
            return not is_said and not _ASSERTED.match(self.low, end)
        # "a helyes válasz a B"
        return not is_capital and _NEXT_LETTER.match(self.line, end) is not None


def _kind_of_word(word: str) -> str:
    """Return the kind of a word; two kinds for a contraction such as `that's`."""
    stem, _, ending = word.partition("'")
    kind = cues.NOT if ending == "t" else cues.KIND_OF_WORD.get(stem, cues.OTHER)
    return kind + (cues.IS if ending == "s" else "")


# Group of `_TOKEN` -> the method that reads its tokens.
_READERS = {
    "word": _Tokens._word,
    "letter": _Tokens._letter,
    "enclosed": _Tokens._enclosed,
    "text": _Tokens._text,
    None: _Tokens._mark,
}
