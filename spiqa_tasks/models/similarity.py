"""Baselines that answer with what is most similar: TF-IDF of captions or OCR text, CLIP embeddings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lmms_eval.api.instance import Instance
from sklearn.feature_extraction.text import TfidfVectorizer

from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.benchmarks.settings import parse_settings
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings
from spiqa_tasks.errors import InputError
from spiqa_tasks.models.base import Baseline, Doc
from spiqa_tasks.vision.clip_encoder import ClipEncoder, Embeddings
from spiqa_tasks.vision.ocr import figure_texts


class CaptionRetrieval(Baseline):
    """Picks the figure whose caption has the highest cosine to the question, in the format that the task asks for."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._vectorizers: dict[str, TfidfVectorizer] = {}

    def check(self, doc: Doc) -> None:
        """Raise InputError for what is no SPIQA task."""
        if "figures" not in doc:
            raise InputError("Expected a SPIQA task; this task's documents have no figures with captions.")

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the nearest caption in the requested format."""
        if key not in self._vectorizers:
            vocabulary = {figure["caption"] for other in docs for figure in other["figures"]}
            self._vectorizers[key] = TfidfVectorizer(sublinear_tf=True).fit(sorted(vocabulary))
        captions = [figure["caption"] for figure in doc["figures"]]
        index = _nearest(self._vectorizers[key], captions, doc["question"])
        return in_the_tasks_format(doc, index, captions[index])


def in_the_tasks_format(doc: Doc, figure: int, answer: str) -> str:
    """Return an answer to a SPIQA question, taken from the figure at this place, as the question asks for it."""
    if parse_settings(SpiqaSettings, doc["settings"]).setting == "cot":
        return f"{{'Image': {figure}, 'Rationale': 'It is nearest to the question.'}} The answer is : {answer}"
    return f"{{'Answer': {answer!r}}}"


_TOKEN = r"(?u)\d+(?:\.\d+)?|\w\w+"


class OcrBaseline(Baseline):
    """Answers from the text in the pictures that a task shows.

    A choice: the option, or the picture, whose text is nearest to the other side (the pictures' text, or the caption).
    SPIQA: the caption or the line of a figure that is nearest to the question. Nearest by the cosine of TF-IDF; the
    first one where nothing is shared, as in a task without pictures and captions.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._texts: dict[str, str] = {}

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order; first reads every picture of theirs."""
        paths = {path for request in requests for path in _pictures(self.document(request))} - self._texts.keys()
        digests = {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in sorted(paths)}
        read = figure_texts((digest, path) for path, digest in digests.items())
        self._texts |= {path: read[digest] for path, digest in digests.items()}
        return super().generate_until(requests)

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:  # noqa: ARG002 - of the common interface
        """Return a letter, or in SPIQA's format a line."""
        texts = [self._texts[path] for path in _pictures(doc)]
        if "letters" not in doc:
            return _line(doc, texts)
        letters = list(doc["letters"])
        shows_options = not any(doc["options"]) and len(texts) == len(letters)
        candidates, query = (texts, doc["question"]) if shows_options else (doc["options"], "\n".join(texts))
        return str(letters[nearest(list(candidates), query)])


def nearest(candidates: Sequence[str], query: str) -> int:
    """Return the place of the candidate nearest to `query`, 0 where none shares a word or a number with it."""
    try:
        vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=_TOKEN).fit(candidates)
    except ValueError:  # no candidate has a word
        return 0
    return _nearest(vectorizer, candidates, query)


def _nearest(vectorizer: TfidfVectorizer, candidates: Sequence[str], query: str) -> int:
    similarity = vectorizer.transform(candidates) @ vectorizer.transform([query]).T
    return int(similarity.toarray()[:, 0].argmax())


def _pictures(doc: Doc) -> list[str]:
    return [part.path for part in benchmark_of(doc).prompt(doc) if isinstance(part, Picture)]


def _line(doc: Doc, texts: Sequence[str]) -> str:
    """The nearest caption or line of a figure."""
    lines = [(place, figure["caption"]) for place, figure in enumerate(doc["figures"])]
    lines += [(place, line) for place, text in enumerate(texts) for line in text.splitlines()]
    place, line = lines[nearest([line for _, line in lines], doc["question"])]
    return in_the_tasks_format(doc, place, line)


class ClipChoice(Baseline):
    """Answers SciFIBench in both directions by the cosine of a CLIP or SigLIP checkpoint's embeddings."""

    def __init__(
        self, pretrained: str, batch_size: int | str | None = None, device: str | None = None, **kwargs: Any
    ) -> None:
        """
        Args:
            pretrained: folder or hub id of a transformers checkpoint.
            batch_size: pictures or texts in one forward pass; 32 unless more than 1 is given.
        """
        super().__init__(**kwargs)
        size = int(batch_size) if batch_size is not None and str(batch_size).isdigit() else 0
        self._encoder = ClipEncoder(pretrained, device, size if size > 1 else 32)
        self._texts: dict[str, Embeddings] = {}
        self._images: dict[str, Embeddings] = {}

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one letter per request; every different picture and caption is embedded once, in batches."""
        self._prepare([self.document(request) for request in requests])
        return super().generate_until(requests)

    def check(self, doc: Doc) -> None:
        """Raise InputError for what is no SciFIBench task with pictures."""
        _captions(doc)

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:  # noqa: ARG002 - of the common interface
        """Return the letter of the most similar option, the first one of equals."""
        texts = np.stack([self._texts[text] for text in _captions(doc)])
        images = np.stack([self._images[path] for path in doc["images"]])
        similarities = (texts @ images.T).ravel()
        return str(doc["letters"][int(np.argmax(similarities))])

    def _prepare(self, docs: Sequence[Doc]) -> None:
        texts = sorted({text for doc in docs for text in _captions(doc)} - self._texts.keys())
        paths = sorted({path for doc in docs for path in doc["images"]} - self._images.keys())
        if texts:
            self._texts |= dict(zip(texts, self._encoder.texts(texts), strict=True))
        if paths:
            self._images |= dict(zip(paths, self._encoder.images(paths), strict=True))


def _captions(doc: Doc) -> list[str]:
    if doc.get("benchmark") != "scifibench" or not doc["images"]:
        raise InputError("Expected a SciFIBench task that shows its figures; clip_choice compares them with captions.")
    return list(doc["options"]) if doc["subcategory"] == "fig2cap" else [doc["question"]]
