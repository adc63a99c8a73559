"""docs/own.md does what it says: from a spreadsheet to a report, and two published benchmarks in a YAML each."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from openai_server import Behaviour, OpenAIServer
from own_data import write_pictures
from pages import commands, page, text_of
from run_command import run_json

from spiqa_tasks.cli import main
from spiqa_tasks.extras import is_installed
from spiqa_tasks.hosts.catalogue import read_task

TEXT = text_of("own")
YAMLS = {
    yaml.safe_load(text)["benchmark"]: text
    for text in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
}
COMMANDS = commands(page("own"))


def write_spreadsheet(folder: Path) -> None:
    """Write the spreadsheet of the page, and its pictures."""
    lines = [line for line in TEXT.splitlines() if line.startswith("|")][:5]
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    pd.DataFrame(rows, columns=header).to_excel(folder / "shapes.xlsx", index=False)
    write_pictures(
        folder / "pictures", *(dict(zip(header, row, strict=True))["image"] for row in rows)
    )


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model that answers A."""
    with OpenAIServer(Behaviour(text="A")) as running:
        yield running


def test_new_makes_the_yaml_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the spreadsheet of the page."""
    pytest.importorskip("openpyxl")
    write_spreadsheet(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(COMMANDS[0].split()[1:]) == 0
    assert yaml.safe_load(Path("shapes.yaml").read_text()) == yaml.safe_load(YAMLS["shapes"])
    assert "shapes_preview.html" in TEXT
    assert Path("shapes_preview.html").is_file()


@pytest.mark.slow
@pytest.mark.skipif(not is_installed("lmms-eval"), reason="lmms-eval is not installed")
def test_the_commands_of_the_page_end_with_a_report(tmp_path: Path, server: OpenAIServer) -> None:
    """Each of them in its order, with a server in the place of the model."""
    write_spreadsheet(tmp_path)
    environ = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_API_KEY": "key",
        "OPENAI_API_BASE": server.url,
        "OPENAI_BASE_URL": server.url,
    }
    assert len(COMMANDS) == 7
    for command in COMMANDS:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environ, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stderr[-3000:]}"
    assert "shapes_text" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("name", YAMLS)
def test_the_yamls_are_short(name: str) -> None:
    """A benchmark is at most 20 lines."""
    assert len(YAMLS[name].splitlines()) <= 20


def prepared(name: str, real_data: Path, folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    """Return a benchmark's YAML beside its real data, with stand-ins of its pictures, and what is asked."""
    path = folder / f"{name}.yaml"
    path.write_text(YAMLS[name])
    data = real_data / "own" / yaml.safe_load(YAMLS[name])["data"]
    if not data.is_file():
        pytest.skip(f"{data.name} is not on this machine")
    (folder / data.name).write_bytes(data.read_bytes())
    if data.suffix == ".json":
        rows = [{"id": key, **row} for key, row in json.loads(data.read_text()).items()]
        names = [f"images/{row['figure_id']}.jpg" for row in rows]
    else:
        rows = [json.loads(line) for line in data.read_text().splitlines()]
        names = [row["image"] for row in rows]
    write_pictures(folder, names[0])
    for each in names[1:]:
        (folder / each).write_bytes((folder / names[0]).read_bytes())
    return path, rows


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("charxiv_reasoning", {"open": 1000}), ("mathv", {"choice": 241, "open": 159})],
)
def test_published_benchmarks_are_a_yaml(
    name: str,
    sizes: dict[str, int],
    real_data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every question is there with its picture, the true answers are right, and others are wrong."""
    path, rows = prepared(name, real_data, tmp_path)
    task = read_task(path)
    found = task.entry.load(None, task.split, task.typed)  # type: ignore[arg-type]
    kinds = [("choice" if row["letters"] else "open") for row in found]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == sizes
    assert all(len(row["images"]) == 1 for row in found)
    for wrong, expected in ((False, 1.0), (True, 0.0)):
        answers = tmp_path / f"model_{wrong}.jsonl"
        lines = [
            json.dumps(
                {"id": row["id"], "prediction": f"\\boxed{{{'?' if wrong else row['answer']}}}"}
            )
            for row in rows
        ]
        answers.write_text("\n".join(lines))
        status, scored, _ = run_json(capsys, "score", path, answers)
        assert status == 0
        assert scored["metrics"]["exact_match"] == expected
        assert scored["metrics"].get("accuracy", expected) == expected


@pytest.mark.parametrize("name", ["charxiv_reasoning", "mathv"])
def test_new_guesses_the_columns_of_published_benchmarks(
    name: str, real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Question, answer, options, pictures and kind are those of the page."""
    path, _ = prepared(name, real_data, tmp_path)
    wanted = yaml.safe_load(path.read_text())
    assert main(["new", "guessed", str(tmp_path / wanted["data"]), "--folder", str(tmp_path)]) == 0
    found = yaml.safe_load((tmp_path / "guessed.yaml").read_text())
    assert found["kind"] == wanted["kind"]
    assert found["columns"] == {
        role: name for role, name in wanted["columns"].items() if role != "groups"
    }
    assert "Traceback" not in capsys.readouterr().err
