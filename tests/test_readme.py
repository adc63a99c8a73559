"""What README and the tutorial tell people to type in their order, with a real host and local
servers.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from host_files import sample_of, write_run
from openai_server import Behaviour, OpenAIServer
from pages import README, ROOT, blocks, commands, page, program, words

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.extras import is_installed
from spiqa_tasks.scoring.mcq import MATCHER_VERSION

ON_DEMO = {
    "spiqa_testA": "spiqa_demo",
    "mmstar_filtered_text": "mmstar_demo_text",
    "mmstar_filtered": "mmstar_demo",
    "scifibench": "scifibench_demo",
}


def on_demo(lines: list[str], url: str) -> list[str]:
    """Return the commands of a page on the demo data and a server, without those that install, set
    a key or serve.
    """
    lines = [line.replace("http://localhost:8000/v1", url) for line in lines]
    for name, demo in ON_DEMO.items():
        lines = [re.sub(rf"\b{name}\b(?!_)", demo, line) for line in lines]
    return [line for line in lines if not line.startswith(("pip install", "export ", "vllm "))]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model that answers A, and a judge, on this machine."""
    with OpenAIServer(Behaviour(text="A")) as running:
        yield running


@pytest.mark.slow
@pytest.mark.skipif(not is_installed("lmms-eval"), reason="lmms-eval is not installed")
@pytest.mark.parametrize("path", [README, page("start")], ids=lambda path: path.stem)
def test_the_commands_of_a_page_work_in_their_order(
    path: Path, server: OpenAIServer, tmp_path: Path
) -> None:
    """In one folder, on the files as the host writes them, each ends with status 0 and prints
    something.

    They print the table that README shows with its signature, letter by letter.
    """
    environ = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_API_KEY": "key",
        "OPENAI_API_BASE": server.url,
        "OPENAI_BASE_URL": server.url,
        "SPIQA_JUDGE": f"openai:gpt-4o@{server.url}",
    }
    environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each start of the host would take 20 s
    (tmp_path / "answers.jsonl").write_text("".join(blocks(path, "json")))
    found = on_demo(commands(path), server.url)
    assert len(found) >= 7
    printed = ""
    for command in found:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environ, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stderr[-3000:]}"
        assert done.stdout, command
        printed += done.stdout
    assert list(tmp_path.rglob("report.html"))
    assert list(tmp_path.rglob("*_results.json"))
    shown = [
        each
        for each in blocks(path, "text")
        if "signature: spiqa-tasks" in each and "|matcher:" in each
    ]
    assert len(shown) == (path is README)
    assert not [
        line for each in shown for line in each.split("\n") if line != "..." and line not in printed
    ]


def write_runs(server: OpenAIServer) -> None:
    """Write the files that the programs read: runs of one model with and without pictures, and
    answers to SPIQA by two judges.
    """
    rows = rows_for_scoring("mmstar", "demo", "")
    samples = {
        "mmstar_demo": [sample_of(row, row["answer"]) for row in rows],
        "mmstar_demo_text": [sample_of(row, "A") for row in rows],
    }
    settings = {"mmstar_demo": "", "mmstar_demo_text": "ablation=text"}
    write_run(Path("out"), "m", samples, settings=settings, benchmark="mmstar", split="demo")

    rows = rows_for_scoring("spiqa", "demo", "")
    answers = [{"id": row["id"], "prediction": row["answer"]} for row in rows]
    Path("answers.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in answers))
    for judge in ("gpt4o", "new"):
        options = ["--judge", f"openai:{judge}@{server.url}", "--metrics", "l3score"]
        status = main(
            ["score", "spiqa_demo", "answers.jsonl", *options, "--output", f"scored_{judge}"]
        )
        assert status == 0


@pytest.mark.parametrize("path", [README, page("reference")], ids=lambda path: path.stem)
def test_every_program_works(
    path: Path,
    server: OpenAIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """L3Score with the local judge, pandas on demo runs: each prints something."""
    monkeypatch.chdir(tmp_path)
    write_runs(server)
    capsys.readouterr()

    for each in blocks(path, "python"):
        if "simple_evaluate" not in each and "<SUBJECT>" not in each:
            exec(on_demo([each.replace("openai:gpt-4o", f"openai:gpt-4o@{server.url}")], "")[0], {})
            assert capsys.readouterr().out.strip()


@pytest.mark.slow
@pytest.mark.usefixtures("host")
def test_the_script_of_the_host_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`simple_evaluate` finds the task and gives its accuracy."""
    monkeypatch.chdir(tmp_path)
    exec(program("reference", "simple_evaluate"), {})
    assert 0 <= float(capsys.readouterr().out.split()[-1]) <= 1


def test_readme_has_this_version_of_the_matcher() -> None:
    """In the signature of its first table."""
    assert re.findall(r"matcher:(\w+)", README.read_text(encoding="utf-8")) == [
        str(MATCHER_VERSION)
    ]


def test_readme_is_short() -> None:
    """It has at most 850 words; the rest is in the docs."""
    assert words(README) <= 850


def test_readme_cites_the_package_as_the_citation_file_does() -> None:
    """Title and version."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    (entry,) = blocks(README, "bibtex")
    assert f"{{{citation['title']}}}" in entry
    assert f"{{{citation['version']}}}" in entry


def test_what_a_clone_needs_stands_first() -> None:
    """The two commands that set everything up are in the first 30 lines; installs are of the
    clone.
    """
    text = README.read_text(encoding="utf-8")
    first = "\n".join(text.splitlines()[:30])
    assert "`make demo`" in first
    assert "`make test`" in first
    assert [each.strip("'`") for each in re.findall(r"pip install ([^\s`]+)", text)] == [
        ".[lmms-eval,report]",
        ".",  # where the host is installed already
        ".[score]",
        ".",  # L3Score alone
    ]


def test_links_and_pictures_work_in_a_clone() -> None:
    """Every one of this repository is relative and names a file that is there."""
    links = re.findall(r"\]\(([^)\s]+)\)", README.read_text(encoding="utf-8"))
    ours = [link for link in links if not link.startswith("https://")]
    assert len(ours) > 5
    assert all((ROOT / link.partition("#")[0]).is_file() for link in ours)
    assert not [link for link in links if "/spiqa-tasks/" in link]
