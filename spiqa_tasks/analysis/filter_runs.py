"""The filter of the MMStar paper (section 4.1): questions that text-only models answer need no image."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from spiqa_tasks.analysis.inspectors import aligned, one_of_each
from spiqa_tasks.analysis.pair import Pair, groups_of
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.summary import Outcomes
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.answer import FIRST
from spiqa_tasks.runs.run import Run

DIFFICULTIES = {"easy": 12, "moderate": 8, "hard": 4, "tough": 0}
"""Difficulty -> least hits of 16 LVLMs (section 4.1)."""
UNKNOWN = "unknown (not every LVLM has a score)"
MOSTLY = 0.5
"""Share of refused and unparsed answers from which an inspector has a warning: most of its misses say nothing."""


def is_abnormal(hits: int, models: int) -> bool:
    """Return whether a question counts to the abnormal hit rate: at least 6 of 8 LLMs hit (Figure 2)."""
    return 4 * hits >= 3 * models


def difficulty(hits: int, models: int) -> str:
    """Return the difficulty of a question that `hits` of `models` LVLMs hit, scaled to 16."""
    return next(name for name, lowest in DIFFICULTIES.items() if 16 * hits >= lowest * models)


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
        pair: runs of the text-only models; all have the same questions.
        hits: id -> number of inspectors that answered it, of the questions that every inspector has a score on.
        max_hits: largest number of hits of a kept question.
        threshold: least score of a hit.
        difficulties: id -> difficulty; {} without LVLM runs.
    """

    task: str
    pair: Pair
    hits: dict[str, int]
    max_hits: int
    threshold: float
    difficulties: dict[str, str]
    leaks: Sequence[Leak]

    @property
    def inspectors(self) -> list[str]:
        """Names of the text-only models, without their ablation."""
        return [run.identity.model for run in self.pair.runs]

    @cached_property
    def outcomes(self) -> list[Outcomes]:
        """Shares of each inspector's refused, unparsed, failed and truncated answers."""
        return self.pair.outcomes(list(self.pair.questions[0]))

    @property
    def kept(self) -> list[str]:
        """Ids of the kept questions, in the order of the split."""
        ids = [key for key, hits in self.hits.items() if hits <= self.max_hits]
        return sorted(ids, key=lambda key: self.pair.runs[0].by_id[key].place)

    def groups(self) -> dict[str, dict[str, float]]:
        """Group (`all`, categories) -> n, kept, the abnormal hit rate (Figure 2), 0 to 1; with pairs what leaked."""
        asked = {key: record for key, record in self.pair.questions[0].items() if key in self.hits}
        rows = {}
        for group, keys in groups_of(asked).items():
            abnormal = sum(is_abnormal(self.hits[key], len(self.inspectors)) for key in keys)
            kept = sum(self.hits[key] <= self.max_hits for key in keys)
            rows[group] = {"n": len(keys), "kept": kept, "abnormal_hit_rate": abnormal / len(keys)}
            if self.leaks:
                rows[group]["leaked_by_most"] = sum(map(self.is_leaked, keys))
        return rows

    def leaked_by(self, key: str) -> list[str]:
        """Return the LVLMs of the pairs in which a question leaked."""
        return [leak.lvlm for leak in self.leaks if key in leak.ids]

    def is_leaked(self, key: str) -> bool:
        """Return whether a question leaked in more than half of the pairs (Figure 3, the chart in the center)."""
        return 2 * len(self.leaked_by(key)) > len(self.leaks)

    @property
    def hit_counts(self) -> list[int]:
        """Number of questions by hits, from 0 to the number of inspectors."""
        counts = Counter(self.hits.values())
        return [counts[hits] for hits in range(len(self.inspectors) + 1)]

    def difficulty_counts(self) -> dict[str, int]:
        """Return difficulty -> number of kept questions, which sum to `kept`; {} without LVLM runs."""
        counts = Counter(self.difficulties.get(key, UNKNOWN) for key in self.kept)
        names = [*DIFFICULTIES, UNKNOWN] if counts[UNKNOWN] else DIFFICULTIES
        return {name: counts[name] for name in names} if self.difficulties else {}

    def remarks(self) -> list[str]:
        """Return warnings: questions left out, inspectors that mostly gave no answer."""
        asked = self.pair.questions[0]
        lost = [key for key in asked if key not in self.hits]
        left_out = (
            f"{self.task}: {len(lost)} of {len(asked)} questions are left out, as not every inspector has a score of "
            f"them, the first: {', '.join(lost[:FIRST])}."
        )
        return [left_out] * bool(lost) + [
            f"{self.task}: {name} refused {shares.refused:.0%} of the questions, and {shares.unparsed:.0%} of its "
            "answers could not be read. These count as misses, so that questions are kept that need no image; leave it "
            "out, or ask it otherwise."
            for name, shares in zip(self.inspectors, self.outcomes, strict=True)
            if shares.refused + shares.unparsed >= MOSTLY
        ]


def filter_runs(
    runs: Sequence[Run],
    lvlms: Sequence[Run] = (),
    pairs: Iterable[tuple[Sequence[Run], Sequence[Run]]] = (),
    tasks: Sequence[str] = (),
    max_hits: int | None = None,
    metric: str | None = None,
    threshold: float | None = None,
    text_only_models: bool = False,
) -> tuple[list[Filtered], list[str], list[str]]:
    """Return the filter on every task of the inspectors' runs, warnings, and a sentence per task left out.

    One model is one inspector (`one_of_each`).

    Args:
        runs: of the inspectors, of all `tasks` by default, scored by `metric` (default: the headline of each task).
        lvlms: runs of LVLMs with images, for the difficulty.
        pairs: (runs of an LVLM without images, runs of its LLM base), for leaked questions.
        max_hits: largest number of hits of a kept question; None: 2 of 8, scaled to the number of inspectors.
        threshold: least score of a hit; None: 1, for scores that are 0 or 1.
        text_only_models: whether runs on tasks with images are of models that see none.

    Raises InputError: no such runs or tasks, runs with images, a threshold out of range, or no task left.
    """
    if threshold is not None and not 0 < threshold <= 1:
        raise InputError(f"Expected a --threshold above 0 and at most 1, found {threshold:g}.")
    inspectors = selection.select_tasks(runs, tasks, variants=True)
    in_pairs = [run for pair in pairs for members in pair for run in members]
    for run in (*inspectors, *lvlms, *in_pairs):
        if remark := selection.changed_options_remark(run):
            raise InputError(remark)
    by_task, remarks = one_of_each(inspectors)
    seeing = [run for each in by_task.values() for run in each if not selection.is_blind(run)]
    if seeing and not text_only_models:
        raise InputError(
            f"Expected runs without images, found one with: {seeing[0].task} of {seeing[0].identity.model}. Run "
            "--model ablated --model_args base=...,ablation=text, or say --text-only-models."
        )
    missing = [task for task in tasks if task not in by_task]
    if missing:
        raise InputError(
            f"Expected results of {', '.join(missing)}; found {', '.join(by_task)}. Correct --task."
        )
    shown, more = one_of_each(run for run in lvlms if not selection.is_blind(run))
    paired = [(one_of_each(one)[0], one_of_each(other)[0]) for one, other in pairs]
    filtered, left_out = [], []
    for task, members in by_task.items():
        leaking = [
            (one[task], other[task]) for one, other in paired if task in one and task in other
        ]
        try:
            of_task = members[0].metric(metric)
            filtered.append(
                _filtered(task, members, shown.get(task, []), leaking, of_task, max_hits, threshold)
            )
        except InputError as error:
            left_out.append(f"{task} is left out: {error}")
    if not filtered:
        raise InputError(" ".join(left_out))
    return (
        filtered,
        [*remarks, *more, *(remark for each in filtered for remark in each.remarks())],
        left_out,
    )


def _filtered(
    task: str,
    runs: Sequence[Run],
    lvlms: Sequence[Run],
    leaking: Sequence[tuple[Sequence[Run], Sequence[Run]]],
    metric: Metric,
    max_hits: int | None,
    threshold: float | None,
) -> Filtered:
    first = runs[0]
    if first.is_own and first.own.benchmark.join(first.settings) is not None:
        raise InputError(
            "each of its questions is several documents, one for a figure, and would be kept in part. Filter the task "
            "that shows all figures at once."
        )
    max_hits = len(runs) * 2 // 8 if max_hits is None else max_hits
    if not 0 <= max_hits < len(runs):
        most = len(runs) - 1
        raise InputError(
            f"Expected --max-hits from 0 to {most}, for {len(runs)} inspectors; found {max_hits}."
        )
    pair = aligned(task, runs, metric)
    between = (
        score for scores in pair.run_scores for score in scores.values() if score not in (0, 1)
    )
    if threshold is None and (score := next(between, None)) is not None:
        of = f"{metric.name} of {task}"
        raise InputError(
            f"Expected scores of 0 or 1 in {of}, found {score:.3f}. Give the least right --threshold."
        )
    right = threshold or 1.0
    hits = {key: sum(score >= right for score in scores) for key, scores in pair.scores.items()}
    shown = aligned(task, [first, *lvlms], metric).scores if lvlms else {}
    counts = {key: sum(score >= right for score in scores[1:]) for key, scores in shown.items()}
    difficulties = {key: difficulty(count, len(lvlms)) for key, count in counts.items()}
    leaks = [_leak(task, one, other, first, metric, right) for one, other in leaking]
    return Filtered(task, pair, hits, max_hits, right, difficulties, leaks)


def _leak(
    task: str, lvlm: Sequence[Run], llm: Sequence[Run], first: Run, metric: Metric, threshold: float
) -> Leak:
    names = [run.identity.model for run in (*lvlm, *llm)]
    if len(lvlm) != 1 or len(llm) != 1:
        raise InputError(
            f"Expected an LVLM and its LLM base in each --pair, found {', '.join(names)}. Name two files."
        )
    _, ours, theirs = aligned(task, [first, *lvlm, *llm], metric).run_scores
    ids = (key for key, score in ours.items() if score >= threshold > theirs.get(key, threshold))
    return Leak(names[0], names[1], tuple(ids))
