"""The filter of the MMStar paper (section 4.1) on logged answers: what text-only models solve needs no image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from spiqa_tasks.analysis.gain_of_runs import OVERALL
from spiqa_tasks.analysis.triples import check_comparable, questions_of, scores_of
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import MissingMetricError, Run
from spiqa_tasks.scoring.filtering import DIFFICULTIES, count_hits, difficulty, is_abnormal, keeps_at_most


@dataclass(frozen=True)
class Leak:
    """The questions that an LVLM answers without the image and its LLM base does not (Figure 3)."""

    lvlm: str
    llm: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Filtered:
    """What the filter found for one task.

    Attributes:
        task: the source task.
        inspectors: the text-only models.
        run: one inspector's; the questions are the same for all.
        metric: that says right or wrong.
        hits: id -> how many inspectors answered it.
        max_hits: how many may, for a question to be kept.
        threshold: the score from which an answer is a hit.
        difficulties: id -> difficulty, empty without LVLM runs.
        leaks: one for each pair of runs.
    """

    task: str
    inspectors: tuple[str, ...]
    run: Run
    metric: Metric
    hits: dict[str, int]
    max_hits: int
    threshold: float
    difficulties: dict[str, str]
    leaks: tuple[Leak, ...]

    @property
    def kept(self) -> list[str]:
        """The ids that are kept, in the order of the split."""
        ids = [key for key, hits in self.hits.items() if hits <= self.max_hits]
        return sorted(ids, key=lambda key: self.run.by_id[key].place)

    def groups(self) -> dict[str, dict[str, float]]:
        """Group (`all`, categories) -> n, kept and the abnormal hit rate (Figure 2), 0 to 1."""
        members: dict[str, list[str]] = {OVERALL: list(self.hits)}
        for key, record in questions_of(self.run, self.metric).items():
            for group in dict.fromkeys(record.groups.values()):
                members.setdefault(group, []).append(key)
        return {group: self._counts(keys) for group, keys in members.items()}

    def difficulty_counts(self) -> dict[str, int]:
        """Difficulty -> how many of the kept questions have it."""
        counts = Counter(self.difficulties[key] for key in self.kept if key in self.difficulties)
        return {name: counts[name] for name in DIFFICULTIES} if self.difficulties else {}

    def _counts(self, keys: Sequence[str]) -> dict[str, float]:
        abnormal = sum(is_abnormal(self.hits[key], len(self.inspectors)) for key in keys)
        kept = sum(self.hits[key] <= self.max_hits for key in keys)
        return {"n": len(keys), "kept": kept, "abnormal_hit_rate": abnormal / len(keys)}


def filter_runs(
    runs: Sequence[Run],
    lvlms: Sequence[Run] = (),
    pairs: Iterable[tuple[Sequence[Run], Sequence[Run]]] = (),
    tasks: Sequence[str] = (),
    max_hits: int | None = None,
    metric: str | None = None,
    threshold: float | None = None,
    text_only_models: bool = False,
) -> tuple[list[Filtered], list[str]]:
    """Return the filter on every task of the inspectors' runs, and a sentence for each run or task that is left out.

    Args:
        runs: of the inspectors.
        lvlms: runs of LVLMs with images, for the difficulty.
        pairs: (runs of an LVLM without images, runs of its LLM base), for leaked questions.
        tasks: only these; default all.
        max_hits: default: 2 of 8, for as many inspectors as there are.
        metric: the metric that says right or wrong (default: the headline of each task).
        threshold: the score from which an answer is a hit (default: 1, for scores that are 0 or 1).
        text_only_models: whether the models of runs with images see none.

    Raises:
        InputError: no such runs or tasks, runs with images, a metric without a score a question, scores between 0 and 1
            without a threshold, or runs of different questions.
    """
    listed = selection.of_tasks(runs, tasks, variants=True)
    chosen = _unseen(listed)
    remarks = [
        f"{run.task} of {selection.model_name(run)} is no inspector: the same model has runs without images."
        for run in listed
        if run not in chosen
    ]
    seeing = [run for run in chosen if not selection.is_blind(run)]
    if seeing and not text_only_models:
        raise InputError(
            f"Expected runs without images, found one with: {seeing[0].task} of {selection.model_name(seeing[0])}. Run "
            "--model ablated --model_args base=...,ablation=text, or say --text-only-models if the models see none "
            "anyway."
        )
    by_task = _by_task(chosen)
    missing = [task for task in tasks if task not in by_task]
    if missing:
        raise InputError(f"Expected results of {', '.join(missing)}; found {', '.join(by_task)}. Correct --task.")
    shown = _by_task([run for run in lvlms if not selection.is_blind(run)])
    paired = [(_by_task(_unseen(one)), _by_task(_unseen(other))) for one, other in pairs]
    found = []
    for task, inspectors in by_task.items():
        if any(_asks_in_parts(run) for run in inspectors.values()):
            remarks.append(
                f"{task} is left out: each of its questions is several documents, one for a figure, and would be kept "
                "in part. Filter the task that shows all figures at once."
            )
            continue
        leaking = [(one[task], other[task]) for one, other in paired if task in one and task in other]
        try:
            found.append(_filtered(task, inspectors, shown.get(task, {}), leaking, max_hits, metric, threshold))
        except MissingMetricError as error:
            remarks.append(f"{task} is left out: {error}")
    if not found:
        raise InputError(remarks[-1])
    return found, remarks


_ByModel = Mapping[str, Run]


def _unseen(listed: Sequence[Run]) -> list[Run]:
    """The runs without images; of a model that has none its plain ones, which may be an LLM's."""
    blind = {(selection.source_task(run), run.identity.model) for run in listed if selection.is_blind(run)}
    return [
        run
        for run in listed
        if selection.is_blind(run) or (selection.source_task(run), run.identity.model) not in blind
    ]


def _by_task(listed: Sequence[Run]) -> dict[str, dict[str, Run]]:
    """Task (without our suffixes) -> model, with its ablation where it has runs with several -> its run."""
    several = Counter((selection.source_task(run), selection.model_name(run)) for run in listed)
    found: dict[str, dict[str, Run]] = {}
    for run in listed:
        task = selection.source_task(run)
        ablation = f",ablation={selection.ablation(run)}" if several[task, selection.model_name(run)] > 1 else ""
        found.setdefault(task, {})[f"{selection.model_name(run)}{ablation}"] = run
    return found


def _asks_in_parts(run: Run) -> bool:
    """Whether a question is several documents."""
    return run.benchmark is not None and run.benchmark.join(run.settings) is not None


def _filtered(
    task: str,
    inspectors: _ByModel,
    lvlms: _ByModel,
    leaking: Sequence[tuple[_ByModel, _ByModel]],
    max_hits: int | None,
    metric: str | None,
    threshold: float | None,
) -> Filtered:
    first = next(iter(inspectors.values()))
    measured = first.metric(metric)
    read = [_scores(run, first, measured) for run in inspectors.values()]
    right = _threshold(task, measured.name, read) if threshold is None else threshold
    hits = count_hits(read, right)
    lvlm_hits = count_hits([_scores(run, first, measured) for run in lvlms.values()], right)
    leaks = tuple(_leak(one, other, first, measured, right) for one, other in leaking)
    return Filtered(
        task,
        tuple(inspectors),
        first,
        measured,
        hits,
        keeps_at_most(len(inspectors)) if max_hits is None else max_hits,
        right,
        {key: difficulty(count, len(lvlms)) for key, count in lvlm_hits.items()},
        leaks,
    )


def _scores(run: Run, first: Run, metric: Metric) -> dict[str, float | None]:
    """Question -> score of a run that answered the same questions as the first one.

    Raises:
        InputError: it did not, or has no scores per question.
        MissingMetricError: it has no such metric.
    """
    run.metric(metric.name)
    withheld = run.record_set.withheld()
    if withheld is not None:
        raise InputError(
            f"Expected the whole of {run.task} of {run.name}: {withheld.reason}. Run it, or add --partial."
        )
    questions = questions_of(run, metric)
    scores = scores_of(questions, metric)
    if not scores:
        raise InputError(
            f"Expected a score for every question of {run.task}, found none in {metric.name}. "
            "Choose another with --metric."
        )
    check_comparable(first, run, metric, same_prompt=False)
    return {key: scores.get(key) for key in questions}


def _threshold(task: str, metric: str, read: Iterable[Mapping[str, float | None]]) -> float:
    """The score of a right answer, where answers are right or wrong."""
    for scores in read:
        between = [score for score in scores.values() if score not in (None, 0, 1)]
        if between:
            raise InputError(
                f"Expected scores of 0 or 1 in {metric} of {task}, found {between[0]:.3f}. "
                "Say from which score an answer is right with --threshold."
            )
    return 1.0


def _leak(lvlm: _ByModel, llm: _ByModel, first: Run, metric: Metric, threshold: float) -> Leak:
    (lvlm_name, with_lvlm), (llm_name, with_llm) = ((*each.items(),)[-1] for each in (lvlm, llm))
    ours, theirs = (_scores(run, first, metric) for run in (with_lvlm, with_llm))
    ids = [key for key, score in ours.items() if (score or 0.0) >= threshold > (theirs[key] or 0.0)]
    return Leak(lvlm_name, llm_name, tuple(ids))
