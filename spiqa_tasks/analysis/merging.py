"""Runs of one task as frames that are merged on their questions, and whether two may be compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.frame import frame_of
from spiqa_tasks.runs.run import MissingMetricError, Run

if TYPE_CHECKING:
    import pandas as pd

# They change no score of a question, or (`ablated`) are what gain compares.
NOT_DECISIVE = frozenset({"host", "ablated", "predictions", "ids", "model", "questions"})

# Older runs lack it: absent says that nobody wrote it down, not that it was another one.
UNKNOWN_IF_ABSENT = frozenset({"images"})

NAMED = 3
"""Ids of questions that a sentence names."""

Difference = tuple[str, str, str]
"""What was expected of two runs to compare, what was found, and the remedy."""


def headline(run: Run, name: str | None = None) -> Metric:
    """Return the metric of a name, or the headline of the run's task.

    Raises MissingMetricError: no such metric, or no name and several that each cover a part.
    """
    metric = run.metric(name)
    if name is None and (fault := run.kind.headline_fault(run)):
        known = ", ".join(each.name for each in run.metrics)
        raise MissingMetricError(
            f"Which metric of {run.task}? {fault} Choose with --metric: {known}."
        )
    return metric


def questions(run: Run, metric: Metric) -> pd.DataFrame:
    """Return a row per question of a metric, by id: the columns of `load_samples`, `score`, `record`.

    A question that was not asked completely is none; `score` is NaN if its request failed.
    """
    records: list[Any] = list(run.questions)
    frame = frame_of([run]).assign(record=records).set_index("id")

    if metric.name in frame:
        frame["score"] = frame[metric.name].astype(float)
    else:
        # Rates have no column, as `value` computes them of records.
        frame["score"] = frame.index.map(dict(run.value(metric).scores)).astype(float)

    if frame.score.notna().any():
        # A host's metric may be of some questions only, such as `seed_image`.
        frame = frame[frame.score.notna() | (frame.status != "ok")]
    return frame[frame.status != "incomplete"]


def merged(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the questions with a score in every frame, in the first one's order.

    The columns of each frame have its number: `score_0`, `score_1`, ...
    """
    import pandas as pd

    numbered = [frame.add_suffix(f"_{number}") for number, frame in enumerate(frames)]
    both = pd.concat(numbered, axis="columns", join="inner")
    return both.dropna(subset=[f"score_{number}" for number in range(len(frames))])


def scores_of(both: pd.DataFrame, number: int) -> list[float]:
    """Return the scores of the run of a number."""
    return list(map(float, both[f"score_{number}"]))


def clusters_of(both: pd.DataFrame) -> list[str | None]:
    """Return the cluster keys of the questions, by the first run."""
    return list(both.cluster_0)


def task_size(runs: Sequence[Run], frames: Sequence[pd.DataFrame]) -> int:
    """Return the number of questions that the metric is of, with those that a run did not answer."""
    scored = [frame[frame.score.notna()].index for frame in frames]
    sizes = [len(set().union(*scored))]
    for run, known in zip(runs, scored, strict=True):
        unanswered = max(0, run.asked - run.record_set.answered)
        sizes.append(len(known) + unanswered)

    return max(sizes)


def kinds_of(run: Run) -> list[str]:
    """Return the group columns of a run, such as `category`."""
    return list(dict.fromkeys(kind for record in run.questions for kind in record.groups))


def groups_of(frame: pd.DataFrame, kinds: Sequence[str]) -> dict[str, list[str]]:
    """Return group -> ids of its questions, in the order in which the questions name them."""
    groups: dict[str, dict[str, None]] = {}
    for key, *names in frame[list(kinds)].itertuples():
        for name in names:
            if isinstance(name, str):
                groups.setdefault(name, {})[key] = None  # a name of two kinds is one group

    return {name: list(ids) for name, ids in groups.items()}


def differing(a: Signature, b: Signature) -> list[str]:
    """Return the decisive fields in which two signatures differ, with both values."""
    found = []
    for name in a.__dataclass_fields__:
        one, two = getattr(a, name), getattr(b, name)
        is_unknown = name in UNKNOWN_IF_ABSENT and not (one and two)
        if name not in NOT_DECISIVE and one != two and not is_unknown:
            found.append(f"{name}: {one or 'none'} and {two or 'none'}")

    return found


def check_comparable(one: Run, other: Run, metric: Metric, same_prompt: bool = True) -> None:
    """Raise InputError unless two runs answered the same questions, scored by the same judge.

    Without `same_prompt` the wording may be another one: an LLM base is asked in its own way.
    """
    for what, found, remedy in _differences(one, other, metric, same_prompt):
        names = f"{one.task} in {one.path.name} and {other.task} in {other.path.name}"
        raise InputError(f"Expected {what} for {names}; {found}. {remedy}")


def _differences(one: Run, other: Run, metric: Metric, same_prompt: bool) -> Iterator[Difference]:
    """Yield in what two runs differ that must not be compared, the first cause first."""
    ours, theirs = questions(one, metric), questions(other, metric)

    if alone := set(ours.index) ^ set(theirs.index):
        counts = f"{len(ours)} and {len(theirs)}, {len(alone)} in one of them only"
        remedy = "Run both on the whole task, or with the same --limit."
        yield "the same questions", f"found {counts}{_some(alone)}", remedy

    data = [run.kind.data(run) for run in (one, other)]
    if data[0] != data[1]:
        remedy = "Run both with the same data revision."
        yield "the same data", f"found {data[0]} and {data[1]}", remedy

    prompts = [run.signature.prompt or "none" for run in (one, other)]
    if same_prompt and prompts[0] != prompts[1]:
        remedy = "Run both with the same prompt setting."
        yield "the same prompt", f"found {' and '.join(prompts)}", remedy

    if judges := other_judges(one, other, metric):
        yield "scores by the same judge", f"found {judges}", "Name one with --judge."

    changed = set(ours.index[ours.reference != theirs.reference.reindex(ours.index)])
    if same_prompt and not one.is_own and not other.is_own:
        changed |= _other_texts(one, other, ours.index)
    if changed:
        found = f"{len(changed)} have another text or answer under the same id{_some(changed)}"
        remedy = "Run both with the same version of the task and of its prompt."
        yield "the same questions", found, remedy


def other_judges(one: Run, other: Run, metric: Metric) -> str:
    """Return the names of the judges that scored two runs by a metric if they differ, or ''."""
    names = [run.judge_name or "none" for run in (one, other)]
    differ = metric.needs == "judge" and names[0] != names[1]
    return " and ".join(names) if differ else ""


def _other_texts(one: Run, other: Run, ids: Collection[str]) -> set[str]:
    return {key for key in ids if one.by_id[key].question != other.by_id[key].question}


def _some(ids: Collection[str]) -> str:
    return f" (such as {', '.join(sorted(ids)[:NAMED])})"
