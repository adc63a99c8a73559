"""One answer of a run."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import decoded
from spiqa_tasks.scoring.options import options_in

# Ids listed in a remark.
FIRST = 5
# Everything but letters, digits, decimal points and minus signs.
_NOTHING = re.compile(r"(?!(?<=\d)\.(?=\d)|-(?=\.?\d))[\W_]")

_NO_OPTIONS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a run; all but id and response are as far as the file has them.

    Attributes:
        id: of the question; of the document where a question is several.
        record: the scored answer; None where it was not scored yet.
        place: index of the document in its task, from 0.
        question: the question's text or the whole prompt.
        needed: the files of the figures that the true answer needs.
        references: the true answers, of which any is right.
    """

    id: str
    response: Response
    record: Record | None = None
    place: int = 0
    question: str = ""
    reference: str = ""
    options: Mapping[str, str] = field(default_factory=lambda: _NO_OPTIONS)
    needed: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def signature(self) -> Signature:
        """The signature of the record; empty without one."""
        return parse("" if self.record is None else self.record.signature)

    @property
    def known_options(self) -> Mapping[str, str]:
        """Letter -> text of the options, of the file or the prompt; {} if it shows none."""
        return self.options or options_in(self.question)

    @property
    def is_bare(self) -> bool:
        """Whether the file has nothing to compare with the release."""
        return not (
            self.question or self.reference or self.options or self.needed or self.response.shown
        )


# Id of the question -> its answer, in the order of the task's rows.
Answers = dict[str, Answer]


def by_question(path: Path, answers: Iterable[Answer]) -> tuple[Answers, list[str]]:
    """Return the answers by their ids, in their order, and ids that occur again with equal answers.

    Raises InputError: an id with two different answers.
    """
    by_id: Answers = {}
    duplicates: dict[str, None] = {}
    for answer in answers:
        # answers without an id are refused later, where the task is known
        earlier = by_id.setdefault(answer.id or f"answer {answer.place}", answer)
        if earlier is answer:
            continue
        if earlier != replace(answer, place=earlier.place):
            raise InputError(
                f"Expected one answer per question in {path}, found two different ones for "
                f"{answer.id}. Keep the one that counts."
            )
        duplicates[answer.id] = None
    return by_id, list(duplicates)


def plain(text: str) -> str:
    """Return the letters and digits of a text, without what spreadsheets and hosts change."""
    return _NOTHING.sub("", unicodedata.normalize("NFKC", decoded(text)).casefold())
