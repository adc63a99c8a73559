"""Which runs gain and leakage are of: a model with pictures, the same model without, and its LLM base."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.outcomes import has_answer, option_count
from spiqa_tasks.runs.run import MissingMetricError, Run

UNKNOWN = "unknown"
"""The ablation of a run that is known to be without pictures, and not how."""


@dataclass(frozen=True)
class Triple:
    """A model's runs with pictures (`v`) and without (`wv`), and its LLM base's (`t`), to one task by one metric."""

    v: Run
    wv: Run
    t: Run | None
    metric: Metric
    ablation: str

    @property
    def runs(self) -> list[Run]:
        """The runs that there are, in this order."""
        return [self.v, self.wv, *([self.t] if self.t is not None else [])]

    @cached_property
    def questions(self) -> list[dict[str, Record]]:
        """Question -> its record, of each run."""
        return [questions_of(run, self.metric) for run in self.runs]

    @cached_property
    def scores(self) -> dict[str, tuple[float, ...]]:
        """Question -> its scores, of the questions that have one in every run."""
        by_run = [scores_of(each, self.metric) for each in self.questions]
        return {key: tuple(scores[key] for scores in by_run) for key in by_run[0] if all(key in s for s in by_run)}

    @cached_property
    def answered(self) -> dict[str, tuple[bool, ...]]:
        """Question -> whether each run has an answer, of the questions in `scores`."""
        pairs = list(zip(self.runs, self.questions, strict=True))
        return {key: tuple(has_answer(run, questions[key]) for run, questions in pairs) for key in self.scores}

    @cached_property
    def options(self) -> dict[str, int]:
        """Question -> how many options it has, of those in `scores` of which it is known."""
        found = {key: option_count(self.v, self.questions[0][key]) for key in self.scores}
        return {key: count for key, count in found.items() if count is not None and count > 1}


def triples(
    runs: Sequence[Run],
    llm_runs: Sequence[Run] = (),
    tasks: Sequence[str] = (),
    metric: str | None = None,
    with_base: bool = True,
) -> tuple[list[Triple], list[str], list[str]]:
    """Return what can be compared, and one sentence for each run without its twin, and for each pair without scores.

    Args:
        runs: of models with pictures and without.
        llm_runs: those of the LLM base; our `_llm` tasks are known as such among `runs` too.
        tasks: only these; empty: all.
        metric: the metric to compare by (default: the headline of each task).
        with_base: whether LLM bases among `runs` count; without one there is no leakage.

    Raises:
        InputError: nothing can be compared, two LLM bases for one task, or runs that must not be compared.
    """
    llm = selection.select_tasks(llm_runs, tasks, variants=True) if llm_runs else []
    named = {(run.path, run.task) for run in llm}
    found = [
        run
        for run in selection.with_unique_labels(selection.select_tasks(runs, tasks, variants=True))
        if (run.path, run.task) not in named
    ]
    bases = _bases([*llm, *(run for run in found if selection.is_few_shot(run) and with_base)])
    seeing = [run for run in found if not selection.is_blind(run)]
    blind = [run for run in found if selection.is_blind(run) and not selection.is_few_shot(run)]
    result: list[Triple] = []
    alone: list[str] = []
    problems: list[str] = []
    for run in blind:
        twin = selection.twin(run, seeing)
        if twin is None:
            alone.append(_no_twin(run, seeing))
            continue
        try:
            result.append(triple_of(twin, run, bases.get(selection.source_task(run)), metric, blind))
        except MissingMetricError as error:
            problems.append(f"{twin.task} of {twin.name} is left out: {error}")
    used = {id(selection.twin(run, seeing)) for run in blind}
    alone += [_no_ablation(run, blind) for run in seeing if id(run) not in used]
    if not result:
        raise InputError(
            next(iter([*problems, *alone]), "Expected runs with and without images, found results of neither.")
        )
    return result, alone, problems


def triple_of(v: Run, wv: Run, t: Run | None = None, metric: str | None = None, blind: Sequence[Run] = ()) -> Triple:
    """Return the triple of runs whose parts are known, whatever they say themselves of what their model saw.

    Args:
        v, wv, t: the run with pictures, without, and of the LLM base.
        metric: the metric to compare by (default: the headline).
        blind: all runs without pictures, from which the ablation's name tells `wv`.

    Raises:
        InputError: runs that must not be compared, or without the metric.
    """
    measured = v.metric(metric)
    for run in (wv, t) if t is not None else (wv,):
        run.metric(measured.name)
        check_comparable(v, run, measured, same_prompt=run is wv)
    kind = selection.ablation(wv) if selection.is_blind(wv) else UNKNOWN
    same = [
        run
        for run in blind
        if (selection.source_task(run), run.identity.model, selection.ablation(run))
        == (selection.source_task(wv), wv.identity.model, kind)
    ]
    if len(same) > 1:
        seeded = len({run.identity.seed for run in same}) == len(same)
        kind += f",seed={wv.identity.seed}" if seeded else f" ({selection.difference(wv, same)})"
    return Triple(v, wv, t, measured, kind)


def questions_of(run: Run, metric: Metric) -> dict[str, Record]:
    """Return question -> its record, of the questions that a metric is of and that were asked in whole."""
    if run.benchmark is not None:
        return {record.id: record for record in run.questions if record.status != "incomplete"}
    return {record.id: record for record in run.records if metric.name in record.details["metrics"]}


def groups_of(questions: Mapping[str, Record]) -> dict[str, list[str]]:
    """Return group -> its questions: `OVERALL`, then every group in the order in which the questions name them."""
    groups = {OVERALL: list(questions)}
    for key, record in questions.items():
        for name in dict.fromkeys(record.groups.values()):
            groups.setdefault(name, []).append(key)
    return groups


def scores_of(questions: Mapping[str, Record], metric: Metric) -> Mapping[str, float]:
    """Return question -> score by a metric, of the questions that have one."""
    own = {key: record.scores[metric.name] for key, record in questions.items() if metric.name in record.scores}
    return own or metric.compute(list(questions.values())).scores


def check_comparable(one: Run, other: Run, metric: Metric, same_prompt: bool) -> None:
    """Refuse two runs that did not answer the same questions.

    Args:
        one, other: the runs.
        metric: by which they are compared.
        same_prompt: whether the wording must be the same too (an LLM base has a wording of its own).

    Raises:
        InputError: other ids, other data, another prompt, or another question under the same id; says which.
    """
    names = f"{one.task} in {one.path.name} and {other.task} in {other.path.name}"
    ours, theirs = questions_of(one, metric), questions_of(other, metric)
    only_one, only_other = ours.keys() - theirs.keys(), theirs.keys() - ours.keys()
    if only_one or only_other:
        raise InputError(
            f"Expected the same questions for {names}; found {len(ours)} and {len(theirs)}, "
            f"{len(only_one)} only in the first{_some(only_one)} and {len(only_other)} only in the second"
            f"{_some(only_other)}. Run both on the whole task, or with the same --limit."
        )
    for field in ("data", "prompt") if same_prompt else ("data",):
        first, second = _told(one, field), _told(other, field)
        if first != second:
            raise InputError(
                f"Expected the same {field} for {names}; found {first} and {second}. Run both with the same "
                f"{'data revision' if field == 'data' else 'prompt setting'}."
            )
    if metric.needs == "judge" and one.judge_name != other.judge_name:
        raise InputError(
            f"Expected scores by the same judge for {names}; found {one.judge_name or 'none'} and "
            f"{other.judge_name or 'none'}. Name one with --judge."
        )
    of_host = same_prompt and one.benchmark is None and other.benchmark is None
    different = [
        key
        for key, record in ours.items()
        if record.reference != theirs[key].reference
        or (of_host and one.by_id[key].question != other.by_id[key].question)
    ]
    if different:
        raise InputError(
            f"Expected the same questions for {names}; {len(different)} have another text or answer under the same "
            f"id{_some(different)}. Run both with the same version of the task and the same model-specific prompt."
        )


def _bases(candidates: Iterable[Run]) -> dict[str, Run]:
    """Task -> the run of the LLM base."""
    bases: dict[str, Run] = {}
    for run in candidates:
        task = selection.source_task(run)
        if task in bases:
            raise InputError(
                f"Expected one LLM base for {task}; found {selection.model_name(bases[task])} and "
                f"{selection.model_name(run)}. Name one of the runs, or its --judge."
            )
        bases[task] = run
    return bases


def _no_ablation(run: Run, blind: Sequence[Run]) -> str:
    others = [
        selection.model_name(other) for other in blind if selection.source_task(other) == selection.source_task(run)
    ]
    base = run.identity.model.partition(",")[0]
    remedy = f"--model ablated --model_args base={base},ablation=text,... --tasks {run.task}"
    if f"{run.task}_text" in catalogue()[0]:
        remedy = f"the same model with --tasks {run.task}_text"
    return (
        f"Expected a run of {selection.model_name(run)} on {run.task} without images, found "
        f"{f'one of {others[0]}' if others else 'none'}. Run {remedy}."
    )


def _no_twin(run: Run, seeing: Sequence[Run]) -> str:
    task = selection.source_task(run)
    others = [other for other in seeing if selection.source_task(other) == task]
    own = [other for other in others if other.identity.model == run.identity.model]
    remedy = f"Run the same model with --tasks {task}; {run.path.name} is left out."
    if own:
        remedy = f"Name the one that {run.path} belongs to."
    return (
        f"Expected a run of {selection.model_name(run)} on {task} with images beside the one with "
        f"ablation={selection.ablation(run)}, found {', '.join(map(selection.model_name, own or others)) or 'none'}. "
        f"{remedy}"
    )


def _told(run: Run, field: str) -> str | None:
    """A field of the signature; the data of a host's task is the dataset and revision that its YAML names."""
    if run.benchmark is not None or field != "data":
        return getattr(run.signature, field) or None
    revision = (run.config.get("dataset_kwargs") or {}).get("revision", "newest")
    return f"{run.config.get('dataset_path')}@{revision}"


def _some(keys: Collection[str]) -> str:
    return f" (such as {', '.join(sorted(keys)[:3])})" if keys else ""
