"""When a value is withheld: over too few of the questions, or of their scores."""

# Below this share of questions with an answer, and of answers with a score, a value is withheld:
# missing ones are no random sample.
MINIMUM_SHARE = 0.99


def is_covered(known: int, total: int) -> bool:
    """Return whether `known` of `total` suffice for a value: at least one, and `MINIMUM_SHARE`."""
    return known > 0 and known >= MINIMUM_SHARE * total


def too_few(known: int, total: int, what: str) -> str:
    """Return why a value over `known` of `total` is withheld, or '' if they suffice.

    `what` says what the known ones are, such as "answers have a score".
    """
    if is_covered(known, total):
        return ""
    if not total:
        return f"no {what}"
    return f"{known} of {total} {what}, fewer than {100 * MINIMUM_SHARE:g}%"
