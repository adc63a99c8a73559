"""Registration with VLMEvalKit: our dataset class, answers that come back as they were, the host's own command line.

The host has no entry point for datasets; its list of classes is extended in place before it starts.
"""

from __future__ import annotations

import importlib.util
import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from spiqa_tasks.extras import require
from spiqa_tasks.hosts.vlmevalkit.tasks import known

if TYPE_CHECKING:
    from spiqa_tasks.hosts.vlmevalkit.dataset import SpiqaTasks


def register() -> type[SpiqaTasks]:
    """Make the host know our tasks; return their dataset class.

    Raises:
        MissingPartError: the host is not installed.
    """
    require("vlmevalkit", "spiqa-vlmevalkit")
    import vlmeval.dataset
    import vlmeval.inference
    import vlmeval.smp.file

    from spiqa_tasks.hosts.vlmevalkit.dataset import SpiqaTasks

    if SpiqaTasks not in vlmeval.dataset.DATASET_CLASSES:
        vlmeval.dataset.DATASET_CLASSES.append(SpiqaTasks)
        vlmeval.dataset.SUPPORTED_DATASETS.extend(SpiqaTasks.supported_datasets())
        vlmeval.dataset.SpiqaTasks = SpiqaTasks  # where `--config` looks for classes
        for module in (vlmeval.inference, vlmeval.smp.file):
            _keep_texts(module)
    return SpiqaTasks


def _keep_texts(module: ModuleType) -> None:
    """Read answers to our tasks back as they are: pandas' guesses would make "" and "None" a number that is none."""
    load = module.load

    def load_as_text(path: Any, *args: Any, **kwargs: Any) -> Any:
        name = Path(str(path))
        if name.suffix == ".tsv" and any(name.stem.endswith(f"_{task}") for task in known()[0]):
            import pandas as pd

            return pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, na_filter=False)
        return load(path, *args, **kwargs)

    module.load = load_as_text  # type: ignore[attr-defined]


def model_class(name: str, config: Mapping[str, Any] | None) -> Any:
    """Return the host's class of a model; None where it has none of that name.

    Args:
        name: of one of the host's configurations.
        config: the model's values in a `--config` file; None without one.
    """
    if config and "class" in config:
        import vlmeval.api
        import vlmeval.vlm

        return getattr(vlmeval.api, config["class"], None) or getattr(vlmeval.vlm, config["class"], None)
    return getattr(supported().get(name), "func", None)


def supported() -> dict[str, Any]:
    """Return the host's configurations of models by name, each a partial of a class."""
    from vlmeval.config import supported_VLM

    found: dict[str, Any] = supported_VLM
    return found


def datasets() -> list[str]:
    """Return the names of the datasets that the host knows, ours among them."""
    import vlmeval.dataset

    return [*vlmeval.dataset.SUPPORTED_DATASETS, *vlmeval.dataset.supported_video_datasets]


def tables_folder() -> Path:
    """Return where the host looks for a table of a dataset that it does not know."""
    from vlmeval.smp import LMUDataRoot

    return Path(LMUDataRoot())


def run_host(argv: Sequence[str]) -> None:
    """Run the host's own command: `vlmeval.run` of a published build, run.py beside the package of a checkout."""
    import vlmeval

    sys.argv = ["run.py", *argv]
    if importlib.util.find_spec("vlmeval.run") is not None:
        from vlmeval.run import main

        main()
    else:
        runpy.run_path(str(Path(vlmeval.__file__).parent.parent / "run.py"), run_name="__main__")
