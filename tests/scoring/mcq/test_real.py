"""The matcher on answers that real models gave, and on every phrasing of every option of real questions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from phrasings import BOTH, LETTER, TEXT, phrasings

from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.scoring.mcq import extract_choice


def _outcomes(answers: list[dict[str, Any]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for answer in answers:
        letter = extract_choice(answer["response"], answer["choices"]).letter
        found["none" if letter is None else "right" if letter == answer["letter"] else "wrong"] += 1
    return found


def test_real_answers_are_found_and_never_misread(real_data: Path) -> None:
    """Of the answers whose letter is certain 99.5% are found and 0.2% wrong; of all answers 2% are wrong."""
    path = real_data / "mcq" / "answers.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not on this machine")
    answers = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    certain, debatable = (_outcomes([each for each in answers if each["certain"] is sure]) for sure in (True, False))
    assert certain["right"] >= 0.995 * certain.total()
    assert certain["wrong"] <= 0.002 * certain.total()
    assert (certain + debatable)["wrong"] <= 0.02 * len(answers)


def _demo_options() -> Iterator[dict[str, str]]:
    for benchmark in ("mmstar", "scifibench"):
        for row in load_rows(benchmark, "demo", "ablation=text"):
            yield dict(zip(row["letters"], row["options"], strict=True))


def _real_options(folder: Path) -> Iterator[dict[str, str]]:
    sample = (folder / "mmstar" / "llava_next_34b_sample.jsonl").read_text(encoding="utf-8")
    for line in sample.splitlines():
        yield read_options(json.loads(line)["question"])
    for path in (folder / "scifibench" / "data").glob("*.parquet"):
        for options in pq.read_table(path, columns=["Options"]).column("Options").to_pylist():
            yield dict(zip("ABCDE", (option.partition(")")[2] for option in options), strict=True))


def _stated(options: Mapping[str, str]) -> Counter[str]:
    """How every option is read in every phrasing; texts that stand for more than one option are left out."""
    found: Counter[str] = Counter()
    plain = {letter: text.strip(" .()").lower() for letter, text in options.items()}
    for letter, text in options.items():
        is_own = list(plain.values()).count(plain[letter]) == 1 and plain[letter].upper() not in options
        for kind, response in phrasings(letter, text, list(options)):
            if kind != "text" or is_own:
                got = extract_choice(response, options).letter
                found["none" if got is None else "right" if got == letter else "wrong"] += 1
                assert got in (None, letter), (response, options)
    return found


def test_there_are_enough_phrasings() -> None:
    """Each option is stated in at least 60 phrasings by its letter alone, and in more by its text."""
    assert min(len(set(LETTER)), len({*LETTER, *BOTH, *TEXT})) >= 60


def test_every_option_of_the_demo_is_read_in_every_phrasing() -> None:
    """No phrasing gives another option's letter, and at most 1% give none."""
    found = sum(map(_stated, _demo_options()), Counter())
    assert found["none"] <= 0.01 * found.total()


@pytest.mark.slow
def test_every_option_of_real_questions_is_read_in_every_phrasing(real_data: Path) -> None:
    """The same for the MMStar and SciFIBench questions of the real data."""
    found = sum(map(_stated, _real_options(real_data)), Counter())
    assert found.total() > 100_000
    assert found["none"] <= 0.01 * found.total()
