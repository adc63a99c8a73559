"""Tables of runs: answers by status, gain and leakage, and paired differences."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from spiqa_tasks.analysis.compare import Comparison
from spiqa_tasks.analysis.gain import Row
from spiqa_tasks.analysis.merging import headline
from spiqa_tasks.analysis.why import Why
from spiqa_tasks.benchmarks.summary import counts
from spiqa_tasks.printable import abridged
from spiqa_tasks.report.printer import Column, Columns, Table, number, p_value, percent
from spiqa_tasks.runs.run import MOST_LISTED, Run
from spiqa_tasks.scoring.gain import Gain

# Smallest part of a difference that is not printed as 0.0.
SMALLEST = 0.0005


def coverage_table(runs: Sequence[Run]) -> Table:
    """Return one line per run and task: its answers by status, and why answers have no letter."""
    lines = []
    statuses: dict[str, None] = {}
    for run in runs:
        line: dict[str, Any] = {"task": run.task, "run": run.name}
        of_run = {status.replace("_", " "): n for status, n in counts(run.record_set).items()}
        statuses |= dict.fromkeys(of_run)
        line |= of_run
        # No judge is asked about choices: a count of 0 would look like a failure.
        if not run.judge_name and headline(run).needs != "judge":
            line |= {"judged": None, "judge failed": None}

        rules = Counter(
            record.rule or "no rule"
            for record in run.questions
            if record.unparsed or record.scored_unparsed
        )
        line["by rule"] = ", ".join(f"{rule} {count}" for rule, count in rules.most_common())
        lines.append(line)
    return Table(lines, ["task", "run", *statuses, "by rule"], "Answers by status")


def gain_tables(rows: Sequence[Row], title: str = "", notes: Sequence[str] = ()) -> list[Table]:
    """Return a table of gain and, if a run has an LLM base, one of leakage.

    One table of both is wider than most terminals.
    """
    names = ("task", "metric", "group", "model", "ablation", "llm", "n", "by")
    records: list[Mapping[str, Any]] = []
    for row in rows:
        fields = {name: getattr(row, name) for name in names}
        records.append(fields | _gain_numbers(row.result) | {"warnings": list(row.warnings)})

    groups = group_labels([(row.by, row.group) for row in rows])
    labels: Columns = ["task", "model", "metric", *groups, Column("ablation", "without")]
    gain: Columns = [
        "n",
        Column("s_v", "S_v", number),
        Column("s_wv", "S_wv", number),
        Column("mg", "MG", number, ("mg_low", "mg_high")),
    ]
    leakage: Columns = [
        Column("llm", "LLM base"),
        Column("s_t", "S_t", number),
        Column("ml", "ML", number, ("ml_low", "ml_high")),
        Column("ml_signed", "S_wv - S_t", number, ("ml_signed_low", "ml_signed_high")),
    ]
    tables = [Table(records, [*labels, *gain], title, notes)]
    if with_base := [record for record in records if record["llm"]]:
        tables.append(Table(with_base, [*labels, *leakage], "Leakage x 100", data=()))
    return tables


def group_labels(groups: Collection[tuple[str, str]]) -> list[str]:
    """Return the labels of groups (column, name): the column, too, if two share a name."""
    names = {name for _, name in groups}
    return ["group"] if len(names) == len({*groups}) else ["by", "group"]


def _gain_numbers(result: Gain | None) -> dict[str, float | None]:
    """Return `s_v`, `s_wv`, `s_t`, `mg`, `mg_low`, `mg_high`, `ml`, ...; None if unknown."""
    numbers = {name: getattr(result, name, None) for name in ("s_v", "s_wv", "s_t")}
    for name in ("mg", "ml", "ml_signed"):
        estimate = getattr(result, name, None)
        numbers[name] = getattr(estimate, "value", None)
        for end in ("low", "high"):
            numbers[f"{name}_{end}"] = getattr(estimate, end, None)
    return numbers


def comparison_tables(comparisons: Sequence[Comparison]) -> list[Table]:
    """Return the paired differences of runs, and the scores that they are made of.

    One table of both is wider than most terminals.
    """
    differences: Columns = [
        Column(
            "difference.difference", "difference", number, ("difference.low", "difference.high")
        ),
        Column("p_corrected", "p (Holm)", p_value),
        Column("difference.n"),
        Column("won", show=lambda ids: str(len(ids))),
        Column("lost", show=lambda ids: str(len(ids))),
    ]
    scores: Columns = [
        Column("score_b", "run x 100", number),
        Column("score_a", "against x 100", number),
        Column("difference.smallest", "smallest", number),
    ]
    notes = [
        (
            "The difference is the run minus the one it stands against, on the questions that both"
            " answered, with the 95% interval of a paired test, clustered by paper in SPIQA. p"
            " (Holm): the test's p-value, corrected for the number of lines. Smallest: the smallest"
            " true difference that so many questions show with about 80% probability."
        )
    ]
    pairs_with = defaultdict(list)
    for pair in comparisons:
        for warning in pair.warnings:
            pairs_with[warning].append(f"{pair.task}, {pair.b} against {pair.a}")
    notes += [f"{abridged(pairs)}: {warning}." for warning, pairs in pairs_with.items()]
    records = list(map(asdict, comparisons))
    labels: Columns = ["task", "metric", Column("b", "run"), Column("a", "against")]
    return [
        Table(records, [*labels, *differences], "Paired differences"),
        Table(records, [*labels, *scores], "Scores of the pairs", notes, data=()),
    ]


def why_table(why: Why) -> Table:
    """Return a line per cause of a difference, and as notes the conditions that differ."""
    shown = [line for line in why.lines if line.ids or abs(line.value) >= SMALLEST]
    rows: list[dict[str, Any]] = [
        {**asdict(line), "questions": len(line.ids) or None, "first": line.ids[:MOST_LISTED]}
        for line in shown
    ]
    rows.append({"cause": "difference", "value": why.number_b - why.number_a})
    columns: Columns = [
        "cause",
        Column("value", "x 100", number),
        "questions",
        Column("first", "such as"),
        "about",
    ]

    notes = _why_notes(why, has_about=any(line.about for line in shown))
    a = f"{why.a} {percent(why.number_a)} ({why.metric_a})"
    b = f"{why.b} {percent(why.number_b)} ({why.metric_b})"
    return Table(rows, columns, f"{b} - {a}", notes, data=[asdict(why)])


def _why_notes(why: Why, has_about: bool) -> list[str]:
    """Return what the columns `questions` and `about` are, and the conditions that differ."""
    # One run with two numbers has two metrics.
    first, second = (why.a, why.b) if why.a != why.b else (why.metric_a, why.metric_b)
    about = f"; about: first {first}, then {second}" if has_about else ""
    notes = [f"questions: those whose score differs{about}."]
    notes += [f"{part}." for part in why.parts]
    if why.differ:
        notes.append(f"Known to differ: {'; '.join(why.differ)}.")
    return notes
