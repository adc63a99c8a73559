"""The choice matcher beside the extractors of the hosts, on real answers with the letter that they state.

    python perf/matcher.py ANSWERS [REPEATS]

ANSWERS is a file of {model, response, choices, letter, certain} lines. Hits and wrong letters are over the answers
whose letter is certain; speed is over the answers of gpt-4o, one after another in one process, the best of REPEATS.
An extractor whose package is not installed is left out, and named. VLMEvalKit's is loaded from its one file.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from tabulate import tabulate

from spiqa_tasks.scoring.mcq import extract_choice

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
    """Print hits, wrong letters and speed of each extractor, as ratios to ours."""
    answers = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    certain = [answer for answer in answers if answer["certain"]]
    timed = [answer for answer in answers if answer["model"].startswith("gpt-4o")]
    extractors: dict[str, Extractor] = {"spiqa-tasks": ours}
    for name, load in (("lmms-eval, MMMU parser", lmms_eval), ("VLMEvalKit, can_infer", vlmevalkit)):
        try:
            extractors[name] = load()
        except ImportError as error:
            print(f"{name} is left out: {error}")
    speeds = {name: max(_speed(extract, timed) for _ in range(repeats)) for name, extract in extractors.items()}
    table = [
        [name, *_shares(extract, certain), f"{speeds[name]:,.0f}", f"{speeds[name] / speeds['spiqa-tasks']:.2f}"]
        for name, extract in extractors.items()
    ]
    print(tabulate(table, headers=["extractor", "found", "wrong", "none", "answers/s", "speed"], disable_numparse=True))


def _shares(extract: Extractor, answers: list[dict[str, Any]]) -> list[str]:
    letters = [(extract(answer["response"], answer["choices"]), answer["letter"]) for answer in answers]
    right = sum(found == letter for found, letter in letters)
    none = sum(found is None for found, _ in letters)
    return [f"{100 * count / len(letters):.2f}%" for count in (right, len(letters) - right - none, none)]


def _speed(extract: Extractor, answers: Iterable[Mapping[str, Any]]) -> float:
    pairs = [(answer["response"], answer["choices"]) for answer in answers]
    start = time.process_time()
    for response, choices in pairs:
        extract(response, choices)
    return len(pairs) / (time.process_time() - start)


if __name__ == "__main__":
    main()
