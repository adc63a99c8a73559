"""The rule of coverage, of all commands: no number over fewer than 99% of a task's questions, or of a group's."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.cli import main

LARGE, SMALL = 190, 10
COLUMNS = "columns: {id: id, question: question, answer: answer, options: [A, B], groups: [size]}"
YAML = f"benchmark: sizes\ndata: rows.csv\nkind: choice\n{COLUMNS}\nmetrics: [accuracy]\nvariants: text\n"
COMMANDS = {
    "score sizes.yaml a.jsonl --json": {"all"},
    "compare out --include-path . --json": {"all"},
    "score --by group out --include-path . --json": {"all", "large", "small"},
    "gain --task sizes --with a.jsonl --without b.jsonl --include-path . --json": {
        "all",
        "large",
        "small",
    },
    "report out --include-path . --csv page.csv": {"all", "large", "small"},
}
"""Command line -> the groups that it prints a value of."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a benchmark of 190 questions of one group and 10 of another."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"q{n}", "question": f"Which of {n}?", "A": "red", "B": "blue", "answer": "A"}
        | {"size": "small" if n < SMALL else "large"}
        for n in range(SMALL + LARGE)
    ]
    with Path("rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    Path("sizes.yaml").write_text(YAML, encoding="utf-8")
    return tmp_path


def write_answers(missing: int) -> None:
    """Write two models' answers without the first questions, plain and as scored runs in `out`."""
    for name, every in (("a", 2), ("b", 3)):
        picks = {n: "A" if n % every else "B" for n in range(missing, SMALL + LARGE)}
        lines = [
            json.dumps({"id": f"q{n}", "prediction": pick}) + "\n" for n, pick in picks.items()
        ]
        Path(f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    assert main(["score", "sizes.yaml", "a.jsonl", "b.jsonl", "--output", "out"]) == (
        3 if missing else 0
    )


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, list[Any]]]:
    """Return the status of a command, and the accuracies and gains that it prints by group."""
    capsys.readouterr()
    status = main(command.split())
    text = capsys.readouterr().out
    if "report" in command:
        rows = list(csv.DictReader(io.StringIO(Path("page.csv").read_text(encoding="utf-8"))))
        rows = [row for row in rows if row["metric"] == "accuracy"]
    elif status == 2:
        rows = []
    elif "score sizes" in command:
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
    ("missing", "groups"), [(0, {"all", "large", "small"}), (2, {"all", "large"}), (3, set())]
)
@pytest.mark.usefixtures("place")
def test_no_number_is_over_fewer_than_99_percent(
    missing: int, groups: set[str], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """2 of 200 questions may lack, 2 of a group's 10 may not; a status other than 0 says that something is withheld.

    `report` writes files, and says it in them.
    """
    write_answers(missing)
    status, found = printed(command, capsys)
    assert {group for group, numbers in found.items() if numbers} == groups & COMMANDS[command]
    assert (status == 0) == (
        not missing or "report" in command or (missing == 2 and "compare" in command)
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("place")
def test_a_part_is_shown_where_it_is_asked_for(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With `--partial`, `n of N` beside it."""
    write_answers(3)
    capsys.readouterr()
    assert main([*command.split(), "--partial"]) == 0
    text = (
        Path("page.csv").read_text(encoding="utf-8")
        if "report" in command
        else capsys.readouterr().out
    )
    assert "197 of 200" in text
