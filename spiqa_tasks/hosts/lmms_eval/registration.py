"""Registration with lmms-eval: our models through its entry point, the rest by extending four of its modules.

The host has no entry point for tasks. It loads the entry point of models before it builds a task index, so that is
where the index learns of our folders. `lmms-eval tasks list`, a fresh `lmms-eval serve` and its user interface build
an index without loading models; for them the package installs a one-line `.pth` file that calls `index_tasks` in the
host's processes and does nothing in others (see setup.py).
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lmms_eval.models.registry_v2 import ModelManifest

SUPPORTED = ">=0.7.3,<0.8"
"""The versions of lmms-eval that this package was tried with."""

MODELS = {
    "random_choice": "spiqa_tasks.models.choice.RandomChoice",
    "frequent_choice": "spiqa_tasks.models.choice.FrequentChoice",
    "caption_retrieval": "spiqa_tasks.models.retrieval.CaptionRetrieval",
    "ocr_baseline": "spiqa_tasks.models.ocr.OcrBaseline",
    "clip_choice": "spiqa_tasks.models.clip.ClipChoice",
}
"""Model name -> class, all of them simple models of the host."""
ABLATED = "ablated"
"""The model that wraps another one; chat where its base is."""
NO_FILTER = "none"
"""What the host calls the filter of a task whose YAML names none; it takes the first of a request's answers."""
stand_ins: dict[str, str] = {}
"""Model name -> the name whose values a task's `lmms_eval_specific_kwargs` give it: that of the wrapped model."""


def register() -> list[ModelManifest]:
    """Return the payload of the host's entry point `lmms_eval.models`: our models; as a side effect, our tasks."""
    from lmms_eval.models.registry_v2 import ModelManifest

    index_tasks()
    wrapper = ModelManifest(
        model_id=ABLATED,
        simple_class_path="spiqa_tasks.models.ablated.AblatedSimple",
        chat_class_path="spiqa_tasks.models.ablated.Ablated",
    )
    return [wrapper, *(ModelManifest(model_id=name, simple_class_path=path) for name, path in MODELS.items())]


def index_tasks() -> None:
    """Extend the host's modules, now or when they are imported; nothing of the host is imported for it."""
    for name, (attribute, extend) in _EXTENSIONS.items():
        module = sys.modules.get(name)
        if module is not None and hasattr(module, attribute):
            _once(module, extend)
    if not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport())


def _once(module: ModuleType, extend: Callable[[Any], None]) -> None:
    if not getattr(module, "_spiqa_tasks", False):
        extend(module)
        module._spiqa_tasks = True  # type: ignore[attr-defined]


def _folders() -> list[Path]:
    """The folders with task YAMLs, found out when they are needed: benchmarks may be registered until then."""
    from spiqa_tasks.benchmarks.registry import yaml_folders
    from spiqa_tasks.hosts.written import written_tasks

    return [*yaml_folders(), *written_tasks()]


def _extend_tasks(host: Any) -> None:
    """The task index includes our folders, and a wrapped model gets the values of the one that it wraps."""
    manager = host.TaskManager
    initialize = manager.initialize_tasks

    @functools.wraps(initialize)
    def with_ours(self: Any, include_path: str | list[str] | None = None, *args: Any, **kwargs: Any) -> Any:
        given = [include_path] if isinstance(include_path, str) else list(include_path or [])
        return initialize(self, [*given, *map(str, _folders())], *args, **kwargs)

    def get_model_name(self: Any) -> str | None:
        name: str | None = self.__dict__["model_name"]
        return stand_ins.get(name, name) if name else name

    manager.initialize_tasks = with_ours
    manager.model_name = property(get_model_name, lambda self, name: self.__dict__.update(model_name=name))


def _extend_filters(host: Any) -> None:
    """When a task's answers are all there, they are scored together: the judge is asked everything at once.

    Repeated answers become requests of their own, where the task's YAML has no filter that chooses among them.
    """
    ensemble = host.FilterEnsemble
    apply = ensemble.apply

    @functools.wraps(apply)
    def then_score(self: Any, instances: list[Any], docs: Any) -> None:
        from spiqa_tasks.hosts.lmms_eval.ahead import is_ours, score_ahead
        from spiqa_tasks.hosts.lmms_eval.instances import split_repeats

        ours = is_ours(docs)
        if ours and self.name == NO_FILTER:
            split_repeats(instances)
        apply(self, instances, docs)
        if ours:
            score_ahead(instances, docs, self.name)

    ensemble.apply = then_score


def _extend_discovery(host: Any) -> None:
    """The user interface lists our tasks and groups."""
    discover = host.discover_tasks

    @functools.wraps(discover)
    def with_ours(include_path: str | None = None) -> list[tuple[str, str]]:
        paths = (path for folder in _folders() for path in folder.rglob("*.yaml"))
        ours = dict(entry for path in paths if (entry := host._parse_task_yaml(path)) is not None)
        return sorted((ours | dict(discover(include_path))).items())

    host.discover_tasks = with_ours


def _extend_results(host: Any) -> None:
    """A task of ours has no row for the score that its samples hold for `--baseline`."""
    output = host.TaskOutput
    aggregate = output.calculate_aggregate_metric

    @functools.wraps(aggregate)
    def of_rows(self: Any, *args: Any, **kwargs: Any) -> None:
        from spiqa_tasks.hosts.entries import BASELINE, Entry

        if any(isinstance(entry, Entry) for entries in self.sample_metrics.values() for entry in entries):
            for key in [key for key in self.sample_metrics if key[0] == BASELINE]:
                del self.sample_metrics[key]
        aggregate(self, *args, **kwargs)

    output.calculate_aggregate_metric = of_rows


_EXTENSIONS: Mapping[str, tuple[str, Callable[[Any], None]]] = {
    "lmms_eval.tasks": ("TaskManager", _extend_tasks),
    "lmms_eval.api.filter": ("FilterEnsemble", _extend_filters),
    "lmms_eval.evaluator_utils": ("TaskOutput", _extend_results),
    "lmms_eval.tui.discovery": ("discover_tasks", _extend_discovery),
}
"""Module of the host -> (what it has once it is imported, what extends it)."""


class _AfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Extends the host's modules right after they were imported, whoever imports them."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in _EXTENSIONS or name in sys.modules:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _once(module, _EXTENSIONS[name][1])

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
