"""Rows of tasks as choices without their pictures, and what classifiers make of them as runs."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spiqa_tasks.analysis.shortcut_tasks import (
    choices_of,
    guesses,
    run_of,
    task_rows,
    write_answers,
)
from spiqa_tasks.analysis.shortcuts import ChoiceQuestion, Learning, Shortcut
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers.lmms_eval import read_results


def row(key: str, **values: Any) -> dict[str, Any]:
    """A row of a choice."""
    shared = {
        "id": key,
        "question": "Which? \nOptions: A: x, B: y",
        "letters": ["A", "B"],
        "options": ["x", "y"],
    }
    return {**shared, "answer": "B", "category": "fine & small", **values}


def test_questions_that_share_a_picture_or_a_cluster_are_one(tmp_path: Path) -> None:
    """By the content of files, by bytes, or by name, and through a third question; others have no cluster."""
    (tmp_path / "a.png").write_bytes(b"one picture")
    (tmp_path / "b.png").write_bytes(b"another")
    found = choices_of(
        [
            row("0", images=[str(tmp_path / "a.png")]),
            row("1", images=[{"bytes": b"one picture", "path": None}, b"other"]),
            row("2", images=[b"other"]),
            row("3", images=["nowhere.png"]),
            row("4", images=["nowhere.png"], cluster="c"),
            row("5", cluster="c"),
            row("6", images=[]),
            row("7", images=[None, "", {"bytes": None, "path": str(tmp_path / "b.png")}]),
            row("8", images=[None, "", {"path": str(tmp_path / "b.png")}]),
            row("open", letters=[], options=[]),
        ]
    )
    clusters = [question.cluster for question in found]
    assert [question.id for question in found] == list("012345678")
    assert clusters[0] == clusters[1] == clusters[2] != clusters[3]
    assert clusters[3] == clusters[4] == clusters[5] is not None
    assert clusters[6] is None
    assert clusters[7] == clusters[8] is not None
    assert len({cluster for cluster in clusters if cluster is not None}) == 3


def test_a_choice_is_its_question_without_the_options() -> None:
    """In the groups of the row, named as everywhere."""
    (one,) = choices_of([row("0")])
    assert (one.question, one.options, one.answer, one.groups) == (
        "Which?",
        {"A": "x", "B": "y"},
        "B",
        ("fine_small",),
    )
    (own,) = choices_of([row("0", groups={"kind": "k", "size": "k", "none": ""})])
    assert own.groups == ("k",)


def test_rows_of_ours_have_pictures_or_a_sentence(tmp_path: Path) -> None:
    """A benchmark of one's own whose pictures are gone is read without."""
    (task,) = find_tasks(["mmstar_demo"])
    rows, remarks = task_rows(task)
    assert (len(rows), remarks) == (24, [])
    assert all(row["images"] for row in rows)
    (tmp_path / "rows.csv").write_text("question,A,B,answer,image\nWhich?,x,y,A,gone.png\n")
    columns = "{options: [A, B], images: image}"
    (tmp_path / "gone.yaml").write_text(f"benchmark: gone\ndata: rows.csv\ncolumns: {columns}\n")
    (task,) = find_tasks(["gone"], [tmp_path])
    rows, (remark,) = task_rows(task)
    assert len(rows) == 1
    assert (
        remark
        == "gone: its pictures are not there, so that questions that share one may be in two folds."
    )
    some = dataclasses.replace(*find_tasks(["mmstar_demo"]), kept=frozenset(("1", "3")))
    assert [each["id"] for each in task_rows(some)[0]] == ["1", "3"]


def shortcut(questions: Sequence[ChoiceQuestion]) -> Shortcut:
    """A classifier that is rather sure of A."""
    chances = [
        {letter: 0.6 if letter == "A" else 0.4 / (len(each.options) - 1) for letter in each.options}
        for each in questions
    ]
    hits = np.asarray([[question.answer == "A"] for question in questions])
    return Shortcut("linear", questions, chances, hits)


def test_a_classifiers_answers_are_a_run_without_pictures(tmp_path: Path) -> None:
    """With its probability of the right option as a metric where it has one."""
    (task,) = find_tasks(["mmstar_demo"])
    found = shortcut(choices_of(task_rows(task)[0]))
    plain = run_of(task, "x", {question.id: pick for question, pick, _ in found.answers})
    assert (plain.identity, plain.task, len(plain.records)) == (
        Identity("shortcut_x", "text"),
        "mmstar_demo",
        24,
    )
    assert plain.value(plain.metric("accuracy")).value == found.hits.mean()
    assert "p_right" not in [metric.name for metric in plain.metrics]
    (path,) = write_answers(tmp_path, task, [found], "unused")
    assert path.parent.name == "shortcut_linear,ablation=text"
    sure = {question.id: p for question, _, p in found.answers}
    run = run_of(task, "linear", dict.fromkeys(sure, "A"), sure)
    assert run.scores(run.metric("p_right")) == sure
    (written,) = read_results(path)
    assert written.identity == Identity("shortcut_linear", "text")
    assert written.scores(written.metric("p_right")) == sure


def open_row(
    key: str, question: str, answer: str, captions: tuple[str, ...] = (), paper: str | None = None
) -> Any:
    """An open question."""
    figures = [{"caption": caption} for caption in captions]
    return {
        "id": key,
        "question": question,
        "answer": answer,
        "figures": figures,
        "paper_id": paper,
    }


def test_each_rule_answers_every_question_in_order() -> None:
    """The most frequent answer to such questions, a sentence of the captions."""
    asked = []
    for paper in range(6):
        captions = (f"An overview. The loss falls in run {paper}.", "A table. Its rows are models.")
        asked.append(
            open_row(
                f"{paper}/0", "What is the loss of the run?", "It falls.", captions, f"p{paper}"
            )
        )
        asked.append(
            open_row(
                f"{paper}/1", "How many models are rows?", f"{paper % 2} models.", (), f"p{paper}"
            )
        )
    found = guesses([*asked, asked[0], {"id": "choice", "letters": ["A"]}], Learning(folds=3))
    assert list(found) == ["frequent", "caption"]
    assert all(list(answers) == [each["id"] for each in asked] for answers in found.values())
    assert Counter(found["frequent"][f"{paper}/0"] for paper in range(6)) == {"It falls.": 6}
    assert found["frequent"]["0/1"].endswith("models.")
    assert found["caption"]["2/0"] == "The loss falls in run 2."
    assert found["caption"]["2/1"] == ""


def test_papers_are_never_learned_from() -> None:
    """An answer that only the own paper has is found by no rule but the captions."""
    asked = [
        open_row(
            f"{paper}/{place}", f"word{paper} word{paper}?", f"answer{paper}", paper=f"p{paper}"
        )
        for paper in range(5)
        for place in range(2)
    ]
    found = guesses(asked, Learning(folds=5))
    assert "caption" not in found
    assert not any(
        answers[each["id"]] == each["answer"] for answers in found.values() for each in asked
    )
    with pytest.raises(InputError, match="found 6 and 5"):
        guesses(asked, Learning(folds=6))


def test_the_most_frequent_answer_is_of_questions_that_begin_alike() -> None:
    """However they are written, the first wording stands; a beginning that none has is answered by the most of all."""
    texts = [
        ("How many a?", "Two."),
        ("How many b?", "one"),
        ("How many c?", "two"),
        ("Who is it?", "one"),
    ]
    texts += [("Who is he?", "One"), ("Why so?", "x")]
    known = [open_row(str(place), *each) for place, each in enumerate(texts)]
    splits = [
        guesses([*known, open_row("asked", question, "never")], Learning(folds=7))["frequent"][
            "asked"
        ]
        for question in ("How many d?", "Who is she?", "What?")
    ]
    assert splits == ["Two.", "one", "one"]
