"""The host's version, whatever it was installed from, and whether it can be imported."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from spiqa_tasks.benchmarks.signature import version

DISTRIBUTIONS = ("ms-vlmeval", "vlmeval")
OLDEST = "0.0.20"
"""The oldest published build that shows a model the prompt of the dataset where the class has one, too."""


def host_version() -> str:
    """Return the installed version of the host; `source` for a checkout that is not installed."""
    return next((found for name in DISTRIBUTIONS if (found := version(name)) != "absent"), "source")


def fault_of_prompts() -> str | None:
    """Return why the host would show a model another prompt than ours, in a sentence; None where it would not."""
    module = importlib.util.find_spec("vlmeval.inference")
    if module is None or module.origin is None or b"force_use_dataset_prompt" in Path(module.origin).read_bytes():
        return None
    return (
        f"Expected a VLMEvalKit that shows our prompt to every model, ms-vlmeval {OLDEST} or newer; found "
        f"{host_version()}. Install a newer one."
    )


def fault_of_import() -> str | None:
    """Return why a process cannot import the host with our tasks, in a sentence; None where it can."""
    code = "from spiqa_tasks.hosts.vlmevalkit.registration import import_host; import_host()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2].partition(": ")[2]
