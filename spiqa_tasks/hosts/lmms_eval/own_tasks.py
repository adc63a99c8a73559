"""Write the host's YAMLs of benchmarks that have none, into the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_plugins
from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import cache_folder, write_atomically
from spiqa_tasks.hosts.catalogue import own_definitions
from spiqa_tasks.hosts.filtered_tasks import included_folders
from spiqa_tasks.hosts.lmms_eval.guard import one_sentence
from spiqa_tasks.hosts.lmms_eval.task_yaml import STUB, TEMPLATE, Group, Leaf, stub, template


def write_own(folders: Iterable[Path]) -> list[Path]:
    """Write the host's YAMLs of the benchmarks in some folders, in those that are always searched, and of packages.

    Returns the folders that they are in.

    Raises:
        SystemExit: a YAML that is none, in one sentence.
    """
    with one_sentence():
        load_plugins()
        found = [definition.benchmark for definition in own_definitions([*folders, *included_folders()])]
        others = [each.name for each in BENCHMARKS.values() if each.tasks and each.definition is None]
        return [_written(BENCHMARKS[name]) for name in dict.fromkeys([*found, *others])]


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


def _written(benchmark: Benchmark) -> Path:
    """The folder with the template and the tasks of a benchmark; files that are as they should be are left alone."""
    place = str((benchmark.definition or {}).get("folder", ""))
    folder = cache_folder() / "own" / f"{benchmark.name}-{hashlib.sha256(place.encode()).hexdigest()[:8]}"
    head = f"# What the tasks of {benchmark.name} share; made of it by spiqa-tasks.\n"
    variants = [settings for _, settings in benchmark.tasks.values()]
    default = settings_text(benchmark.parse(""))
    made = {
        TEMPLATE: template(benchmark, head, default, variants),
        STUB: stub(benchmark),
        **{f"{name}.yaml": Leaf(name, *what).text() for name, what in benchmark.tasks.items()},
        **{f"{name}.yaml": Group(name, members).text() for name, members in benchmark.groups.items()},
    }
    for name, text in made.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != text.encode():
            write_atomically(path, text.encode())
    for path in folder.glob("*.yaml"):
        if path.name not in made:
            path.unlink(missing_ok=True)  # another process may be faster
    return folder
