"""The filter of the MMStar paper (section 4.1): what text-only models answer needs no image."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from spiqa_tasks.analysis.merging import check_comparable, headline, questions
from spiqa_tasks.benchmarks.metric import Metric, too_few
from spiqa_tasks.benchmarks.summary import shares
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import abridged, counted
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.run import MOST_LISTED, Run

# The paper keeps questions with at most 2 hits of 8 inspectors.
KEPT_SHARE = 2 / 8

# Share of hits from which a question counts to the abnormal hit rate: 6 of 8 (Figure 2).
ABNORMAL_SHARE = 6 / 8

# Least share of hits of 16 LVLMs: 0, 4, 8 and 12 (section 4.1).
DIFFICULTIES = {"tough": 0 / 16, "hard": 4 / 16, "moderate": 8 / 16, "easy": 12 / 16}
UNKNOWN = "unknown"

# Share of refused and unparsed answers from which most of an inspector's misses say nothing.
MOSTLY = 0.5

# The less of a picture a model saw, the more its hits say; those of LLM bases have rank 0.
RANKS = {"text": 1, "grey": 2, "none": 4}
OTHER_RANK = 3


@dataclass(frozen=True)
class Filtered:
    """The filter on one task.

    Attributes:
        runs: of the inspectors, the text-only models.
        answers: a row per inspector: model, task, mean score, shares of unusable answers.
        questions: a row per question that every inspector has a score of, in the task's order:
            the columns of `merging.questions`, its `position` in the task, `hits`, `is_kept`,
            `difficulty` (with LVLM runs) and `leaks`, the number of pairs in which it leaked.
        max_hits: largest number of hits of a kept question.
        leaked: a row per pair: the LVLM, its LLM base, n and ids of the questions that the LVLM
            answers without the image and its base does not (Figure 3).
        remarks: warnings for people.
    """

    task: str
    metric: str
    runs: list[Run]
    answers: list[dict[str, Any]]
    questions: pd.DataFrame
    max_hits: int
    leaked: list[dict[str, Any]]
    remarks: list[str]

    @property
    def kept(self) -> pd.DataFrame:
        """The kept questions."""
        return self.questions[self.questions.is_kept]

    @property
    def record(self) -> dict[str, Any]:
        """The numbers of the filter, as `filter --json` prints them."""
        hits = self.questions.hits
        is_abnormal = hits / len(self.runs) >= ABNORMAL_SHARE
        record = {
            "task": self.task,
            "metric": self.metric,
            "max_hits": self.max_hits,
            "n": len(hits),
            "questions": selection.partial_coverage(self.runs),
            "kept": len(self.kept),
            "abnormal_hit_rate": float(is_abnormal.mean()),
            "hit_counts": np.bincount(hits, minlength=len(self.runs) + 1).tolist(),
            "answers": self.answers,
        }
        if "difficulty" in self.questions:
            names = [*reversed(DIFFICULTIES), UNKNOWN]
            counts = self.kept.difficulty.value_counts().reindex(names, fill_value=0)
            record["difficulty"] = counts.to_dict()
        if self.leaked:
            # Questions that leaked in more than half of the pairs (Figure 3).
            in_most = 2 * self.questions.leaks > len(self.leaked)
            record |= {"leaked": self.leaked, "leaked_by_most": int(in_most.sum())}
        return record


def filter_runs(
    runs: Sequence[Run],
    lvlms: Sequence[Run] = (),
    pairs: Sequence[tuple[Sequence[Run], Sequence[Run]]] = (),
    tasks: Sequence[str] = (),
    metric: str | None = None,
    max_hits: int | None = None,
) -> tuple[list[Filtered], list[str]]:
    """Return the filter on every task of the inspectors' runs, and a sentence per task left out.

    Args:
        runs: of the inspectors, all without images; of a model with several, one counts.
        lvlms: of LVLMs with images, for the difficulty.
        pairs: (runs of an LVLM without images, runs of its LLM base), for leaked questions.
        tasks: those that must be among the runs'.
        metric: its name; None: the headline of each task.
        max_hits: largest number of hits of a kept question; None: 2 of 8, scaled.

    Raises InputError: no such runs or tasks, or no task left.
    """
    inspectors = _inspectors(runs, tasks)
    seeing_lvlms = one_run_per_model(run for run in lvlms if not run.is_blind)
    roles_of_pairs = [(_without_images(lvlm), _without_images(llm)) for lvlm, llm in pairs]

    filtered = []
    left_out = []
    for task, members in inspectors.items():
        lvlms_of_task = seeing_lvlms.get(task, [])
        pairs_of_task = [(lvlm.get(task, []), llm.get(task, [])) for lvlm, llm in roles_of_pairs]
        try:
            filtered.append(_filtered(members, lvlms_of_task, pairs_of_task, metric, max_hits))
        except InputError as error:
            left_out.append(f"{task} is left out: {error}")

    if not filtered:
        raise InputError(left_out[0])
    return filtered, left_out


def _inspectors(runs: Sequence[Run], tasks: Sequence[str]) -> dict[str, list[Run]]:
    """Return source task -> one run of each model. Raises InputError: a task without runs."""
    inspectors = one_run_per_model(runs)
    if missing := [task for task in tasks if task not in inspectors]:
        raise InputError(
            f"Expected results of {', '.join(missing)}; found {', '.join(inspectors)}. "
            "Correct --task."
        )
    return inspectors


def one_run_per_model(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Return source task -> one run per model.

    Of a model's runs the first of these is taken: a task for LLM bases (`_llm`), no picture
    (`_text`), a grey one (`_grey`), others, with pictures. Of equals, such as several seeds, the
    last is taken.
    """
    same = defaultdict(list)
    for run in runs:
        if remark := selection.changed_options_remark(run):
            raise InputError(remark)
        same[run.source_task, run.identity.model].append(run)

    chosen = defaultdict(list)
    for (task, _), members in same.items():
        # Reversed, as `min` takes the first of equals.
        chosen[task].append(min(reversed(members), key=_rank))
    return chosen


def _rank(run: Run) -> int:
    """Return the rank of a run among those of its model: the lowest inspects."""
    if run.is_few_shot:
        return 0
    return RANKS.get(run.ablation, OTHER_RANK)


def _without_images(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Return model -> its runs that saw no picture."""
    return one_run_per_model(run for run in runs if run.may_be_blind)


def _filtered(
    runs: list[Run],
    lvlms: list[Run],
    pairs: list[tuple[list[Run], list[Run]]],
    metric_name: str | None,
    max_hits: int | None,
) -> Filtered:
    """Return the filter on the task of the inspectors' runs.

    Raises InputError: runs with images or that do not compare, or a rule by which all or no
    questions are kept.
    """
    # Before the runs are read.
    _check_blind(runs)
    first = runs[0]
    _check_documents(first)
    task = first.source_task
    metric = headline(first, metric_name)
    most = _most_hits(len(runs), max_hits)

    scores = _scores(first, runs, metric)
    frame = _with_hits(first, metric, scores)
    frame["is_kept"] = frame.hits <= most
    if lvlms:
        difficulty = _difficulty(_scores(first, lvlms, metric))
        frame["difficulty"] = difficulty.reindex(frame.index).fillna(UNKNOWN)

    leaked = [_leaked(first, lvlm, llm, metric) for lvlm, llm in pairs if lvlm and llm]
    frame["leaks"] = sum(frame.index.isin(pair["ids"]) for pair in leaked)

    answers = [_answers(run, scores[number]) for number, run in enumerate(runs)]
    lost = list(scores.index.difference(frame.index, sort=False))
    remarks = [*_untold(runs), *_remarks(task, lost, answers)]
    return Filtered(task, metric.name, runs, answers, frame, most, leaked, remarks)


def _check_blind(runs: Iterable[Run]) -> None:
    """Raise InputError if a run has no samples, or saw the pictures."""
    for run in runs:
        if not run.logged:
            raise InputError(f"{run.task} of {run.name} has no samples.")
        if not run.may_be_blind:
            raise InputError(
                f"Expected runs without images; {run.model_name} saw them. Run "
                "the task's _text variant, or lmms-eval's --model ablated with ablation=text, or "
                "name answers TASK_text=FILE."
            )


def _untold(runs: Iterable[Run]) -> list[str]:
    """Return a sentence on the runs that do not say whether the model saw the pictures."""
    untold = [run.model_name for run in runs if not run.is_blind]
    if not untold:
        return []
    return [
        f"Files without a task do not say what a model saw: {abridged(untold)} "
        "counted as without images."
    ]


def _check_documents(run: Run) -> None:
    """Raise InputError for a task with several documents per question, one for each figure."""
    if run.is_of_benchmark and run.benchmark_task.benchmark.join(run.settings) is not None:
        raise InputError(
            "each question is several documents, one for a figure, and would be kept in part. "
            "Filter the task that shows all figures at once."
        )


def _with_hits(run: Run, metric: Metric, scores: pd.DataFrame) -> pd.DataFrame:
    """Return the questions that every inspector has a score of, in the task's order, with `hits`.

    `hits` is the number of inspectors that are right, `position` that of the question in the task.
    """
    known = scores.dropna()
    frame = questions(run, metric).loc[known.index]
    frame["hits"] = known.sum(axis="columns").astype(int)
    frame["position"] = [run.by_id[key].position for key in frame.index]
    return frame.sort_values("position")


def _answers(run: Run, scores: pd.Series) -> dict[str, Any]:
    """Return a run's entry in the record: its mean score, and shares such as `truncated`."""
    about = {"model": run.model_name, "task": run.task, "score": float(scores.mean())}
    return about | shares(list(run.questions))


def _most_hits(models: int, max_hits: int | None) -> int:
    """Return the largest number of hits of a kept question."""
    most = int(models * KEPT_SHARE) if max_hits is None else max_hits
    if not 0 <= most < models:
        raise InputError(
            f"Expected --max-hits from 0 to {models - 1}, for {models} inspectors; found {most}."
        )
    return most


def _scores(first: Run, runs: Sequence[Run], metric: Metric) -> pd.DataFrame:
    """Return the scores of runs on the questions of the first inspector, a column per run.

    A failed request is NaN. Raises InputError: runs of other questions or of a part of the task,
    or scores that do not say right or wrong.
    """
    columns = []
    for run in runs:
        run.metric(metric.name)  # raises if the run lacks it
        if withheld := run.record_set.withheld():
            raise InputError(
                f"Expected the whole of {run.task} of {run.name}: {withheld}. Run it, or "
                "add --partial."
            )
        # An inspector is asked in its own way: prompts may differ.
        check_comparable(first, run, metric, same_prompt=False)
        columns.append(_right_or_wrong(run, metric))
    return pd.concat(columns, axis="columns", keys=range(len(runs)))


def _right_or_wrong(run: Run, metric: Metric) -> pd.Series:
    """Return id -> 1 (right), 0 (wrong) or NaN (failed).

    Raises InputError: too few scores, or some between 0 and 1.
    """
    frame = questions(run, metric)
    known = frame.score.dropna()
    if few := too_few(len(known), len(frame), "answers have a score"):
        failed = int((frame.status == "request_failed").sum())
        raise InputError(
            f"Expected scores by {metric.name} of the answers of {run.model_name} to "
            f"{run.task}: {few} ({counted(failed, 'request')} failed). Run it again, or choose "
            "another --metric."
        )

    between = known[~known.isin([0, 1])]
    if len(between):
        raise InputError(
            f"Expected scores of 0 or 1 in {metric.name} of {run.task}, found "
            f"{between.iloc[0]:.3f}. Name a --metric that says right or wrong, or filter another "
            "task."
        )
    return frame.score


def _difficulty(scores: pd.DataFrame) -> pd.Series:
    """Return the difficulty of each question that every LVLM has a score of."""
    share = scores.dropna().mean(axis="columns")
    bounds = [*DIFFICULTIES.values(), 1.01]  # above 1, the share of a question that all answer
    return pd.cut(share, bounds, right=False, labels=list(DIFFICULTIES)).astype(object)


def _leaked(first: Run, lvlms: list[Run], llms: list[Run], metric: Metric) -> dict[str, Any]:
    """Return the questions that an LVLM answers right without pictures and its LLM base wrong
    (MMStar, Figure 3).
    """
    names = [run.model_name for run in (*lvlms, *llms)]
    if len(names) != 2:
        raise InputError(
            f"Expected an LVLM and its LLM base in each --pair, found {', '.join(names)}. Name two "
            "files."
        )
    scores = _scores(first, [*lvlms, *llms], metric)
    ids = list(scores.index[(scores[0] == 1) & (scores[1] == 0)])
    return {"lvlm": names[0], "llm": names[1], "n": len(ids), "ids": ids}


def _remarks(task: str, lost: list[str], answers: list[dict[str, Any]]) -> list[str]:
    """Return warnings: questions left out, inspectors that mostly gave no answer."""
    remarks = []
    if lost:
        remarks.append(
            f"{task}: {counted(len(lost), 'question')} left out, as not every inspector has a"
            f" score of each, the first: {', '.join(lost[:MOST_LISTED])}."
        )
    for row in answers:
        if row["refused"] + row["unparsed"] >= MOSTLY:
            remarks.append(
                f"{task}: {row['model']}: {row['refused']:.0%} refused, {row['unparsed']:.0%} "
                "without a letter. Both count as misses: leave it out, or ask it otherwise."
            )
    return remarks
