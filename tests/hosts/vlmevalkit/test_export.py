"""A task as a table of the host's, and the files of its pictures."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.mmstar.release import question_of
from spiqa_tasks.benchmarks.prompting import plain_text
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.hosts.vlmevalkit import export
from spiqa_tasks.hosts.vlmevalkit.export import write_dataset
from spiqa_tasks.hosts.vlmevalkit.tasks import message, rows_of


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _shown(row: Any) -> list[Path]:
    return [Path(part["value"]) for part in message(row) if part["type"] == "image"]


def test_choices_have_their_options_in_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the question without them, the groups and one picture; the folder's whole path is in the table."""
    monkeypatch.chdir(tmp_path)
    path, scored, said = write_dataset("mmstar_demo", Path("data"))
    assert (path, scored, said) == (tmp_path / "data" / "mmstar_demo.tsv", True, [])
    assert path.read_text(encoding="utf-8").startswith(
        '"index"\t"question"\t"answer"\t"A"\t"B"\t"C"\t"D"\t"category"\t"l2-category"\t"image_path"\n"'
    )
    rows = rows_of("mmstar_demo")
    for line, row in zip(_table(path), rows, strict=True):
        (picture,) = _shown(row)
        name = hashlib.sha256(picture.read_bytes()).hexdigest()[:24] + picture.suffix
        assert line == {
            **{"index": row["id"], "question": question_of(row["question"]), "answer": row["answer"]},
            **dict(zip(row["letters"], row["options"], strict=True)),
            **{"category": row["category"], "l2-category": row["subcategory"]},
            "image_path": str(tmp_path / "data" / "images" / "spiqa_tasks" / name),
        }
        assert Path(line["image_path"]).read_bytes() == picture.read_bytes()


def test_open_questions_have_our_prompt_and_a_list_of_pictures(tmp_path: Path) -> None:
    """The host cannot score them; a picture of several questions is one file, made once."""
    path, scored, said = write_dataset("spiqa_demo", tmp_path)
    assert (scored, said) == (False, [])
    rows = rows_of("spiqa_demo")
    for line, row in zip(_table(path), rows, strict=True):
        assert line["question"] == plain_text(benchmark_of(row).prompt(row))
        shown = _shown(row)
        names = [hashlib.sha256(each.read_bytes()).hexdigest()[:24] + each.suffix for each in shown]
        paths = [str(tmp_path / "images" / "spiqa_tasks" / name) for name in names]
        assert line["image_path"] == (repr(paths) if len(paths) > 1 else paths[0])
    copies = {each: each.stat().st_mtime_ns for each in (tmp_path / "images" / "spiqa_tasks").iterdir()}
    write_dataset("spiqa_demo", tmp_path)
    assert {each: each.stat().st_mtime_ns for each in copies} == copies


def test_options_that_are_pictures_are_named_by_their_number(tmp_path: Path) -> None:
    """As they are shown, from 1."""
    path, scored, _ = write_dataset("scifibench_demo_cap2fig", tmp_path)
    assert scored
    assert {tuple(line[letter] for letter in "ABCDE") for line in _table(path)} == {
        tuple(f"picture {place}" for place in range(1, 6))
    }


def test_options_that_the_host_loses_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it takes for a missing value, of the first five questions by their keys; rows without pictures have none."""
    rows = [{**row, "options": ["a", "b", "c", "None"]} for row in rows_of("mmstar_demo_text")[:6]]
    rows.append(rows_of("mmstar_demo_text")[6])
    monkeypatch.setattr(export, "rows_of", lambda _: rows)
    path, scored, said = write_dataset("mmstar_demo_text", tmp_path)
    assert scored
    keys = ", ".join(row["id"] for row in rows[:5])
    sentence = f"VLMEvalKit loses an option of 6 questions ({keys}), whose text it takes for a missing value."
    assert said == [f"mmstar_demo_text: {sentence}"]
    assert "image_path" not in _table(path)[0]
    assert not (tmp_path / "images").exists()
