"""The rule of coverage, of all commands: no number over fewer than 99% of a task's questions, or
of a group's.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mmstar_release import write_rows

from spiqa_tasks.cli import main

LARGE, SMALL = 1490, 10
COMMANDS = {
    "score mmstar_filtered a.jsonl --json": {"all", "math", "logical_reasoning"},
    "compare out --json": {"all"},
    "score --by group out --json": {"all", "math", "logical_reasoning"},
    "gain --task mmstar_filtered --with a.jsonl --without b.jsonl --by group --json": {
        "all",
        "math",
        "logical_reasoning",
    },
    "report out --html page.html --pictures none": {"all", "math", "logical_reasoning"},
}
"""Command line -> the groups that it prints a value of."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Folders by how many of the first questions lack an answer: a release of MMStar with 1,490
    questions of one category and 10 of another, and two models' answers, plain and as scored runs
    in `out`.
    """
    rows = [
        {
            "index": n,
            "question": f"Which of {n}?\nOptions: A: red, B: blue, C: grey, D: black",
            "image": b"",
            "answer": "A",
            "category": "math" if n < SMALL else "logical reasoning",
            "l2_category": "math" if n < SMALL else "logical reasoning",
            "meta_info": {"source": "MMMU"},
        }
        for n in range(SMALL + LARGE)
    ]
    folders = {}
    with pytest.MonkeyPatch.context() as patch:
        for missing in (0, 2, 16):
            folders[missing] = folder = tmp_path_factory.mktemp(f"without_{missing}")
            write_rows(folder / "data", rows)
            patch.chdir(folder)
            patch.setenv("SPIQA_TASKS_DATA", str(folder / "data"))
            write_answers(missing)
    return folders


def write_answers(missing: int) -> None:
    """Write two models' answers without the first questions, plain and as scored runs in `out`."""
    for name, every in (("a", 2), ("b", 3)):
        picks = {n: "A" if n % every else "B" for n in range(missing, SMALL + LARGE)}
        lines = [json.dumps({"id": str(n), "prediction": pick}) + "\n" for n, pick in picks.items()]
        Path(f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    assert main(["score", "mmstar_filtered", "a.jsonl", "b.jsonl", "--output", "out"]) == (
        3 if missing else 0
    )


@pytest.fixture
def enter(places: dict[int, Path], monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """`enter(missing)` changes into the folder in which so many answers are missing."""

    def go(missing: int) -> None:
        monkeypatch.chdir(places[missing])
        monkeypatch.setenv("SPIQA_TASKS_DATA", str(places[missing] / "data"))

    return go


def accuracies_of_page(page: str) -> list[dict[str, Any]]:
    """Return the group and the value of each accuracy of a run in the tables of a page."""
    cell = re.compile(r'<td data-head="([^" ]+)[^"]*"[^>]*>([-\d.]+)')
    measured = "".join(re.findall(r'<tr class="measured">.*?</tr>', page, re.DOTALL))
    names = {"accuracy": "all", "math": "math", "logical_reasoning": "logical_reasoning"}
    return [
        {"group": names[head], "value": "" if value == "-" else float(value) / 100}
        for head, value in cell.findall(measured)
        if head in names
    ]


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, list[Any]]]:
    """Return the status of a command, and the accuracies and gains that it prints by group."""
    capsys.readouterr()
    status = main(command.split())
    text = capsys.readouterr().out
    if "report" in command:
        rows = accuracies_of_page(Path("page.html").read_text(encoding="utf-8"))
    elif status == 2:
        rows = []
    elif "score mmstar" in command:
        metrics = json.loads(text)["metrics"]
        rows = [
            {"group": name.partition("/")[2], "value": value}
            for name, value in metrics.items()
            if name[:3] == "acc"
        ]
    else:
        rows = json.loads(text)
    found: dict[str, list[Any]] = {}
    for row in rows:
        numbers = [row.get(key) for key in ("value", "score_a", "score_b", "mg", "s_v")]
        group = row.get("group") or "all"
        found.setdefault(group, []).extend(number for number in numbers if number not in (None, ""))
    return status, found


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("missing", "groups"),
    [(0, {"all", "math", "logical_reasoning"}), (2, {"all", "logical_reasoning"}), (16, set())],
)
def test_no_number_is_over_fewer_than_99_percent(
    missing: int,
    groups: set[str],
    command: str,
    enter: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """2 of 1,500 questions may lack, 2 of a group's 10 may not; a status other than 0 says that
    something is withheld.

    `report` writes files, and says it in them.
    """
    enter(missing)
    status, found = printed(command, capsys)
    assert {group for group, numbers in found.items() if numbers} == groups & COMMANDS[command]
    assert (status == 0) == (
        not missing or "report" in command or (missing == 2 and "compare" in command)
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_part_is_shown_where_it_is_asked_for(
    command: str, enter: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """With `--partial`, `n of N` beside it."""
    enter(16)
    assert main([*command.split(), "--partial"]) == 0
    text = (
        Path("page.html").read_text(encoding="utf-8")
        if "report" in command
        else capsys.readouterr().out
    )
    assert "1484 of 1500" in text
