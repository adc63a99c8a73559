"""`new`: the YAML of a benchmark from its data, with every row checked and a preview."""

import argparse
import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

from spiqa_tasks.benchmarks.own.cells import AnswerForm
from spiqa_tasks.benchmarks.own.definition import Definition, Kind, parse
from spiqa_tasks.benchmarks.own.prompts import MARKER, are_placed
from spiqa_tasks.benchmarks.own.proposal import propose
from spiqa_tasks.benchmarks.own.rows import HUB, Row, data_paths, is_wanted, read_rows
from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.registry import BENCHMARKS, register_own
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import cache_folder
from spiqa_tasks.files.pictures import broken_pictures
from spiqa_tasks.files.records import KEY, read_records
from spiqa_tasks.files.source import default_source
from spiqa_tasks.printable import counted, printable, say
from spiqa_tasks.report.page import preview_page

LOOKED_AT = 2000
"""Rows from which columns are guessed: enough for their kinds; all rows are checked."""
FAULTS = 10
"""Faulty rows that are listed, of possibly thousands with one cause."""
PREVIEWED = 10
"""Questions on the page of `--preview`, which inlines their pictures."""
SKEWED = 4.0
"""Standard errors above chance from which on a letter is reported as right too often."""
ROLES = ("id", "question", "answer", "options", "images", "groups", "cluster")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("name", help="of the benchmark and its task: letters, digits and _")
    parser.add_argument(
        "data",
        help="jsonl, json, csv, tsv, xlsx or parquet, a folder of `datasets`, or hf://datasets/OWNER/NAME@REV/PATH",
    )
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="WHAT=COLUMN",
        help=f"what a column is, where the guess is wrong: {', '.join(ROLES)}; several with commas, none with nothing",
    )
    parser.add_argument("--where", action="append", default=[], metavar="COLUMN=VALUE", help="ask only these rows")
    parser.add_argument("--kind", choices=get_args(Kind), help="open answers, choices, or both")
    parser.add_argument("--answer-is", choices=get_args(AnswerForm), help="how the right option of a choice is given")
    parser.add_argument("--image-folder", metavar="DIR", help="where paths of pictures begin (default: at the data)")
    parser.add_argument("--folder", type=Path, default=Path(), help="where the YAML is written (default: here)")
    parser.add_argument("--preview", action="store_true", help="write a page with the first ten questions, too")
    parser.add_argument("--force", action="store_true", help="write over an earlier YAML")


def run(arguments: argparse.Namespace) -> int:
    """Write the YAML and describe it; 0 if every row can be asked, else 3."""
    import yaml

    path = arguments.folder / f"{arguments.name}.yaml"
    if path.exists() and not arguments.force:
        raise InputError(f"Expected no {path}, found one. Add --force to write over it, or choose another name.")
    _check_name(arguments.name)
    values, columns = _values(arguments)
    text = yaml.safe_dump(values, default_flow_style=None, sort_keys=False, allow_unicode=True, width=1000)
    definition = register_own(values, arguments.folder.resolve())
    rows, faults = read_rows(definition, default_source(), definition.split)
    unaskable = dict(_unaskable(definition, rows))
    rows, faults = [row for row in rows if row["id"] not in unaskable], [*faults, *unaskable.values()]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"Wrote {path}:\n\n{printable(text)}")
    if unused := [name for name in columns if name not in definition.named_columns]:
        print(f"Not used: {', '.join(unused)}.\n")
    choices = sum(bool(row["letters"]) for row in rows)
    pictures = len({path for row in rows for path in row["images"]})
    parts = [f"{counted(choices, 'choice')} and {counted(len(rows) - choices, 'open question')}"]
    parts += [counted(pictures, "picture"), f"headline {definition.metrics[0]}"]
    print(f"{definition.benchmark}: {counted(len(rows), 'question')}: {', '.join(parts)}.")
    say(*_oddities(definition, rows))
    if faults:
        say(f"{counted(len(faults), 'row')} of {len(faults) + len(rows)} cannot be asked:")
        say(*(f"  {fault}" for fault in faults[:FAULTS]))
    if len(faults) > FAULTS:
        say(f"  and {len(faults) - FAULTS} more.")
    if rows:
        _show(arguments, definition, rows)
    tasks = next(iter(definition.groups), definition.benchmark)
    including = f"--tasks {tasks} --include_path {path.parent.as_posix()}"
    print(f"\nRun it:    lmms-eval --model ... {including} --output_path out --log_samples")
    print(f"or score:  spiqa-tasks score {path.as_posix()} ANSWERS.jsonl")
    return 3 if faults or not rows else 0


def _check_name(name: str) -> None:
    """Raise InputError for the name of a task that lmms-eval has, which would win silently; it is not imported."""
    host = find_spec("lmms_eval")
    folders = [Path(folder) / "tasks" for folder in (host and host.submodule_search_locations) or ()]
    named = re.compile(rf"^(?:task|group):\s*[\"']?{re.escape(name)}[\"']?\s*$", re.MULTILINE)
    for path in (path for folder in folders for path in folder.rglob("*.y*ml")):
        if named.search(path.read_text(encoding="utf-8", errors="replace")):
            raise InputError(f"Expected a name that no task of lmms-eval has, found {name}. Choose another name.")


def _values(arguments: argparse.Namespace) -> tuple[dict[str, Any], Sequence[str]]:
    """The values of the YAML, and all columns of the data."""
    is_local = not arguments.data.startswith(HUB)
    data = Path(os.path.relpath(arguments.data, arguments.folder)).as_posix() if is_local else arguments.data
    where = _pairs(arguments.where, "--where")
    start = {"benchmark": arguments.name, "data": data, **({"where": where} if where else {})}
    bare = parse(start, arguments.folder.resolve())
    paths = data_paths(bare, default_source(), bare.split)
    records = [record for record in itertools.islice(read_records(paths), LOOKED_AT) if is_wanted(bare, record)]
    columns = _pairs(arguments.column, "--column")
    if unknown := [role for role in columns if role not in ROLES]:
        raise InputError(f"Expected --column WHAT=COLUMN with WHAT among {', '.join(ROLES)}; found {unknown[0]!r}.")
    named = {role: text.split(",") if "," in text else text for role, text in columns.items()}
    chosen = {"kind": arguments.kind, "answer_is": arguments.answer_is, "image_folder": arguments.image_folder}
    values = start | propose(records, named, paths[0].parent) | {key: value for key, value in chosen.items() if value}
    values["metrics"] = list(parse(values, arguments.folder).metrics)
    variants = {"variants": "both"} if "images" in values["columns"] else {}
    return values | variants, list(dict.fromkeys(name for record in records for name in record if name != KEY))


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    found = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise InputError(f"Expected {option} NAME=VALUE, found {text!r}. Correct it.")
        found[name] = value
    return found


def _unaskable(definition: Definition, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield id and sentence of each row whose pictures cannot be read, or whose prompt cannot be made."""
    broken = set(broken_pictures(path for row in rows for path in row["images"]))
    for row in rows:
        if unread := broken.intersection(row["images"]):
            yield row["id"], f"id {row['id']}: no readable picture at {min(unread)}"
        else:
            try:
                BENCHMARKS[definition.benchmark].prompt(row)
            except (KeyError, IndexError, ValueError, TypeError, StopIteration) as error:
                yield row["id"], f"id {row['id']}: no prompt can be made of it, {error!r}"


def _oddities(definition: Definition, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence for each possible fault of rows that can be asked."""

    def shown(row: Row) -> tuple[str, ...]:
        return (row["question"], *row["options"], *row["images"])

    counts = Counter(map(shown, rows))
    faults: dict[str, Callable[[Row], bool]] = {
        "with two options of the same text": lambda row: (
            len(set(map(str.casefold, row["options"]))) < len(row["options"])
        ),
        "with a marker of a picture that the row does not have": lambda row: (
            MARKER.search(" ".join((row["question"], *row["options"]))) is not None
            and not are_placed([row["question"], *row["options"]], len(row["images"]))
        ),
        "without a picture": lambda row: bool(definition.columns.images) and not row["images"],
        "asked more than once, with the same options and pictures": lambda row: counts[shown(row)] > 1,
    }
    for fault, holds in faults.items():
        if ids := [row["id"] for row in rows if holds(row)]:
            yield f"{counted(len(ids), 'question')} {fault}, the first: {', '.join(ids[:5])}."
    if definition.answer_is == "number":
        yield "Right options are taken for numbers from 1, as none is 0; --answer-is index takes them from 0."
    yield from _skew([row for row in rows if row["letters"] and row["answer"] in row["letters"]])
    data = data_paths(definition, default_source(), definition.split)[0].resolve().parent
    inside = (data, cache_folder().resolve())
    for path in dict.fromkeys(os.path.dirname(path) for row in rows for path in row["images"]):
        if not any(Path(path).resolve().is_relative_to(folder) for folder in inside):
            yield f"Pictures are outside of the table's folder {data}, in {path}."
            break


def _skew(choices: Sequence[Row]) -> Iterator[str]:
    """Name the letter that is right more often than by chance, if any."""
    for letter, count in Counter(row["answer"] for row in choices).most_common(1):
        chances = [1 / len(row["letters"]) if letter in row["letters"] else 0.0 for row in choices]
        expected, spread = sum(chances), sum(chance * (1 - chance) for chance in chances) ** 0.5
        if count > expected + SKEWED * spread:
            yield (
                f"{letter} is right in {count / len(choices):.0%} of {counted(len(choices), 'choice')}, where "
                f"{expected / len(choices):.0%} would be by chance: who always answers {letter} gets as much. "
                "Shuffle the options."
            )


def _show(arguments: argparse.Namespace, definition: Definition, rows: Sequence[Row]) -> None:
    """Print the prompt of the first question; with `--preview` write a page of the first ones."""
    parts = BENCHMARKS[definition.benchmark].prompt
    texts = [f"[picture {part.path}]" if isinstance(part, Picture) else str(part) for part in parts(rows[0])]
    plain = printable("".join(texts).strip()).replace("\n", "\n    ")
    print(f"\nWhat a model is shown of {rows[0]['id']}, whose answer is {printable(rows[0]['answer'])}:\n\n    {plain}")
    if arguments.preview:
        path = arguments.folder / f"{definition.benchmark}_preview.html"
        first = [(row, parts(row)) for row in rows[:PREVIEWED]]
        path.write_text(preview_page(f"{definition.benchmark}: the first questions", first), encoding="utf-8")
        print(f"\nWrote {path}.")
