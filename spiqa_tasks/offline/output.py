"""What `spiqa-tasks score` prints and writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.metrics.text_scores import tokenizer_note
from spiqa_tasks.offline.agreement import Agreement, agreements, ranks
from spiqa_tasks.offline.score_files import SAMPLES, SCORES
from spiqa_tasks.offline.scored import L3SCORE, Number, Scored
from spiqa_tasks.scoring.units import percent


def as_json(results: Sequence[Scored]) -> dict[str, Any]:
    """One result: its own object. Several (files of answers, judges): all of them, with agreement and ranks."""
    if len(results) == 1:
        return results[0].as_json()
    return {
        "task": results[0].task,
        "results": [
            {**result.as_json(), "predictions": result.label, "judge": result.judge or "none"} for result in results
        ],
        "agreement": [agreement.as_json() for agreement in agreements(results)],
        "ranks": ranks(results),
    }


def as_text(results: Sequence[Scored]) -> str:
    """For people: values times 100, one column per file of answers and judge, then what is behind them."""
    parts = [_single(results[0]) if len(results) == 1 else _columns(results), _notes(results)]
    if len({result.judge for result in results}) > 1:
        parts.append(_agreements(agreements(results)))
    if len({result.label for result in results}) > 1 and any(L3SCORE in result.metrics for result in results):
        parts.append(_ranks(results))
    return "\n\n".join(parts)


def write(results: Sequence[Scored], folder: Path) -> list[Path]:
    """Write `<task>_scores.json` and `<task>_samples.jsonl`, each whole or not at all; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    task = results[0].task
    lines = [
        json.dumps({**sample, "predictions": result.label, "judge": result.judge})
        for result in results
        for sample in result.samples
    ]
    contents = {
        folder / f"{task}{SAMPLES}": "".join(f"{line}\n" for line in lines),
        folder / f"{task}{SCORES}": json.dumps(as_json(results), indent=2) + "\n",
    }
    for path, content in contents.items():
        write_atomically(path, content.encode())
    return list(contents)


def _single(result: Scored) -> str:
    rows = [
        [name, _shown(name, metric), _interval(metric), metric.n]
        for name, metric in result.metrics.items()
        if not _is_trivial(name, [metric])
    ]
    return tabulate(rows, headers=[result.task, "x 100", "95% interval", "n"], disable_numparse=True)


def _columns(results: Sequence[Scored]) -> str:
    names = dict.fromkeys(name for result in results for name in result.metrics)
    rows = []
    for name in names:
        metrics = [result.metrics.get(name, Number(None, 0)) for result in results]
        if not _is_trivial(name, metrics):
            rows.append([name, *(f"{_shown(name, metric)} {_interval(metric)}".strip() for metric in metrics)])
    headers = [results[0].task, *(f"{result.label}\njudge {result.judge or 'none'}" for result in results)]
    return tabulate(rows, headers=headers, disable_numparse=True)


def _is_trivial(name: str, metrics: Sequence[Number]) -> bool:
    """Whether a row says no more than that nothing failed."""
    return name.endswith("_failed_rate") and not any(metric.value for metric in metrics)


def _shown(name: str, metric: Number) -> str:
    """Shares and scores times 100, counts as they are."""
    return f"{metric.value:.0f}" if name.endswith("_count") and metric.value is not None else percent(metric.value)


def _interval(metric: Number) -> str:
    return "" if metric.interval is None else f"[{percent(metric.interval[0])}, {percent(metric.interval[1])}]"


def _notes(results: Sequence[Scored]) -> str:
    """Counts, what is left out and why, and the signature; one block per result."""
    blocks = []
    for result in results:
        counts = ", ".join(f"{key} {value}" for key, value in result.counts.items() if isinstance(value, int) and value)
        lines = [f"{result.label}: {counts}" if len(results) > 1 else counts]
        lines += [f"{name} left out: {reason}" for name, reason in result.omitted.items()]
        tokenizer = parse(result.signature).tokenizer
        lines += [f"BLEU, ROUGE-L and CIDEr: {tokenizer_note(tokenizer)}"] if tokenizer else []
        blocks.append("\n".join([*lines, f"signature: {result.signature}"]))
    return "\n\n".join(blocks)


def _agreements(found: Sequence[Agreement]) -> str:
    rows = [
        [
            " / ".join(agreement.judges),
            agreement.label,
            agreement.n,
            *("-" if value is None else f"{value:.3f}" for value in (agreement.spearman, agreement.kendall)),
        ]
        for agreement in found
    ]
    headers = ["judges", "answers", "n", "Spearman", "Kendall"]
    return "Agreement of the judges, answer by answer\n" + tabulate(rows, headers=headers, disable_numparse=True)


def _ranks(results: Sequence[Scored]) -> str:
    by_judge = ranks(results)
    labels = dict.fromkeys(result.label for result in results)
    rows = [[label, *(places.get(label) or "-" for places in by_judge.values())] for label in labels]
    return "Rank by L3Score\n" + tabulate(rows, headers=["answers", *by_judge], disable_numparse=True)
