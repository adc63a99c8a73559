"""The model, ablation and seed of a run."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spiqa_tasks.hosts.lmms_eval.registration import ABLATED

# Arguments that say where and how fast a model runs, not which it is.
_PLACE = ("api_key", "base_url", "device", "device_map")
_SPEED = ("batch_size", "max_retries", "num_concurrent", "num_cpus", "retry_backoff_s", "timeout")
SHOTS = ",shots="
"""Suffix of the ablation of a few-shot run, before its `shots` argument."""
_RUNNING = frozenset({*_PLACE, *_SPEED, "seed"})


@dataclass(frozen=True)
class Identity:
    """A run's model.

    Attributes:
        model: the model with its arguments, those left out that say where and how fast it runs.
        ablation: what `--model ablated` does to its pictures, with the shots before its questions; or `none`.
        seed: as given in the arguments, or "".
    """

    model: str
    ablation: str = "none"
    seed: str = ""

    @property
    def label(self) -> str:
        """The identity for people; ablation and seed where there are any."""
        extra = [] if self.ablation == "none" else [f"ablation={self.ablation}"]
        return ",".join([self.model, *extra, *([f"seed={self.seed}"] if self.seed else [])])


def ablated(who: Identity) -> dict[str, str]:
    """Return the field of signatures that says what `--model ablated` did to the questions, where it ran."""
    if who.ablation == "none":
        return {}
    return {"ablated": ",".join([who.ablation, *([f"seed={who.seed}"] if who.seed else [])])}


def identity(model: str, arguments: str) -> Identity:
    """Return the identity of a run.

    Args:
        model: as given to `--model`.
        arguments: as given to `--model_args`.
    """
    given = model_arguments(arguments)
    seed = given.get("seed", "")
    ablation = "none"
    if model == ABLATED:
        model, ablation = given.pop("base", "?"), given.pop("ablation", "?")
        shots, split = given.pop("shots", ""), given.pop("shots_split", "")
        ablation += f"{SHOTS}{shots},shots_split={split}" if shots else ""
    told = [f"{key}={given[key]}" for key in sorted(given) if key not in _RUNNING]
    return Identity(",".join([model, *told]), ablation, seed)


def model_of(who: Identity) -> tuple[str, str]:
    """Return `--model` and `--model_args` of which `identity` makes an identity."""
    model, _, arguments = who.model.partition(",")
    if who.ablation != "none":
        arguments = ",".join(filter(None, [f"base={model},ablation={who.ablation}", arguments]))
        model = ABLATED
    arguments = ",".join(filter(None, [arguments, f"seed={who.seed}" if who.seed else ""]))
    return (model, arguments) if identity(model, arguments) == who else (who.label, "")


def model_arguments(text: str) -> dict[str, str]:
    """Return `key=value,...` of `--model_args`; a comma that no key follows is part of a value."""
    pairs = (part.partition("=") for part in re.split(r",(?=\w+=)", text.strip()) if part)
    return {key: value for key, _, value in pairs}
