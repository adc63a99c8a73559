"""Gain and leakage of runs: which belong together, whether they may be compared, and what comes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spiqa_tasks.analysis.logged_answers import OVERALL, Answers
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.errors import InputError
from spiqa_tasks.scoring.gain import Estimate, Gain, gain, gain_of_totals, outcomes
from spiqa_tasks.scoring.withholding import MINIMUM_SCORED

MUCH_REFUSED = 0.05
"""A refusal rate from which gain and leakage say as much about refusing as about seeing."""


@dataclass(frozen=True)
class Triple:
    """The answers of a model with images (`v`) and without (`wv`), and of its LLM base (`t`), to one task."""

    v: Answers
    wv: Answers
    t: Answers | None
    model: str
    ablation: str
    llm: str | None

    @property
    def runs(self) -> list[Answers]:
        """The answers that there are, in this order."""
        return [self.v, self.wv, *([self.t] if self.t is not None else [])]


@dataclass(frozen=True)
class Row:
    """One line of the table; `result` is None where too few questions have a score in every run."""

    task: str
    metric: str
    group: str
    model: str
    ablation: str
    llm: str | None
    n: int
    result: Gain | None
    refused_v: float
    refused_wv: float
    refused_t: float | None


def check_comparable(one: Answers, other: Answers, same_prompt: bool) -> None:
    """Refuse two runs that did not answer the same questions.

    Args:
        one, other: the runs.
        same_prompt: whether the wording must be the same too (an LLM base has a wording of its own).

    Raises:
        InputError: other ids, other data, another prompt, or another question under the same id; says which.
    """
    names = f"{one.task} in {one.run.path.name} and {other.task} in {other.run.path.name}"
    only_one, only_other = one.by_id.keys() - other.by_id.keys(), other.by_id.keys() - one.by_id.keys()
    if only_one or only_other:
        raise InputError(
            f"Expected the same questions for {names}; found {len(one.by_id)} and {len(other.by_id)}, "
            f"{len(only_one)} only in the first{_some(only_one)} and {len(only_other)} only in the second"
            f"{_some(only_other)}. Run both on the whole task, or with the same --limit."
        )
    for field in ("data", "prompt") if same_prompt else ("data",):
        first, second = _told(one, field), _told(other, field)
        if first != second:
            raise InputError(
                f"Expected the same {field} for {names}; found {first} and {second}. Run both with the same "
                f"{'data revision' if field == 'data' else 'prompt setting'}."
            )
    different = [
        key
        for key, answer in one.by_id.items()
        if answer.target != other.by_id[key].target
        or (same_prompt and one.signature == Signature() and answer.question != other.by_id[key].question)
    ]
    if different:
        raise InputError(
            f"Expected the same questions for {names}; {len(different)} have another text or answer under the same "
            f"id{_some(different)}. Run both with the same version of the task and the same model-specific prompt."
        )


def _told(answers: Answers, field: str) -> str | None:
    """A field of the signature; the data of tasks without one is the dataset and revision that their YAML names."""
    if answers.signature != Signature() or field != "data":
        return getattr(answers.signature, field) or None
    config = answers.run.configs[answers.task]
    return f"{config.get('dataset_path')}@{(config.get('dataset_kwargs') or {}).get('revision', 'newest')}"


def rows(triple: Triple) -> list[Row]:
    """The overall row, then one per group, in the order in which the questions name them.

    Where a run has no scores per question, the overall row is made of the numbers that the host reports.
    """
    groups: dict[str, list[str]] = {OVERALL: list(triple.v.by_id)}
    if any(answers.has_no_scores for answers in triple.runs):
        return [_row(triple, OVERALL, groups[OVERALL], _of_totals(triple))]
    for key, answer in triple.v.by_id.items():
        for name in answer.groups:
            groups.setdefault(name, []).append(key)
    return [_row(triple, group, keys, _of_questions(triple, keys)) for group, keys in groups.items()]


def _of_questions(triple: Triple, keys: Sequence[str]) -> Gain | None:
    scored = _scores(triple, keys)
    if not scored or len(scored) < MINIMUM_SCORED * len(keys):
        return None
    v, wv, *t = ([scores[place] for _, scores in scored] for place in range(len(triple.runs)))
    return gain(v, wv, t[0] if t else None)


def _of_totals(triple: Triple) -> Gain | None:
    totals = [answers.total for answers in triple.runs if answers.total is not None]
    return gain_of_totals(len(triple.v.by_id), *totals) if len(totals) == len(triple.runs) else None


def _row(triple: Triple, group: str, keys: Sequence[str], result: Gain | None) -> Row:
    refused = [sum(answers.by_id[key].refused for key in keys) / len(keys) for answers in triple.runs]
    refused_t = refused[2] if triple.t is not None else None
    return Row(
        triple.v.task,
        triple.v.metric,
        group,
        triple.model,
        triple.ablation,
        triple.llm,
        len(keys),
        result,
        refused[0],
        refused[1],
        refused_t,
    )


def _scores(triple: Triple, keys: Sequence[str]) -> list[tuple[str, tuple[float, ...]]]:
    """(id, scores) of the questions that have a score in every run."""
    found = []
    for key in keys:
        scores = tuple(score for answers in triple.runs if (score := answers.by_id[key].score) is not None)
        if len(scores) == len(triple.runs):
            found.append((key, scores))
    return found


def sample_lists(triple: Triple) -> Iterator[dict[str, object]]:
    """The questions that the image won or lost, or that leaked, with their scores."""
    for key, scores in _scores(triple, list(triple.v.by_id)):
        found = outcomes(*scores)
        if found:
            s_t = scores[2] if len(scores) > 2 else None
            yield {
                "task": triple.v.task,
                "metric": triple.v.metric,
                "id": key,
                "outcomes": list(found),
                "s_v": scores[0],
                "s_wv": scores[1],
                "s_t": s_t,
            }


def warnings(row: Row) -> list[str]:
    """Why gain and leakage of a row are less than they seem: refusals count as wrong answers."""
    found = []
    if row.result is None:
        found.append("withheld: fewer than 99% of the questions have a score in every run")
    if row.refused_wv >= MUCH_REFUSED:
        found.append(
            f"{row.refused_wv:.0%} refused without images: S_wv and ML are lower bounds and MG an upper one; "
            "try ablation=grey"
        )
    if row.refused_t is not None and row.refused_t >= MUCH_REFUSED:
        found.append(
            f"{row.refused_t:.0%} of the LLM base's answers are refusals: S_t is a lower bound and ML an upper one"
        )
    return found


def average(overall: Sequence[Row]) -> Gain | None:
    """The means over tasks of the overall rows, as in the last columns of Table 6; None unless every row has them."""
    results = [row.result for row in overall if row.result is not None]
    if len(results) < len(overall):
        return None
    count = len(results)
    ml = [result.ml.value for result in results if result.ml is not None]
    s_t = [result.s_t for result in results if result.s_t is not None]
    return Gain(
        sum(result.n for result in results),
        sum(result.s_v for result in results) / count,
        sum(result.s_wv for result in results) / count,
        sum(s_t) / count if len(s_t) == count else None,
        Estimate(sum(result.mg.value for result in results) / count),
        Estimate(sum(ml) / count) if len(ml) == count else None,
    )


def _some(keys: object) -> str:
    names = sorted(str(key) for key in keys)[:3] if isinstance(keys, set | list | frozenset) else []
    return f" (such as {', '.join(names)})" if names else ""
