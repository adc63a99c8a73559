"""`--model ablated --model_args base=<model>,ablation=<kind>,...`: any model of the host with replaced pictures.

The wrapped model is an instance of a subclass of the base model's class, made at run time: rank, device, accelerator,
caches, system prompt and all other arguments are the base's; only the pictures of its requests are replaced. The
ablation is among the model's arguments, so the host's response cache and result files distinguish it.
"""

import copy
import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from lmms_eval.utils import simple_parse_args_string

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import ABLATED, ending_the_run, one_sentence, wrapped_names
from spiqa_tasks.models.ablation_hooks import ablated_messages, ablated_rounds, ablated_visuals, without_placeholders
from spiqa_tasks.models.option_probes import PROBES, Shown, shown_options, with_options
from spiqa_tasks.models.picture_ablation import KINDS, UNCHANGED, NumberedDocs, Replacement
from spiqa_tasks.models.shots import EXAMPLE as SHOTS_EXAMPLE
from spiqa_tasks.models.shots import Shots, ended, true_answer, with_shots

_EXAMPLE = "--model ablated --model_args base=qwen2_5_vl,ablation=grey,pretrained=..."


class WithOtherPictures(lmms):  # type: ignore[misc]
    """Mixin of wrapped models: replaces the pictures of requests before the base answers them."""

    ablation: str
    ablation_seed: int
    shots: Shots | None = None
    options: str = ""

    def generate_until(self, requests: list[Instance]) -> list[Any]:
        """Answer as the base does."""
        return self._answers(super().generate_until, requests, takes_shots=True)

    def generate_until_multi_round(self, requests: list[Instance]) -> list[Any]:
        """Answer as the base does."""
        return self._answers(super().generate_until_multi_round, requests)

    def generate_visual_cot(self, requests: list[Instance]) -> list[Any]:
        """Answer as the base does."""
        return self._answers(super().generate_visual_cot, requests)

    def loglikelihood(self, requests: list[Instance]) -> list[Any]:
        """Answer as the base does."""
        return self._answers(super().loglikelihood, requests)

    def _answers(
        self, answer: Callable[[list[Instance]], list[Any]], requests: list[Instance], takes_shots: bool = False
    ) -> list[Any]:
        """Return the base's answers to copies of the requests with replaced pictures, and shots if any.

        Raises:
            SystemExit: shots for requests that cannot have them, or options that cannot be found.
        """
        with one_sentence():
            is_ours = bool(requests) and all(map(_is_ablated, requests))
            if (self.shots is not None or self.options) and not takes_shots and not is_ours:
                raise InputError(
                    "Expected a task that generates text in one round for shots or options; leave them out."
                )
            shown = [self._shown(request) for request in requests]
            ablated = [self._ablated(request, options) for request, options in zip(requests, shown, strict=True)]
        answers = answer(ablated)
        if self.options:
            answers = [
                each if options is None else options.own_answer(each)
                for each, options in zip(answers, shown, strict=True)
            ]
        if self.shots is None:
            return answers
        return [
            each if _is_ablated(request) else self.shots.own_answer(each, request)
            for each, request in zip(answers, requests, strict=True)
        ]

    def _shown(self, request: Instance) -> Shown | None:
        """Return the options that a request shows, or None without a probe, or if the request has them already."""
        if not self.options or _is_ablated(request):
            return None
        answer = functools.partial(true_answer, request)
        return shown_options(str(request.args[0]), self.options, self.ablation_seed, answer)

    def _ablated(self, request: Instance, shown: Shown | None) -> Instance:
        """Return a request whose hooks show other pictures, other options, and shots.

        Its arguments: (context, messages hook, ...) for chat models; (context, ..., visuals hook, [rounds hook], ...)
        for simple ones.
        """
        args = list(request.args)
        position = 2 if self.is_simple else 1
        if len(args) > position and callable(args[position]):
            *_, task, split = args
            replace = self._replacement(task, split)
            if replace.removes and isinstance(args[0], str):
                args[0] = without_placeholders(args[0])
            if self.is_simple and callable(args[3]):
                args[3] = _once(ablated_rounds, args[3], args[2], replace)
            args[position] = _once(ablated_visuals if self.is_simple else ablated_messages, args[position], replace)
        if shown is not None:
            if not self.is_simple:
                args[1] = _once(with_options, args[1], shown, again=True)
            args[0] = shown.rewritten(args[0])
        if self.shots is not None and not _is_ablated(request):
            before = self.shots.text(request)
            if not self.is_simple:
                args[1] = ending_the_run()(with_shots(args[1], before))
            args[0] = before + ended(args[0])
        new = copy.copy(request)
        new.arguments = tuple(args)
        return new

    def _replacement(self, task: str, split: str) -> Replacement:
        if self.ablation != "shuffled":
            return Replacement(self.ablation, self.ablation_seed)
        docs = self.task_dict[task][split]
        if not isinstance(docs, NumberedDocs):
            docs = NumberedDocs(docs, f"{self.ablation_seed}/{task}/{split}")
            self.task_dict[task] = {**self.task_dict[task], split: docs}
        return Replacement(self.ablation, docs=docs)


def _once(wrap: Callable[..., Any], hook: Any, *rest: Any, again: bool = False) -> Any:
    """Return the hook wrapped and marked, or itself if it is marked: a base may pass on hooks beside raw ones."""
    if hasattr(hook, "is_ablated") and not again:
        return hook
    marked: Any = ending_the_run()(wrap(hook, *rest))
    marked.is_ablated = True
    return marked


def _is_ablated(request: Instance) -> bool:
    """Return whether the base passes on a request of ours."""
    return any(hasattr(argument, "is_ablated") for argument in request.args)


class Ablated(lmms):  # type: ignore[misc]
    """Factory of wrapped models: registered as a chat model, it returns a chat or simple one like its base."""

    is_simple = False

    @classmethod
    @ending_the_run()
    def create_from_arg_string(cls, arg_string: str, additional_config: dict[str, Any] | None = None) -> Any:
        """Return the wrapped model.

        Args:
            arg_string: `base`, `ablation`, `options` (a probe; without an ablation the pictures stay), `seed` (default
                0; also passed to a base with such an argument), `shots` and `shots_split` for `ablation=text`;
                everything else goes to the base.
            additional_config: batch size and device, for the base.

        Raises:
            SystemExit: a missing or unknown base, ablation or probe, or unusable shots.
        """
        arguments = simple_parse_args_string(arg_string)
        name, ablation = arguments.pop("base", None), arguments.pop("ablation", None)
        options = arguments.pop("options", None)
        base = _base_class(name, force_simple=cls.is_simple)
        if options not in (None, *PROBES):
            raise InputError(f"Expected options to be one of {', '.join(PROBES)}; found {options!r}.")
        ablation = UNCHANGED if ablation is None and options is not None else ablation
        if ablation not in (*KINDS, *([UNCHANGED] if options else [])):
            raise InputError(f"Expected ablation to be one of {', '.join(KINDS)}; found {ablation!r}. {_EXAMPLE}")
        seed = arguments.get("seed", 0)
        if not isinstance(seed, int):
            raise InputError(f"Expected seed to be a whole number; found {seed!r}. {_EXAMPLE}")
        shots = _shots(arguments.pop("shots", None), arguments.pop("shots_split", None), ablation, seed)
        if not _takes_seed(base):
            arguments.pop("seed", None)
        wrapped_names[ABLATED] = name
        fields = {"ablation": ablation, "ablation_seed": seed, "shots": shots, "options": options or ""}
        wrapped = type(f"Ablated{base.__name__}", (WithOtherPictures, base), {**fields, "__module__": __name__})
        config = {key: value for key, value in (additional_config or {}).items() if value is not None}
        return wrapped(**arguments, **config)


class AblatedSimple(Ablated):
    """The factory for `--force_simple`."""

    is_simple = True


def _shots(count: Any, split: Any, ablation: str, seed: int) -> Shots | None:
    """Return the shots of the model's arguments, or None."""
    if count is None and split is None:
        return None
    if not isinstance(count, int) or count < 1 or split is None or ablation != "text":
        raise InputError(
            f"Expected {SHOTS_EXAMPLE} with ablation=text, a number of shots and the split that they are from; found "
            f"shots={count}, shots_split={split}, ablation={ablation}."
        )
    return Shots(count, str(split), seed)


def _takes_seed(base: type) -> bool:
    constructors = [vars(parent)["__init__"] for parent in base.__mro__ if "__init__" in vars(parent)]
    return any("seed" in inspect.signature(constructor).parameters for constructor in constructors[:-1])


def _base_class(name: Any, force_simple: bool) -> Any:
    from lmms_eval import models

    names = [known for known in models.MODEL_REGISTRY_V2.list_model_names() if known != ABLATED]
    if name not in names:
        near = difflib.get_close_matches(str(name), names, n=3)
        raise InputError(
            f"Expected base to name a model of lmms-eval; found {name!r}. "
            + (f"Nearest: {', '.join(near)}. " if near else "")
            + f"Use it as {_EXAMPLE}"
        )
    return models.get_model(name, force_simple)
