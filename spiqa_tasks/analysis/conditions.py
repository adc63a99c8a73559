"""The conditions in which two runs are known to differ: settings, model, generation, prompts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from spiqa_tasks.hosts.lmms_eval_files import model_arguments
from spiqa_tasks.runs.identity import signature_fields
from spiqa_tasks.runs.readers import lmms_eval
from spiqa_tasks.runs.run import Run

# Name -> value; None if nothing is known of a run.
Conditions = Mapping[str, str] | None

# Characters of a prompt that are quoted.
SHOWN = 60
# Of these, the ones before the first difference, by which a reader finds the place.
BEFORE = 20

# Signature fields that change what a model is asked.
OF_QUESTIONS = ("data", "grey_level", "model_wrapper")

# lmms-eval logs `--system_instruction` though chat models never get it; the prompts show it.
NEVER_SENT = "system turn"


def differing(a: Run, b: Run) -> list[str]:
    """Return `name: value and value` of each condition that is known of both runs and differs.

    Prompts are compared where the questions' settings, which change them, are the same.
    """
    of_questions = _differing(_of_questions(a), _of_questions(b))
    found = [
        *of_questions,
        *_differing(_of_model(a), _of_model(b)),
        *_differing(_of_host(a), _of_host(b)),
    ]
    if not of_questions and (wordings := _wordings(a, b)):
        found.append(wordings)
    return found


def _differing(ours: Conditions, theirs: Conditions) -> list[str]:
    """Return the conditions that differ; [] if nothing is known of one run."""
    if ours is None or theirs is None:
        return []
    names = dict.fromkeys([*ours, *theirs])
    values = {name: (ours.get(name) or "none", theirs.get(name) or "none") for name in names}
    return [f"{name}: {one} and {two}" for name, (one, two) in values.items() if one != two]


def _of_questions(run: Run) -> Conditions:
    if not run.is_own:
        return None
    hidden = {*run.own.benchmark.scoring, "prompt"}
    settings = model_arguments(run.signature.settings)
    known = {name: value for name, value in settings.items() if name not in hidden}
    return {**known, **{name: getattr(run.signature, name) for name in OF_QUESTIONS}}


def _of_model(run: Run) -> Conditions:
    if run.form != lmms_eval.FORM:
        return None
    model, _, arguments = run.identity.model.partition(",")
    mark = signature_fields(run.identity).get("model_wrapper", "")  # with its seed
    return {
        "model": model,
        **model_arguments(arguments),
        # The signature of our tasks has the ablation, too.
        "model_wrapper": "" if run.is_own else mark,
        "seed": "" if mark else run.identity.seed,
    }


def _of_host(run: Run) -> Conditions:
    if run.form != lmms_eval.FORM:
        return None
    generation = run.origin.config.get("generation_kwargs") or {}
    host = {name: value for name, value in run.origin.conditions.items() if name != NEVER_SENT}
    return {
        **{name: str(value) for name, value in generation.items()},
        "shots": str(run.origin.config.get("num_fewshot") or 0),
        **host,
    }


def _wordings(a: Run, b: Run) -> str:
    """Return that the prompts differ, with the place of the first difference, or ''."""
    if not a.form == b.form == lmms_eval.FORM:
        return _hashes(a.signature.prompt, b.signature.prompt)

    common = [key for key in a.by_id if key in b.by_id]
    texts = [(_prompt(a, key), _prompt(b, key)) for key in common]
    others = [(one, two) for one, two in texts if one != two]
    if not others:
        return ""
    one, two = _excerpts(*others[0])
    return f"prompt's wording ({len(others)} of {len(common)} questions): {one} and {two}"


def _hashes(one: str, two: str) -> str:
    is_other = one and two and one != two
    return f"prompt (hash): {one} and {two}" if is_other else ""


def _excerpts(one: str, two: str) -> tuple[str, str]:
    """Return two texts from shortly before their first difference."""
    pairs = zip(one, two, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = max(0, shared - BEFORE)
    return repr(one[start:][:SHOWN]), repr(two[start:][:SHOWN])


def _prompt(run: Run, key: str) -> str:
    """Return the prompt without the marks of pictures, which hosts write differently."""
    words = run.by_id[key].question.split()
    return " ".join(word for word in words if word != "<image>")
