"""Multi-modal gain and leakage of runs (MMStar paper, section 4.3): which runs belong together,
and a row for each pair, overall and by group.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import pandas as pd

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.merging import (
    GROUP,
    PARTIAL,
    check_comparable,
    columns_by,
    differing_generation,
    headline,
    merged,
    questions,
    texts,
)
from spiqa_tasks.benchmarks.metric import Metric, too_few
from spiqa_tasks.benchmarks.open_metrics import L3SCORE
from spiqa_tasks.benchmarks.summary import remark_on_answers
from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import abridged
from spiqa_tasks.runs import lmms_eval, selection
from spiqa_tasks.runs.frame import group_columns, noise_in
from spiqa_tasks.runs.metric_values import has_scores, mean_remarks
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring import gain as scoring
from spiqa_tasks.scoring.gain import Gain, gain_of_totals
from spiqa_tasks.scoring.intervals import Estimate

# Runs that a sentence names.
NAMED = 3

# What a run has no twin with or without -> what to do about it.
REMEDIES = {
    "with": "Run the same model on the task itself, or name files by --with and --without.",
    "without": (
        "Run the task's variant _text if it has one, else lmms-eval with --model ablated"
        " --model_args base=MODEL,ablation=text,..., or name files by --with and --without."
    ),
}

# Ablation of a run that only an option names as one without pictures.
UNKNOWN = "unknown"

# Roles of a pair's runs, in their order.
ROLES = ("with images", "without images", "by the LLM base")

# Score of each role. Unusable answers (refused, unread, cut) count as wrong, which makes it a lower
# bound; with such answers in two runs, MG and ML are no bounds.
SCORES = ("S_v", "S_wv", "S_t")

# What each refusal that can be overruled ends with; `paper` and `report` have no such option.
ACCEPT = "`gain --accept-differences` takes them."


@dataclass(frozen=True)
class GainRuns:
    """The runs whose scores by one metric are S_v, S_wv and, with an LLM base, S_t.

    `ablation` is what the model saw instead of the pictures in the second run.
    """

    runs: Sequence[Run]
    metric: Metric
    ablation: str


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        by: the column of the group, '' of all questions.
        llm: model of the LLM base, or None.
        n: number of questions that the scores are of.
        result: gain and leakage, or None if withheld.
        warnings: sentences on the row, with the reason why it is withheld.
    """

    task: str
    metric: str
    by: str
    group: str
    model: str
    ablation: str
    llm: str | None
    n: int
    result: Gain | None
    warnings: Sequence[str] = ()


def ablation_pairs(
    runs: Sequence[Run],
    llm_runs: Sequence[Run] = (),
    metric: str | None = None,
    accept_differences: bool = False,
) -> tuple[list[GainRuns], list[str], list[str]]:
    """Return the pairs, sentences on runs without a twin, and on pairs without scores or base.

    Args:
        runs: of models with and without pictures.
        llm_runs: of the LLM base, beside those of our `_llm` tasks among `runs`.
        metric: its name; default: the headline of each task.
        accept_differences: whether one file or model may stand in two roles.

    Raises InputError: no pair, or runs that must not be compared.
    """
    seeing, blind, bases, problems = _by_role(runs, llm_runs)

    pairs = []
    blind_alone = []
    paired = set()
    for run in blind:
        twin = selection.twin(run, seeing)
        if twin is None:
            blind_alone.append(run)
            continue
        paired.add(id(twin))
        of_task = _of_task(bases, twin.source_task)
        try:
            pair, problem = pair_of(twin, run, of_task, metric, accept_differences)
            pairs.append(pair)
        except InputError as error:
            problem = str(error)
        problems.append(problem)
    problems = list(filter(None, dict.fromkeys(problems)))

    seeing_alone = [run for run in seeing if id(run) not in paired]
    alone = [*_alone(blind_alone, "with"), *_alone(seeing_alone, "without")]
    if not pairs:
        nothing = f"Expected runs with and without images, found {_names(bases)} alone."
        raise InputError(" ".join(problems[:1] or alone or [nothing]))
    if llm_runs:
        problems += _missing_bases(pairs, bases)
    return pairs, alone, problems


def _missing_bases(pairs: Sequence[GainRuns], bases: Sequence[Run]) -> list[str]:
    """Return a sentence per task of the pairs that no run of the LLM base answers."""
    tasks = dict.fromkeys(pair.runs[0].source_task for pair in pairs)
    return [
        f"Expected a run of the LLM base to {task} at --llm-base, found none. S_t and ML are left "
        "out."
        for task in tasks
        if not _of_task(bases, task)
    ]


def _of_task(runs: Sequence[Run], task: str) -> list[Run]:
    """Return the runs of a task or of its variants without pictures."""
    return [run for run in runs if run.source_task == task]


def _by_role(
    runs: Sequence[Run], named: Sequence[Run]
) -> tuple[list[Run], list[Run], list[Run], list[str]]:
    """Return the runs with images, those without, those of LLM bases, and sentences on others.

    Bases are the `named` ones and runs of our `_llm` tasks.
    """
    others = _without_bases(runs, named)
    if not others:
        # The base was named by a folder with all runs: those of `_llm` tasks are the base's.
        others, named = list(runs), []
    bases = [*named]
    keys_of_named = {(base.task, base.identity) for base in named}

    seeing = []
    blind = []
    problems = []
    for run in selection.with_unique_labels(others):
        if remark := selection.changed_options_remark(run):
            problems.append(remark)
        elif run.is_few_shot:
            if (run.task, run.identity) not in keys_of_named:
                bases.append(run)
        elif run.is_blind:
            blind.append(run)
        else:
            seeing.append(run)
    return seeing, blind, bases, problems


def _without_bases(runs: Sequence[Run], bases: Sequence[Run]) -> list[Run]:
    """Return the runs less the bases, but for a base that is also the blind run of a model.

    A base on the plain task would count as a run with images.
    """
    of_bases = {(run.path, run.task) for run in bases}
    others = [run for run in runs if (run.path, run.task) not in of_bases]
    return others + [
        run
        for run in runs
        if (run.path, run.task) in of_bases and run.is_blind and selection.twin(run, others)
    ]


def pair_of(
    seeing: Run,
    blind: Run,
    bases: Sequence[Run],
    metric: str | None,
    accept_differences: bool,
) -> tuple[GainRuns, str]:
    """Return a run with pictures, one without and that of the LLM base, if there is one, as one.

    The sentence says why the base is left out, or is ''.
    Raises InputError: runs that must not be compared, or without the metric.
    """
    problem = _problem_of_base(seeing, bases, accept_differences)
    runs = [seeing, blind, *([] if problem else bases)]
    _check_roles(runs, accept_differences)

    # The run with pictures names the metric: a text variant may log others first.
    chosen = headline(seeing, metric)
    for run in runs:
        run.metric(chosen.name)  # raises if the run lacks it
    for run in runs[1:]:
        # An LLM base is asked in its own way, with solved questions before.
        check_comparable(seeing, run, chosen, same_prompt=run is blind)

    ablation = blind.ablation if blind.is_blind else UNKNOWN
    if blind.identity.seed not in ("", seeing.identity.seed):
        ablation += f",seed={blind.identity.seed}"
    return GainRuns(runs, chosen, ablation), problem


def _problem_of_base(seeing: Run, bases: Sequence[Run], accept_differences: bool) -> str:
    """Return why no run of an LLM base is taken, or ''."""
    task = seeing.source_task
    # Of several bases none is taken: leakage of either would look like that of the other.
    if len(bases) > 1:
        return (
            f"Expected one LLM base for {task}; found {_names(bases)}. S_t and ML are left out: "
            "name one of the runs, or its --judge."
        )
    model = seeing.identity.model
    if bases and not accept_differences and bases[0].identity.model == model:
        return (
            f"Expected another model as LLM base for {task}, found {model} itself. S_t and ML are"
            f" left out. {ACCEPT}"
        )
    return ""


def _names(runs: Sequence[Run]) -> str:
    """Return runs for a sentence: `gpt-4o on mmstar_filtered, llama on mmstar_filtered_llm`; of
    many three.
    """
    return abridged((f"{run.model_name} on {run.task}" for run in runs), NAMED)


def _check_roles(runs: Sequence[Run], accept_differences: bool) -> None:
    """Raise InputError for changed options or no samples, or unless accepted if a file stands in
    two roles.
    """
    for index, run in enumerate(runs):
        if not run.logged:
            raise InputError(
                f"Expected samples of {run.task} of {run.name}, found none. Run it again with "
                "--log_samples."
            )
        if remark := selection.changed_options_remark(run):
            raise InputError(remark)
        for other in runs[:index]:
            if not accept_differences and _is_copy(run, other):
                raise InputError(
                    f"Expected other answers in each role, found the same ones in {other.path} and "
                    f"{run.path}. {ACCEPT}"
                )


def _is_copy(run: Run, other: Run) -> bool:
    """Return whether two runs have the same answers, unless a host names them as two."""
    # A host names its models; two of them may happen to answer alike. A plain file has a name only.
    is_named = run.form in lmms_eval.FORMS and run.key != other.key
    return texts(run) == texts(other) and not is_named


def _alone(runs: Sequence[Run], what: str) -> list[str]:
    """Return [a sentence on the runs without a twin, with what to do about it], or []."""
    if not runs:
        return []
    names = _names(runs)
    return [f"Expected one run {what} images for {names}; found none or several. {REMEDIES[what]}"]


def rows(pair: GainRuns, by: str = "") -> list[Row]:
    """Return the overall row, then one per group of a column, `by`, or of all (`group`).

    The overall row is made of the host's reported values if a run has no scores per question.
    Raises InputError: no such column.
    """
    frames = [questions(run, pair.metric) for run in pair.runs]
    if not all(has_scores(run, pair.metric) for run in pair.runs):
        return [_row(pair, frames, *_of_totals(pair, len(frames[0])))]

    table = [_row(pair, frames, *_of_questions(pair, frames, OVERALL))]
    for column in _columns(pair, frames[0], by):
        for name, members in frames[0].groupby(column, sort=False):
            group = str(name)
            of_group = [frame.loc[members.index] for frame in frames]
            result, reason = _of_questions(pair, of_group, group)
            table.append(_row(pair, of_group, result, reason, column, group))
    return table


def _columns(pair: GainRuns, frame: pd.DataFrame, by: str) -> list[str]:
    """Return the group columns that `by` names ('': none). Raises InputError: no such column."""
    columns = columns_by(frame, by)
    if not columns and by not in ("", GROUP):
        names = ", ".join([GROUP, *group_columns(frame)])
        task = pair.runs[0].task
        raise InputError(f"Expected --by to be one of {names} of {task}, found {by}.")
    return columns


def _of_totals(pair: GainRuns, n: int) -> tuple[Gain | None, str]:
    """Return the difference of totals, for a metric without scores of single answers, or why there
    is none.
    """
    values = [run.value(pair.metric) for run in pair.runs]
    reasons = [
        f"{run.name}: {value.reason}"
        for run, value in zip(pair.runs, values, strict=True)
        if value.reason
    ]
    if reasons:
        return None, "; ".join(reasons)
    return gain_of_totals(n, *(value.value for value in values)), ""


def _of_questions(
    pair: GainRuns, frames: Sequence[pd.DataFrame], group: str
) -> tuple[Gain | None, str]:
    """Return the gain over the questions of a group, compared one by one, or why there is none."""
    both = merged(frames)
    if pair.runs[0].partial:
        # over a part, too, answers without a score withhold the gain: they are no chance sample
        size = len(set.intersection(*(set(frame.index) for frame in frames)))
    else:
        # A group's size is known where the run's file says it; those at hand may be fewer.
        size = max(len(frames[0]), *(run.reported.sizes.get(group, 0) for run in pair.runs))

    reasons = [too_few(len(both), size, "questions have a score in every run")]
    reasons += [noise_in(frame, pair.metric.name) for frame in frames]
    if reason := next(filter(None, reasons), ""):
        return None, reason

    with_images, without, *llm = (both[f"score_{number}"].tolist() for number in range(len(frames)))
    clusters = both.cluster_0.tolist()
    return scoring.gain(with_images, without, llm[0] if llm else None, clusters), ""


def _row(
    pair: GainRuns,
    frames: Sequence[pd.DataFrame],
    result: Gain | None,
    reason: str,
    by: str = "",
    group: str = OVERALL,
) -> Row:
    """Return a row of the table; a gain is withheld with its reason."""
    parts = [
        f"{run.name} answered {run.coverage} questions {PARTIAL}"
        for run in pair.runs
        if run.record_set.withheld()
    ]
    # The runs with and without images of one model have the same name.
    reasons = dict.fromkeys([*parts, reason])
    withheld = "; ".join(filter(None, reasons))
    if result is None or withheld:
        warnings = [f"withheld: {withheld}"]
    else:
        warnings = _remarks(pair) if group == OVERALL else []
        warnings += _warnings(frames, result, pair.ablation)

    return Row(
        task=pair.runs[0].task,
        metric=pair.metric.name,
        by=by,
        group=group,
        model=pair.runs[0].model_name,
        ablation=pair.ablation,
        llm=pair.runs[2].model_name if len(pair.runs) > 2 else None,
        n=len(frames[0]) if result is None else result.n,
        result=None if withheld else result,
        warnings=warnings,
    )


def _remarks(pair: GainRuns) -> list[str]:
    """Return remarks on parts, on values that a host aggregates otherwise, on generation settings,
    and on equal answers.
    """
    remarks = [remark for run in pair.runs for remark in mean_remarks(run, pair.metric)]

    # An LLM base has settings of its own.
    if different := differing_generation(*pair.runs[:2]):
        remarks.append(f"the runs with and without images differ in {different}")

    if coverage := selection.partial_coverage(pair.runs):
        remarks.append(f"{coverage} questions were answered")

    of_runs = map(texts, pair.runs)
    # Neighbours alone: two of three that are equal make a gain or a leakage of 0.
    for index, (one, two) in enumerate(pairwise(of_runs)):
        if one == two:
            remarks.append(f"the answers {ROLES[index]} and {ROLES[index + 1]} are the same")
    return remarks


def _warnings(frames: Sequence[pd.DataFrame], result: Gain, ablation: str) -> list[str]:
    """Return warnings of swapped runs, and of unusable answers, which make a score a bound."""
    warnings = []
    if result.mg.high is not None and result.mg.high < 0:
        warnings.append("S_wv is above S_v by more than its interval: the two runs may be swapped")
    for frame, role, score in zip(frames, ROLES, SCORES, strict=False):
        if remark := remark_on_answers(list(frame.record)):
            is_ablated = score == "S_wv" and ablation != UNKNOWN
            remedy = "; try the other of text and grey" if is_ablated else ""
            warnings.append(f"{remark} {role}: {score} is a lower bound{remedy}")
    return warnings


def averages(table: Sequence[Row]) -> list[Row]:
    """Return a row per model and ablation with several tasks, as the last columns of Table 6, of
    the overall rows of the tasks.

    Ablations stay apart: the gain over grey pictures is not the gain over none.
    """
    overall = defaultdict(list)
    for row in table:
        overall[row.model, row.ablation].append(row)

    means = []
    for members in overall.values():
        if not _have_average(members):
            continue
        known = [member.result for member in members if member.result is not None]
        mean = replace(
            members[0],
            task="average",
            metric="+".join(dict.fromkeys(member.metric for member in members)),
            n=sum(member.n for member in members),
            result=mean_gain(known) if len(known) == len(members) else None,
            warnings=(),
        )
        means.append(mean)
    return means


def _have_average(rows: Sequence[Row]) -> bool:
    """Return whether there are several rows, all of L3Scores, or of accuracies by any name."""
    metrics = {row.metric for row in rows}
    return len(rows) > 1 and (len(metrics) == 1 or L3SCORE not in metrics)


def mean_gain(gains: Sequence[Gain]) -> Gain:
    """Return the unweighted means over tasks; without S_t and ML if one has none.

    ML's is the mean of the tasks' values, each cut at 0.
    """
    n = sum(gain.n for gain in gains)
    scores = [(gain.s_v, gain.s_wv, gain.s_t, gain.ml and gain.ml.value) for gain in gains]
    # NaN if a task has none
    s_v, s_wv, s_t, ml = pd.DataFrame(scores, dtype=float).mean(skipna=False).tolist()
    if math.isnan(s_t):
        return gain_of_totals(n, s_v, s_wv)
    return replace(gain_of_totals(n, s_v, s_wv, s_t), ml=Estimate(ml))
