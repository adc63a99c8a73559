"""Baselines that answer with what is most similar: TF-IDF of captions or OCR text, CLIP."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lmms_eval.api.instance import Instance
from sklearn.feature_extraction.text import TfidfVectorizer

from spiqa_tasks.benchmarks.benchmark import Row, parse_settings
from spiqa_tasks.benchmarks.prompting import picture_paths
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.benchmarks.spiqa.release import SpiqaSettings
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import exit_with_message
from spiqa_tasks.models.baselines import Baseline
from spiqa_tasks.vision import ClipEncoder, Embeddings, figure_texts

# Words of two letters, and whole numbers and decimals, which tell figures apart.
_TOKEN = r"(?u)\d+(?:\.\d+)?|\w\w+"


class CaptionRetrieval(Baseline):
    """Answers SPIQA with the caption of highest TF-IDF cosine to the question."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # split -> the vectorizer of its captions
        self._vectorizers: dict[str, TfidfVectorizer] = {}

    def answer(self, doc: Row, docs: Sequence[Row], key: str) -> str:
        """Return the nearest caption in the format of the prompt."""
        if "figures" not in doc:
            raise InputError(
                "Expected a SPIQA task; this task's documents have no figures with captions."
            )
        if key not in self._vectorizers:
            captions = {caption for other in docs for caption in _captions_of_figures(other)}
            self._vectorizers[key] = TfidfVectorizer(sublinear_tf=True).fit(sorted(captions))

        captions_shown = _captions_of_figures(doc)
        index = _nearest(self._vectorizers[key], captions_shown, doc["question"])
        return spiqa_answer(doc, index, captions_shown[index])


class OcrBaseline(Baseline):
    """Answers from the OCR text of the pictures, by TF-IDF cosine.

    Choices: the option nearest to the pictures' text, or the picture nearest to the caption.
    SPIQA: the nearest caption or line of a figure. The first candidate if no word is shared.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # path of a picture -> the text in it
        self._texts: dict[str, str] = {}

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order, after reading all pictures in parallel."""
        with exit_with_message():
            paths = {path for request in requests for path in _pictures(self.document(request))}
            digests = {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in paths}
            texts = figure_texts((digest, path) for path, digest in digests.items())

        self._texts |= {path: texts[digest] for path, digest in digests.items()}
        return super().generate_until(requests)

    def answer(self, doc: Row, docs: Sequence[Row], key: str) -> str:  # noqa: ARG002 - as above
        """Return a letter, or a line in SPIQA's format."""
        texts = [self._texts[path] for path in _pictures(doc)]
        if "letters" not in doc:
            return _nearest_line(doc, texts)

        are_pictures = not any(doc["options"]) and len(texts) == len(doc["letters"])
        if are_pictures:
            nearest_index = nearest(texts, doc["question"])
        else:
            nearest_index = nearest(doc["options"], "\n".join(texts))
        return str(doc["letters"][nearest_index])


class ClipChoice(Baseline):
    """Answers SciFIBench by image-text cosine of a CLIP or SigLIP checkpoint (section 4.1)."""

    def __init__(self, pretrained: str, device: str | None = None, **kwargs: Any) -> None:
        """`pretrained` is the folder or hub id of a transformers checkpoint."""
        super().__init__(**kwargs)
        self._encoder = ClipEncoder(pretrained, device)
        self._texts: dict[str, Embeddings] = {}
        self._images: dict[str, Embeddings] = {}

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one letter per request; pictures and captions are embedded once, in batches."""
        docs = [self.document(request) for request in requests]
        with exit_with_message():
            captions = {caption for doc in docs for caption in _captions(doc)}
        paths = {path for doc in docs for path in doc["images"]}

        for known, wanted, embeddings_of in (
            (self._texts, captions, self._encoder.texts),
            (self._images, paths, self._encoder.images),
        ):
            if new := sorted(wanted - known.keys()):
                known.update(zip(new, embeddings_of(new), strict=True))
        return super().generate_until(requests)

    def answer(self, doc: Row, docs: Sequence[Row], key: str) -> str:  # noqa: ARG002 - as above
        """Return the letter of the most similar option, the first of equals."""
        texts = np.stack([self._texts[text] for text in _captions(doc)])
        images = np.stack([self._images[path] for path in doc["images"]])
        similarities = (texts @ images.T).ravel()
        return str(doc["letters"][int(np.argmax(similarities))])


def spiqa_answer(doc: Row, figure: int, answer: str) -> str:
    """Return a SPIQA answer from the figure at an index, in the format of the prompt."""
    if parse_settings(SpiqaSettings, doc["settings"]).setting == "cot":
        rationale = "It is nearest to the question."
        return f"{{'Image': {figure}, 'Rationale': '{rationale}'}} The answer is : {answer}"
    return f"{{'Answer': {answer!r}}}"


def nearest(candidates: Sequence[str], query: str) -> int:
    """Return the index of the nearest candidate, 0 if none shares a word or number with `query`."""
    try:
        vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=_TOKEN).fit(candidates)
    except ValueError:  # no candidate has a word
        return 0
    return _nearest(vectorizer, candidates, query)


def _nearest(vectorizer: TfidfVectorizer, candidates: Sequence[str], query: str) -> int:
    """Return the index of the candidate whose vector is most like the query's."""
    similarity = vectorizer.transform(candidates) @ vectorizer.transform([query]).T
    return int(similarity.toarray()[:, 0].argmax())


def _nearest_line(doc: Row, texts: Sequence[str]) -> str:
    """Return the answer from the caption, or line of a figure's text, nearest to the question."""
    lines = list(enumerate(_captions_of_figures(doc)))
    for figure, text in enumerate(texts):
        lines += [(figure, line) for line in text.splitlines()]
    figure, line = lines[nearest([line for _, line in lines], doc["question"])]
    return spiqa_answer(doc, figure, line)


def _pictures(doc: Row) -> list[str]:
    """Return the paths of a question's pictures. Raises InputError: a task of the host."""
    if "benchmark" not in doc:
        raise InputError("ocr_baseline answers tasks of this package only. Use another model.")
    return picture_paths(benchmark_of(doc).prompt(doc))


def _captions_of_figures(doc: Row) -> list[str]:
    """Return the captions of a question's figures, in order."""
    return [figure["caption"] for figure in doc["figures"]]


def _captions(doc: Row) -> list[str]:
    """Return the captions of a SciFIBench question. Raises InputError: another task."""
    if doc.get("benchmark") != "scifibench" or not doc["images"]:
        raise InputError(
            "Expected a SciFIBench task that shows its figures; clip_choice compares them with "
            "captions."
        )
    return list(doc["options"]) if doc["subcategory"] == "fig2cap" else [doc["question"]]
