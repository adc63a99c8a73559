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
    for form in _FORMS:
        found = _listed(tail, form)
        if len(found) > 1:
            *others, last = found
            if not any("\n" in found[letter] for letter in others):
                found[last] = found[last].partition("\n")[0].strip()
            return found
    return {}


def question_before(text: str) -> str:
    """Return a question without the options that `options_in` finds in it, stripped."""
    *_, tail = _HEADING.split(text)
    firsts = (labels[0].start() for form in _FORMS if len(labels := _labels(tail, form)) > 1)
    head = text[: len(text) - len(tail) + next(firsts, len(tail))]
    return (_HEADING.split(head)[0] if head != text else text).strip()


def _listed(text: str, form: re.Pattern[str]) -> dict[str, str]:
    labels = _labels(text, form)
    ends = [*(label.start() for label in labels[1:]), len(text)]
    return {label[1]: text[label.end() : end].strip() for label, end in zip(labels, ends, strict=False)}


def _labels(text: str, form: re.Pattern[str]) -> list[re.Match[str]]:
    """The labels of a form that follow each other from A on."""
    labels: list[re.Match[str]] = []
    for label in form.finditer(text):
        if label[1] == _LETTERS[len(labels) : len(labels) + 1]:
            labels.append(label)
    return labels
