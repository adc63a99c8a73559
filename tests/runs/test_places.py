"""Files of answers that users have, and what is told about broken ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.predictions import read_predictions

ROWS = [{"id": "1"}, {"id": "2"}, {"id": "30"}]
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def pairs(path: Path, task: str = "mmstar_demo") -> list[tuple[str, str]]:
    """The (id, answer) pairs read from a file."""
    return [(item.id, item.text) for item in read_predictions(path, task, ROWS).items]


def jsonl(path: Path, entries: Iterable[Any]) -> Path:
    """A jsonl file."""
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


@given(st.lists(st.tuples(TEXT.filter(bool), TEXT)), st.booleans())
def test_plain_jsonl_gives_back_every_id_and_text(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, str]], ascii_only: bool
) -> None:
    """Any characters, line separators of Unicode among them, come back as written."""
    if not entries:
        return
    path = tmp_path_factory.mktemp("plain") / "p.jsonl"
    lines = [json.dumps({"id": key, "prediction": text}, ensure_ascii=ascii_only) for key, text in entries]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert pairs(path) == entries


def test_whole_numbers_are_ids_and_blank_lines_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    """What editors and spreadsheets leave behind is no fault."""
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 1, "prediction": "A"}\r\n\r\n{"id": "2", "prediction": ""}\r\n')
    assert pairs(path) == [("1", "A"), ("2", "")]


@pytest.mark.parametrize(
    "line",
    ['{"id": 2}', '{"id": 2, "prediction": null}', '{"id": true, "prediction": "A"}', '{"id": 2, "predic', "[1]"],
)
def test_a_broken_line_is_named_by_its_number(tmp_path: Path, line: str) -> None:
    """A file that breaks in its third line says so."""
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 1, "prediction": "A"}\n\n' + line)
    with pytest.raises(InputError, match=r"line 3 of .*p.jsonl"):
        pairs(path)


def test_a_sample_of_the_host_is_its_filtered_answer_with_the_id_of_our_records(tmp_path: Path) -> None:
    """Reasoning that the host removed before scoring stays removed; figures and signature come along."""
    sample = {
        "doc_id": 7,
        "resps": [["<think>no</think>A"]],
        "filtered_resps": ["A"],
        "truncated_rate": {"id": "1", "score": 0.0},
        "l3score": Record("1", details={"figures": ["b.png", "a.png"]}, signature="data:x").as_dict(),
        "score": 1.0,
    }
    (item,) = read_predictions(jsonl(tmp_path / "s.jsonl", [sample]), "t", ROWS).items
    assert (item.id, item.text, item.shown, item.signature) == ("1", "A", ("b.png", "a.png"), "data:x")


@pytest.mark.parametrize("answers", [{"filtered_resps": "B"}, {"resps": [["B"]]}, {"resps": ["B", "B"]}])
def test_the_host_writes_an_answer_in_several_ways(tmp_path: Path, answers: dict[str, Any]) -> None:
    """One answer is a string, a list, or a list of lists."""
    assert pairs(jsonl(tmp_path / "s.jsonl", [{**answers, "accuracy": {"id": "2"}}])) == [("2", "B")]


def test_samples_of_a_task_of_the_host_have_no_id(tmp_path: Path) -> None:
    """Samples without our records cannot be told apart."""
    with pytest.raises(InputError, match="no record with an id"):
        pairs(jsonl(tmp_path / "s.jsonl", [{"doc_id": 0, "filtered_resps": "B", "accuracy": 1.0}]))


def test_an_output_folder_of_the_host_gives_the_samples_of_the_task(tmp_path: Path) -> None:
    """The samples of the one task are found among others, in any subfolder."""
    (tmp_path / "model").mkdir()
    for task, answer in (("mmstar_demo", "A"), ("other", "B")):
        entry = {"filtered_resps": answer, "accuracy": {"id": "1"}}
        jsonl(tmp_path / "model" / f"20260101_samples_{task}.jsonl", [entry])
    assert pairs(tmp_path) == [("1", "A")]
    jsonl(tmp_path / "20260102_samples_mmstar_demo.jsonl", [])
    with pytest.raises(InputError, match=r"one samples file.*20260102.*model"):
        pairs(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"index,prediction\n1,A\n", b"{}", b'{"id": 1, "answer": "A"}', b"\x89PNG\xff\xfe", b"PK\x03\x04 no zip"],
)
def test_an_unknown_format_is_refused_with_the_known_ones(tmp_path: Path, content: bytes) -> None:
    """Nothing is guessed from a file that is in none of the formats."""
    path = tmp_path / "p.dat"
    path.write_bytes(content)
    with pytest.raises(InputError, match="MMStar's submission"):
        pairs(path)


def test_a_place_where_nothing_is_says_so(tmp_path: Path) -> None:
    """A misspelt path and an empty folder have messages of their own."""
    with pytest.raises(InputError, match="no such file"):
        pairs(tmp_path / "nowhere")
    with pytest.raises(InputError, match="found none"):
        pairs(tmp_path)
