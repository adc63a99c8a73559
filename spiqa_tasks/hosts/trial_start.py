"""A trial start of a host in a new process."""

import subprocess
import sys


def failure_of(code: str) -> str | None:
    """Return the last line on stderr of a new Python process that runs `code`, or None if it
    succeeds.
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode == 0:
        return None

    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"
