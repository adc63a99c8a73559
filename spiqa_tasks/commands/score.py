"""`score`: answers that exist already, scored by the code of the hooks."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spiqa_tasks.commands import batching
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import check_folder
from spiqa_tasks.hosts.catalogue import Task, find_tasks, read_task
from spiqa_tasks.judge.pricing import PRICE_VARIABLE
from spiqa_tasks.judge.request_fields import EXTRA_VARIABLE
from spiqa_tasks.judge.rules.l3score import DEFAULT_PROMPT, PROMPTS
from spiqa_tasks.printable import counted, say

if TYPE_CHECKING:
    from spiqa_tasks.judge.config import JudgeConfig
    from spiqa_tasks.judge.engine import JudgingEstimate
    from spiqa_tasks.judge.judge import Judge
    from spiqa_tasks.judge.types import JudgeRequest
    from spiqa_tasks.offline.inputs import Input
    from spiqa_tasks.offline.scored import Scored


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    score = subparsers.add_parser("score", help="score answers that exist already; needs no model and no pictures")
    score.add_argument(
        "task",
        metavar="TASK",
        help="the task that the answers are of, or its YAML; or a RUN of lmms-eval, which tells its tasks",
    )
    score.add_argument(
        "predictions",
        nargs="*",
        type=Path,
        metavar="PREDICTIONS",
        help="samples of lmms-eval, jsonl of id and prediction, SPIQA's response files, a table (xlsx, tsv, json) or "
        "VLMEvalKit's output folder; one per model",
    )
    score.add_argument("--task", action="append", default=[], dest="only", help="of a RUN, only this task")
    score.add_argument(
        "--include-path", action="append", type=Path, default=[], metavar="FOLDER", help="of tasks of one's own"
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
    score.add_argument(
        "--judge-extra",
        metavar="JSON",
        help="fields that every request to a judge at an address of its own, or in this process, has in addition "
        f"(default: {EXTRA_VARIABLE})",
    )
    score.add_argument(
        "--judge-price",
        metavar="PROMPT,COMPLETION",
        help=f"US dollars per million tokens of judges without a list price (default: {PRICE_VARIABLE})",
    )
    score.add_argument("--output", type=Path, metavar="DIR", help="write <task>_scores.json and <task>_samples.jsonl")
    score.add_argument("--json", action="store_true", help="print one JSON object")
    score.add_argument("--dry-run", action="store_true", help="say how many calls, tokens and dollars; ask nothing")
    batching.add_options(score)
    score.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Score and print; 0 when every question has an answer that could be scored, else 3.

    Raises:
        SpiqaTasksError: unknown task, unusable predictions, no data, or a judge that cannot be used.
    """
    from spiqa_tasks.offline import output

    if arguments.output is not None:
        check_folder(arguments.output)
    results: list[list[Scored]] = []
    all_there = True
    for task, given in _given(arguments):
        found = _score(arguments, task, given)
        all_there &= found is not None
        if found:
            results.append(found)
        if found and arguments.output is not None:
            say(*(f"wrote {path}." for path in output.write(found, arguments.output)))
    if arguments.json and results:
        objects = [output.as_json(each) for each in results]
        print(json.dumps(objects[0] if len(objects) == 1 else objects, indent=2))
    elif results:
        print("\n\n".join(output.as_text(each) for each in results))
    return 0 if all_there and all(result.complete for each in results for result in each) else 3


def _score(arguments: argparse.Namespace, task: Task, given: Sequence[Input]) -> list[Scored] | None:
    """The scores of each file of answers by each judge.

    None of them with `--dry-run`, which prints what they would take; None while batches are under way.
    """
    from spiqa_tasks.benchmarks.scorer_factory import make_scorer
    from spiqa_tasks.offline import inputs, scored

    say(*(remark for each in given for remark in each.remarks))
    judges = inputs.chosen_judges(task, arguments.judge, arguments.judge_prompt, arguments.top, _environ(arguments))
    configs = [judge.engine.config for judge in judges.values()]
    batching.check(arguments, configs)
    _check_extra(arguments.judge_extra, configs)
    asked: dict[str | None, Judge | None] = dict(judges.items()) or {None: None}
    answers = []
    requests: dict[str | None, list[JudgeRequest]] = {name: [] for name in asked}
    for each in given:
        for name, judge in asked.items():
            scorer = make_scorer(each.task.benchmark, each.task.settings, "offline", judge)
            read = scored.read(scorer, each.rows, each.matched)
            requests[name] += scorer.requests(read.records)
            answers.append((each, name, scorer, read))
    estimates = {name: judge.engine.estimate(requests[name]) for name, judge in judges.items()}
    if arguments.dry_run:
        print(_forecast(task, estimates, arguments.json, batching.price_share(arguments)))
        return []
    for name in judges:
        if estimates[name].calls:
            judges[name].preflight()
    if not batching.all_there(arguments, {name: (judges[name].engine, requests[name]) for name in judges}):
        return None
    results = []
    for each, name, scorer, read in answers:
        result = scored.score(scorer, task.name, read, each.label, name)
        say(*inputs.differences(each, result))
        say(*_failures(result))
        say(*result.remarks)
        results.append(result)
    return results


def _given(arguments: argparse.Namespace) -> list[tuple[Task, list[Input]]]:
    """Each task with the answers to it: the files that are named, or the samples of a run's tasks.

    Raises:
        InputError: neither a task nor a run.
    """
    from spiqa_tasks.offline.inputs import chosen_judges, read_inputs
    from spiqa_tasks.offline.runs import inputs_of_run, task_of_runs

    if not arguments.predictions:
        run = Path(arguments.task)
        if not run.exists():
            raise InputError(
                f"Expected TASK PREDICTIONS..., or a RUN of lmms-eval; found {arguments.task} alone, which is no file "
                "or folder. Name the answers to the task."
            )
        found, remarks = inputs_of_run(run, arguments.only, arguments.include_path)
        say(*remarks)
        return found
    task = _one_task(arguments.task, arguments.include_path, task_of_runs(arguments.task, arguments.predictions))
    chosen_judges(task, arguments.judge, arguments.judge_prompt, arguments.top, _environ(arguments))  # before any file
    return [(task, read_inputs(arguments.predictions, task))]


def _one_task(name: str, include: Sequence[Path], ran: Task | None) -> Task:
    """The task of a name; where no YAML has it, as a run among the predictions recorded it."""
    if name.endswith(".yaml"):
        return read_task(Path(name))
    try:
        found = find_tasks([name], include)
    except InputError:
        if ran is None:
            raise
        return ran
    if len(found) != 1:
        members = ", ".join(task.name for task in found)
        raise InputError(f"Expected one task, found the group {name} of {members}. Score each of them alone.")
    return found[0]


def _check_extra(extra: str | None, judges: Sequence[JudgeConfig]) -> None:
    """Raise InputError where fields were given that no judge is sent."""
    if extra and not any(judge.extra for judge in judges):
        names = ", ".join(judge.name for judge in judges) or "none"
        raise InputError(
            f"Expected a judge at an address of its own, or in this process, for --judge-extra; found {names}. "
            "Name its address (provider:model@URL), or leave --judge-extra out."
        )


def _environ(arguments: argparse.Namespace) -> dict[str, str]:
    """The environment, with what the arguments say instead."""
    said = {EXTRA_VARIABLE: arguments.judge_extra, PRICE_VARIABLE: arguments.judge_price}
    return {**os.environ, **{name: value for name, value in said.items() if value is not None}}


def _forecast(task: Task, estimates: Mapping[str, JudgingEstimate], as_json: bool, share: float) -> str:
    """What judging would take, at a share of the list price."""
    estimates = {
        name: estimate if estimate.cost is None else dataclasses.replace(estimate, cost=share * estimate.cost)
        for name, estimate in estimates.items()
    }
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
            f"{result.task}: {result.label}: {counted(len(failed), 'answer')} could not be judged, "
            f"the first {failed[0]['id']}: {failed[0]['reason']}. Score again: only these are asked."
        )
