"""Modules that are patched when they are imported, whoever imports them."""

import importlib
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from spiqa_tasks.hosts.after_import import Patches, patch

NAME = "module_of_a_host"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules, and the finders and modules of this process as they were afterwards."""
    (tmp_path / f"{NAME}.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def _raise(module: Any) -> None:
    """Add one to a module's value."""
    module.value += 1


def test_a_module_is_patched_once_when_it_is_imported() -> None:
    """Not before, and not again by a second call, a second set of patches or a second import."""
    patches: Patches = {NAME: _raise}
    finders = len(sys.meta_path)
    patch(patches)
    patch(patches)
    assert (len(sys.meta_path), NAME in sys.modules) == (finders + 1, False)
    assert importlib.import_module(NAME).value == 2
    patch(patches)
    patch({NAME: _raise})
    assert importlib.import_module(NAME).value == 2
    assert importlib.reload(sys.modules[NAME]).value == 1


def test_what_is_imported_already_is_patched_at_once() -> None:
    """A module that is only half imported, which lacks what is patched, is left to its import."""
    half, whole = ModuleType(NAME), ModuleType("whole_module")
    half.__spec__ = ModuleSpec(NAME, None)
    half.__spec__._initializing = True  # type: ignore[attr-defined]
    whole.value = 1  # type: ignore[attr-defined]
    sys.modules |= {NAME: half, "whole_module": whole}
    patch(dict.fromkeys((NAME, "whole_module"), _raise))
    assert whole.value == 2  # type: ignore[attr-defined]
    assert not hasattr(half, "value")


def test_modules_in_packages_are_found_where_the_package_is(folder: Path) -> None:
    """Other modules, a folder without `__init__` and a module that is not there are imported, or
    not, as ever.
    """
    (folder / "a_package").mkdir()
    (folder / "a_package" / "__init__.py").write_text("")
    (folder / "a_package" / "inner.py").write_text("value = 5\n")
    (folder / "a_package" / "other.py").write_text("value = 7\n")
    (folder / "a_namespace").mkdir()
    patch(dict.fromkeys(("a_package.inner", "a_namespace", "not_there"), _raise))
    assert importlib.import_module("a_package.inner").value == 6
    assert importlib.import_module("a_package.other").value == 7
    assert list(importlib.import_module("a_namespace").__path__) == [str(folder / "a_namespace")]
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'not_there'$"):
        importlib.import_module("not_there")
