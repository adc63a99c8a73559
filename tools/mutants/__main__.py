"""Change one expression of a function at a time and run the tests of its module: `make mutants`.

The tests of a module are those in the file with its name, and in other files of that folder that
import it; if there are none, all tests of the folder.

Prints the changes that no test notices, then a table of the modules of `modules.yaml`, or of those
that are named. Exit status 1: the tests of a module notice fewer than 85% of the changes, or
`equivalent.yaml` lists a change that is no longer made. The changes are mutmut's, which leaves
out decorated functions and code outside of functions, such as regular expressions.
"""

import argparse
import ast
import difflib
import json
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from tabulate import tabulate

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
WORK = REPOSITORY / "build" / "mutants"
PROGRAMS = {"hosts/vlmevalkit": REPOSITORY / ".venv-vlmevalkit" / "bin"}
"""Folder of modules whose tests need another environment -> its folder of programs."""
# Share of a module's changes that its tests must notice.
LEAST_SHARE = 0.85
# mutmut's statuses of changes that a test noticed.
KILLED = ("killed", "timeout")
NAMES = """
import sys
from mutmut.mutation.file_mutation import mutate_file_contents
print(*mutate_file_contents(sys.argv[1], open(sys.argv[1]).read()).mutant_names)
"""
"""Program that prints the names of a file's mutants; runs in a folder with mutmut's settings."""
LEFT_OUT = "not linear_time and not time_grows and not two_processes"
"""pytest's `-k`: without tests of time, as mutmut slows functions down, and of further processes,
which would run the unchanged code.
"""


@dataclass(frozen=True)
class Tally:
    """The counts of a module's mutants. `survived` are those that no test noticed, without the
    `equivalent` ones.
    """

    module: str
    made: int
    killed: int
    survived: int
    equivalent: int
    cpu_seconds: float

    @property
    def share(self) -> float:
        """The share of killed mutants in [0, 1]; 1 without mutants."""
        return self.killed / (self.killed + self.survived) if self.killed + self.survived else 1.0


def main() -> int:
    """Run what the command line names and return the exit status."""
    tests = tests_of_modules(yaml.safe_load((HERE / "modules.yaml").read_text()))
    reasons: dict[str, dict[str, list[str]]] = yaml.safe_load(
        (HERE / "equivalent.yaml").read_text()
    )
    equivalent = {
        name: {change for changes in each.values() for change in changes}
        for name, each in reasons.items()
    }
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument(
        "module",
        nargs="*",
        help="such as scoring/gain, or a folder of them; all where none is named",
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--most", type=int, help="of a module's changes, spread evenly over it; default: all"
    )
    options = parser.parse_args()
    names = [
        name for name in tests if not options.module or {name, *_folders(name)} & {*options.module}
    ]
    known = {*tests, *(folder for name in tests for folder in _folders(name))}
    if unknown := set(options.module) - known:
        parser.error(
            f"expected modules or folders of {HERE / 'modules.yaml'}, got"
            f" {', '.join(sorted(unknown))}"
        )
    if missing := set(equivalent) - set(tests):
        parser.error(
            "expected the modules of equivalent.yaml in modules.yaml, found no"
            f" {', '.join(sorted(missing))}"
        )
    tallies, faulty = [], False
    for name in names:
        try:
            tally, gone = run(name, tests[name], equivalent.get(name, set()), options)
        except RuntimeError as error:
            print(f"not measured: {name}\n{error}", flush=True)
            faulty = True
            continue
        tallies.append(tally)
        faulty = faulty or bool(gone)
        for change in sorted(gone):
            print(f"no such change: {name}, in equivalent.yaml\n    {change}")
        print(
            f"{name}: {tally.share:.3f} of {tally.killed + tally.survived}",
            file=sys.stderr,
            flush=True,
        )
    print(_table(tallies))
    return int(faulty or any(tally.share < LEAST_SHARE for tally in tallies))


def _folders(module: str) -> list[str]:
    """Return the folders of a module: of a/b/c, a/b and a."""
    return [folder.as_posix() for folder in Path(module).parents][:-1]


def _table(tallies: Sequence[Tally]) -> str:
    counts = ("made", "killed", "survived", "equivalent", "cpu_seconds")
    rows = [
        *tallies,
        Tally("all", *(sum(getattr(tally, name) for tally in tallies) for name in counts)),
    ]
    columns = ("module", *counts[:-1], "share", "cpu_seconds")
    table = [[getattr(tally, column) for column in columns] for tally in rows]
    return tabulate(table, columns, floatfmt=("", "", "", "", "", ".3f", ".0f"))


def tests_of_modules(patterns: Sequence[str]) -> dict[str, list[Path]]:
    """Return module -> files of its tests, for modules with functions that match the patterns."""
    package, tests = REPOSITORY / "spiqa_tasks", REPOSITORY / "tests"
    found = [path for pattern in patterns for path in sorted(package.glob(f"{pattern}.py"))]
    modules = [
        path.relative_to(package).with_suffix("") for path in found if "def " in path.read_text()
    ]
    texts = {path: path.read_text() for path in sorted(tests.rglob("test_*.py"))}
    return {each.as_posix(): _tests_of(each, texts, tests) for each in modules}


def _tests_of(module: Path, texts: Mapping[Path, str], tests: Path) -> list[Path]:
    """Return the test files of a module; `texts` has the text of every test file in `tests`."""
    mirror = tests / module.with_name(f"test_{module.name.strip('_')}.py")
    folder, name = f"spiqa_tasks.{'.'.join(module.parts[:-1])}", module.name
    imported = re.compile(rf"from {re.escape(folder)}(?:\.{name} import|(?: import .*\b{name}\b))")
    others = (
        path
        for path, text in texts.items()
        if tests / module.parts[0] in path.parents and imported.search(text)
    )
    found = dict.fromkeys([*[mirror] * mirror.is_file(), *others])
    return list(found or (path for path in texts if path.parent == mirror.parent))


def run(
    module: str, tests: Sequence[Path], equivalent: Collection[str], options: argparse.Namespace
) -> tuple[Tally, set[str]]:
    """Run a module's mutants and print the survivors.

    Return the tally, and the changes in `equivalent` that mutmut does not make.
    """
    started = _cpu_seconds()
    folder = _prepare(module, tests)
    programs = next(
        (path for start, path in PROGRAMS.items() if module.startswith(start)),
        Path(sys.executable).parent,
    )
    path = f"spiqa_tasks/{module}.py"
    names = _output([programs / "python", "-c", NAMES, path], folder).split()
    dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    chosen = [f"{dotted}.{name}" for name in _spread(names, options.most or len(names))]
    if not chosen:
        return Tally(module, 0, 0, 0, 0, _cpu_seconds() - started), set(equivalent)
    children = ("--max-children", str(options.processes))
    _output([programs / "mutmut", "run", *children, *(chosen if options.most else ())], folder)
    results = _output([programs / "mutmut", "results", "--all", "true"], folder)
    statuses = dict(line.strip().rsplit(": ", 1) for line in results.splitlines())
    changes = _changes(folder / "mutants" / path)
    killed = sum(statuses[name] in KILLED for name in chosen)
    survivors = {
        name: changes[name.rpartition(".")[2]] for name in chosen if statuses[name] not in KILLED
    }
    survivors = {name: change for name, change in survivors.items() if change not in equivalent}
    for name, change in survivors.items():
        print(f"{statuses[name]}: {name}\n    {change}", flush=True)
    listed = len(chosen) - killed - len(survivors)
    tally = Tally(module, len(names), killed, len(survivors), listed, _cpu_seconds() - started)
    return tally, set(equivalent) - set(changes.values())


def _spread(names: Sequence[str], most: int) -> list[str]:
    """Return at most `most` of the names, at even distances."""
    count = min(most, len(names))
    return [names[(2 * number + 1) * len(names) // (2 * count)] for number in range(count)]


def _prepare(module: str, tests: Sequence[Path]) -> Path:
    """Return a new folder for a module, with links to this repository and mutmut's settings."""
    folder = WORK / module
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("spiqa_tasks", "tests", "tools", "utils", "yaml_configs", "docs", "setup.cfg"):
        (folder / name).symlink_to(REPOSITORY / name)
    settings = {
        "source_paths": ["spiqa_tasks"],
        "only_mutate": [f"spiqa_tasks/{module}.py"],
        "also_copy": ["docs", "tools", "utils", "yaml_configs"],
        "pytest_add_cli_args_test_selection": [
            path.relative_to(REPOSITORY).as_posix() for path in tests
        ],
        "pytest_add_cli_args": [
            "--hypothesis-profile=mutants",
            "-p",
            "no:cacheprovider",
            "-k",
            LEFT_OUT,
        ],
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    text = (REPOSITORY / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text("\n".join([text, "[tool.mutmut]", *lines, ""]))
    return folder


def _output(command: Sequence[str | Path], folder: Path) -> str:
    """Return what a command prints. Raises RuntimeError: it failed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        said = done.stdout[-4000:] + done.stderr[-4000:]
        raise RuntimeError(
            f"{command[0]} {command[1]} ended with status {done.returncode} in {folder}:\n{said}"
        )
    return done.stdout


def _cpu_seconds() -> float:
    """Return the processor time of all child processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _changes(mutated: Path) -> dict[str, str]:
    """Return a mutant's name -> its changed lines, or `no <line>` if lines were only removed."""
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
    """Return a function's source from its arguments on: its name differs between mutants."""
    return (ast.get_source_segment(source, function) or "").partition("(")[2]


def _difference(original: Sequence[str], changed: Sequence[str]) -> str:
    lines = [line for line in difflib.ndiff(original, changed) if line[0] in "+-"]
    new = [line[2:] for line in lines if line[0] == "+" and line[2:]]
    return " ".join(new) or "no " + " ".join(line[2:] for line in lines)


if __name__ == "__main__":
    sys.exit(main())
