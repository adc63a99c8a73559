"""`score`: answers that exist already, scored by the code of the hooks."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.prompts import DEFAULT_PROMPT, PROMPTS
from spiqa_tasks.hosts.lmms_eval.catalogue import Task, find_tasks

if TYPE_CHECKING:
    from spiqa_tasks.offline.scored import Scored
    from spiqa_tasks.judge.engine import Estimate
    from spiqa_tasks.judge.l3 import L3Judge


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    score = subparsers.add_parser("score", help="score answers that exist already; needs no model and no pictures")
    score.add_argument("task", metavar="TASK", help="the task that the answers are of")
    score.add_argument(
        "predictions",
        nargs="+",
        type=Path,
        metavar="PREDICTIONS",
        help="samples of lmms-eval, jsonl of id and prediction, SPIQA's response files, xlsx or tsv; one per model",
    )
    score.add_argument(
        "--judge",
        action="append",
        metavar="PROVIDER:MODEL[@URL]",
        help="judge of L3Score, or none; with @URL one at a server of its own; several are compared "
        "(default: SPIQA_JUDGE)",
    )
    score.add_argument("--judge-prompt", choices=list(PROMPTS), default=DEFAULT_PROMPT, help="wording of the question")
    score.add_argument("--top", default="5", help="first-token log-probabilities used: a number, or full-vocabulary")
    score.add_argument("--output", type=Path, metavar="DIR", help="write <task>_scores.json and <task>_samples.jsonl")
    score.add_argument("--json", action="store_true", help="print one JSON object")
    score.add_argument("--dry-run", action="store_true", help="say how many calls, tokens and dollars; ask nothing")
    score.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Score and print; 0 when every question has an answer that could be scored, else 3.

    Raises:
        SpiqaTasksError: unknown task, unusable predictions, no data, or a judge that cannot be used.
    """
    from spiqa_tasks.analysis import score_inputs, score_output
    from spiqa_tasks.offline.scoring import record_answers, score_recorded
    from spiqa_tasks.benchmarks.for_scoring import rows_for_scoring

    task = _one_task(arguments.task)
    judges = score_inputs.chosen_judges(task, arguments.judge, arguments.judge_prompt, arguments.top, os.environ)
    rows = rows_for_scoring(task.benchmark, task.split, task.settings)
    answers, remarks = score_inputs.read_answers(arguments.predictions, task, rows)
    _say(remarks)
    estimates = {
        name: judge.engine.estimate(score_inputs.requests(task, judge, answers, rows)) for name, judge in judges.items()
    }
    if arguments.dry_run:
        print(_forecast(task, estimates, arguments.json))
        return 0
    for name, judge in judges.items():
        if estimates[name].calls:
            judge.preflight()
    asked: list[tuple[str | None, L3Judge | None]] = [*judges.items()] or [(None, None)]
    recorded = [
        (record_answers(task, rows, matched, judge), label, name)
        for label, matched in answers.items()
        for name, judge in asked
    ]
    results = [score_recorded(*each) for each in recorded]
    for result in results:
        _say(score_inputs.differences(task, answers[result.label], result))
        _say(_failures(result))
    if arguments.output is not None:
        _say(f"wrote {path}." for path in score_output.write(results, arguments.output))
    print(json.dumps(score_output.as_json(results), indent=2) if arguments.json else score_output.as_text(results))
    return 0 if all(result.complete for result in results) else 3


def _one_task(name: str) -> Task:
    found = find_tasks([name])
    if len(found) != 1:
        members = ", ".join(task.name for task in found)
        raise InputError(f"Expected one task, found the group {name} of {members}. Score each of them alone.")
    return found[0]


def _say(remarks: Iterable[str]) -> None:
    for remark in remarks:
        print(f"spiqa-tasks: {remark}", file=sys.stderr)


def _forecast(task: Task, estimates: Mapping[str, Estimate], as_json: bool) -> str:
    """What judging would take."""
    if as_json:
        rows = [{"judge": name, **dataclasses.asdict(estimate)} for name, estimate in estimates.items()]
        return json.dumps({"task": task.name, "dry_run": rows}, indent=2)
    if not estimates:
        return "No judge would be asked."
    lines = []
    for name, estimate in estimates.items():
        tokens = f"{estimate.prompt_tokens + estimate.completion_tokens:,}"
        price = "its price is not known" if estimate.cost is None else f"about ${estimate.cost:.2f}"
        lines.append(
            f"Judge {name}: {estimate.calls} calls to make, {estimate.cached} verdicts in the cache, "
            f"about {tokens} tokens, {price}"
        )
    return "\n".join(lines)


def _failures(result: Scored) -> Iterable[str]:
    failed = [sample for sample in result.samples if sample["status"] == "judge_failed"]
    if failed:
        yield (
            f"{result.label}: {len(failed)} answers could not be judged, the first {failed[0]['id']}: "
            f"{failed[0]['reason']}. Score again: only these are asked."
        )
