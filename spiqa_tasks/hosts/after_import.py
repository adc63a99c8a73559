"""Apply patches to a host's modules right after their import, whoever imports them."""

import functools
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

# Module of the host -> (an attribute that exists once it is imported, the patching function, the
# line of the module's source that makes it needed).
Patches = Mapping[str, tuple[str, Callable[[Any], None], str]]


def patch(patches: Patches) -> None:
    """Patch each module once: now if it is imported, else after its import."""
    for name, (attribute, apply, _) in patches.items():
        if hasattr(sys.modules.get(name), attribute):
            _once(sys.modules[name], apply)
    if not any(
        isinstance(finder, _AfterImport) and finder.patches is patches for finder in sys.meta_path
    ):
        sys.meta_path.insert(0, _AfterImport(patches))


def _once(module: ModuleType, apply: Callable[[Any], None]) -> None:
    if not getattr(module, "_spiqa_tasks", False):
        module._spiqa_tasks = True  # type: ignore[attr-defined]
        apply(module)


def unmatched(patches: Patches) -> Iterator[tuple[str, str]]:
    """Yield module and remedy of each patch whose line the installed host does not have."""
    for name, (_, apply, line) in patches.items():
        if line not in _source_of(name):
            purpose = (apply.__doc__ or "").partition("\n")[0].rstrip(".")
            found = f"expected the line `{line}`, found none."
            yield name, f"{found} The patch has nothing to do there: {purpose}"


def _source_of(module: str) -> str:
    """Return the source of a host's module, '' without one; imports nothing of the host."""
    host, *below = module.split(".")
    found = importlib.util.find_spec(host)
    if found is None or not found.submodule_search_locations:
        return ""
    path = Path(found.submodule_search_locations[0], *below)
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text(encoding="utf-8") if file.is_file() else ""


class _AfterImport(importlib.abc.MetaPathFinder):
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


def replacing(owner: Any, name: str) -> Callable[[Callable[..., Any]], None]:
    """Replace a function of a module or class by the decorated one, whose first argument is the
    original.
    """
    original = getattr(owner, name)
    # A function from a class is bound to its caller again, unless the original was not.
    is_unbound = isinstance(inspect.getattr_static(owner, name), staticmethod | classmethod)

    def replace(function: Callable[..., Any]) -> None:
        @functools.wraps(original)
        def replacement(*args: Any, **kwargs: Any) -> Any:
            return function(original, *args, **kwargs)

        setattr(owner, name, staticmethod(replacement) if is_unbound else replacement)

    return replace
