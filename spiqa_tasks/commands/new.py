"""`new`: the YAML of a benchmark from its data, with every row checked and a preview."""

import argparse
import itertools
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

from spiqa_tasks.benchmarks.choice import options_in
from spiqa_tasks.benchmarks.own.cells import AnswerForm, cell
from spiqa_tasks.benchmarks.own.definition import Definition, Kind, parse
from spiqa_tasks.benchmarks.own.proposal import is_zero, propose
from spiqa_tasks.benchmarks.own.rows import HUB, Row, data_paths, fault, is_wanted, read_rows
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
ROLES = (
    "id",
    "question",
    "answer",
    "options",
    "images",
    "groups",
    "cluster",
    "points",
    "distractors",
)


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
    parser.add_argument(
        "--where", action="append", default=[], metavar="COLUMN=VALUE", help="ask only these rows"
    )
    parser.add_argument("--kind", choices=get_args(Kind), help="open answers, choices, or both")
    parser.add_argument(
        "--answer-is",
        choices=get_args(AnswerForm),
        help="how the right option of a choice is given",
    )
    parser.add_argument(
        "--image-folder", metavar="DIR", help="where paths of pictures begin (default: at the data)"
    )
    parser.add_argument(
        "--folder", type=Path, default=Path(), help="where the YAML is written (default: here)"
    )
    parser.add_argument(
        "--preview", action="store_true", help="write a page with the first ten questions, too"
    )
    parser.add_argument("--force", action="store_true", help="write over an earlier YAML")


def run(arguments: argparse.Namespace) -> int:
    """Write the YAML and describe it; 0 if every row can be asked, else 3."""
    import yaml

    path = arguments.folder / f"{arguments.name}.yaml"
    if path.exists() and not arguments.force:
        raise InputError(
            f"Expected no {path}, found one. Add --force to write over it, or choose another name."
        )
    _check_name(arguments.name)
    values, columns = _values(arguments)
    text = yaml.safe_dump(
        values, default_flow_style=None, sort_keys=False, allow_unicode=True, width=1000
    )
    definition = register_own(values, arguments.folder.resolve())
    read, faulty = read_rows(definition, default_source(), definition.split)
    faulty |= dict(_unaskable(definition, read))
    rows, faults = (
        [read[place] for place in read if place not in faulty],
        [faulty[place] for place in sorted(faulty)],
    )
    arguments.folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"Wrote {path}:\n\n{printable(text)}")
    if unused := [name for name in columns if name and name not in definition.named_columns]:
        print(f"Not used: {', '.join(unused)}.\n")
    choices = sum(bool(row["letters"]) for row in rows)
    kinds = f"{counted(choices, 'choice')} and {counted(len(rows) - choices, 'open question')}"
    pictures = counted(len({path for row in rows for path in row["images"]}), "picture")
    total = f"{definition.benchmark}: {counted(len(rows), 'question')}"
    print(f"{total}: {kinds}, {pictures}, headline {definition.metrics[0]}.")
    if not definition.columns.id and all(row["id"] == str(place) for place, row in read.items()):
        say(
            "Ids are the rows' places from 0, as no column was taken for them; --column id=COLUMN names one."
        )
    say(*_oddities(definition, rows))
    if faults:
        say(
            f"{counted(len(faults), 'row')} of {len(faults) + len(rows)} cannot be asked, the first:"
        )
        say(*(f"  {each}" for each in faults[:FAULTS]))
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
    folders = [
        Path(folder) / "tasks" for folder in (host and host.submodule_search_locations) or ()
    ]
    named = re.compile(rf"^(?:task|group):\s*[\"']?{re.escape(name)}[\"']?\s*$", re.MULTILINE)
    for path in (path for folder in folders for path in folder.rglob("*.y*ml")):
        if named.search(path.read_text(encoding="utf-8", errors="replace")):
            raise InputError(
                f"Expected a name that no task of lmms-eval has, found {name}. Choose another name."
            )


def _values(arguments: argparse.Namespace) -> tuple[dict[str, Any], Sequence[str]]:
    is_local = not arguments.data.startswith(HUB)
    data = (
        Path(os.path.relpath(arguments.data, arguments.folder)).as_posix()
        if is_local
        else arguments.data
    )
    where = _pairs(arguments.where, "--where")
    start = {"benchmark": arguments.name, "data": data, **({"where": where} if where else {})}
    bare = parse(start, arguments.folder.resolve())
    paths = data_paths(bare, default_source(), bare.split)
    records = [
        record
        for record in itertools.islice(read_records(paths), LOOKED_AT)
        if is_wanted(bare, record)
    ]
    columns = _pairs(arguments.column, "--column")
    if unknown := [role for role in columns if role not in ROLES]:
        raise InputError(
            f"Expected --column WHAT=COLUMN with WHAT among {', '.join(ROLES)}; found {unknown[0]!r}."
        )
    named = {role: text.split(",") if "," in text else text for role, text in columns.items()}
    chosen = {
        "kind": arguments.kind,
        "answer_is": arguments.answer_is,
        "image_folder": arguments.image_folder,
    }
    values = start | propose(records, named, paths[0].parent)
    if values.get("answer_is") == "number":
        answer = parse(values, arguments.folder).columns.answer[0]
        if any(
            is_zero(cell(record, answer))
            for record in read_records(paths)
            if is_wanted(bare, record)
        ):
            values["answer_is"] = "index"
    values |= {key: value for key, value in chosen.items() if value}
    values["metrics"] = list(parse(values, arguments.folder).metrics)
    variants = {"variants": "both"} if "images" in values["columns"] else {}
    return values | variants, list(
        dict.fromkeys(name for record in records for name in record if name != KEY)
    )


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    if broken := [text for text in given if not text.partition("=")[0] or "=" not in text]:
        raise InputError(f"Expected {option} NAME=VALUE, found {broken[0]!r}. Correct it.")
    return dict(text.split("=", 1) for text in given)


def _unaskable(definition: Definition, rows: Mapping[int, Row]) -> Iterator[tuple[int, str]]:
    """Yield place and sentence of each row whose pictures cannot be read, or whose prompt cannot be made."""
    broken = set(broken_pictures(path for row in rows.values() for path in row["images"]))
    for place, row in rows.items():
        if unread := broken.intersection(row["images"]):
            yield place, fault(place, row["id"], f"no readable picture at {min(unread)}")
        else:
            try:
                BENCHMARKS[definition.benchmark].prompt(row)
            except (KeyError, IndexError, ValueError, TypeError, StopIteration) as error:
                yield place, fault(place, row["id"], f"no prompt can be made of it, {error!r}")


def _oddities(definition: Definition, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence for each possible fault of rows that can be asked."""
    faults = {
        "with two options of the same text": [
            row["id"]
            for row in rows
            if len({*map(str.casefold, row["options"])}) < len(row["options"])
        ],
        "whose text lists options (--column options=question takes them)": [
            row["id"] for row in rows if not row["letters"] and options_in(row["question"])
        ],
        "without a picture": [
            row["id"] for row in rows if definition.columns.images and not row["images"]
        ],
    }
    for name, ids in faults.items():
        if ids:
            yield f"{counted(len(ids), 'question')} {name}, the first: {', '.join(ids[:5])}."
    if definition.answer_is == "number":
        yield "Right options are taken for numbers from 1, as none is 0; --answer-is index takes them from 0."
    yield from _skew([row for row in rows if row["letters"] and row["answer"] in row["letters"]])
    data = data_paths(definition, default_source(), definition.split)[0].resolve().parent
    for path in dict.fromkeys(os.path.dirname(path) for row in rows for path in row["images"]):
        if not any(
            Path(path).resolve().is_relative_to(folder)
            for folder in (data, cache_folder().resolve())
        ):
            yield f"Pictures are outside of the table's folder {data}, in {path}."
            break


def _skew(choices: Sequence[Row]) -> Iterator[str]:
    """Name the letter that is right more often than by chance, if any."""
    for letter, count in Counter(row["answer"] for row in choices).most_common(1):
        chances = [1 / len(row["letters"]) if letter in row["letters"] else 0.0 for row in choices]
        expected, spread = sum(chances), sum(chance * (1 - chance) for chance in chances) ** 0.5
        if count > expected + SKEWED * spread:
            share, chance = count / len(choices), expected / len(choices)
            yield f"{letter} is right in {share:.0%} of choices, by chance in {chance:.0%}. Shuffle the options."


def _show(arguments: argparse.Namespace, definition: Definition, rows: Sequence[Row]) -> None:
    """Print the prompt of the first question; with `--preview` write a page of the first ones."""
    parts = BENCHMARKS[definition.benchmark].prompt
    texts = [
        f"[picture {part.path}]" if isinstance(part, Picture) else str(part)
        for part in parts(rows[0])
    ]
    plain = printable("".join(texts).strip()).replace("\n", "\n    ")
    print(
        f"\nWhat a model is shown of {rows[0]['id']}, whose answer is {printable(rows[0]['answer'])}:\n\n    {plain}"
    )
    if arguments.preview:
        path = arguments.folder / f"{definition.benchmark}_preview.html"
        first = [(row, parts(row)) for row in rows[:PREVIEWED]]
        path.write_text(
            preview_page(f"{definition.benchmark}: the first questions", first), encoding="utf-8"
        )
        print(f"\nWrote {path}.")
