"""Gain and leakage of pairs, overall and by group (MMStar paper, section 4.3)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.pair import Pair
from spiqa_tasks.benchmarks.summary import Outcomes
from spiqa_tasks.runs import selection
from spiqa_tasks.scoring.gain import Gain, gain, gain_of_totals, outcomes
from spiqa_tasks.scoring.intervals import Estimate
from spiqa_tasks.scoring.values import too_few


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        llm: model of the LLM base, or None.
        result: gain and leakage, or None if withheld.
        outcomes: of the runs with images, without, and of the LLM base if there is one.
        questions: number of answered questions as `n of N`, or '' if all were.
        answered: `result` over the questions that every run's model answered, or None if unknown.
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


def rows(pair: Pair) -> list[Row]:
    """Return the overall row, then one per group, in the order in which the questions name them.

    The overall row is made of the host's reported values if a run has no scores per question.
    """
    if all(
        run.is_own or any(pair.metric.name in record.scores for record in run.records)
        for run in pair.runs
    ):
        return [_of_questions(pair, group, keys) for group, keys in pair.groups.items()]
    values = [(run, run.value(pair.metric)) for run in pair.runs]
    reasons = [f"{run.name}: {value.reason}" for run, value in values if value.reason]
    result = (
        None
        if reasons
        else gain_of_totals(len(pair.groups[OVERALL]), *(value.value for _, value in values))
    )
    return [_row(pair, OVERALL, result, reasons)]


def _of_questions(pair: Pair, group: str, keys: Sequence[str]) -> Row:
    known = [key for key in keys if key in pair.scores]
    total = max(len(keys), *(run.written.sizes.get(group, 0) for run in pair.runs))
    few = too_few(len(known), total, "questions have a score in every run")
    reason = "" if known and pair.runs[0].partial else few
    if not pair.scores:
        reason = f"{pair.metric.name} gives no question a score in every run"
    row = _row(
        pair,
        group,
        None if reason else _gain(pair, {key: pair.scores[key] for key in known}),
        [reason],
    )
    if row.result is None:
        return row
    answers = {
        key: [not (of[key].refused or of[key].unparsed) for of in pair.questions] for key in known
    }
    answered = {key: pair.scores[key] for key in known if all(answers[key])}
    return replace(row, answered=_gain(pair, answered) if answered else None)


def _gain(pair: Pair, scores: Mapping[str, Sequence[float]]) -> Gain:
    v, wv, *t = (list(of_run) for of_run in zip(*scores.values(), strict=True))
    return gain(v, wv, t[0] if t else None, pair.clusters(scores))


def _row(pair: Pair, group: str, result: Gain | None, why_not: Sequence[str]) -> Row:
    parts = [run for run in pair.runs if run.record_set.part]
    reasons = [
        f"{run.name} answered {run.coverage} questions"
        for run in parts
        if run.record_set.withheld()
    ]
    keys = pair.groups[group]
    v, _, *t = map(selection.model_name, pair.runs)
    return Row(
        pair.runs[0].task,
        pair.metric.name,
        group,
        v,
        pair.ablation,
        t[0] if t else None,
        len(keys) if result is None else result.n,
        None if reasons else result,
        "; ".join(dict.fromkeys(filter(None, [*reasons, *why_not]))),
        pair.outcomes(keys),
        "; ".join(dict.fromkeys(run.coverage for run in parts)),
        pair.remarks if group == OVERALL else [],
    )


def sample_lists(pair: Pair) -> Iterator[dict[str, object]]:
    """Yield the questions that the image won or lost, or that leaked, with their scores."""
    for key, scores in pair.scores.items():
        shown = outcomes(*scores)
        if shown:
            record = {
                "task": pair.runs[0].task,
                "metric": pair.metric.name,
                "id": key,
                "outcomes": list(shown),
            }
            yield record | dict(zip_longest(("s_v", "s_wv", "s_t"), scores))


def warnings(row: Row) -> list[str]:
    """Return warnings about a row: answers that are none count as wrong."""
    if row.result is None:
        return [*row.remarks, f"withheld: {row.withheld}"]
    bounds = (
        "with images: S_v and MG are lower bounds",
        "without images: S_wv and ML are lower bounds and MG an upper one; try ablation=grey",
        "by the LLM base: S_t is a lower bound and ML an upper one",
    )
    part = (
        [f"{row.questions} questions were answered"]
        if row.questions and row.group == OVERALL
        else []
    )
    unread = [(of_run.remark, bound) for of_run, bound in zip(row.outcomes, bounds, strict=False)]
    return [*row.remarks, *part, *(f"{remark} {bound}" for remark, bound in unread if remark)]


def averages(table: Sequence[Row]) -> list[Row]:
    """Return a row per model and ablation with several tasks, as the last columns of the paper's Table 6.

    Ablations stay apart: the gain over grey pictures is not the gain over none.
    """
    overall: dict[tuple[str, str], list[Row]] = {}
    for row in table:
        if row.group == OVERALL:
            overall.setdefault((row.model, row.ablation), []).append(row)
    return [
        Row(
            "average",
            "+".join(dict.fromkeys(member.metric for member in members)),
            *(OVERALL, model, ablation, members[0].llm),
            sum(row.n for row in members),
            mean_gain([row.result for row in members]),
            "",
            answered=mean_gain([row.answered for row in members]),
        )
        for (model, ablation), members in overall.items()
        if len(members) > 1
    ]


def mean_gain(gains: Sequence[Gain | None]) -> Gain | None:
    """Return the unweighted means over tasks, or None if one is missing; ML's is the mean of values cut at 0."""
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
