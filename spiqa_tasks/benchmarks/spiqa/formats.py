"""The three annotation formats of SPIQA's release, read into one form."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks.spiqa.figure_types import figure_group


class Figure(NamedTuple):
    """A figure or table: `picture` is its path within the archive, `label` the release's figure type."""

    file: str
    picture: str
    caption: str
    label: str
    is_table: bool

    @property
    def group(self) -> str:
        """Its figure type, as the label means it."""
        return figure_group(self.label, self.is_table)

    @property
    def group_released(self) -> str:
        """Its figure type, as Table 4 counts it."""
        return figure_group(self.label, self.is_table, "released")

    def row(self) -> dict[str, str]:
        """The figure as a row shows it, less its path."""
        return {
            "file": self.file,
            "caption": self.caption,
            "group": self.group,
            "group_released": self.group_released,
        }


class Question(NamedTuple):
    """A question, its reference answer, and the files of the figures that the answer needs (at least one)."""

    question: str
    answer: str
    referred: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """A paper of the release; `full_text` is empty where the annotations do not hold it."""

    paper_id: str
    figures: Mapping[str, Figure]
    questions: tuple[Question, ...]
    full_text: str = ""

    def with_text(self, text: str) -> Paper:
        """The same paper with another full text."""
        return dataclasses.replace(self, full_text=text)


def read_a(paper_id: str, paper: Mapping[str, Any]) -> Paper:
    """Test-A, val and train: figures carry raw model labels and a `content_type`."""
    figures = {
        file: Figure(
            file, f"{paper_id}/{file}", figure["caption"], figure["figure_type"], figure["content_type"] == "table"
        )
        for file, figure in paper["all_figures"].items()
    }
    questions = [_question(item["question"], item["answer"], [item["reference"]], figures) for item in paper["qa"]]
    return Paper(paper_id, figures, tuple(questions))


def read_b(paper_id: str, paper: Mapping[str, Any]) -> Paper:
    """Test-B: parallel lists, clean labels, the full text in `passages`."""
    types = paper["figure_types"]
    figures = {
        file: Figure(file, file, caption, types[file], types[file] == "table")
        for file, caption in paper["all_figures_tables"].items()
    }
    columns = zip(paper["question"], paper["composition"], paper["referred_figures_tables"], strict=True)
    questions = [_question(question, answer, referred, figures) for question, answer, referred in columns]
    return Paper(paper_id, figures, tuple(questions), "\n\n".join(paper["passages"]))


def read_c(paper_id: str, paper: Mapping[str, Any]) -> Paper:
    """Test-C: QASPER's answers (free form, else Yes or No); labels only where the release has them."""
    figures = {}
    for figure in paper["figures_and_tables"]:
        file = figure["file"]
        label = figure.get("figure_type") or ("table" if "table" in file.lower() else "")
        picture = f"{paper['arxiv_id']}/{file}"
        figures[file] = Figure(file, picture, figure["caption"], label, label.lower() == "table")
    columns = zip(paper["question"], paper["answer"], paper["referred_figures_tables"], strict=True)
    questions = [_question(question, _qasper(answer), referred, figures) for question, answer, referred in columns]
    text = "\n\n".join(
        "\n".join(filter(None, [section.get("section_name"), *section["paragraphs"]])) for section in paper["full_text"]
    )
    return Paper(paper_id, figures, tuple(questions), text)


READERS: dict[str, Callable[[str, Mapping[str, Any]], Paper]] = {"A": read_a, "B": read_b, "C": read_c}


def _question(question: str, answer: str, referred: list[str], figures: Mapping[str, Figure]) -> Question:
    if not question or not isinstance(question, str):
        raise ValueError("an empty question")
    if not isinstance(answer, str):
        raise TypeError(f"an answer of type {type(answer).__name__}")
    unknown = [file for file in referred if file not in figures]
    if unknown or not referred:
        raise ValueError(f"a question that refers to {unknown[0] if unknown else 'no figure'}, not one of the paper's")
    return Question(question, answer, tuple(dict.fromkeys(referred)))


def _qasper(answer: Mapping[str, Any]) -> str:
    free_form = answer["free_form_answer"]
    return free_form if free_form else ("Yes" if answer["yes_no"] else "No")
