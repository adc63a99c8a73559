"""Parquet release files: rows with known columns, pictures written to the cache once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import DataError


def read_rows(paths: Sequence[Path], columns: Sequence[str], optional: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the rows of all `paths`, in order, with `columns`, those of `optional` that are there, and no others.

    Raises:
        DataError: not parquet, a missing column, or a shard missing of a set named `...-00000-of-00002.parquet`.
    """
    import pyarrow
    import pyarrow.parquet

    _check_shards(paths)
    rows: list[dict[str, Any]] = []
    for path in paths:
        try:
            names = pyarrow.parquet.read_schema(path).names
            missing = [column for column in columns if column not in names]
            if missing:
                raise DataError(
                    f"Expected {path} to have the columns {', '.join(columns)}; found no {', '.join(missing)} "
                    f"among {', '.join(names)}. Fetch the released file."
                )
            wanted = [*columns, *(column for column in optional if column in names)]
            rows += pyarrow.parquet.read_table(path, columns=wanted).to_pylist()
        except (pyarrow.ArrowInvalid, OSError) as error:
            raise DataError(f"Expected {path} to be a parquet file, found {error}. Fetch it again.") from error
    return rows


def _check_shards(paths: Sequence[Path]) -> None:
    totals = {int(match.group(1)) for path in paths if (match := re.search(r"-of-(\d+)\.parquet$", path.name))}
    if len(totals) > 1 or (totals and len(paths) != totals.copy().pop()):
        raise DataError(
            f"Expected a whole set of parquet shards beside {paths[0]}, found {len(paths)} files of sets of "
            f"{sorted(totals)}. Fetch all shards of one revision."
        )
