"""In what two runs are known to differ, apart from the rule by which their answers were read."""

from collections.abc import Sequence
from itertools import zip_longest

from spiqa_tasks.runs.identity import ablated, model_arguments
from spiqa_tasks.runs.readers import lmms_eval
from spiqa_tasks.runs.run import Run

_SHOWN = 60
"""Characters of a prompt that are quoted."""
_OF_QUESTIONS = ("data", "grey", "ablated")
"""Signature fields that change what a model is asked."""


def differing(a: Run, b: Run, common: Sequence[str]) -> list[str]:
    """Return `name: value and value` of each condition that both runs tell, and that is another one.

    The prompts are compared as texts, on the common questions, where both runs logged them, else by their hash; that
    they differ goes without saying where the questions' settings do.
    """
    ours, theirs = _conditions(a), _conditions(b)
    found: dict[str, list[str]] = {}
    for source in (source for source in ours if source in theirs):
        names = dict.fromkeys((*ours[source], *theirs[source]))
        values = {name: [told[source].get(name) or "none" for told in (ours, theirs)] for name in names}
        found[source] = [f"{name}: {one} and {two}" for name, (one, two) in values.items() if one != two]
    wordings = [] if found.get("questions") else _wordings(a, b, common)
    return [*(each for of_source in found.values() for each in of_source), *wordings]


def _conditions(run: Run) -> dict[str, dict[str, str]]:
    """Return source -> name -> value, without the sources that say nothing of a run."""
    found: dict[str, dict[str, str]] = {}
    if run.is_own:
        settings = model_arguments(run.signature.settings)
        hidden = {*run.own.entry.scoring, "prompt"}
        found["questions"] = {name: value for name, value in settings.items() if name not in hidden}
        found["questions"] |= {name: getattr(run.signature, name) for name in _OF_QUESTIONS}
    if run.form == lmms_eval.FORM:
        model, _, arguments = run.identity.model.partition(",")
        found["model"] = {"model": model} | model_arguments(arguments)
        marked = ablated(run.identity).get("ablated", "")  # with its seed; the signature of our tasks has it, too
        found["model"] |= {"ablated": "" if run.is_own else marked, "seed": "" if marked else run.identity.seed}
        found["generation"] = {name: str(value) for name, value in (run.config.get("generation_kwargs") or {}).items()}
        found["host"] = {"shots": str(run.config.get("num_fewshot") or 0), **run.host}
    return found


def _wordings(a: Run, b: Run, common: Sequence[str]) -> list[str]:
    """Return that the prompts differ, with what follows the shared beginning of the first that do."""
    if not a.form == b.form == lmms_eval.FORM:
        hashes = [run.signature.prompt for run in (a, b)]
        return [f"prompt (hash): {' and '.join(hashes)}"] if all(hashes) and len(set(hashes)) > 1 else []
    asked = [[run.by_id[key].question for run in (a, b)] for key in common if key in a.by_id and key in b.by_id]
    plain = [[" ".join(word for word in text.split() if word != "<image>") for text in texts] for texts in asked]
    others = [texts for texts in plain if len(set(texts)) > 1]
    if not others:
        return []
    shared = next(place for place, pair in enumerate(zip_longest(*others[0])) if len(set(pair)) > 1)
    one, two = (repr(text[max(0, shared - _SHOWN // 3) :][:_SHOWN]) for text in others[0])
    return [f"prompt's wording ({len(others)} of {len(plain)} questions): {one} and {two}"]
