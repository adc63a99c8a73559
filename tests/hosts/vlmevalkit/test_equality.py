"""The same answers through both hosts give the same prompts, records and numbers."""

import base64
import hashlib
import io
import json
import os
import subprocess
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import fixed_answers
import mmstar_release
import pytest
from openai_server import Behaviour, OpenAIServer
from PIL import Image
from run_files import results_of, run_values, samples_of

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.vlmevalkit.tasks import message, rows_of

from .conftest import Launch

OF_EACH = ["spiqa_demo", "mmstar_demo_text", "scifibench_demo"]
OTHERS = [
    "spiqa_demo_cot_both",
    "spiqa_demo_perfigure",
    "spiqa_demo_grey",
    "spiqa_demo_nocaption",
    "mmstar_demo",
    "mmstar_demo_llm",
    "scifibench_demo_reasoning",
    "scifibench_demo_fig2cap_random",
]
PICTURES = "mmstar_filtered"
"""Asked of a release of six questions whose pictures are transparent, in palettes and of 16
bits.
"""
LMMS_EVAL = Path(__file__).resolve().parents[3] / ".venv/bin/lmms-eval"
"""The other host, in the environment of `make test`."""
LENGTH = "truncated"
"""What only the other host tells: whether an answer ended at the limit of generated tokens."""


def texts(body: dict[str, Any]) -> list[str]:
    """The texts of a request."""
    content = body["messages"][-1]["content"]
    return (
        [content]
        if isinstance(content, str)
        else [part["text"] for part in content if part["type"] == "text"]
    )


def shown(parts: list[dict[str, Any]]) -> str:
    """Return a prompt with the pixels of its pictures, of files as model classes open them or as
    sent.
    """
    return str([_part(part) for part in parts])


def _part(part: dict[str, Any]) -> str:
    if part["type"] == "text":
        return str(part.get("text", part.get("value")))
    return pixels(part["value"] if part["type"] == "image" else part["image_url"]["url"])


@cache
def pixels(place: str) -> str:
    """A digest of the pixels of a file or data URL."""
    content = place.partition("base64,")[2]
    with Image.open(io.BytesIO(base64.b64decode(content)) if content else place) as image:
        return f"{image.size} {hashlib.sha256(image.convert('RGB').tobytes()).hexdigest()}"


@pytest.mark.java  # the other host's process has the real one
@pytest.mark.parametrize(
    "tasks", [OF_EACH, pytest.param(OTHERS, marks=pytest.mark.slow)], ids=["of each", "others"]
)
def test_both_hosts_give_the_same_numbers(
    launch: Launch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tasks: list[str],
) -> None:
    """Tasks of three benchmarks with a judge: no row of lmms-eval's table differs, nor a record or
    a prompt.

    Neither does a pixel of a picture. VLMEvalKit's run has the metrics beyond that table too, as
    `score` prints them.
    """
    if not LMMS_EVAL.exists():
        pytest.skip("lmms-eval is not beside it (make .venv/.installed)")
    mmstar_release.write_release(tmp_path / "data")
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path / "data"))
    behaviour = Behaviour(
        text=lambda body: fixed_answers.plain(texts(body)), verdict=fixed_answers.verdict
    )
    with OpenAIServer(behaviour) as server:
        monkeypatch.setenv("SPIQA_JUDGE", f"openai:judge@{server.url}")
        assert launch("--data", *tasks, PICTURES, "--model", "fixed") == 0
        capsys.readouterr()
        asked = run_lmms_eval(server, [*tasks, PICTURES], tmp_path / "other")
        theirs = {task: results_of(tmp_path / "other", task) for task in tasks}
    prompts = {shown(body["messages"][-1]["content"]) for body in asked if not body.get("logprobs")}
    different = []
    for task in tasks:
        ours = run_values(tmp_path / "out", task)
        assert len(ours) > 3
        told = theirs[task].keys() - ({f"{LENGTH}_rate"} if "spiqa" not in task else set())
        assert not (ours.keys() - told) & set(rows_of_table(task))
        different += [(task, name) for name in told if ours.get(name) != theirs[task].get(name)]
        here, there = (
            plain(
                record.as_dict()
                for sample in samples_of(tmp_path / folder, task)
                if (record := Record.of_sample(sample))
            )
            for folder in ("out", "other")
        )
        assert here
        assert here == there
    assert not different
    assert {shown(message(row)) for task in [*tasks, PICTURES] for row in rows_of(task)} == prompts


def rows_of_table(name: str) -> Collection[str]:
    """The rows of the other host's table."""
    (task,) = find_tasks([name])
    return task.benchmark.rows_of_table(task.settings)


def run_lmms_eval(server: OpenAIServer, tasks: list[str], folder: Path) -> list[dict[str, Any]]:
    """Run tasks in lmms-eval, with the Java of its environment; return the requests that the server
    got.
    """
    server.requests.clear()
    arguments = f"model_version=tiny,base_url={server.url},api_key=EMPTY"
    command = [
        str(LMMS_EVAL),
        "--model",
        "openai",
        "--model_args",
        arguments,
        "--tasks",
        ",".join(tasks),
    ]
    command += ["--log_samples", "--output_path", str(folder)]
    environment = {**os.environ, "PATH": str(LMMS_EVAL.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return [request["body"] for request in server.requests]


def plain(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return records without their signatures and without fields that only one host has."""
    found = []
    for record in records:
        details = {
            key: value
            for key, value in record.get("details", {}).items()
            if key not in ("question", LENGTH)
        }
        known = {
            key: value
            for key, value in record.items()
            if key not in ("signature", "response", "place")
        }
        found.append({**json.loads(json.dumps(known)), "details": json.loads(json.dumps(details))})
    return found
