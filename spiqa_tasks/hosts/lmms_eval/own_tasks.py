"""Benchmarks of one's own as the host wants them: the YAMLs that it reads, made of theirs and kept in the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.own.definition import Definition
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.cache_folder import cache_folder
from spiqa_tasks.hosts.catalogue import own_definitions
from spiqa_tasks.hosts.filtered_tasks import included_folders
from spiqa_tasks.hosts.lmms_eval.guard import one_sentence
from spiqa_tasks.hosts.lmms_eval.task_yaml import STUB, TEMPLATE, Group, Leaf, stub, template


def write_own(folders: Iterable[Path]) -> list[Path]:
    """Write the host's YAMLs of the benchmarks in some folders and in those that are always searched; return where.

    Raises:
        SystemExit: a YAML that is none, in one sentence.
    """
    with one_sentence():
        return [_written(definition) for definition in own_definitions([*folders, *included_folders()])]


def check_names(index: Mapping[str, Mapping[str, Any]], own: Iterable[Path]) -> None:
    """Refuse a benchmark of one's own whose name a task of the host has, which the host would run in its place.

    Raises:
        SystemExit: there is one.
    """
    with one_sentence():
        for path in (path for folder in own for path in folder.glob("*.yaml")):
            entry = index.get(path.stem)
            if entry is not None and Path(str(entry["yaml_path"])).parent != path.parent:
                raise InputError(
                    f"Expected another name than that of a task of lmms-eval, found {path.stem}, which is at "
                    f"{entry['yaml_path']} too. Rename benchmark: in the YAML."
                )


def _written(definition: Definition) -> Path:
    """The folder with the template and the tasks of a benchmark; files that are as they should be are left alone."""
    place = hashlib.sha256(str(definition.folder).encode()).hexdigest()[:8]
    folder = cache_folder() / "own" / f"{definition.benchmark}-{place}"
    for name, text in _files(definition).items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != text.encode():
            write_atomically(path, text.encode())
    for path in folder.glob("*.yaml"):
        if path.name not in _files(definition):
            path.unlink()
    return folder


def _files(definition: Definition) -> dict[str, str]:
    benchmark = BENCHMARKS[definition.benchmark]
    head = f"# What the tasks of {definition.benchmark} share; made of its YAML in {definition.folder}.\n"
    settings = "ablation=none"
    more = ["cluster_key: cluster"] if definition.columns.cluster else []
    made: list[Leaf | Group] = [Leaf(name, definition.split, text) for name, text in definition.tasks.items()]
    made += [Group(name, members) for name, members in definition.groups.items()]
    return {
        TEMPLATE: template(benchmark, head, settings, [settings], definition.max_new_tokens, more),
        STUB: stub(benchmark),
        **{f"{each.name}.yaml": each.text() for each in made},
    }
