"""A free-form baseline for SPIQA: answer with the caption nearest to the question by TF-IDF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer

from spiqa_tasks.benchmarks.settings import parse_settings
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings
from spiqa_tasks.errors import InputError
from spiqa_tasks.models.base import Baseline, Doc


class CaptionRetrieval(Baseline):
    """Picks the figure whose caption has the highest cosine to the question, in the format that the task asks for."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._vectorizers: dict[str, TfidfVectorizer] = {}

    def check(self, doc: Doc) -> None:
        """
        Raises:
            InputError: no SPIQA task.
        """
        if "figures" not in doc:
            raise InputError("Expected a SPIQA task; this task's documents have no figures with captions.")

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the nearest caption in the requested format."""
        if key not in self._vectorizers:
            vocabulary = {figure["caption"] for other in docs for figure in other["figures"]}
            self._vectorizers[key] = TfidfVectorizer(sublinear_tf=True).fit(sorted(vocabulary))
        captions = [figure["caption"] for figure in doc["figures"]]
        vectorizer = self._vectorizers[key]
        similarity = vectorizer.transform(captions) @ vectorizer.transform([doc["question"]]).T
        index = int(similarity.toarray()[:, 0].argmax())
        return in_the_tasks_format(doc, index, captions[index])


def in_the_tasks_format(doc: Doc, figure: int, answer: str) -> str:
    """Return an answer to a SPIQA question, taken from the figure at this place, as the question asks for it."""
    if parse_settings(SpiqaSettings, doc["settings"]).setting == "cot":
        return f"{{'Image': {figure}, 'Rationale': 'It is nearest to the question.'}} The answer is : {answer}"
    return f"{{'Answer': {answer!r}}}"
