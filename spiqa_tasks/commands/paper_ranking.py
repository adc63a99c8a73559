"""Captions of several models and the true ones, ranked by judges (SciFIBench section 4.6,
appendix G.3, Table 3).
"""

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
"""A ranking is a list of at most 26 letters; some judges write a sentence first."""
MOST_MODELS = len(ascii_uppercase) - 1
"""One letter is that of the true caption."""
Ranks = Mapping[str, Mapping[str, int]]
"""Id of a figure -> writer of a caption -> rank (1 the best)."""


class Figure(NamedTuple):
    """A figure with its captions by writer; `TRUE` is one of them."""

    id: str
    picture: str
    captions: Mapping[str, str]


def rank_captions(arguments: argparse.Namespace, item: Item) -> int:
    """Print the item; 3 if a ranking failed, a figure lacks a caption, or verdicts are not
    stored.
    """
    judges = _judges(arguments.judge or (), item)
    runs, remarks = own_runs(arguments.runs, Selection(tuple(arguments.task)))
    say(*remarks)
    figures, left_out = read_figures(runs)

    rankings = [
        JudgeRanking(name, judge, figures, arguments.seed) for name, judge in judges.items()
    ]
    if arguments.dry_run:
        calls = {ranking.name: ranking.calls for ranking in rankings}
        _print_plan(calls, len(figures), arguments.format)
        return 0

    for ranking in rankings:  # all keys, before the first judge is paid
        ranking.require_key()

    by_judge: dict[str, Ranks] = {}
    failures: dict[str, Mapping[str, int]] = {}
    for ranking in rankings:
        by_judge[ranking.name], failures[ranking.name] = ranking.ranks()

    _print_ranks(by_judge, failures, len(figures), left_out, arguments.format)
    is_complete = not left_out and not any(failures.values()) and all_stored(judges.values())
    return 0 if is_complete else 3


class JudgeRanking:
    """One judge's questions about all figures."""

    def __init__(self, name: str, judge: JudgeClient, figures: Sequence[Figure], seed: int) -> None:
        self.name = name
        self.judge = judge
        self.figures = figures
        questions = [ask_of(figure, name, seed) for figure in figures]
        self.letters = [writers for writers, _ in questions]
        self.requests = [request for _, request in questions]
        self.calls = judge.estimate(self.requests).calls

    def require_key(self) -> None:
        """Raise JudgeError if requests are to be sent and there is no key for them."""
        if self.calls:
            self.judge.require_key()

    def ranks(self) -> tuple[Ranks, Mapping[str, int]]:
        """Return the ranks, and reason -> number of rankings without one; waits for the judge."""
        return read_rankings(self.figures, self.letters, self.judge.verdicts(self.requests))


def _judges(names: Sequence[str], item: Item) -> dict[str, JudgeClient]:
    """Return name -> judge. Raises InputError: none is named, or one sees no pictures."""
    if not names:
        raise InputError(
            f"Expected judges that see pictures for {item.name}, found none. Name them with"
            " --judge."
        )

    judges = {name: JudgeClient(parse_judge(name, environ=os.environ)) for name in names}
    with_picture = JudgeRequest("", ("",), top_logprobs=None)
    for name, judge in judges.items():
        reason = PROVIDERS[judge.config.provider].cannot(with_picture)
        if reason is not None:
            raise InputError(f"Expected judges that see pictures, found {name}: {reason}.")

    return judges


def _print_plan(calls: Mapping[str, int], figures: int, form: str) -> None:
    if form == "json":
        print(as_json({"calls": calls, "items": figures}))
    else:
        for name, count in calls.items():
            print(f"{name}: {count} requests for {figures} figures")


def _print_ranks(
    by_judge: Mapping[str, Ranks],
    failures: Mapping[str, Mapping[str, int]],
    figures: int,
    left_out: int,
    form: str,
) -> None:
    failed = sum(sum(reasons.values()) for reasons in failures.values())
    notes = [
        f"{counted(figures, 'figure')}, {left_out} without a caption of every model, "
        f"{counted(failed, 'ranking')} failed."
    ]
    for name, reasons in failures.items():
        notes += [f"{name}: {count} x {reason}" for reason, count in reasons.items()]

    rows = mean_ranks(by_judge)
    values = [Column(("ranks", name), show=_mean_and_sd) for name in (*by_judge, COMBINED)]
    table = Table(rows, [Column("captions_by", "captions by")], values, notes=notes)
    whole = {
        "ranking": {row["captions_by"]: row["ranks"] for row in rows},
        "counts": {"items": figures, "without_caption": left_out, "failures": failures},
    }
    print(render(form, table, whole=whole))


def _mean_and_sd(ranks: Mapping[str, float]) -> str:
    return f"{ranks['mean']:.2f} ± {ranks['sd']:.2f}"


def read_figures(runs: Sequence[Run]) -> tuple[list[Figure], int]:
    """Return the figures that every model has a caption of, and how many others there are.

    Raises InputError: no captioning runs, different data or settings, or no such figure;
    DataError: no figures on disk.
    """
    captioning = [run for run in runs if getattr(run.settings, "prompt", "") == "caption"]
    split = _only_split(captioning)
    by_model = {run.name: _captions(run) for run in captioning}
    if len(by_model) > MOST_MODELS:
        raise InputError(
            f"Expected captions of at most {MOST_MODELS} models, which get a letter each, "
            f"found {len(by_model)}."
        )

    references = {record.id: record.reference for run in captioning for record in run.records}
    rows = load_rows("scifibench", split, "prompt=caption")
    pictures = {row["id"]: row["images"][0] for row in rows}
    figures = []
    for key, reference in references.items():
        captions = {name: of_model.get(key, "") for name, of_model in by_model.items()}
        if all(captions.values()):
            figures.append(Figure(key, pictures[key], {TRUE: reference, **captions}))

    left_out = len(references) - len(figures)
    if not figures:
        raise InputError(
            f"Expected figures that every run has a caption of, found none among {left_out}."
        )
    return figures, left_out


def _captions(run: Run) -> dict[str, str]:
    return {record.id: record.prediction or "" for record in run.records}


def _only_split(captioning: Sequence[Run]) -> str:
    """Return the split of all runs. Raises InputError: none, or runs of several splits or
    settings.
    """
    splits = {(run.own.split, run.signature.settings) for run in captioning}
    if len(splits) != 1:
        raise InputError(
            "Expected runs of scifibench_captioning with one choice of settings, "
            f"found {len(splits)}."
        )
    return splits.pop()[0]


def ask_of(figure: Figure, judge: str, seed: int) -> tuple[dict[str, str], JudgeRequest]:
    """Return letter -> writer, in an order drawn by the figure, the judge and the seed, and the
    request.
    """
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
        "Your task is to rank the following captions in order of how well they represent the"
        f" figure.\n{captions}\nRank the captions from best to worst. Return just a list of the"
        " ranked captions, nothing else. For example: Ranked Captions:"
        f" [{', '.join(example)}].\nRanked Captions:"
    )
    return lettered, JudgeRequest(
        prompt, top_logprobs=None, images=(figure.picture,), max_tokens=MAX_TOKENS
    )


def read_rankings(
    figures: Sequence[Figure], lettered: Sequence[Mapping[str, str]], verdicts: Sequence[Verdict]
) -> tuple[Ranks, Mapping[str, int]]:
    """Return the ranks that a judge gave, and reason -> number of the rankings that failed or
    cannot be read.
    """
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
    """Return a row per writer, the best first: of each judge and `COMBINED` the `mean` rank,
    `sd`, and `n` figures.
    """
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
