"""Gain and leakage of runs, overall and by group (MMStar paper, section 4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.triples import Triple, groups_of
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.runs import run_metrics, selection
from spiqa_tasks.runs.outcomes import Outcomes, outcomes_of
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.clustered import Estimate
from spiqa_tasks.scoring.coverage import is_covered
from spiqa_tasks.scoring.gain import Gain, corrected_for_chance, gain, gain_of_totals, outcomes

MUCH_UNANSWERED = 0.05
"""A share of refused and unparsed answers from which gain and leakage say as much about these as about seeing."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `result` is None where it is withheld, `withheld` says why; `outcomes` are those of the runs with images, without,
    and of the LLM base where there is one; `questions` says how many of the task's questions were answered, `n of N`,
    where that is a part of them; `remarks` is what else is to be said of the numbers. `answered` is the same over the
    questions that every run has an answer to, refused and unparsed ones left out; `corrected` has scores corrected for
    chance (`corrected_for_chance`), in which these count for what guessing is worth. None where that is not known.
    """

    task: str
    metric: str
    group: str
    model: str
    ablation: str
    llm: str | None
    n: int
    result: Gain | None
    withheld: str
    outcomes: Sequence[Outcomes] = ()
    questions: str = ""
    remarks: Sequence[str] = ()
    answered: Gain | None = None
    corrected: Gain | None = None


def rows(triple: Triple) -> list[Row]:
    """Return the overall row, then one per group, in the order in which the questions name them.

    Where a run has no scores per question, the overall row is made of the values that the host reports.
    """
    groups = groups_of(triple.questions[0])
    if not all(_has_scores(run, triple.metric) for run in triple.runs):
        values = [(run, run.value(triple.metric)) for run in triple.runs]
        reasons = [f"{run.name}: {value.reason}" for run, value in values if value.reason]
        totals = None if reasons else gain_of_totals(len(groups[OVERALL]), *(value.value for _, value in values))
        return [_row(triple, OVERALL, groups[OVERALL], totals, reasons)]
    return [
        _with_answered(triple, keys, _row(triple, group, keys, *_of_questions(triple, keys)))
        for group, keys in groups.items()
    ]


def _has_scores(run: Run, metric: Metric) -> bool:
    """Whether single questions have scores, and not only the host's table a value."""
    return run.benchmark is not None or any(metric.name in record.scores for record in run.records)


def _of_questions(triple: Triple, keys: Sequence[str]) -> tuple[Gain | None, Sequence[str]]:
    """Gain of some questions, or why there is none."""
    known = [key for key in keys if key in triple.scores]
    if not is_covered(len(known), len(keys)):
        few = "fewer than 99% of the questions have" if triple.scores else f"{triple.metric.name} gives no question"
        return None, [f"{few} a score in every run"]
    return _gain(triple, {key: triple.scores[key] for key in known}), ()


def _gain(triple: Triple, scores: Mapping[str, Sequence[float]]) -> Gain:
    """Gain of questions by their scores in each run."""
    v, wv, *t = (list(of_run) for of_run in zip(*scores.values(), strict=True))
    return gain(v, wv, t[0] if t else None, [triple.questions[0][key].cluster for key in scores])


def _with_answered(triple: Triple, keys: Sequence[str], row: Row) -> Row:
    """The row with what becomes of it where answers that are none count otherwise, unless it is withheld."""
    known = [key for key in keys if key in triple.scores]
    if row.result is None:
        return row
    answered = {key: triple.scores[key] for key in known if all(triple.answered[key])}
    corrected = {
        key: [
            corrected_for_chance(score, triple.options[key], is_answer)
            for score, is_answer in zip(triple.scores[key], triple.answered[key], strict=True)
        ]
        for key in known
        if key in triple.options
    }
    return replace(
        row,
        answered=_gain(triple, answered) if answered else None,
        corrected=_gain(triple, corrected) if is_covered(len(corrected), len(known)) else None,
    )


def _row(triple: Triple, group: str, keys: Sequence[str], result: Gain | None, why_not: Sequence[str]) -> Row:
    parts = [run for run in triple.runs if run.record_set.part]
    reasons = [f"{run.name} answered {run.coverage} questions" for run in parts if run.record_set.withheld()]
    return Row(
        triple.v.task,
        triple.metric.name,
        group,
        selection.model_name(triple.v),
        triple.ablation,
        None if triple.t is None else selection.model_name(triple.t),
        len(keys),
        None if reasons else result,
        "; ".join(dict.fromkeys([*reasons, *why_not])),
        [
            outcomes_of(run, [questions[key] for key in keys])
            for run, questions in zip(triple.runs, triple.questions, strict=True)
        ],
        "; ".join(dict.fromkeys(run.coverage for run in parts)),
        [said for run in triple.runs for said in run_metrics.remarks(run, triple.metric)] if group == OVERALL else [],
    )


def sample_lists(triple: Triple) -> Iterator[dict[str, object]]:
    """Yield the questions that the image won or lost, or that leaked, with their scores."""
    for key, scores in triple.scores.items():
        found = outcomes(*scores)
        if found:
            told = {"task": triple.v.task, "metric": triple.metric.name, "id": key, "outcomes": list(found)}
            yield told | dict(zip_longest(("s_v", "s_wv", "s_t"), scores))


def warnings(row: Row) -> list[str]:
    """Return why gain and leakage of a row are less than they seem: answers that are none count as wrong."""
    if row.result is None:
        return [*row.remarks, f"withheld: {row.withheld}"]
    found = list(row.remarks)
    if row.questions and row.group == OVERALL:
        found.append(f"{row.questions} questions were answered")
    told = (
        "with images: S_v and MG are lower bounds",
        "without images: S_wv and ML are lower bounds and MG an upper one; try ablation=grey",
        "by the LLM base: S_t is a lower bound and ML an upper one",
    )
    for outcome, bound in zip(row.outcomes, told, strict=False):
        if outcome.without_answer >= MUCH_UNANSWERED:
            found.append(f"{outcome.refused:.0%} refused and {outcome.unparsed:.0%} unparsed {bound}")
    return found


def mean_gain(gains: Sequence[Gain | None]) -> Gain | None:
    """Return the means of gains over tasks, which count alike, as in Table 6's last columns; None unless all are there.

    That of ML is the mean of what is cut at 0.
    """
    results = [result for result in gains if result is not None]
    if len(results) < len(gains):
        return None
    count = len(results)
    s_t = [result.s_t for result in results if result.s_t is not None]
    ml = [result.ml.value for result in results if result.ml is not None]
    of_scores = gain_of_totals(
        sum(result.n for result in results),
        sum(result.s_v for result in results) / count,
        sum(result.s_wv for result in results) / count,
        sum(s_t) / count if len(s_t) == count else None,
    )
    return replace(of_scores, ml=Estimate(sum(ml) / count) if len(ml) == count else None)
