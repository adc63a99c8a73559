"""The package's own file of a scored run."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.record import STATUSES, Ask, Record
from spiqa_tasks.benchmarks.run_file import FORMAT, RunHeader, read_header, read_records, write_run
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.types import JudgeRequest

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
HEADER = RunHeader("t", "m", "none", "", "", "mmstar", "val", "", 24, 2, {"accuracy": 0.5, "meteor": None})
ANSWERS = [(Record("1", "A", "B"), "It is A.", 0), (Record("2"), "", 7)]


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Records with every field that is logged."""
    texts = st.dictionaries(TEXT, TEXT, max_size=2)
    return Record(
        draw(TEXT.filter(bool)),
        draw(st.none() | TEXT),
        draw(TEXT),
        draw(st.none() | TEXT.filter(bool)),
        draw(st.sampled_from(STATUSES)),  # type: ignore[arg-type]
        draw(st.none() | TEXT.filter(bool)),
        draw(st.booleans()),
        draw(st.none() | TEXT.filter(bool)),
        draw(st.dictionaries(TEXT, NUMBER, max_size=2)),
        draw(texts),
        tuple(draw(st.lists(st.dictionaries(TEXT, NUMBER | TEXT, max_size=2), max_size=2))),
        draw(st.dictionaries(TEXT, st.none() | st.booleans() | TEXT | st.lists(TEXT, max_size=2), max_size=2)),
        draw(TEXT),
    )


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(records(), TEXT, st.integers(0, 10**6)), max_size=3), TEXT, st.integers(0, 10**6))
def test_what_is_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[Record, str, int]], text: str, number: int
) -> None:
    """Header, records, whole answers and places, whatever characters they have; the rest is for people."""
    path = tmp_path_factory.mktemp("run") / "m.run.jsonl"
    header = RunHeader(*[text] * 8, number, len(answers), {text: 0.25, f"{text}x": None})
    write_run(path, header, {"counts": {"docs": 3}, "n": {}}, answers)
    assert read_header(path) == header
    assert list(read_records(path)) == answers


def test_the_first_line_has_what_people_look_for(tmp_path: Path) -> None:
    """Every line is one JSON object; no other file is left beside it."""
    path = tmp_path / "deep" / "m.run.jsonl"
    write_run(path, HEADER, {"counts": {"docs": 2}}, ANSWERS)
    first, *others = map(json.loads, path.read_text().splitlines())
    assert first == {FORMAT: 1, **asdict(HEADER), "counts": {"docs": 2}}
    assert [(line["id"], line["response"], line["place"]) for line in others] == [("1", "It is A.", 0), ("2", "", 7)]
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b'{"id": 1, "prediction": "A"}\n', b'{"a": "' + b"x" * 90 + b'", "spiqa_tasks_run": 1}', b"\xff"],
)
def test_other_files_have_no_header(tmp_path: Path, content: bytes) -> None:
    """They are read by others."""
    path = tmp_path / "p"
    path.write_bytes(content)
    assert read_header(path) is None


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_version_is_refused(tmp_path: Path, version: Any) -> None:
    """A newer package may have written it."""
    path = tmp_path / "m.run.jsonl"
    path.write_text(json.dumps({FORMAT: version, **asdict(HEADER)}))
    with pytest.raises(InputError) as error:
        read_header(path)
    assert str(error.value) == (f"Expected {path} to be a run of version 1, found {version}. Score the answers again.")


@pytest.mark.parametrize("name", [field.name for field in fields(RunHeader) if field.name != "definition"])
def test_a_header_that_lacks_a_field_is_refused(tmp_path: Path, name: str) -> None:
    """With its name; a field more is no fault."""
    path = tmp_path / "m.run.jsonl"
    entry = {FORMAT: 1, **asdict(HEADER)}
    path.write_text(json.dumps({**entry, "more": 3}))
    assert read_header(path) == HEADER
    del entry[name]
    path.write_text(json.dumps(entry))
    with pytest.raises(InputError) as error:
        read_header(path)
    assert str(error.value) == (
        f"Expected line 1 of {path} to be what `spiqa-tasks score --output` wrote, found KeyError '{name}'. "
        "Score the answers again with --output."
    )


def test_a_cut_header_is_refused(tmp_path: Path) -> None:
    """It has the mark of the form, and is no JSON."""
    path = tmp_path / "m.run.jsonl"
    path.write_text(json.dumps({FORMAT: 1, **asdict(HEADER)})[:60])
    with pytest.raises(InputError, match=r"Expected line 1 of .*m\.run\.jsonl to be .*, found JSONDecodeError"):
        read_header(path)


RECORD = {**Record("1").as_dict(), "response": "A", "place": 0}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("{", "JSONDecodeError"),
        ("", "JSONDecodeError"),
        ("3", "TypeError a int"),
        ("[1]", "TypeError a list"),
        ("[" * 100_000, "RecursionError"),
        *[(json.dumps({**RECORD, name: None} | {name: None}), "TypeError") for name in ("place", "verdicts")],
        *[
            (json.dumps({key: RECORD[key] for key in RECORD if key != name}), f"KeyError '{name}'")
            for name in ("id", "response", "place")
        ],
        (json.dumps({**RECORD, "place": "x"}), "ValueError"),
    ],
)
def test_a_line_that_is_no_record_is_named_by_its_number(tmp_path: Path, line: str, found: str) -> None:
    """Those before it are read."""
    path = tmp_path / "m.run.jsonl"
    write_run(path, HEADER, {}, ANSWERS[:1])
    path.write_text(f"{path.read_text()}{line}\n")
    lines = read_records(path)
    assert next(lines) == ANSWERS[0]
    with pytest.raises(InputError) as error:
        next(lines)
    assert str(error.value).startswith(
        f"Expected line 3 of {path} to be what `spiqa-tasks score --output` wrote, found {found}"
    )
    assert str(error.value).endswith(". Score the answers again with --output.")


def test_a_record_has_no_question_to_the_judge_left(tmp_path: Path) -> None:
    """What was still to be asked is not written."""
    path = tmp_path / "m.run.jsonl"
    ask = Ask("l3score", JudgeRequest("?"), lambda _: 1.0)
    write_run(path, HEADER, {}, [(Record("1", asks=(ask,)), "A", 0)])
    assert list(read_records(path)) == [(Record("1"), "A", 0)]
