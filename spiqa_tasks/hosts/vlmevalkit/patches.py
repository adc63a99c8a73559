"""Patches of VLMEvalKit's modules: our dataset class, lossless answer files, our prompt, all pictures."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError, SpiqaTasksError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.records import read_cells
from spiqa_tasks.hosts.after_import import Patches
from spiqa_tasks.hosts.vlmevalkit.version import fault_of_prompts
from spiqa_tasks.printable import say

LOSSLESS = "tsv"
"""Format of answers to our tasks, whatever PRED_FORMAT says: xlsx truncates them, json cannot be resumed."""


def _patch_files(host: Any) -> None:
    """Write and read answers to our tasks as plain text.

    pandas would read "" and "None" as NaN. It stops writing at a character that it cannot encode (half a surrogate
    pair; before Python 3.11 NUL), and the host goes on with the answers before it.
    """
    load, dump, path_of = host.load, host.dump, getattr(host, "get_pred_file_path", None)

    def is_ours(path: Any) -> bool:
        name = Path(str(path))
        return name.suffix == f".{LOSSLESS}" and any(name.stem.endswith(f"_{task}") for task in _tasks())

    @functools.wraps(dump)
    def dump_as_text(data: Any, path: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_ours(path):
            return dump(data, path, *args, **kwargs)
        rows = [list(data.columns), *data.itertuples(index=False, name=None)]
        text = "".join("\t".join(map(_quoted, row)) + "\n" for row in rows)
        return write_atomically(Path(str(path)), text.encode("utf-8", "backslashreplace"))

    @functools.wraps(load)
    def load_as_text(path: Any, *args: Any, **kwargs: Any) -> Any:
        if is_ours(path):
            import pandas as pd

            return pd.DataFrame(read_cells(Path(str(path)), escaped=False))
        return load(path, *args, **kwargs)

    host.load, host.dump = load_as_text, dump_as_text
    if path_of is not None:

        @functools.wraps(path_of)
        def lossless_path(work_dir: str, model_name: str, dataset_name: str, *args: Any, **kwargs: Any) -> Any:
            if dataset_name in _tasks():
                return str(Path(work_dir, f"{model_name}_{dataset_name}.{LOSSLESS}"))
            return path_of(work_dir, model_name, dataset_name, *args, **kwargs)

        host.get_pred_file_path = lossless_path


def _quoted(cell: Any) -> str:
    text = "" if cell is None or cell != cell else str(cell)
    return '"' + text.replace('"', '""') + '"'


def _patch_datasets(host: Any) -> None:
    """Register our tasks as datasets, and `SpiqaTasks` for `--config`."""
    try:
        for extra in ("score", "vlmevalkit"):
            require(extra, "This package's part in VLMEvalKit")
        if fault := fault_of_prompts():
            raise InputError(fault)
        from spiqa_tasks.hosts.vlmevalkit.dataset import SpiqaTasks

        names = SpiqaTasks.supported_datasets()
    except SpiqaTasksError as error:
        say(f"{error} Until then VLMEvalKit runs without this package's tasks.")
        return
    host.DATASET_CLASSES.append(SpiqaTasks)
    host.SUPPORTED_DATASETS.extend(names)
    host.SpiqaTasks = SpiqaTasks


def _patch_api_mode(host: Any) -> None:
    """Use our prompt with every model class in `--api-mode`, as the other mode does."""
    config = host.DatasetConfig
    prepare = config.__post_init__

    @functools.wraps(prepare)
    def with_our_prompt(self: Any) -> None:
        prepare(self)
        if self.dataset_name in _tasks():
            self.model_obj.use_custom_prompt = lambda _dataset: False

    config.__post_init__ = with_our_prompt


def _patch_models(host: Any) -> None:
    """Raise ValueError instead of showing only the first of several pictures."""
    base = host.BaseModel if hasattr(host, "BaseModel") else host.BaseAPI
    first_picture = base.message_to_promptimg

    @functools.wraps(first_picture)
    def only_picture(self: Any, message: Any, dataset: str | None = None) -> Any:
        if dataset in _tasks() and sum(part["type"] == "image" for part in message) > 1:
            raise ValueError(
                f"Expected a model class that takes several pictures for {dataset}, found {type(self).__name__}, which "
                "is shown the first one only. Run a task that shows one at a time, such as spiqa_testA_perfigure."
            )
        return first_picture(self, message, dataset)

    base.message_to_promptimg = only_picture


def _tasks() -> Any:
    from spiqa_tasks.hosts.vlmevalkit.tasks import known

    return known()[0]


PATCHES: Patches = {
    "vlmeval.smp.file": ("load", _patch_files),
    "vlmeval.dataset": ("build_dataset", _patch_datasets),
    "vlmeval.inference_api": ("APIEvalPipeline", _patch_api_mode),
    "vlmeval.vlm.base": ("BaseModel", _patch_models),
    "vlmeval.api.base": ("BaseAPI", _patch_models),
}
