"""`--model ablated --model_args base=<model>,ablation=<kind>,...`: any model without pictures.

The wrapped model is an instance of a subclass of the base model's class, made at run time: rank,
device, accelerator, caches, system prompt and all other arguments are the base's; only its
requests are changed. The ablation is among the model's arguments, so the host's response cache and
result files distinguish it.
"""

import copy
import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from lmms_eval.api.instance import GenerationResult, Instance
from lmms_eval.api.model import lmms
from lmms_eval.utils import simple_parse_args_string

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import unknown_name
from spiqa_tasks.hosts.lmms_eval.registration import ABLATED, exit_with_message, wrapped_names
from spiqa_tasks.models.ablation import (
    KINDS,
    Messages,
    ablated_messages,
    ablated_visuals,
    without_placeholders,
)
from spiqa_tasks.models.baselines import Baseline
from spiqa_tasks.models.option_probes import PROBES, ShownOptions, shown_options, with_options
from spiqa_tasks.models.shots import Shots, ended, true_answer, with_shots

_EXAMPLE = "Use it as --model ablated --model_args base=qwen2_5_vl,ablation=grey,pretrained=..."


class WithChangedRequests(lmms):  # type: ignore[misc]
    """Mixin of wrapped models: changes requests before the base answers them."""

    ablation: str
    ablation_seed: int
    shots: Shots | None = None
    options: str = ""

    def generate_until(self, requests: list[Instance]) -> list[Any]:
        """Answer changed requests. Raises SystemExit: they cannot be changed so."""
        with exit_with_message():
            options = [self._shown_options(request) for request in requests]
            changed = [self._changed(*pair) for pair in zip(requests, options, strict=True)]

        answers = super().generate_until(changed)
        return [
            self._mapped_back(*answered)
            for answered in zip(answers, requests, options, strict=True)
        ]

    def loglikelihood(self, requests: list[Instance]) -> list[Any]:  # noqa: ARG002
        """Raise SystemExit, as do the host's other kinds of requests, which would show pictures."""
        raise SystemExit(
            "spiqa-tasks: Expected a task that generates text in one round for --model ablated."
        )

    generate_until_multi_round = generate_visual_cot = loglikelihood

    def _shown_options(self, request: Instance) -> ShownOptions | None:
        """Return the options that a request shows, or None without a probe."""
        if not self.options:
            return None
        prompt = str(request.args[0])
        answer = partial(true_answer, request)
        return shown_options(prompt, self.options, self.ablation_seed, answer)

    def _changed(self, request: Instance, options: ShownOptions | None) -> Instance:
        """Return a request with other pictures, other options, and shots.

        Its arguments: (context, messages hook, ...) for chat models, (context, settings, visuals
        hook, ...) for simple ones.
        """
        new = copy.copy(request)
        context, *others = request.args
        if self.ablation == "text":
            context = without_placeholders(context)
        if options is not None:
            context = options.rewritten(context)

        before = "" if self.shots is None else self.shots.text(request)
        if self.shots is not None:
            context = before + ended(context)

        if not self.is_simple:
            change = partial(self._changed_messages, options=options, before=before)
            others[0] = _with_result(others[0], change)
        elif self.ablation:
            others[1] = _with_result(others[1], partial(ablated_visuals, kind=self.ablation))
        new.arguments = (context, *others)
        return new

    def _changed_messages(
        self, messages: Messages, options: ShownOptions | None, before: str
    ) -> Messages:
        """Return the messages of a question as the base is to be shown them."""
        if self.ablation:
            messages = ablated_messages(messages, self.ablation)
        if options is not None:
            messages = with_options(messages, options)
        if self.shots is not None:
            messages = with_shots(messages, before)
        return messages

    def _mapped_back(self, answer: Any, request: Instance, options: ShownOptions | None) -> Any:
        """Return an answer as the base would have given it to the task's own request."""
        has_counts = isinstance(answer, GenerationResult)
        text = answer.text if has_counts else answer
        if options is not None:
            text = options.mapped_back(text)
        if self.shots is not None:
            text = self.shots.mapped_back(text, request)
        return replace(answer, text=text) if has_counts else text


class Ablated(lmms):  # type: ignore[misc]
    """Factory of wrapped models: registered as a chat model, returns what its base is."""

    is_simple = False

    @classmethod
    @exit_with_message()
    def create_from_arg_string(
        cls, arg_string: str, additional_config: dict[str, Any] | None = None
    ) -> Any:
        """Return the wrapped model.

        `arg_string` has `base`, `ablation`, `options` (a probe; without an ablation the pictures
        stay), `seed` (default 0; also passed to a base with such an argument), `shots` and
        `shots_split` for `ablation=text`; everything else goes to the base. Raises SystemExit: a
        missing or unknown base, ablation or probe, or unusable shots.
        """
        arguments = simple_parse_args_string(arg_string)
        base = _base_class(arguments.pop("base", ""), cls.is_simple)
        ablation, options = _kinds(arguments.pop("ablation", ""), arguments.pop("options", ""))
        seed = arguments.get("seed", 0)
        shots = _shots(
            arguments.pop("shots", None), arguments.pop("shots_split", None), ablation, seed
        )
        if "seed" not in inspect.signature(base).parameters:
            arguments.pop("seed", None)

        fields = {
            "ablation": ablation,
            "ablation_seed": seed,
            "shots": shots,
            "options": options,
            "__module__": __name__,
        }
        wrapped = type(f"Ablated{base.__name__}", (WithChangedRequests, base), fields)
        more = {key: value for key, value in (additional_config or {}).items() if value is not None}
        return wrapped(**arguments, **more)


class AblatedSimple(Ablated):
    """The factory for `--force_simple`."""

    is_simple = True


def _with_result(hook: Any, change: Callable[[Any], Any]) -> Any:
    """Return a hook of the task whose result is changed. It raises SystemExit: it cannot be."""

    @exit_with_message()
    @wraps(hook)
    def changed(*args: Any, **kwargs: Any) -> Any:
        return change(hook(*args, **kwargs))

    return changed


def _base_class(name: Any, is_simple: bool) -> Any:
    """Return the class of the base model, whose name the host is told."""
    from lmms_eval import models

    names = {*models.MODEL_REGISTRY_V2.list_model_names()} - {ABLATED}
    if name not in names:
        raise unknown_name("a base model of lmms-eval", str(name), names, _EXAMPLE)
    base = models.get_model(name, is_simple)
    if issubclass(base, Baseline):
        raise InputError(
            f"{name} reads the question's document, which --model ablated does not change. "
            "Run it on a _text or _grey task, or name another base."
        )
    wrapped_names[ABLATED] = name
    return base


def _kinds(ablation: Any, options: Any) -> tuple[str, str]:
    """Return the ablation of pictures and the probe of options; one of them may be ''."""
    if options and options not in PROBES:
        raise InputError(f"Expected options to be one of {', '.join(PROBES)}; found {options!r}.")
    if ablation not in KINDS and (ablation or not options):
        raise InputError(
            f"Expected ablation to be one of {', '.join(KINDS)}; found {ablation!r}. {_EXAMPLE}"
        )
    return ablation, options


def _shots(count: Any, split: Any, ablation: str, seed: int) -> Shots | None:
    """Return the solved examples before each question, or None.

    Raises InputError: half of what they need, or with pictures.
    """
    if count is None and split is None:
        return None
    if not isinstance(count, int) or count < 1 or split is None or ablation != "text":
        raise InputError(
            "Expected shots=2,shots_split=validation or the like with ablation=text; "
            f"found shots={count}, shots_split={split}, ablation={ablation}."
        )
    return Shots(count, str(split), seed)
