"""The host's version, whatever it was installed from, and whether it can be imported."""

from __future__ import annotations

import subprocess
import sys

from spiqa_tasks.benchmarks.signature import version

DISTRIBUTIONS = ("ms-vlmeval", "vlmeval")


def host_version() -> str:
    """Return the installed version of the host; `source` for a checkout that is not installed."""
    return next((found for name in DISTRIBUTIONS if (found := version(name)) != "absent"), "source")


def fault_of_import() -> str | None:
    """Return why a process cannot import the host with our tasks, in a sentence; None where it can."""
    code = "from spiqa_tasks.hosts.vlmevalkit.registration import import_host; import_host()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2].partition(": ")[2]
