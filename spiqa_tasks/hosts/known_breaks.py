"""Newest packages with which a host is known not to start, and a trial start in a new process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from spiqa_tasks.benchmarks.signature import version


class KnownBreak(NamedTuple):
    """A host's versions that cannot start with some versions of a package."""

    host: str
    host_versions: str
    """Specifier of the host's versions that fail; bounded, since a later one may have mended it."""
    package: str
    bound: str
    """Specifier of the package's versions that work; setup.cfg has it, too."""
    failure: str


# setup.cfg bounds each package twice: in the extra of the host, and in the base requirements, which
# mend an environment that has the host already.
KNOWN_BREAKS = (
    KnownBreak(
        host="lmms-eval",
        host_versions="<=0.7.3",
        package="filelock",
        bound="<4.3",
        failure="an evaluation begins with the import of filelock._api, which 4.3 removed",
    ),
)


def installed_breaks(host: str) -> Iterator[str]:
    """Yield one sentence with the remedy for each known break of the installed host."""
    from packaging.specifiers import SpecifierSet  # not in each process that a host starts

    host_version = version(host)
    for known in KNOWN_BREAKS:
        if known.host != host or host_version == "absent":
            continue
        if not SpecifierSet(known.host_versions).contains(host_version, prereleases=True):
            continue

        package_version = version(known.package)
        if package_version == "absent":
            continue
        if not SpecifierSet(known.bound).contains(package_version, prereleases=True):
            yield (
                f"{host} {host_version} cannot start with {known.package} {package_version}: "
                f"pip install '{known.package}{known.bound}'"
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
