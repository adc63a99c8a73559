"""What `calibrate` and `exam` share: the judges, what they are asked, and how their worth is shown."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
from pathlib import Path

from spiqa_tasks.analysis.calibration import combination, examined, pairs
from spiqa_tasks.analysis.opinions import Opinion, baselines, opinion_of, requests
from spiqa_tasks.benchmarks.signature import PACKAGE, Signature, version
from spiqa_tasks.commands import batching
from spiqa_tasks.commands.judge_options import add_rule_options, all_stored, environ_of, forecast, rule_of
from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.files.atomic import check_file, write_atomically
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.printable import say
from spiqa_tasks.report import calibration
from spiqa_tasks.report.page import as_html
from spiqa_tasks.report.printer import add_format, as_csv, render
from spiqa_tasks.runs.readers.labels import Labels
from spiqa_tasks.scoring.binning import stratified
from spiqa_tasks.scoring.combining import COMBINATIONS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--judge",
        action="append",
        default=[],
        metavar="PROVIDER:MODEL[@URL]",
        help="a judge to examine; several are set against each other",
    )
    add_rule_options(parser)
    parser.add_argument("--combine", choices=COMBINATIONS, help="examine the judges as one, too")
    parser.add_argument("--sample", type=int, metavar="N", help="ask about N answers only, of every kind its share")
    parser.add_argument("--seed", type=int, default=0, help="of --sample and of the intervals (default: 0)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="ask each question N times, each time anew")
    parser.add_argument("--rewordings", action="store_true", help="ask in the rule's other wordings, too")
    parser.add_argument("--anyway", action="store_true", help="examine a judge that fails its two test questions, too")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page (extra report)")
    add_format(parser)
    parser.add_argument("--dry-run", action="store_true", help="say how many calls, tokens and dollars; ask nothing")
    batching.add_options(parser)


def examine(arguments: argparse.Namespace, title: str, labels: Labels, *, lexical: bool) -> int:
    """Ask the judges about labelled answers and print what they are worth; 3 where one of them failed on some.

    With `lexical`, baselines that compare words are shown, too.

    Raises:
        InputError: options that cannot be used.
        JudgeError: a judge that cannot be used.
    """
    for name in ("sample", "repeat"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise InputError(f"Expected --{name} to be at least 1, found {value}. Give a larger number.")
    if arguments.combine and len(set(arguments.judge)) < 2:
        raise InputError(f"Expected several --judge with --combine, found {len(set(arguments.judge))}. Name more.")
    if arguments.html is not None:
        check_file(arguments.html)
    labels, about = _part(arguments, labels)
    environ = environ_of(arguments, os.environ)
    parsed = {name: parse_judge(name, environ=environ) for name in dict.fromkeys(arguments.judge)}
    plain = [config.name for config in parsed.values()]
    configs = {config.name if plain.count(config.name) == 1 else name: config for name, config in parsed.items()}
    batching.check(arguments, configs.values())
    judges = {name: Judge(config, rule_of(arguments, arguments.rule or "l3score")) for name, config in configs.items()}
    asked = {
        name: (judge.engine, requests(judge.rule, labels.answers, arguments.repeat, arguments.rewordings))
        for name, judge in judges.items()
    }
    estimates = {name: engine.estimate(each) for name, (engine, each) in asked.items()}
    if arguments.dry_run:
        print(forecast(arguments, estimates, {"labels": labels.name}))
        return 0
    for name in judges if not batching.by_files(arguments) else ():
        if estimates[name].calls:
            _test(arguments, judges[name])
    tested = {name: None if arguments.anyway else judge for name, judge in judges.items()}
    status = batching.settle(arguments, [(*asked[name], tested[name]) for name in judges])
    if status is not None:
        return status
    opinions = [
        opinion_of(name, judge, labels.answers, about, arguments.repeat, arguments.rewordings)
        for name, judge in judges.items()
    ]
    if arguments.combine:
        opinions.append(combination(opinions, arguments.combine))
    if lexical:
        more, remarks = baselines(labels.answers, about)
        opinions += more
        say(*remarks)
    status = _show(arguments, title, labels, opinions)
    return status if all_stored(judge.engine for judge in judges.values()) else 3


def _part(arguments: argparse.Namespace, labels: Labels) -> tuple[Labels, Signature]:
    """The answers that are asked about, and their part of the signature."""
    for reason, count in labels.left_out.items():
        say(f"{labels.name}: {count} verdicts are left out: {reason}.")
    data = f"labels/{labels.name}@{labels.digest}"
    about = Signature(version(PACKAGE), "offline", data)
    if arguments.sample is None or arguments.sample >= len(labels.answers):
        return labels, about
    kinds = [(answer.trap, answer.system, answer.label) for answer in labels.answers]
    chosen = tuple(labels.answers[place] for place in stratified(kinds, arguments.sample, arguments.seed))
    part = f"{len(chosen)} of {len(labels.answers)}, stratified, seed {arguments.seed}"
    return dataclasses.replace(labels, answers=chosen), about.with_fields(questions=part)


def _test(arguments: argparse.Namespace, judge: Judge) -> None:
    """Ask the judge's test questions; JudgeError where it fails them and is not to be examined anyway."""
    name, fault = judge.engine.config.name, judge.rule.fault(judge.preflight(anyway=True))
    if fault is not None and not arguments.anyway:
        raise JudgeError(f"The judge {name} fails its test questions: {fault}; or examine it with --anyway.")
    if fault is not None:
        say(f"The judge {name} is examined anyway: {fault}.")


def _show(arguments: argparse.Namespace, title: str, labels: Labels, opinions: list[Opinion]) -> int:
    found = [examined(each, labels.answers, arguments.seed) for each in opinions]
    together = pairs([each for each in opinions if each.summary is not None])
    if arguments.html is not None:
        page = as_html(calibration.build(title, found, together, labels.answers), pictures="none")
        write_atomically(arguments.html, page.encode("utf-8", "replace"))
        say(f"wrote {arguments.html}.")
    if arguments.format == "json":
        about = {"labels": labels.name, "digest": labels.digest, "n": len(labels.answers), "left_out": labels.left_out}
        print(json.dumps(about | calibration.as_json(found, together, labels.answers), indent=1, ensure_ascii=False))
    elif arguments.format == "csv":
        print(as_csv(calibration.rows(found)))
    else:
        tables = calibration.tables(found, together)
        print(render(arguments.format, *tables))
    return 3 if any(each.failed for each in found) else 0
