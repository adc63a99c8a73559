"""Keep answers from speaking to the judge (prompt injection)."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from spiqa_tasks.scoring.responses import CONTROL_TOKEN

# Stands where an answer imitated the judge's prompt; the judge sees that something stood there.
REMOVED = "[removed]"

# Most characters of an answer shown to the judge (about 4,000 tokens, half of a small judge's
# context).
LONGEST = 16_000

# Stand-in for the middle of a cut answer.
CUT = "\n[...]\n"

# Cyrillic and Greek letters, and few others, that look like Latin ones. A package of all of
# Unicode's (confusable-homoglyphs) takes a megabyte, and calls Latin letters confusable with each
# other.
_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеѕіјорсухһԁԛԝνοαικρυΑΒΕΗΙΚΜΝΟΡΤΥΧıɡɑ",
    "ABESIJKMHOPCTXYaesijopcyxhdqwvoaikpuABEHIKMNOPTYXiga",
)

# Hangul fillers: letters to Unicode, blanks to a reader.
_BLANKS = "\u115f\u1160\u3164\uffa0"

# Every character at which some reader begins a new line.
_LINE_ENDS = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"))


def _phrase(words: str) -> str:
    """The words with anything but letters and digits between them, or nothing at all."""
    return r"[\W_]{0,8}".join(words.split())


# Marks of Markdown or quotes may close a label before its colon.
_COLON = r"[\s*_\"'`]{0,8}:"
_SENTENCES = "|".join(
    _phrase(sentence)
    for sentence in (
        "is the semantic meaning of the ground truth and candidate answers similar",
        "is the semantic meaning of the ground truth and candidate answers",
        "answer in one word yes or no",
        "answer in one word",
        "you are given a question",
        "here is the output from a generative model",
        "the output contains the answer to a multiple choice question",
        "return only the letter of the answer",
        "if no answer is found return none",
        "your task is to rank the following captions",
        "rank the captions from best to worst",
    )
)
_START, _END = r"(?<![^\W_])", r"(?![^\W_])"
# Without its first letter, which is a capital in the prompt and a small one elsewhere.
_CANDIDATE = _phrase("andidate answer")
_FRAME = re.compile(
    "|".join(
        (
            # "Candidate answer:" behind a mark, or at the start of a line
            rf"(?:^[^\w\n]{{0,8}}|(?<=[.!?:;,)}}\"'|>])[ \t]{{0,8}})c{_CANDIDATE}{_COLON}",
            rf"^[^\w\n]{{0,8}}(?:question|{_phrase('ranked captions')}){_COLON}",
            r"^[^\w\n]{0,8}(?-i:Human|Assistant|HUMAN|ASSISTANT|USER|SYSTEM)[ \t]{0,8}:",
            # role labels of plain-text chats
            r"^[ \t]{0,8}#{2,6}[ \t]{0,8}"
            r"(?:instruction|response|input|system|user|human|assistant)[ \t]{0,8}:",
            # the other labels and the prompts' own sentences, anywhere
            rf"{_START}(?:(?:{_phrase('ground truth answer')}|(?-i:C){_CANDIDATE}){_COLON}"
            rf"|(?:{_SENTENCES}){_END}\??)",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)


def sanitize(text: str) -> str:
    """Return a text of the model under test as a judge may be shown it.

    - What imitates a judge's prompt becomes `[removed]`: the label "Ground-truth answer:" anywhere,
      "Candidate answer:" where a label can stand, "Question:" and "Ranked captions:" at the start
      of a line, the prompts' own sentences, and the role labels of plain-text chats ("###
      Response:", "ASSISTANT:") at the start of a line.
    - Control tokens of chat templates (`<|im_end|>`, `[INST]`, `</s>`) get a blank behind their
      first character, so that they are read and not obeyed.

    Case, punctuation, line ends of any kind, combining and direction marks, full-width letters,
    blanks of Hangul and Cyrillic and Greek letters that look like Latin ones hide nothing. Any
    other text is returned byte for byte.
    """
    removed = _replaced(_FRAME, text, lambda _: REMOVED)
    return _replaced(CONTROL_TOKEN, removed, lambda token: f"{token[0]} {token[1:]}")


def shortened(text: str) -> str:
    """Return the text, one of more than `LONGEST` characters without its middle."""
    if len(text) <= LONGEST:
        return text
    half = (LONGEST - len(CUT)) // 2
    return text[:half] + CUT + text[-half:]


def folded(text: str) -> tuple[str, Sequence[int]]:
    """Return the text in plain letters, and the original index of each of its characters."""
    if text.isascii():
        return text.translate(_LINE_ENDS), range(len(text))
    letters_of = list(map(_letters, text))
    return "".join(letters_of), [index for index, letters in enumerate(letters_of) for _ in letters]


@lru_cache(maxsize=4096)
def _letters(character: str) -> str:
    """The letters that a character is written with, '' for a mark."""
    if character in _BLANKS:
        return " "
    letters = unicodedata.normalize("NFKD", character)
    visible = [c for c in letters if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
    return "".join(visible).translate(_LINE_ENDS).translate(_LOOKALIKES)


def _replaced(pattern: re.Pattern[str], text: str, stand_in: Callable[[str], str]) -> str:
    """The text with `stand_in` of each part that reads like the pattern in its stead."""
    # The pattern is sought in plain letters, and the parts are those of the text.
    plain_text, indices = folded(text)
    parts: list[str] = []
    done = 0
    for match in pattern.finditer(plain_text):
        # One character may be several letters (a ligature), where two matches meet.
        start = max(done, indices[match.start()])
        end = indices[match.end() - 1] + 1
        parts += text[done:start], stand_in(text[start:end])
        done = end
    return "".join(parts) + text[done:]
