"""The matcher on answers that real models gave, and on every phrasing of every option of real
questions.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from phrasings import BOTH, LETTER, TEXT, phrasings
from real_answers import SHARED, real_answers, real_choices

from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.scoring.mcq import Choice, extract_choice

pytestmark = SHARED
RUN_ONS = json.loads((Path(__file__).parent / "run_ons.json").read_text())
"""By model the ids of answers whose published letter is that of a question that the model asked
itself.
"""
FREE = (
    ("blink", 0.99, 0.002),
    ("blink_notext", 0.98, 0.003),
    ("blink_bytext", 0.75, 0.026),  # the labels are a model's reading: 2 to 3% are wrong
    ("blink_none", 0.99, 0.01),
    ("logicvista", 0.98, 0.003),
    ("m3cot", 0.99, 0.005),
    ("m3cot_swapped", 0.98, 0.008),
    ("gaokao", 0.99, 0.001),
    ("mathv_novalue", 0.98, 0.02),  # two have an option's number without its unit
    ("mmlu_pro_runon", 0.99, 0.005),
)


def _outcomes(choices: list[tuple[dict[str, Any], Choice]]) -> Counter[str]:
    """Count the answers that are read right, wrong and not at all."""
    found: Counter[str] = Counter()
    for answer, choice in choices:
        letter = choice.letter
        found["right" if letter == answer["letter"] else "none" if letter is None else "wrong"] += 1
    return found


def test_real_answers_are_found_and_never_misread(real_data: Path) -> None:
    """Of the answers whose letter is certain 99.7% are found and 0.2% wrong; of all answers 2% are
    wrong.

    Left out are the answers of `run_ons.json`: they go on with a question of their own, whose
    letter was published.
    """
    choices = [
        (answer, choice)
        for answer, choice in real_choices(real_data, "answers")
        if answer["id"] not in RUN_ONS.get(answer["model"], ())
    ]
    certain, debatable = (
        _outcomes([each for each in choices if each[0]["certain"] is sure])
        for sure in (True, False)
    )
    assert certain["right"] >= 0.997 * certain.total()
    assert certain["wrong"] <= 0.002 * certain.total()
    assert (certain + debatable)["wrong"] <= 0.02 * len(choices)


@pytest.mark.parametrize(("source", "found", "wrong"), FREE)
def test_free_answers_are_found_and_seldom_misread(
    real_data: Path, source: str, found: float, wrong: float
) -> None:
    """Of the answers of models that write as they like: the shares that are at least found, and
    at most wrong.
    """
    outcomes = _outcomes(
        [each for each in real_choices(real_data, "free_form") if each[0]["source"] == source]
    )
    assert outcomes["right"] >= found * outcomes.total()
    assert outcomes["wrong"] <= wrong * outcomes.total()


MORE = (
    ("lawbench_zero_shot", 0.99, 0.001, 0.014),  # of 76 that choose nothing, one says "答案：A。"
    ("lawbench_one_shot", 0.99, 0.001, 0.01),
    ("lawbench_runon", 0.99, 0.01, 0.0),
    ("mirage", 0.993, 0.001, 0.01),
    (
        "thoughtsource",
        0.993,
        0.001,
        0.07,
    ),  # of 58 that choose nothing, four speak for one option alone
    ("farel_en", 0.99, 0.001, 0.0),
)


@pytest.mark.parametrize(("corpus", "found", "wrong", "read"), MORE)
def test_answers_that_choose_nothing_are_seldom_read(
    real_data: Path, corpus: str, found: float, wrong: float, read: float
) -> None:
    """The shares of stated letters at least found and at most wrong, and of answers without one
    at most read.
    """
    answers = [each for each in real_answers(real_data, "more") if each["corpus"] == corpus]
    letters = [
        (extract_choice(each["response"], each["options"]).letter, each["label"])
        for each in answers
    ]
    stated = [(letter, label) for letter, label in letters if label is not None]
    silent = [letter for letter, label in letters if label is None]
    assert sum(letter == label for letter, label in stated) >= found * len(stated)
    assert sum(letter not in (None, label) for letter, label in stated) <= wrong * len(stated)
    assert sum(letter is not None for letter in silent) <= read * len(silent)


def test_numbered_options_are_read_by_their_numbers(real_data: Path) -> None:
    """FaRel's options, under the numbers that the models were shown."""
    answers = [each for each in real_answers(real_data, "more") if each["corpus"] == "farel_en"]
    numbers = {letter: str(number) for number, letter in enumerate("ABCDEFGH", 1)}
    for each in answers:
        options = {numbers[letter]: text for letter, text in each["options"].items()}
        assert extract_choice(each["response"], options).letter == numbers[each["label"]]


LISTED = "\n\nOptions:\n{}"


def _with_listing(text: str, options: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    items = "\n".join(f"{letter}. {option}" for letter, option in options.items())
    return f"{text}{LISTED.format(items)}", options


def _full_width(text: str, options: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    wide = {ord(letter): ord(letter) + 0xFEE0 for letter in "ABCDEFGH:()"}
    return text.translate(wide), {letter: text.translate(wide) for letter, text in options.items()}


CHANGES: Mapping[str, Callable[[str, Mapping[str, str]], tuple[str, Mapping[str, str]]]] = {
    "a listing of the options": _with_listing,
    "full-width letters": _full_width,
    "an end token": lambda text, options: (f"{text}</s>", options),
    "another noun for the option": lambda text, options: (
        text.replace("option ", "choice ").replace("Option ", "Choice "),
        options,
    ),
    "the options in another order": lambda text, options: (text, dict(reversed(options.items()))),
    "the options' texts in capitals": lambda text, options: (
        text,
        {letter: option.upper() for letter, option in options.items()},
    ),
    "a for one": lambda text, options: (text.replace(" one ", " a "), options),
    "a second question": lambda text, options: (
        f"{text}\n\nQuestion: Which is it?\nThe answer is D.",
        options,
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_letter_stays_where_the_answer_means_the_same(real_data: Path, change: str) -> None:
    """Of real answers whose letter is read today, at most 0.2% are read otherwise."""
    others = read = 0
    for answer, choice in real_choices(real_data, "free_form")[::4]:
        if choice.letter is not None and choice.letter == answer["letter"]:
            read += 1
            changed = CHANGES[change](answer["response"], answer["choices"])
            others += extract_choice(*changed).letter != choice.letter
    assert others <= 0.002 * read


def test_the_letter_follows_its_text(real_data: Path) -> None:
    """An answer that is read by an option's text gives the letter under which that text stands."""
    followed = []
    for each, choice in real_choices(real_data, "free_form")[::2]:
        texts = [*each["choices"].values()]
        if choice.rule == "text" and choice.letter == each["letter"] and len({*texts}) > 1:
            options = dict(zip(each["choices"], reversed(texts), strict=True))
            letter = extract_choice(each["response"], options).letter
            text = each["choices"][choice.letter]
            followed.append(letter is None or options[letter] == text)
    assert len(followed) > 100
    assert followed.count(False) <= 0.005 * len(followed)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_cut_answer_has_its_letter_or_none(real_data: Path, share: float) -> None:
    """Of long real answers cut anywhere, at most 0.6% are read as another letter: what they say
    up to there.
    """
    answers = [
        each
        for each in real_answers(real_data, "free_form")[::2]
        if each["letter"] and len(each["response"]) > 300
    ]
    wrong = 0
    for each in answers:
        part = each["response"][: int(share * len(each["response"]))]
        wrong += extract_choice(part, each["choices"], truncated=True).letter not in (
            None,
            each["letter"],
        )
    assert wrong <= 0.006 * len(answers)


def _demo_options() -> Iterator[dict[str, str]]:
    for benchmark in ("mmstar", "scifibench"):
        for row in load_rows(benchmark, "demo", "ablation=text"):
            yield dict(zip(row["letters"], row["options"], strict=True))


def _real_options(folder: Path) -> Iterator[dict[str, str]]:
    """Yield the options of the real questions of MMStar and SciFIBench."""
    sample = (folder / "mmstar" / "llava_next_34b_sample.jsonl").read_text(encoding="utf-8")
    for line in sample.splitlines():
        yield read_options(json.loads(line)["question"])
    for path in (folder / "scifibench" / "data").glob("*.parquet"):
        for options in pq.read_table(path, columns=["Options"]).column("Options").to_pylist():
            yield dict(zip("ABCDE", (option.partition(")")[2] for option in options), strict=True))


def _stated(options: Mapping[str, str]) -> Counter[str]:
    """How every option is read in every phrasing; texts that stand for more than one option are
    left out.

    So is `D (B)` where D is the text of B and another option: it is read as D.
    """
    found: Counter[str] = Counter()
    plain = {letter: text.strip(" .()").lower() for letter, text in options.items()}
    for letter, text in options.items():
        is_own = (
            list(plain.values()).count(plain[letter]) == 1 and plain[letter].upper() not in options
        )
        for kind, response in phrasings(letter, text, list(options)):
            names_another = f"{text} ({letter})" in response and plain[letter].upper() in {
                *options
            } - {letter}
            if not names_another and (kind != "text" or is_own):
                got = extract_choice(response, options).letter
                found["none" if got is None else "right" if got == letter else "wrong"] += 1
                assert got in (None, letter), (response, options)
    return found


def test_there_are_enough_phrasings() -> None:
    """Each option is stated in at least 60 phrasings by its letter alone, and in more by its
    text.
    """
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
