"""Traps in words: the reference said otherwise, and answers that only sound like it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spiqa_tasks.analysis.traps.item import Item, Trap, lowered

SYNONYMS: Mapping[str, str] = {
    "About": "Roughly",
    "about": "roughly",
    "most often": "most frequently",
    "has the most": "has more than any other",
    "leaves the most charge": "leaves the highest charge",
    "higher": "greater",
    "falls": "drops",
    "drops": "falls",
    "grows": "increases",
    "rises": "goes up",
    "a second": "another",
    "is ahead of LRU up to 4 GB, but behind it": "beats LRU up to 4 GB, but loses to it",
    "are combined by": "are joined by",
    "produces": "yields",
    "on disk": "kept on disk",
    "clouds": "cloud cover",
    "Clouds": "Cloud cover",
    "Cookery": "Cookbooks",
    "Red": "It is red",
    "Old quarry": "The camera at the old quarry",
    "Template matching": "The method of template matching",
    "in 12% of the cases": "12% of the time",
    "The gateway": "It is the gateway that receives them",
    "Video": "The video workload",
    "Author": "The author field",
}
"""What means the same in the demo's answers."""
RIVALS: Mapping[str, str] = {
    "gateway": "weather database",
    "MQTT": "HTTP",
    "every hour": "every minute",
    "Plastic": "Paper",
    "plastic": "metal",
    "infrared": "depth",
    "Old quarry": "North ridge",
    "water tower": "north ridge",
    "cold tier": "origin",
    "TwoTier": "LRU",
    "LFU is ahead of LRU": "LRU is ahead of LFU",
    "Video": "Text",
    "second tier": "admission filter",
    "dot product": "concatenation",
    "Cookery": "Poetry",
    "overfitting": "underfitting",
    "Author": "Title",
    "tracker": "camera",
    "Red": "Blue",
    "Clouds": "Birds",
    "stronger wind goes with larger errors": "stronger wind goes with smaller errors",
    "Template matching": "Updraft",
    "Flight 2": "Flight 3",
}
"""A name in the demo's answers -> another one of the same kind, which is wrong."""
OPPOSITES: Mapping[str, str] = {
    "falls": "rises",
    "drops": "climbs",
    "rises": "falls",
    "grows": "shrinks",
    "higher": "lower",
    "ahead of": "behind",
    "the most": "the least",
    "worst": "best",
}
"""A direction -> the opposite one."""
EVASIONS = (
    "I cannot make out the figure, so I am not able to answer this question.",
    "The paper may say more about this. It depends on several factors.",
    "This is shown in the figure.",
    "There is an answer to this question in the paper, which reports all values in detail.",
)


def other_words(item: Item) -> str | None:
    """Return the reference with one phrase replaced by a synonym."""
    return _with(item.reference, SYNONYMS)


def rival(item: Item) -> str | None:
    """Return the reference with its first name replaced by one of the same kind."""
    return _with(item.reference, RIVALS)


def opposite(item: Item) -> str | None:
    """Return the reference with its first direction turned round."""
    return _with(item.reference, OPPOSITES)


def sentence(item: Item) -> str:
    """Return the reference in a whole sentence."""
    frames = ("According to the figure, the answer is: {}.", "I would say: {}.", "Judging by what is shown: {}.")
    return frames[item.place % len(frames)].format(lowered(item.reference))


def marked_up(item: Item) -> str:
    """Return the reference in the marks of a format."""
    frames = ("{{'Answer': '{}'}}", "**Answer:** {}", "<answer>{}</answer>")
    return frames[item.place % len(frames)].format(item.reference)


def long_right(item: Item) -> str:
    """Return steps that end with the reference."""
    return f"{_STEPS} So the answer to the question is: {lowered(item.reference)}."


def negated(item: Item) -> str:
    """Return the reference denied; yes and no in the place of each other."""
    word = re.match(r"(Yes|No)\b", item.reference)
    if word:
        return "No" if word[1] == "Yes" else "Yes"
    return f"It is not the case that the answer is: {lowered(item.reference)}."


def wrong_end(item: Item) -> str:
    """Return steps that name the reference and end with another answer."""
    begin = f"{_STEPS} At first sight the answer is: {lowered(item.reference)}."
    return f"{begin} A closer look shows that this is wrong. The final answer is: {lowered(item.others[0])}."


def alternatives(item: Item) -> str:
    """Return the reference as one of three answers, none of which is chosen."""
    wrong = [lowered(other) for other in item.others[:2]]
    options = [wrong[0], lowered(item.reference), wrong[1]]
    return f"It is one of these, but I cannot say which: {'; '.join(options)}."


def _with(text: str, table: Mapping[str, str]) -> str | None:
    """The text with the phrase of a table that stands first in it replaced; None without any."""
    found = re.search("|".join(rf"\b{re.escape(phrase)}\b" for phrase in sorted(table, key=len, reverse=True)), text)
    return None if found is None else text[: found.start()] + table[found[0]] + text[found.end() :]


_STEPS = (
    "To answer this, I first looked for the figure that the question is about and read its caption. Then I found the "
    "parts that the question names, read off what belongs to each of them, and compared them."
)

TRAPS = (
    Trap("the reference", True, "the reference itself", lambda item: item.reference),
    Trap("whole sentence", True, "the reference stands in a whole sentence", sentence),
    Trap("marks of a format", True, "the reference stands in JSON, Markdown or tags", marked_up),
    Trap("other words", True, "a phrase of the reference is replaced by one that means the same", other_words),
    Trap("long and right", True, "steps come first, the reference last", long_right),
    Trap("other name", False, "a series, part or thing is replaced by another of its kind", rival),
    Trap("other direction", False, "rises becomes falls, higher lower, the most the least", opposite),
    Trap("negation", False, "the reference is denied; yes and no change places", negated),
    Trap("another question's", False, "the true answer to another question of the paper", lambda item: item.others[0]),
    Trap("empty", False, "no answer at all", lambda item: "" if item.place % 3 == 0 else None),
    Trap("evasive", False, "words that say nothing", lambda item: EVASIONS[item.place % len(EVASIONS)]),
    Trap("wrong end", False, "steps name the reference first and end with another answer", wrong_end),
    Trap("alternatives", False, "the reference is one of three answers, none of which is chosen", alternatives),
)
