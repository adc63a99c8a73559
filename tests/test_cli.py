"""The command line as a whole."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from openai_server import Behaviour, OpenAIServer
from run_command import WITHOUT_JAVA

from spiqa_tasks import commands
from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import COMMANDS, SHELLS, main


def test_every_module_of_commands_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """Each subcommand has a help page of its own, and the general one names it."""
    assert main([]) == 0
    usage = capsys.readouterr().out.split()
    for name in COMMANDS:
        with pytest.raises(SystemExit, match="0"):
            main([name, "--help"])
        assert f"spiqa-tasks {name}" in capsys.readouterr().out
        assert name in usage
    modules = Path(commands.__file__).parent.glob("*.py")
    assert {path.stem for path in modules if "\ndef add(parser" in path.read_text()} == set(
        COMMANDS
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_can_complete_the_commands(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    """The printed script names every command."""
    assert main(["--print-completion", shell]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in COMMANDS)


@pytest.mark.parametrize(
    "words", [["nonsense"], ["--nonsense"], ["score"], ["score", "out", "--nonsense"]]
)
def test_unusable_arguments_are_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """The exit status is 2; the line names the help page and is no wall of options."""
    with pytest.raises(SystemExit, match="2"):
        main(words)
    command = "spiqa-tasks score" if words[0] == "score" else "spiqa-tasks"
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{command}: ")
    assert line.endswith(f" See {command} --help.")


def test_the_help_needs_no_extra(tmp_path: Path) -> None:
    """`pip install spiqa-tasks` alone shows every command."""
    without = (
        "import sys; sys.modules['numpy'] = None; from spiqa_tasks.cli import main;"
        " main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", without, "--help"], capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in COMMANDS)


def test_the_help_imports_no_command() -> None:
    """So that it answers within 0.3 s."""
    code = "import contextlib, sys; from spiqa_tasks.cli import main\n"
    code += "with contextlib.suppress(SystemExit): main(['--help'])\n"
    code += "print(sorted(name for name in sys.modules if name.startswith('spiqa_tasks.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        done.stdout.splitlines()[-1]
        == "['spiqa_tasks.cli', 'spiqa_tasks.errors', 'spiqa_tasks.printable']"
    )


def test_list_imports_nothing_heavy(tmp_path: Path) -> None:
    """`list` reads the catalogue without the host, numpy, pandas or any HTTP client, which take
    most of a second.
    """
    heavy = {
        "torch",
        "lmms_eval",
        "numpy",
        "pandas",
        "scipy",
        "pyarrow",
        "aiohttp",
        "httpx",
        "huggingface_hub.hf_api",
    }
    code = (
        f"import sys; from spiqa_tasks.cli import main; main(['list']); print(sorted({heavy} &"
        " set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_sigterm_says_what_was_kept() -> None:
    """As Ctrl-C does, with the exit status of that signal."""
    with subprocess.Popen(
        [sys.executable, "-m", "spiqa_tasks.cli", "demo", "--serve-judge"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as command:
        assert command.stdout is not None
        command.stdout.readline()
        command.terminate()
        _, errors = command.communicate(timeout=60)
    assert command.returncode == 143
    assert errors == "spiqa-tasks: terminated; what was finished is kept.\n"


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    """A file that may not grow ends the command without a stack of frames, and leaves no part of
    itself.
    """
    resource = pytest.importorskip("resource")
    path = tmp_path / "a.jsonl"
    ids = [row["id"] for row in rows_for_scoring("mmstar", "demo", "")]
    path.write_text("".join(json.dumps({"id": key, "prediction": "A"}) + "\n" for key in ids))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "spiqa_tasks.cli",
            "score",
            "mmstar_demo",
            path,
            "--output",
            tmp_path / "out",
        ],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
        env={
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "1",
        },  # Python 3.11 would leave cut files of bytecode behind
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "Expected room on the disk" in done.stderr
    assert "Traceback" not in done.stderr
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert done.stdout.startswith("mmstar_demo ")  # what it scored is shown


def test_a_place_that_cannot_be_used_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """What the system refuses, such as a long name, ends in no traceback."""
    assert main(["choices", "a" * 300]) == 2
    assert re.search(r"^spiqa-tasks: Expected .+\n\Z", capsys.readouterr().err, re.MULTILINE)


def test_the_output_is_utf_8(tmp_path: Path) -> None:
    """A name in another script does not end a command whose output goes into a file of a narrow
    encoding.
    """
    path = tmp_path / "模\U0001f600_mmstar_demo.jsonl"
    ids = [row["id"] for row in rows_for_scoring("mmstar", "demo", "")]
    path.write_text("".join(json.dumps({"id": key, "prediction": "A"}) + "\n" for key in ids))
    command = [
        sys.executable,
        "-m",
        "spiqa_tasks.cli",
        "score",
        "--by",
        "group",
        str(path),
        "--json",
    ]
    environ = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ)
    assert done.returncode == 0, done.stderr
    assert {row["model"] for row in json.loads(done.stdout)} == {"模\U0001f600"}


def test_verdicts_that_a_full_disk_does_not_take_count_and_are_told(tmp_path: Path) -> None:
    """In this run, which ends with 3; those stored before stay, and the next run asks for the
    others alone.
    """
    resource = pytest.importorskip("resource")
    path = tmp_path / "a.jsonl"
    rows = rows_for_scoring("spiqa", "demo", "")
    path.write_text(
        "".join(json.dumps({"id": row["id"], "prediction": row["answer"]}) + "\n" for row in rows)
    )
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "SPIQA_TASKS_CACHE": str(tmp_path)}
    environ["PATH"] = str(tmp_path)  # no Java
    shown, asked = [], []
    with OpenAIServer(Behaviour()) as server:
        command = [*WITHOUT_JAVA, "score", "spiqa_demo", path, "--json"]
        for limit in (50_000, resource.RLIM_INFINITY):
            done = subprocess.run(
                [*command, "--judge", f"openai:one@{server.url}"],
                preexec_fn=lambda most=limit: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (most, most)
                ),
                env=environ,
                capture_output=True,
                text=True,
            )
            shown.append(
                (done.returncode, json.loads(done.stdout)["metrics"]["l3score"], done.stderr)
            )
            asked.append(len(server.requests))
    (full, first, told), (after, second, _) = shown
    assert (full, after, first) == (3, 0, second)
    lost = re.search(
        r"Expected to store (\d+) verdicts? in the judge's cache .*, which failed: .* Make room",
        told,
    )
    assert lost, told
    tests = 2  # of the judge, in either run
    assert asked[1] - asked[0] == int(lost[1]) + tests < len(rows) + tests


def test_a_warning_of_the_package_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the line of the source that Python shows."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "judge.sqlite").write_text("no database")
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "a.jsonl"
    ids = [row["id"] for row in rows_for_scoring("spiqa", "demo", "")]
    path.write_text("".join(json.dumps({"id": key, "prediction": "A"}) + "\n" for key in ids))
    with OpenAIServer(Behaviour()) as server:
        assert main(["score", "spiqa_demo", str(path), "--judge", f"openai:one@{server.url}"]) == 0
    errors = capsys.readouterr().err
    assert (
        f"spiqa-tasks: The judge's cache {tmp_path / 'cache' / 'judge.sqlite'} is damaged" in errors
    )
    assert "warnings.warn" not in errors
