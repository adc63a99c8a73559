"""Let judges rank the captions of a figure by several models and its true one (SciFIBench, section
4.6, appendix G.3, Table 3).
"""

import argparse
import os
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple

import pandas as pd

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.commands.judge_options import all_stored
from spiqa_tasks.commands.run_arguments import runs_by_path
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.judge import JudgeClient
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.sanitize import sanitize, shortened
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.printable import counted, say
from spiqa_tasks.published import Item
from spiqa_tasks.report.printer import Column, Table, render
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.ranking import parse_ranking

# Writer of the figure's own caption, in the list of models.
TRUE = "True Caption"
# Column of the mean over all judges.
COMBINED = "Combined"

# A ranking is a list of at most 26 letters; some judges write a sentence first.
MAX_TOKENS = 256
# Each caption has a letter, also the true one.
MOST_MODELS = len(ascii_uppercase) - 1


class Figure(NamedTuple):
    """A figure: the path of its picture, and writer -> caption. A writer is a model or `TRUE`."""

    id: str
    picture: str
    captions: Mapping[str, str]


class RankingQuestion(NamedTuple):
    """The request for a judge's ranking of a figure's captions, and letter -> writer in it."""

    figure: str
    writers: Mapping[str, str]
    request: JudgeRequest


class Rank(NamedTuple):
    """The rank that a judge gives a writer's caption of a figure; 1 is the best."""

    judge: str
    figure: str
    writer: str
    rank: int


def rank_captions(arguments: argparse.Namespace, item: Item) -> int:
    """Print the mean ranks of the captions of each model.

    Return 3 if a ranking failed, a figure lacks a caption or verdicts could not be stored, else 0.
    """
    judges = _judges(arguments.judge or (), item)
    # Elsewhere `--judge` selects runs by the judge of their scores; captions have none.
    arguments.judge = None
    runs = runs_by_path(arguments)
    figures, left_out = read_figures(runs)

    ranks, failures = _rankings(judges, figures)
    say(
        f"{counted(len(figures), 'figure')}, {left_out} without a caption of every model, "
        f"{counted(failures.total(), 'ranking')} failed.",
        *(f"{reason}, {count} times." for reason, count in failures.items()),
    )
    means = [Column(name, name, _mean_and_sd) for name in (*judges, COMBINED)]
    table = Table(mean_ranks(ranks), [Column("captions_by", "captions by"), *means])
    print(render(arguments.format, table))

    is_complete = not left_out and not failures and all_stored(judges.values())
    return 0 if is_complete else 3


def _rankings(
    judges: Mapping[str, JudgeClient], figures: Sequence[Figure]
) -> tuple[list[Rank], Counter[str]]:
    """Return the ranks by all judges, and reason -> number of rankings that failed for it."""
    questions = {name: [ranking_question(figure, name) for figure in figures] for name in judges}
    # No judge is paid before the key of each one is there.
    for name, judge in judges.items():
        if judge.estimate([question.request for question in questions[name]]).calls:
            judge.require_key()

    ranks: list[Rank] = []
    failures: Counter[str] = Counter()
    for name, judge in judges.items():
        verdicts = judge.verdicts([question.request for question in questions[name]])
        ranks += read_rankings(name, questions[name], verdicts, failures)
    return ranks, failures


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


def read_figures(runs: Sequence[Run]) -> tuple[list[Figure], int]:
    """Return the figures that every model wrote a caption for, and the number of other figures.

    Raises InputError: no captioning runs, different data or settings, or no such figure;
    DataError: the release's pictures are missing.
    """
    captioning = _captioning_runs(runs)
    captions: dict[str, dict[str, str]] = defaultdict(dict)
    for run in captioning:
        for record in run.records:
            captions[record.id][TRUE] = record.reference
            if record.prediction:
                captions[record.id][run.name] = record.prediction

    writers = {TRUE, *(run.name for run in captioning)}
    rows = load_rows("scifibench", captioning[0].benchmark_task.split, "prompt=caption")
    pictures = {row["id"]: row["images"][0] for row in rows}
    figures = [
        Figure(key, pictures[key], of_figure)
        for key, of_figure in captions.items()
        if of_figure.keys() == writers
    ]
    left_out = len(captions) - len(figures)
    if not figures:
        raise InputError(
            f"Expected figures that every run has a caption of, found none among {left_out}."
        )
    return figures, left_out


def _captioning_runs(runs: Sequence[Run]) -> list[Run]:
    """Return the runs of captioning.

    Raises InputError: none, runs of different settings, too many runs, or missing captions.
    """
    captioning = [
        run for run in runs if run.has_samples and getattr(run.settings, "prompt", "") == "caption"
    ]
    settings = {(run.benchmark_task.split, run.signature.settings) for run in captioning}
    if len(settings) != 1:
        raise InputError(
            "Expected runs of scifibench_captioning with one choice of settings, "
            f"found {len(settings)}."
        )
    if len(captioning) > MOST_MODELS:
        raise InputError(
            f"Expected captions of at most {MOST_MODELS} models, which get a letter each, "
            f"found {len(captioning)}."
        )
    for run in captioning:
        if withheld := run.record_set.withheld():
            raise InputError(
                f"Expected all captions of {run.name}: {withheld}. Run it again, or add --partial."
            )
    return captioning


def ranking_question(figure: Figure, judge: str) -> RankingQuestion:
    """Return the question for a figure and a judge, by which the order of the captions is drawn."""
    writers = sorted(figure.captions)
    # Changing this seed would make stored verdicts useless.
    random.Random(f"rank#0#{judge}#{figure.id}").shuffle(writers)
    lettered = dict(zip(ascii_uppercase[: len(writers)], writers, strict=True))
    captions = "\n".join(
        f"{letter}) {sanitize(shortened(figure.captions[writer]))}"
        for letter, writer in lettered.items()
    )
    # The example of a ranking is not in the order A, B, C; the same one for all figures.
    example = list(lettered)
    random.Random(len(example)).shuffle(example)
    prompt = (
        "Your task is to rank the following captions in order of how well they represent the"
        f" figure.\n{captions}\nRank the captions from best to worst. Return just a list of the"
        " ranked captions, nothing else. For example: Ranked Captions:"
        f" [{', '.join(example)}].\nRanked Captions:"
    )
    request = JudgeRequest(
        prompt, top_logprobs=None, images=(figure.picture,), max_tokens=MAX_TOKENS
    )
    return RankingQuestion(figure.id, lettered, request)


def read_rankings(
    judge: str,
    questions: Sequence[RankingQuestion],
    verdicts: Sequence[Verdict],
    failures: Counter[str],
) -> list[Rank]:
    """Return a judge's ranks; count in `failures` the rankings that failed or cannot be read."""
    ranks = []
    for question, verdict in zip(questions, verdicts, strict=True):
        if verdict.ok:
            order, reason = parse_ranking(verdict.text, list(question.writers))
        else:
            order, reason = None, f"no reply ({verdict.reason})"
        if order is None:
            failures[f"{judge}: {reason}"] += 1
            continue
        for rank, letter in enumerate(order, start=1):
            ranks.append(Rank(judge, question.figure, question.writers[letter], rank))
    return ranks


def mean_ranks(ranks: Sequence[Rank]) -> list[dict[str, Any]]:
    """Return a row per writer, the best first, with `mean`, `sd` and `n` of each judge's ranks.

    In the column `COMBINED`, a figure counts with the mean of its ranks by all judges, if each
    judge ranked it, as in Table 3.
    """
    if not ranks:
        return []

    by_figure = pd.DataFrame(ranks).pivot(
        index=["writer", "figure"], columns="judge", values="rank"
    )
    by_figure[COMBINED] = by_figure.mean(axis="columns", skipna=False)

    rows = []
    for writer, of_writer in by_figure.groupby("writer"):
        row: dict[str, Any] = {"captions_by": writer}
        for judge, by_judge in of_writer.items():
            n = int(by_judge.count())
            sd = by_judge.std() if n > 1 else 0.0
            row[str(judge)] = {"mean": by_judge.mean(), "sd": sd, "n": n}
        rows.append(row)
    return sorted(rows, key=lambda row: row[COMBINED]["mean"])


def _mean_and_sd(ranks: Mapping[str, float]) -> str:
    """Return the mean rank as the paper prints it: `1.53 ± 0.62`."""
    return f"{ranks['mean']:.2f} ± {ranks['sd']:.2f}"
