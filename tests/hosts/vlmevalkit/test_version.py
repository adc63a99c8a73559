"""The host's version, and what stands in the way of our tasks in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.hosts.vlmevalkit import version as module
from spiqa_tasks.hosts.vlmevalkit.version import fault_of_import, fault_of_prompts, host_version


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ({"ms-vlmeval": "0.0.20", "vlmeval": "0.2"}, "0.0.20"),
        ({"vlmeval": "0.2rc1"}, "0.2rc1"),
        ({}, "source"),
    ],
)
def test_the_version_is_that_of_the_installed_build(
    monkeypatch: pytest.MonkeyPatch, installed: dict[str, str], expected: str
) -> None:
    """By whichever of its names; a checkout that is not installed has none."""
    monkeypatch.setattr(module, "version", lambda name: installed.get(name, "absent"))
    assert host_version() == expected


def test_a_host_without_the_datasets_prompt_is_at_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Known by its source; a host that is not there, or has no file, is not judged."""
    path = tmp_path / "inference.py"
    found: dict[str, Any] = {"vlmeval.inference": SimpleNamespace(origin=str(path))}
    monkeypatch.setattr(module.importlib.util, "find_spec", found.get)
    monkeypatch.setattr(module, "host_version", lambda: "0.0.19")
    path.write_text("# é\nuse(force_use_dataset_prompt)", "utf-8")
    assert fault_of_prompts() is None
    path.write_text("# é\nuse(custom_prompt)", "utf-8")
    assert fault_of_prompts() == (
        "Expected a VLMEvalKit that shows our prompt to every model, ms-vlmeval 0.0.20 or newer; found 0.0.19. "
        "Install a newer one."
    )
    found["vlmeval.inference"] = SimpleNamespace(origin=None)
    assert fault_of_prompts() is None
    found.clear()
    assert fault_of_prompts() is None


@pytest.mark.parametrize(
    ("status", "said", "expected"),
    [
        (0, "a warning", None),
        (1, "Traceback: x\n  File x\nspiqa_tasks.errors.InputError: Expected a: found b.\n", "Expected a: found b."),
    ],
)
def test_another_process_tells_whether_the_host_can_be_imported(
    monkeypatch: pytest.MonkeyPatch, status: int, said: str, expected: str | None
) -> None:
    """This one stays free of it; the fault is the last line without the name of the exception."""
    asked: list[Any] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        asked.append((command, options))
        return subprocess.CompletedProcess(command, status, "", said)

    monkeypatch.setattr(subprocess, "run", run)
    assert fault_of_import() == expected
    code = "from spiqa_tasks.hosts.vlmevalkit.registration import import_host; import_host()"
    assert asked == [([sys.executable, "-c", code], {"capture_output": True, "text": True})]
