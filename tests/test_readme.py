"""What README tells people to type, as written, with the demo data and local servers in the place of paid ones."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from host_files import sample_of, write_demo_run, write_run
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.cli import main, parser
from spiqa_tasks.hosts.catalogue import find_tasks

pytestmark = pytest.mark.usefixtures("no_java")
README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.S)
LINES = [
    command.strip()
    for language, block in BLOCKS
    if language == "console"
    for line in re.findall(r"^\$ ((?:.*\\\n)*.*)", block, re.M)
    for command in re.sub(r"\s+# .*", "", line.replace("\\\n", " ")).split(";")
]
COMMANDS = list(dict.fromkeys(line for line in LINES if re.match(r"(\w+=\S+ )?spiqa-tasks ", line)))
PROGRAMS = [block for language, block in BLOCKS if language == "python"]
ON_DEMO = {"spiqa_testA": "spiqa_demo", "mmstar_filtered": "mmstar_demo", "scifibench": "scifibench_demo"}
ELSEWHERE = {
    "alignment": "tests/commands/test_alignment.py",
    "spread": "tests/commands/test_spread.py",
    "rank": "tests/commands/test_rank.py",
    "cache": "tests/commands/test_cache.py",
    "filter": "tests/commands/test_filter.py",
    "doctor": "tests/commands/test_doctor.py",
}
"""Commands that need other runs than the demo's, or the host, and where they run."""


def arguments_of(command: str) -> list[str]:
    """What follows `spiqa-tasks`."""
    return shlex.split(command[command.index("spiqa-tasks ") :])[1:]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A judge on this machine."""
    with OpenAIServer(Behaviour()) as running:
        yield running


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models' runs on the demo data below `out`, and a plain file of answers; made once."""
    place = tmp_path_factory.mktemp("readme")
    rows = load_rows("spiqa", "demo", "ablation=text")
    for model, right in (("model_a", 1), ("model_b", 2)):
        folder = place / "out" / model
        choices = partial(lambda right, place, row: row["answer"] if place % 3 < right else "A", right)
        write_demo_run(folder / "mmstar", model, choices)
        letters = [sample_of(row, "B") for row in load_rows("mmstar", "demo", "ablation=text")]
        told = {"mmstar_demo_text": find_tasks(["mmstar_demo_text"])[0].settings}
        write_run(folder / "text", "openai", {"mmstar_demo_text": letters}, f"model_version={model}", settings=told)
    lines = (json.dumps({"id": row["id"], "prediction": "It rises."}) for row in rows)
    (place / "answers.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return place


@pytest.fixture
def folder(runs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A clean folder with the runs and the file."""
    shutil.copytree(runs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def test_links_work_on_the_package_index_too() -> None:
    """Every link is absolute, and what it names of this repository is there."""
    links = re.findall(r"\]\(([^)\s]+)\)", README)
    assert links
    root = Path(__file__).resolve().parents[1]
    for link in links:
        assert link.startswith("https://")
        _, ours, path = link.partition("/spiqa-tasks/spiqa-tasks/blob/main/")
        assert not ours or (root / re.sub(r"[?#].*", "", path)).is_file()


def test_there_is_something_to_test() -> None:
    """The patterns find README's commands and programs, and each command that is left out has its test."""
    assert {arguments_of(command)[0] for command in COMMANDS} >= {
        "list",
        "prepare",
        "score",
        "gain",
        "report",
        *ELSEWHERE,
    }
    assert len(PROGRAMS) == 3
    assert all((Path(__file__).parents[1] / path).is_file() for path in ELSEWHERE.values())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_one(command: str) -> None:
    """Its arguments are known; its tasks exist."""
    text = command.replace("--judge ...", "--judge openai:gpt-4o")
    assert callable(parser().parse_args(arguments_of(text)).run)
    for name in re.findall(r"\b(?:spiqa|mmstar|scifibench)_\w+", command.replace("spiqa_tasks", "")):
        assert find_tasks([name])


@pytest.mark.parametrize("line", [line for line in LINES if "--tasks " in line])
def test_every_run_of_the_host_has_tasks_of_ours(line: str) -> None:
    """The names after `--tasks` are tasks or groups."""
    assert find_tasks(re.findall(r"--tasks (\S+)", line)[0].split(","))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", [each for each in COMMANDS if arguments_of(each)[0] not in ELSEWHERE])
def test_every_command_works(
    command: str, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the demo data, judged by the local server, it does what was asked for."""
    monkeypatch.setenv("SPIQA_JUDGE", f"openai:gpt-4o@{server.url}")
    for name, demo in ON_DEMO.items():
        command = re.sub(rf"\b{name}\b(?!_)", demo, command)
    arguments = [re.sub(r"^(openai|hf):\S+", rf"openai:\1@{server.url}", each) for each in arguments_of(command)]
    samples = [str(path) for path in Path("out").rglob("*_samples_mmstar_demo.jsonl")][:1]
    expanded = [each for argument in arguments for each in (samples if "*" in argument else [argument])]
    if samples[0] in expanded:  # the samples of a run, of the demo task that the runs here are of
        expanded[1] = "mmstar_demo"
    assert main(expanded) == 0, capsys.readouterr().err
    assert capsys.readouterr().out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("program", [each for each in PROGRAMS if "simple_evaluate" not in each])
def test_every_program_works(program: str, server: OpenAIServer, capsys: pytest.CaptureFixture[str]) -> None:
    """L3Score with the local judge; pandas on the samples of the demo runs."""
    found: dict[str, object] = {}
    exec(program.replace('"openai:gpt-4o"', f'"openai:gpt-4o@{server.url}"'), found)
    assert "metric" in found or "math" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("host", "folder")
def test_the_script_of_the_host_works(capsys: pytest.CaptureFixture[str]) -> None:
    """`simple_evaluate` finds the task and gives its accuracy."""
    (program,) = (each for each in PROGRAMS if "simple_evaluate" in each)
    exec(program, {})
    assert 0 <= float(capsys.readouterr().out.split()[-1]) <= 1
