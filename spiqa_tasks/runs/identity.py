"""What a run's model is called: by the host, in signatures, in tables."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from spiqa_tasks.hosts.lmms_eval.registration import ABLATED
from spiqa_tasks.hosts.lmms_eval_files import model_arguments

# A checkpoint in the hub's cache: its folder is called after a commit.
_CACHED = re.compile(r"models--(?:[^/]*--)?([^/]+)/snapshots/[^/]+")

# Arguments that say where and how fast a model runs, not which it is.
_RUNNING = frozenset(
    {
        "base_url",
        "batch_size",
        "cpu_offload_gb",
        "data_parallel_size",
        "device",
        "device_map",
        "disable_log_stats",
        "enforce_eager",
        "gpu_memory_utilization",
        "max_num_batched_tokens",
        "max_num_seqs",
        "max_retries",
        "num_concurrent",
        "num_cpus",
        "num_gpus",
        "pipeline_parallel_size",
        "retry_backoff_s",
        "seed",
        "swap_space",
        "tensor_parallel_size",
        "threads",
        "timeout",
    }
)

# Arguments that are shown nowhere: `api_key`, `hf_token`, but not `max_new_tokens`.
_SECRET = re.compile(r"(?:\w+_)?(?:key|token|secret|password)", re.IGNORECASE)

# Part of the ablation of a run with changed options, alone or after that of the pictures.
OPTIONS = "options="

# Suffix of the ablation of a few-shot run, before its `shots` argument.
SHOTS = ",shots="


@dataclass(frozen=True)
class Identity:
    """A run's model with its arguments, less those that say where and how fast it runs.

    `ablation` is how `--model ablated` changes pictures, options and shots, or `none`; `name` is
    the report's, or "".
    """

    model: str
    ablation: str = "none"
    seed: str = ""
    name: str = field(default="", compare=False)

    @property
    def label(self) -> str:
        """The identity for people."""
        parts = [self.name or self.model]
        if self.ablation != "none":
            parts.append(f"ablation={self.ablation}")
        if self.seed:
            parts.append(f"seed={self.seed}")
        return ",".join(parts)

    @property
    def signature_fields(self) -> dict[str, str]:
        """The fields of signatures that name the model, and what changed its questions."""
        fields = {"model": self.model}
        if self.ablation != "none":
            seed = f"seed={self.seed}" if self.seed else ""
            fields["model_wrapper"] = _joined(self.ablation, seed)
        return fields


def identity(model: str, arguments: str) -> Identity:
    """Return the identity of a run with these `--model` and `--model_args`."""
    values = model_arguments(arguments)
    seed = values.get("seed", "")
    ablation = "none"
    if model == ABLATED:
        # What the wrapper takes; the other arguments are the model's.
        model = values.pop("base", "?")
        probe = values.pop("options", "")
        # a probe of the options may leave the pictures as they are
        pictures = values.pop("ablation", "" if probe else "?")
        shots = values.pop("shots", "")
        split = values.pop("shots_split", "")

        ablation = _joined(pictures, f"{OPTIONS}{probe}" if probe else "")
        if shots:
            ablation += f"{SHOTS}{shots},shots_split={split}"

    kept = [key for key in sorted(values) if key not in _RUNNING and not _SECRET.fullmatch(key)]
    return Identity(",".join([model, *(f"{key}={values[key]}" for key in kept)]), ablation, seed)


def model_of(who: Identity) -> tuple[str, str]:
    """Return `--model` and `--model_args` of which `identity` makes an identity."""
    model, _, arguments = who.model.partition(",")
    if who.ablation != "none":
        kind = who.ablation if who.ablation.startswith(OPTIONS) else f"ablation={who.ablation}"
        arguments = _joined(f"base={model}", kind, arguments)
        model = ABLATED
    arguments = _joined(arguments, f"seed={who.seed}" if who.seed else "")
    return (model, arguments) if identity(model, arguments) == who else (who.label, "")


def checkpoint(model: str) -> str:
    """Return the checkpoint that a model's arguments name, without its folder; the host's name of
    the model if they name none.
    """
    path, _, text = model.partition(",")
    arguments = model_arguments(text)
    for key in ("pretrained", "model_version", "model", "model_name"):
        if key in arguments:
            path = arguments[key]
            break
    return _CACHED.sub(r"\1", path.rstrip("/")).rpartition("/")[2] or model


def short_name(model: str, models: Iterable[str]) -> str:
    """Return the checkpoint of a model, `gpt-4o` of `openai,model_version=gpt-4o`; the whole model
    if another one of `models` has the same checkpoint.
    """
    name = checkpoint(model)
    is_unique = all(other == model for other in models if checkpoint(other) == name)
    return name if is_unique else model


def _joined(*parts: str) -> str:
    """Return the parts that are not empty, with commas."""
    return ",".join(filter(None, parts))
