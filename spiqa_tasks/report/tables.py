"""Tables of runs: answers by status, gain and leakage, and paired differences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.compare import Comparison
from spiqa_tasks.analysis.gain import Row, ablation_pairs, rows
from spiqa_tasks.analysis.published_rows import published_gain
from spiqa_tasks.analysis.why import Why
from spiqa_tasks.errors import InputError
from spiqa_tasks.report.printer import Column, Columns, Table, as_records
from spiqa_tasks.report.records import MEASURED
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import FIRST, Run
from spiqa_tasks.scoring.gain import Gain
from spiqa_tasks.scoring.intervals import Estimate
from spiqa_tasks.scoring.values import estimated, number, p_value, percent

# Size of a part of a difference that is printed as other than 0.0.
SMALLEST = 0.0005

MMSTAR_TASK = "mmstar_filtered"
_FAILED = ("request_failed", "scoring_failed", "incomplete", "no_helpful_figure")


def coverage_table(runs: Sequence[Run]) -> Table:
    """Return one line per run and task: numbers of questions, and why answers have no letter."""
    rows = [{"task": run.task, "run": run.name, **_counts(run)} for run in runs]
    columns = [*rows[0]][2:] if rows else []
    return Table(rows, ["task", "run"], columns, "Answers by status")


def _counts(run: Run) -> dict[str, Any]:
    by_status: Counter[str] = Counter()
    marks: Counter[str] = Counter()
    for record in run.questions:
        # a refusal counts as one only, whatever else it is
        by_status["refused" if record.refused else record.status] += 1
        marks["judge failed"] += record.judge_failed
        marks["judged"] += bool(record.verdicts) and not record.judge_failed
        marks["truncated"] += bool(record.truncated)

    rules = _rules(run)
    return {
        "questions": run.record_set.part or len(run.questions),
        "ok": by_status["ok"],
        "judged": marks["judged"],
        "judge failed": marks["judge failed"],
        "refused": by_status["refused"],
        "unparsed": rules.total(),
        "by rule": ", ".join(f"{rule} {count}" for rule, count in rules.most_common()) or "-",
        "truncated": marks["truncated"],
        **{name.replace("_", " "): by_status[name] for name in _FAILED},
    }


def _rules(run: Run) -> Counter[str]:
    """Return rule -> number of answers that have no letter by it."""
    unread = [record for record in run.questions if record.unparsed or record.scored_unparsed]
    return Counter(record.rule or "no rule" for record in unread)


def gain_rows(runs: Sequence[Run]) -> tuple[list[Row], list[str]]:
    """Return gain and leakage of every model that was also run without pictures, and why others
    have none.
    """
    logged = [run for run in runs if run.logged]
    if not any(map(_is_without_pictures, logged)):
        return [], []
    try:
        pairs, _, problems = ablation_pairs(logged)
    except InputError as error:
        return [], [str(error)]

    table = [row for pair in pairs for row in rows(pair)]
    withheld = [row for row in table if row.withheld]
    reasons = [f"{row.task} of {row.model} is withheld: {row.withheld}." for row in withheld]
    return table, [*problems, *reasons]


def _is_without_pictures(run: Run) -> bool:
    return selection.is_blind(run) and not selection.is_few_shot(run)


def overall_rows(table: Sequence[Row]) -> list[tuple[Row, Gain]]:
    """Return the rows over all questions of a task with their results; without withheld ones."""
    return [(row, row.result) for row in table if row.group == OVERALL and row.result is not None]


def gain_table(table: Sequence[Row]) -> Table:
    """Return gain and leakage over all questions, beside MMStar's published rows if it was run."""
    measured = []
    notes = []
    for row, result in overall_rows(table):
        about = {"task": row.task, "model": row.model, "source": MEASURED, "without": row.ablation}
        measured.append({**about, "LLM base": row.llm or "-", **vars(result), "n": row.n})
        notes += [f"{row.task} of {row.model}: {warning}." for warning in row.warnings]

    has_mmstar = any(row.task == MMSTAR_TASK for row in table)
    values: Columns = [
        "LLM base",
        "n",
        Column("s_v", "S_v", number),
        Column("s_wv", "S_wv", number),
        Column("s_t", "S_t", number),
        Column("mg", "gain MG", estimated),
        Column("ml", "leakage ML", estimated),
        Column("ml_signed", "S_wv - S_t", estimated),
    ]
    return Table(
        measured,
        ["task", "model", "source", "without"],
        values,
        "Multi-modal gain and leakage x 100",
        notes,
        _published_gain() if has_mmstar else [],
    )


def _published_gain() -> list[dict[str, Any]]:
    lines: dict[str, dict[str, Any]] = {}
    for value in published_gain():
        new = {
            "task": MMSTAR_TASK,
            "model": value.model,
            "source": "published, Table 5",
            "without": "text",
            "mg": None,
            "ml": None,
        }
        lines.setdefault(value.model, new)[value.metric] = Estimate(value.value)
    return list(lines.values())


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
        (
            "The difference is the run minus the one it stands against, on the questions that both"
            " answered; 95% intervals of the paired test, clustered by paper in SPIQA. Corrected"
            " p-values are Holm's, for all lines together. Smallest: the smallest true difference"
            " that so many questions show with about 80% probability."
        ),
        *(
            f"{each.task}, {each.b} against {each.a}: {'; '.join(each.warnings)}."
            for each in shown
            if each.warnings
        ),
    ]
    if more:
        notes.append(
            f"{more:,} more pairs are not shown: compare with --baseline MODEL, or print all with"
            " --json."
        )
    labels: Columns = ["task", "metric", Column("b", "run"), Column("a", "against")]
    return Table(
        as_records(shown), labels, values, "Paired differences", notes, data=as_records(found)
    )


def why_table(found: Why) -> Table:
    """Return the lines of a difference, and the conditions that differ below them."""
    rows: list[dict[str, Any]] = []
    for line in found.lines:
        if line.ids or abs(line.value) >= SMALLEST:
            first = line.ids[:FIRST]
            rows.append({**asdict(line), "questions": len(line.ids) or None, "first": first})
    rows.append({"cause": "difference", "value": found.number_b - found.number_a})

    values: Columns = [
        Column("value", "x 100", number),
        "questions",
        Column("first", "such as"),
        "about",
    ]
    a = f"{found.a} {percent(found.number_a)} ({found.metric_a})"
    b = f"{found.b} {percent(found.number_b)} ({found.metric_b})"
    notes = [f"Known to differ: {'; '.join(found.differ)}."] if found.differ else []
    return Table(rows, ["cause"], values, f"{b} - {a}", notes, data=[asdict(found)])
