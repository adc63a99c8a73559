"""Registration with VLMEvalKit: patches of its modules, and its own command line.

The host has no entry point for datasets. The package installs a one-line `.pth` file that calls `register_tasks` in
every process that imports `vlmeval` (see setup.py), so that run.py and `build_dataset` know our tasks.
"""

import importlib
import importlib.util
import runpy
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.after_import import patch, replacing
from spiqa_tasks.hosts.vlmevalkit.patches import PATCHES, check_build


def register_tasks() -> None:
    """Register our tasks with VLMEvalKit in this process, without importing it."""
    patch(PATCHES)


def import_host() -> None:
    """Import the host with our tasks. Raises InputError: it cannot be imported, or would not show our prompts."""
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
    return (
        None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2].partition(": ")[2]
    )


def serve_as(names: Mapping[str, str]) -> None:
    """Map model names to those at the server: the host uses one name in paths and requests, which breaks on slashes."""
    from vlmeval.api import LMDeployAPI

    @replacing(LMDeployAPI, "__init__")
    def start(start: Any, self: Any, **options: Any) -> None:
        start(self, **{**options, "model": names.get(options["model"], options["model"])})


def run_script() -> Path:
    """Return the host's command: the module vlmeval/run.py of a published build, or the run.py of a checkout."""
    import vlmeval

    folder = Path(vlmeval.__file__).parent
    return next(
        (path for path in (folder / "run.py", folder.parent / "run.py") if path.is_file()),
        folder / "run.py",
    )


def run_host(argv: Sequence[str]) -> None:
    """Run the host's command. Raises InputError: it has none."""
    sys.argv = ["run.py", *argv]
    if importlib.util.find_spec("vlmeval.run") is None:
        runpy.run_path(str(run_script()), run_name="__main__")
    else:
        from vlmeval.run import main

        main()
