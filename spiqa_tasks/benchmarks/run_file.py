"""The package's own file of a scored run: a line that describes the run, then one line a record, in the task's order.

Everything that scores answers outside lmms-eval writes it, and every command reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.json_text import loads
from spiqa_tasks.files.typed import check_types

SUFFIX = ".run.jsonl"
FORMAT, VERSION = "spiqa_tasks_run", 1
"""The key of the first line by which the file is known, and what it holds."""


@dataclass(frozen=True)
class RunHeader:
    """What a run is, in the first line of its file.

    Attributes:
        task: the task's name.
        model, ablation, seed: which model answered, and what was done to its pictures.
        judge: what the judge is called; empty for none.
        benchmark, split, settings: of the task.
        questions: how many questions the task has.
        documents: how many answers the file has.
        metrics: row -> value in natural units; None where it is withheld.
        definition: of a benchmark of one's own (`Benchmark.definition`).
    """

    task: str
    model: str
    ablation: str
    seed: str
    judge: str
    benchmark: str
    split: str
    settings: str
    questions: int
    documents: int
    metrics: Mapping[str, float | None]
    definition: Mapping[str, Any] | None = None


def write_run(
    path: Path, header: RunHeader, scores: Mapping[str, Any], answers: Iterable[tuple[Record, str, int]]
) -> None:
    """Write a run, whole or not at all.

    Args:
        path: of the file.
        header: what the run is.
        scores: more about its values for readers of the file, as JSON values.
        answers: each record with the whole answer that it is of, and the place of its document in the task, from 0.
    """
    lines = [json.dumps({FORMAT: VERSION, **asdict(header), **scores})]
    lines += [
        json.dumps({**record.as_dict(), "response": response, "place": place}) for record, response, place in answers
    ]
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())


def read_header(path: Path) -> RunHeader | None:
    """Return what the first line of a run's file has; None for any other file.

    Raises:
        InputError: a file of another version, or a first line that lacks a field.
    """
    with path.open("rb") as file:
        start = file.readline()
    if f'"{FORMAT}"'.encode() not in start[:80]:
        return None
    entry = _parsed(path, 1, start)
    if entry.get(FORMAT) != VERSION:
        raise InputError(
            f"Expected {path} to be a run of version {VERSION}, found {entry.get(FORMAT)}. Score the answers again."
        )
    try:
        check_types(RunHeader, entry)
        entry.setdefault("definition", None)
        return RunHeader(**{name.name: entry[name.name] for name in fields(RunHeader)})
    except (KeyError, TypeError) as error:
        raise _damaged(path, 1, error) from error


def read_records(path: Path) -> Iterator[tuple[Record, str, int]]:
    """Yield each record of a run's file with its whole answer and its place; see `write_run`.

    Raises:
        InputError: a line that is no record.
    """
    with path.open("rb") as file:
        next(file)
        for number, line in enumerate(file, 2):
            entry = _parsed(path, number, line)
            try:
                yield Record.from_dict(entry), str(entry["response"]), int(entry["place"])
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                raise _damaged(path, number, error) from error


def _parsed(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        entry = loads(line)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, number, error) from error
    if not isinstance(entry, dict):
        raise _damaged(path, number, TypeError(f"a {type(entry).__name__}"))
    return entry


def _damaged(path: Path, number: int, error: Exception) -> InputError:
    return InputError(
        f"Expected line {number} of {path} to be what `spiqa-tasks score --output` wrote, found "
        f"{type(error).__name__} {error}. Score the answers again with --output."
    )
