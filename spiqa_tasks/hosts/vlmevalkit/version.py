"""The host's version, whatever it was installed from."""

from __future__ import annotations

from spiqa_tasks.benchmarks.signature import version

DISTRIBUTIONS = ("ms-vlmeval", "vlmeval")


def host_version() -> str:
    """Return the installed version of the host; `source` for a checkout that is not installed."""
    return next((found for name in DISTRIBUTIONS if (found := version(name)) != "absent"), "source")
