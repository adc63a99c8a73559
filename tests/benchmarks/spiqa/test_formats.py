"""Annotation formats and figure types of SPIQA."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.spiqa.formats import (
    Figure,
    Paper,
    Question,
    figure_type,
    groups_of,
    read_a,
    read_b,
    read_c,
)
from spiqa_tasks.benchmarks.spiqa.release import read_papers
from spiqa_tasks.published import load

PAPER_C: dict[str, Any] = {
    "arxiv_id": "1234.5678",
    "question": ["How many?", "Is it good?"],
    "question_key": ["0", "1"],
    "answer": [
        {"free_form_answer": "Three", "yes_no": None},
        {"free_form_answer": "", "yes_no": False},
    ],
    "referred_figures_tables": [["1-Table1-1.png"], ["2-Figure1-1.png", "1-Table1-1.png"]],
    "figures_and_tables": [
        {"file": "1-Table1-1.png", "caption": "Table 1: Counts."},
        {"file": "2-Figure1-1.png", "caption": "Figure 1: A plot."},
    ],
    "full_text": [
        {"section_name": "Introduction", "paragraphs": ["One.", "Two."]},
        {"section_name": None, "paragraphs": ["Three."]},
    ],
}


PAPER_A = {
    "all_figures": {
        "1.png": {"caption": "A plot.", "figure_type": "Plot.", "content_type": "figure"},
        "2.png": {"caption": "Counts.", "figure_type": "", "content_type": "table"},
    },
    "qa": [
        {"question": "How many?", "answer": "Three", "reference": "2.png"},
        {"question": "Why?", "answer": "", "reference": "1.png"},
    ],
}
PAPER_B = {
    "question": ["How many?", "Why?"],
    "composition": ["Three", "So."],
    "referred_figures_tables": [["p/2.png", "p/1.png", "p/2.png"], ["p/1.png"]],
    "all_figures_tables": {"p/1.png": "A plot.", "p/2.png": "Counts."},
    "figure_types": {"p/1.png": "plot", "p/2.png": "table"},
    "passages": ["One.", "Two."],
}


def test_a_paper_of_test_a_is_read() -> None:
    """Pictures lie in the paper's folder; its text is elsewhere."""
    assert read_a("p", PAPER_A) == Paper(
        "p",
        {
            "1.png": Figure("1.png", "p/1.png", "A plot.", "Plot.", False),
            "2.png": Figure("2.png", "p/2.png", "Counts.", "", True),
        },
        (
            Question("p/0", "How many?", "Three", ("2.png",)),
            Question("p/1", "Why?", "", ("1.png",)),
        ),
        None,
    )


def test_a_paper_of_test_b_is_read() -> None:
    """Files name their folder; figures that are referred to twice are needed once."""
    figures = {
        "p/1.png": Figure("p/1.png", "p/1.png", "A plot.", "plot", False),
        "p/2.png": Figure("p/2.png", "p/2.png", "Counts.", "table", True),
    }
    first = Question("p/0", "How many?", "Three", ("p/2.png", "p/1.png"))
    assert read_b("p", PAPER_B) == Paper(
        "p", figures, (first, Question("p/1", "Why?", "So.", ("p/1.png",))), "One.\n\nTwo."
    )


def test_a_paper_of_test_c_is_read() -> None:
    """Types are labels where there are some, else tables by their files' names; pictures lie
    under the arXiv id.
    """
    labelled = {"file": "3.png", "caption": "C.", "figure_type": "Table"}
    paper = {**PAPER_C, "figures_and_tables": [*PAPER_C["figures_and_tables"], labelled]}
    figures = {
        "1-Table1-1.png": Figure(
            "1-Table1-1.png", "1234.5678/1-Table1-1.png", "Table 1: Counts.", "table", True
        ),
        "2-Figure1-1.png": Figure(
            "2-Figure1-1.png", "1234.5678/2-Figure1-1.png", "Figure 1: A plot.", "", False
        ),
        "3.png": Figure("3.png", "1234.5678/3.png", "C.", "Table", True),
    }
    questions = (
        Question("c/0", "How many?", "Three", ("1-Table1-1.png",)),
        Question("c/1", "Is it good?", "No", ("2-Figure1-1.png", "1-Table1-1.png")),
    )
    assert read_c("c", paper) == Paper("c", figures, questions, "One.\nTwo.\n\nThree.")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"free_form_answer": "", "yes_no": True, "extractive_spans": ["x"]}, "Yes"),
        ({"free_form_answer": "", "yes_no": None, "extractive_spans": ["x", "y"]}, "x, y"),
        ({"free_form_answer": "", "yes_no": None, "extractive_spans": None}, ""),
        ({"free_form_answer": "", "yes_no": None}, ""),
        ({"free_form_answer": "Three", "yes_no": False}, "Three"),
    ],
)
def test_answers_of_qasper_have_one_text(answer: dict[str, Any], text: str) -> None:
    """The free form, Yes or No, or the spans."""
    paper = {**PAPER_C, "answer": [answer, PAPER_C["answer"][1]]}
    assert read_c("c", paper).questions[0].answer == text


def test_test_a_has_the_counts_of_table_4(real_data: Path) -> None:
    """The released reading of the figure types gives all seven printed counts, the corrected one
    moves only "other".
    """
    papers = read_papers(real_data / "spiqa/test-A/SPIQA_testA.json", read_a)
    figures = [figure for paper in papers for figure in paper.figures.values()]
    counts = Counter(figure.type_released for figure in figures)
    counts["papers"] = len(papers)
    counts["questions"] = sum(len(paper.questions) for paper in papers)

    printed = [row for row in load("spiqa", "table4") if row["split"] == "test-A"]
    assert len(printed) == 7
    assert counts == {row["statistic"]: row["value"] for row in printed}

    corrected = Counter(figure.type for figure in figures)
    assert corrected["other"] < 95
    assert corrected["table"] == 434 + 19
    assert corrected["schematic"] > 154


@pytest.mark.parametrize(
    ("label", "corrected", "released"),
    [
        ("Schematic", "schematic", "other"),
        ("** \n\nPlot.", "plot", "other"),
        ("photograph(s) and plot", "plot", "plot"),
        ("photograph(s)", "visualization", "visualization"),
        ("schematic plot", "schematic", "schematic"),
    ],
)
def test_case_tells_the_two_readings_apart(label: str, corrected: str, released: str) -> None:
    """Capitalised labels are other in the released reading; the first keyword in the paper's
    order wins.
    """
    assert (figure_type(label, False), figure_type(label, False, is_released=True)) == (
        corrected,
        released,
    )


def test_groups_tell_both_readings_and_the_number_of_figures() -> None:
    """A capitalised Schematic is a schematic, counted as other in Table 4, and no plot."""
    question = {"figure_type": "schematic", "figure_type_released": "other"}
    assert groups_of(question, 8) == {
        "figure_type": "schematic",
        "nonplot": "nonplot",
        "figure_type_released": "released_other",
        "figures": "figures_8",
    }


@pytest.mark.parametrize(
    ("figures", "name"), [(1, "figures_1"), (8, "figures_8"), (9, "figures_9+"), (40, "figures_9+")]
)
def test_more_than_eight_figures_are_one_group(figures: int, name: str) -> None:
    """Up to eight each number is a group of its own."""
    assert (
        groups_of({"figure_type": "plot", "figure_type_released": "plot"}, figures)["figures"]
        == name
    )
