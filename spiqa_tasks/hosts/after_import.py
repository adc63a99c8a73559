"""Apply patches to a host's modules right after their import, whoever imports them."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

Patches = Mapping[str, tuple[str, Callable[[Any], None]]]
"""Module of the host -> (an attribute that exists once it is imported, the patching function)."""


def patch(patches: Patches) -> None:
    """Patch each module once: now if it is imported, else after its import."""
    for name, (attribute, apply) in patches.items():
        module = sys.modules.get(name)
        if module is not None and hasattr(module, attribute):
            _once(module, apply)
    if not any(isinstance(finder, _AfterImport) and finder.patches is patches for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport(patches))


def _once(module: ModuleType, apply: Callable[[Any], None]) -> None:
    if not getattr(module, "_spiqa_tasks", False):
        module._spiqa_tasks = True  # type: ignore[attr-defined]
        apply(module)


class _AfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, patches: Patches) -> None:
        self.patches = patches

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self.patches or name in sys.modules:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _once(module, self.patches[name][1])

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
