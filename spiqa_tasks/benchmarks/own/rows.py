"""The rows of a user's benchmark: read from its data and checked one by one."""

import glob
import hashlib
import json
import logging
import os
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from spiqa_tasks.benchmarks.choice import slug
from spiqa_tasks.benchmarks.own import cells
from spiqa_tasks.benchmarks.own.definition import Definition
from spiqa_tasks.benchmarks.own.pictures import Pictures
from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require
from spiqa_tasks.files import tables
from spiqa_tasks.files.json_text import as_value
from spiqa_tasks.files.pictures import Ablation, pictures_digest
from spiqa_tasks.files.records import KEY, Fields, form_of, read_records, saved_files
from spiqa_tasks.files.source import Repository, Source, fingerprint

Row = dict[str, Any]
logger = logging.getLogger("spiqa_tasks")
_YAML_WORDS = {"True": ("true", "yes", "on", "y"), "False": ("false", "no", "off", "n")}
HUB = "hf://datasets/"
FIRST = 5
"""Faults that a message lists."""


def load(
    definition: Definition, source: Source, split: str, ablation: Ablation
) -> tuple[list[Row], int]:
    """Return a split's rows, without pictures if the ablation is `text`, and the number of its questions.

    Rows that cannot be asked are DataErrors; with `faults: skip` they are named and left out, but count as questions.
    """
    if definition.match and definition.match.units:
        require("units", f"match: of the YAML of {definition.benchmark}")
    rows, faults = read_rows(definition, source, split, ablation)
    total, first = len(rows) + len(faults), "; ".join(list(faults.values())[:FIRST])
    part = f"{len(faults)} of {total} rows of {definition.data[split]}"
    if faults and definition.faults == "skip":
        logger.warning(
            "%s: %s are left out as they cannot be asked, the first: %s",
            definition.benchmark,
            part,
            first,
        )
    elif faults:
        raise DataError(
            f"Expected questions as the YAML of {definition.benchmark} has them; found {part} that are not, the first: "
            f"{first}. Correct the rows, or columns: and where: of the YAML, or leave them out with faults: skip."
        )
    if not rows:
        raise DataError(
            f"Expected questions in {definition.data[split]}, found none. Correct data: or where:."
        )
    return list(rows.values()), total


def read_rows(
    definition: Definition, source: Source, split: str, ablation: Ablation = "none"
) -> tuple[dict[int, Row], dict[int, str]]:
    """Return a split's rows that can be asked, and a sentence for each of the others, by place from 0; see `load`."""
    paths = data_paths(definition, source, split)
    digest = data_digest(definition, source)
    columns = definition.columns
    has_cells = paths[0].is_file() and form_of(paths[0]) in ("xlsx", "separated")
    shared = {
        "benchmark": definition.benchmark,
        "split": split,
        "settings": f"ablation={ablation}",
        "data": digest,
    }
    shown = () if ablation == "text" else columns.images
    cache = f"{definition.benchmark}-{split}-{digest}"
    pictures = Pictures(shown, paths[0].parent / definition.image_folder, cache)
    unread = {name for name in columns.images if "{" not in name}.difference(shown)
    rows: dict[int, Row] = {}
    faults: dict[int, str] = {}
    ids: set[str] = set()
    known: set[str] = set(unread)
    unmet = {(column, value) for column, values in definition.where.items() for value in values}
    for place, record in enumerate(read_records(paths, unread)):
        known.update(record)
        unmet -= {
            (column, value) for column, value in unmet if _equals(cells.cell(record, column), value)
        }
        if not is_wanted(definition, record):
            continue
        row_id = str(place)
        try:
            row_id = (
                cells.text_of(record, columns.id) if columns.id else str(record.get(KEY, place))
            )
            row_id = (
                tables.row_id({"id": row_id}) if has_cells else row_id
            )  # as in answers in a table
            if row_id in ids:
                raise ValueError("the id of an earlier row")
            ids.add(row_id)
            row = {"id": row_id, **_row(definition, record, row_id), **shared}
            rows[place] = row | {"images": pictures.of(record, place)}
        except ValueError as error:
            faults[place] = fault(place, row_id, str(error))
    for column, value in sorted(unmet):
        logger.warning(
            "%s: no row has %s in %s, as where: says.", definition.benchmark, value, column
        )
    missing = [
        name for name in definition.named_columns if not {name, name.partition(".")[0]} & known
    ]
    if missing and known - unread:
        raise DataError(
            f"Expected a column {missing[0]!r} in the data of {definition.benchmark}, as its YAML says; found "
            f"{', '.join(sorted(known))}. Correct columns:, prompt: or where: of the YAML."
        )
    _name_groups(rows.values())
    paths_shown = [path for row in rows.values() for path in row["images"]]
    digest = pictures_digest(paths_shown) if paths_shown else ""
    for row in rows.values():
        row["pictures"] = digest
    return rows, faults


def fault(place: int, row_id: str, reason: str) -> str:
    """Return the sentence about a row that cannot be asked, which counts rows from 1."""
    return f"row {place + 1} (id {row_id}): {reason}"


def data_paths(definition: Definition, source: Source, split: str) -> list[Path]:
    """Return the files, or the saved folder, of a split; see `Definition.data`. Raises DataError: none."""
    place = definition.data[split]
    if place.startswith(HUB):
        repository, pattern = hub_place(definition.benchmark, place)
        return source.files(repository, pattern)
    path = Path(os.path.normpath(definition.folder / place))
    found = [path] if path.exists() else sorted(map(Path, glob.glob(str(path))))
    if not found:
        raise DataError(
            f"Expected the data of {definition.benchmark} at {path}, found no such file. Correct its path."
        )
    return found


def hub_place(benchmark: str, place: str) -> tuple[Repository, str]:
    """Return repository and pattern of `hf://datasets/OWNER/NAME@REVISION/PATH` (a slash in a revision is `%2F`)."""
    owner, name, *rest = [*place.removeprefix(HUB).split("/"), "", ""]
    name, _, revision = name.partition("@")
    pattern = "/".join(filter(None, rest))
    if not (owner and name and pattern):
        raise DataError(
            f"Expected {HUB}OWNER/NAME@REVISION/PATH in data: of {benchmark}, found {place}."
        )
    return Repository(benchmark, f"{owner}/{name}", unquote(revision) or "main"), pattern


def data_digest(definition: Definition, source: Source) -> str:
    """Return twelve hexadecimal digits over the data of the splits used and the values that make rows of it."""
    made = {
        key: definition.portable.get(key)
        for key in ("columns", "kind", "answer_is", "where", "shots")
    }
    digest = hashlib.sha256(json.dumps(made, sort_keys=True, default=str).encode())
    used = [definition.split, *([definition.shots.split] if definition.shots.split else [])]
    for split in used:
        paths = data_paths(definition, source, split)
        files = [
            file for path in paths for file in (saved_files(path) if path.is_dir() else [path])
        ]
        digest.update(fingerprint(files).encode())
    return digest.hexdigest()[:12]


def _row(definition: Definition, record: Fields, row_id: str) -> Row:
    """The fields of a row except its id and pictures; ValueError for a cell without the expected content."""
    columns = definition.columns
    question = cells.text_of(record, columns.question)
    options: Mapping[str, str] = {}
    if definition.kind != "open" and columns.values:
        options = dict(zip(cells.LETTERS, columns.values, strict=False))
    elif (
        definition.kind != "open" and columns.distractors
    ):  # in an order that depends on the id alone
        seed = f"{definition.benchmark}/{row_id}"
        options = cells.mixed_options(record, columns.answer[0], columns.distractors, seed)
    elif definition.kind != "open":
        options = cells.options_of(record, columns.options, columns.question)
    if options:
        answer = cells.cell(record, columns.answer[0])
        if cells.is_empty(answer):
            raise ValueError(f"no answer in {columns.answer[0]}")
        is_text = columns.distractors or (columns.values and definition.answer_is == "letter")
        references = [
            ", ".join(
                cells.answers_of(answer, options, "text" if is_text else definition.answer_is)
            )
        ]
    elif definition.kind == "choice":
        raise ValueError("no options")
    else:
        references = cells.references_of(record, columns.answer)
    groups: dict[str, str] = {}
    for name in columns.groups:
        value = as_value(cells.cell(record, name))
        many = (
            {slug(_field(each)) for each in value} if isinstance(value, list) and value else set()
        )
        groups |= {f"{name}.{each}": each for each in sorted(many)} or {
            name: slug(_field(value)) or "none"
        }
    if definition.kind == "both":
        groups["kind"] = "choice" if options else "open"
    return {
        "question": question,
        "letters": list(cells.lettered(options)),
        "options": list(options.values()),
        "answer": references[0],
        "references": references,
        "published": _field(cells.cell(record, columns.answer[0])),
        "groups": groups,
        "category": next(iter(groups.values())) if columns.groups else "",
        "cluster": (_field(cells.cell(record, columns.cluster)) or None)
        if columns.cluster
        else None,
        **({"points": cells.points_of(record, columns.points)} if columns.points else {}),
        "fields": {name: _field(cells.cell(record, name)) for name in definition.prompt_columns},
    }


def _field(value: Any) -> str:
    return "" if cells.is_empty(value) else str(value)


def _name_groups(rows: Collection[Row]) -> None:
    """Prefix group names with their column if they are numbers or occur in several columns."""
    kinds: dict[str, set[str]] = {}
    for row in rows:
        for kind, name in row["groups"].items():
            kinds.setdefault(kind, set()).add(name)
    owners = Counter(name for names in kinds.values() for name in names)
    unclear = {
        kind
        for kind, names in kinds.items()
        if any(owners[name] > 1 or name.isdecimal() for name in names)
    }
    if unclear:
        for row in rows:
            row["groups"] = {
                kind: f"{slug(kind)}_{name}" if kind in unclear else name
                for kind, name in row["groups"].items()
            }


def is_wanted(definition: Definition, record: Fields) -> bool:
    """Return whether a row has the values of `where`."""
    return all(
        any(_equals(cells.cell(record, column), value) for value in values)
        for column, values in definition.where.items()
    )


def _equals(cell: Any, value: str) -> bool:
    """Whether a cell has a value of `where`; `no` of a YAML is False, but may be a text of the table."""
    return str(cell) == value or str(cell).casefold() in _YAML_WORDS.get(value, ())
