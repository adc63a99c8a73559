"""Runs of one task as frames that are merged on their questions, and whether two may be
compared.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from spiqa_tasks.benchmarks.choice import SOURCE
from spiqa_tasks.benchmarks.metric import Metric
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs import lmms_eval
from spiqa_tasks.runs.frame import frame_of, group_columns, is_of_metric
from spiqa_tasks.runs.metric_values import data_of, headline_fault
from spiqa_tasks.runs.run import MissingMetricError, Run
from spiqa_tasks.runs.selection import differing_settings

# They change no score of a question, are what gain compares (`model_wrapper`), or are compared
# where both runs have them (`generation`).
NOT_DECISIVE = frozenset(
    {"host", "model_wrapper", "predictions", "generation", "ids", "model", "questions"}
)

# Value of `--by` that names every column of groups.
GROUP = "group"

# lmms-eval logs `--system_instruction` though chat models never get it.
NEVER_SENT = "system turn"

# Ids of questions that a sentence names.
NAMED = 3

# What a sentence on a withheld difference ends with.
PARTIAL = "(--partial has values over a part)"

# What was expected of two runs to compare, what was found, and the remedy.
Difference = tuple[str, str, str]


def headline(run: Run, name: str | None = None) -> Metric:
    """Return the metric of a name, or the headline of the run's task, also if the run has no score
    by it.

    Raises MissingMetricError: no such metric, or no name and several that each cover a part.
    """
    if name is None and run.is_of_benchmark:
        return run.benchmark_task.metrics[0]
    metric = run.metric(name)
    if name is None and (fault := headline_fault(run)):
        known = ", ".join(each.name for each in run.metrics)
        raise MissingMetricError(
            f"Which metric of {run.task}? {fault} --metric of `compare`, `gain` and `filter` names"
            f" one: {known}."
        )
    return metric


def texts(run: Run) -> dict[str, str]:
    """Return question -> the response as logged."""
    return {key: answer.response.text for key, answer in run.by_id.items()}


def questions(run: Run, metric: Metric) -> pd.DataFrame:
    """Return a row per question of a metric, by id: the columns of `load_samples`, `score`,
    `record`.

    A question that was not asked completely is none; `score` is NaN if its request failed.
    """
    records: list[Any] = list(run.questions)
    frame = frame_of([run]).assign(record=records).set_index("id")

    if metric.name in frame:
        frame["score"] = frame[metric.name].astype(float)
    else:
        # Rates have no column, as `value` computes them of records.
        frame["score"] = frame.index.map(run.scores(metric)).astype(float)

    if frame.score.notna().any():
        frame = frame[is_of_metric(frame, "score")]
    return frame[frame.status != "incomplete"]


def merged(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the questions with a score in every frame, in the first one's order.

    The columns of each frame have its number: `score_0`, `score_1`, ...
    """
    numbered = [frame.add_suffix(f"_{number}") for number, frame in enumerate(frames)]
    # An inner join keeps the first frame's order, in which groups and questions are printed.
    both = pd.concat(numbered, axis="columns", join="inner")
    return both.dropna(subset=[f"score_{number}" for number in range(len(frames))])


def columns_by(frame: pd.DataFrame, by: str) -> list[str]:
    """Return the columns with groups of questions that `--by` names; [] if there is none.

    `GROUP` names all that the host's table has groups of, which has none of `source`.
    """
    known = group_columns(frame)
    if by == GROUP:
        return [column for column in known if column != SOURCE]
    return [by] if by in known else []


def differing(a: Signature, b: Signature, is_judged: bool = True) -> list[str]:
    """Return the decisive fields in which two signatures differ, with both values.

    Without `is_judged`, those of a judge are none: a run that no judge scored differs in them all.
    """
    different = []
    for name in a.__dataclass_fields__:
        is_decisive = name not in NOT_DECISIVE and (is_judged or not name.startswith("judge"))
        found = _both_if_different(getattr(a, name), getattr(b, name))
        if is_decisive and found:
            different.append(f"{name}: {found}")

    return different


def conditions(a: Run, b: Run, is_judged: bool = True) -> list[str]:
    """Return `name: value and value` of each condition but the model that is known of both runs
    and differs; `is_judged` as of `differing`.
    """
    different = differing(a.signature, b.signature, is_judged)
    if generation := differing_generation(a, b):
        different.append(generation)
    if a.form == b.form == lmms_eval.FORM:
        different += _host_conditions(a, b)
    return different


def differing_generation(a: Run, b: Run) -> str:
    """Return `generation: ours and theirs` of two runs with different settings, or ''."""
    # Plain files have none.
    if not a.generation or not b.generation:
        return ""
    found = _both_if_different(*(differing_settings(run, [a, b]) for run in (a, b)))
    return found and f"generation: {found}"


def _host_conditions(a: Run, b: Run) -> list[str]:
    """Return the shots, seeds, versions and prompts in which two runs of lmms-eval differ."""
    ours, theirs = (
        {"shots": str(run.origin.config.get("num_fewshot") or 0), **run.origin.conditions}
        for run in (a, b)
    )
    different = []
    for name in {**ours, **theirs}:
        found = _both_if_different(ours.get(name, ""), theirs.get(name, ""))
        if found and name != NEVER_SENT:
            different.append(f"{name}: {found}")

    common = [key for key in a.by_id if key in b.by_id]
    others = sum(_words(a.by_id[key].question) != _words(b.by_id[key].question) for key in common)
    if others:
        different.append(f"prompt of {others} of {len(common)} questions")
    return different


def _words(prompt: str) -> list[str]:
    """Return the words of a prompt without the marks of pictures, which hosts write apart."""
    return [word for word in prompt.split() if word != "<image>"]


def check_comparable(one: Run, other: Run, metric: Metric, same_prompt: bool) -> None:
    """Raise InputError unless two runs answered the same questions, scored by the same judge.

    Without `same_prompt` the wording may be another one: an LLM base is asked in its own way.
    """
    for what, found, remedy in _differences(one, other, metric, same_prompt):
        names = f"{one.task} in {one.path.name} and {other.task} in {other.path.name}"
        raise InputError(f"Expected {what} for {names}; found {found}. {remedy}")


def _differences(one: Run, other: Run, metric: Metric, same_prompt: bool) -> Iterator[Difference]:
    """Yield in what two runs differ that must not be compared, the first cause first."""
    ours, theirs = questions(one, metric), questions(other, metric)

    # Other ids come first: with them, data and truths differ as well.
    alone = set(ours.index) ^ set(theirs.index)
    if alone:
        counts = f"{len(ours)} and {len(theirs)}, {len(alone)} in one of them only"
        remedy = "Run both on the whole task, or with the same --limit."
        yield "the same questions", f"{counts}{_such_as(alone)}", remedy

    if found := _both_if_different(data_of(one), data_of(other)):
        yield "the same data", found, "Run both with the same data revision."

    found = _both_if_different(one.signature.prompt, other.signature.prompt)
    if found and same_prompt:
        yield "the same prompt", found, "Run both with the same prompt setting."

    if found := different_judges(one, other, metric):
        yield "scores by the same judge", found, "Name one with --judge."

    changed = set(ours.index[ours.reference != theirs.reference.reindex(ours.index)])
    if same_prompt:
        changed |= _differently_asked(one, other, ours.index)
    if changed:
        found = f"{len(changed)} with another text or answer under the same id{_such_as(changed)}"
        remedy = "Run both with the same version of the task and of its prompt."
        yield "the same questions", found, remedy


def _both_if_different(ours: str, theirs: str) -> str:
    """Return two values if they differ, or ''."""
    return f"{ours or 'none'} and {theirs or 'none'}" if ours != theirs else ""


def different_judges(one: Run, other: Run, metric: Metric) -> str:
    """Return the names of the judges that scored two runs by a metric if they differ, or ''."""
    if metric.needs != "judge":
        return ""
    # A judge named with its address is the same as one named without.
    return _both_if_different(one.signature.judge, other.signature.judge)


def _differently_asked(one: Run, other: Run, ids: Iterable[str]) -> set[str]:
    """Return the questions of a host's task with another prompt; ours have a hash of theirs."""
    if one.is_of_benchmark or other.is_of_benchmark:
        return set()
    return {key for key in ids if one.by_id[key].question != other.by_id[key].question}


def _such_as(ids: Collection[str]) -> str:
    """Return the first ids in brackets for a sentence: ` (such as q1, q2)`."""
    return f" (such as {', '.join(sorted(ids)[:NAMED])})"
