"""Rows of tasks as choices without their pictures, and what classifiers make of them as runs."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from made_choices import made_choices

from spiqa_tasks.analysis.shortcut_tasks import choices_of, choices_of_host, clustered, run_of, task_rows, write_answers
from spiqa_tasks.analysis.shortcuts import ChoiceQuestion, Shortcut
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.lmms_eval.source_task import TaskDocuments
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers.lmms_eval import read_results


def row(key: str, **values: Any) -> dict[str, Any]:
    """A row of a choice."""
    shared = {"id": key, "question": "Which? \nOptions: A: x, B: y", "letters": ["A", "B"], "options": ["x", "y"]}
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
    assert (one.question, one.options, one.answer, one.groups) == ("Which?", {"A": "x", "B": "y"}, "B", ("fine_small",))
    (own,) = choices_of([row("0", groups={"kind": "k", "size": "k", "none": ""})])
    assert own.groups == ("k",)


def test_nothing_shared_is_no_cluster() -> None:
    """Also where no question has anything to share."""
    assert {each.cluster for each in clustered(made_choices(3, 1), [[], [], []])} == {None}


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
    assert remark == "gone: its pictures are not there, so that questions that share one may be in two folds."
    some = dataclasses.replace(*find_tasks(["mmstar_demo"]), kept=frozenset(("1", "3")))
    assert [each["id"] for each in task_rows(some)[0]] == ["1", "3"]


@dataclasses.dataclass
class Documents:
    """Stands in for a host's documents and their reader: each is a row, or the fault that reading it has."""

    found: Sequence[dict[str, Any] | str]
    name: str = "theirs"
    split: str = "test"

    @property
    def task(self) -> Documents:
        return self

    def pictures(self) -> list[list[Any]]:
        return [[b"picture"] if place < 2 else [] for place in range(len(self.found))]

    def __getitem__(self, place: int) -> dict[str, Any]:
        each = self.found[place]
        if isinstance(each, str):
            raise InputError(each)
        return each


def host_choices(
    monkeypatch: pytest.MonkeyPatch, *found: dict[str, Any] | str
) -> tuple[list[ChoiceQuestion], list[str]]:
    """The choices of documents, read without the host."""

    def read(task: Documents, name: str, split: str) -> Documents:
        assert (name, split) == ("theirs", "test")
        return task

    monkeypatch.setitem(sys.modules, "spiqa_tasks.models.choice", SimpleNamespace(HostChoices=read))
    return choices_of_host(cast(TaskDocuments, Documents(found)))


def test_a_hosts_choices_are_known_by_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lists no options, or has no true one, is counted with the first reason."""
    rows = [row("a"), row("b"), row("c", letters=[]), "Expected x.", row("d", answer=""), row("e")]
    found, remarks = host_choices(monkeypatch, *rows)
    assert [question.id for question in found] == ["0", "1", "5"]
    assert found[0].cluster == found[1].cluster is not None
    assert remarks == [
        "theirs: 3 questions left out, the first: the prompt of c lists no options, or its true one is not told."
    ]
    assert host_choices(monkeypatch, row("a"))[1] == []


@pytest.mark.parametrize(("rows", "reason"), [(["Expected x."], "Expected x."), ([], "it has no documents.")])
def test_a_host_without_choices_is_refused(monkeypatch: pytest.MonkeyPatch, rows: list[str], reason: str) -> None:
    """With the first reason."""
    with pytest.raises(InputError) as error:
        host_choices(monkeypatch, *rows)
    assert str(error.value) == f"Expected choices in theirs, found none: {reason}"


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
    assert (plain.identity, plain.task, len(plain.records)) == (Identity("shortcut_x", "text"), "mmstar_demo", 24)
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


def test_answers_to_a_hosts_task_are_logged_as_the_host_does(tmp_path: Path) -> None:
    """With hits under its metric's name."""
    found = shortcut([dataclasses.replace(each, id=str(place)) for place, each in enumerate(made_choices(3, 1))])
    task = SimpleNamespace(
        eval_docs_no_media=[0, 1, 2], doc_to_target=lambda _: "T", dump_config=lambda: {"task": "theirs"}
    )
    (path,) = write_answers(tmp_path, TaskDocuments("theirs", task), [found], "exact_match")
    (samples,) = path.parent.glob("*_samples_theirs.jsonl")
    lines = [json.loads(line) for line in samples.read_text().splitlines()]
    assert [line["doc_id"] for line in lines] == [0, 1, 2]
    for line, (question, pick, p) in zip(lines, found.answers, strict=True):
        assert (line["filtered_resps"], line["exact_match"], line["p_right"]) == (pick, pick == question.answer, p)
