"""The rule by which a value over too few questions, or too few scores, is withheld."""

# Least share of the questions that have an answer, and of the answers that have a score. Missing
# ones are no random sample: a mean over the others would be biased.
MINIMUM_SHARE = 0.99


def is_covered(known: int, total: int) -> bool:
    """Return whether `known` items are at least one, and at least `MINIMUM_SHARE` of `total`."""
    return known > 0 and known >= MINIMUM_SHARE * total


def too_few(known: int, total: int, what: str) -> str:
    """Return the reason to withhold a value over `known` of `total` items, or ''.

    `what` completes the sentence: "answers have a score" gives "90 of 100 answers have a score,
    fewer than 99%".
    """
    if is_covered(known, total):
        return ""
    if not total:
        return f"no {what}"
    return f"{known} of {total} {what}, fewer than {100 * MINIMUM_SHARE:g}%"
