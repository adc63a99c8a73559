"""Calibration of judges as tables, page and JSON."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from spiqa_tasks.analysis.calibration import Examined, Pair, conclusions
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
    said = [{"judge": judge, "conclusion": text} for judge, text in conclusions(found, pairs)]
    rest = (flips_table(found), pairs_table(pairs), cost_table(found), signature_table(found))
    drawn = [Table(said, ["judge"], ["conclusion"], "Conclusions")] if said else []
    return [agreement_table(found), *drawn, *groups, *(table for table in rest if table.records)]


def agreement_table(found: Sequence[Examined]) -> Table:
    """Return one line per judge: how its scores agree with the labels."""
    values = ["n", "accuracy x 100", "best x 100", "threshold", "F1 x 100", "kappa", "AUROC", "Brier", "ECE", "failed"]
    rows = [{"judge": each.opinion.name, **_numbers(each.overall), "failed": each.failed} for each in found]
    notes = [_LEFT, *(f"{each.opinion.name}: {each.withheld}." for each in found if each.withheld)]
    return Table(rows, ["judge"], values, AGREEMENT, notes)


def group_table(found: Sequence[Examined], kind: str) -> Table:
    """Return one line per judge and group; the answers of a trap have one label, and no kappa and AUROC."""
    quantiles = ("score at 10%", "50%", "90%")
    groups = [(each.opinion.name, group) for each in found for group in each.groups if group.kind == kind]
    order = list(dict.fromkeys(group.name for _, group in groups))
    rows = [
        {"group": group.name, "judge": judge, **_numbers(group.agreement)}
        | dict(zip(quantiles, map(plain, group.quantiles), strict=True))
        for judge, group in sorted(groups, key=lambda pair: order.index(pair[1].name))
    ]
    values = ["n", "labelled yes", "accuracy x 100", *(["kappa", "AUROC"] if kind != "trap" else []), *quantiles]
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
    rows = [
        {
            "judge": each.opinion.name,
            "asked": took.judged,
            "from the cache": took.cached,
            "failed": took.failed,
            "seconds": f"{took.seconds:.1f}",
            "tokens": f"{took.prompt_tokens + took.completion_tokens:,}",
            "dollars": _price(took.cost, 1, 4),
            "dollars per 1,000": _price(took.cost, took.judged / 1000, 3),
        }
        for each in found
        if (took := each.opinion.summary) is not None
    ]
    return Table(rows, ["judge"], list(rows[0])[1:] if rows else [], "What it took")


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
    said = [{"judge": judge, "conclusion": text} for judge, text in conclusions(found, pairs)]
    listed = {"judges": judges, "pairs": [dataclasses.asdict(pair) for pair in pairs], "conclusions": said}
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
    """Return the reliability of all judges, and the distribution of each one's scores by label."""
    drawn = [plots.reliability("Reliability", [(each.opinion.name, each.bins) for each in found])] if found else []
    for each in found:
        if each.opinion.summary is not None:
            by_label: dict[bool, list[float]] = {True: [], False: []}
            for score, answer in zip(each.opinion.scores, answers, strict=True):
                by_label[answer.label] += [] if score is None else [score]
            named = (("right: yes", 0, by_label[True]), ("right: no", 1, by_label[False]))
            series = [one for one in named if one[2]]
            drawn.append(plots.histogram(f"Scores of {each.opinion.name}", series))
    return drawn


def _kinds(found: Sequence[Examined]) -> list[str]:
    return list(dict.fromkeys(group.kind for each in found for group in each.groups))


def _by_group(found: Sequence[Examined], kind: str) -> plots.Plot:
    series = []
    for colour, each in enumerate(found):
        points = {g.name: dataclasses.astuple(g.agreement.accuracy) for g in each.groups if g.kind == kind}
        series.append(plots.Series(each.opinion.name, colour, points))
    return plots.intervals(f"Accuracy by {kind}", series, "accuracy x 100")


def _numbers(found: BinaryAgreement | None) -> dict[str, str]:
    """Return heading -> text of an agreement's numbers; dashes for None."""
    texts = {
        "n": found and str(found.n),
        "labelled yes": found and str(found.positives),
        "accuracy x 100": found and estimated(found.accuracy),
        "best x 100": found and estimated(found.best_accuracy),
        "threshold": found and plain(found.best_threshold),
        "F1 x 100": found and estimated(found.f1),
        "kappa": found and _spanned(found.kappa),
        "AUROC": found and _spanned(found.auroc),
        "Brier": found and _spanned(found.brier),
        "ECE": found and _spanned(found.calibration_error),
    }
    return {name: text or "-" for name, text in texts.items()}


def _price(cost: float | None, per: float, decimals: int) -> str:
    return "-" if cost is None or not per else f"{cost / per:.{decimals}f}"


def _spanned(estimate: Estimate) -> str:
    interval = "" if estimate.low is None else f" [{plain(estimate.low)}, {plain(estimate.high)}]"
    return plain(estimate.value) + interval


def _short(text: str) -> str:
    """Return a text, without its middle if it is too long for a table."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 2 :]}"
