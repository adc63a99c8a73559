"""Which runs belong together: a model with images, the same model without, and its LLM base."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from spiqa_tasks.analysis.gain_of_runs import Triple, check_comparable
from spiqa_tasks.analysis.logged_answers import Answers, MissingMetricError, read_answers
from spiqa_tasks.analysis.roles import RunRole, entries
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue


def triples(
    places: Sequence[Path],
    llm_places: Sequence[Path],
    metric: str | None,
    tasks: Sequence[str] = (),
    with_base: bool = True,
) -> tuple[list[Triple], list[str]]:
    """What can be compared, and one sentence for each run that cannot, or that a newer one replaces.

    Args:
        places: result files or folders of the host; of several runs of one model to one task the newest counts.
        llm_places: those of the LLM base; our `_llm` tasks are known as such among `places` too.
        metric: see `read_answers`.
        tasks: only these; empty: all.
        with_base: whether LLM bases among `places` count; without one there is no leakage.

    Raises:
        InputError: nothing can be compared, two LLM bases for one task, or runs that must not be compared.
    """
    llm, remarks = entries(llm_places, tasks) if llm_places else ([], [])
    listed, problems = entries(places, tasks)
    problems += remarks
    found = [entry for entry in listed if entry.run.path not in {other.run.path for other in llm}]
    bases = _bases([*llm, *(entry for entry in found if entry.few_shot and with_base)])
    plain = [entry for entry in found if not entry.few_shot and entry.ablation == "none"]
    without = [entry for entry in found if not entry.few_shot and entry.ablation != "none"]
    result = []
    for entry in without:
        twin = _twin(entry, plain)
        if twin is None:
            problems.append(_no_twin(entry, plain))
            continue
        try:
            result.append(_triple(twin, entry, _ablation(entry, without), bases.get(entry.key), metric))
        except MissingMetricError as error:
            problems.append(f"{twin.task} of {twin.label} is left out: {error}")
    used = {id(_twin(entry, plain)) for entry in without}
    problems += [_no_ablation(entry, without) for entry in plain if id(entry) not in used]
    if not result:
        raise InputError(
            problems[-1] if problems else "Expected runs with and without images, found results of neither."
        )
    return result, problems


def _bases(candidates: Iterable[RunRole]) -> dict[str, RunRole]:
    """Task -> the run of the LLM base."""
    bases: dict[str, RunRole] = {}
    for entry in candidates:
        other = bases.get(entry.key)
        if other is not None:
            raise InputError(
                f"Expected one LLM base for {entry.key}; found {other.label} and {entry.label}. Name one of the runs."
            )
        bases[entry.key] = entry
    return bases


def _twin(entry: RunRole, plain: Sequence[RunRole]) -> RunRole | None:
    """The run with images of the same model: that of the same seed, or the only one there is."""
    same = [other for other in plain if (other.key, other.model) == (entry.key, entry.model)]
    seeded = [other for other in same if other.seed == entry.seed]
    return next(iter(seeded or (same if len(same) == 1 else [])), None)


def _ablation(entry: RunRole, without: Sequence[RunRole]) -> str:
    """What was done to the images, with the seed where the same was done with several."""
    same = [
        each for each in without if (each.key, each.model, each.ablation) == (entry.key, entry.model, entry.ablation)
    ]
    return entry.ablation if len(same) == 1 else f"{entry.ablation},seed={entry.seed}"


def _triple(plain: RunRole, without: RunRole, ablation: str, base: RunRole | None, metric: str | None) -> Triple:
    v = read_answers(plain.run, plain.task, metric)
    wv = read_answers(without.run, without.task, v.metric)
    check_comparable(v, wv, same_prompt=True)
    t: Answers | None = None
    if base is not None:
        t = read_answers(base.run, base.task, v.metric)
        check_comparable(v, t, same_prompt=False)
    return Triple(v, wv, t, plain.label, ablation, base.label if base is not None else None)


def _no_ablation(entry: RunRole, without: Sequence[RunRole]) -> str:
    others = [other.label for other in without if other.key == entry.key]
    shipped = f"{entry.task}_text"
    run = f"--model ablated --model_args base={entry.run.model},ablation=text,... --tasks {entry.task}"
    if shipped in catalogue()[0]:
        run = f"the same model with --tasks {shipped}"
    return (
        f"Expected a run of {entry.label} on {entry.task} without images, found "
        f"{f'one of {others[0]}' if others else 'none'}. Run {run}."
    )


def _no_twin(entry: RunRole, plain: Sequence[RunRole]) -> str:
    others = [other.label for other in plain if other.key == entry.key]
    return (
        f"Expected a run of {entry.label} on {entry.key} with images beside the one with ablation={entry.ablation}, "
        f"found {', '.join(others) or 'none'}. Run the same model with --tasks {entry.key}; {entry.run.path.name} is "
        "left out."
    )
