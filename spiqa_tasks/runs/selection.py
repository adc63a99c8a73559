"""Select runs: the newest, those of some tasks, and a model's runs with and without pictures."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Literal

from spiqa_tasks.benchmarks.summary import outcomes
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.vlmevalkit.tasks import HOST
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.runs.identity import (
    SHOTS,
    Identity,
    checkpoint,
    has_changed_options,
    sees_no_picture,
)
from spiqa_tasks.runs.readers import answers, lmms_eval
from spiqa_tasks.runs.readers.columns import USUAL, Columns
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.subset import Subset


@dataclass(frozen=True)
class Selection:
    """Select runs of some tasks (empty: all), and values over them, also over a part of a task if `partial`.

    Of `judge` only the scores count, and it judges answers without any; of `subset` only the questions.
    """

    tasks: Sequence[str] = ()
    judge: str | None = None
    partial: bool = False
    include: Sequence[Path] = ()
    columns: Columns = USUAL
    subset: Subset | None = None

    def cut(self, run: Run) -> Run:
        """Return a run with the only questions that count, and with values over a part of a task where wanted."""
        is_of = not self.tasks or {run.task, source_task(run)} & set(self.tasks)
        return replace(
            run if self.subset is None or not is_of else self.subset.of(run), partial=self.partial
        )


EVERY = Selection()


def is_judged_by(run: Run, judge: str) -> bool:
    """Return whether a run has scores of no judge, or of `provider:model[@URL]`."""
    named, signature = parse_judge(judge, environ=os.environ), run.signature
    is_there = "@http" not in judge or signature.judge_host == named.host
    return not signature.judge or (signature.judge == named.name and is_there)


def judged_as_wanted(runs: Sequence[Run], judge: str | None) -> Sequence[Run]:
    """The runs without those that another judge scored, those of lmms-eval first, by the dates in their files' names.

    Raises InputError: other judges scored all.
    """
    runs = sorted(
        runs,
        key=lambda run: (
            (True, "") if run.form not in lmms_eval.FORMS else (False, run.date or run.path.name)
        ),
    )
    found = [run for run in runs if judge is None or not run.logged or is_judged_by(run, judge)]
    if runs and not found:
        judges = ", ".join(sorted({run.judge_name for run in runs}))
        raise InputError(
            f"Expected scores by the judge {judge}, found those by {judges}. Correct --judge."
        )
    return found


def newest(
    runs: Sequence[Run], judges: Literal["each", "one", "any"] = "each"
) -> tuple[list[Run], list[str]]:
    """Return the runs that count, and a sentence for each that another one of the same model and task replaces.

    The newest with the most answers counts, one that a judge scored before those of none. Files that no host wrote
    stand beside each other in different folders, unless a host's run or one of `score --output` is newer or judged.
    Those of VLMEvalKit come oldest first. Of `judges`, `each`: runs of several judges stand beside each other; `one`:
    they do not; `any`: nor is a judged run before others, as all are scored again.
    """
    groups: dict[tuple[str, Identity], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.task, run.identity), []).append(run)
    left_out: set[int] = set()
    remarks = []
    for versions in [
        each for same in groups.values() if len(same) > 1 for each in _versions(same, judges)
    ]:
        best = max(
            reversed(versions),
            key=lambda run: (_answered(run), judges != "any" and bool(_judge(run)), _age(run)),
        )
        for other in (run for run in versions if run is not best):
            left_out.add(id(other))
            is_less = versions.index(other) > versions.index(best) and _answered(other) < _answered(
                best
            )
            names = [run.path.name for run in (best, other)]
            names = names if len(set(names)) == 2 else [str(run.path) for run in (best, other)]
            if _judge(best) != _judge(other):
                names = [
                    f"{name} (judge {_judge(run) or 'none'})"
                    for name, run in zip(names, (best, other), strict=True)
                ]
            again = f"run again{' on fewer questions' * is_less}"
            remarks.append(
                f"{best.task} of {best.identity.label} was {again}: {names[0]} counts, not {names[1]}."
            )
    return [run for run in runs if id(run) not in left_out], remarks


def _versions(same: Sequence[Run], judges: str) -> list[list[Run]]:
    """Lists of runs, oldest first, of which one counts."""
    by_age = sorted(same, key=_age)
    if not any(map(_is_of_host, same)):
        return [
            [run for run in by_age if run.path.parent == place]
            for place in {run.path.parent: 0 for run in same}
        ]
    names = list(dict.fromkeys(filter(None, map(_judge, by_age)))) if judges == "each" else []
    return [[run for run in by_age if (_judge(run) or names[-1]) == name] for name in names] or [
        by_age
    ]


def _is_of_host(run: Run) -> bool:
    return run.form in (*lmms_eval.FORMS, answers.VLMEVALKIT)


def _age(run: Run) -> tuple[bool, str]:
    """Sort key, oldest first; VLMEvalKit's tables are newer than all that were scored from them."""
    is_table = run.form not in lmms_eval.FORMS and _is_of_host(run)
    return is_table, "" if is_table else run.date or run.path.name


def _answered(run: Run) -> int:
    return run.answered or (len(run.read()) if run.logged else 0)


def _judge(run: Run) -> str:
    asks = run.logged and run.is_own and run.own.benchmark.judge(run.settings) is not None
    if not asks or run.form not in lmms_eval.FORMS:
        return ""
    return "@".join(filter(None, (run.signature.judge, run.signature.judge_host)))


def with_unique_labels(runs: Sequence[Run]) -> list[Run]:
    """Give runs of the same model and task unique labels (judge, folder or path)."""
    labelled = []
    for run in runs:
        same = [
            each
            for each in runs
            if (each.task, each.identity.label) == (run.task, run.identity.label)
        ]
        if len(same) > 1:
            run = replace(run, label=f"{run.identity.label} ({difference(run, same)})")
        labelled.append(run)
    return labelled


def with_short_names(runs: Sequence[Run]) -> list[Run]:
    """Call each model by its checkpoint, `gpt-4o` of `openai,model_version=gpt-4o`, where no other model has that."""
    short = {
        model: checkpoint(model) for model in dict.fromkeys(run.identity.model for run in runs)
    }
    shared = [name for name, count in Counter(short.values()).items() if count > 1]
    names = {model: model if name in shared else name for model, name in short.items()}
    named = [
        replace(run, identity=replace(run.identity, name=names[run.identity.model])) for run in runs
    ]
    return with_unique_labels(named)


def missing_samples(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for each run of a task of this package of which there are no answers."""
    return [
        f"{run.task} of {run.name} has no samples; run it with --log_samples."
        for run in runs
        if run.is_own and not run.logged
    ]


def withheld_remarks(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for each run whose values are withheld, as too few of its task's questions were answered."""
    return [
        f"{run.task} of {run.name}: {value.reason}; --partial prints its values."
        for run in runs
        if run.logged and (value := run.record_set.withheld()) is not None
    ]


def unread_remarks(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for each run of which many answers were truncated, refused or unparsed; they count as wrong."""
    return [
        f"{run.task} of {run.name}: {remark}."
        for run in runs
        if run.logged and run.records and (remark := outcomes(run.records).remark)
    ]


def partial_coverage(runs: Iterable[Run]) -> str:
    """Return how many questions the runs answered, each `n of N`, of those that answered a part of their task."""
    return "; ".join(dict.fromkeys(run.record_set.part for run in runs if run.record_set.part))


def select_tasks(
    runs: Iterable[Run], tasks: Collection[str], *, variants: bool = False
) -> list[Run]:
    """Return the runs of some tasks (empty: of all), with `variants` also those of their variants without pictures.

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
    """Return the task of which a run's task is a variant without pictures or for LLM bases; else the task itself."""
    if is_few_shot(run):
        return run.task.removesuffix("_authors").removesuffix("_llm")
    return run.task.removesuffix(f"_{_own_ablation(run)}")


def ablation(run: Run) -> str:
    """Return what was done to the pictures, by the task or by `--model ablated`: `none`, `text`, `grey`, ..."""
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
    """Return what the model is called without the ablation around it, with its seed where it has one."""
    return run.label or replace(run.identity, ablation="none").label


def option_of_tasks(run: Run) -> str:
    """Return the option that names tasks in the host of a run."""
    return "--data" if run.identity.model.endswith(HOST) else "--tasks"


def twin(run: Run, runs: Iterable[Run]) -> Run | None:
    """Return the only run with pictures of the same model and task (and seed, judge, folder), or None."""
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
    """Return what tells a run apart from others of the same model to the same task: its judge, folder or path."""
    if len({each.judge_name for each in same}) == len(same):
        return f"judge {run.judge_name or 'none'}"
    folders = {each.path.parent.parts[-2:] for each in same}
    place = Path(*run.path.parent.parts[-2:]) if len(folders) == len(same) else run.path
    return place.as_posix()


def _own_ablation(run: Run) -> str:
    return str(getattr(run.settings, "ablation", "none"))
