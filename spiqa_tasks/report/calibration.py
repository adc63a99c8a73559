"""Calibration of judges as tables, page and JSON."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from spiqa_tasks.analysis.calibration import Examined, Pair, conclusions
from spiqa_tasks.report import plots
from spiqa_tasks.report.content import Report, Section
from spiqa_tasks.report.printer import Column, Columns, Table, as_records, shown
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring.binary import THRESHOLD
from spiqa_tasks.scoring.intervals import Estimate
from spiqa_tasks.scoring.values import estimated, percent, plain, without_nan

AGREEMENT = "Agreement with the labels"
EXAMPLES = 5
"""Wrongly judged answers shown per judge and kind: enough to see why, few enough to read."""
_SHOWN = 300
_LEFT = (
    "95% intervals, answers to one question being one cluster. Yes is a score above 0.5; the best threshold is chosen "
    "on these very answers, so that its accuracy is what tuning could reach at most."
)


def build(
    title: str, found: Sequence[Examined], pairs: Sequence[Pair], answers: Sequence[Labelled]
) -> Report:
    """Return the page's sections: agreement, groups, flips, judges against each other, what they took, examples."""
    known = [each for each in found if each.overall is not None]
    drawn = {AGREEMENT: _curves(known, answers)} | {
        f"By {kind}": [_by_group(known, kind)] for kind in _kinds(known)
    }
    sections = [
        Section(each.title, (), [each], drawn.get(each.title, ())) for each in tables(found, pairs)
    ]
    examples = [examples_table(each, answers) for each in known if each.opinion.summary is not None]
    return Report(
        title,
        (),
        [*sections, *([Section("Farthest from the label", (), examples)] if examples else [])],
        (),
    )


def tables(found: Sequence[Examined], pairs: Sequence[Pair]) -> list[Table]:
    """Return all tables of numbers that have rows."""
    said = [{"judge": judge, "conclusion": text} for judge, text in conclusions(found, pairs)]
    flips = [{"judge": each.opinion.name, **vars(flips)} for each in found for flips in each.flips]
    changed = Column("share", "changed x 100", estimated)
    together = [
        {"judge": each.judges[0], "other judge": each.judges[1], **vars(each)} for each in pairs
    ]
    same = Column("same", "same verdict x 100", percent)
    correlations = [Column("kappa", show=plain), Column("spearman", "Spearman", plain)]
    made = [
        {"judge": each.opinion.name, "signature": each.opinion.signature.text} for each in found
    ]
    listed = [
        agreement_table(found),
        Table(said, ["judge"], ["conclusion"], "Conclusions"),
        *(group_table(found, kind) for kind in _kinds(found)),
        Table(flips, ["judge", "over"], ["n", changed], "Verdicts that change when asked again"),
        Table(
            together,
            ["judge", "other judge"],
            ["n", same, *correlations, Column("kendall", "Kendall", plain)],
            "Judges against each other",
        ),
        cost_table(found),
        Table(made, ["judge"], ["signature"], "How every number was made"),
    ]
    return [table for table in listed if table.records]


def agreement_table(found: Sequence[Examined]) -> Table:
    """Return one line per judge: how its scores agree with the labels."""
    rows = [
        {
            "judge": each.opinion.name,
            "agreement": each.overall and vars(each.overall),
            "failed": each.failed,
        }
        for each in found
    ]
    values: Columns = [*_columns(*(name for name in _COLUMNS if name != "positives")), "failed"]
    notes = [_LEFT, *(f"{each.opinion.name}: {each.withheld}." for each in found if each.withheld)]
    return Table(rows, ["judge"], values, AGREEMENT, notes)


def group_table(found: Sequence[Examined], kind: str) -> Table:
    """Return one line per judge and group; the answers of a trap have one label, and no kappa and AUROC."""
    quantiles = ("score at 10%", "50%", "90%")
    groups = [
        (each.opinion.name, group) for each in found for group in each.groups if group.kind == kind
    ]
    order = list(dict.fromkeys(group.name for _, group in groups))
    rows = [
        {"group": group.name, "judge": judge, "agreement": vars(group.agreement)}
        | dict(zip(quantiles, group.quantiles, strict=True))
        for judge, group in sorted(groups, key=lambda pair: order.index(pair[1].name))
    ]
    values = _columns("n", "positives", "accuracy", *(("kappa", "auroc") if kind != "trap" else ()))
    values += [Column(name, show=plain) for name in quantiles]
    return Table(rows, [Column("group", kind), "judge"], values, f"By {kind}")


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
            "dollars": "-" if took.cost is None else f"{took.cost:.4f}",
            "dollars per 1,000": "-"
            if took.cost is None or not took.judged
            else f"{1000 * took.cost / took.judged:.3f}",
        }
        for each in found
        if (took := each.opinion.summary) is not None
    ]
    return Table(rows, ["judge"], list(rows[0])[1:] if rows else [], "What it took")


def examples_table(each: Examined, answers: Sequence[Labelled]) -> Table:
    """Return the answers whose score is farthest from the label, of each trap where there are such."""
    rows = [
        {
            "name": name,
            **dataclasses.asdict(answer.candidate),
            "right": answer.label,
            "score": score,
        }
        for name, answer, score in farthest(each, answers)
    ]
    texts = [
        Column("question", show=_short),
        Column("reference", show=_short),
        Column("prediction", "answer", _short),
    ]
    values: Columns = [*texts, "right", Column("score", show=plain)]
    return Table(rows, [Column("name", "trap or system")], values, each.opinion.name)


def farthest(each: Examined, answers: Sequence[Labelled]) -> list[tuple[str, Labelled, float]]:
    """Return wrongly judged answers with their scores, the worst first, a few of each trap or system."""
    wrong: dict[str, list[tuple[str, Labelled, float]]] = {}
    for answer, score in zip(answers, each.opinion.scores, strict=True):
        if score is not None and (score > THRESHOLD) != answer.label:
            name = answer.kind or answer.system
            wrong.setdefault(name, []).append((name, answer, score))
    return [
        example
        for of_name in wrong.values()
        for example in sorted(of_name, key=lambda found: -abs(found[2] - found[1].label))[:EXAMPLES]
    ]


def as_json(
    found: Sequence[Examined], pairs: Sequence[Pair], answers: Sequence[Labelled]
) -> dict[str, Any]:
    """Return all numbers, in natural units."""
    judges = []
    for each in found:
        fields = dataclasses.asdict(each) | {"name": each.opinion.name}
        del fields["opinion"]
        fields["took"] = (
            None if each.opinion.summary is None else dataclasses.asdict(each.opinion.summary)
        )
        fields["signature"] = each.opinion.signature.text
        fields["examples"] = [
            answer.as_row() | {"score": score} for _, answer, score in farthest(each, answers)
        ]
        judges.append(fields)
    said = [{"judge": judge, "conclusion": text} for judge, text in conclusions(found, pairs)]
    return dict(without_nan({"judges": judges, "pairs": as_records(pairs), "conclusions": said}))


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
    drawn = (
        [plots.reliability("Reliability", [(each.opinion.name, each.bins) for each in found])]
        if found
        else []
    )
    for each in found:
        if each.opinion.summary is not None:
            scored = [
                (s, answer.label)
                for s, answer in zip(each.opinion.scores, answers, strict=True)
                if s is not None
            ]
            yes, no = (
                [score for score, label in scored if label is wanted] for wanted in (True, False)
            )
            series = [one for one in (("right: yes", 0, yes), ("right: no", 1, no)) if one[2]]
            drawn.append(plots.histogram(f"Scores of {each.opinion.name}", series))
    return drawn


def _kinds(found: Sequence[Examined]) -> list[str]:
    return list(dict.fromkeys(group.kind for each in found for group in each.groups))


def _by_group(found: Sequence[Examined], kind: str) -> plots.Plot:
    series = {
        each.opinion.name: {
            g.name: dataclasses.astuple(g.agreement.accuracy) for g in each.groups if g.kind == kind
        }
        for each in found
    }
    return plots.intervals(f"Accuracy by {kind}", series, "accuracy x 100")


def _spanned(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    interval = "" if estimate.low is None else f" [{plain(estimate.low)}, {plain(estimate.high)}]"
    return plain(estimate.value) + interval


def _columns(*names: str) -> list[Column]:
    return [Column(("agreement", name), *_COLUMNS[name]) for name in names]


_COLUMNS: dict[str, tuple[str, Callable[..., str]]] = {
    "n": ("n", shown),
    "positives": ("labelled yes", shown),
    "accuracy": ("accuracy x 100", estimated),
    "best_accuracy": ("best x 100", estimated),
    "best_threshold": ("threshold", plain),
    "f1": ("F1 x 100", estimated),
    "kappa": ("kappa", _spanned),
    "auroc": ("AUROC", _spanned),
    "brier": ("Brier", _spanned),
    "calibration_error": ("ECE", _spanned),
}
"""Field of an agreement -> its heading and how it is shown."""


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 2 :]}"
