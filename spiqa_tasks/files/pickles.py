"""Tables and dictionaries out of pickle files, which may come from anywhere: nothing else in them is ever made."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError

_ALLOWED = frozenset(
    (
        *("builtins.bytearray", "builtins.slice", "__builtin__.bytearray", "__builtin__.slice", "_codecs.encode"),
        *("numpy.dtype", "numpy.ndarray", "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct"),
        *("numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer"),
        *("pandas.DataFrame", "pandas.core.frame.DataFrame", "pandas.Index", "pandas.core.indexes.base.Index"),
        *("pandas.RangeIndex", "pandas.core.indexes.range.RangeIndex", "pandas.core.indexes.base._new_Index"),
        *("pandas.core.internals.managers.BlockManager", "pandas._libs.internals._unpickle_block"),
        *("pandas.StringDtype", "pandas.arrays.ArrowStringArray"),
        *("pyarrow.lib._restore_array", "pyarrow.lib.py_buffer", "pyarrow.lib.type_for_alias"),
    )
)
"""What pandas 1.5 to 3 need for a table of texts and numbers."""


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if f"{module}.{name}" not in _ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name}, which is no part of a table")
        return super().find_class(module, name)


def load_pickle(path: Path) -> Any:
    """Return what a pickle file has: texts, numbers, lists, dictionaries and tables of pandas.

    Raises:
        InputError: it has anything else, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _Unpickler(file).load()
    except Exception as error:  # a broken file leads pandas and pickle to whatever
        raise InputError(f"Expected {path} to be a pickled table, found {error}. Save it as tsv.") from error
