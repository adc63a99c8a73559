"""Change one expression of a function at a time and run the tests that mirror its module: `make mutants`.

Prints the changes that no test notices, then how many were noticed in each module of `modules.yaml` (or in those that
are named). Exits with 1 where fewer than 85% are. The changes are mutmut's: it leaves alone what stands outside of
functions, such as regular expressions, and decorated functions.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from tabulate import tabulate

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
WORK = REPOSITORY / "build" / "mutants"
LEAST_SHARE = 0.85
KILLED = ("killed", "timeout")
NOT_TIMED = "not linear_time and not time_grows"
"""Tests of the time that a megabyte takes say nothing about mutants, whose calls cost more."""


@dataclass(frozen=True)
class Tally:
    """How many mutants of a module the tests killed, and how many not, but for those that are equivalent."""

    module: str
    killed: int
    survived: int
    equivalent: int
    cpu_seconds: float

    @property
    def share(self) -> float:
        """The share of killed mutants in [0, 1]; 1 where there are none."""
        return self.killed / (self.killed + self.survived) if self.killed + self.survived else 1.0


def main() -> int:
    """Run what the command line names and return the exit status."""
    tests = tests_of_modules(yaml.safe_load((HERE / "modules.yaml").read_text()))
    reasons: dict[str, dict[str, list[str]]] = yaml.safe_load((HERE / "equivalent.yaml").read_text())
    equivalent = {name: {change for changes in each.values() for change in changes} for name, each in reasons.items()}
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("module", nargs="*", help="such as scoring/gain; all where none is named")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    names = options.module or list(tests)
    if unknown := set(names) - set(tests):
        parser.error(f"expected modules of {HERE / 'modules.yaml'}, got {', '.join(sorted(unknown))}")
    if untested := [name for name in names if not tests[name].is_file()]:
        parser.error(f"expected tests of {', '.join(untested)}, found no {tests[untested[0]]}")
    tallies = [run(name, tests[name], equivalent.get(name, set()), options.processes) for name in names]
    sums = [
        sum(getattr(tally, name) for tally in tallies) for name in ("killed", "survived", "equivalent", "cpu_seconds")
    ]
    tallies.append(Tally("all", *sums))
    columns = ("module", "killed", "survived", "equivalent", "share", "cpu_seconds")
    table = [[getattr(tally, column) for column in columns] for tally in tallies]
    print(tabulate(table, columns, floatfmt=("", "", "", "", ".3f", ".0f")))
    return 0 if tallies[-1].share >= LEAST_SHARE else 1


def tests_of_modules(patterns: Sequence[str]) -> dict[str, Path]:
    """Return each module with functions that is mutated, with the file of its tests."""
    package, tests = REPOSITORY / "spiqa_tasks", REPOSITORY / "tests"
    found = [path for pattern in patterns for path in sorted(package.glob(f"{pattern}.py"))]
    modules = [path.relative_to(package).with_suffix("") for path in found if "def " in path.read_text()]
    return {each.as_posix(): tests / each.with_name(f"test_{each.name.strip('_')}.py") for each in modules}


def run(module: str, tests: Path, equivalent: Collection[str], processes: int) -> Tally:
    """Run a module's mutants, print the survivors and return the tally."""
    started = _cpu_seconds()
    folder = _prepare(module, tests)
    _mutmut(folder, "run", "--max-children", str(processes))
    statuses = dict(line.strip().rsplit(": ", 1) for line in _mutmut(folder, "results", "--all", "true").splitlines())
    changes = _changes(folder / "mutants" / "spiqa_tasks" / f"{module}.py")
    killed = sum(status in KILLED for status in statuses.values())
    survivors = {name: changes[name.rpartition(".")[2]] for name, status in statuses.items() if status not in KILLED}
    survivors = {name: change for name, change in survivors.items() if change not in equivalent}
    for name, change in survivors.items():
        print(f"{statuses[name]}: {name}\n    {change}", flush=True)
    listed = len(statuses) - killed - len(survivors)
    return Tally(module, killed, len(survivors), listed, _cpu_seconds() - started)


def _prepare(module: str, tests: Path) -> Path:
    """Return a folder of the module's own, with this repository in it and mutmut's configuration."""
    folder = WORK / module
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("spiqa_tasks", "tests", "tools", "utils", "yaml_configs"):
        (folder / name).symlink_to(REPOSITORY / name)
    settings = {
        "source_paths": ["spiqa_tasks"],
        "only_mutate": [f"spiqa_tasks/{module}.py"],
        "also_copy": ["tools", "utils", "yaml_configs"],
        "pytest_add_cli_args_test_selection": [tests.relative_to(REPOSITORY).as_posix()],
        "pytest_add_cli_args": ["--hypothesis-profile=mutants", "-p", "no:cacheprovider", "-k", NOT_TIMED],
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    text = (REPOSITORY / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text("\n".join([text, "[tool.mutmut]", *lines, ""]))
    return folder


def _mutmut(folder: Path, *arguments: str) -> str:
    program = Path(sys.executable).with_name("mutmut")
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        said = done.stdout[-4000:] + done.stderr[-4000:]
        raise SystemExit(f"mutmut {arguments[0]} ended with status {done.returncode} in {folder}:\n{said}")
    return done.stdout


def _cpu_seconds() -> float:
    """Return what the programs that ended used; half of it is how long two free cores take."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _changes(mutated: Path) -> dict[str, str]:
    """Return a mutant's function name -> its changed lines, as `new line`, or `no old line` where one was removed."""
    source = mutated.read_text()
    bodies = {
        node.name: [line.strip() for line in _source_from_arguments(source, node).splitlines()]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return {
        name: _difference(bodies[f"{name.rpartition('__mutmut_')[0]}__mutmut_orig"], body)
        for name, body in bodies.items()
        if "__mutmut_" in name
    }


def _source_from_arguments(source: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the function less its name, which differs between mutants."""
    return (ast.get_source_segment(source, function) or "").partition("(")[2]


def _difference(original: Sequence[str], changed: Sequence[str]) -> str:
    lines = [line for line in difflib.ndiff(original, changed) if line[0] in "+-"]
    new = [line[2:] for line in lines if line[0] == "+" and line[2:]]
    return " ".join(new) or "no " + " ".join(line[2:] for line in lines)


if __name__ == "__main__":
    sys.exit(main())
