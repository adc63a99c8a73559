"""Registration with VLMEvalKit: patches of its modules, and its own command.

The host has no entry point for datasets. The package installs a one-line `.pth` file that calls
`register_tasks` in every process that imports `vlmeval` (see setup.py), so that run.py and
`build_dataset` know our tasks.
"""

import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.after_import import patch, replacing
from spiqa_tasks.hosts.vlmevalkit.patches import PATCHES, check_build

# The host's module `run`: `parse_args`, `get_judge_kwargs`, `run_local_mode`, `run_api_mode`.
Command: TypeAlias = Any


def register_tasks() -> None:
    """Register our tasks with VLMEvalKit in this process, without importing it."""
    patch(PATCHES)


def import_host() -> None:
    """Import the host with our tasks. Raises InputError: no host, or one with other prompts."""
    require("vlmevalkit", "spiqa-vlmevalkit")
    register_tasks()
    try:
        importlib.import_module("vlmeval.dataset")
        importlib.import_module("vlmeval.config")
    except Exception as error:
        raise InputError(
            f"Expected an importable VLMEvalKit, found {error!r}. Install what is missing."
        ) from error
    check_build()


def fault_of_import() -> str | None:
    """Return why a new process cannot import the host with our tasks, or None if it can."""
    code = f"from {__name__} import import_host; import_host()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode == 0:
        return None
    last_line = done.stderr.strip().rpartition("\n")[2]
    return last_line.partition(": ")[2]


def serve_as(names: Mapping[str, str]) -> None:
    """Map model names to those at the server.

    The host has one name for paths and requests, which breaks on slashes.
    """
    from vlmeval.api import LMDeployAPI

    @replacing(LMDeployAPI, "__init__")
    def start(start: Any, self: Any, **options: Any) -> None:
        name = options["model"]
        start(self, **{**options, "model": names.get(name, name)})


def command_of_host() -> Command:
    """Return the host's command: vlmeval/run.py of a published build, or a checkout's run.py."""
    if importlib.util.find_spec("vlmeval.run") is not None:
        return importlib.import_module("vlmeval.run")

    import vlmeval

    # In front, as other folders may have a module `run`, too.
    sys.path.insert(0, str(Path(vlmeval.__file__).parents[1]))
    return importlib.import_module("run")
