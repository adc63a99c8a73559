"""Choose the runs that gain and leakage compare: with pictures, without, and the LLM base."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from spiqa_tasks.analysis.gain import GainRuns
from spiqa_tasks.analysis.merging import check_comparable, headline
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.readers import lmms_eval
from spiqa_tasks.runs.run import MissingMetricError, Run

# Ablation of a run that only an option names as one without pictures.
UNKNOWN = "unknown"

ACCEPT = "Add --accept-differences if it is meant so."


@dataclass
class _Roles:
    """Runs by their role, those of LLM bases by task; `problems` are sentences on those left
    out.
    """

    seeing: list[Run] = field(default_factory=list)
    blind: list[Run] = field(default_factory=list)
    bases: dict[str, list[Run]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def ablation_pairs(
    runs: Sequence[Run],
    llm_runs: Sequence[Run] = (),
    tasks: Sequence[str] = (),
    metric: str | None = None,
    accept_differences: bool = False,
) -> tuple[list[GainRuns], list[str], list[str]]:
    """Return the pairs, sentences on runs without a twin, and on pairs without scores or base.

    Args:
        runs: of models with and without pictures.
        llm_runs: of the LLM base, beside those of our `_llm` tasks among `runs`.
        tasks: those that count; all without names.
        metric: its name; default: the headline of each task.
        accept_differences: whether one file or model may stand in two roles.

    Raises InputError: no pair, or runs that must not be compared.
    """
    roles = _roles(runs, llm_runs, tasks)
    problems = roles.problems
    pairs: list[GainRuns] = []
    alone: list[str] = []
    used: list[Run] = []

    for run in roles.blind:
        twin = selection.twin(run, roles.seeing)
        if twin is None:
            alone.append(_no_twin(run, roles.seeing))
            continue
        used.append(twin)
        base, problem = _base(twin, roles.bases, accept_differences)
        problems += [problem] * (bool(problem) and problem not in problems)
        try:
            pairs.append(pair_of([twin, run, *base], metric, accept_differences))
        except MissingMetricError as error:
            problems.append(f"{twin.task} of {twin.name} is left out: {error}")

    unused = [run for run in roles.seeing if not any(run is each for each in used)]
    alone += [_no_ablation(run, roles.blind) for run in unused]
    if not pairs:
        nothing = "Expected runs with and without images, found results of neither."
        raise InputError([*problems, *alone, nothing][0])
    return pairs, alone, problems


def _roles(runs: Sequence[Run], llm_runs: Sequence[Run], tasks: Sequence[str]) -> _Roles:
    bases = selection.select_tasks(llm_runs, tasks, variants=True) if llm_runs else []
    wanted = selection.with_unique_labels(selection.select_tasks(runs, tasks, variants=True))
    is_base = {(run.path, run.task) for run in bases}

    roles = _Roles()
    for run in wanted:
        if remark := selection.changed_options_remark(run):
            roles.problems.append(remark)
        elif (run.path, run.task) in is_base:
            continue  # it may be a run on the plain task, which is none with pictures then
        elif selection.is_few_shot(run):
            bases.append(run)
        elif selection.is_blind(run):
            roles.blind.append(run)
        else:
            roles.seeing.append(run)

    for run in bases:
        roles.bases.setdefault(selection.source_task(run), []).append(run)
    return roles


def _base(run: Run, bases: dict[str, list[Run]], accept_differences: bool) -> tuple[list[Run], str]:
    """Return the LLM base of a run with pictures, [] without one, and why one is left out, or
    ''.
    """
    task = selection.source_task(run)
    found = bases.get(task, [])
    left_out = "S_t and ML are left out"
    # Of several bases none is taken: leakage of either would look like that of the other.
    if len(found) > 1:
        names = " and ".join(map(selection.model_name, found))
        expected = f"Expected one LLM base for {task}; found {names}."
        return [], f"{expected} {left_out}: name one of the runs, or its --judge."
    if found and not accept_differences and found[0].identity.model == run.identity.model:
        expected = f"Expected another model as LLM base for {task}, found {run.identity.model}"
        return [], f"{expected} itself. {left_out}. {ACCEPT}"

    return found, ""


def pair_of(
    runs: Sequence[Run],
    metric: str | None = None,
    accept_differences: bool = False,
) -> GainRuns:
    """Return a run with pictures, one without and, if there is one, that of the LLM base, as one.

    Their own records may say otherwise of pictures. Raises InputError: runs that must not be
    compared, or without the metric.
    """
    for run in runs:
        if remark := selection.changed_options_remark(run):
            raise InputError(remark)
    if not accept_differences:
        _check_roles(runs)

    # The run with pictures names the metric: a text variant may log others first.
    chosen = headline(runs[0], metric)
    for run in runs:
        run.metric(chosen.name)
    for place, run in enumerate(runs[1:]):
        # An LLM base is asked in its own way, with solved questions before.
        check_comparable(runs[0], run, chosen, same_prompt=place == 0)

    return GainRuns(runs, chosen, _ablation_name(*runs[:2]))


def _check_roles(runs: Sequence[Run]) -> None:
    """Raise InputError if one file or model stands in two roles."""
    for place, run in enumerate(runs):
        for other in runs[:place]:
            if _content(run) == _content(other):
                raise InputError(
                    f"Expected other answers in each role, found the same ones in {other.path} and "
                    f"{run.path}. {ACCEPT}"
                )

    if len(runs) > 2 and runs[2].identity.model == runs[0].identity.model:
        raise InputError(
            f"Expected another model as the LLM base of {runs[0].identity.model}, found itself. "
            f"{ACCEPT}"
        )


def _content(run: Run) -> object:
    """Return what two copies of a file share, and two runs that happen to answer alike do not."""
    # A results file of the host holds several tasks, so its bytes are not those of a run.
    if run.form in lmms_eval.FORMS or not run.path.is_file():
        return run.identity, run.task, run.by_id
    return hashlib.sha256(run.path.read_bytes()).digest()


def _ablation_name(seeing: Run, blind: Run) -> str:
    """Return what a run's model saw instead of the pictures, with a seed of its own."""
    name = selection.ablation(blind) if selection.is_blind(blind) else UNKNOWN
    seed = blind.identity.seed
    return f"{name},seed={seed}" if seed not in ("", seeing.identity.seed) else name


def _alone(run: Run, what: str, others: Sequence[Run], remedy: str) -> str:
    """Return the sentence on a run without its twin, with the runs of its task that are none."""
    task = selection.source_task(run)
    of_task = [other for other in others if selection.source_task(other) == task]
    found = " and ".join(dict.fromkeys(map(selection.model_name, of_task))) or "none"
    name = selection.model_name(run)
    return f"Expected a run of {name} on {task} {what} images, found {found}. {remedy}"


def _no_ablation(run: Run, blind: Sequence[Run]) -> str:
    base = run.identity.model.partition(",")[0]
    way = f"--model ablated --model_args base={base},ablation=text,... --tasks {run.task}"
    if f"{run.task}_text" in catalogue()[0]:
        way = f"the same model with {selection.option_of_tasks(run)} {run.task}_text"
    return _alone(run, "without", blind, f"Run {way}.")


def _no_twin(run: Run, seeing: Sequence[Run]) -> str:
    option = f"{selection.option_of_tasks(run)} {selection.source_task(run)}"
    remedy = f"Run the same model with {option}, or name the one that {run.path} belongs to."
    return _alone(run, "with", seeing, remedy)
