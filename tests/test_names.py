"""One name for one thing: no two modules or classes of the package share one, and tests lie where modules lie."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALIKE = ("benchmarks", "hosts")
"""Folders whose folders are built alike: a module of one name has the same role in each benchmark, or host."""
AS_TYPED = "commands"
"""The folder whose modules are called what a user types."""
MODULES = [
    path.relative_to(ROOT)
    for folder in ("spiqa_tasks", "utils")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not path.name.startswith("__")
]
ELSEWHERE = {
    "spiqa_tasks/hosts/lmms_eval/here.py": "tests/test_readme.py",
    "spiqa_tasks/hosts/vlmevalkit/dataset.py": "tests/hosts/vlmevalkit/test_runs.py",
    "spiqa_tasks/hosts/vlmevalkit/version.py": "tests/hosts/vlmevalkit/test_results.py",
    "utils/documents.py": "tests/hosts/lmms_eval/test_scifibench_runs.py",
    "utils/filtered.py": "tests/analysis/test_filtered_task.py",
}
"""What only a run of a host shows -> where it is shown."""
WITHOUT = {"context", "definition", "pending", "types"}
"""Modules of types, protocols and data."""


def test_every_module_has_tests_of_its_own() -> None:
    """Those of spiqa_tasks/a/b.py are in tests/a/test_b.py."""
    missing = []
    for path in MODULES:
        below = path.relative_to("spiqa_tasks") if path.parts[0] == "spiqa_tasks" else path
        own = f"tests/{below.parent.as_posix()}/test_{path.name}"
        if path.stem not in WITHOUT and not (ROOT / ELSEWHERE.get(path.as_posix(), own)).is_file():
            missing.append(own)
    assert missing == []


def test_no_two_modules_share_a_name() -> None:
    """But for a role that every benchmark or host has, and for commands, which are called what a user types."""
    roles = defaultdict(set)
    for path in MODULES:
        _, *folders, _ = path.parts
        if AS_TYPED not in folders:
            roles[path.stem].add("/".join(folders[:1] if folders and folders[0] in ALIKE else folders))
    assert {name for name, places in roles.items() if len(places) > 1} == {"content", "l3score"}


def test_no_two_classes_share_a_name() -> None:
    """Private ones, which no other module sees, may."""
    places = defaultdict(list)
    for path in MODULES:
        for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
