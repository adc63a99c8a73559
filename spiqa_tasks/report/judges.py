"""What judges said: the distribution of their probabilities, and whether several agree on the same answers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from spiqa_tasks.analysis.agreement import Pairs, rank_correlations
from spiqa_tasks.report.printer import Column, Columns, Table
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.units import plain


def judged(run: Run) -> dict[str, float]:
    """Return id -> score of the answers that were judged."""
    return {
        record.id: verdict["score"]
        for record in run.questions
        for verdict in record.verdicts
        if verdict["metric"] == run.judged_metric and "score" in verdict
    }


def judge_pairs(runs: Sequence[Run]) -> Iterator[tuple[Run, Run, Pairs]]:
    """Yield every two judges of the same answers with their scores, answer by answer."""
    for a, b in itertools.combinations(runs, 2):
        if a.task == b.task and a.judge_name != b.judge_name and _texts(a) == _texts(b):
            first, second = judged(a), judged(b)
            pairs = [(first[key], second[key]) for key in first if key in second]
            if pairs:
                yield a, b, pairs


def agreement_table(runs: Sequence[Run]) -> Table:
    """Return the correlations of judges on the same answers."""
    names = ("task", "answers", "judge", "other judge", "n", "Spearman", "Kendall")
    rows = [
        dict(zip(names, (a.task, a.identity.label, a.judge_name, b.judge_name, len(pairs), *both), strict=True))
        for a, b, pairs in judge_pairs(runs)
        for both in [rank_correlations(pairs)]
    ]
    values: Columns = ["n", *(Column(name, show=plain) for name in names[5:])]
    return Table(rows, names[:4], values, "Agreement of judges on the same answers")


def _texts(run: Run) -> dict[str, str]:
    return {key: answer.response.text for key, answer in run.by_id.items()}
