"""`new`: the YAML of a benchmark of one's own, from its data; every row checked, and one shown as a model sees it."""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from spiqa_tasks.benchmarks.own.definition import AnswerForm, Kind
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted, printable, say
from spiqa_tasks.report.forms import as_table

if TYPE_CHECKING:
    from spiqa_tasks.benchmarks.own.definition import Definition
    from spiqa_tasks.benchmarks.own.proposal import Proposal
    from spiqa_tasks.benchmarks.own.rows import Fault, Row
    from spiqa_tasks.benchmarks.prompting import Part

LOOKED_AT = 2000
"""Rows by which columns are guessed; all of them are checked."""
FAULTS = 10
"""Faults of rows that are listed."""
PREVIEWED = 10
"""Questions on the page of `--preview`."""
ROLES = ("id", "question", "answer", "options", "images", "groups", "cluster")


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("new", help="make a benchmark of one's own: the YAML, from a table of questions")
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
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the YAML and say what it is; 0 where every row can be asked, else 3.

    Raises:
        InputError: a column that cannot be told, or a YAML that is there already.
        DataError: data that is not there, or in no known form.
    """
    from spiqa_tasks.benchmarks.own.checks import oddities
    from spiqa_tasks.benchmarks.own.rows import read_rows
    from spiqa_tasks.benchmarks.registry import register_own
    from spiqa_tasks.files.source import default_source

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
    for line in oddities(definition, rows):
        say(line)
    _say_faults(faults, len(rows))
    if rows:
        _show(arguments, definition, rows)
    print(_next_steps(path, definition))
    return 3 if faults or not rows else 0


def _values(arguments: argparse.Namespace) -> tuple[dict[str, Any], Proposal]:
    """The YAML's values, and what they were guessed from."""
    from spiqa_tasks.benchmarks.own.definition import parse
    from spiqa_tasks.benchmarks.own.pictures import PictureFiles
    from spiqa_tasks.benchmarks.own.proposal import propose
    from spiqa_tasks.benchmarks.own.rows import HUB, data_paths, is_wanted
    from spiqa_tasks.files.records import read_records
    from spiqa_tasks.files.source import default_source

    is_local = not arguments.data.startswith(HUB)
    data = Path(os.path.relpath(arguments.data, arguments.folder)).as_posix() if is_local else arguments.data
    where = _pairs(arguments.where, "--where")
    start = {"benchmark": arguments.name, "data": data, **({"where": where} if where else {})}
    bare = parse(start, arguments.folder.resolve())
    paths = data_paths(bare, default_source(), bare.split)
    records = [record for record in itertools.islice(read_records(paths), LOOKED_AT) if is_wanted(bare, record)]
    proposal = propose(records, _given(arguments.column), PictureFiles(paths[0].parent))
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


def _given(pairs: Sequence[str]) -> dict[str, Any]:
    """What `--column` says, in the YAML's form."""
    found: dict[str, Any] = {}
    for role, text in _pairs(pairs, "--column").items():
        if role not in ROLES:
            raise InputError(f"Expected --column WHAT=COLUMN with WHAT among {', '.join(ROLES)}; found {role!r}.")
        names = text.split(",")
        found[role] = text if len(names) == 1 else names
    return found


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    found = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise InputError(f"Expected {option} NAME=VALUE, found {text!r}. Correct it.")
        found[name] = value
    return found


def _yaml(values: Mapping[str, Any]) -> str:
    """The values as a YAML, a line for each, the columns one below the other."""
    lines = []
    for key, value in values.items():
        if key == "columns":
            lines += [f"{key}:", *(f"  {name}: {_flow(each)}" for name, each in value.items())]
        else:
            lines.append(f"{key}: {_flow(value)}")
    return "".join(f"{line}\n" for line in lines)


def _flow(value: Any) -> str:
    import yaml

    return yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=1000).removesuffix("...\n").strip()


def _columns(proposal: Proposal, rows: Sequence[Row]) -> str:
    """What each column was taken for, with an example, and what was not found or used."""
    first = rows[0] if rows else {}
    lines = []
    for role in ROLES:
        named = proposal.columns.get(role)
        shown = first.get({"answer": "references"}.get(role, role), "")
        shown = [shown[name] for name in shown if name in (named or ())] if isinstance(shown, Mapping) else shown
        text = ", ".join(map(str, shown)) if isinstance(shown, list) else str(shown or "")
        columns = ", ".join(named) if isinstance(named, list) else named or "-"
        lines.append([role, columns, printable(text if len(text) <= 60 else f"{text[:57]}...") if named else ""])
    table = as_table(lines, ["what", "column", "in the first row"])
    return table + (f"\n\nNot used: {', '.join(proposal.unused)}." if proposal.unused else "")


def _summary(definition: Definition, rows: Sequence[Row]) -> str:
    choices = sum(bool(row["letters"]) for row in rows)
    pictures = len({path for row in rows for path in row["images"]})
    parts = [f"{counted(choices, 'choice')} and {counted(len(rows) - choices, 'open question')}"]
    parts += [counted(pictures, "picture"), f"headline {definition.metrics[0]}"]
    return f"{definition.benchmark}: {counted(len(rows), 'question')}: {', '.join(parts)}."


def _say_faults(faults: Sequence[Fault], good: int) -> None:
    if faults:
        say(f"{counted(len(faults), 'row')} of {len(faults) + good} cannot be asked:")
        for fault in faults[:FAULTS]:
            say(f"  row {fault.number} (id {fault.id}): {fault.text}")
        if len(faults) > FAULTS:
            say(f"  and {len(faults) - FAULTS} more.")


def _show(arguments: argparse.Namespace, definition: Definition, rows: Sequence[Row]) -> None:
    """Print the first question as a model sees it, and write the page of the first ones where it is wanted."""
    from spiqa_tasks.benchmarks.registry import BENCHMARKS
    from spiqa_tasks.report.page import preview_page

    prompt = BENCHMARKS[definition.benchmark].prompt
    print(f"\nWhat a model is shown of {rows[0]['id']}:\n\n{printable(_plain(prompt(rows[0])))}")
    if arguments.preview:
        path = arguments.folder / f"{definition.benchmark}_preview.html"
        page = preview_page(
            f"{definition.benchmark}: the first questions", [(row, prompt(row)) for row in rows[:PREVIEWED]]
        )
        path.write_text(page, encoding="utf-8")
        print(f"\nWrote {path}.")


def _plain(parts: Sequence[Part]) -> str:
    from spiqa_tasks.benchmarks.prompting import Picture, Turn

    texts = (
        f"[picture {part.path}]"
        if isinstance(part, Picture)
        else f"\n<{part.role}>\n"
        if isinstance(part, Turn)
        else part
        for part in parts
    )
    return "    " + "".join(texts).strip().replace("\n", "\n    ")


def _next_steps(path: Path, definition: Definition) -> str:
    tasks = next(iter(definition.groups), definition.benchmark)
    folder = path.parent.as_posix()
    return (
        f"\nRun it:    lmms-eval --model ... --tasks {tasks} --include_path {folder} --output_path out --log_samples\n"
        f"or score:  spiqa-tasks score {path.as_posix()} ANSWERS.jsonl"
    )
