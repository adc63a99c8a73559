"""Registration with VLMEvalKit: patches of its modules, and its own command.

The host has no entry point for datasets. The package installs a one-line `.pth` file that calls
`register_tasks` in every process that imports `vlmeval` (see setup.py), so that run.py and
`build_dataset` know our tasks.
"""

import importlib
import importlib.util
import pickle
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.errors import InputError, SpiqaTasksError, found_instead
from spiqa_tasks.extras import failure_of, require
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.records import read_cells
from spiqa_tasks.hosts.after_import import Patches, patch, replacing
from spiqa_tasks.hosts.vlmevalkit.tasks import (
    CHECKPOINT,
    TABLE,
    as_tsv,
    known,
    read_checkpoint,
    task_in,
    too_many_pictures,
)
from spiqa_tasks.printable import say

# The host's module `run`: `parse_args`, `get_judge_kwargs`, `run_local_mode`, `run_api_mode`.
Command: TypeAlias = Any

# The oldest published build in which a dataset's prompt can replace that of the model class.
OLDEST = "0.0.20"


def host_version() -> str:
    """Return the installed version of the host, or "source" for a checkout not installed."""
    installed = {version("ms-vlmeval"), version("vlmeval")} - {"absent"}
    return max(installed, default="source")


def check_build() -> None:
    """Raise InputError if the host would show a prompt of the model's class instead of ours."""
    module = importlib.util.find_spec("vlmeval.inference")
    if module is None or module.origin is None:
        return
    if b"force_use_dataset_prompt" not in Path(module.origin).read_bytes():
        raise InputError(
            f"Expected ms-vlmeval {OLDEST} or newer; found {host_version()}, which shows other "
            "prompts."
        )


def _patch_files(host: Any) -> None:
    """Write answers to our tasks whole or not at all, tables as plain text.

    `dump` of vlmeval/smp/file.py opens a file and then writes it: a kill between leaves a
    checkpoint empty, and `load` raises an EOFError ever after. pandas would read "" and "None" as
    NaN. It stops writing at a character that it cannot encode (half a surrogate pair; before
    Python 3.11 NUL), and the host goes on with the answers before it.
    """

    @replacing(host, "dump")
    def dump_whole(dump: Any, data: Any, path: Any, *args: Any, **kwargs: Any) -> Any:
        """Write a file of our tasks at once and without loss."""
        file = Path(str(path))
        if not task_in(file):
            return dump(data, path, *args, **kwargs)
        if file.suffix == CHECKPOINT:
            return write_atomically(file, pickle.dumps(data))
        rows = data.itertuples(index=False, name=None)
        return write_atomically(file, as_tsv([data.columns, *rows]))

    @replacing(host, "load")
    def load_as_text(load: Any, path: Any, *args: Any, **kwargs: Any) -> Any:
        """Read a file of our tasks with every cell as text."""
        file = Path(str(path))
        if not task_in(file):
            return load(path, *args, **kwargs)
        if file.suffix == CHECKPOINT:
            return read_checkpoint(file)

        import pandas as pd

        return pd.DataFrame(read_cells(file))

    @replacing(host, "get_pred_file_path")
    def lossless_path(
        path_of: Any, folder: str, model: str, dataset: str, *args: Any, **kwargs: Any
    ) -> Any:
        """Return the table of answers, for our tasks a tab-separated one."""
        if dataset in known().tasks:
            return str(Path(folder, f"{model}_{dataset}{TABLE}"))
        return path_of(folder, model, dataset, *args, **kwargs)


def _patch_datasets(host: Any) -> None:
    """Register our tasks as datasets, and `SpiqaTasks` as a class for `--config`.

    Needed until the host has an entry point for datasets.
    """
    try:
        for extra in ("score", "vlmevalkit"):
            require(extra, "This package's part in VLMEvalKit")
        check_build()
        from spiqa_tasks.hosts.vlmevalkit.dataset import SpiqaTasks

        names = SpiqaTasks.supported_datasets()
    except SpiqaTasksError as error:
        say(f"{error} Until then VLMEvalKit runs without this package's tasks.")
        return
    host.DATASET_CLASSES.append(SpiqaTasks)
    host.SUPPORTED_DATASETS.extend(names)
    host.SpiqaTasks = SpiqaTasks


def _patch_api_mode(host: Any) -> None:
    """Use our prompt with every model class in `--api-mode`.

    The queue does not read `force_use_dataset_prompt`.
    """

    @replacing(host.DatasetConfig, "__post_init__")
    def with_our_prompt(prepare: Any, self: Any) -> None:
        prepare(self)
        if self.dataset_name in known().tasks:
            self.model_obj.use_custom_prompt = lambda _dataset: False


def _patch_models(host: Any) -> None:
    """Raise ValueError instead of showing only the first of several pictures.

    That is what the host's `message_to_promptimg` does.
    """
    owner = host.BaseModel if hasattr(host, "BaseModel") else host.BaseAPI

    @replacing(owner, "message_to_promptimg")
    def only_picture(
        first_picture: Any, self: Any, message: Any, dataset: str | None = None
    ) -> Any:
        """Return the only picture of a message. Raises ValueError: several, for a task of ours."""
        pictures = [part for part in message if part["type"] == "image"]
        if dataset in known().tasks and len(pictures) > 1:
            raise ValueError(too_many_pictures(str(dataset), type(self)))
        return first_picture(self, message, dataset)


# Module of the host -> the patch.
PATCHES: Patches = {
    "vlmeval.smp.file": _patch_files,
    "vlmeval.dataset": _patch_datasets,
    "vlmeval.inference_api": _patch_api_mode,
    "vlmeval.vlm.base": _patch_models,
    "vlmeval.api.base": _patch_models,
}


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
            f"Expected an importable VLMEvalKit, found {found_instead(error)}. Install what "
            "is missing."
        ) from error
    check_build()


def fault_of_import() -> str | None:
    """Return why a new process cannot import the host with our tasks, or None if it can."""
    failure = failure_of(f"from {__name__} import import_host; import_host()")
    return None if failure is None else failure.partition(": ")[2]


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
