"""Runs of one task aligned on their questions: scores, coverage, refusals, and whether they may be compared."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.benchmarks.summary import Outcomes, outcomes
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import Run

NOT_DECISIVE = frozenset({"host", "ablated", "predictions", "ids", "model", "questions"})
"""Signature fields that change no score of a question, or (`ablated`) are what a pair compares."""

UNKNOWN = frozenset({"images"})
"""Signature fields that are unknown where they are absent."""


@dataclass(frozen=True)
class Pair:
    """Runs aligned on their questions by one metric: two or three, or all that a filter counts.

    Attributes:
        runs: earlier and later run; for gain the run with pictures, the one without, and that of the LLM base if known.
        metric: of the scores.
        ablation: what the second run's model saw instead of the pictures, or ''.
    """

    runs: Sequence[Run]
    metric: Metric
    ablation: str = ""

    @cached_property
    def questions(self) -> list[dict[str, Record]]:
        """Id -> record of each run's questions that the metric is of and that were asked completely."""
        return [run.kind.members(run, self.metric) for run in self.runs]

    @cached_property
    def run_scores(self) -> list[Mapping[str, float]]:
        """Id -> score of each run's questions that have one."""
        return [scores_of(questions, self.metric) for questions in self.questions]

    @cached_property
    def scores(self) -> dict[str, tuple[float, ...]]:
        """Id -> score in each run, of the questions that have one in every run."""
        first, *others = self.run_scores
        common = [key for key in first if all(key in scores for scores in others)]
        return {key: tuple(scores[key] for scores in self.run_scores) for key in common}

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """Group -> ids of its questions in the first run."""
        return groups_of(self.questions[0])

    def clusters(self, keys: Collection[str]) -> list[str | None]:
        """Return the cluster keys of questions."""
        return [self.questions[0][key].cluster for key in keys]

    def outcomes(self, keys: Sequence[str]) -> list[Outcomes]:
        """Return each run's shares of refused, unparsed, failed and truncated answers to at least one question."""
        return [outcomes([questions[key] for key in keys]) for questions in self.questions]

    @property
    def total(self) -> int:
        """Number of the task's questions, those included that a run did not answer."""
        whole = [
            len(scores) + max(0, run.asked - run.record_set.answered)
            for run, scores in zip(self.runs, self.run_scores, strict=True)
        ]
        return max(*whole, len(set().union(*self.run_scores)))

    @property
    def remarks(self) -> list[str]:
        """Warnings about values that a host aggregates otherwise."""
        return [remark for run in self.runs for remark in run.kind.remarks(run, self.metric)]

    def check(self, same_prompt: bool = True) -> None:
        """Raise InputError unless all runs answered the same questions, scored by the same judge.

        The wording must be the same in the first two runs only (`same_prompt`): an LLM base is asked in its own way.
        """
        for place in range(1, len(self.runs)):
            if difference := self._difference(place, same_prompt and place == 1):
                what, found, remedy = difference
                names = " and ".join(
                    f"{run.task} in {run.path.name}" for run in (self.runs[0], self.runs[place])
                )
                raise InputError(f"Expected {what} for {names}; {found}. {remedy}")

    def _difference(self, place: int, same_prompt: bool) -> tuple[str, str, str] | None:
        """Return (expected, found, remedy) if a run must not be compared with the first one."""
        (one, ours), (other, theirs) = (
            (self.runs[each], self.questions[each]) for each in (0, place)
        )
        if alone := ours.keys() ^ theirs.keys():
            found = f"found {len(ours)} and {len(theirs)}, {len(alone)} in one of them only{_some(alone)}"
            return (
                "the same questions",
                found,
                "Run both on the whole task, or with the same --limit.",
            )
        data, prompts = (
            [run.kind.data(run) for run in (one, other)],
            [run.signature.prompt for run in (one, other)],
        )
        if data[0] != data[1]:
            return (
                "the same data",
                f"found {data[0]} and {data[1]}",
                "Run both with the same data revision.",
            )
        if same_prompt and prompts[0] != prompts[1]:
            found = " and ".join(prompt or "none" for prompt in prompts)
            return "the same prompt", f"found {found}", "Run both with the same prompt setting."
        if self.metric.needs == "judge" and one.judge_name != other.judge_name:
            found = f"{one.judge_name or 'none'} and {other.judge_name or 'none'}"
            return "scores by the same judge", f"found {found}", "Name one with --judge."
        of_host = same_prompt and not one.is_own and not other.is_own
        different = [
            key
            for key, record in ours.items()
            if record.reference != theirs[key].reference
            or (of_host and one.by_id[key].question != other.by_id[key].question)
        ]
        if different:
            found = (
                f"{len(different)} have another text or answer under the same id{_some(different)}"
            )
            return (
                "the same questions",
                found,
                "Run both with the same version of the task and of its prompt.",
            )
        return None


def scores_of(questions: Mapping[str, Record], metric: Metric) -> Mapping[str, float]:
    """Return id -> score of the questions that have one: their own, or by the metric if none has its own."""
    own = {
        key: record.scores[metric.name]
        for key, record in questions.items()
        if metric.name in record.scores
    }
    return own or metric.compute(list(questions.values())).scores


def groups_of(questions: Mapping[str, Record]) -> dict[str, list[str]]:
    """Return group -> ids: `OVERALL` first, then the groups in the order in which the questions name them."""
    groups = {OVERALL: list(questions)}
    for key, record in questions.items():
        for name in dict.fromkeys(record.groups.values()):
            groups.setdefault(name, []).append(key)
    return groups


def differing(a: Signature, b: Signature) -> list[str]:
    """Return the decisive fields in which two signatures differ, with both values."""
    return [
        f"{name}: {getattr(a, name) or 'none'} and {getattr(b, name) or 'none'}"
        for name in a.__dataclass_fields__
        if name not in NOT_DECISIVE and getattr(a, name) != getattr(b, name)
        if name not in UNKNOWN or (getattr(a, name) and getattr(b, name))
    ]


def _some(keys: Collection[str]) -> str:
    return f" (such as {', '.join(sorted(keys)[:3])})" if keys else ""
