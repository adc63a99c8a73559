"""`new`: the YAML of a benchmark from its data, with every row checked and a preview."""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from spiqa_tasks.benchmarks.own.checks import oddities
from spiqa_tasks.benchmarks.own.definition import AnswerForm, Definition, Kind, parse
from spiqa_tasks.benchmarks.own.pictures import PictureFiles
from spiqa_tasks.benchmarks.own.proposal import Proposal, propose
from spiqa_tasks.benchmarks.own.rows import HUB, Row, data_paths, is_wanted, read_rows
from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.benchmarks.registry import BENCHMARKS, register_own
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.files.source import default_source
from spiqa_tasks.printable import counted, printable, say
from spiqa_tasks.report.page import preview_page
from spiqa_tasks.report.printer import Table, render

LOOKED_AT = 2000
"""Rows from which columns are guessed: enough for their kinds; all rows are checked."""
FAULTS = 10
"""Faulty rows that are listed, of possibly thousands with one cause."""
PREVIEWED = 10
"""Questions on the page of `--preview`, which inlines their pictures."""
_END = "...\n"
"""End of a document, which PyYAML appends to a scalar."""
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
    path = arguments.folder / f"{arguments.name}.yaml"
    if path.exists() and not arguments.force:
        raise InputError(f"Expected no {path}, found one. Add --force to write over it, or choose another name.")
    values, proposal = _values(arguments)
    definition = register_own(values, arguments.folder.resolve())
    rows, faults = read_rows(definition, default_source(), definition.split, "ablation=none", pictures=True)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    path.write_text(_yaml(values), encoding="utf-8")
    print(f"Wrote {path}:\n\n{printable(_yaml(values))}")
    print(_columns(proposal, rows))
    print(f"\n{_summary(definition, rows)}")
    say(*oddities(definition, rows))
    if faults:
        say(f"{counted(len(faults), 'row')} of {len(faults) + len(rows)} cannot be asked:")
        say(*(f"  row {fault.number} (id {fault.id}): {fault.text}" for fault in faults[:FAULTS]))
    if len(faults) > FAULTS:
        say(f"  and {len(faults) - FAULTS} more.")
    if rows:
        _show(arguments, definition, rows)
    tasks = next(iter(definition.groups), definition.benchmark)
    including = f"--tasks {tasks} --include_path {path.parent.as_posix()}"
    print(f"\nRun it:    lmms-eval --model ... {including} --output_path out --log_samples")
    print(f"or score:  spiqa-tasks score {path.as_posix()} ANSWERS.jsonl")
    return 3 if faults or not rows else 0


def _values(arguments: argparse.Namespace) -> tuple[dict[str, Any], Proposal]:
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
    proposal = propose(records, named, PictureFiles(paths[0].parent))
    if proposal.open_points:
        raise InputError(
            f"Expected to tell which column of {arguments.data} has the {proposal.open_points[0]}, found no usual name "
            f"among {', '.join(proposal.unused) or 'no columns'}. Name it with --column "
            f"{proposal.open_points[0]}=COLUMN."
        )
    chosen = {"kind": arguments.kind, "answer_is": arguments.answer_is, "image_folder": arguments.image_folder}
    values = start | proposal.values() | {key: value for key, value in chosen.items() if value}
    values["metrics"] = list(parse(values, arguments.folder).metrics)
    return values | ({"variants": "both"} if "images" in proposal.columns else {}), proposal


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    found = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise InputError(f"Expected {option} NAME=VALUE, found {text!r}. Correct it.")
        found[name] = value
    return found


def _yaml(values: Mapping[str, Any], indent: str = "") -> str:
    """Return the values as YAML, one per line."""
    import yaml

    text = ""
    for key, value in values.items():
        if key == "columns":
            text += f"{key}:\n{_yaml(value, '  ')}"
        else:
            flow = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=1000)
            text += f"{indent}{key}: {flow.removesuffix(_END).strip()}\n"
    return text


def _columns(proposal: Proposal, rows: Sequence[Row]) -> str:
    """Return the role of each column with an example, and the columns that are not used."""
    first = rows[0] if rows else {}
    lines = []
    for role in ROLES:
        named = proposal.columns.get(role)
        shown = first.get({"answer": "references"}.get(role, role), "")
        shown = [shown[name] for name in shown if name in (named or ())] if isinstance(shown, Mapping) else shown
        text = ", ".join(map(str, shown)) if isinstance(shown, list) else str(shown or "")
        columns = ", ".join(named) if isinstance(named, list) else named or "-"
        example = (text if len(text) <= 60 else f"{text[:57]}...") if named else ""
        lines.append({"what": role, "column": columns, "in the first row": example})
    table = render("text", Table(lines, ["what"], ["column", "in the first row"]))
    return table + (f"\n\nNot used: {', '.join(proposal.unused)}." if proposal.unused else "")


def _summary(definition: Definition, rows: Sequence[Row]) -> str:
    choices = sum(bool(row["letters"]) for row in rows)
    pictures = len({path for row in rows for path in row["images"]})
    parts = [f"{counted(choices, 'choice')} and {counted(len(rows) - choices, 'open question')}"]
    parts += [counted(pictures, "picture"), f"headline {definition.metrics[0]}"]
    return f"{definition.benchmark}: {counted(len(rows), 'question')}: {', '.join(parts)}."


def _show(arguments: argparse.Namespace, definition: Definition, rows: Sequence[Row]) -> None:
    """Print the prompt of the first question; with `--preview` write a page of the first ones."""
    prompt = BENCHMARKS[definition.benchmark].prompt
    print(f"\nWhat a model is shown of {rows[0]['id']}:\n\n{printable(_plain(prompt(rows[0])))}")
    if arguments.preview:
        path = arguments.folder / f"{definition.benchmark}_preview.html"
        first = [(row, prompt(row)) for row in rows[:PREVIEWED]]
        path.write_text(preview_page(f"{definition.benchmark}: the first questions", first), encoding="utf-8")
        print(f"\nWrote {path}.")


def _plain(parts: Sequence[Part]) -> str:
    texts = (
        f"[picture {part.path}]"
        if isinstance(part, Picture)
        else f"\n<{part.role}>\n"
        if isinstance(part, Turn)
        else part
        for part in parts
    )
    return "    " + "".join(texts).strip().replace("\n", "\n    ")
