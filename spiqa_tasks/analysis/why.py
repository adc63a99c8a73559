"""Why two numbers of one model differ: the lines of `decomposition` for two runs, or for a run and a printed number."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from spiqa_tasks.analysis.decomposition import (
    AVERAGE,
    COVERAGE,
    CUT,
    FAILED,
    MIXED,
    NONE,
    OTHER,
    RULE,
    UNKNOWN,
    Line,
    Side,
    decomposed,
)
from spiqa_tasks.analysis.sides import crossed, side_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval_files import model_arguments
from spiqa_tasks.printable import counted
from spiqa_tasks.runs.identity import signature_fields
from spiqa_tasks.runs.readers import lmms_eval
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.mcq.other_matchers import CIRCULATING
from spiqa_tasks.scoring.values import percent

NAMED = 3
"""Questions that a line names."""
LEAST = 0.0005
"""Size of a difference that is printed as other than 0.0."""
_SHOWN = 60
"""Characters of a prompt that are quoted."""
_OF_QUESTIONS = ("data", "grey", "ablated")
"""Signature fields that change what a model is asked."""


@dataclass(frozen=True)
class Why:
    """The difference of two numbers, `number_b - number_a`, as the sum of the lines.

    Attributes:
        number_a, number_b: 0 to 1.
        about: cause -> what is known of it.
        differ: in what the runs are known to differ beside that.
        by_rule: `metric over average` -> number of the first run's answers by it.
        explains, settles: what explains most, and the command that would settle the rest.
    """

    a: str
    b: str
    metric_a: str
    metric_b: str
    number_a: float
    number_b: float
    lines: Sequence[Line]
    about: dict[str, str]
    differ: Sequence[str]
    by_rule: Mapping[str, float]
    explains: str
    settles: str


def why(
    run_a: Run,
    run_b: Run,
    metric_a: str | None = None,
    metric_b: str | None = None,
    printed: tuple[str, float] | None = None,
) -> Why:
    """Return why the number of the second run differs from that of the first.

    `printed` is a name and a number from 0 to 1 instead of the second run's, with `run_b` the first run again and
    `metric_b` the printed number's metric, if known; then what the rule and the average do not explain is unknown.

    Raises InputError: runs without common questions or scores of single questions, or with other true answers.
    """
    name_a, name_b = metric_a or run_a.metric().name, metric_b or run_b.metric().name
    a, b = side_of(run_a, name_a), side_of(run_b, name_b)
    _check((run_a, name_a, a), (run_b, name_b, b))
    a, b = (
        replace(a, crossed=crossed(run_a, a, run_b, b)),
        replace(b, crossed=crossed(run_b, b, run_a, a)),
    )
    ways = ((name, side_of(run_a, name)) for name in dict.fromkeys((name_a, *CIRCULATING)))
    by_rule = {f"{name} over {side.average}": side.number for name, side in ways if side.scores}
    rules = _other_rules((name_a, a), (name_b, b))
    about = {RULE: rules, AVERAGE: f"over {a.average} and over {b.average}"}
    differ: list[str] = []
    if printed is None:
        differ = [] if run_a is run_b else differing(run_a, run_b)
        about |= {
            COVERAGE: f"{len(a.asked)} and {len(b.asked)} questions",
            FAILED: " and ".join(_counted(side) for side in (a, b)),
            **{
                kind: " and ".join(str([*side.kinds.values()].count(kind)) for side in (a, b))
                for kind in (CUT, NONE)
            },
            MIXED: rules,
            UNKNOWN: "what is reported is no known average of the scores",
            OTHER: differ[0] if len(differ) == 1 else "",
        }
    else:
        b = replace(b, number=printed[1])
        same = " or ".join(way for way, value in by_rule.items() if abs(value - b.number) <= LEAST)
        about[UNKNOWN] = (
            f"the same answers give {percent(b.number)} by {same}"
            if same
            else "other answers, or more"
        )
        if not run_a.record_set.is_whole:
            about[UNKNOWN] += f"; {run_a.name} answered {run_a.coverage} questions"
    lines = decomposed(a, b, not rules, {record.id: record.cluster for record in run_a.questions})
    settles = (
        f"The rest: spiqa-tasks compare {run_a.path} OTHER --why, with the answers behind {percent(b.number)} as OTHER."
        if printed
        else _settles(lines, (run_a, a), (run_b, b), differ)
    )
    names = (run_a.name, printed[0] if printed else run_b.name, name_a, name_b, a.number, b.number)
    return Why(*names, lines, about, differ, by_rule, _explains(lines, about), settles)


def differing(a: Run, b: Run) -> list[str]:
    """Return `name: value and value` of each condition that both runs name and that is not the same.

    The prompts are compared as texts, on the common questions, where both runs logged them, else by their hash; that
    they differ goes without saying where the questions' settings do.
    """
    ours, theirs = _conditions(a), _conditions(b)
    found: dict[str, list[str]] = {}
    for source in (source for source in ours if source in theirs):
        names = dict.fromkeys((*ours[source], *theirs[source]))
        values = {name: [of[source].get(name) or "none" for of in (ours, theirs)] for name in names}
        found[source] = [
            f"{name}: {one} and {two}" for name, (one, two) in values.items() if one != two
        ]
    wordings = [] if found.get("questions") else _wordings(a, b)
    return [*(each for of_source in found.values() for each in of_source), *wordings]


def _conditions(run: Run) -> dict[str, dict[str, str]]:
    """Return source -> name -> value, without the sources that say nothing of a run."""
    found: dict[str, dict[str, str]] = {}
    if run.is_own:
        settings = model_arguments(run.signature.settings)
        hidden = {*run.own.benchmark.scoring, "prompt"}
        found["questions"] = {name: value for name, value in settings.items() if name not in hidden}
        found["questions"] |= {name: getattr(run.signature, name) for name in _OF_QUESTIONS}
    if run.form == lmms_eval.FORM:
        model, _, arguments = run.identity.model.partition(",")
        found["model"] = {"model": model} | model_arguments(arguments)
        marked = signature_fields(run.identity).get(
            "ablated", ""
        )  # with its seed; the signature of our tasks has it, too
        found["model"] |= {
            "ablated": "" if run.is_own else marked,
            "seed": "" if marked else run.identity.seed,
        }
        found["generation"] = {
            name: str(value)
            for name, value in (run.origin.config.get("generation_kwargs") or {}).items()
        }
        found["host"] = {
            "shots": str(run.origin.config.get("num_fewshot") or 0),
            **run.origin.conditions,
        }
    return found


def _wordings(a: Run, b: Run) -> list[str]:
    """Return that the prompts differ, with what follows the shared beginning of the first that do."""
    if not a.form == b.form == lmms_eval.FORM:
        hashes = [run.signature.prompt for run in (a, b)]
        return (
            [f"prompt (hash): {' and '.join(hashes)}"]
            if all(hashes) and len(set(hashes)) > 1
            else []
        )
    asked = [[run.by_id[key].question for run in (a, b)] for key in a.by_id if key in b.by_id]
    plain = [
        [" ".join(word for word in text.split() if word != "<image>") for text in texts]
        for texts in asked
    ]
    others = [texts for texts in plain if len(set(texts)) > 1]
    if not others:
        return []
    shared = next(place for place, pair in enumerate(zip_longest(*others[0])) if len(set(pair)) > 1)
    one, two = (repr(text[max(0, shared - _SHOWN // 3) :][:_SHOWN]) for text in others[0])
    return [f"prompt's wording ({len(others)} of {len(plain)} questions): {one} and {two}"]


def _check(*numbers: tuple[Run, str, Side]) -> None:
    for run, name, side in numbers:
        if not side.scores:
            names = ", ".join(metric.name for metric in run.metrics)
            found = f"{run.task} of {run.name} has none. Choose with --metric: {names}."
            raise InputError(f"Expected scores of single questions by {name} for --why; {found}")
    run_a, run_b = (run for run, _, _ in numbers)
    theirs = {record.id: record.reference for record in run_b.questions}
    common = [record for record in run_a.questions if record.id in theirs]
    others = [record.id for record in common if record.reference != theirs[record.id]]
    if others or not common:
        found = (
            f"another true answer of {counted(len(others), 'question')}, such as {others[0]}"
            if others
            else "none"
        )
        places = f"{run_a.path} and {run_b.path}"
        raise InputError(
            f"Expected the same questions in {places}; found {found}. Name two runs of one task."
        )


def _other_rules(one: tuple[str, Side], two: tuple[str, Side]) -> str:
    rules = [
        name if name == side.rule else f"{name} (read as {side.rule})" for name, side in (one, two)
    ]
    found = [" and ".join(rules)] if one[1].rule != two[1].rule else []
    ours, theirs = one[1].tools, two[1].tools
    both = [(name, ours[name] or "none", theirs[name] or "none") for name in ours if name in theirs]
    return "; ".join([*found, *(f"{name}: {a} and {b}" for name, a, b in both if a != b)])


def _counted(side: Side) -> str:
    if FAILED not in side.kinds.values():
        return "none"
    return "counted as wrong" if side.counts_failed else "left out"


def _explains(lines: Sequence[Line], about: Mapping[str, str]) -> str:
    if all(abs(line.value) < LEAST for line in lines):
        return "The numbers are equal, line by line."
    total = percent(math.fsum(line.value for line in lines))
    most = max((line for line in lines if line.cause != UNKNOWN), key=lambda line: abs(line.value))
    if abs(most.value) < LEAST:
        return f"Nothing that is known explains a part of the {total} points."
    known = f" ({about[most.cause]})" if about.get(most.cause) else ""
    count = (
        f", on {counted(len(most.ids), 'question')} such as {', '.join(most.ids[:NAMED])}"
        if most.ids
        else ""
    )
    return (
        f"What explains most: {most.cause}{known}, {percent(most.value)} of {total} points{count}."
    )


def _settles(
    lines: Sequence[Line], one: tuple[Run, Side], two: tuple[Run, Side], differ: Sequence[str]
) -> str:
    """Return the sentence with the command that would settle the largest line that is not settled yet."""
    settled = {RULE, AVERAGE, *([OTHER] if len(differ) == 1 else [])}
    most = max(
        (line for line in lines if line.cause not in settled), key=lambda line: abs(line.value)
    )
    if abs(most.value) < LEAST:
        return "Nothing is left to settle."
    (run_a, a), (run_b, b) = one, two
    missing = [
        -len(side.asked) if most.cause == COVERAGE else [*side.kinds.values()].count(most.cause)
        for side in (a, b)
    ]
    worse = run_a if missing[0] > missing[1] else run_b
    if most.cause == NONE:
        again = f"spiqa-tasks report {run_a.path} {run_b.path}, which shows them"
    elif most.cause == UNKNOWN:
        again = f"spiqa-tasks score {worse.path} --output again"
    elif most.cause == MIXED:
        judge = f" --judge {run_b.judge_name}" if run_a.judge_name != run_b.judge_name else ""
        again = f"spiqa-tasks score {run_a.task} {run_a.path}{judge} --output again"
    else:
        command = [
            *(worse.origin.command or ("lmms-eval", "--model", "MODEL")),
            "--tasks",
            worse.task,
            "--log_samples",
        ]
        if most.cause == CUT:
            length = int(
                (worse.origin.config.get("generation_kwargs") or {}).get("max_new_tokens", 1024)
            )
            command += [] if "--gen_kwargs" in command else ["--gen_kwargs", ""]
            given = command.index("--gen_kwargs") + 1
            command[given] = f"{command[given]},max_new_tokens={4 * length}".lstrip(
                ","
            )  # the last of a name counts
        again = shlex.join([*command, "--output_path", "again"])
    as_in = (
        f", with one of these as in {run_a.name}: {'; '.join(differ)}"
        if differ and most.cause == OTHER
        else ""
    )
    return f"To settle {most.cause} ({percent(most.value)} points): {again}{as_in}."
