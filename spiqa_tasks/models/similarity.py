"""Baselines that answer with what is most similar: TF-IDF of captions or OCR text, CLIP embeddings."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lmms_eval.api.instance import Instance
from sklearn.feature_extraction.text import TfidfVectorizer

from spiqa_tasks.benchmarks.benchmark import parse_settings
from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import one_sentence
from spiqa_tasks.models.base import Baseline, Doc
from spiqa_tasks.vision import ClipEncoder, Embeddings, figure_texts


class CaptionRetrieval(Baseline):
    """Answers SPIQA with the caption of highest TF-IDF cosine to the question."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._vectorizers: dict[str, TfidfVectorizer] = {}

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the nearest caption in the format of the prompt."""
        if "figures" not in doc:
            raise InputError(
                "Expected a SPIQA task; this task's documents have no figures with captions."
            )
        if key not in self._vectorizers:
            vocabulary = {figure["caption"] for other in docs for figure in other["figures"]}
            self._vectorizers[key] = TfidfVectorizer(sublinear_tf=True).fit(sorted(vocabulary))
        captions = [figure["caption"] for figure in doc["figures"]]
        index = _nearest(self._vectorizers[key], captions, doc["question"])
        return in_the_tasks_format(doc, index, captions[index])


def in_the_tasks_format(doc: Doc, figure: int, answer: str) -> str:
    """Return a SPIQA answer from the figure at an index, in the format of the prompt."""
    if parse_settings(SpiqaSettings, doc["settings"]).setting == "cot":
        return f"{{'Image': {figure}, 'Rationale': 'It is nearest to the question.'}} The answer is : {answer}"
    return f"{{'Answer': {answer!r}}}"


_TOKEN = r"(?u)\d+(?:\.\d+)?|\w\w+"


class OcrBaseline(Baseline):
    """Answers from the OCR text of the pictures, by TF-IDF cosine; the first candidate if no word is shared.

    Choices: the option nearest to the pictures' text, or the picture nearest to the caption. SPIQA: the nearest caption
    or line of a figure.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._texts: dict[str, str] = {}

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order, after reading all pictures in parallel."""
        paths = {
            path for request in requests for path in _pictures(self.document(request))
        } - self._texts.keys()
        digests = {
            path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in sorted(paths)
        }
        read = figure_texts((digest, path) for path, digest in digests.items())
        self._texts |= {path: read[digest] for path, digest in digests.items()}
        return super().generate_until(requests)

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:  # noqa: ARG002 - of the common interface
        """Return a letter, or a line in SPIQA's format."""
        texts = [self._texts[path] for path in _pictures(doc)]
        if "letters" not in doc:
            return _line(doc, texts)
        shows_options = not any(doc["options"]) and len(texts) == len(doc["letters"])
        candidates, query = (
            (texts, doc["question"]) if shows_options else (doc["options"], "\n".join(texts))
        )
        return str(doc["letters"][nearest(list(candidates), query)])


def nearest(candidates: Sequence[str], query: str) -> int:
    """Return the index of the candidate nearest to `query`, 0 if none shares a word or number with it."""
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
    lines = [(place, figure["caption"]) for place, figure in enumerate(doc["figures"])]
    lines += [(place, line) for place, text in enumerate(texts) for line in text.splitlines()]
    place, line = lines[nearest([line for _, line in lines], doc["question"])]
    return in_the_tasks_format(doc, place, line)


class ClipChoice(Baseline):
    """Answers SciFIBench by the highest image-text cosine of a CLIP or SigLIP checkpoint (SciFIBench section 4.1)."""

    def __init__(self, pretrained: str, device: str | None = None, **kwargs: Any) -> None:
        """`pretrained` is the folder or hub id of a transformers checkpoint."""
        super().__init__(**kwargs)
        self._encoder = ClipEncoder(pretrained, device)
        self._texts: dict[str, Embeddings] = {}
        self._images: dict[str, Embeddings] = {}

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one letter per request; distinct pictures and captions are embedded once, in batches."""
        docs = [self.document(request) for request in requests]
        with one_sentence():
            texts = sorted({text for doc in docs for text in _captions(doc)} - self._texts.keys())
        paths = sorted({path for doc in docs for path in doc["images"]} - self._images.keys())
        if texts:
            self._texts |= dict(zip(texts, self._encoder.texts(texts), strict=True))
        if paths:
            self._images |= dict(zip(paths, self._encoder.images(paths), strict=True))
        return super().generate_until(requests)

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:  # noqa: ARG002 - of the common interface
        """Return the letter of the most similar option, the first of equals."""
        texts = np.stack([self._texts[text] for text in _captions(doc)])
        images = np.stack([self._images[path] for path in doc["images"]])
        similarities = (texts @ images.T).ravel()
        return str(doc["letters"][int(np.argmax(similarities))])


def _captions(doc: Doc) -> list[str]:
    if doc.get("benchmark") != "scifibench" or not doc["images"]:
        raise InputError(
            "Expected a SciFIBench task that shows its figures; clip_choice compares them with captions."
        )
    return list(doc["options"]) if doc["subcategory"] == "fig2cap" else [doc["question"]]
