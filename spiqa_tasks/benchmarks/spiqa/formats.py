"""SPIQA's three annotation formats, read into one form, and its figure types in two readings
(section 3.3, Table 4).

The labels of test-A, val and train are raw model output (`Plot`, `** plot`, `plot.`, ...). The
reading `released` matches them by case-sensitive substring, which gives the paper's counts: every
capitalised label is "other". The reading `corrected` ignores case, and takes figures whose label
says table as tables (19 of test-A).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

# Figure types, the columns of Table 6 in the paper's order.
GROUPS = ("table", "schematic", "plot", "visualization", "other")

# Table 6's "Other figures" (see published/NOTES.md).
NOT_PLOTS = ("schematic", "visualization", "other")

# Largest number of figures with a group of its own: the default of `max_figures`.
MOST_FIGURES = 8

# Keyword in a label -> type; the first counts.
_KEYWORDS = {"schematic": "schematic", "plot": "plot", "photograph": "visualization"}
_CORRECTED = {"table": "table", **_KEYWORDS}


@cache
def figure_type(label: str, is_table: bool, is_released: bool = False) -> str:
    """Return the type of a figure, one of `GROUPS`, from the release's `figure_type` and whether
    it is a table; in the reading `released` or `corrected`, see the module.
    """
    if is_table:
        return "table"

    keywords = _KEYWORDS
    if not is_released:
        keywords, label = _CORRECTED, label.lower()
    for keyword, name in keywords.items():
        if keyword in label:
            return name
    return "other"


def groups_of(row: Mapping[str, Any], figures: int) -> dict[str, str]:
    """Return kind -> group of a question, by the type of its first referred figure and `figures`
    shown (0: unknown).
    """
    groups = {
        "figure_type": row["figure_type"],
        "figure_type_released": f"released_{row['figure_type_released']}",
    }
    if row["figure_type"] in NOT_PLOTS:
        groups["nonplot"] = "nonplot"
    if figures:
        number = str(figures) if figures <= MOST_FIGURES else f"{MOST_FIGURES + 1}+"
        groups["figures"] = f"figures_{number}"
    return groups


class Figure(NamedTuple):
    """A figure or table: `picture` is its path within the archive, `label` the release's figure
    type.
    """

    file: str
    picture: str
    caption: str
    label: str
    is_table: bool

    @property
    def type(self) -> str:
        """Its type by the corrected reading."""
        return figure_type(self.label, self.is_table)

    @property
    def type_released(self) -> str:
        """Its type by the reading of Table 4."""
        return figure_type(self.label, self.is_table, is_released=True)


class Question(NamedTuple):
    """A question: `<paper id>/<index in the released paper>`, text, reference answer or "", files
    of the figures it needs (>= 1).
    """

    id: str
    question: str
    answer: str
    referred: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """A paper of the release.

    `full_text` is None if it is in another file, "" if the paper has none.
    """

    paper_id: str
    figures: Mapping[str, Figure]
    questions: tuple[Question, ...]
    full_text: str | None = None


# A JSON object of an annotation file.
Released = Mapping[str, Any]

# Function (paper id, released paper) of an annotation format.
Reader = Callable[[str, Released], Paper]


def read_a(paper_id: str, paper: Released) -> Paper:
    """Return a paper of test-A, val or train: figures have raw model labels and a
    `content_type`.
    """
    figures = [
        Figure(
            file,
            f"{paper_id}/{file}",
            each["caption"],
            each["figure_type"],
            each["content_type"] == "table",
        )
        for file, each in paper["all_figures"].items()
    ]
    return _paper(
        paper_id,
        figures,
        [(item["question"], item["answer"], [item["reference"]]) for item in paper["qa"]],
    )


def read_b(paper_id: str, paper: Released) -> Paper:
    """Return a paper of test-B: parallel lists, clean labels, the full text in `passages`."""
    types = paper["figure_types"]
    figures = [
        Figure(file, file, caption, types[file], types[file] == "table")
        for file, caption in paper["all_figures_tables"].items()
    ]
    questions = zip(
        paper["question"], paper["composition"], paper["referred_figures_tables"], strict=True
    )
    return _paper(paper_id, figures, questions, "\n\n".join(paper["passages"]))


def read_c(paper_id: str, paper: Released) -> Paper:
    """Return a paper of test-C: QASPER's answers, labels if the release has them, text without
    section names.
    """
    figures = []
    for figure in paper["figures_and_tables"]:
        file = figure["file"]
        # Files of tables are called so: `3-Table2-1.png`.
        label = figure.get("figure_type") or ("table" if "table" in file.lower() else "")
        picture = f"{paper['arxiv_id']}/{file}"
        figures.append(Figure(file, picture, figure["caption"], label, label.lower() == "table"))
    answers = [_qasper(answer) for answer in paper["answer"]]
    questions = zip(paper["question"], answers, paper["referred_figures_tables"], strict=True)
    text = "\n\n".join("\n".join(section["paragraphs"]) for section in paper["full_text"])
    return _paper(paper_id, figures, questions, text)


def _paper(
    paper_id: str,
    figures: Iterable[Figure],
    columns: Iterable[tuple[str, str, Sequence[str]]],
    full_text: str | None = None,
) -> Paper:
    """Raise TypeError or ValueError: a value that is no valid text, a question without a text or
    without a figure.
    """
    by_file = {figure.file: figure for figure in figures}
    questions = []
    for position, (question, answer, referred) in enumerate(columns):
        is_known = bool(referred) and set(referred) <= set(by_file)
        if not question or not is_known:
            raise ValueError(
                f"question {position} without a text, or that refers to no figure of the paper"
            )
        question_id = f"{paper_id}/{position}"
        questions.append(Question(question_id, question, answer, tuple(dict.fromkeys(referred))))

    texts = [full_text or ""]
    for figure in by_file.values():
        texts += [figure.file, figure.picture, figure.caption, figure.label]
    for item in questions:
        texts += [item.question, item.answer]
    # a value that is no text, or a lone surrogate of broken JSON, would fail in the middle of a run
    "".join(texts).encode()
    return Paper(paper_id, by_file, tuple(questions), full_text)


def _qasper(answer: Released) -> str:
    """Return the free-form answer, else Yes or No, else the extractive spans, joined as QASPER's
    evaluator does.
    """
    if answer["free_form_answer"]:
        return str(answer["free_form_answer"])
    if answer["yes_no"] is not None:
        return "Yes" if answer["yes_no"] else "No"
    return ", ".join(answer.get("extractive_spans") or ())
