"""Accuracy of classifiers that see only the texts of choices: what needs no picture."""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.errors import InputError
from spiqa_tasks.scoring.clusters import partition
from spiqa_tasks.scoring.intervals import holm, mean_interval
from spiqa_tasks.scoring.option_features import option_numbers, option_tokens

Array = NDArray[np.float64]
Places = NDArray[np.intp]
Predict = Callable[[Places, Places, Array], Array]
"""(options to learn from, options to judge, labels of the former by column) -> a score of each by column."""

MOST_TOKENS = 5000
"""Vocabulary of the linear model, whose normal equations take time with the cube of it."""
TREES, DEPTH = 50, 6
"""Number and depth of the trees: what a fold of 1,500 questions fits in 0.15 seconds."""
REFITTED = 5
"""The forest is refitted for every fifth permutation of the labels only, as it is not linear in them."""


@dataclass(frozen=True)
class ChoiceQuestion:
    """A choice without its picture: letter -> text, the true letter, and a cluster key (its paper or picture)."""

    id: str
    question: str
    options: Mapping[str, str]
    answer: str
    groups: tuple[str, ...] = ()
    cluster: Hashable | None = None


class Learning(NamedTuple):
    """Options of the classifiers: folds, seed, and permutations of the right options."""

    folds: int = 5
    seed: int = 0
    permutations: int = 200


@dataclass(frozen=True)
class Shortcut:
    """One classifier's out-of-fold answers to every question.

    Attributes:
        name: `linear`, `forest` or `letter`.
        questions: in their order.
        chances: of each question, the probability that it gives to each option.
        hits: shape (questions, 1 + permutations): whether its choice is the right option, then each permuted one.
    """

    name: str
    questions: Sequence[ChoiceQuestion]
    chances: Sequence[Mapping[str, float]]
    hits: NDArray[np.bool_]

    @property
    def answers(self) -> list[tuple[ChoiceQuestion, str, float]]:
        """Each question, the letter that it chooses, the first of equals, and the probability of the right one."""
        return [
            (question, max(chances, key=chances.__getitem__), chances[question.answer])
            for question, chances in zip(self.questions, self.chances, strict=True)
        ]

    def rows(self, task: str, metric: str = "accuracy") -> list[dict[str, Any]]:
        """Return rows of the accuracy over all questions, then of every group; the task calls it by the metric's name.

        `chance` is the mean of 1/options. `p` is (b + 1) / (m + 1) for b of m permutations with as many hits or more
        (Phipson & Smyth 2010), None without permutations; those of groups are corrected for their number (Holm 1979).
        """
        places = {OVERALL: list(range(len(self.questions)))}
        for group in sorted({group for question in self.questions for group in question.groups}):
            places[group] = [
                place for place, question in enumerate(self.questions) if group in question.groups
            ]
        rows = [
            {"task": task, "classifier": self.name, "metric": metric, **self._row(*each)}
            for each in places.items()
        ]
        for row, p in zip(rows[1:], holm([row["p"] for row in rows[1:]]), strict=True):
            row["p"] = p
        return rows

    def _row(self, group: str, places: Sequence[int]) -> dict[str, Any]:
        hits, members = self.hits[places], [self.questions[place] for place in places]
        counts = hits.sum(axis=0)
        interval = mean_interval(
            [float(hit) for hit in hits[:, 0]], [each.cluster for each in members]
        )
        return {
            "group": group,
            "n": len(members),
            "value": float(hits[:, 0].mean()),
            "low": interval.low,
            "high": interval.high,
            "chance": math.fsum(1 / len(each.options) for each in members) / len(members),
            "p": float((counts[1:] >= counts[0]).sum() + 1) / len(counts)
            if len(counts) > 1
            else None,
        }


def shortcuts(questions: Sequence[ChoiceQuestion], learning: Learning) -> Iterator[Shortcut]:
    """Yield the out-of-fold answers of three classifiers.

    Each scores the options of a question and chooses the best. `letter` knows how often each letter is right; `linear`
    is a ridge regression on TF-IDF of the options' tokens; `forest` is a random forest on numbers of the options
    (`scoring.option_features`). Questions that share a cluster are in one fold. For the permutation test the right
    option is drawn anew, for all questions of a cluster together, and all is learned again: a ridge regression
    is linear in its labels, so that one solution serves every permutation; the forest takes every fifth.

    Raises InputError for fewer clusters than folds.
    """
    options = [(question.question, list(question.options.values())) for question in questions]
    sizes = [len(texts) for _, texts in options]
    starts = np.cumsum([0, *sizes])
    owner = np.repeat(np.arange(len(questions)), sizes)
    splits = [
        (np.flatnonzero(np.isin(owner, train)), np.flatnonzero(np.isin(owner, test)))
        for train, test in split_apart([question.cluster for question in questions], learning)
    ]
    letters = np.eye(max(sizes))[np.concatenate([np.arange(size) for size in sizes])]
    tokens = [each for question, texts in options for each in option_tokens(question, texts)]
    numbers = np.asarray(
        [each for question, texts in options for each in option_numbers(question, texts)]
    )
    labels = _labels(questions, starts, learning)
    classifiers: dict[str, tuple[Predict, int]] = {
        "letter": (partial(_letter, letters), learning.permutations),
        "linear": (partial(_linear, tokens), learning.permutations),
        "forest": (partial(_forest, numbers, learning.seed), learning.permutations // REFITTED),
    }
    for name, (predict, permutations) in classifiers.items():
        used = labels[:, : permutations + 1]
        scores = np.zeros(used.shape)
        for train, test in splits:
            scores[test] = predict(train, test, used[train])
        chances, hits = [], []
        for question, start, end in zip(questions, starts, starts[1:], strict=False):
            own = scores[start:end]
            hits.append(used[start:end][own.argmax(axis=0), np.arange(permutations + 1)] > 0)
            shares = np.clip(own[:, 0] + 1 / len(own), 1e-6, None)
            chances.append(
                dict(zip(question.options, (shares / shares.sum()).tolist(), strict=True))
            )
        yield Shortcut(name, questions, chances, np.asarray(hits))


def split_apart(
    clusters: Sequence[Hashable | None], learning: Learning
) -> list[tuple[Places, Places]]:
    """Return the places to learn from and to judge of each fold; a cluster is whole in one (None: of its own).

    Raises InputError for fewer clusters than folds, or fewer than two folds.
    """
    from sklearn.model_selection import GroupKFold

    labels = {place: label for label, places in enumerate(partition(clusters)) for place in places}
    owners = [labels[place] for place in range(len(clusters))]
    try:
        splitter = GroupKFold(learning.folds, shuffle=True, random_state=learning.seed)
        return list(splitter.split(owners, groups=owners))
    except ValueError as error:
        raise InputError(
            "Expected at least 2 --folds, and as many questions that share no picture or paper; found "
            f"{learning.folds} and {len(set(owners))}. Choose other --folds, or a larger task."
        ) from error


def _letter(known: Array, train: Places, test: Places, labels: Array) -> Array:
    counts = np.maximum(known[train].sum(axis=0), 1)[:, None]
    found: Array = known[test] @ (known[train].T @ labels / counts)
    return found


def _linear(tokens: Sequence[Sequence[str]], train: Places, test: Places, labels: Array) -> Array:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    vectors = TfidfVectorizer(analyzer=list, min_df=2, max_features=MOST_TOKENS, sublinear_tf=True)
    model = make_pipeline(vectors, Ridge(alpha=1.0, fit_intercept=False, solver="cholesky"))
    model.fit([tokens[place] for place in train], labels)
    found: Array = model.predict([tokens[place] for place in test]).reshape(len(test), -1)
    return found


def _forest(known: Array, seed: int, train: Places, test: Places, labels: Array) -> Array:
    from sklearn.ensemble import RandomForestRegressor

    model = RandomForestRegressor(
        TREES, max_depth=DEPTH, max_samples=0.5, max_features="sqrt", random_state=seed
    )
    return np.column_stack(
        [model.fit(known[train], column).predict(known[test]) for column in labels.T]
    )


def _labels(questions: Sequence[ChoiceQuestion], starts: Places, learning: Learning) -> Array:
    """By column, how far each option is right beyond chance: as it is, then moved on by a random number of options.

    All questions of a cluster are moved on together: rotations of one question then keep one right text.
    """
    generator = np.random.default_rng(learning.seed)
    found = np.zeros((starts[-1], learning.permutations + 1))
    for places in partition([question.cluster for question in questions]):
        drawn = generator.random(learning.permutations)
        for place in places:
            question, start = questions[place], starts[place]
            size = len(question.options)
            answer = list(question.options).index(question.answer)
            right = [answer, *(answer + np.floor(drawn * size).astype(int)) % size]
            found[start : start + size] = -1 / size
            found[start + np.asarray(right), np.arange(len(right))] += 1
    return found
