"""What a demo paper is: figures, questions that the figures answer, and an invented text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image


@dataclass(frozen=True)
class Figure:
    """A figure or table; ``kind`` is the figure type as the annotators of the real files (a model) would spell it."""

    name: str
    caption: str
    kind: str
    image: Image.Image

    @property
    def content_type(self) -> str:
        """``table`` for tables, ``figure`` for all else."""
        return "table" if self.name.startswith("Table") else "figure"


@dataclass(frozen=True)
class Question:
    """A question about the figure called ``reference``."""

    reference: str
    question: str
    answer: str
    explanation: str


@dataclass(frozen=True)
class Paper:
    """A paper of the demo set; its figures are written as ``<paper id>-<name>-1.png``."""

    paper_id: str
    figures: Sequence[Figure]
    questions: Sequence[Question]
    paragraphs: Sequence[str]

    def file(self, name: str) -> str:
        """The file name of a figure."""
        return f"{self.paper_id}-{name}-1.png"

    def annotation(self) -> dict[str, object]:
        """The paper's entry in the annotation file."""
        figures = {
            self.file(figure.name): {
                "caption": figure.caption,
                "content_type": figure.content_type,
                "figure_type": figure.kind,
            }
            for figure in self.figures
        }
        questions = [
            {
                "question": question.question,
                "answer": question.answer,
                "explanation": question.explanation,
                "reference": self.file(question.reference),
            }
            for question in self.questions
        ]
        return {"paper_id": self.paper_id, "all_figures": figures, "qa": questions}


def best(values: Mapping[str, float]) -> str:
    """The name with the highest value."""
    return max(values, key=lambda name: values[name])


def worst(values: Mapping[str, float]) -> str:
    """The name with the lowest value."""
    return min(values, key=lambda name: values[name])
