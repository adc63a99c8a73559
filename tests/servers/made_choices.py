"""Made-up choices, with or without something in their texts that tells the right option."""

import random

from spiqa_tasks.analysis.shortcuts import ChoiceQuestion

WORDS = (
    "red",
    "blue",
    "green",
    "tall",
    "small",
    "round",
    "square",
    "old",
    "new",
    "left",
    "right",
    "dark",
    "bright",
    "thin",
)


def made_choices(count: int, seed: int, shortcut: str = "") -> list[ChoiceQuestion]:
    """Return choices of four options, the right one drawn; `shortcut` tells it in four of five questions.

    `word`: it has a word of its own; `length`: it is the longest; `letter`: it is C.
    """
    generator = random.Random(seed)
    found = []
    for number in range(count):
        options = {letter: " ".join(generator.choices(WORDS, k=3)) for letter in "ABCD"}
        answer = generator.choice("ABCD")
        if shortcut and generator.random() < 0.8:
            answer = "C" if shortcut == "letter" else answer
            options[answer] += {
                "word": " indeed",
                "length": f" {generator.choice(WORDS)} than it was",
            }.get(shortcut, "")
        asked = generator.choice(("What", "Which"))
        question = f"{asked} {generator.choice(WORDS)} thing is {generator.choice(WORDS)}?"
        found.append(
            ChoiceQuestion(
                str(number), question, options, answer, ("even" if number % 2 == 0 else "odd",)
            )
        )
    return found
