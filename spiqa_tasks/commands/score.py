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
from spiqa_tasks.hosts.lmms_eval.catalogue import Task, find_tasks, read_task
from spiqa_tasks.judge.prompts import DEFAULT_PROMPT, PROMPTS

if TYPE_CHECKING:
    from spiqa_tasks.benchmarks.judging import Judging
    from spiqa_tasks.judge.engine import Estimate
    from spiqa_tasks.offline.scored import Scored


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    score = subparsers.add_parser("score", help="score answers that exist already; needs no model and no pictures")
    score.add_argument("task", metavar="TASK", help="the task that the answers are of, or its YAML")
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
    from spiqa_tasks.benchmarks.making import make_scorer
    from spiqa_tasks.benchmarks.registry import rows_for_scoring
    from spiqa_tasks.offline import inputs, output, scored

    task = _one_task(arguments.task)
    judges = inputs.chosen_judges(task, arguments.judge, arguments.judge_prompt, arguments.top, os.environ)
    rows = rows_for_scoring(task.benchmark, task.split, task.settings)
    files, remarks = inputs.read_answers(arguments.predictions, task, rows)
    _say(remarks)
    asked: dict[str | None, Judging | None] = dict(judges.items()) or {None: None}
    scorers = {name: make_scorer(task.benchmark, task.settings, "offline", judging) for name, judging in asked.items()}
    first = next(iter(scorers.values()))
    answers = {label: scored.read(first, rows, matched) for label, matched in files.items()}
    requests = [request for each in answers.values() for request in first.requests(each.records)]
    estimates = {name: judging.judge.engine.estimate(requests) for name, judging in judges.items()}
    if arguments.dry_run:
        print(_forecast(task, estimates, arguments.json))
        return 0
    for name, judging in judges.items():
        if estimates[name].calls:
            judging.judge.preflight()
    results = [
        scored.score(scorer, task.name, each, label, name)
        for label, each in answers.items()
        for name, scorer in scorers.items()
    ]
    for result in results:
        _say(inputs.differences(task, files[result.label], result))
        _say(_failures(result))
    if arguments.output is not None:
        _say(f"wrote {path}." for path in output.write(results, arguments.output))
    print(json.dumps(output.as_json(results), indent=2) if arguments.json else output.as_text(results))
    return 0 if all(result.complete for result in results) else 3


def _one_task(name: str) -> Task:
    if name.endswith(".yaml"):
        return read_task(Path(name))
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
