"""`calibrate`: how far judges agree with people's verdicts, and which traps they fall into."""

import argparse
import dataclasses
import os
from collections import Counter
from pathlib import Path

from spiqa_tasks.analysis.calibration import (
    ALWAYS,
    Opinion,
    baselines,
    examined,
    opinion_of,
    pairs,
    requests,
)
from spiqa_tasks.benchmarks.signature import PACKAGE, Signature, version
from spiqa_tasks.commands import batching
from spiqa_tasks.commands.judge_options import (
    add_rule_options,
    all_stored,
    environ_of,
    forecast,
    rule_of,
)
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import check_file, write_atomically
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.printable import say
from spiqa_tasks.report import calibration
from spiqa_tasks.report.page import as_html
from spiqa_tasks.report.printer import Column, Table, add_format, as_csv, render
from spiqa_tasks.runs.readers.labels import Labels, read_labels, traps_path
from spiqa_tasks.scoring.binning import stratified


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    option = parser.add_argument
    labels = (
        "answers with a person's yes or no: EVOUNA's json, or json, jsonl, tsv or xlsx with question, reference, "
        "prediction and label, and system where there are several"
    )
    option("labels", type=Path, nargs="?", metavar="LABELS", help=labels)
    traps = (
        "instead of LABELS, the answers that the package ships, each made to be right or wrong in one known "
        "way, or such a file: question, reference, candidate, verdict, kind"
    )
    option("--traps", type=Path, nargs="?", const=traps_path(), metavar="FILE", help=traps)
    option("--list", action="store_true", help="print the kinds of the traps, and ask nothing")
    judge = "a judge to examine; several are set against each other"
    option("--judge", action="append", default=[], metavar="PROVIDER:MODEL[@URL]", help=judge)
    add_rule_options(parser)
    option(
        "--sample", type=int, metavar="N", help="ask about N answers only, of every kind its share"
    )
    option("--seed", type=int, default=0, help="of --sample and of the intervals (default: 0)")
    option(
        "--repeat",
        type=int,
        default=1,
        metavar="N",
        help="ask each question N times, each time anew",
    )
    option("--rewordings", action="store_true", help="ask in the rule's other wordings, too")
    option(
        "--anyway",
        action="store_true",
        help="examine a judge that fails its two test questions, too",
    )
    option("--html", type=Path, metavar="FILE", help="write a page (extra report)")
    add_format(parser)
    option(
        "--dry-run", action="store_true", help="say how many calls, tokens and dollars; ask nothing"
    )
    batching.add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the calibration of each judge; status 3 if one failed on some answers, or verdicts are not stored."""
    paths = [path for path in (arguments.labels, arguments.traps) if path is not None]
    if len(paths) != 1:
        raise InputError(
            f"Expected either LABELS or --traps, found {'both' if paths else 'neither'}. Give one."
        )
    labels = read_labels(paths[0])
    if arguments.list:
        return _print_kinds(labels, arguments.format)
    for name in ("sample", "repeat"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise InputError(
                f"Expected --{name} to be at least 1, found {value}. Give a larger number."
            )
    if arguments.traps is not None and not arguments.judge:
        raise InputError(
            "Expected --judge PROVIDER:MODEL[@URL] with --traps, found none. Name one, or give --list."
        )
    if arguments.html is not None:
        check_file(arguments.html)
    labels, about = _part(arguments, labels)
    judges = _judges(arguments)
    again = (arguments.repeat, arguments.rewordings)
    asked = {
        name: (judge, requests(judge.rule, labels.answers, *again))
        for name, judge in judges.items()
    }
    estimates = {name: judge.estimate(each) for name, (judge, each) in asked.items()}
    if arguments.dry_run:
        print(forecast(arguments, estimates, {"labels": labels.name}))
        return 0
    for name in judges if not batching.by_files(arguments) else ():
        if estimates[name].calls:
            judges[name].preflight(anyway=arguments.anyway)
    if not batching.settle(arguments, list(asked.values()), tested=not arguments.anyway):
        return 0
    opinions = [
        opinion_of(name, judge, labels.answers, about, *again) for name, judge in judges.items()
    ]
    if (
        arguments.traps is not None
    ):  # wrong answers are made of the reference's own words: comparing words says nothing
        opinions += [
            Opinion(name, (said,) * len(labels.answers), signature=about)
            for name, said in ALWAYS.items()
        ]
    else:
        more, remarks = baselines(labels.answers, about)
        opinions += more
        say(*remarks)
    status = _show(arguments, labels, opinions)
    return status if all_stored(judges.values()) else 3


def _print_kinds(labels: Labels, form: str) -> int:
    counts = Counter((each.kind, each.label) for each in labels.answers)
    first = {(each.kind, each.label): each.candidate for each in reversed(labels.answers)}
    rows = [
        {
            "kind": key[0],
            "right": key[1],
            "n": n,
            "reference": first[key].reference,
            "example": first[key].prediction,
        }
        for key, n in counts.items()
    ]
    print(
        render(
            form, Table(rows, ["kind"], [Column("right", "is right"), "n", "reference", "example"])
        )
    )
    return 0


def _judges(arguments: argparse.Namespace) -> dict[str, Judge]:
    """Return name -> judge; the name is as typed if two would have the same one in results."""
    environ = environ_of(arguments, os.environ)
    parsed = {name: parse_judge(name, environ=environ) for name in dict.fromkeys(arguments.judge)}
    plain = [config.name for config in parsed.values()]
    configs = {
        config.name if plain.count(config.name) == 1 else name: config
        for name, config in parsed.items()
    }
    batching.check(arguments, configs.values())
    return {
        name: Judge(config, rule_of(arguments, arguments.rule or "l3score"))
        for name, config in configs.items()
    }


def _part(arguments: argparse.Namespace, labels: Labels) -> tuple[Labels, Signature]:
    for reason, count in labels.left_out.items():
        say(f"{labels.name}: {count} verdicts are left out: {reason}.")
    data = f"labels/{labels.name}@{labels.digest}"
    about = Signature(version(PACKAGE), "offline", data)
    if arguments.sample is None or arguments.sample >= len(labels.answers):
        return labels, about
    kinds = [(answer.kind, answer.system, answer.label) for answer in labels.answers]
    chosen = tuple(
        labels.answers[place] for place in stratified(kinds, arguments.sample, arguments.seed)
    )
    part = f"{len(chosen)} of {len(labels.answers)}, stratified, seed {arguments.seed}"
    return dataclasses.replace(labels, answers=chosen), about.with_fields(questions=part)


def _show(arguments: argparse.Namespace, labels: Labels, opinions: list[Opinion]) -> int:
    found = [examined(each, labels.answers, arguments.seed) for each in opinions]
    together = pairs([each for each in opinions if each.summary is not None])
    if arguments.html is not None:
        title = f"Judges {'against people' if arguments.traps is None else 'among traps'}, {labels.name}"
        page = as_html(calibration.build(title, found, together, labels.answers), pictures="none")
        write_atomically(arguments.html, page.encode("utf-8", "replace"))
        say(f"wrote {arguments.html}.")
    if arguments.format == "csv":
        print(as_csv(calibration.rows(found)))
    else:
        about = {
            "labels": labels.name,
            "digest": labels.digest,
            "n": len(labels.answers),
            "left_out": labels.left_out,
        }
        whole = about | calibration.as_json(found, together, labels.answers)
        print(render(arguments.format, *calibration.tables(found, together), whole=whole))
    return 3 if any(each.failed for each in found) else 0
