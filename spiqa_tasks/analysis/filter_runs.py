"""The filter of the MMStar paper (section 4.1) on logged answers: what text-only models solve needs no image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from spiqa_tasks.analysis.gain_of_runs import check_comparable
from spiqa_tasks.analysis.logged_answers import OVERALL, Answers, MissingMetricError, read_answers
from spiqa_tasks.analysis.roles import RunRole, entries
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.results import TaskRun
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
        answers: one inspector's answers; the questions are the same for all.
        hits: id -> how many inspectors answered it.
        max_hits: how many may, for a question to be kept.
        threshold: the score from which an answer is a hit.
        difficulties: id -> difficulty, empty without LVLM runs.
        leaks: one for each pair of runs.
    """

    task: str
    inspectors: tuple[str, ...]
    answers: Answers
    hits: dict[str, int]
    max_hits: int
    threshold: float
    difficulties: dict[str, str]
    leaks: tuple[Leak, ...]

    @property
    def kept(self) -> list[str]:
        """The ids that are kept, in the order of the split."""
        ids = [key for key, hits in self.hits.items() if hits <= self.max_hits]
        return sorted(ids, key=lambda key: self.answers.by_id[key].doc_id)

    def groups(self) -> dict[str, dict[str, float]]:
        """Group (`all`, categories) -> n, kept and the abnormal hit rate (Figure 2), 0 to 1."""
        members: dict[str, list[str]] = {OVERALL: list(self.hits)}
        for key, answer in self.answers.by_id.items():
            for group in answer.groups:
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
    places: Sequence[Path],
    lvlm_places: Sequence[Path] = (),
    pairs: Iterable[tuple[Path, Path]] = (),
    tasks: Sequence[str] = (),
    max_hits: int | None = None,
    metric: str | None = None,
    threshold: float | None = None,
    text_only_models: bool = False,
) -> tuple[list[Filtered], list[str]]:
    """The filter on every task of the inspectors' runs, and a sentence for each run or task that is left out.

    Args:
        places: runs of the inspectors; of several runs of one model to one task the newest counts.
        lvlm_places: runs of LVLMs with images, for the difficulty.
        pairs: (an LVLM's run without images, its LLM base's run), for leaked questions.
        tasks: only these; default all.
        max_hits: default: 2 of 8, for as many inspectors as there are.
        metric: see `read_answers`.
        threshold: the score from which an answer is a hit (default: 1, for scores that are 0 or 1).
        text_only_models: whether the models of runs with images see none.

    Raises:
        InputError: no such runs or tasks, runs with images, a metric without a score a question, scores between 0 and 1
            without a threshold, or runs of different questions.
    """
    listed, remarks = entries(places, tasks)
    chosen = _unseen(listed)
    remarks += [
        f"{entry.task} of {entry.label} is no inspector: the same model has runs without images."
        for entry in listed
        if entry not in chosen
    ]
    with_images = [entry for entry in chosen if not _is_blind(entry)]
    if with_images and not text_only_models:
        first = with_images[0]
        raise InputError(
            f"Expected runs without images, found one with: {first.task} of {first.label}. Run --model ablated "
            "--model_args base=...,ablation=text, or say --text-only-models if the models see no images anyway."
        )
    by_task = _by_task(chosen)
    missing = [task for task in tasks if task not in by_task]
    if missing:
        raise InputError(f"Expected results of {', '.join(missing)}; found {', '.join(by_task)}. Correct --task.")
    lvlms: _ByTask = {}
    if lvlm_places:
        shown, told = entries(lvlm_places)
        remarks += told
        lvlms = _by_task([entry for entry in shown if not _is_blind(entry)])
    paired = [(_by_task(_unseen(entries([one])[0])), _by_task(_unseen(entries([other])[0]))) for one, other in pairs]
    found = []
    for task in by_task:
        if any(_asks_in_parts(entry) for entry in by_task[task].values()):
            remarks.append(
                f"{task} is left out: each of its questions is several documents, one for a figure, and would be kept "
                "in part. Filter the task that shows all figures at once."
            )
            continue
        try:
            found.append(_filtered(task, by_task, lvlms, paired, max_hits, metric, threshold))
        except MissingMetricError as error:
            remarks.append(f"{task} is left out: {error}")
    if not found:
        raise InputError(remarks[-1])
    return found, remarks


_ByTask = dict[str, dict[str, RunRole]]


def _unseen(listed: Sequence[RunRole]) -> list[RunRole]:
    """The runs without images; of a model that has none its plain ones, which may be an LLM's."""
    blind = {(entry.key, entry.model) for entry in listed if _is_blind(entry)}
    return [entry for entry in listed if _is_blind(entry) or (entry.key, entry.model) not in blind]


def _by_task(listed: Sequence[RunRole]) -> _ByTask:
    """Task (without our suffixes) -> model, with its ablation where it has runs with several -> its entry."""
    runs = Counter((entry.key, entry.label) for entry in listed)
    found: _ByTask = {}
    for entry in listed:
        ablation = f",ablation={entry.ablation}" if runs[entry.key, entry.label] > 1 else ""
        found.setdefault(entry.key, {})[f"{entry.label}{ablation}"] = entry
    return found


def _is_blind(entry: RunRole) -> bool:
    return entry.few_shot or entry.ablation != "none"


def _asks_in_parts(entry: RunRole) -> bool:
    """Whether a question is several documents."""
    task = TaskRun(entry.run, entry.task)
    return task.benchmark is not None and task.settings is not None and task.benchmark.join(task.settings) is not None


def _filtered(
    task: str,
    by_task: _ByTask,
    lvlms: _ByTask,
    pairs: Sequence[tuple[_ByTask, _ByTask]],
    max_hits: int | None,
    metric: str | None,
    threshold: float | None,
) -> Filtered:
    read = _read(by_task[task], metric)
    inspectors = tuple(read)
    first = read[inspectors[0]]
    right = _threshold(read.values()) if threshold is None else threshold
    hits = _hits(read.values(), first, right)
    shown = _read(lvlms.get(task, {}), first.metric)
    lvlm_hits = _hits(shown.values(), first, right)
    leaks = tuple(_leak(one[task], other[task], first, right) for one, other in pairs if task in one and task in other)
    return Filtered(
        task,
        inspectors,
        first,
        hits,
        keeps_at_most(len(inspectors)) if max_hits is None else max_hits,
        right,
        {key: difficulty(count, len(shown)) for key, count in lvlm_hits.items()},
        leaks,
    )


def _read(models: dict[str, RunRole], metric: str | None) -> dict[str, Answers]:
    """Model -> its answers, each with scores."""
    found = {model: read_answers(entry.run, entry.task, metric) for model, entry in models.items()}
    for answers in found.values():
        if answers.has_no_scores:
            raise InputError(
                f"Expected a score for every question of {answers.task}, found none in {answers.metric}. "
                "Choose another with --metric."
            )
    return found


def _threshold(read: Iterable[Answers]) -> float:
    """The score of a right answer, where answers are right or wrong."""
    for answers in read:
        between = [answer.score for answer in answers.by_id.values() if answer.score not in (None, 0, 1)]
        if between:
            raise InputError(
                f"Expected scores of 0 or 1 in {answers.metric} of {answers.task}, found {between[0]:.3f}. "
                "Say from which score an answer is right with --threshold."
            )
    return 1.0


def _hits(read: Iterable[Answers], first: Answers, threshold: float) -> dict[str, int]:
    models = []
    for answers in read:
        check_comparable(first, answers, same_prompt=False)
        models.append({key: answer.score for key, answer in answers.by_id.items()})
    return count_hits(models, threshold)


def _leak(lvlm: dict[str, RunRole], llm: dict[str, RunRole], first: Answers, threshold: float) -> Leak:
    ((lvlm_name, with_lvlm),) = list(_read(lvlm, first.metric).items())[-1:]
    ((llm_name, with_llm),) = list(_read(llm, first.metric).items())[-1:]
    for answers in (with_lvlm, with_llm):
        check_comparable(first, answers, same_prompt=False)
    ids = [
        key
        for key, answer in with_lvlm.by_id.items()
        if (answer.score or 0.0) >= threshold > (with_llm.by_id[key].score or 0.0)
    ]
    return Leak(lvlm_name, llm_name, tuple(ids))
