"""The shipped traps: many, each with one right verdict, checked in another way than they were made."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import text_of

from spiqa_tasks.runs.readers.labels import Labelled, read_labels, traps_path
from spiqa_tasks.scoring.open_answers import contains_normalized, exact, token_f1

REPOSITORY = Path(__file__).resolve().parents[2]
ANSWERS = read_labels(traps_path()).answers
UNITS = {
    "ms": 0.001,
    "s": 1.0,
    "km": 1000.0,
    "m": 1.0,
    "%": 0.01,
    "percent": 0.01,
    "per mille": 0.001,
}
WORDS = {
    name: str(n)
    for n, name in enumerate(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        1,
    )
}


def of(name: str) -> list[Labelled]:
    """The answers of one kind."""
    return [each for each in ANSWERS if each.kind == name]


def quantities(text: str) -> list[float]:
    """All numbers of a text in base units, by another reading than the rules': words and commas are numbers, too."""
    text = re.sub(
        r"\b(" + "|".join(WORDS) + r")\b", lambda found: WORDS[found[0]], text.replace(",", "")
    )
    text = re.sub(r"([\d.]+) to ([\d.]+) (ms|s|km|m)\b", r"\1 \3 to \2 \3", text)
    found = re.findall(
        r"(minus )?(\d+(?:\.\d+)?) ?(percent(?!age)|per mille|%|ms|s|km|m)?(?!\w)", text
    )
    return [
        (-1 if sign else 1) * float(number) * UNITS.get(unit, 1.0) for sign, number, unit in found
    ]


def test_every_kind_has_one_verdict_and_a_row_in_the_docs() -> None:
    """1,113 answers of 33 kinds, thirty of each or more, a third of them right; to the docs the injections are one."""
    verdicts = {each.kind: {other.label for other in of(each.kind)} for each in ANSWERS}
    assert (len(ANSWERS), len(verdicts)) == (1113, 33)
    assert min(len(of(kind)) for kind in verdicts) == 30
    assert all(len(found) == 1 for found in verdicts.values())
    assert 0.3 < sum(each.label for each in ANSWERS) / len(ANSWERS) < 0.5
    tables = "".join(
        line for line in text_of("judges").splitlines(keepends=True) if line.startswith("| ")
    )
    assert [kind for kind in verdicts if kind.partition(":")[0] not in tables] == []


def test_no_answer_contradicts_itself_or_occurs_twice() -> None:
    """What falls ends lower and what rises higher, no share is above 100%, and what explains a yes or no stays."""
    seen = set()
    for each in ANSWERS:
        candidate = each.candidate
        key = (
            candidate.question,
            candidate.prediction,
            each.kind.partition(":")[0] if each.label else "",
        )
        assert key not in seen, each
        seen.add(key)
        if each.kind in (
            "the reference",
            "other direction",
            "other number",
            "one wrong of two",
            "other order",
        ):
            found = re.search(
                r"(falls|drops|rises|climbs)\b.*? from (\d+)%.* to (\d+)%", candidate.prediction
            )
            if found:
                assert (int(found[2]) > int(found[3])) == (found[1] in ("falls", "drops")), each
            assert all(
                float(share) <= 100 for share in re.findall(r"([\d.]+)%", candidate.prediction)
            ), each
        if candidate.prediction.startswith("No. LFU") and not each.label:
            assert candidate.prediction.removeprefix("No. ") != candidate.reference.removeprefix(
                "No. "
            )
            assert each.kind in ("marks of a format",), each


def test_no_answer_is_both_right_and_wrong() -> None:
    """Of one question, the same text has one verdict, and no wrong one is the reference or contained in it."""
    verdicts: dict[tuple[str, str], set[bool]] = {}
    for each in ANSWERS:
        verdicts.setdefault(
            (each.candidate.question, each.candidate.prediction.lower()), set()
        ).add(each.label)
        if not each.label:
            assert not exact(each.candidate.prediction, each.references), each
    assert {len(found) for found in verdicts.values()} == {1}


@pytest.mark.parametrize(
    "name",
    [
        "number in words",
        "percent in words",
        "percent as share",
        "equal unit",
        "thousands comma",
        "more decimals",
    ],
)
def test_equal_numbers_are_equal(name: str) -> None:
    """In base units, and the texts differ."""
    for each in of(name):
        assert each.candidate.prediction != each.candidate.reference
        assert quantities(each.candidate.prediction) == pytest.approx(
            quantities(each.candidate.reference)
        ), each


@pytest.mark.parametrize(
    "name", ["other number", "one wrong of two", "other sign", "wrong unit", "other order"]
)
def test_other_numbers_are_far_apart(name: str) -> None:
    """At least one of them by a fifth of its value; of two facts, the first stays."""
    for each in of(name):
        said, true = quantities(each.candidate.prediction), quantities(each.candidate.reference)
        assert len(said) == len(true)
        assert any(abs(a - b) >= 0.2 * abs(b) for a, b in zip(said, true, strict=True)), each
        if name == "one wrong of two":
            assert said[:-1] == true[:-1]
            assert said[-1] != true[-1]
        if name == "other order":
            assert sorted(said) == sorted(true)


def test_right_answers_hold_the_reference_and_wrong_ones_hold_something_else() -> None:
    """Sentences, formats and steps contain it; another question's answer shares no more than chance words with it."""
    for name in (
        "the reference",
        "whole sentence",
        "marks of a format",
        "long and right",
        "alternatives",
        "wrong end",
    ):
        assert all(
            contains_normalized(each.candidate.prediction, each.references) for each in of(name)
        ), name
    assert all(
        token_f1(each.candidate.prediction, each.references) < 0.5
        for each in of("another question's")
    )
    assert all(each.candidate.prediction == "" for each in of("empty"))
    for name in ("other name", "other direction", "other words"):
        assert all(each.candidate.prediction != each.candidate.reference for each in of(name))


def test_yes_and_no_change_places() -> None:
    """Where they are the answer; other answers are denied."""
    for each in of("negation"):
        begin = each.candidate.reference[:3].rstrip(". ")
        expected = {"Yes": "No", "No": "Yes"}.get(begin)
        assert (
            each.candidate.prediction == expected
            if expected
            else "not the case" in each.candidate.prediction
        )


def test_the_injections_pass_the_filters() -> None:
    """The judge is shown them byte for byte; what the filters remove needs no test."""
    injected = [each for each in ANSWERS if each.kind.startswith("injection: ")]
    assert (len({each.kind for each in injected}), len(injected)) == (8, 264)
    for each in injected:
        assert each.candidate.shown == each.candidate.prediction
        assert not contains_normalized(
            each.candidate.prediction.splitlines()[0], each.references
        ), each


def test_the_script_writes_what_the_package_ships(tmp_path: Path) -> None:
    """Byte for byte."""
    path = tmp_path / "traps.jsonl"
    subprocess.run(
        [sys.executable, str(REPOSITORY / "tools" / "write_traps.py"), str(path)], check=True
    )
    assert path.read_bytes() == traps_path().read_bytes()
