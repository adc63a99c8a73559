"""Which runs belong together: a model with images, the same model without, and its LLM base."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from spiqa_tasks.analysis.answers import Answers, read_answers
from spiqa_tasks.analysis.gain import Triple, check_comparable
from spiqa_tasks.analysis.roles import Entry, entries
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.results import all_runs


def triples(places: Sequence[Path], llm_places: Sequence[Path], metric: str | None) -> tuple[list[Triple], list[str]]:
    """What can be compared, and one sentence for each task that cannot.

    Args:
        places: result files or folders of the host; of several runs of one model to one task the newest counts.
        llm_places: those of the LLM base; our `_llm` tasks are known as such among `places` too.
        metric: see `read_answers`.

    Raises:
        InputError: nothing can be compared, two LLM bases for one task, or runs that must not be compared.
    """
    llm = list(entries(all_runs(llm_places)))
    bases = {entry.run.path.resolve() for entry in llm}
    found = [entry for entry in entries(all_runs(places)) if entry.run.path.resolve() not in bases]
    by_task = _bases([*llm, *(entry for entry in found if entry.few_shot)])
    shown = [entry for entry in found if not entry.few_shot]
    plain = {(entry.key, entry.model): entry for entry in shown if entry.ablation == "none"}
    without = {(entry.key, entry.model, entry.ablation): entry for entry in shown if entry.ablation != "none"}
    result = [
        _triple(plain[key, model], entry, by_task.get(key), metric)
        for (key, model, _), entry in without.items()
        if (key, model) in plain
    ]
    problems = _problems(plain, without)
    if not result:
        raise InputError(
            problems[0] if problems else "Expected runs with and without images, found results of neither."
        )
    return result, problems


def _bases(candidates: Iterable[Entry]) -> dict[str, Entry]:
    """Task -> the run of the LLM base."""
    bases: dict[str, Entry] = {}
    for entry in candidates:
        other = bases.get(entry.key)
        if other is not None and other.model != entry.model:
            raise InputError(
                f"Expected one LLM base for {entry.key}; found {other.model} and {entry.model}. Name one of the runs."
            )
        bases[entry.key] = entry
    return bases


def _triple(plain: Entry, without: Entry, base: Entry | None, metric: str | None) -> Triple:
    v = read_answers(plain.run, plain.task, metric)
    wv = read_answers(without.run, without.task, v.metric)
    check_comparable(v, wv, same_prompt=True)
    t: Answers | None = None
    if base is not None:
        t = read_answers(base.run, base.task, v.metric)
        check_comparable(v, t, same_prompt=False)
    return Triple(v, wv, t, plain.model, without.ablation, base.model if base is not None else None)


def _problems(plain: dict[tuple[str, str], Entry], without: dict[tuple[str, str, str], Entry]) -> list[str]:
    problems = []
    paired = {(key, model) for key, model, _ in without}
    for (key, model), entry in plain.items():
        if (key, model) not in paired:
            others = [other for other_key, other, _ in without if other_key == key]
            problems.append(
                f"Expected a run of {model} on {entry.task} without images, found "
                + (f"one of {others[0]}. " if others else "none. ")
                + f"Run --model ablated --model_args base={entry.run.model},ablation=text,... --tasks {entry.task}."
            )
    for (key, model, ablation), entry in without.items():
        if (key, model) not in plain:
            others = [other for other_key, other in plain if other_key == key]
            problems.append(
                f"Expected a run of {model} on {key} with images beside the one with ablation={ablation}, found "
                + (f"one of {others[0]}. " if others else "none. ")
                + f"Run the same model with --tasks {key}; {entry.run.path.name} is left out."
            )
    return problems
