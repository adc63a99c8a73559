"""Choose the runs that gain and leakage compare: a model with pictures, the same without, and its LLM base."""

from collections.abc import Sequence

from spiqa_tasks.analysis.pair import Pair
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import MissingMetricError, Run

UNKNOWN = "unknown"
"""Ablation of a run that only an option names as one without pictures."""


def ablation_pairs(
    runs: Sequence[Run],
    llm_runs: Sequence[Run] = (),
    tasks: Sequence[str] = (),
    metric: str | None = None,
) -> tuple[list[Pair], list[str], list[str]]:
    """Return the pairs, a sentence per run without its twin, and a sentence per pair without scores or its LLM base.

    `runs` are of models with and without pictures; `llm_runs` of the LLM base, beside those of our `_llm` tasks among
    `runs`. Of all `tasks` without names, by the headline of each without a `metric`.

    Raises InputError: no pair, or runs that must not be compared.
    """
    llm = selection.select_tasks(llm_runs, tasks, variants=True) if llm_runs else []
    named = {(run.path, run.task) for run in llm}
    wanted = selection.with_unique_labels(selection.select_tasks(runs, tasks, variants=True))
    changed = [
        remark for run in wanted if (remark := selection.changed_options_remark(run)) is not None
    ]
    others = [
        run
        for run in wanted
        if (run.path, run.task) not in named and selection.changed_options_remark(run) is None
    ]
    bases: dict[str, list[Run]] = {}
    for run in [*llm, *(run for run in others if selection.is_few_shot(run))]:
        bases.setdefault(selection.source_task(run), []).append(run)
    problems = changed + [
        f"Expected one LLM base for {task}; found {' and '.join(map(selection.model_name, each))}. S_t and ML are left "
        "out: name one of the runs, or its --judge."
        for task, each in bases.items()
        if len(each) > 1
    ]
    seeing = [run for run in others if not selection.is_blind(run)]
    blind = [run for run in others if selection.is_blind(run) and not selection.is_few_shot(run)]
    twins = [(run, selection.twin(run, seeing)) for run in blind]
    pairs: list[Pair] = []
    for run, twin in twins:
        if twin is None:
            continue
        try:
            of_task = bases.get(selection.source_task(run), [])
            pairs.append(
                pair_of([twin, run, *(of_task if len(of_task) == 1 else [])], metric, blind)
            )
        except MissingMetricError as error:
            problems.append(f"{twin.task} of {twin.name} is left out: {error}")
    used = {id(twin) for _, twin in twins}
    alone = [_no_twin(run, seeing) for run, twin in twins if twin is None]
    alone += [_no_ablation(run, blind) for run in seeing if id(run) not in used]
    if not pairs:
        raise InputError(
            next(
                iter([*problems, *alone]),
                "Expected runs with and without images, found results of neither.",
            )
        )
    return pairs, alone, problems


def pair_of(runs: Sequence[Run], metric: str | None = None, blind: Sequence[Run] = ()) -> Pair:
    """Return the pair of a run with pictures, one without, and one of the LLM base if there is one.

    Their own records may say otherwise of pictures. Among `blind`, all runs without pictures, the second run gets an
    ablation name that is unique. Raises InputError: runs that must not be compared, or without the metric.
    """
    for run in runs:
        if remark := selection.changed_options_remark(run):
            raise InputError(remark)
    v, wv = runs[:2]
    kind = selection.ablation(wv) if selection.is_blind(wv) else UNKNOWN
    keys = [
        (selection.source_task(run), run.identity.model, selection.ablation(run))
        for run in (wv, *blind)
    ]
    same = [run for run, key in zip(blind, keys[1:], strict=True) if key == keys[0]]
    if len(same) > 1:
        seeded = len({run.identity.seed for run in same}) == len(same)
        kind += f",seed={wv.identity.seed}" if seeded else f" ({selection.difference(wv, same)})"
    pair = Pair(runs, v.metric(metric), kind)
    for run in runs:
        run.metric(pair.metric.name)
    pair.check()
    return pair


def _no_ablation(run: Run, blind: Sequence[Run]) -> str:
    others = [
        selection.model_name(each)
        for each in blind
        if selection.source_task(each) == selection.source_task(run)
    ]
    base = run.identity.model.partition(",")[0]
    remedy = f"--model ablated --model_args base={base},ablation=text,... --tasks {run.task}"
    if f"{run.task}_text" in catalogue()[0]:
        remedy = f"the same model with {selection.option_of_tasks(run)} {run.task}_text"
    found = f"one of {others[0]}" if others else "none"
    return f"Expected a run of {selection.model_name(run)} on {run.task} without images, found {found}. Run {remedy}."


def _no_twin(run: Run, seeing: Sequence[Run]) -> str:
    task = selection.source_task(run)
    others = [other for other in seeing if selection.source_task(other) == task]
    own = [other for other in others if other.identity.model == run.identity.model]
    remedy = f"Run the same model with {selection.option_of_tasks(run)} {task}; {run.path.name} is left out."
    return (
        f"Expected a run of {selection.model_name(run)} on {task} with images beside the one with "
        f"ablation={selection.ablation(run)}, found {', '.join(map(selection.model_name, own or others)) or 'none'}. "
        f"{f'Name the one that {run.path} belongs to.' if own else remedy}"
    )
