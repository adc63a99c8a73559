"""Our tasks as the host sees them, and as a table and files of pictures."""

import csv
import hashlib
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.prompting import Picture, Turn, plain_text
from spiqa_tasks.benchmarks.registry import benchmark_of, yaml_folder
from spiqa_tasks.hosts.catalogue import user_folder
from spiqa_tasks.hosts.vlmevalkit.export import write_dataset
from spiqa_tasks.hosts.vlmevalkit.tasks import known, message, most_pictures, rows_of
from spiqa_tasks.scoring.options import question_before

TASKS = [
    *(
        "spiqa_demo",
        "spiqa_demo_cot",
        "spiqa_demo_perfigure",
        "spiqa_demo_text",
        "mmstar_demo",
        "mmstar_demo_llm",
    ),
    *("mmstar_demo_llm_authors", "scifibench_demo", "scifibench_demo_fig2cap_2shot_similar"),
]


@pytest.mark.parametrize("task", TASKS)
def test_a_message_is_the_prompt(task: str) -> None:
    """Texts and pictures in the prompt's order, neighbouring texts joined, chat turns parted by
    a blank line.
    """
    for row in rows_of(task):
        parts = benchmark_of(row).prompt(row)
        found = message(row)
        shown = [part["value"] for part in found if part["type"] == "image"]
        assert shown == [part.path for part in parts if isinstance(part, Picture)]
        marked = [part["value"] if part["type"] == "text" else "\0" for part in found]
        places = [
            "\0" if isinstance(part, Picture) else "\n\n" if isinstance(part, Turn) else part
            for part in parts
        ]
        assert "".join(marked) == "".join(places).removeprefix("\n\n")
        if not shown:
            assert "".join(marked) == plain_text(parts)
        assert all(
            first["type"] != "text" or second["type"] != "text" for first, second in pairwise(found)
        )


@pytest.mark.parametrize(
    ("task", "most"),
    [
        ("spiqa_demo", 8),
        ("spiqa_demo_perfigure", 1),
        ("mmstar_demo_text", 0),
        ("scifibench_demo", 5),
    ],
)
def test_pictures_are_counted(task: str, most: int) -> None:
    """The most that a question shows."""
    assert most_pictures(task) == most


def test_a_task_that_a_filter_wrote_is_known() -> None:
    """With the questions that it kept alone."""
    folder = user_folder() / "mine"
    folder.mkdir(parents=True)
    source = yaml_folder() / "mmstar" / "mmstar_demo.yaml"
    (folder / "mine.yaml").write_text(f"include: {source}\ntask: mmstar_mine\n")
    (folder / "kept.json").write_text(
        json.dumps({"source_yaml": str(source), "kept": [{"id": "3"}, {"id": "5"}]})
    )
    assert [row["id"] for row in rows_of("mmstar_mine")] == ["3", "5"]
    assert known()[0]["mmstar_mine"].length == 512


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _shown(row: Any) -> list[Path]:
    return [Path(part["value"]) for part in message(row) if part["type"] == "image"]


def test_choices_have_their_options_in_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the question without them, the groups and one picture; the folder's whole path is in
    the table.
    """
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
            **{
                "index": row["id"],
                "question": question_before(row["question"]),
                "answer": row["answer"],
            },
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
    copies = {
        each: each.stat().st_mtime_ns for each in (tmp_path / "images" / "spiqa_tasks").iterdir()
    }
    write_dataset("spiqa_demo", tmp_path)
    assert {each: each.stat().st_mtime_ns for each in copies} == copies
