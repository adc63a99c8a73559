"""The host's version, and whether it can be imported and shows our prompts."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from spiqa_tasks.benchmarks.signature import version

DISTRIBUTIONS = ("ms-vlmeval", "vlmeval")
OLDEST = "0.0.20"
"""The oldest published build in which a dataset's prompt can replace that of the model class."""


def host_version() -> str:
    """Return the installed version of the host, or "source" for a checkout that is not installed."""
    return next((found for name in DISTRIBUTIONS if (found := version(name)) != "absent"), "source")


def fault_of_prompts() -> str | None:
    """Return why the host would not show our prompt, or None if it would."""
    module = importlib.util.find_spec("vlmeval.inference")
    if module is None or module.origin is None or b"force_use_dataset_prompt" in Path(module.origin).read_bytes():
        return None
    return (
        f"Expected a VLMEvalKit that shows our prompt to every model, ms-vlmeval {OLDEST} or newer; found "
        f"{host_version()}. Install a newer one."
    )


def fault_of_import() -> str | None:
    """Return why a new process cannot import the host with our tasks, or None if it can."""
    code = "from spiqa_tasks.hosts.vlmevalkit.registration import import_host; import_host()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2].partition(": ")[2]
