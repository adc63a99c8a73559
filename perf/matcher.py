"""The choice matcher beside the extractors of the hosts, on real answers with the letter that they state.

    python perf/matcher.py [--runs 5]

The answers are `mcq/answers.jsonl` of SPIQA_TASKS_TEST_DATA: {model, response, choices, letter, certain} lines. Hits
and wrong letters are over the answers whose letter is certain; speed is over the answers of gpt-4o, one after another.
An extractor whose package is not installed is left out, and named. VLMEvalKit's is loaded from its one file.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from measure import REAL_DATA, arguments, growth, paired, ratio, show, spread, table

from spiqa_tasks.scoring.mcq import extract_choice

CHOICES = {"A": "a bar chart", "B": "a line plot", "C": "a table", "D": "a photograph"}
TEXT = (
    "The figure shows accuracy over time, so a table is unlikely; option A would need bars. Two lines cross near epoch "
    "ten, and the legend names both of them. Therefore the correct answer is (B) a line plot.\n\n"
)
Extractor = Callable[[str, Mapping[str, str]], str | None]


def ours(response: str, choices: Mapping[str, str]) -> str | None:
    """Return the letter that this package finds."""
    return extract_choice(response, choices).letter


def lmms_eval() -> Extractor:
    """Return the parser that the host uses for MMMU and others; it draws at random where it finds nothing."""
    from lmms_eval.tasks.mmmu.utils import parse_multi_choice_response

    def extract(response: str, choices: Mapping[str, str]) -> str | None:
        return str(parse_multi_choice_response(response, list(choices), dict(choices)))

    return extract


def vlmevalkit() -> Extractor:
    """Return `can_infer`, by which VLMEvalKit matches before it asks a judge."""
    package = importlib.util.find_spec("vlmeval")
    if package is None or package.origin is None:
        raise ImportError("No module named 'vlmeval'")
    path = Path(package.origin).parent / "utils" / "matching_util.py"
    spec = importlib.util.spec_from_file_location("vlmeval_matching", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    log = ModuleType("vlmeval.smp.log")
    log.get_logger = logging.getLogger  # type: ignore[attr-defined]
    module = importlib.util.module_from_spec(spec)
    stand_ins = {"vlmeval": ModuleType("vlmeval"), "vlmeval.smp": ModuleType("vlmeval.smp"), log.__name__: log}
    with patch.dict(sys.modules, stand_ins):  # all that the file needs; the package itself imports every model
        spec.loader.exec_module(module)

    def extract(response: str, choices: Mapping[str, str]) -> str | None:
        return module.can_infer(response, dict(choices)) or None

    return extract


def main() -> None:
    """Print the section: hits, wrong letters and speed of each extractor, and ours on longer answers."""
    options = arguments(__doc__, runs=5)
    lines = (REAL_DATA / "mcq" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line) for line in lines]
    certain = [answer for answer in answers if answer["certain"]]
    timed = [(answer["response"], answer["choices"]) for answer in answers if answer["model"].startswith("gpt-4o")]
    extractors: dict[str, Extractor] = {"spiqa-tasks": ours}
    left_out = []
    for name, load in (("lmms-eval, MMMU parser", lmms_eval), ("VLMEvalKit, `can_infer`", vlmevalkit)):
        try:
            extractors[name] = load()
        except ImportError as error:
            left_out.append(f"{name} is left out: {error}.")
    ways = {name: partial(_seconds, extract, timed) for name, extract in extractors.items()}
    found = paired(ways, options.runs)
    rows = [
        [name, *_shares(extract, certain), spread([1e6 * seconds / len(timed) for seconds in found[name]], "us"),
         ratio(found["spiqa-tasks"], found[name])]
        for name, extract in extractors.items()
    ]  # fmt: skip
    show(
        "Letters",
        f"The choice matcher against the hosts' extractors: hits on {len(certain):,} real answers whose letter is "
        f"certain, processor time on {len(timed):,} answers of gpt-4o. Then ours on one answer, and on the same text "
        "repeated.",
        table(["extractor", "found", "wrong", "none", "time an answer", "speed as a ratio to ours"], rows),
        growth("characters", len(TEXT), _long, options.runs),
        *left_out,
    )


def _long(characters: int) -> float:
    """Seconds of our matcher on an answer of so many characters."""
    return _seconds(ours, [(TEXT * (characters // len(TEXT)), CHOICES)] * 20) / 20


def _shares(extract: Extractor, answers: list[dict[str, Any]]) -> list[str]:
    letters = [(extract(answer["response"], answer["choices"]), answer["letter"]) for answer in answers]
    right = sum(found == letter for found, letter in letters)
    none = sum(found is None for found, _ in letters)
    return [f"{100 * count / len(letters):.2f}%" for count in (right, len(letters) - right - none, none)]


def _seconds(extract: Extractor, pairs: Sequence[tuple[str, Mapping[str, str]]]) -> float:
    start = time.process_time()
    for response, choices in pairs:
        extract(response, choices)
    return time.process_time() - start


if __name__ == "__main__":
    main()
