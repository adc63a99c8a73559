"""SPIQA counted again: Tables 2 and 4, Figures 2 and D.2."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.description import Count
from spiqa_tasks.benchmarks.spiqa.description import describe
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.published import load

FILES = {
    "testA": "test-A/SPIQA_testA.json",
    "val": "train_val/SPIQA_val.json",
    "train": "train_val/SPIQA_train.json",
    "testC": "test-C/SPIQA_testC.json",
}


def counted(folder: Path, *splits: str) -> dict[tuple[str, str, str], Count]:
    """(split, place, statistic) -> its row."""
    found = list(describe(LocalSource(folder), splits))
    keys = [(row.split, row.place, row.statistic) for row in found]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found, strict=True))


def paper(questions: Sequence[tuple[str, str, str]], *labels: str) -> dict[str, Any]:
    """A paper with questions (question, answer, rationale) and figures of some types, `table` a table."""
    figures = {
        f"{place}.png": {"caption": "", "figure_type": label, "content_type": "table" if label == "table" else "figure"}
        for place, label in enumerate(labels)
    }
    qa = [{"question": q, "answer": a, "explanation": e, "reference": "0.png"} for q, a, e in questions]
    return {"all_figures": figures, "qa": qa}


def write(folder: Path, **papers: Any) -> Path:
    """A data folder with the annotations of some splits."""
    for split, content in papers.items():
        path = folder / "spiqa" / FILES[split]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    return folder


def test_the_real_test_a_is_as_table_4_counts_it(real_data: Path) -> None:
    """All seven printed numbers are found, and words and figures per paper as another program counts them."""
    found = counted(real_data, "testA")
    table = {row["statistic"]: row["value"] for row in load("spiqa", "table4") if row["split"] == "test-A"}
    assert {name: found["testA", "Table 4", str(name)].value for name in table} == table
    assert all(found["testA", "Table 4", str(name)].difference == 0 for name in table)
    papers = json.loads((real_data / "spiqa" / FILES["testA"]).read_bytes()).values()
    for name, field in (("question_words", "question"), ("answer_words", "answer"), ("rationale_words", "explanation")):
        lengths = [len(qa[field].split()) for each in papers for qa in each["qa"]]
        row = found["testA", "Figure D.2", name]
        assert row.value == pytest.approx(statistics.fmean(lengths))
        assert sorted(value for value, often in row.distribution for _ in range(often)) == sorted(lengths)
    kinds = [[figure["content_type"] for figure in each["all_figures"].values()] for each in papers]
    per_paper = statistics.fmean(each.count("figure") for each in kinds)
    assert found["testA", "Figure 2", "figures_per_paper"].value == pytest.approx(per_paper)
    assert sum(row.value for key, row in found.items() if key[2].endswith("_corrected")) == sum(map(len, kinds))


def test_table_2_is_of_the_three_splits_with_generated_questions(tmp_path: Path) -> None:
    """Their sums, the longest and mean numbers of words, the population's variance, and shares of short answers."""
    answers = ["a " * 5, "b " * 6, "c " * 40, "d " * 41]
    questions = [("why " * (place + 1), answer, "so " * 3) for place, answer in enumerate(answers)]
    write(
        tmp_path,
        testA={"p1": paper(questions[:1], "plot", "table", "Schematic")},
        val={"p2": paper(questions[1:2], "photograph(s)")},
        train={"p3": paper(questions[2:], "schematic", "table"), "p4": paper([], "plot.")},
    )
    found = counted(tmp_path, "testA", "val", "train")
    two = {key[2]: row.value for key, row in found.items() if key[:2] == ("all", "Table 2")}
    assert two == {
        **{"papers": 4, "questions": 4, "table": 2, "figure": 5},
        **{"schematic": 1, "plot": 2, "visualization": 1, "other": 1},
        **{"max_question_words": 4, "mean_question_words": 2.5, "max_answer_words": 41, "mean_answer_words": 23},
    }
    lengths = {key[2]: row.value for key, row in found.items() if key[:2] == ("all", "Figure D.2") and row.value}
    assert lengths["variance_answer_words"] == pytest.approx(statistics.pvariance([5, 6, 40, 41]))
    assert (lengths["answers_of_5_words_or_fewer"], lengths["answers_of_6_to_40_words"]) == (25, 50)
    assert lengths["mean_rationale_words"] == 3
    assert found["all", "Figure 2", "figures_and_tables_per_paper"].value == 7 / 4
    assert found["all", "Figure 2", "tables_per_paper"].distribution == ((0, 2), (1, 2))
    assert found["all", "Table 2", "questions"].published == 270_194


def test_what_is_not_there_is_withheld_with_the_reason(tmp_path: Path) -> None:
    """A split without its file, Table 2 without one of its splits, and the conferences, which no file names."""
    found = counted(write(tmp_path, testA={"p1": paper([("q", "a", "")], "plot")}), "testA", "val", "train")
    assert found["testA", "Table 4", "papers"].value == 1
    assert not found["testA", "Figure D.2", "rationale_words"].is_missing
    for key in (
        ("val", "Table 4", "papers"),
        ("all", "Table 2", "papers"),
        ("all", "Figure D.2", "mean_rationale_words"),
    ):
        assert math.isnan(found[key].value)
        assert found[key].is_missing
        assert "SPIQA_val.json" in found[key].why_not
    conferences = found["all", "Figure 2", "domain/nlp"]
    assert (conferences.published, conferences.is_missing) == (19, False)
    assert "conference" in conferences.why_not
    assert ("all", "Table 2", "papers") not in counted(tmp_path, "testA")


def test_types_are_withheld_where_no_figure_has_a_label(tmp_path: Path) -> None:
    """Test-C tells tables by their names; without labels its figures have no type, and are not all other."""
    figures = [{"file": name, "caption": ""} for name in ("1-Table1.png", "2-Figure1.png")]
    content = {
        "arxiv_id": "1",
        "question": ["Why?"],
        "answer": [{"free_form_answer": "so it is", "yes_no": None}],
        "referred_figures_tables": [["1-Table1.png"]],
        "figures_and_tables": figures,
        "full_text": [],
    }
    found = counted(write(tmp_path, testC={"c": content}), "testC")
    assert found["testC", "Table 4", "table"].value == 1
    assert math.isnan(found["testC", "Table 4", "other"].value)
    assert "no figure types" in found["testC", "Table 4", "other"].why_not
    assert ("testC", "", "other_corrected") not in found
