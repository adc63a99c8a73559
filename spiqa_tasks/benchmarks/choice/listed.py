"""Options that stand within a question's text."""

from __future__ import annotations

import re

_LETTERS = "ABCDEFGHIJ"
_FORMS = (
    *(
        re.compile(rf"(?:^|\n)[ \t]*(?:[-*][ \t]+)?{label}[ \t]*")
        for label in (r"\(([A-J])\)", r"([A-J])[.)]", r"([A-J]):", r"\[([A-J])\]")
    ),
    *(re.compile(rf"(?:^|[,;]?[ \n]){label} ") for label in (r"([A-J]):", r"\(([A-J])\)", r"([A-J])[.)]")),
)
"""A label by its form: at the beginning of a line, then within one."""
_HEADING = re.compile(r"\b(?:options|choices)\s*:\s*", re.IGNORECASE)


def options_in(text: str) -> dict[str, str]:
    """Return letter -> text of the options listed in a question; empty where there are not at least two from A on.

    Known forms: lines with the labels `(A)`, `A.`, `A)`, `A:` or `[A]`, and `A: `, `(A) `, `A. ` or `A) ` in one line.
    What stands after "Options:" or "Choices:" counts alone, where that is there. The last of several options that are
    a line each ends with its line.
    """
    *_, tail = _HEADING.split(text)
    labels = _labels(tail)
    ends = [*(label.start() for label in labels[1:]), len(tail)]
    found = {label[1]: tail[label.end() : end].strip() for label, end in zip(labels, ends, strict=False)}
    if found:
        *others, last = found
        if not any("\n" in found[letter] for letter in others):
            found[last] = found[last].partition("\n")[0].strip()
    return found


def question_before(text: str) -> str:
    """Return a question without the options that `options_in` finds in it, stripped."""
    *_, tail = _HEADING.split(text)
    labels = _labels(tail)
    head = text[: len(text) - len(tail) + (labels[0].start() if labels else len(tail))]
    return (_HEADING.split(head)[0] if head != text else text).strip()


def _labels(text: str) -> list[re.Match[str]]:
    """The labels that follow each other from A on, of the first form of which there are two."""
    for form in _FORMS:
        labels: list[re.Match[str]] = []
        for label in form.finditer(text):
            if label[1] == _LETTERS[len(labels) : len(labels) + 1]:
                labels.append(label)
        if len(labels) > 1:
            return labels
    return []
