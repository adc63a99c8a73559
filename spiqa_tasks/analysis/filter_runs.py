"""The filter of the MMStar paper (section 4.1): what text-only models answer needs no image."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.inspectors import one_of_each, whole_questions
from spiqa_tasks.analysis.merging import groups_of, headline, kinds_of, merged
from spiqa_tasks.benchmarks.metric import Metric
from spiqa_tasks.benchmarks.summary import Outcomes, outcomes
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.answer import FIRST
from spiqa_tasks.runs.run import Run

if TYPE_CHECKING:
    import pandas as pd

# Least hits of 16 LVLMs (section 4.1).
DIFFICULTIES = {"easy": 12, "moderate": 8, "hard": 4, "tough": 0}
LVLMS = 16
UNKNOWN = "unknown (not every LVLM has a score)"

# Share of refused and unparsed answers from which most of an inspector's misses say nothing.
MOSTLY = 0.5

# The paper keeps questions with at most 2 hits of 8 inspectors.
KEPT_HITS, INSPECTORS = 2, 8


def is_abnormal(hits: int, models: int) -> bool:
    """Return whether a question counts to the abnormal hit rate: at least 6 of 8 hit (Figure 2)."""
    return 4 * hits >= 3 * models


def difficulty(hits: int, models: int) -> str:
    """Return the difficulty of a question that `hits` of `models` LVLMs hit, scaled to 16."""
    return next(name for name, least in DIFFICULTIES.items() if LVLMS * hits >= least * models)


ByTask = dict[str, list[Run]]


@dataclass(frozen=True)
class Leak:
    """The questions that an LVLM answers without the image and its LLM base does not (Figure 3)."""

    lvlm: str
    llm: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Filtered:
    """Hits of text-only models on one task, and the questions kept.

    Attributes:
        task: the source task.
        runs: those of the text-only models, which answered the same questions.
        frames: the questions of each run with their scores.
        hits: id -> number of inspectors that answered it, where every inspector has a score.
        max_hits: largest number of hits of a kept question.
        threshold: least score of a hit.
        difficulties: id -> difficulty; {} without LVLM runs.
    """

    task: str
    runs: Sequence[Run]
    metric: Metric
    frames: Sequence[pd.DataFrame]
    hits: dict[str, int]
    max_hits: int
    threshold: float
    difficulties: dict[str, str]
    leaks: Sequence[Leak]

    @property
    def inspectors(self) -> list[str]:
        """Names of the text-only models, without their ablation."""
        return [run.identity.model for run in self.runs]

    @cached_property
    def outcomes(self) -> list[Outcomes]:
        """Shares of each inspector's refused, unparsed, failed and truncated answers."""
        return [outcomes(list(frame.record)) for frame in self.frames]

    @property
    def kept(self) -> list[str]:
        """Ids of the kept questions, in the order of the split."""
        ids = [key for key, hits in self.hits.items() if hits <= self.max_hits]
        return sorted(ids, key=self.place)

    def place(self, key: str) -> int:
        """Return the index of a question in its task."""
        return self.runs[0].by_id[key].place

    def groups(self) -> dict[str, dict[str, float]]:
        """Return group (`all`, categories) -> n, kept, the abnormal hit rate (Figure 2), 0 to 1.

        With pairs also the number of questions that leaked in most of them.
        """
        asked = self.frames[0].loc[list(self.hits)]
        groups = {OVERALL: list(self.hits), **groups_of(asked, kinds_of(self.runs[0]))}
        return {name: self._group(ids) for name, ids in groups.items()}

    def _group(self, ids: Sequence[str]) -> dict[str, float]:
        abnormal = sum(is_abnormal(self.hits[key], len(self.runs)) for key in ids)
        kept = sum(self.hits[key] <= self.max_hits for key in ids)
        row = {"n": len(ids), "kept": kept, "abnormal_hit_rate": abnormal / len(ids)}
        if self.leaks:
            row["leaked_by_most"] = sum(map(self.is_leaked, ids))
        return row

    def leaked_by(self, key: str) -> list[str]:
        """Return the LVLMs of the pairs in which a question leaked."""
        return [leak.lvlm for leak in self.leaks if key in leak.ids]

    def is_leaked(self, key: str) -> bool:
        """Return whether a question leaked in more than half of the pairs (Figure 3, center)."""
        return 2 * len(self.leaked_by(key)) > len(self.leaks)

    @property
    def hit_counts(self) -> list[int]:
        """Number of questions by hits, from 0 to the number of inspectors."""
        counts = Counter(self.hits.values())
        return [counts[hits] for hits in range(len(self.runs) + 1)]

    def difficulty_counts(self) -> dict[str, int]:
        """Return difficulty -> number of kept questions, whose sum is `kept`; {} without LVLMs."""
        if not self.difficulties:
            return {}
        counts = Counter(self.difficulties.get(key, UNKNOWN) for key in self.kept)
        names = [*DIFFICULTIES, *[UNKNOWN] * bool(counts[UNKNOWN])]
        return {name: counts[name] for name in names}

    def remarks(self) -> list[str]:
        """Return warnings: questions left out, inspectors that mostly gave no answer."""
        remarks = []
        asked = self.frames[0].index
        lost = [key for key in asked if key not in self.hits]
        if lost:
            remarks.append(
                f"{self.task}: {len(lost)} of {len(asked)} questions are left out, as not every "
                f"inspector has a score of them, the first: {', '.join(lost[:FIRST])}."
            )
        for name, shares in zip(self.inspectors, self.outcomes, strict=True):
            if shares.refused + shares.unparsed >= MOSTLY:
                remarks.append(
                    f"{self.task}: {name} refused {shares.refused:.0%} of the questions, and "
                    f"{shares.unparsed:.0%} of its answers could not be read. These count as "
                    "misses, so that questions are kept that need no image; leave it out, or ask "
                    "it otherwise."
                )
        return remarks


@dataclass(frozen=True)
class Rule:
    """How questions are kept.

    Attributes:
        metric: its name; None: the headline of each task.
        max_hits: largest number of hits of a kept question; None: 2 of 8, scaled.
        threshold: least score of a hit; None: 1, for scores that are 0 or 1.
    """

    metric: str | None = None
    max_hits: int | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        """Raise InputError: a threshold by which every answer or none would be right."""
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise InputError(
                f"Expected a --threshold above 0 and at most 1, found {self.threshold:g}."
            )

    def hits_of(self, models: int) -> int:
        """Return the largest number of hits of a kept question; InputError: none or all stay."""
        hits = models * KEPT_HITS // INSPECTORS if self.max_hits is None else self.max_hits
        if not 0 <= hits < models:
            raise InputError(
                f"Expected --max-hits from 0 to {models - 1}, for {models} inspectors; found "
                f"{hits}."
            )
        return hits

    def right(self, frames: Sequence[pd.DataFrame], what: str) -> float:
        """Return the least score of a hit; InputError: it is needed, as scores are not 0 or 1."""
        if self.threshold is not None:
            return self.threshold
        for frame in frames:
            between = frame.score[~frame.score.isin([0, 1])].dropna()
            if len(between):
                raise InputError(
                    f"Expected scores of 0 or 1 in {what}, found {between.iloc[0]:.3f}. Give the "
                    "least right --threshold."
                )
        return 1.0


def filter_runs(
    runs: Sequence[Run],
    lvlms: Sequence[Run] = (),
    pairs: Iterable[tuple[Sequence[Run], Sequence[Run]]] = (),
    tasks: Sequence[str] = (),
    rule: Rule = Rule(),
    text_only_models: bool = False,
) -> tuple[list[Filtered], list[str], list[str]]:
    """Return the filter on every task of the inspectors' runs, warnings, and tasks left out.

    One model is one inspector (`one_of_each`).

    Args:
        runs: of the inspectors.
        lvlms: runs of LVLMs with images, for the difficulty.
        pairs: (runs of an LVLM without images, runs of its LLM base), for leaked questions.
        tasks: those that count; all without names.
        text_only_models: whether runs on tasks with images are of models that see none.

    Raises InputError: no such runs or tasks, runs with images, or no task left.
    """
    pairs = list(pairs)
    inspectors = selection.select_tasks(runs, tasks, variants=True)
    for group in (inspectors, lvlms, *itertools.chain(*pairs)):
        _check_options(group)
    by_task, remarks = one_of_each(inspectors)
    _check_inspectors(by_task, tasks, text_only_models)

    # LVLMs show how hard a question is with its picture; their runs without say nothing of it.
    shown, more = one_of_each(run for run in lvlms if not selection.is_blind(run))
    of_pairs = [(one_of_each(one)[0], one_of_each(other)[0]) for one, other in pairs]
    filtered: list[Filtered] = []
    left_out = []
    for task, members in by_task.items():
        leaking = _of_task(task, of_pairs)
        try:
            filtered.append(_filtered(task, members, shown.get(task, []), leaking, rule))
        except InputError as error:
            left_out.append(f"{task} is left out: {error}")

    if not filtered:
        raise InputError(" ".join(left_out))
    of_tasks = [remark for each in filtered for remark in each.remarks()]
    return filtered, [*remarks, *more, *of_tasks], left_out


def _of_task(
    task: str, of_pairs: Sequence[tuple[ByTask, ByTask]]
) -> list[tuple[list[Run], list[Run]]]:
    """Return the runs of the pairs that have a task."""
    return [(one[task], other[task]) for one, other in of_pairs if task in one and task in other]


def _check_options(runs: Sequence[Run]) -> None:
    for run in runs:
        if remark := selection.changed_options_remark(run):
            raise InputError(remark)


def _check_inspectors(
    by_task: dict[str, list[Run]], tasks: Sequence[str], text_only_models: bool
) -> None:
    seeing = [run for of in by_task.values() for run in of if not selection.is_blind(run)]
    if seeing and not text_only_models:
        raise InputError(
            f"Expected runs without images, found one with: {seeing[0].task} of "
            f"{seeing[0].identity.model}. Run --model ablated --model_args "
            "base=...,ablation=text, or say --text-only-models."
        )
    if missing := [task for task in tasks if task not in by_task]:
        raise InputError(
            f"Expected results of {', '.join(missing)}; found {', '.join(by_task)}. Correct --task."
        )


def _filtered(
    task: str,
    runs: Sequence[Run],
    lvlms: Sequence[Run],
    leaking: Sequence[tuple[Sequence[Run], Sequence[Run]]],
    rule: Rule,
) -> Filtered:
    first = runs[0]
    metric = headline(first, rule.metric)
    # Before the runs are read: such a task has a document for each figure.
    if first.is_own and first.own.benchmark.join(first.settings) is not None:
        raise InputError(
            "each of its questions is several documents, one for a figure, and would be kept in "
            "part. Filter the task that shows all figures at once."
        )
    max_hits = rule.hits_of(len(runs))
    frames = whole_questions(task, runs, metric)
    right = rule.right(frames, f"{metric.name} of {task}")

    difficulties: dict[str, str] = {}
    if lvlms:
        # The first inspector is there for its questions, which all must have answered.
        _, *of_lvlms = whole_questions(task, [first, *lvlms], metric)
        with_inspector = merged([frames[0], *of_lvlms]).index
        counts = _hits(of_lvlms, right)
        difficulties = {key: difficulty(counts[key], len(lvlms)) for key in with_inspector}

    leaks = [_leak(task, one, other, first, metric, right) for one, other in leaking]
    hits = _hits(frames, right)
    return Filtered(task, runs, metric, frames, hits, max_hits, right, difficulties, leaks)


def _hits(frames: Sequence[pd.DataFrame], right: float) -> dict[str, int]:
    """Return id -> number of runs with a score of at least `right`, where all have a score."""
    both = merged(frames)
    scores = both[[f"score_{number}" for number in range(len(frames))]]
    counts = (scores >= right).sum(axis="columns")
    return {str(key): int(count) for key, count in counts.items()}


def _leak(
    task: str, lvlm: Sequence[Run], llm: Sequence[Run], first: Run, metric: Metric, right: float
) -> Leak:
    names = [run.identity.model for run in (*lvlm, *llm)]
    if len(lvlm) != 1 or len(llm) != 1:
        raise InputError(
            f"Expected an LVLM and its LLM base in each --pair, found {', '.join(names)}. Name two "
            "files."
        )
    _, *frames = whole_questions(task, [first, *lvlm, *llm], metric)
    both = merged(frames)
    leaked = both[(both.score_0 >= right) & (both.score_1 < right)]
    return Leak(names[0], names[1], tuple(leaked.index))
