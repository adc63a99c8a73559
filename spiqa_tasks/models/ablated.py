"""`--model ablated --model_args base=<model>,ablation=<kind>,...`: any model of the host with replaced pictures.

The wrapped model is an instance of a subclass of the base model's class, made at run time: rank, device, accelerator,
caches, system prompt and all other arguments are the base's; only the pictures of its requests are replaced. The
ablation is among the model's arguments, so the host's response cache and result files distinguish it.
"""

import copy
import functools
import inspect
from dataclasses import replace
from typing import Any

from lmms_eval.api.instance import GenerationResult, Instance
from lmms_eval.api.model import lmms
from lmms_eval.utils import simple_parse_args_string

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import unknown_name
from spiqa_tasks.hosts.lmms_eval.registration import ABLATED, one_sentence, wrapped_names
from spiqa_tasks.models.ablation_hooks import (
    ablated_messages,
    ablated_visuals,
    without_placeholders,
)
from spiqa_tasks.models.option_probes import PROBES, Shown, shown_options, with_options
from spiqa_tasks.models.picture_ablation import KINDS
from spiqa_tasks.models.shots import Shots, ended, true_answer, with_shots

_EXAMPLE = "--model ablated --model_args base=qwen2_5_vl,ablation=grey,pretrained=..."


class WithOtherPictures(lmms):  # type: ignore[misc]
    """Mixin of wrapped models: replaces the pictures of requests before the base answers them."""

    ablation: str
    ablation_seed: int
    shots: Shots | None = None
    options: str = ""

    def generate_until(self, requests: list[Instance]) -> list[Any]:
        """Answer requests with replaced pictures, other options and shots. Raises SystemExit: they cannot be made."""
        with one_sentence():
            shown = [self._shown(request) for request in requests]
            ablated = [
                self._ablated(request, options)
                for request, options in zip(requests, shown, strict=True)
            ]
        answers = super().generate_until(ablated)
        return [self._own_answer(*each) for each in zip(answers, requests, shown, strict=True)]

    def _own_answer(self, answer: Any, request: Instance, shown: Shown | None) -> Any:
        text = answer.text if isinstance(answer, GenerationResult) else answer
        if shown is not None:
            text = shown.own_answer(text)
        if self.shots is not None:
            text = self.shots.own_answer(text, request)
        return replace(answer, text=text) if isinstance(answer, GenerationResult) else text

    def loglikelihood(self, requests: list[Instance]) -> list[Any]:  # noqa: ARG002
        """Raise SystemExit, as do the host's other kinds of requests: the base would be shown the real pictures."""
        raise SystemExit(
            "spiqa-tasks: Expected a task that generates text in one round for --model ablated."
        )

    generate_until_multi_round = generate_visual_cot = loglikelihood

    def _shown(self, request: Instance) -> Shown | None:
        """Return the options that a request shows, or None without a probe."""
        answer = functools.partial(true_answer, request)
        return (
            shown_options(str(request.args[0]), self.options, self.ablation_seed, answer)
            if self.options
            else None
        )

    def _ablated(self, request: Instance, shown: Shown | None) -> Instance:
        """Return a request whose hooks show other pictures, other options, and shots.

        Its arguments: (context, messages hook, ...) for chat models, (context, settings, visuals hook, ...) for others.
        """
        args = list(request.args)
        if self.ablation == "text":
            args[0] = without_placeholders(args[0])
        if self.ablation and self.is_simple:
            args[2] = one_sentence()(ablated_visuals(args[2], self.ablation))
        elif self.ablation:
            args[1] = ablated_messages(args[1], self.ablation)
        if shown is not None:
            args[0] = shown.rewritten(args[0])
            args[1] = args[1] if self.is_simple else with_options(args[1], shown)
        if self.shots is not None:
            before = self.shots.text(request)
            args[0] = before + ended(args[0])
            args[1] = args[1] if self.is_simple else with_shots(args[1], before)
        if not self.is_simple:
            args[1] = one_sentence()(args[1])
        new = copy.copy(request)
        new.arguments = tuple(args)
        return new


class Ablated(lmms):  # type: ignore[misc]
    """Factory of wrapped models: registered as a chat model, it returns a chat or simple one like its base."""

    is_simple = False

    @classmethod
    @one_sentence()
    def create_from_arg_string(
        cls, arg_string: str, additional_config: dict[str, Any] | None = None
    ) -> Any:
        """Return the wrapped model.

        `arg_string` has `base`, `ablation`, `options` (a probe; without an ablation the pictures stay), `seed` (default
        0; also passed to a base with such an argument), `shots` and `shots_split` for `ablation=text`; everything else
        goes to the base. Raises SystemExit: a missing or unknown base, ablation or probe, or unusable shots.
        """
        from lmms_eval import models

        arguments = simple_parse_args_string(arg_string)
        name, ablation = arguments.pop("base", None), arguments.pop("ablation", "")
        options = arguments.pop("options", None)
        names = [known for known in models.MODEL_REGISTRY_V2.list_model_names() if known != ABLATED]
        if name not in names:
            raise unknown_name(
                "a base model of lmms-eval", str(name), names, f"Use it as {_EXAMPLE}"
            )
        base = models.get_model(name, cls.is_simple)
        if options not in (None, *PROBES):
            raise InputError(
                f"Expected options to be one of {', '.join(PROBES)}; found {options!r}."
            )
        if ablation not in KINDS and (ablation or not options):
            raise InputError(
                f"Expected ablation to be one of {', '.join(KINDS)}; found {ablation!r}. {_EXAMPLE}"
            )
        seed = arguments.get("seed", 0)
        shots = _shots(
            arguments.pop("shots", None), arguments.pop("shots_split", None), ablation, seed
        )
        constructors = [
            vars(parent)["__init__"] for parent in base.__mro__[:-1] if "__init__" in vars(parent)
        ]
        if not any(
            "seed" in inspect.signature(constructor).parameters for constructor in constructors
        ):
            arguments.pop("seed", None)
        wrapped_names[ABLATED] = name
        fields = {
            "ablation": ablation,
            "ablation_seed": seed,
            "shots": shots,
            "options": options or "",
        }
        wrapped = type(
            f"Ablated{base.__name__}", (WithOtherPictures, base), {**fields, "__module__": __name__}
        )
        config = {
            key: value for key, value in (additional_config or {}).items() if value is not None
        }
        return wrapped(**arguments, **config)


class AblatedSimple(Ablated):
    """The factory for `--force_simple`."""

    is_simple = True


def _shots(count: Any, split: Any, ablation: str, seed: int) -> Shots | None:
    if count is None and split is None:
        return None
    if not isinstance(count, int) or count < 1 or split is None or ablation != "text":
        found = f"shots={count}, shots_split={split}, ablation={ablation}"
        raise InputError(
            f"Expected shots=2,shots_split=validation or the like with ablation=text; found {found}."
        )
    return Shots(count, str(split), seed)
