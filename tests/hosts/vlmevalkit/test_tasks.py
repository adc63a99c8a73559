"""Our tasks as the host sees them."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.prompting import Picture, Turn, plain_text
from spiqa_tasks.benchmarks.registry import benchmark_of, yaml_folder
from spiqa_tasks.hosts.catalogue import user_folder
from spiqa_tasks.hosts.vlmevalkit.tasks import (
    earlier_answers,
    known,
    message,
    most_pictures,
    rows_of,
)

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


def test_answers_that_lie_in_the_models_folder_are_found(tmp_path: Path) -> None:
    """Finished or not; those of other models and tasks, and links to dated folders, are not."""
    names = ["m_mmstar_demo.tsv", "m_mmstar_demo_checkpoint.pkl"]
    for name in (*names, "m_mmstar_demo_text.tsv", "n_mmstar_demo.tsv"):
        (tmp_path / name).touch()
    (tmp_path / "l_mmstar_demo.tsv").symlink_to(tmp_path / names[0])
    assert earlier_answers(tmp_path, "m", "mmstar_demo") == [tmp_path / name for name in names]
    assert earlier_answers(tmp_path, "l", "mmstar_demo") == []
    assert earlier_answers(tmp_path / "nowhere", "m", "mmstar_demo") == []
