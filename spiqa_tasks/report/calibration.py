"""Calibration of judges as tables, page and JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from spiqa_tasks.analysis.calibration import Examined, Group, Pair
from spiqa_tasks.report import plots
from spiqa_tasks.report.content import Report, Section
from spiqa_tasks.report.printer import Column, Columns, Table
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring.binary import THRESHOLD, BinaryAgreement
from spiqa_tasks.scoring.intervals import Estimate
from spiqa_tasks.scoring.units import estimated, percent, plain, without_nan

AGREEMENT = "Agreement with the labels"
EXAMPLES = 5
"""Wrongly judged answers shown per judge and kind: enough to see why, few enough to read."""
_SHOWN = 300
_LEFT = (
    "95% intervals, answers to one question being one cluster. Yes is a score above 0.5; the best threshold is chosen "
    "on these very answers, so that its accuracy is what tuning could reach at most."
)


def build(title: str, found: Sequence[Examined], pairs: Sequence[Pair], answers: Sequence[Labelled]) -> Report:
    """Return the page's sections: agreement, groups, flips, judges against each other, what they took, examples."""
    known = [each for each in found if each.overall is not None]
    drawn = {AGREEMENT: _curves(known, answers)} | {f"By {kind}": [_by_group(known, kind)] for kind in _kinds(known)}
    sections = [Section(each.title, (), [each], drawn.get(each.title, ())) for each in tables(found, pairs)]
    examples = [examples_table(each, answers) for each in known if each.opinion.summary is not None]
    return Report(title, (), [*sections, *([Section("Farthest from the label", (), examples)] if examples else [])], ())


def tables(found: Sequence[Examined], pairs: Sequence[Pair]) -> list[Table]:
    """Return all tables of numbers that have rows."""
    groups = [group_table(found, kind) for kind in _kinds(found)]
    rest = (flips_table(found), pairs_table(pairs), cost_table(found), signature_table(found))
    return [agreement_table(found), *groups, *(table for table in rest if table.records)]


def agreement_table(found: Sequence[Examined]) -> Table:
    """Return one line per judge: how its scores agree with the labels."""
    values = ["n", "accuracy x 100", "best x 100", "threshold", "F1 x 100", "kappa", "AUROC", "Brier", "ECE", "failed"]
    rows = [
        {"judge": each.opinion.name}
        | (dict.fromkeys(values, "-") if each.overall is None else _numbers(each.overall))
        | {"failed": each.failed}
        for each in found
    ]
    notes = [_LEFT, *(f"{each.opinion.name}: {each.withheld}." for each in found if each.withheld)]
    return Table(rows, ["judge"], values, AGREEMENT, notes)


def group_table(found: Sequence[Examined], kind: str) -> Table:
    """Return one line per judge and group; the answers of a trap have one label, and no kappa and AUROC."""
    rows = [
        {"group": group.name, "judge": each.opinion.name, **_group_numbers(group)}
        for name in dict.fromkeys(group.name for each in found for group in each.groups if group.kind == kind)
        for each in found
        for group in each.groups
        if (group.kind, group.name) == (kind, name)
    ]
    values: Columns = ["n", "labelled yes", "accuracy x 100", "kappa", "AUROC", "score at 10%", "50%", "90%"]
    return Table(rows, [Column("group", kind), "judge"], values, f"By {kind}")


def flips_table(found: Sequence[Examined]) -> Table:
    """Return how often asking again changes a judge's yes or no."""
    rows = [
        {"judge": each.opinion.name, "over": flips.over, "n": flips.n, "share": flips.share}
        for each in found
        for flips in each.flips
    ]
    values: Columns = ["n", Column("share", "changed x 100", estimated)]
    return Table(rows, ["judge", "over"], values, "Verdicts that change when asked again")


def pairs_table(pairs: Sequence[Pair]) -> Table:
    """Return the agreement of each two judges."""
    rows = [{"judge": each.judges[0], "other judge": each.judges[1], **dataclasses.asdict(each)} for each in pairs]
    shown = {"kappa": "kappa", "spearman": "Spearman", "kendall": "Kendall"}
    values: Columns = [
        "n",
        Column("same", "same verdict x 100", percent),
        *(Column(name, head, plain) for name, head in shown.items()),
    ]
    return Table(rows, ["judge", "other judge"], values, "Judges against each other")


def cost_table(found: Sequence[Examined]) -> Table:
    """Return calls, time and cost of each judge; verdicts of the cache cost nothing."""
    columns = ["judge", "asked", "from the cache", "failed", "seconds", "tokens", "dollars", "dollars per 1,000"]
    rows: list[dict[str, Any]] = []
    for each in found:
        if (took := each.opinion.summary) is not None:
            tokens = took.prompt_tokens + took.completion_tokens
            dollars = "-" if took.cost is None else f"{took.cost:.4f}"
            price = "-" if took.cost is None or not took.judged else f"{1000 * took.cost / took.judged:.3f}"
            counts = (took.judged, took.cached, took.failed)
            texts = (each.opinion.name, *counts, f"{took.seconds:.1f}", f"{tokens:,}", dollars, price)
            rows.append(dict(zip(columns, texts, strict=True)))
    return Table(rows, columns[:1], columns[1:], "What it took")


def signature_table(found: Sequence[Examined]) -> Table:
    """Return the signature of each judge's scores."""
    rows = [{"judge": each.opinion.name, "signature": each.opinion.signature.text} for each in found]
    return Table(rows, ["judge"], ["signature"], "How every number was made")


def examples_table(each: Examined, answers: Sequence[Labelled]) -> Table:
    """Return the answers whose score is farthest from the label, of each trap where there are such."""
    rows = [
        {"name": name, **dataclasses.asdict(answer.candidate), "right": answer.label, "score": score}
        for name, answer, score in farthest(each, answers)
    ]
    texts = [
        Column(name, head, _short) for name, head in (("question", ""), ("reference", ""), ("prediction", "answer"))
    ]
    values: Columns = [*texts, "right", Column("score", show=plain)]
    return Table(rows, [Column("name", "trap or system")], values, each.opinion.name)


def farthest(each: Examined, answers: Sequence[Labelled]) -> list[tuple[str, Labelled, float]]:
    """Return wrongly judged answers with their scores, the worst first, a few of each trap or system."""
    wrong: dict[str, list[tuple[str, Labelled, float]]] = {}
    for answer, score in zip(answers, each.opinion.scores, strict=True):
        name = answer.kind or answer.system
        of_name = wrong.setdefault(name, [])
        if score is not None and (score > THRESHOLD) != answer.label:
            of_name.append((name, answer, score))
    return [
        example
        for of_name in wrong.values()
        for example in sorted(of_name, key=lambda found: -abs(found[2] - found[1].label))[:EXAMPLES]
    ]


def as_json(found: Sequence[Examined], pairs: Sequence[Pair], answers: Sequence[Labelled]) -> dict[str, Any]:
    """Return all numbers, in natural units."""
    judges = []
    for each in found:
        fields = dataclasses.asdict(each) | {"name": each.opinion.name}
        del fields["opinion"]
        fields["took"] = None if each.opinion.summary is None else dataclasses.asdict(each.opinion.summary)
        fields["signature"] = each.opinion.signature.text
        fields["examples"] = [answer.as_row() | {"score": score} for _, answer, score in farthest(each, answers)]
        judges.append(fields)
    listed = {"judges": judges, "pairs": [dataclasses.asdict(pair) for pair in pairs]}
    return dict(without_nan(listed))


def rows(found: Sequence[Examined]) -> list[dict[str, Any]]:
    """Return a row per judge with all answers, and one for each of its groups, in natural units."""
    return [
        {"judge": each.opinion.name, "kind": kind, "group": name, **dataclasses.asdict(agreement)}
        for each in found
        for kind, name, agreement in (
            ("all", "all", each.overall),
            *((group.kind, group.name, group.agreement) for group in each.groups),
        )
        if agreement is not None
    ]


def _curves(found: Sequence[Examined], answers: Sequence[Labelled]) -> list[plots.Plot]:
    """The reliability of all judges, and the distribution of each one's scores by label."""
    if not found:
        return []
    drawn = [plots.reliability("Reliability", [(each.opinion.name, each.bins) for each in found])]
    for each in (each for each in found if each.opinion.summary is not None):
        pairs = [(s, a.label) for s, a in zip(each.opinion.scores, answers, strict=True) if s is not None]
        series = [
            (f"right: {name}", colour, scores)
            for name, colour, wanted in (("yes", 0, True), ("no", 1, False))
            if (scores := [score for score, label in pairs if label is wanted])
        ]
        drawn.append(plots.histogram(f"Scores of {each.opinion.name}", series, "score"))
    return drawn


def _kinds(found: Sequence[Examined]) -> list[str]:
    return list(dict.fromkeys(group.kind for each in found for group in each.groups))


def _by_group(found: Sequence[Examined], kind: str) -> plots.Plot:
    series = []
    for colour, each in enumerate(found):
        points = {g.name: dataclasses.astuple(g.agreement.accuracy) for g in each.groups if g.kind == kind}
        series.append(plots.Series(each.opinion.name, colour, points))
    names = list(dict.fromkeys(name for each in series for name in each.points))
    return plots.intervals(f"Accuracy by {kind}", names, series, "accuracy x 100")


def _numbers(found: BinaryAgreement) -> dict[str, Any]:
    return {
        "n": found.n,
        "accuracy x 100": estimated(found.accuracy),
        "best x 100": estimated(found.best_accuracy),
        "threshold": plain(found.best_threshold),
        "F1 x 100": estimated(found.f1),
        "kappa": _spanned(found.kappa),
        "AUROC": _spanned(found.auroc),
        "Brier": _spanned(found.brier),
        "ECE": _spanned(found.calibration_error),
    }


def _group_numbers(group: Group) -> dict[str, Any]:
    found = group.agreement
    ranked = {"kappa": _spanned(found.kappa), "AUROC": _spanned(found.auroc)} if group.kind != "trap" else {}
    counts = {"n": found.n, "labelled yes": found.positives, "accuracy x 100": estimated(found.accuracy)}
    return counts | ranked | dict(zip(("score at 10%", "50%", "90%"), map(plain, group.quantiles), strict=True))


def _spanned(estimate: Estimate) -> str:
    interval = "" if estimate.low is None else f" [{plain(estimate.low)}, {plain(estimate.high)}]"
    return plain(estimate.value) + interval


def _short(text: str) -> str:
    """Return a text, without its middle if it is too long for a table."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 2 :]}"
