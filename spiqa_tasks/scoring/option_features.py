"""Features of an option without the picture: its words, position, and ranks among the options."""

import itertools
import math
import re
from collections.abc import Iterator, Sequence

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
_CATCH_ALL = re.compile(r"\b(?:all|none|both|neither) of\b|\bcannot\b|\bnot enough\b|\bnone\b")
_NEGATION = re.compile(r"\b(?:not?|never|without)\b|n't\b")
_BEGINNING = 2
"""First words of a question that stand for its type (`how many`)."""


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def beginning(question: str) -> str:
    """Return the first words of a question, which stand for its type."""
    return " ".join(words(question)[:_BEGINNING])


def option_tokens(question: str, options: Sequence[str]) -> list[list[str]]:
    """Return the tokens of each option, for a bag of words.

    They are its words and bigrams, the whole text, the letter, each of these combined with the question's first words,
    and its ranks among the options by length, number and likeness.
    """
    kind = beginning(question)
    measured = option_numbers(question, options)
    result = []
    for place, option in enumerate(options):
        own = words(option)
        tokens = [*own, *(" ".join(pair) for pair in itertools.pairwise(own))]
        tokens += [f"letter={place}", f"whole={' '.join(own)}"]
        ranks = [f"{name}={measured[place][NUMBERS.index(name)]:.2f}" for name in _RANKS]
        result.append([*tokens, *(f"{kind}: {token}" for token in tokens), *ranks])
    return result


NUMBERS = (
    *(
        "place",
        "place_from_end",
        "options",
        "characters",
        "words",
        "length_rank",
        "relative_length",
        "shared_words",
    ),
    *(
        "shared_rank",
        "likeness",
        "likeness_rank",
        "has_number",
        "number_rank",
        "capitals",
        "negation",
        "catch_all",
    ),
    *("punctuation", "question_words"),
)
"""Names of the features by `option_numbers`, in order."""
_RANKS = ("length_rank", "shared_rank", "likeness_rank", "number_rank", "negation", "catch_all")


def option_numbers(question: str, options: Sequence[str]) -> list[list[float]]:
    """Return the features `NUMBERS` of each option.

    Ranks are shares of the other options with less, ties counting half; `likeness` is the mean Jaccard index with the
    others' words, `shared_words` the share of its words in the question; all in [0, 1].
    """
    asked = set(words(question))
    bags = [words(option) for option in options]
    sizes = [float(len(option)) for option in options]
    mean = sum(sizes) / len(sizes) or 1.0
    shared = [sum(word in asked for word in bag) / len(bag) if bag else 0.0 for bag in bags]
    like = list(_likeness([set(bag) for bag in bags]))
    numbers = [_number(option) for option in options]
    known = [number for number in numbers if number is not None]
    return [
        [
            *(float(place), float(len(options) - 1 - place), float(len(options))),
            *(
                sizes[place],
                float(len(bags[place])),
                _rank(sizes[place], sizes),
                sizes[place] / mean,
            ),
            *(shared[place], _rank(shared[place], shared), like[place], _rank(like[place], like)),
            *(
                float(bool(_NUMBER.search(option))),
                -1.0 if number is None else _rank(number, known),
            ),
            sum(character.isupper() for character in option) / (len(option) or 1),
            *(float(bool(pattern.search(option.lower()))) for pattern in (_NEGATION, _CATCH_ALL)),
            *(float(sum(character in ",;:()" for character in option)), float(len(asked))),
        ]
        for place, (option, number) in enumerate(zip(options, numbers, strict=True))
    ]


def _rank(value: float, values: Sequence[float]) -> float:
    """Return the share of the other values that are less, ties counting half; 0.5 without others."""
    less, same = sum(each < value for each in values), sum(each == value for each in values) - 1
    return (less + same / 2) / (len(values) - 1) if len(values) > 1 else 0.5


def _likeness(bags: Sequence[set[str]]) -> Iterator[float]:
    for place, bag in enumerate(bags):
        others = [*bags[:place], *bags[place + 1 :]]
        shares = [len(bag & other) / len(bag | other) if bag | other else 1.0 for other in others]
        yield (
            math.fsum(shares) / len(shares) if shares else 0.0
        )  # exact, so independent of the order


def _number(text: str) -> float | None:
    match = _NUMBER.search(text)
    if match is None:
        return None
    whole, *rest = match[0].replace(",", "").split(".")
    return float(f"{whole}.{''.join(rest)}")
