"""Select runs: those that count, of some tasks or questions, with and without pictures."""

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path, PurePath

from spiqa_tasks.benchmarks.summary import remark_on_answers
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.printable import abridged
from spiqa_tasks.runs.columns import USUAL, Columns
from spiqa_tasks.runs.identity import OPTIONS, short_name
from spiqa_tasks.runs.paths import VLMEVALKIT
from spiqa_tasks.runs.run import Key, Run
from spiqa_tasks.runs.subset import Subset


@dataclass(frozen=True)
class Selection:
    """Select runs of some tasks (empty: all), and values over them, also over a part of a task if
    `partial`.

    Of `judge` only the scores count; of `subset` only the questions.
    """

    tasks: Sequence[str] = ()
    judge: str | None = None
    partial: bool = False
    include: Sequence[Path] = ()
    columns: Columns = USUAL
    subset: Subset | None = None

    def has(self, run: Run) -> bool:
        """Return whether a run is of the tasks, or of their variants without pictures."""
        return not self.tasks or run.task in self.tasks or run.source_task in self.tasks

    def part_of(self, run: Run) -> Run:
        """Return a scored run with the questions of `subset` alone, and values as `partial`."""
        run = run if self.subset is None else self.subset.cut_run(run)
        return replace(run, partial=self.partial)


# All runs, by whatever judge.
EVERY = Selection()


class LeftOut(str):
    """A remark on answers that are left out: exit status 3."""


def judged_as_wanted(runs: list[Run], judge: str | None) -> list[Run]:
    """Return the runs without those that another judge scored.

    `judge` is `provider:model[@URL]`. Raises InputError: other judges scored all.
    """
    if judge is None:
        return runs

    wanted = parse_judge(judge, environ=os.environ)
    # without an address, a judge at any is meant
    host = wanted.host if "@http" in judge else ""
    judged = [run for run in runs if _is_scored_by(run, wanted.name, host)]
    if runs and not judged:
        judges = ", ".join(sorted({run.judge_name for run in runs}))
        raise InputError(
            f"Expected scores by the judge {judge}, found those by {judges}. Correct --judge."
        )
    return judged


def _is_scored_by(run: Run, judge: str, host: str) -> bool:
    """Return whether a run has scores of no judge, or of this one at a host ('': any)."""
    scored_by = run.signature.judge
    return not scored_by or (scored_by == judge and host in ("", run.signature.judge_host))


def runs_that_count(runs: Sequence[Run], judged: bool = True) -> tuple[list[Run], list[str]]:
    """Return one run of each `Run.key`, and remarks on those that they replace.

    The run with the most answers counts; among equals the newest, by the date in its file's name.
    One without samples counts only alone. Without `judged`, as for answers that are scored again,
    judges make no difference.
    """
    versions: dict[Key, list[Run]] = defaultdict(list)
    newest_judged = _newest_judged(runs) if judged else {}
    for run in runs:
        key = run.key if judged else run.key._replace(judge="")
        # Answers without a judge are a version of the same answers with one.
        versions[newest_judged.get(key, key)].append(run)

    kept = []
    # a folder may have dozens of earlier runs: one sentence for each file that counts
    replaced: dict[Path, list[Run]] = defaultdict(list)
    for same in versions.values():
        best = max(
            same,
            key=lambda run: (run.logged, run.size, judged and bool(run.judge_key), run.date),
        )
        kept.append(best)
        for other in same:
            if other is not best and not _is_scored_beside(other, same):
                replaced[best.path].append(other)
    return kept, [_replaced(best, others) for best, others in replaced.items()]


def _replaced(best: Path, others: Sequence[Run]) -> str:
    """Return the remark on a model's runs in whose place those of a file count."""
    paths = dict.fromkeys(run.path for run in others)
    return f"{others[0].identity.label} was run again: {best} counts, not {abridged(paths)}."


def _is_scored_beside(table: Run, runs: Sequence[Run]) -> bool:
    """Return whether a run in the folder of VLMEvalKit's table has the scores of that table."""
    return table.form == VLMEVALKIT and any(
        run.form != VLMEVALKIT and run.path.parent == table.path.parent and run.date >= table.date
        for run in runs
    )


def _newest_judged(runs: Sequence[Run]) -> dict[Key, Key]:
    """Return key without a judge -> key of the newest run of the same answers that has one."""
    judged = sorted((run for run in runs if run.key.judge), key=attrgetter("date"))
    return {run.key._replace(judge=""): run.key for run in judged}


def with_unique_labels(runs: Sequence[Run]) -> list[Run]:
    """Give runs of the same model and task unique labels (judge, folder or path)."""
    by_name: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        by_name[run.task, run.identity.label].append(run)

    labelled = []
    for run in runs:
        same = by_name[run.task, run.identity.label]
        if len(same) > 1:
            run = replace(run, label=f"{run.identity.label} ({_difference(run, same)})")
        labelled.append(run)
    return labelled


def _difference(run: Run, same: Sequence[Run]) -> str:
    """Return the judge or generation settings by which runs differ, else the folder, or the file,
    as a path from where all runs are.
    """
    if len({other.judge_name for other in same}) == len(same):
        return f"judge {run.judge_name or 'none'}"
    if settings := differing_settings(run, same):
        return settings

    are_apart = len({other.path.parent for other in same}) == len(same)
    path_of = attrgetter("path.parent" if are_apart else "path")
    paths = [path_of(other).resolve() for other in same]
    return path_beside(path_of(run).resolve(), paths)


def path_beside(path: PurePath, others: Sequence[PurePath]) -> str:
    """Return a path from the deepest folder that the others are in, too; whole on another drive."""
    for folder in path.parents:
        if all(other.is_relative_to(folder) for other in others):
            return path.relative_to(folder).as_posix()
    return path.as_posix()


def differing_settings(run: Run, same: Sequence[Run]) -> str:
    """Return the generation settings of a run that not all runs have.

    They are '' if two of the runs have equal ones.
    """
    if len({other.generation for other in same}) < len(same):
        return ""

    shared = set.intersection(*(set(other.generation.split(",")) for other in same))
    return ", ".join(name for name in run.generation.split(",") if name not in shared)


def with_short_names(runs: Sequence[Run]) -> list[Run]:
    """Call each model by its `short_name`, which leaves room for numbers."""
    models = {run.identity.model for run in runs}
    named = []
    for run in runs:
        name = short_name(run.identity.model, models)
        named.append(replace(run, identity=replace(run.identity, name=name)))
    return named


def remarks_on(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for each run without answers."""
    return [
        LeftOut(f"{run.task} of {run.name} has no samples; run it with --log_samples.")
        for run in runs
        if not run.logged
    ]


def remarks_on_answers(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for each run with many answers that count as wrong, as nothing could be
    read in them.
    """
    remarks = []
    for run in runs:
        if remark := remark_on_answers(run.records):
            remarks.append(f"{run.task} of {run.name}: {remark}.")
    return remarks


def partial_coverage(runs: Iterable[Run]) -> str:
    """Return how many questions the runs answered, each `n of N`, of those that answered a part
    of their task.
    """
    return "; ".join(dict.fromkeys(run.record_set.part for run in runs if run.record_set.part))


def select_tasks(runs: Sequence[Run], tasks: Collection[str]) -> list[Run]:
    """Return the runs of some tasks (empty: of all). Raises InputError: there are none."""
    chosen = [run for run in runs if not tasks or run.task in tasks]
    if not chosen:
        raise no_runs_of(tasks, {run.task for run in runs})
    return chosen


def no_runs_of(tasks: Collection[str], found: Collection[str]) -> InputError:
    """Return the error for tasks of which there are no runs among those found."""
    known = ", ".join(sorted(found)) or "none"
    return InputError(
        f"Expected runs of {', '.join(tasks) or 'a task'}; found {known}. Correct --task."
    )


def changed_options_remark(run: Run) -> str | None:
    """Return why a run with changed options is refused by gain and filter, or None for others."""
    if OPTIONS not in run.ablation:
        return None
    return (
        f"Expected runs with the options as they are, found {run.task} of {run.model_name} with "
        f"ablation={run.ablation}. Set it against the run without by `spiqa-tasks compare`."
    )


def twin(run: Run, runs: Iterable[Run]) -> Run | None:
    """Return the only run with pictures of the same model and task (and seed, judge, generation
    settings, folder), or None.
    """
    same = [
        other
        for other in runs
        if other.ablation == "none"
        and (other.source_task, other.identity.model) == (run.source_task, run.identity.model)
    ]
    for name in ("identity.seed", "judge_name", "generation", "path.parent"):
        value_of = attrgetter(name)
        equal = [other for other in same if value_of(other) == value_of(run)]
        # None may be equal: the seed may be that of the ablation alone.
        if equal:
            same = equal
    return same[0] if len(same) == 1 else None
