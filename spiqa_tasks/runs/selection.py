"""Select runs: those that count, those of some tasks, and a model's without pictures."""

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

from spiqa_tasks.benchmarks.summary import outcomes
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.vlmevalkit.tasks import HOST
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.runs.identity import (
    SHOTS,
    checkpoint,
    has_changed_options,
    sees_no_picture,
)
from spiqa_tasks.runs.readers.columns import USUAL, Columns
from spiqa_tasks.runs.run import Key, Run
from spiqa_tasks.runs.subset import Subset


@dataclass(frozen=True)
class Selection:
    """Select runs of some tasks (empty: all), and values over them, also over a part of a task if
    `partial`.

    Of `judge` only the scores count, and it judges answers without any; of `subset` only the
    questions.
    """

    tasks: Sequence[str] = ()
    judge: str | None = None
    partial: bool = False
    include: Sequence[Path] = ()
    columns: Columns = USUAL
    subset: Subset | None = None

    def has(self, run: Run) -> bool:
        """Return whether a run is of the tasks, or of their variants without pictures."""
        return not self.tasks or bool({run.task, source_task(run)} & set(self.tasks))

    def cut(self, run: Run) -> Run:
        """Return a run with the only questions that count, and with values over a part."""
        if self.subset is not None and self.has(run):
            run = self.subset.of(run)
        return replace(run, partial=self.partial)


EVERY = Selection()


def is_judged_by(run: Run, judge: str) -> bool:
    """Return whether a run has scores of no judge, or of `provider:model[@URL]`."""
    named, signature = parse_judge(judge, environ=os.environ), run.signature
    is_there = "@http" not in judge or signature.judge_host == named.host
    return not signature.judge or (signature.judge == named.name and is_there)


def judged_as_wanted(runs: Sequence[Run], judge: str | None) -> Sequence[Run]:
    """Return the runs without those that another judge scored.

    Raises InputError: other judges scored all.
    """
    if judge is None:
        return runs

    found = [run for run in runs if not run.logged or is_judged_by(run, judge)]
    if runs and not found:
        judges = ", ".join(sorted({run.judge_name for run in runs}))
        raise InputError(
            f"Expected scores by the judge {judge}, found those by {judges}. Correct --judge."
        )
    return found


def runs_that_count(runs: Sequence[Run], judged: bool = True) -> tuple[list[Run], list[str]]:
    """Return one run of each `Run.key`, and a remark on each run that another one replaces.

    The run with the most answers counts; among equals the newest, by the date in its file's name.
    Without `judged`, as for answers that are scored again, judges make no difference.
    """
    versions: dict[Key, list[Run]] = defaultdict(list)
    for run in runs:
        versions[run.key if judged else run.key._replace(judge="")].append(run)
    _unite_unjudged(versions)

    replaced: dict[int, Run] = {}
    for same in versions.values():
        best = max(same, key=lambda run: _rank(run, judged))
        replaced |= {id(other): best for other in same if other is not best}

    remarks = [_again(replaced[id(run)], run) for run in runs if id(run) in replaced]
    return [run for run in runs if id(run) not in replaced], remarks


def _rank(run: Run, judged: bool) -> tuple[int, bool, str]:
    return run.size, judged and bool(run.judge_key), run.date


def _again(best: Run, other: Run) -> str:
    names = [best.path.name, other.path.name]
    if names[0] == names[1]:
        names = [str(best.path), str(other.path)]
    return f"{best.task} of {best.identity.label} was run again: {names[0]} counts, not {names[1]}."


def _unite_unjudged(versions: dict[Key, list[Run]]) -> None:
    """Put runs without a judge among those of the newest judge: the same answers, judged."""
    for key in [key for key in versions if not key.judge]:
        judged = [run for other, same in versions.items() for run in same if other.judge]
        judged = [run for run in judged if run.key._replace(judge="") == key]
        if judged:
            newest = max(judged, key=lambda run: run.date)
            versions[newest.key] += versions.pop(key)


def with_unique_labels(runs: Sequence[Run]) -> list[Run]:
    """Give runs of the same model and task unique labels (judge, folder or path)."""
    by_name: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        by_name[run.task, run.identity.label].append(run)

    labelled = []
    for run in runs:
        same = by_name[run.task, run.identity.label]
        if len(same) > 1:
            run = replace(run, label=f"{run.identity.label} ({difference(run, same)})")
        labelled.append(run)
    return labelled


def with_short_names(runs: Sequence[Run]) -> list[Run]:
    """Call each model by its checkpoint, `gpt-4o` of `openai,model_version=gpt-4o`.

    Models that would share a name keep their own.
    """
    models = dict.fromkeys(run.identity.model for run in runs)
    counts = Counter(map(checkpoint, models))
    names = {model: name for model in models if counts[name := checkpoint(model)] == 1}
    return with_unique_labels(
        [
            replace(run, identity=replace(run.identity, name=names.get(run.identity.model, "")))
            for run in runs
        ]
    )


def missing_samples(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for each run of a task of this package of which there are no answers."""
    return [
        f"{run.task} of {run.name} has no samples; run it with --log_samples."
        for run in runs
        if run.is_own and not run.logged
    ]


def withheld_remarks(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for each run whose values are withheld, as too few of its task's
    questions were answered.
    """
    return [
        f"{run.task} of {run.name}: {value.reason}; --partial prints its values."
        for run in runs
        if run.logged and (value := run.record_set.withheld()) is not None
    ]


def unread_remarks(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for each run of which many answers were truncated, refused or unparsed;
    they count as wrong.
    """
    return [
        f"{run.task} of {run.name}: {remark}."
        for run in runs
        if run.logged and run.records and (remark := outcomes(run.records).remark)
    ]


def partial_coverage(runs: Iterable[Run]) -> str:
    """Return how many questions the runs answered, each `n of N`, of those that answered a part
    of their task.
    """
    return "; ".join(dict.fromkeys(run.record_set.part for run in runs if run.record_set.part))


def select_tasks(
    runs: Iterable[Run], tasks: Collection[str], *, variants: bool = False
) -> list[Run]:
    """Return the runs of some tasks (empty: of all), with `variants` also those of their variants
    without pictures.

    Raises InputError: there are none.
    """
    every = list(runs)
    found = [
        run
        for run in every
        if not tasks or run.task in tasks or (variants and source_task(run) in tasks)
    ]
    if not found:
        known = ", ".join(sorted({run.task for run in every})) or "none"
        raise InputError(
            f"Expected runs of {', '.join(tasks) or 'a task'}; found {known}. Correct --task."
        )
    return found


def source_task(run: Run) -> str:
    """Return the task of which a run's task is a variant without pictures or for LLM bases; else
    the task itself.
    """
    if is_few_shot(run):
        return run.task.removesuffix("_authors").removesuffix("_llm")
    return run.task.removesuffix(f"_{_own_ablation(run)}")


def ablation(run: Run) -> str:
    """Return what was done to the pictures, by the task or by `--model ablated`: `none`, `text`,
    `grey`, ...
    """
    return run.identity.ablation if run.identity.ablation != "none" else _own_ablation(run)


def is_few_shot(run: Run) -> bool:
    """Return whether a run is as those of LLM bases: solved questions first, no picture."""
    if SHOTS in run.identity.ablation:
        return True
    return str(getattr(run.settings, "shots", 0)) not in ("", "0") and _own_ablation(run) == "text"


def is_blind(run: Run) -> bool:
    """Return whether the model saw no picture of the question, or a grey one."""
    return is_few_shot(run) or sees_no_picture(ablation(run))


def changed_options_remark(run: Run) -> str | None:
    """Return why a run with changed options is refused by gain and filter, or None for others."""
    if not has_changed_options(ablation(run)):
        return None
    return (
        f"Expected runs with the options as they are, found {run.task} of {model_name(run)} with "
        f"ablation={ablation(run)}. Set it against the run without by `spiqa-tasks compare`."
    )


def model_name(run: Run) -> str:
    """Return what the model is called without the ablation around it, with its seed where it has
    one.
    """
    return run.label or replace(run.identity, ablation="none").label


def option_of_tasks(run: Run) -> str:
    """Return the option that names tasks in the host of a run."""
    return "--data" if run.identity.model.endswith(HOST) else "--tasks"


def twin(run: Run, runs: Iterable[Run]) -> Run | None:
    """Return the only run with pictures of the same model and task (and seed, judge, folder), or
    None.
    """
    same = [
        other
        for other in runs
        if not is_blind(other)
        and (source_task(other), other.identity.model) == (source_task(run), run.identity.model)
    ]
    for value_of in map(attrgetter, ("identity.seed", "judge_name", "path.parent")):
        same = [other for other in same if value_of(other) == value_of(run)] or same
    return same[0] if len(same) == 1 else None


def difference(run: Run, same: Sequence[Run]) -> str:
    """Return what tells a run apart from others of the same model to the same task: its judge,
    folder or path.
    """
    if len({each.judge_name for each in same}) == len(same):
        return f"judge {run.judge_name or 'none'}"
    folders = {each.path.parent.parts[-2:] for each in same}
    place = Path(*run.path.parent.parts[-2:]) if len(folders) == len(same) else run.path
    return place.as_posix()


def _own_ablation(run: Run) -> str:
    return str(getattr(run.settings, "ablation", "none"))
