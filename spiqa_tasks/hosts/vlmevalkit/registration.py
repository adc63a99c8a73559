"""Registration with VLMEvalKit: patches of its modules, and its own command line.

The host has no entry point for datasets. The package installs a one-line `.pth` file that calls `register_tasks` in
every process that imports `vlmeval` (see setup.py), so that run.py and `build_dataset` know our tasks.
"""

from __future__ import annotations

import importlib
import importlib.util
import runpy
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.after_import import patch
from spiqa_tasks.hosts.vlmevalkit.patches import PATCHES
from spiqa_tasks.hosts.vlmevalkit.version import fault_of_prompts


def register_tasks() -> None:
    """Register our tasks with VLMEvalKit in this process, without importing it."""
    patch(PATCHES)


def import_host() -> None:
    """Import the host with our tasks.

    Raises:
        MissingPartError: the host is not installed.
        InputError: it cannot be imported.
    """
    require("vlmevalkit", "spiqa-vlmevalkit")
    register_tasks()
    for name in ("vlmeval.dataset", "vlmeval.config"):
        try:
            importlib.import_module(name)
        except Exception as error:
            raise InputError(not_importable(error)) from error
    if not hasattr(sys.modules["vlmeval.dataset"], "SpiqaTasks"):
        unknown = "Expected VLMEvalKit to know this package's tasks, found the fault above. Correct it."
        raise InputError(fault_of_prompts() or unknown)


def not_importable(error: Exception) -> str:
    """Return the message for a host that cannot be imported."""
    missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    remedy = f"Install it: pip install {missing.partition('.')[0]}" if missing else "Install VLMEvalKit again."
    return f"Expected VLMEvalKit to be importable, found {type(error).__name__} {error}. {remedy}"


def serve_as(names: Mapping[str, str]) -> None:
    """Map model names to those at the server: the host uses one name in paths and requests, which breaks on slashes."""
    from vlmeval.api import LMDeployAPI

    start = LMDeployAPI.__init__

    def start_served(self: Any, **options: Any) -> None:
        start(self, **{**options, "model": names.get(options["model"], options["model"])})

    LMDeployAPI.__init__ = start_served


def model_class(name: str, config: Mapping[str, Any] | None) -> Any:
    """Return the host's class of a model, or None.

    Args:
        config: the model's values in a `--config` file, or None.
    """
    if config and "class" in config:
        import vlmeval.api
        import vlmeval.vlm

        return getattr(vlmeval.api, config["class"], None) or getattr(vlmeval.vlm, config["class"], None)
    return getattr(supported().get(name), "func", None)


def supported() -> dict[str, Any]:
    """Return model name -> partial of its class, the host's configurations."""
    from vlmeval.config import supported_VLM

    configurations: dict[str, Any] = supported_VLM
    return configurations


def datasets() -> list[str]:
    """Return the names of the host's datasets, including ours."""
    import vlmeval.dataset

    return [*vlmeval.dataset.SUPPORTED_DATASETS, *vlmeval.dataset.supported_video_datasets]


def tables_folder() -> Path:
    """Return the folder in which the host looks for tables of unknown datasets."""
    from vlmeval.smp import LMUDataRoot

    return Path(LMUDataRoot())


def knows_option(name: str) -> bool:
    """Return whether the host's own command has an option, such as `--data-config`."""
    published, script = _command()
    return name in Path(published.origin if published and published.origin else script).read_text(encoding="utf-8")


def run_host(argv: Sequence[str]) -> None:
    """Run the host's own command."""
    sys.argv = ["run.py", *argv]
    published, script = _command()
    if published is not None:
        from vlmeval.run import main

        main()
    else:
        runpy.run_path(str(script), run_name="__main__")


def _command() -> tuple[ModuleSpec | None, Path]:
    """Return the module `vlmeval.run` of a published build or None, and the run.py of a checkout."""
    import vlmeval

    return importlib.util.find_spec("vlmeval.run"), Path(vlmeval.__file__).parent.parent / "run.py"
