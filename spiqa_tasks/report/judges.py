"""What judges said: the distribution of their probabilities, and whether several agree on the same answers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from spiqa_tasks.analysis.agreement import Pairs, rank_correlations
from spiqa_tasks.report.tables import Table, plain
from spiqa_tasks.runs.run import Run


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
    rows = []
    for a, b, pairs in judge_pairs(runs):
        names = [a.task, a.identity.label, a.judge_name, b.judge_name]
        rows.append([*names, str(len(pairs)), *map(plain, rank_correlations(pairs))])
    columns = ["task", "answers", "judge", "other judge", "n", "Spearman", "Kendall"]
    return Table("Agreement of judges on the same answers", columns, rows, texts=4)


def _texts(run: Run) -> dict[str, str]:
    return {key: answer.response.text for key, answer in run.by_id.items()}
