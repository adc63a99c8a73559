"""Apply patches to a host's modules right after their import, whoever imports them."""

import functools
import importlib.abc
import importlib.machinery
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

# Module of the host -> the function that patches it.
Patches = Mapping[str, Callable[[Any], None]]


def patch(patches: Patches) -> None:
    """Patch each module once: now if it is imported, else after its import."""
    for name, apply in patches.items():
        module = sys.modules.get(name)
        # while a module is being imported, Python marks its spec so; it lacks what is patched
        if module is not None and not getattr(module.__spec__, "_initializing", False):
            _patch_once(module, apply)
    finder = _AfterImport(patches)
    if finder not in sys.meta_path:
        sys.meta_path.insert(0, finder)


def _patch_once(module: ModuleType, apply: Callable[[Any], None]) -> None:
    """Patch a module, unless it was patched before."""
    if not getattr(module, "_spiqa_tasks", False):
        module._spiqa_tasks = True  # type: ignore[attr-defined]
        apply(module)


@dataclass(frozen=True)
class _AfterImport(importlib.abc.MetaPathFinder):
    """Finds the modules to be patched, and has their loader patch them once they are executed."""

    patches: Patches

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module to be patched, which patches it once it is executed."""
        if name not in self.patches or name in sys.modules:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module
            apply = self.patches[name]

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _patch_once(module, apply)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def replacing(owner: Any, name: str) -> Callable[[Callable[..., Any]], None]:
    """Replace a function of a module or class by the decorated one, whose first argument is the
    original.
    """
    original = getattr(owner, name)
    # A function from a class is bound to its caller again, unless the original was not.
    is_unbound = isinstance(inspect.getattr_static(owner, name), staticmethod | classmethod)

    def replace(function: Callable[..., Any]) -> None:
        """Put `function` in the original's place; it is called with the original first."""

        @functools.wraps(original)
        def replacement(*args: Any, **kwargs: Any) -> Any:
            return function(original, *args, **kwargs)

        setattr(owner, name, staticmethod(replacement) if is_unbound else replacement)

    return replace
