"""SPIQA's three annotation formats, read into one form, and its figure types in two readings (section 3.3, Table 4).

The labels of test-A, val and train are raw model output (`Plot`, `** plot`, `plot.`, ...). The paper's counts come out
when figures are matched by case-sensitive substring, so that every capitalised label becomes "other": the reading
`released`. The reading `corrected` ignores case, and takes a figure whose label says table for one (18 of test-A's,
whose `content_type` is figure).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

Reading = Literal["corrected", "released"]
GROUPS = ("table", "schematic", "plot", "visualization", "other")
"""Tables, schematics, plots & charts, visualizations, other figures: the columns of Table 6, in the paper's order."""

NOT_PLOTS = ("schematic", "visualization", "other")
"""Table 6's "Other figures": every figure that is not a plot (see published/NOTES.md)."""
MOST_FIGURES = 8
"""Largest number of figures with a group of its own: the default of `max_figures`."""
_KEYWORDS = {"schematic": "schematic", "plot": "plot", "photograph": "visualization"}
_CORRECTED = {**_KEYWORDS, "table": "table"}


@cache
def figure_group(label: str, is_table: bool, reading: Reading = "corrected") -> str:
    """Return the group of a figure, one of `GROUPS`.

    Args:
        label: the release's `figure_type`.
        is_table: whether the release marks it as a table (A, val, train: `content_type`; B: its label).
        reading: `released` reproduces Table 4; `corrected` ignores case and also takes labels that say table.
    """
    if is_table:
        return "table"
    text, keywords = (label.lower(), _CORRECTED) if reading == "corrected" else (label, _KEYWORDS)
    return next((group for keyword, group in keywords.items() if keyword in text), "other")


def groups_of(row: Mapping[str, Any], figures: int) -> dict[str, str]:
    """Return the groups of a question, by kind.

    Args:
        row: row of the question; its type is that of the first referred figure.
        figures: number of figures shown; 0 if unknown.

    Returns:
        `type`, the figure type; `released_type`, the type of Table 4, as `released_<type>`; `nonplot` for figures that
        are neither plot nor table; `figures`, as `figures_<number>`, `figures_9+` beyond eight.
    """
    shown = f"figures_{figures}" if figures <= MOST_FIGURES else f"figures_{MOST_FIGURES + 1}+"
    nonplot = {"nonplot": "nonplot"} if row["group"] in NOT_PLOTS else {}
    counted = {"figures": shown} if figures else {}
    return {"type": row["group"], **nonplot, "released_type": f"released_{row['group_released']}", **counted}


class Figure(NamedTuple):
    """A figure or table: `picture` is its path within the archive, `label` the release's figure type."""

    file: str
    picture: str
    caption: str
    label: str
    is_table: bool

    @property
    def group(self) -> str:
        """Its figure type by the corrected reading."""
        return figure_group(self.label, self.is_table)

    @property
    def group_released(self) -> str:
        """Its figure type by the reading of Table 4."""
        return figure_group(self.label, self.is_table, "released")


class Question(NamedTuple):
    """A question of a paper.

    Attributes:
        position: index in the released paper, from 0.
        question: text of the question.
        answer: the reference answer, or "".
        referred: files of the figures that the answer needs, at least one.
    """

    position: int
    question: str
    answer: str
    referred: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """A paper of the release; `full_text` is None if it is in another file, "" if the paper has none."""

    paper_id: str
    figures: Mapping[str, Figure]
    questions: tuple[Question, ...]
    full_text: str | None = None


def read_a(paper_id: str, paper: Mapping[str, Any]) -> Paper:
    """Return a paper of test-A, val or train: figures carry raw model labels and a `content_type`."""
    figures = {
        file: _figure(
            file, f"{paper_id}/{file}", figure["caption"], figure["figure_type"], figure["content_type"] == "table"
        )
        for file, figure in paper["all_figures"].items()
    }
    columns = [(item["question"], item["answer"], [item["reference"]]) for item in paper["qa"]]
    return Paper(paper_id, figures, _questions(columns, figures))


def read_b(paper_id: str, paper: Mapping[str, Any]) -> Paper:
    """Return a paper of test-B: parallel lists, clean labels, the full text in `passages`."""
    types = paper["figure_types"]
    figures = {
        file: _figure(file, file, caption, types[file], types[file] == "table")
        for file, caption in paper["all_figures_tables"].items()
    }
    columns = zip(paper["question"], paper["composition"], paper["referred_figures_tables"], strict=True)
    text = _text("\n\n".join(paper["passages"]), "full text")
    return Paper(paper_id, figures, _questions(columns, figures), text)


def read_c(paper_id: str, paper: Mapping[str, Any]) -> Paper:
    """Return a paper of test-C: QASPER's answers, labels where the release has them, text without section names."""
    figures = {}
    for figure in paper["figures_and_tables"]:
        file = figure["file"]
        label = figure.get("figure_type") or ("table" if "table" in file.lower() else "")
        picture = f"{paper['arxiv_id']}/{file}"
        figures[file] = _figure(file, picture, figure["caption"], label, str(label).lower() == "table")
    answers = [_qasper(answer) for answer in paper["answer"]]
    columns = zip(paper["question"], answers, paper["referred_figures_tables"], strict=True)
    text = "\n\n".join("\n".join(section["paragraphs"]) for section in paper["full_text"])
    return Paper(paper_id, figures, _questions(columns, figures), _text(text, "full text"))


READERS: dict[str, Callable[[str, Mapping[str, Any]], Paper]] = {"A": read_a, "B": read_b, "C": read_c}


def _figure(file: str, picture: str, caption: Any, label: Any, is_table: bool) -> Figure:
    _text(picture, "figure name")
    return Figure(file, picture, _text(caption, "caption of", file), _text(label, "type of", file), is_table)


def _questions(
    columns: Iterable[tuple[Any, Any, Sequence[str]]], figures: Mapping[str, Figure]
) -> tuple[Question, ...]:
    """Return the questions of (question, answer, files of the referred figures)."""
    questions = []
    for position, (question, answer, referred) in enumerate(columns):
        if not _text(question, "question", position):
            raise ValueError(f"an empty question {position}")
        unknown = [file for file in referred if file not in figures]
        if unknown or not referred:
            raise ValueError(
                f"question {position} that refers to {unknown[0] if unknown else 'no figure'}, not its own"
            )
        text = _text(answer, "answer", position)
        questions.append(Question(position, question, text, tuple(dict.fromkeys(referred))))
    return tuple(questions)


def _qasper(answer: Mapping[str, Any]) -> str:
    """Return the free-form answer, else Yes or No, else the extractive spans, joined as QASPER's evaluator does."""
    free_form, is_yes = answer["free_form_answer"], answer["yes_no"]
    if free_form:
        return str(free_form)
    if is_yes is not None:
        return "Yes" if is_yes else "No"
    return ", ".join(answer.get("extractive_spans") or ())


def _text(value: Any, what: str, which: object = "") -> str:
    """Return a string after checking that it can be encoded as UTF-8.

    Raises:
        TypeError, ValueError: not such a string.
    """
    if not isinstance(value, str):
        raise TypeError(f"a {f'{what} {which}'.strip()} of type {type(value).__name__}")
    try:
        value.isascii() or value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"a {f'{what} {which}'.strip()} that is no valid Unicode") from error
    return value
