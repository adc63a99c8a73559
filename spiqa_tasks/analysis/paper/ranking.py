"""Judges rank the captions of several models and the true one (SciFIBench section 4.6, appendix G.3, Table 3)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.release import SciFIBenchSettings
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.judge import Asker
from spiqa_tasks.judge.sanitize import sanitize, shortened
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.ranking import combined, mean_sd, parse_ranking, ranks

TRUE = "True Caption"
COMBINED = "Combined"
MAX_TOKENS = 256


@dataclass(frozen=True)
class Item:
    """A figure with its captions, by who wrote them; `TRUE` is one of them."""

    id: str
    picture: str
    captions: Mapping[str, str]


@dataclass(frozen=True)
class Asked:
    """What one judge is asked about one item: the request, and who wrote the caption of each letter."""

    item: str
    writers: Mapping[str, str]
    request: JudgeRequest


@dataclass
class RankingOutcome:
    """What the judges said.

    Attributes:
        ranks: judge -> item id -> writer -> rank (1 the best).
        failures: judge -> reason -> how many rankings could not be had or read.
    """

    ranks: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    failures: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def table(self) -> dict[str, dict[str, tuple[float, float, int]]]:
        """Writer -> judge, then `Combined` -> mean rank, its SD over items, and the number of items."""
        writers = sorted({writer for items in self.ranks.values() for found in items.values() for writer in found})
        table = {}
        for writer in writers:
            by_judge = {
                judge: {item: float(found[writer]) for item, found in items.items()}
                for judge, items in self.ranks.items()
            }
            columns = {**by_judge, COMBINED: combined(list(by_judge.values()))}
            table[writer] = {judge: (*mean_sd(list(values.values())), len(values)) for judge, values in columns.items()}
        return dict(sorted(table.items(), key=lambda entry: entry[1][COMBINED][0]))


def read_items(runs: Sequence[Run]) -> tuple[list[Item], int]:
    """Return the figures that every model has a caption of, and how many others there were.

    Raises:
        InputError: no captioning runs, different data or settings, or too many models.
        DataError: the figures are not there.
    """
    captioning = [
        run for run in runs if isinstance(run.settings, SciFIBenchSettings) and run.settings.prompt == "caption"
    ]
    asked = {(run.own.split, run.signature.settings) for run in captioning}
    if len(asked) != 1:
        raise InputError(
            f"Expected samples of one captioning task with one choice of settings, found {len(asked)}. "
            "Run `--tasks scifibench_captioning --log_samples` with every model and name those runs."
        )
    by_model = {run.name: {record.id: record.prediction for record in run.records} for run in captioning}
    if len(by_model) + 1 > len(ascii_uppercase):
        raise InputError(f"Expected at most {len(ascii_uppercase) - 1} models, found {len(by_model)}. Name fewer runs.")
    references = {record.id: record.reference for run in captioning for record in run.records}
    pictures = {row["id"]: row["images"][0] for row in load_rows("scifibench", asked.pop()[0], "prompt=caption")}
    shared = [key for key in references if all(captions.get(key) for captions in by_model.values())]
    items = [
        Item(key, pictures[key], {TRUE: references[key], **{name: by_model[name][key] or "" for name in by_model}})
        for key in shared
    ]
    return items, len(references) - len(items)


def ask_of(item: Item, judge: str, seed: int) -> Asked:
    """The request about one item, with the captions in an order drawn by the item, the judge and the seed."""
    writers = sorted(item.captions)
    random.Random(f"rank#{seed}#{judge}#{item.id}").shuffle(writers)
    lettered = dict(zip(ascii_uppercase, writers, strict=False))
    shown = {writer: sanitize(shortened(caption)) for writer, caption in item.captions.items()}
    captions = "\n".join(f"{letter}) {shown[writer]}" for letter, writer in lettered.items())
    example = list(lettered)
    random.Random(len(example)).shuffle(example)
    prompt = (
        "Your task is to rank the following captions in order of how well they represent the figure.\n"
        f"{captions}\n"
        "Rank the captions from best to worst. Return just a list of the ranked captions, nothing else. For example: "
        f"Ranked Captions: [{', '.join(example)}].\nRanked Captions:"
    )
    request = JudgeRequest(prompt, top_logprobs=None, images=(item.picture,), max_tokens=MAX_TOKENS)
    return Asked(item.id, lettered, request)


def rank(asked: Mapping[str, Sequence[Asked]], judges: Mapping[str, Asker]) -> RankingOutcome:
    """Have every judge rank what it is asked; a ranking that fails or cannot be read is counted and left out."""
    outcome = RankingOutcome()
    for name, judge in judges.items():
        verdicts = judge.verdicts([question.request for question in asked[name]])
        found = outcome.ranks.setdefault(name, {})
        failures = outcome.failures.setdefault(name, {})
        for question, verdict in zip(asked[name], verdicts, strict=True):
            ranking = parse_ranking(verdict.text, list(question.writers)) if verdict.ok else None
            if ranking is not None and ranking.order is not None:
                found[question.item] = {
                    question.writers[letter]: place for letter, place in ranks(ranking.order).items()
                }
            else:
                reason = ranking.reason if ranking else f"judge_failed: {verdict.reason}"
                failures[reason] = failures.get(reason, 0) + 1
    return outcome
