"""The filter `choice_letter` for the `filter_list` of any task of lmms-eval."""

import itertools
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lmms_eval.api.filter import Filter

from spiqa_tasks.benchmarks.record import INVALID
from spiqa_tasks.errors import InputError
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.options import NAMES, options_in, options_of, row_options

# What a YAML's `filter_list` calls it.
NAME = "choice_letter"
logger = logging.getLogger("spiqa_tasks")


class ChoiceLetter(Filter):  # type: ignore[misc]
    """Replaces each answer by the letter of the option that it picks.

    Args:
        options: the column of a doc with its options, or a column for each; by default one with a
            usual name, columns such as A or option_a, or the question's text.
        letters: letters of options without texts, such as "ABCD".
        fallback: replacement of answers that pick no option, or whose doc has none.
    """

    positions: Sequence[int] | None = None
    """Indices in the split of the next answers, or None for the first ones in order."""

    def __init__(
        self,
        options: str | Sequence[str] = (),
        letters: str = "",
        fallback: str = INVALID,
        **unknown: object,
    ) -> None:
        self._columns = (options,) if isinstance(options, str) else tuple(options)
        self._letters = str(letters)  # 1234 is a number to YAML
        self._fallback = fallback
        self._unknown = unknown
        # Why the first doc without options has none.
        self._fault = ""

    def check(self, task: Any) -> None:
        """Raise InputError if the YAML has an unknown argument, or no doc has the options.

        The host would end the run with a traceback, or score every answer 0.
        """
        if self._unknown:
            raise InputError(
                f"{task.config.task}: Expected the arguments options, letters and fallback of "
                f"{NAME}, found {', '.join(self._unknown)}. Correct the task's filter_list."
            )
        # with pictures, as `apply` gets them: they may be the options
        docs = task.eval_docs
        columns = docs.column_names
        missing = [column for column in self._columns if column not in columns]
        if missing:
            raise InputError(
                f"{task.config.task}: Expected the column {missing[0]} of the options, found "
                f"{', '.join(columns)}. Correct {NAME} in the task's filter_list."
            )

        # A task may also have questions without options: the first doc with some is enough.
        if not any(map(self._options, docs)) and self._fault:  # no fault: no docs
            raise InputError(f"{task.config.task}: {self._fault}")

    def apply(self, resps: Iterable[Any], docs: Any) -> list[Any]:
        """Return the letters of each doc's answers; log why docs have no options.

        Never raises, or the host would lose other tasks' results.
        """
        self._fault = ""
        positions = itertools.count() if self.positions is None else self.positions
        letters = [
            self._read(answers, self._options(docs[position]))
            for answers, position in zip(resps, positions, strict=False)
        ]
        if self._fault:
            logger.error("%s: %s", NAME, self._fault)
        return letters

    def _read(self, answers: Any, options: Mapping[str, str]) -> Any:
        """Return the letter of an answer, or those of several; the fallback where none is read."""
        if not isinstance(answers, str):
            return [self._read(str(answer), options) for answer in answers]
        if not options:
            return self._fallback
        return extract_choice(answers, options).letter or self._fallback

    def _options(self, doc: Mapping[str, Any]) -> dict[str, str]:
        """Return a doc's options; {} if they cannot be read, with the reason in `_fault`."""
        if self._letters:
            return dict.fromkeys(self._letters, "")

        try:
            options, found = self._listed_options(doc), "none"
        except ValueError as error:
            options, found = {}, str(error)
        if not options and not self._fault:
            self._fault = (
                f"Expected the options of a doc in {', '.join(self._columns or doc)}, found "
                f"{found}. Name their column with `options`, or their letters with `letters`, in"
                " the task's filter_list."
            )
        return options

    def _listed_options(self, doc: Mapping[str, Any]) -> dict[str, str]:
        """Return the options in a doc's columns, or in its question. Raises ValueError."""
        if self._columns:
            return options_of(doc, self._columns)
        question = next((doc[name] for name in NAMES["question"] if name in doc), "")
        return row_options(doc) or options_in(str(question))
