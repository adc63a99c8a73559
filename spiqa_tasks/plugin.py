"""Registration with lmms-eval: our models through its entry point, our YAML folder through its task index.

The host has no entry point for tasks. It loads the entry point of models before it builds a task index, so that is
where the index learns of our folder. `lmms-eval tasks list` and a fresh `lmms-eval serve` build an index without
loading models; for them the package installs a one-line `.pth` file that calls `index_tasks` in processes of that
name and does nothing in others (see setup.py).
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import json
import logging
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from spiqa_tasks.files.cache import cache_path

if TYPE_CHECKING:
    from lmms_eval.models.registry_v2 import ModelManifest

logger = logging.getLogger("spiqa_tasks")

HOST_TASKS = "lmms_eval.tasks"
MODELS = {
    "random_choice": "spiqa_tasks.models.choice.RandomChoice",
    "frequent_choice": "spiqa_tasks.models.choice.FrequentChoice",
    "caption_retrieval": "spiqa_tasks.models.retrieval.CaptionRetrieval",
    "clip_choice": "spiqa_tasks.models.clip.ClipChoice",
}
"""Model name -> class, all of them simple models of the host."""
KEPT = "kept.json"
"""The file in a written task's folder that lists its questions."""
ABLATED = "ablated"
"""The model that wraps another one; chat where its base is."""
stand_ins: dict[str, str] = {}
"""Model name -> the name whose values a task's `lmms_eval_specific_kwargs` give it: that of the wrapped model."""


def yaml_folder() -> Path:
    """The folder with the task YAMLs, as `--include_path` wants it."""
    return Path(str(resources.files("spiqa_tasks.yaml_configs")))


def user_folder() -> Path:
    """The folder with the tasks that `spiqa-tasks filter` writes, in the cache; it need not exist."""
    return cache_path() / "tasks"


def written_tasks() -> list[str]:
    """The folders of those tasks whose source task is still where it was; the host cannot index another one."""
    found = []
    for listing in sorted(user_folder().glob(f"*/{KEPT}")):
        try:
            source = Path(json.loads(listing.read_text(encoding="utf-8"))["source_yaml"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.warning("The task in %s is left out, its %s cannot be read: %s", listing.parent, KEPT, error)
            continue
        if source.is_file():
            found.append(str(listing.parent))
        else:
            logger.warning("The task in %s is left out, its source %s is gone.", listing.parent, source)
    return found


def register() -> list[ModelManifest]:
    """The payload of the host's entry point `lmms_eval.models`: our models; as a side effect, our tasks."""
    from lmms_eval.models.registry_v2 import ModelManifest

    index_tasks()
    wrapper = ModelManifest(
        model_id=ABLATED,
        simple_class_path="spiqa_tasks.models.ablated.AblatedSimple",
        chat_class_path="spiqa_tasks.models.ablated.Ablated",
    )
    return [wrapper, *(ModelManifest(model_id=name, simple_class_path=path) for name, path in MODELS.items())]


def index_tasks() -> None:
    """Let every task index of the host include our folder; nothing of the host is imported for it."""
    host = sys.modules.get(HOST_TASKS)
    if host is not None and hasattr(host, "TaskManager"):
        _extend(host)
    elif not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport())


def _extend(host: ModuleType) -> None:
    manager = host.TaskManager
    if getattr(manager, "_spiqa_tasks", False):
        return
    initialize = manager.initialize_tasks

    @functools.wraps(initialize)
    def with_ours(self: Any, include_path: str | list[str] | None = None, *args: Any, **kwargs: Any) -> Any:
        given = [include_path] if isinstance(include_path, str) else list(include_path or [])
        return initialize(self, [*given, str(yaml_folder()), *written_tasks()], *args, **kwargs)

    def get_model_name(self: Any) -> str | None:
        name: str | None = self.__dict__["model_name"]
        return stand_ins.get(name, name) if name else name

    manager.initialize_tasks = with_ours
    manager.model_name = property(get_model_name, lambda self, name: self.__dict__.update(model_name=name))
    manager._spiqa_tasks = True


class _AfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Extends the host's task module right after it was imported, whoever imports it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != HOST_TASKS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _extend(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
