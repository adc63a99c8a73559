"""Captions of several models and the true ones, ranked by judges (SciFIBench section 4.6, appendix G.3, Table 3)."""

import argparse
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.commands.judge_options import all_stored
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.judge import JudgeClient
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.sanitize import sanitize, shortened
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.printable import counted, say
from spiqa_tasks.published import Item
from spiqa_tasks.report.printer import Column, Table, as_json, render
from spiqa_tasks.runs.loading import own_runs
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import Selection
from spiqa_tasks.scoring.ranking import combined, mean_sd, parse_ranking

TRUE = "True Caption"
COMBINED = "Combined"
MAX_TOKENS = 256
Ranks = Mapping[str, Mapping[str, int]]
"""Id of a figure -> writer of a caption -> rank (1 the best)."""


class Figure(NamedTuple):
    """A figure with its captions by writer; `TRUE` is one of them."""

    id: str
    picture: str
    captions: Mapping[str, str]


def rank_captions(arguments: argparse.Namespace, item: Item) -> int:
    """Print the item; 3 if a ranking failed, a figure lacks a caption, or verdicts are not stored."""
    if not arguments.judge:
        raise InputError(
            f"Expected judges that see pictures for {item.name}, found none. Name them with --judge."
        )
    judges = {
        name: JudgeClient(parse_judge(name, environ=os.environ))
        for name in dict.fromkeys(arguments.judge)
    }
    for name, judge in judges.items():
        reason = PROVIDERS[judge.config.provider].cannot(JudgeRequest("", ("",), top_logprobs=None))
        if reason is not None:
            raise InputError(f"Expected judges that see pictures, found {name}: {reason}.")
    runs, remarks = own_runs(arguments.runs, Selection(tuple(arguments.task)))
    say(*remarks)
    figures, left_out = read_figures(runs)
    asked = {name: [ask_of(figure, name, arguments.seed) for figure in figures] for name in judges}
    requests = {name: [request for _, request in questions] for name, questions in asked.items()}
    calls = {name: judge.estimate(requests[name]).calls for name, judge in judges.items()}
    if arguments.dry_run:
        lines = [
            f"{name}: {count} requests for {len(figures)} figures" for name, count in calls.items()
        ]
        print(
            as_json({"calls": calls, "items": len(figures)})
            if arguments.format == "json"
            else "\n".join(lines)
        )
        return 0
    for name, judge in judges.items():
        if calls[name]:
            judge.require_key()
    by_judge: dict[str, Ranks] = {}
    failures: dict[str, Mapping[str, int]] = {}
    for name, judge in judges.items():
        letters = [writers for writers, _ in asked[name]]
        by_judge[name], failures[name] = read_rankings(
            figures, letters, judge.verdicts(requests[name])
        )
    failed = sum(sum(reasons.values()) for reasons in failures.values())
    sizes = counted(len(figures), "figure"), counted(failed, "ranking")
    notes = [f"{sizes[0]}, {left_out} without a caption of every model, {sizes[1]} failed."]
    notes += [
        f"{name}: {count} x {reason}"
        for name, reasons in failures.items()
        for reason, count in reasons.items()
    ]
    rows = mean_ranks(by_judge)
    values = [
        Column(("ranks", name), show=lambda ranks: f"{ranks['mean']:.2f} ± {ranks['sd']:.2f}")
        for name in (*judges, COMBINED)
    ]
    ranking = {row["captions_by"]: row["ranks"] for row in rows}
    counts = {"items": len(figures), "without_caption": left_out, "failures": failures}
    table = Table(rows, [Column("captions_by", "captions by")], values, notes=notes)
    print(render(arguments.format, table, whole={"ranking": ranking, "counts": counts}))
    return 3 if failed or left_out or not all_stored(judges.values()) else 0


def read_figures(runs: Sequence[Run]) -> tuple[list[Figure], int]:
    """Return the figures that every model has a caption of, and how many others there are.

    Raises InputError: no captioning runs, different data or settings, or no such figure; DataError: no figures on disk.
    """
    captioning = [run for run in runs if getattr(run.settings, "prompt", "") == "caption"]
    splits = {(run.own.split, run.signature.settings) for run in captioning}
    if len(splits) != 1:
        raise InputError(
            f"Expected runs of scifibench_captioning with one choice of settings, found {len(splits)}."
        )
    by_model = {
        run.name: {record.id: record.prediction or "" for record in run.records}
        for run in captioning
    }
    if len(by_model) >= len(ascii_uppercase):
        raise InputError(
            f"Expected captions of at most 25 models, which get a letter each, found {len(by_model)}."
        )
    references = {record.id: record.reference for run in captioning for record in run.records}
    pictures = {
        row["id"]: row["images"][0]
        for row in load_rows("scifibench", splits.pop()[0], "prompt=caption")
    }
    figures = [
        Figure(
            key,
            pictures[key],
            {TRUE: reference, **{name: each[key] for name, each in by_model.items()}},
        )
        for key, reference in references.items()
        if all(captions.get(key) for captions in by_model.values())
    ]
    left_out = len(references) - len(figures)
    if not figures:
        raise InputError(
            f"Expected figures that every run has a caption of, found none among {left_out}."
        )
    return figures, left_out


def ask_of(figure: Figure, judge: str, seed: int) -> tuple[dict[str, str], JudgeRequest]:
    """Return letter -> writer, in an order drawn by the figure, the judge and the seed, and the request."""
    writers = sorted(figure.captions)
    random.Random(f"rank#{seed}#{judge}#{figure.id}").shuffle(writers)
    lettered = dict(zip(ascii_uppercase[: len(writers)], writers, strict=True))
    captions = "\n".join(
        f"{letter}) {sanitize(shortened(figure.captions[writer]))}"
        for letter, writer in lettered.items()
    )
    example = list(lettered)
    random.Random(len(example)).shuffle(example)
    prompt = (
        "Your task is to rank the following captions in order of how well they represent the figure.\n"
        f"{captions}\n"
        "Rank the captions from best to worst. Return just a list of the ranked captions, nothing else. For example: "
        f"Ranked Captions: [{', '.join(example)}].\nRanked Captions:"
    )
    return lettered, JudgeRequest(
        prompt, top_logprobs=None, images=(figure.picture,), max_tokens=MAX_TOKENS
    )


def read_rankings(
    figures: Sequence[Figure], lettered: Sequence[Mapping[str, str]], verdicts: Sequence[Verdict]
) -> tuple[Ranks, Mapping[str, int]]:
    """Return the ranks that a judge gave, and reason -> number of the rankings that failed or cannot be read."""
    found: dict[str, dict[str, int]] = {}
    failures: Counter[str] = Counter()
    for figure, writers, verdict in zip(figures, lettered, verdicts, strict=True):
        order, reason = None, f"judge_failed: {verdict.reason}"
        if verdict.ok:
            order, reason = parse_ranking(verdict.text, list(writers))
        if order is None:
            failures[reason] += 1
        else:
            found[figure.id] = {writers[letter]: rank for rank, letter in enumerate(order, start=1)}
    return found, failures


def mean_ranks(by_judge: Mapping[str, Ranks]) -> list[dict[str, Any]]:
    """Return a row per writer, the best first: of each judge and `COMBINED` the `mean` rank, `sd`, and `n` figures."""
    rows = []
    for writer in sorted(
        {writer for found in by_judge.values() for places in found.values() for writer in places}
    ):
        columns = {
            judge: {key: float(each[writer]) for key, each in found.items()}
            for judge, found in by_judge.items()
        }
        columns[COMBINED] = combined(list(columns.values()))
        ranks = {
            judge: dict(
                zip(("mean", "sd", "n"), (*mean_sd(list(each.values())), len(each)), strict=True)
            )
            for judge, each in columns.items()
        }
        rows.append({"captions_by": writer, "ranks": ranks})
    return sorted(rows, key=lambda row: row["ranks"][COMBINED]["mean"])
