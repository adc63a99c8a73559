"""Judges examined, as tables, a page and JSON: made of numbers that are chosen by hand."""

import dataclasses
import math

import pytest

from spiqa_tasks.analysis.calibration import Examined, Flips, Group, Opinion, Pair
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.judge.types import Summary
from spiqa_tasks.report import calibration
from spiqa_tasks.report.printer import Table
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring.binary import Bin, BinaryAgreement
from spiqa_tasks.scoring.intervals import Estimate

AGREEMENT = BinaryAgreement(
    *(
        40,
        14,
        Estimate(0.9, 0.8, 0.95),
        0.35,
        Estimate(0.925, 0.85, 0.975),
        Estimate(0.875, 0.75, 1.0),
    ),
    *(Estimate(0.8125, 0.6, 0.9), Estimate(0.96), Estimate(0.125, 0.1, 0.15), Estimate(math.nan)),
)
ANSWERS = [
    Labelled(Candidate("azure", "Which colour?", "blue"), True, ("blue",), "a"),
    Labelled(Candidate("red", "Which colour?", "blue"), False, ("blue",), "b"),
    Labelled(Candidate("x" * 400, "Which shape?", "round"), False, ("round",), "b"),
]
TOOK = Summary("judge", 2, 1, 0, 1.25, 1500, 2, None, ("m",))
PAID = dataclasses.replace(TOOK, cost=0.5)
JUDGE = Examined(
    Opinion("judge", (0.2, 0.9, 0.6), signature=Signature(judge="openai:m"), summary=PAID),
    *(0, None, AGREEMENT, (Bin(2, 0.1, 0.25), Bin(1, 0.9, 1.0))),
    (
        Group("system", "a", AGREEMENT, (0.1, 0.5, 0.9)),
        Group("trap", "units", AGREEMENT, (0.2, 0.6, 1.0)),
    ),
    (Flips("the same prompt", 40, Estimate(0.05, 0.0, 0.1)),),
)
NOTHING = Opinion("other", (None, None, 0.5), signature=Signature(judge="x"))
WITHHELD = Examined(NOTHING, 2, "1 of 3 answers have a score")
PAIR = Pair(("judge", "other"), 40, 0.9, 0.75, None, 0.5)
OF_JUDGE = ["40", "90.0 [80.0, 95.0]", "92.5 [85.0, 97.5]", "0.350", "87.5 [75.0, 100.0]"]


def by_title(tables: list[Table]) -> dict[str, Table]:
    """The tables by their titles."""
    return {table.title: table for table in tables}


def test_the_agreement_has_a_line_per_judge() -> None:
    """Shares times 100, the others with three decimals; dashes and a note where the numbers are withheld."""
    table = calibration.agreement_table([JUDGE, WITHHELD])
    assert list(table.grid.heads) == [
        *("judge", "n", "accuracy x 100", "best x 100", "threshold", "F1 x 100"),
        *("kappa", "AUROC", "Brier", "ECE", "failed"),
    ]
    assert table.grid.rows == [
        ["judge", *OF_JUDGE, "0.812 [0.600, 0.900]", "0.960", "0.125 [0.100, 0.150]", "-", "0"],
        ["other", "", *["-"] * 8, "2"],
    ]
    assert table.title == "Agreement with the labels"
    first, second = table.notes
    assert first.startswith("95% intervals, answers to one question being one cluster.")
    assert second == "other: 1 of 3 answers have a score."


def test_groups_of_one_label_have_no_kappa() -> None:
    """Those of systems have, and every group its quantiles."""
    tables = by_title(calibration.tables([JUDGE], []))
    system, trap = tables["By system"], tables["By trap"]
    counts = ["40", "14", "90.0 [80.0, 95.0]"]
    assert list(system.grid.heads) == [
        *(
            "system",
            "judge",
            "n",
            "labelled yes",
            "accuracy x 100",
            "kappa",
            "AUROC",
            "score at 10%",
            "50%",
            "90%",
        )
    ]
    assert system.grid.rows == [
        ["a", "judge", *counts, "0.812 [0.600, 0.900]", "0.960", "0.100", "0.500", "0.900"]
    ]
    assert list(trap.grid.heads) == [
        *("trap", "judge", "n", "labelled yes", "accuracy x 100", "score at 10%", "50%", "90%")
    ]
    assert trap.grid.rows == [["units", "judge", *counts, "0.200", "0.600", "1.000"]]
    assert (system.grid.labels, trap.grid.labels) == (2, 2)


def test_what_asking_took_is_told_per_judge() -> None:
    """A price where it is known, and per thousand verdicts; what asks nobody has no line."""
    unknown = dataclasses.replace(
        JUDGE, opinion=dataclasses.replace(JUDGE.opinion, name="free", summary=TOOK)
    )
    table = calibration.cost_table([JUDGE, unknown, WITHHELD])
    assert table.title == "What it took"
    assert table.grid.heads == [
        *(
            "judge",
            "asked",
            "from the cache",
            "failed",
            "seconds",
            "tokens",
            "dollars",
            "dollars per 1,000",
        )
    ]
    assert table.grid.rows == [
        ["judge", "2", "1", "0", "1.2", "1,502", "0.5000", "250.000"],
        ["free", "2", "1", "0", "1.2", "1,502", "-", "-"],
    ]
    none = dataclasses.replace(TOOK, judged=0, cost=0.0)
    (row,) = calibration.cost_table(
        [dataclasses.replace(JUDGE, opinion=Opinion("n", (), summary=none))]
    ).grid.rows
    assert row[-2:] == ["0.0000", "-"]


def test_examples_are_wrong_and_the_farthest_come_first() -> None:
    """A few per system, which stand in the order of the answers; long texts lose their middle."""
    assert [(name, score) for name, _, score in calibration.farthest(JUDGE, ANSWERS)] == [
        *(("a", 0.2), ("b", 0.9), ("b", 0.6))
    ]
    right = dataclasses.replace(JUDGE, opinion=Opinion("judge", (0.9, None, 0.5)))
    assert calibration.farthest(right, ANSWERS) == []
    many = dataclasses.replace(
        JUDGE, opinion=Opinion("judge", tuple(0.6 + k / 100 for k in range(7)))
    )
    worst = [score for *_, score in calibration.farthest(many, ANSWERS[1:2] * 7)]
    assert worst == pytest.approx([0.66, 0.65, 0.64, 0.63, 0.62])
    table = calibration.examples_table(JUDGE, ANSWERS)
    assert (table.title, table.grid.labels) == ("judge", 1)
    assert table.grid.heads == [
        "trap or system",
        "question",
        "reference",
        "answer",
        "right",
        "score",
    ]
    assert table.grid.rows == [
        ["a", "Which colour?", "blue", "azure", "yes", "0.200"],
        ["b", "Which colour?", "blue", "red", "no", "0.900"],
        ["b", "Which shape?", "round", f"{'x' * 150} … {'x' * 150}", "no", "0.600"],
    ]


def test_the_page_has_every_table_and_its_plots() -> None:
    """Curves at the agreement, dots at the groups, examples of judges that were asked at the end."""
    report = calibration.build("Title", [JUDGE, WITHHELD], [PAIR], ANSWERS)
    assert (report.title, list(report.notes), list(report.runs)) == ("Title", [], [])
    assert [section.title for section in report.sections] == [
        *(
            "Agreement with the labels",
            "Conclusions",
            "By system",
            "By trap",
            "Verdicts that change when asked again",
        ),
        *(
            "Judges against each other",
            "What it took",
            "How every number was made",
            "Farthest from the label",
        ),
    ]
    drawn = {plot.title: plot for section in report.sections for plot in section.plots}
    assert list(drawn) == [
        "Reliability",
        "Scores of judge",
        "Accuracy by system",
        "Accuracy by trap",
    ]
    assert drawn["Reliability"].description == "Share labelled yes by score, of judge."
    assert (
        drawn["Scores of judge"].description == "Distribution of score for right: yes, right: no."
    )
    assert drawn["Accuracy by system"].description == "accuracy x 100 of judge by a."
    assert [len(section.plots) for section in report.sections] == [2, 0, 1, 1, 0, 0, 0, 0, 0]
    assert [table.title for table in report.sections[-1].tables] == ["judge"]
    bare = calibration.build("Title", [WITHHELD], [], ANSWERS)
    assert [plot for section in bare.sections for plot in section.plots] == []
    assert bare.sections[-1].title == "How every number was made"
    only_no = dataclasses.replace(
        JUDGE, opinion=dataclasses.replace(JUDGE.opinion, scores=(None, 0.9, 0.6))
    )
    plots = calibration.build("", [only_no], [], ANSWERS).sections[0].plots
    assert plots[1].description == "Distribution of score for right: no."
