"""Files whose lines were put in another order, lost, repeated or broken.

The numbers are the same, or numbers over what is left with how many questions that is, or there
is one sentence.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from answer_files import (
    mmstar_table,
    rows_of,
    samples_beside,
    write_jsonl,
    write_run_file,
    write_table,
)
from host_files import sample_of, write_run
from hypothesis import given, settings
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.choice import slug
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import Selection

pytestmark = pytest.mark.usefixtures("no_programs")
(DEMO,) = find_tasks(["mmstar_demo"])
ROWS = rows_of(DEMO)
RIGHT = 15
"""So many of the 24 questions, the first ones, are answered rightly."""
ANSWERS = {
    row["id"]: row["answer"] if place < RIGHT else "no letter" for place, row in enumerate(ROWS)
}
PERFIGURE = "setting=perfigure,max_figures=0"
FEW = settings(max_examples=12, deadline=None)
NO_ANSWERS = [
    "{}",
    "[]",
    "33",
    "null",
    '{"id": 1}',
    '{"doc_id": 0, "target": ""}',
    '{"id": "0", "resps": "A"}',
    '"',
]


class AnswerFile:
    """A file of answers, one a line.

    Attributes:
        place: what is named.
        path: the file.
        head: how many lines come before the answers.
        lines: those that were written.
    """

    def __init__(self, place: Path, path: Path, head: int) -> None:
        self.place, self.path, self.head = place, path, head
        self.lines = path.read_text().splitlines(keepends=True)

    def __repr__(self) -> str:
        return f"AnswerFile({self.path})"

    def write(self, numbers: Iterable[int]) -> None:
        """Leave the answers of these numbers, in this order."""
        answers = self.lines[self.head :]
        self.path.write_text(
            "".join([*self.lines[: self.head], *(answers[number] for number in numbers)])
        )

    def read(self, *, partial: bool) -> Run:
        (run,), _ = load_runs([RunPath(self.place)], Selection(partial=partial))
        return run


def write_host(
    folder: Path, task: str, benchmark: str, settings: str, answers: Mapping[str, str], asked: int
) -> AnswerFile:
    """A run of lmms-eval."""
    samples = [sample_of(row, answers[row["id"]]) for row in load_rows(benchmark, "demo", settings)]
    options: dict[str, Any] = {
        "settings": {task: settings},
        "benchmark": benchmark,
        "split": "demo",
        "asked": asked,
    }
    path = write_run(folder, "m", {task: samples}, **options)
    return AnswerFile(path, path.with_name(f"20250101_000000_samples_{task}.jsonl"), 0)


def write_hosts(folder: Path) -> AnswerFile:
    return write_host(folder, "mmstar_demo", "mmstar", "ablation=text", ANSWERS, 24)


def write_scored(folder: Path) -> AnswerFile:
    """A run of `score --output`."""
    path = write_run_file(folder, "mmstar_demo", "m", ANSWERS)
    return AnswerFile(path, samples_beside(path, "mmstar_demo"), 0)


def write_plain(folder: Path) -> AnswerFile:
    """Ids and predictions."""
    path = write_jsonl(folder / "m_mmstar_demo.jsonl", ANSWERS)
    return AnswerFile(path, path, 0)


def write_tsv(folder: Path) -> AnswerFile:
    """VLMEvalKit's table, whose first line names the columns; here no cell has several lines."""
    frame = mmstar_table(ROWS, list(ANSWERS.values()))
    frame["question"] = frame["question"].str.replace("\n", " ")
    path = write_table(frame, folder / "m_mmstar_demo.tsv")
    return AnswerFile(path, path, 1)


FORMS: list[Callable[[Path], AnswerFile]] = [write_hosts, write_scored, write_plain, write_tsv]


@pytest.fixture(
    scope="module", params=FORMS, ids=lambda write: write.__name__.removeprefix("write_")
)
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AnswerFile:
    """A file of answers in each form."""
    found: AnswerFile = request.param(tmp_path_factory.mktemp("answers"))
    return found


def check(run: Run, group: str | None, left: list[int], partial: bool) -> None:
    """Assert that the accuracy is the share of right answers among those that are left."""
    value = run.value(run.metric("accuracy"), group).value
    members = [number for number in left if group in (None, slug(ROWS[number]["category"]))]
    if partial or len(left) == 24:
        assert value == pytest.approx(sum(number < RIGHT for number in members) / len(members))
    else:
        assert math.isnan(value)


@given(st.permutations(range(24)), st.integers(1, 24), st.lists(st.integers(0, 23), max_size=4))
@FEW
def test_values_are_over_what_is_left(
    answers: AnswerFile, order: list[int], kept: int, again: list[int]
) -> None:
    """In any order, with lines lost and repeated, overall and by group; as n of N, or withheld."""
    left = order[:kept]
    answers.write([*left, *(number for number in again if number in left)])
    for partial in (False, True):
        run = answers.read(partial=partial)
        assert run.coverage == f"{kept} of 24"
        for group in (None, slug(ROWS[order[0]]["category"])):
            check(run, group, left, partial)


@given(st.data())
@FEW
def test_a_file_that_ends_early_is_refused_or_lacks_what_follows(
    answers: AnswerFile, data: st.DataObject
) -> None:
    """One sentence, or the answers before that place; never a number over all of them."""
    text = "".join(answers.lines)
    start = len("".join(answers.lines[: answers.head + 1]))
    cut = data.draw(st.integers(start, len(text) - 3))
    answers.path.write_text(text[:cut])
    message = ""
    try:
        run = answers.read(partial=False)
        value = run.value(run.metric("accuracy")).value
    except (DataError, InputError) as error:
        message = str(error)
    if message:
        assert message.startswith("Expected ")
        assert "\n" not in message
    else:
        whole = text[:cut].count("\n") - answers.head
        assert len(run.by_id) in (whole, whole + 1)
        assert math.isnan(value) or whole + 1 == 24


@pytest.mark.parametrize("line", NO_ANSWERS)
def test_a_line_that_is_no_answer_is_one_sentence(answers: AnswerFile, line: str) -> None:
    """With what to do, and no trace of Python; in a table it is a row of another question, and
    one is missing, unless it is a quote, in which the lines after it would be.
    """
    answers.path.write_text("".join([*answers.lines[:-9], f"{line}\n", *answers.lines[-8:]]))
    if answers.path.suffix == ".tsv" and line != '"':
        run = answers.read(partial=False)
        assert math.isnan(run.value(run.metric("accuracy")).value)
    else:
        with pytest.raises((DataError, InputError), match=r"^Expected .*\.$"):
            answers.read(partial=False).metric("accuracy")


@pytest.fixture(scope="module", params=["host", "scored"])
def perfigure(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    no_programs: None,  # noqa: ARG001 - before the answers are scored
) -> AnswerFile:
    """Answers to a task with one figure a turn, in a run of lmms-eval and in one of `score
    --output`.
    """
    name, folder = "spiqa_demo_perfigure", tmp_path_factory.mktemp("perfigure")
    rows = load_rows("spiqa", "demo", PERFIGURE)
    given_ = {row["id"]: "Yes" if row["step"] == "helpful" else row["answer"] for row in rows}
    if request.param == "host":
        return write_host(folder, name, "spiqa", PERFIGURE, given_, 39)
    path = write_run_file(folder, name, "m", given_)
    return AnswerFile(path, samples_beside(path, name), 0)


@given(st.permutations(range(8)), st.sets(st.integers(0, 100), max_size=4))
@FEW
def test_a_question_in_several_documents_counts_where_all_of_them_are_left(
    perfigure: AnswerFile, order: list[int], lost: set[int]
) -> None:
    """In any order, with documents lost and repeated."""
    rows = load_rows("spiqa", "demo", PERFIGURE)
    shuffled = [place for start in order for place in range(start, len(rows), 8)]
    left = [place for place in shuffled if place not in lost]
    perfigure.write([*left, *left[:2]])
    torn = {rows[number]["question_id"] for number in lost}
    run = perfigure.read(partial=False)
    assert run.coverage == f"{39 - len(torn)} of 39"
    assert math.isnan(run.value(run.metric("rouge_l")).value) == bool(torn)
    value = perfigure.read(partial=True).value(run.metric("rouge_l"))
    assert (value.value, value.n) == (pytest.approx(1.0), 39 - len(torn))
