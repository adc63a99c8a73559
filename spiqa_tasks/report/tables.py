"""Tables of runs: answers by status, agreement of judges, gain and leakage, and paired differences."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.compare import Comparison
from spiqa_tasks.analysis.gain import Row, rows, warnings
from spiqa_tasks.analysis.published_rows import published_gain
from spiqa_tasks.analysis.twins import ablation_pairs
from spiqa_tasks.analysis.why import LEAST, NAMED, Why
from spiqa_tasks.benchmarks.record import STATUSES
from spiqa_tasks.errors import InputError
from spiqa_tasks.report.printer import Column, Columns, Table, as_records
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.gain import Gain
from spiqa_tasks.scoring.intervals import Estimate
from spiqa_tasks.scoring.ranking import Pairs, matched, rank_correlations
from spiqa_tasks.scoring.values import estimated, number, p_value, percent, plain

MMSTAR_TASK = "mmstar_filtered"
COVERAGE = "What became of the answers"
_FAILED = ("request_failed", "scoring_failed", "incomplete", "no_helpful_figure")


def statuses(run: Run) -> dict[str, int]:
    """Return status -> number of questions; a refusal counts as `refused` whatever else it is."""
    counts: Counter[str] = Counter(
        "refused" if record.refused else record.status for record in run.questions
    )
    return {status: counts[status] for status in STATUSES}


def coverage_table(runs: Sequence[Run]) -> Table:
    """Return one line per run and task: numbers of questions, and the rules by which answers have no letter."""
    rows = [{"task": run.task, "run": run.name, **_counts(run)} for run in runs]
    return Table(rows, ["task", "run"], [*rows[0]][2:] if rows else [], COVERAGE)


def _counts(run: Run) -> dict[str, Any]:
    by_status = statuses(run)
    questions = run.questions
    unparsed = Counter(
        record.rule or "no rule" for record in questions if record.unparsed or record.taken_whole
    )
    return {
        "questions": run.record_set.part or len(questions),
        "ok": by_status["ok"],
        "judged": sum(bool(record.verdicts) and not record.judge_failed for record in questions),
        "judge failed": sum(record.judge_failed for record in questions),
        "refused": by_status["refused"],
        "unparsed": unparsed.total(),
        "by rule": ", ".join(f"{rule} {count}" for rule, count in unparsed.most_common()) or "-",
        "truncated": sum(bool(record.truncated) for record in questions),
        **{name.replace("_", " "): by_status[name] for name in _FAILED},
    }


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
        is_same = a.task == b.task and a.judge_name != b.judge_name and _texts(a) == _texts(b)
        if is_same and (pairs := matched(judged(a), judged(b))):
            yield a, b, pairs


def _texts(run: Run) -> dict[str, str]:
    return {key: answer.response.text for key, answer in run.by_id.items()}


def agreement_table(runs: Sequence[Run]) -> Table:
    """Return the correlations of judges on the same answers."""
    names = ("task", "answers", "judge", "other judge", "n", "Spearman", "Kendall")
    rows = [
        dict(
            zip(
                names,
                (a.task, a.identity.label, a.judge_name, b.judge_name, len(pairs), *both),
                strict=True,
            )
        )
        for a, b, pairs in judge_pairs(runs)
        for both in [rank_correlations(pairs)]
    ]
    values: Columns = ["n", *(Column(name, show=plain) for name in names[5:])]
    return Table(rows, names[:4], values, "Agreement of judges on the same answers")


def gain_rows(runs: Sequence[Run], llm: Sequence[Run] = ()) -> tuple[list[Row], list[str]]:
    """Return gain and leakage of every model that was also run without pictures, and why others have none.

    `llm` are those of the runs that are an LLM base's; those of our `_llm` tasks are known as such.
    """
    logged = [run for run in runs if run.logged]
    if not any(selection.is_blind(run) and not selection.is_few_shot(run) for run in logged):
        return [], []
    try:
        compared, _, problems = ablation_pairs(logged, llm)
    except InputError as error:
        return [], [str(error)]
    found = [row for pair in compared for row in rows(pair)]
    withheld = [row for row in found if row.group == OVERALL and row.withheld]
    return found, problems + [
        f"{row.task} of {row.model} is withheld: {row.withheld}." for row in withheld
    ]


def overall_rows(found: Sequence[Row]) -> list[tuple[Row, Gain]]:
    """Return the rows over all questions of a task, with their results; withheld ones are left out."""
    return [(row, row.result) for row in found if row.group == OVERALL and row.result is not None]


def gain_table(found: Sequence[Row]) -> Table:
    """Return gain and leakage overall, with MMStar's published rows where its questions were run in full."""
    rows = [
        {
            **{"task": row.task, "model": row.model, "source": "measured", "without": row.ablation},
            **{"LLM base": row.llm or "-", "n": row.n},
            **{
                name: getattr(result, name)
                for name in ("s_v", "s_wv", "s_t", "mg", "ml", "ml_signed")
            },
        }
        for row, result in overall_rows(found)
    ]
    printed: dict[str, dict[str, Any]] = {}
    for value in published_gain() if any(row.task == MMSTAR_TASK for row in found) else ():
        of = {
            "task": MMSTAR_TASK,
            "model": value.model,
            "source": "published, Table 5",
            "without": "text",
        }
        printed.setdefault(value.model, {**of, "mg": None, "ml": None})[value.metric] = Estimate(
            value.value
        )
    scores = [Column(f"s_{name}", f"S_{name}", number) for name in ("v", "wv", "t")]
    heads = {"mg": "gain MG", "ml": "leakage ML", "ml_signed": "S_wv - S_t"}
    values: Columns = [
        "LLM base",
        "n",
        *scores,
        *(Column(name, head, estimated) for name, head in heads.items()),
    ]
    notes = [
        f"{row.task} of {row.model}: {warning}."
        for row, _ in overall_rows(found)
        for warning in warnings(row)
    ]
    labels: Columns = ["task", "model", "source", "without"]
    return Table(
        rows, labels, values, "Multi-modal gain and leakage x 100", notes, [*printed.values()]
    )


def comparison_table(found: Sequence[Comparison], most: int | None = None) -> Table:
    """Return the paired differences of runs; people see the first `most`, by default all."""
    shown, more = found[:most], len(found[most or len(found) :])
    values: Columns = [
        Column("difference.n"),
        *(Column("score_b", "run x 100", number), Column("score_a", "against x 100", number)),
        Column(
            "difference.difference", "difference", number, ("difference.low", "difference.high")
        ),
        *(Column("difference.p", "p", p_value), Column("p_corrected", "p corrected", p_value)),
        *(Column(name, show=lambda ids: str(len(ids))) for name in ("won", "lost")),
        Column("difference.smallest", "smallest", number),
    ]
    notes = [
        "The difference is the run minus the one it stands against, on the questions that both answered; 95% intervals "
        "of the paired test, clustered by paper in SPIQA. Corrected p-values are Holm's, for all lines together. "
        "Smallest: the smallest true difference that so many questions show with about 80% probability.",
        *(
            f"{each.task}, {each.b} against {each.a}: {'; '.join(each.warnings)}."
            for each in shown
            if each.warnings
        ),
    ]
    if more:
        notes.append(
            f"{more:,} more pairs are not shown: compare with --baseline MODEL, or print all with --json."
        )
    labels: Columns = ["task", "metric", Column("b", "run"), Column("a", "against")]
    return Table(
        as_records(shown), labels, values, "Paired differences", notes, data=as_records(found)
    )


def why_table(found: Why) -> Table:
    """Return the lines of a difference, with what differs beside them and two sentences below."""
    shown = [line for line in found.lines if line.ids or abs(line.value) >= LEAST]
    rows = [
        {
            **asdict(line),
            "questions": len(line.ids),
            "first": line.ids[:NAMED],
            "about": found.about.get(line.cause),
        }
        for line in shown
    ]
    total = {
        "cause": "difference",
        "value": found.number_b - found.number_a,
        "low": None,
        "high": None,
    }
    values: Columns = [
        Column("value", "x 100", number, ("low", "high")),
        *("questions", Column("first", "such as"), "about"),
    ]
    numbers = ((found.b, found.number_b, found.metric_b), (found.a, found.number_a, found.metric_a))
    title = " - ".join(f"{name} {percent(value)} ({metric})" for name, value, metric in numbers)
    by_rule = ", ".join(f"{percent(value)} by {way}" for way, value in found.by_rule.items())
    notes = [f"The answers of {found.a} give {by_rule}."] if len(found.by_rule) > 1 else []
    notes += [f"Known to differ: {'; '.join(found.differ)}."] if found.differ else []
    notes += [found.explains, found.settles]
    return Table([*rows, total], ["cause"], values, title, notes, data=[asdict(found)])
