"""Nothing that the matcher reads changes without a new version: `digests.json` ties what it reads
to the version.

A change that is meant to change a letter or a rule raises MATCHER_VERSION and adds the new
version's digests.
"""

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple
from pathlib import Path

import pytest
from lines import COLOURS, MENTIONS, NAMES, NINE, SHIFTED
from phrasings import phrasings
from real_answers import SHARED, real_choices

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.scoring.mcq import MATCHER_VERSION, cues, extract_choice
from spiqa_tasks.scoring.mcq.cues import KIND_OF, KIND_OF_WORD
from spiqa_tasks.scoring.mcq.forms import FORMS, PIECES, Line, settle
from spiqa_tasks.scoring.mcq.stance import stances
from spiqa_tasks.scoring.mcq.tokens import _CERTAIN
from spiqa_tasks.scoring.mcq.words import LANGUAGES

pytestmark = SHARED
HERE = Path(__file__).parent
DIGESTS = json.loads((HERE / "digests.json").read_text())
PHRASES = [
    line.replace("\\n", "\n")
    for line in (HERE / "phrases.txt").read_text(encoding="utf-8").splitlines()
]
"""Phrases of our own: in nearly every one another cue decides, and each form has its examples."""


def digest(rows: Iterable[object]) -> str:
    """Return 16 hexadecimal digits of the hash of some results."""
    return hashlib.sha256(json.dumps(list(rows)).encode()).hexdigest()[:16]


def read(answers: Iterable[tuple[str, Mapping[str, str]]]) -> Iterator[tuple[str | None, str]]:
    """Yield the letter and the rule of each answer."""
    for response, choices in answers:
        yield astuple(extract_choice(response, choices))


def tables() -> Iterator[object]:
    """Yield every cue with its kind, and every form and piece of one."""
    yield from ((cue, NAMES[kind]) for cue, kind in sorted(KIND_OF.items()))
    for table in (PIECES, *FORMS.values()):
        yield [" ".join(form.split()) for form in table.values()]


def claims() -> Iterator[object]:
    """Yield the claims in random lines of kinds, which match every form."""
    draw = random.Random(0)
    names = sorted(NAMES, key=lambda kind: NAMES[kind])
    for _ in range(20_000):
        found = "".join(draw.choices(names, k=draw.randint(1, 9)))
        line = Line(
            found, ["AB"[place % 2] if kind in MENTIONS else "" for place, kind in enumerate(found)]
        )
        openings = line.opening("alone"), line.opening("lead")
        spans = [
            (claim.level, claim.start, claim.end, claim.of_text)
            for claim in (*line.claims, *openings)
            if claim
        ]
        yield (
            spans,
            sorted(settle(line.claims, line)),
            [(sorted(said.letters), said.strength, said.by) for said in stances(line)],
        )


def demo() -> Iterator[object]:
    """Yield the reading of every phrasing of the answers to the demo's questions."""
    for benchmark in ("mmstar", "scifibench"):
        for row in load_rows(benchmark, "demo", "ablation=text"):
            choices = dict(zip(row["letters"], row["options"], strict=True))
            stated = phrasings(row["answer"], choices[row["answer"]], row["letters"])
            yield from read((response, choices) for _, response in stated)


READ = {
    "tables": tables,
    "claims": claims,
    "phrases": lambda: read(
        (phrase, choices) for choices in (COLOURS, NINE, SHIFTED) for phrase in PHRASES
    ),
    "demo": demo,
}


def assert_unchanged(what: str, rows: Iterable[object]) -> None:
    """Compare with the digest that is tied to the version."""
    assert DIGESTS.get(MATCHER_VERSION, {}).get(what) == digest(rows), (
        "raise MATCHER_VERSION, and add to digests.json"
    )


@pytest.mark.parametrize("what", READ)
def test_what_is_read_belongs_to_the_version(what: str) -> None:
    """The tables, the claims in any line, and the letters and rules of our phrases and of the
    demo's answers.
    """
    assert_unchanged(what, READ[what]())


@pytest.mark.parametrize("name", ["answers", "free_form"])
def test_the_letters_of_real_answers_belong_to_the_version(real_data: Path, name: str) -> None:
    """The letters and rules of the answers that models gave."""
    assert_unchanged(name, (astuple(choice) for _, choice in real_choices(real_data, name)))


def test_every_example_of_a_form_is_among_the_phrases() -> None:
    """With a sentence before it where the form stands anywhere in a line (see test_forms)."""
    examples = {
        example
        for forms in FORMS.values()
        for examples in forms
        for example in examples.split("; ")
    }
    assert examples - {phrase.removeprefix("It rains. ") for phrase in PHRASES} == set()


def test_nearly_every_english_cue_decides_a_phrase(monkeypatch: pytest.MonkeyPatch) -> None:
    """For all but 4% there is a phrase that is read otherwise where the cue is of another kind."""
    undecided = []
    english = dict(cues.cues_of(LANGUAGES["en"]))
    for cue, kind in english.items():
        spoken = [(phrase, COLOURS) for phrase in PHRASES if cue in phrase.lower()]
        before = list(read(spoken))
        with monkeypatch.context() as patch:
            for table in (KIND_OF, KIND_OF_WORD, _CERTAIN):
                if cue in table:
                    patch.setitem(table, cue, cues.GOOD if kind == cues.OTHER else cues.OTHER)
            undecided += [cue] if before == list(read(spoken)) else []
    assert len(undecided) <= 0.04 * len(english), undecided
