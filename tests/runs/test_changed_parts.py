"""Files of answers in which any part was put in another order, lost, repeated, shifted or spoilt.

The numbers are those of the answers that are left, or withheld, or there is one sentence; never
another number. What a model wrote is the one part that nothing else tells of.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from answer_files import rows_of, samples_beside, write_run_file
from host_files import sample_of, write_run
from hypothesis import given, settings
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import Selection

pytestmark = pytest.mark.usefixtures("no_programs")
Rows = list[dict[str, Any]]
TASK = "spiqa_demo_cot"
METRICS = ("rouge_l", "retrieval_accuracy")
FIGURES = ("all_figures_names", "referred_figures_indices", "referred_figures_names")
PARTS: tuple[tuple[str, ...], ...] = (
    ("id",),
    ("question",),
    ("answer",),
    ("all_figures_names",),
    FIGURES,
)
"""Columns that are changed together."""
FEW = settings(max_examples=15, deadline=None)


def told(place: int, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with all fields of released files; every second one is right, and every
    third names the right image.
    """
    shown = [figure["file"] for figure in row["figures"]][::-1]
    needed = [row["figures"][index]["file"] for index in row["referred"]]
    indices = [shown.index(file) for file in needed]
    image = indices[0] if place % 3 else (indices[0] + 1) % (len(shown) + 1)
    said = row["answer"] if place % 2 else f"number {place}"
    text = f"{{'Image': {image}, 'Rationale': 'r'}} The answer is : {said}"
    figures = dict(zip(FIGURES, (shown, indices, needed), strict=True))
    return {
        "id": row["id"],
        "prediction": text,
        "question": row["question"],
        "answer": row["answer"],
        **figures,
    }


def write_jsonl(folder: Path, rows: Rows) -> Path:
    path = folder / f"m_{TASK}.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def write_json(folder: Path, rows: Rows) -> Path:
    path = folder / f"m_{TASK}.json"
    path.write_text(json.dumps(rows))
    return path


def write_csv(folder: Path, rows: Rows) -> Path:
    path = folder / f"m_{TASK}.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def write_responses(folder: Path, rows: Rows) -> Path:
    """Write a response file for each paper; a repeated question has another key."""
    papers: dict[str, dict[str, Any]] = {}
    for row in rows:
        paper, _, key = str(row["id"]).rpartition("/")
        entries = papers.setdefault(paper or "none", {})
        entry = {name: value for name, value in row.items() if name not in ("id", "prediction")}
        entries[key if key not in entries else f"{key}.{len(entries)}"] = {
            **entry,
            "response": row["prediction"],
        }
    place = folder / f"m_{TASK}"
    place.mkdir(exist_ok=True)
    for path in place.iterdir():
        path.unlink()
    for paper, entries in papers.items():
        (place / f"{paper.replace('/', '_')}_response.json").write_text(json.dumps(entries))
    return place


FORMS = [write_jsonl, write_json, write_csv, write_responses]


def read(place: Path, *, partial: bool = True) -> Run:
    (run,), _ = load_runs([RunPath(place)], Selection(partial=partial))
    return run


def values(run: Run) -> dict[str, tuple[float, Mapping[str, float]]]:
    found = {name: run.value(run.metric(name)) for name in METRICS}
    return {name: (value.value, value.scores) for name, value in found.items()}


def outcome(place: Path) -> tuple[Run | None, str]:
    """Return (run, "") as read, or (None, message) of the error."""
    try:
        run = read(place)
        values(run)
    except (DataError, InputError) as error:
        return None, str(error)
    return run, ""


def check(place: Path, usual: Mapping[str, Mapping[str, float]]) -> None:
    """Compare what was read with the scores of the unchanged answers."""
    run, message = outcome(place)
    if run is None:
        assert message.startswith("Expected ")
        assert "\n" not in message
        return
    for name, (value, _) in values(run).items():
        expected = [usual[name][key] for key in run.by_id]
        assert math.isnan(value) or value == pytest.approx(sum(expected) / len(expected)), name


@pytest.fixture(scope="module")
def rows() -> Rows:
    (task,) = find_tasks([TASK])
    return [told(place, row) for place, row in enumerate(rows_of(task))]


@pytest.fixture(
    scope="module", params=FORMS, ids=lambda write: write.__name__.removeprefix("write_")
)
def form(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Rows], Path]:
    """Writes rows in a form."""
    folder = tmp_path_factory.mktemp("form")
    return lambda rows: request.param(folder, rows)


@pytest.fixture(scope="module")
def usual(form: Callable[[Rows], Path], rows: Rows) -> dict[str, Mapping[str, float]]:
    """Return metric -> scores of the unchanged answers, the same in every form of file."""
    run = read(form(rows), partial=False)
    found = values(run)
    assert found["retrieval_accuracy"][0] == pytest.approx(26 / 39)
    assert 0.4 < found["rouge_l"][0] < 0.6
    assert run.coverage == "39 of 39"
    return {name: scores for name, (_, scores) in found.items()}


def spoilt(value: Any) -> st.SearchStrategy[Any]:
    """Return a strategy of wrong cells in the place of one."""
    if isinstance(value, list):
        return st.sampled_from([[], value[::-1], value[:1] * 3, None, "none", [0]])
    return st.sampled_from(
        ["", None, "other", value[: len(value) // 2], value.upper(), f"{value} {value}", 0, [value]]
    )


@st.composite
def changes(draw: st.DrawFn, rows: Rows) -> Rows:
    """Draw rows with one or two changes."""
    for _ in range(draw(st.integers(1, 2))):
        count = len(rows)
        part = draw(st.sampled_from(PARTS))
        first, second = draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))
        what = draw(st.sampled_from(["permute", "drop", "repeat", "shift", "swap", "spoil"]))
        if what == "permute":
            rows = draw(st.permutations(rows))
        elif what == "drop" and count > 1:
            rows = [row for place, row in enumerate(rows) if place not in (first, second)] or rows
        elif what == "repeat":
            rows = [*rows, rows[first], rows[second]]
        elif what == "shift":
            rows = [
                {**row, **{name: rows[place - first][name] for name in part}}
                for place, row in enumerate(rows)
            ]
        elif (
            what == "swap" and part != FIGURES
        ):  # of two questions that need the same figure nothing tells
            other = {first: rows[second], second: rows[first]}
            rows = [
                {**row, **{name: other.get(place, row)[name] for name in part}}
                for place, row in enumerate(rows)
            ]
        else:
            cells = {
                name: draw(spoilt(rows[first][name])) for name in part[:1] if rows[first][name]
            }
            rows = [{**row, **cells} if place == first else row for place, row in enumerate(rows)]
    return list(rows)


@given(st.data())
@FEW
def test_no_change_of_a_part_makes_another_number(
    form: Callable[[Rows], Path],
    rows: Rows,
    usual: dict[str, Mapping[str, float]],
    data: st.DataObject,
) -> None:
    """The ids, questions, true answers and figures of a file, and the order and number of its
    rows.
    """
    check(form(data.draw(changes(rows))), usual)


@pytest.mark.parametrize("part", PARTS, ids="+".join)
def test_a_part_that_is_shifted_by_one_row_is_refused(
    form: Callable[[Rows], Path], rows: Rows, part: Sequence[str]
) -> None:
    """Also where the file has little else; response files have the questions at least, by which
    they are known.
    """
    shifted = [
        {**row, **{name: rows[place - 1][name] for name in part}} for place, row in enumerate(rows)
    ]
    least = {"id", "prediction", "question", *part}
    for kept in (
        rows[0].keys(),
        least,
        least - {"question"} if part[0] in ("answer", FIGURES[0]) else least,
    ):
        if form(rows).is_dir() and "question" not in kept:
            continue
        run, message = outcome(
            form([{name: row[name] for name in row if name in kept} for row in shifted])
        )
        assert run is None
        assert re.match(
            "Expected (the release's questions|names of figures|the response|one answer)", message
        )


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run of lmms-eval with its samples file."""
    (task,) = find_tasks([TASK])
    shown = load_rows("spiqa", "demo", task.settings_text)
    samples = [sample_of(row, told(place, row)["prediction"]) for place, row in enumerate(shown)]
    of_task = {
        "settings": {TASK: task.settings_text},
        "benchmark": "spiqa",
        "split": "demo",
        "asked": 39,
    }
    folder = tmp_path_factory.mktemp("host")
    total = sum(sample["retrieval_accuracy"]["score"] for sample in samples) / len(samples)
    path = write_run(
        folder, "m", {TASK: samples}, totals={TASK: {"retrieval_accuracy": total}}, **of_task
    )
    return path, path.with_name(f"20250101_000000_samples_{TASK}.jsonl")


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A file of `score --output`."""
    (task,) = find_tasks([TASK])
    answers = {row["id"]: told(place, row)["prediction"] for place, row in enumerate(rows_of(task))}
    path = write_run_file(tmp_path_factory.mktemp("scored"), TASK, "m", answers)
    return path, samples_beside(path, TASK)


@pytest.mark.parametrize("kind", ["host", "scored"])
@pytest.mark.parametrize("what", ["score", "id", "target"])
@given(st.integers(0, 38), st.integers(1, 38))
@FEW
def test_scored_answers_that_are_changed_are_refused_or_have_the_same_numbers(
    request: pytest.FixtureRequest, kind: str, what: str, place: int, by: int
) -> None:
    """Their scores, ids and true answers; the value that was written with them tells, or another
    answer's id.
    """
    named, path = request.getfixturevalue(kind)
    whole, (before, _) = path.read_text(), outcome(named)
    assert before is not None
    lines = whole.splitlines(keepends=True)
    entry, other = json.loads(lines[place]), json.loads(lines[(place + by) % 39])
    record = next(
        value for value in entry.values() if isinstance(value, dict) and "scores" in value
    )
    theirs = next(
        value for value in other.values() if isinstance(value, dict) and "scores" in value
    )
    if what == "score":
        record["scores"]["retrieval_accuracy"] = 1.0 - record["scores"]["retrieval_accuracy"]
    elif what == "id":
        record["id"] = theirs["id"]
    else:
        entry["target"] = other["target"]
    lines[place] = f"{json.dumps(entry)}\n"
    path.write_text("".join(lines))
    run, message = outcome(named)
    path.write_text(whole)
    if run is None:
        assert message.startswith("Expected ")
    else:
        assert what == "target"
        assert entry["target"] == record["reference"]
        assert values(run) == values(before)
