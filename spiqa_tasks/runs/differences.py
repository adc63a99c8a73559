"""Compare the questions in a file of answers with the release's."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from os.path import commonprefix
from pathlib import Path
from typing import NamedTuple

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.benchmarks.metric import is_covered
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import MOST_LISTED, Answer, Answers, canonical

# Characters of a text that a sentence quotes: a line of a terminal.
LONGEST = 80


class _Difference(NamedTuple):
    """A difference between a file and the release.

    Attributes:
        id: of the question.
        what: the part that differs, such as `true answer` or `option B`.
        theirs: the part's text in the file.
        ours: its text in the release.
        of_key: whether the difference changes which answers are right.
    """

    id: str
    what: str
    theirs: str
    ours: str
    of_key: bool = False


def compare_with_release(
    path: Path,
    answers: Answers,
    rows: Sequence[Row],
    figures: Mapping[str, Collection[str]],
    accept: bool,
) -> tuple[Answers, list[str], list[str]]:
    """Return the answers, the ids whose questions differ from the release, and remarks.

    Differing questions are scored by the release's; figures that are not the paper's say nothing
    of an order. `figures` is paper -> files, if answers name figures.
    Raises InputError: another true answer or other options under an id, or other differences of
    too many answers, unless `accept`.
    """
    differences = [
        difference
        for row in rows
        if row["id"] in answers
        for difference in _differences(answers[row["id"]], row, figures)
    ]
    if not differences:
        return answers, [], []

    ids = list(dict.fromkeys(difference.id for difference in differences))
    # another true answer is the gravest, however few there are
    first = max(differences, key=lambda difference: difference.of_key)
    is_little = is_covered(len(answers) - len(ids), len(answers)) and not first.of_key
    theirs, ours = _from_difference(first.theirs, first.ours)
    example = f"{first.id} has the {first.what} {theirs} there, {ours} in the release"
    named = ", ".join(ids[:MOST_LISTED])
    if not accept and not is_little:
        raise InputError(
            f"Expected the release's questions in {path}, found {len(ids)} of {len(answers)} ids"
            f" that differ ({named}): {example}. Correct the task or --columns, or `score"
            " --accept-differences`."
        )

    remark = (
        f"{path}: {len(ids)} of {len(answers)} questions differ from the release and are scored as "
        f"the release's: {named}; {example}."
    )
    return _without_other_figures(answers, differences), ids, [remark]


def _without_other_figures(answers: Answers, differences: Sequence[_Difference]) -> Answers:
    """Return the answers, without the order of figures where these are not the paper's: it says
    nothing of the numbers that the answer names.
    """
    kept = dict(answers)
    for key in (difference.id for difference in differences if difference.what == "figures"):
        kept[key] = replace(kept[key], response=replace(kept[key].response, shown=()))
    return kept


def _differences(
    answer: Answer, row: Row, figures: Mapping[str, Collection[str]]
) -> Iterator[_Difference]:
    """Yield in what an answer's file and the release differ on a question."""
    options = dict(zip(row.get("letters", ()), row.get("options", ()), strict=True))
    true = str(row.get("answer", ""))
    targets = [true, options.get(true, ""), row.get("caption", "")]
    if canonical(answer.reference) not in ("", *map(canonical, targets)):
        yield _Difference(row["id"], "true answer", answer.reference, true, of_key=True)

    question = str(row.get("question", ""))
    for letter, text in answer.options.items():
        ours = options.get(letter)
        if not _is_option(letter, text, ours, question):
            yield _Difference(row["id"], f"option {letter}", text, ours or "", of_key=True)

    if not _is_question(answer, row):
        yield _Difference(row["id"], "question", answer.question, question)
    yield from _figure_differences(answer, row, figures)


def _figure_differences(
    answer: Answer, row: Row, figures: Mapping[str, Collection[str]]
) -> Iterator[_Difference]:
    """Yield the differences in the figures that an answer needs, or was shown."""
    # a document of one figure does not have all figures of its question
    needed = {row["figures"][index]["file"] for index in row.get("referred", ())}
    if answer.needed and not row.get("step") and not needed <= set(answer.needed):
        texts = ", ".join(answer.needed), ", ".join(sorted(needed))
        yield _Difference(row["id"], "figures that its answer needs", *texts, of_key=True)

    known = figures.get(row.get("paper_id", ""))
    if known is None:
        return
    shown = answer.response.shown or ()
    is_doubled = len(set(shown)) < len(shown)
    if is_doubled or not set(shown) <= set(known):
        yield _Difference(row["id"], "figures", ", ".join(shown), ", ".join(known))


def _is_option(letter: str, text: str, ours: str | None, question: str) -> bool:
    """Return whether an option is the release's; that of a picture has no text there."""
    if ours is not None and (
        not ours or canonical(text) in (canonical(ours), canonical(letter + ours))
    ):
        return True
    # MMStar's release has options in the question alone
    return canonical(letter + text) in canonical(question)


def _is_question(answer: Answer, row: Row) -> bool:
    """Return whether a question is the release's, also without its options or within a prompt."""
    theirs = canonical(answer.question)
    ours = canonical(str(row.get("question", "")))
    if theirs in ours or ours in theirs or row.get("prompt") == "caption":
        return True

    # SciFIBench's prompts have other words for its questions, which only their options tell apart
    options = [canonical(text) for text in row.get("options", ()) if text]
    if not options or not all(option in theirs for option in options):
        return False
    # a question that lists its options stands whole in a plain file, with the same words
    lists_options = max(options, key=len) in ours
    return answer.record is not None or not lists_options


def _from_difference(one: str, other: str) -> tuple[str, str]:
    """Return two texts for a sentence, without what both begin with if that is long."""
    one, other = (" ".join(text.split()) for text in (one, other))
    same = len(commonprefix([one, other]))  # noqa: RUF071 - texts, no paths
    if same >= LONGEST // 2:
        # some of the same text shows where in the question the difference is
        start = same - LONGEST // 4
        one, other = f"...{one[start:]}", f"...{other[start:]}"
    return repr(one[:LONGEST]), repr(other[:LONGEST])
