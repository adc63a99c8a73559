"""Imports go one way: a folder knows only folders of lower floors (CONTRIBUTING)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLOORS = {
    "errors": 0,
    "printable": -1,
    "extras": 1,
    "scoring": 1,
    "published": 2,
    "demo": 2,
    "files": 2,
    "metrics": 2,
    "vision": 3,
    "judge": 3,
    "benchmarks": 4,
    "l3score_metric": 5,
    "hosts": 5,
    "models": 6,
    "runs": 6,
    "analysis": 7,
    "report": 8,
    "commands": 9,
    "cli": 10,
    "utils": 10,
    "__main__": 11,
}
"""Folder or module of the package -> its floor; a new one must be given one here."""


def imports() -> Iterator[tuple[str, str, str]]:
    """(file, its folder, imported folder) of every import within the package."""
    places = [*(ROOT / "spiqa_tasks").rglob("*.py"), *(ROOT / "utils").rglob("*.py")]
    for path in places:
        below = path.relative_to(ROOT).parts
        owner = "utils" if below[0] == "utils" else below[1].removesuffix(".py")
        if owner == "__init__":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("spiqa_tasks."):
                    yield str(path.relative_to(ROOT)), owner, name.split(".")[1]


def test_every_import_goes_down() -> None:
    """No module imports a folder of a higher floor, and no two folders of one floor know each
    other.
    """
    wrong = [
        f"{path} imports {other}"
        for path, owner, other in imports()
        if owner != other and FLOORS[other] >= FLOORS[owner]
    ]
    assert not wrong


@pytest.mark.parametrize("host", ["lmms_eval", "vlmeval"])
def test_hosts_are_imported_by_few(host: str) -> None:
    """Neither host is imported outside its own folder, the models added to lmms-eval and its
    hooks.
    """
    wrong = []
    for path in (ROOT / "spiqa_tasks").rglob("*.py"):
        below = path.relative_to(ROOT / "spiqa_tasks").as_posix()
        if below.startswith((f"hosts/{host.replace('vlmeval', 'vlmevalkit')}/", "models/")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            wrong += [f"{below} imports {name}" for name in names if name.split(".")[0] == host]
    assert not wrong


def test_no_host_knows_the_other() -> None:
    """What both need of tasks lies beside their folders."""
    hosts = ROOT / "spiqa_tasks" / "hosts"
    wrong = [
        f"{path.relative_to(hosts)} names {other.name}"
        for host in hosts.iterdir()
        for other in hosts.iterdir()
        if host.is_dir() and other.is_dir() and host != other
        for path in host.rglob("*.py")
        if re.search(rf"hosts\.{other.name}\b", path.read_text(encoding="utf-8"))
    ]
    shared = [
        path.name for path in hosts.glob("*.py") if "_eval." in path.read_text(encoding="utf-8")
    ]
    assert not wrong
    assert not shared
