"""Captions of several models and the true ones, ranked by judges (SciFIBench Table 3)."""

from __future__ import annotations

import argparse
import json
import os

from spiqa_tasks.analysis.paper.listing import Item
from spiqa_tasks.analysis.paper.ranking import ask_of, rank, read_items
from spiqa_tasks.commands import batching
from spiqa_tasks.commands.judge_options import all_stored
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.judge import Asker
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.printable import counted, say
from spiqa_tasks.report.printer import Column, Table, render
from spiqa_tasks.runs.loading import own_runs
from spiqa_tasks.runs.selection import Selection
from spiqa_tasks.scoring.units import without_nan


def rank_captions(arguments: argparse.Namespace, item: Item) -> int:
    """Print the item; 3 if a ranking failed, a figure lacks a caption, or verdicts are not stored."""
    if not arguments.judge:
        raise InputError(f"Expected judges that see pictures for {item.name}, found none. Name them with --judge.")
    configs = {name: parse_judge(name, environ=os.environ) for name in dict.fromkeys(arguments.judge)}
    batching.check(arguments, configs.values())
    blind = [name for name, config in configs.items() if not PROVIDERS[config.provider].sees_pictures]
    if blind:
        seeing = " or ".join(f"{provider.name}:" for provider in PROVIDERS.values() if provider.sees_pictures)
        raise InputError(f"Expected judges that see pictures, found {', '.join(blind)}. Use judges of {seeing}.")
    runs, remarks = own_runs(arguments.runs, Selection(tuple(arguments.task)))
    say(*remarks)
    figures, left_out = read_items(runs)
    if not figures:
        raise InputError(f"Expected figures that every run has a caption of, found none among {left_out}.")
    judges = {name: Asker(config) for name, config in configs.items()}
    asked = {name: [ask_of(figure, name, arguments.seed) for figure in figures] for name in judges}
    requests = {name: [each.request for each in questions] for name, questions in asked.items()}
    calls = {name: judge.estimate(requests[name]).calls for name, judge in judges.items()}
    if arguments.dry_run:
        lines = (f"{name}: {count} requests for {len(figures)} figures" for name, count in calls.items())
        dry_run = {"calls": calls, "items": len(figures)}
        print(json.dumps(dry_run, indent=2) if arguments.format == "json" else "\n".join(lines))
        return 0
    for name, judge in judges.items():
        if calls[name] and not batching.by_files(arguments):
            judge.require_key()
    if not batching.settle(arguments, [(judge, requests[name]) for name, judge in judges.items()]):
        return 0
    outcome = rank(asked, judges)
    failed = sum(count for reasons in outcome.failures.values() for count in reasons.values())
    counts = {"items": len(figures), "without_caption": left_out, "failures": outcome.failures}
    if arguments.format == "json":
        ranking = {
            writer: {judge: dict(zip(("mean", "sd", "n"), cell, strict=True)) for judge, cell in columns.items()}
            for writer, columns in outcome.table.items()
        }
        print(json.dumps(without_nan({"ranking": ranking, "counts": counts}), indent=2))
    else:
        rows = [
            {
                "captions by": writer,
                "judges": {name: f"{each[0]:.2f} ± {each[1]:.2f}" for name, each in columns.items()},
            }
            for writer, columns in outcome.table.items()
        ]
        values = [Column(("judges", name)) for name in next(iter(outcome.table.values()), ())]
        print(render(arguments.format, Table(rows, ["captions by"], values)))
        sizes = counted(len(figures), "figure"), counted(failed, "ranking")
        print(f"\n{sizes[0]}, {left_out} without a caption of every model, {sizes[1]} failed.")
        for name, reasons in outcome.failures.items():
            for reason, count in reasons.items():
                print(f"  {name}: {count} x {reason}")
    return 3 if failed or left_out or not all_stored(judges.values()) else 0
