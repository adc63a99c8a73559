"""The filter of the MMStar paper (section 4.1) on logged answers: what text-only models solve needs no image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from spiqa_tasks.analysis.answers import OVERALL, Answers, read_answers
from spiqa_tasks.analysis.gain import check_comparable
from spiqa_tasks.analysis.roles import Entry, entries
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.results import all_runs
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
        difficulties: id -> difficulty, empty without LVLM runs.
        leaks: one for each pair of runs.
    """

    task: str
    inspectors: tuple[str, ...]
    answers: Answers
    hits: dict[str, int]
    max_hits: int
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
) -> list[Filtered]:
    """The filter on every task of the inspectors' runs.

    Args:
        places: runs of the inspectors; of several runs of one model to one task the newest counts.
        lvlm_places: runs of LVLMs with images, for the difficulty.
        pairs: (an LVLM's run without images, its LLM base's run), for leaked questions.
        tasks: only these; default all.
        max_hits: default: 2 of 8, for as many inspectors as there are.
        metric: see `read_answers`.

    Raises:
        InputError: no such runs or tasks, a metric without a score a question, or runs of different questions.
    """
    by_task = _by_task(places, with_images=False)
    missing = [task for task in tasks if task not in by_task]
    if missing or not by_task:
        raise InputError(
            f"Expected results of {', '.join(missing) or 'a task'}; found {', '.join(by_task) or 'none'}. "
            "Name the folders given as --output_path."
        )
    lvlms = _by_task(lvlm_places, with_images=True) if lvlm_places else {}
    paired = [(_by_task([one], with_images=False), _by_task([other], with_images=False)) for one, other in pairs]
    return [_filtered(task, by_task, lvlms, paired, max_hits, metric) for task in tasks or by_task]


_ByTask = dict[str, dict[str, Entry]]


def _by_task(places: Sequence[Path], with_images: bool) -> _ByTask:
    """Task (without our suffixes) -> model -> its newest entry with or without images.

    A run of a plain task counts as one without images where the same model has no other: it may be an LLM's.
    """
    found: _ByTask = {}
    listed = list(entries(all_runs(places)))
    blind = {(entry.key, entry.model) for entry in listed if _is_blind(entry)}
    for entry in listed:
        wanted = not _is_blind(entry) if with_images else _is_blind(entry) or (entry.key, entry.model) not in blind
        if wanted:
            found.setdefault(entry.key, {})[entry.model] = entry
    return found


def _is_blind(entry: Entry) -> bool:
    return entry.few_shot or entry.ablation != "none"


def _filtered(
    task: str,
    by_task: _ByTask,
    lvlms: _ByTask,
    pairs: Sequence[tuple[_ByTask, _ByTask]],
    max_hits: int | None,
    metric: str | None,
) -> Filtered:
    read = _read(by_task[task], metric)
    inspectors = tuple(read)
    first = read[inspectors[0]]
    hits = _hits(read.values(), first)
    shown = _read(lvlms.get(task, {}), metric)
    lvlm_hits = _hits(shown.values(), first)
    leaks = tuple(_leak(one[task], other[task], metric, first) for one, other in pairs if task in one and task in other)
    return Filtered(
        task,
        inspectors,
        first,
        hits,
        keeps_at_most(len(inspectors)) if max_hits is None else max_hits,
        {key: difficulty(count, len(shown)) for key, count in lvlm_hits.items()},
        leaks,
    )


def _read(models: dict[str, Entry], metric: str | None) -> dict[str, Answers]:
    """Model -> its answers, each with scores."""
    found = {model: read_answers(entry.run, entry.task, metric) for model, entry in models.items()}
    for answers in found.values():
        if answers.has_no_scores:
            raise InputError(
                f"Expected a score for every question of {answers.task}, found none in {answers.metric}. "
                "Choose another with --metric."
            )
    return found


def _hits(read: Iterable[Answers], first: Answers) -> dict[str, int]:
    models = []
    for answers in read:
        check_comparable(first, answers, same_prompt=False)
        models.append({key: answer.score for key, answer in answers.by_id.items()})
    return count_hits(models)


def _leak(lvlm: dict[str, Entry], llm: dict[str, Entry], metric: str | None, first: Answers) -> Leak:
    ((lvlm_name, with_lvlm),) = list(_read(lvlm, metric).items())[-1:]
    ((llm_name, with_llm),) = list(_read(llm, metric).items())[-1:]
    for answers in (with_lvlm, with_llm):
        check_comparable(first, answers, same_prompt=False)
    ids = [
        key for key, answer in with_lvlm.by_id.items() if answer.score == 1 and (with_llm.by_id[key].score or 0.0) < 1
    ]
    return Leak(lvlm_name, llm_name, tuple(ids))
