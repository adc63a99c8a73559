"""The conditions in which two runs are known to differ: settings, model, generation, prompts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from spiqa_tasks.hosts.lmms_eval_files import model_arguments
from spiqa_tasks.runs.identity import ablated
from spiqa_tasks.runs.readers import lmms_eval
from spiqa_tasks.runs.run import Run

SHOWN = 60
"""Characters of a prompt that are quoted."""
BEFORE = 20
"""Of these, the ones before the first difference, by which a reader finds the place."""

OF_QUESTIONS = ("data", "grey", "ablated")
"""Signature fields that change what a model is asked."""

NEVER_SENT = "system turn"
"""lmms-eval logs `--system_instruction` though chat models never get it; the prompts show it."""


def differing(a: Run, b: Run) -> list[str]:
    """Return `name: value and value` of each condition that is known of both runs and differs.

    Prompts are compared where the questions' settings, which change them, are the same.
    """
    ours, theirs = _conditions(a), _conditions(b)
    found: list[str] = []
    for source in ours.keys() & theirs.keys():
        for name in dict.fromkeys([*ours[source], *theirs[source]]):
            one, two = (of[source].get(name) or "none" for of in (ours, theirs))
            found += [f"{name}: {one} and {two}"] * (one != two)

    same_questions = ours.get("questions") == theirs.get("questions")
    return [*found, *([_wordings(a, b)] if same_questions and _wordings(a, b) else [])]


def _conditions(run: Run) -> dict[str, Mapping[str, str]]:
    """Return source -> name -> value, without the sources that say nothing of a run."""
    found: dict[str, Mapping[str, str]] = {}
    if run.is_own:
        hidden = {*run.own.benchmark.scoring, "prompt"}
        settings = model_arguments(run.signature.settings)
        known = {name: value for name, value in settings.items() if name not in hidden}
        found["questions"] = {
            **known,
            **{name: getattr(run.signature, name) for name in OF_QUESTIONS},
        }

    if run.form == lmms_eval.FORM:
        model, _, arguments = run.identity.model.partition(",")
        mark = ablated(run.identity).get("ablated", "")  # with its seed
        found["model"] = {
            "model": model,
            **model_arguments(arguments),
            # The signature of our tasks has the ablation, too.
            "ablated": "" if run.is_own else mark,
            "seed": "" if mark else run.identity.seed,
        }
        generation = run.config.get("generation_kwargs") or {}
        found["generation"] = {name: str(value) for name, value in generation.items()}
        host = {name: value for name, value in run.host.items() if name != NEVER_SENT}
        found["host"] = {"shots": str(run.config.get("num_fewshot") or 0), **host}
    return found


def _wordings(a: Run, b: Run) -> str:
    """Return that the prompts differ, with the place of the first difference, or ''."""
    if not a.form == b.form == lmms_eval.FORM:
        hashes = [run.signature.prompt for run in (a, b)]
        differ = all(hashes) and hashes[0] != hashes[1]
        return f"prompt (hash): {hashes[0]} and {hashes[1]}" if differ else ""

    common = [key for key in a.by_id if key in b.by_id]
    texts = [(_prompt(a, key), _prompt(b, key)) for key in common]
    others = [(one, two) for one, two in texts if one != two]
    if not others:
        return ""
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*others[0], strict=False))
    )
    start = max(0, shared - BEFORE)
    one, two = (repr(text[start:][:SHOWN]) for text in others[0])
    count = f"{len(others)} of {len(common)} questions"
    return f"prompt's wording ({count}): {one} and {two}"


def _prompt(run: Run, key: str) -> str:
    """Return the prompt without the marks of pictures, which hosts write differently."""
    words = run.by_id[key].question.split()
    return " ".join(word for word in words if word != "<image>")
