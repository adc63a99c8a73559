"""Fields made for the answer: `\\boxed{B}`, `<answer>B</answer>`, `[ANSWER] B [/ANSWER]`,
`{"answer": "B"}`.
"""

import re

# The beginning of a line that was a field.
FIELD = "<answer>: "

# A part of a box's content: a character, or a block in braces that holds four more at most.
_PART = "[^{}]"
for _ in range(5):
    _PART = rf"(?:[^{{}}]|\{{{_PART}*\}})"

# A field with its content, of 2,000 characters at most, in one of six groups. A pattern begins with
# the characters that are sought, for speed.
_FIELD = re.compile(
    r"[<\[\"'\\](?:"
    r"(?<=[<\[])(?:final_?)?(?:answer|ans|choice|option)[>\]]\s{0,9}"
    r"([^<\[\s][^<\[\n]{0,1999})(?:[<\[]/\w{3,12}[>\]])?"
    r"|(?<=<)(?:conclusion|solution|output|response|result|final)>\s{0,9}([^<\s][^<\n]{0,1999})"
    r"|(?<=[\"'])(?:final[ _]?|correct[ _]?)?(?:answer|choice|option|letter|prediction)"
    r"(?:[ _](?:choice|letter|option|key))?[\"']\s{0,9}:\s{0,9}"
    r"(?:\"((?:[^\"\\\n]|\\.){1,2000})\"|'((?:[^'\\\n]|\\.){1,2000})'"
    r"|([^\s\"',}][^\"',}\n]{0,199}))"
    rf"|(?<=\\)(?:boxed|fbox)[^{{]{{0,5}}\{{\s{{0,9}}(?=[^\s}}])({_PART}{{1,2000}})\}}?)",
    re.IGNORECASE,
)


def as_lines(text: str) -> str:
    """Return `text` with each field as a line that names the answer: `<answer>: B`."""
    return _FIELD.sub(rf"\n{FIELD}\1\2\3\4\5\6\n", text)
