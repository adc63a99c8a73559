"""Several judges of the same answers as one, where they disagree, and what people decided about it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.record import PERSON, Record
from spiqa_tasks.benchmarks.signature import merged, parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.combining import Combination, combined, spread

_VERDICTS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

Decisions = Mapping[tuple[str, str], float]
"""(question, answer) -> 1 where a person says that it is right, else 0."""


def combine(runs: Sequence[Run], how: Combination) -> Run:
    """Return the run of several judges' scores of the same answers as one judge's.

    An answer that one of them could not judge is not judged. Raises InputError without a judge's scores, and where a
    question is several documents.
    """
    first, metric = runs[0], runs[0].judged_metric
    _require_questions(first)
    by_id = [{record.id: record for record in run.records} for run in runs]
    names = [run.judge_name for run in runs]
    records = [_combined([each[record.id] for each in by_id], names, metric, how) for record in first.records]
    return replace(first, judge=f"{how} of {', '.join(names)}").with_records(records)


def disagreements(runs: Sequence[Run], threshold: float, questions: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the answers whose judges' scores lie further apart than a threshold, or of which only some have one.

    Each is the line of a file in which a person writes the verdict; a score is None where the judge failed. `questions`
    maps ids to the questions' texts.
    """
    metric = runs[0].judged_metric
    by_id = [{record.id: record for record in run.records} for run in runs]
    for record in runs[0].records:
        scores = [each[record.id].scores.get(metric) for each in by_id]
        asked = any(verdict["metric"] == metric for verdict in record.verdicts)
        if asked and (spread(scores) > threshold or 0 < scores.count(None) < len(scores)):
            yield {
                "id": record.id,
                "question": questions.get(record.id, ""),
                "reference": record.reference,
                "prediction": record.prediction or "",
                "scores": dict(zip([run.judge_name for run in runs], scores, strict=True)),
                "verdict": None,
            }


def read_decisions(path: Path) -> Decisions:
    """Return what people wrote as `verdict` (yes, no, true or false) into a file of disagreements; others are open.

    Raises InputError: the file cannot be read, a verdict that says something else, or two of them on one answer.
    """
    found: dict[tuple[str, str], float] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, ValueError) as error:
        raise InputError(f"Expected a file of decisions at {path}, found {error}. Name one.") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            key, said = (str(row["id"]), str(row["prediction"])), row["verdict"]
            verdict = None if said is None else _VERDICTS[str(said).strip().lower()]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(
                f"Expected line {number} of {path} to be a JSON object with id, prediction and verdict (yes, no or "
                f"null), found {line.strip()[:80]!r}. Correct the line."
            ) from error
        if verdict is not None and found.setdefault(key, verdict) != verdict:
            raise InputError(f"Expected one verdict on {key[0]} in {path}, found two. Leave one of them.")
    return found


def decided(run: Run, decisions: Decisions, digest: str) -> Run:
    """Return the run with people's decisions in the place of the judge's scores, as many as are of its answers.

    Raises InputError: no judge's scores, or a question that is several documents.
    """
    _require_questions(run)
    metric = run.judged_metric
    records = []
    for record in run.records:
        score = decisions.get((record.id, record.prediction or ""))
        if score is None or record.status not in ("ok", "judge_failed"):
            records.append(record)
            continue
        others = tuple(verdict for verdict in record.verdicts if verdict["metric"] != metric)
        told = {"metric": metric, "score": score, PERSON: True, "judged": record.scores.get(metric)}
        changes: dict[str, Any] = {"status": "ok", "reason": None} if record.status == "judge_failed" else {}
        scores = {**record.scores, metric: score}
        records.append(replace(record, scores=scores, verdicts=(*others, told), **changes))
    return run.with_records([record.signed(judge_person=digest) for record in records])


def _combined(records: Sequence[Record], judges: Sequence[str], metric: str, how: Combination) -> Record:
    """One answer's records as one."""
    first = records[0]
    if not any(verdict["metric"] == metric for verdict in first.verdicts):
        return first
    scores = [record.scores.get(metric) for record in records]
    score = combined(scores, how)
    told = [verdict for record in records for verdict in record.verdicts if verdict["metric"] == metric]
    models = "+".join(sorted({str(verdict["model"]) for verdict in told if verdict.get("model")}))
    verdict: dict[str, Any] = {"metric": metric, "model": models, "judges": dict(zip(judges, scores, strict=True))}
    rest = {name: value for name, value in first.scores.items() if name != metric}
    failed = next((record for record in records if record.status == "judge_failed"), first)
    signature = merged(parse(record.signature) for record in records).with_fields(judge_combined=how)
    return replace(
        first,
        scores=rest if score is None else {**rest, metric: score},
        verdicts=(verdict | ({"reason": failed.reason} if score is None else {"score": score}),),
        status=failed.status,
        reason=failed.reason,
        signature=signature.text,
    )


def _require_questions(run: Run) -> None:
    if not run.judged_metric:
        raise InputError(f"Expected answers to {run.task} that a judge scored, found none. Name a --judge.")
    if run.benchmark is not None and run.benchmark.join(run.settings) is not None:
        raise InputError(
            f"Expected a task whose questions are one document each, found {run.task}. Leave --combine and --human out."
        )
