"""The package with which lmms-eval is known not to start, and a trial start in a new process."""

import subprocess
import sys

from spiqa_tasks.benchmarks.signature import version

# An evaluation of lmms-eval begins with the import of filelock._api, which filelock 4.3 removed;
# bounded, since a later version may have mended it.
BROKEN_HOSTS = "<=0.7.3"

# setup.cfg bounds filelock twice: in the extra of the host, and in the base requirements, which
# mend an environment that has the host already.
FILELOCK = "<4.3"


def known_break() -> str | None:
    """Return why the installed lmms-eval cannot start, with the remedy, or None."""
    from packaging.specifiers import SpecifierSet  # not in each process that a host starts

    host, filelock = version("lmms-eval"), version("filelock")
    if "absent" in (host, filelock):
        return None

    is_broken = SpecifierSet(BROKEN_HOSTS).contains(host, prereleases=True)
    if not is_broken or SpecifierSet(FILELOCK).contains(filelock, prereleases=True):
        return None
    return (
        f"lmms-eval {host} cannot start with filelock {filelock}: pip install 'filelock{FILELOCK}'"
    )


def failure_of(code: str) -> str | None:
    """Return the last line on stderr of a new Python process that runs `code`, or None if it
    succeeds.
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode == 0:
        return None

    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"
