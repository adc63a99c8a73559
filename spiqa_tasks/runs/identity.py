"""The model, ablation and seed of a run."""

from dataclasses import dataclass, field

from spiqa_tasks.hosts.lmms_eval.registration import ABLATED
from spiqa_tasks.hosts.lmms_eval_files import model_arguments

# Arguments that say where and how fast a model runs, not which it is.
_RUNNING = frozenset(
    {
        "api_key",
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


def sees_no_picture(ablation: str) -> bool:
    """Return whether an ablation removes or replaces the pictures: `text`, `grey`,
    `text,shots=2`.
    """
    return ablation != "none" and not ablation.startswith(OPTIONS)


def has_changed_options(ablation: str) -> bool:
    """Return whether an ablation changes the options: `options=permuted`,
    `grey,options=numbered`.
    """
    return OPTIONS in ablation


def signature_fields(who: Identity) -> dict[str, str]:
    """Return the fields of signatures that name the model, and what changed its questions."""
    fields = {"model": who.model}
    if who.ablation != "none":
        seed = f"seed={who.seed}" if who.seed else ""
        fields["model_wrapper"] = ",".join(filter(None, [who.ablation, seed]))
    return fields


def identity(model: str, arguments: str) -> Identity:
    """Return the identity of a run with these `--model` and `--model_args`."""
    given = model_arguments(arguments)
    seed = given.get("seed", "")
    ablation = "none"
    if model == ABLATED:
        probe = given.pop("options", "")
        model, ablation = given.pop("base", "?"), given.pop("ablation", "" if probe else "?")
        ablation = ",".join(filter(None, [ablation, f"{OPTIONS}{probe}" if probe else ""]))
        shots, split = given.pop("shots", ""), given.pop("shots_split", "")
        ablation += f"{SHOTS}{shots},shots_split={split}" if shots else ""
    told = [f"{key}={given[key]}" for key in sorted(given) if key not in _RUNNING]
    return Identity(",".join([model, *told]), ablation, seed)


def checkpoint(model: str) -> str:
    """Return the checkpoint that a model's arguments name, without its folder; the model if they
    name none.
    """
    given = model_arguments(model.partition(",")[2])
    named = (given[key] for key in ("pretrained", "model_version", "model") if key in given)
    return next(named, model).rstrip("/").rpartition("/")[2] or model


def model_of(who: Identity) -> tuple[str, str]:
    """Return `--model` and `--model_args` of which `identity` makes an identity."""
    model, _, arguments = who.model.partition(",")
    if who.ablation != "none":
        kind = who.ablation if who.ablation.startswith(OPTIONS) else f"ablation={who.ablation}"
        arguments = ",".join(filter(None, [f"base={model},{kind}", arguments]))
        model = ABLATED
    arguments = ",".join(filter(None, [arguments, f"seed={who.seed}" if who.seed else ""]))
    return (model, arguments) if identity(model, arguments) == who else (who.label, "")
