"""Classifiers that see only the texts of choices."""

import dataclasses
import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest
from made_choices import made_choices
from scipy.stats import binom
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_extraction.text import TfidfVectorizer

from spiqa_tasks.analysis.shortcuts import (
    ChoiceQuestion,
    Learning,
    Shortcut,
    shortcuts,
    split_apart,
)
from spiqa_tasks.errors import InputError
from spiqa_tasks.scoring.intervals import Interval, share_interval
from spiqa_tasks.scoring.option_features import option_numbers, option_tokens


def ends(interval: Interval) -> tuple[float | None, float | None]:
    """Both ends."""
    return interval.low, interval.high


def by_name(questions: list[ChoiceQuestion], learning: Learning) -> dict[str, Shortcut]:
    """What each classifier made of the questions."""
    return {each.name: each for each in shortcuts(questions, learning)}


@pytest.mark.parametrize(
    ("shortcut", "finders"),
    [("word", {"linear"}), ("length", {"linear", "forest"}), ("letter", {"letter", "linear"})],
)
def test_a_planted_shortcut_is_found(shortcut: str, finders: set[str]) -> None:
    """Four of five questions are told by a word, the length or the letter; who can see that is right on most."""
    learning = Learning(folds=3, permutations=95 if "forest" in finders else 30)
    rows = {
        name: each.rows("task")[0]
        for name, each in by_name(made_choices(120, 1, shortcut), learning).items()
    }
    for name in finders:
        drawn = learning.permutations // (5 if name == "forest" else 1)
        assert rows[name]["value"] > 0.6, name
        assert rows[name]["p"] == pytest.approx(1 / (drawn + 1)), name
        assert rows[name]["low"] > rows[name]["chance"] == 0.25, name
    for name in {"letter"} - finders:
        assert rows[name]["value"] < 0.5, name


def test_false_alarms_are_as_many_as_promised() -> None:
    """Of 120 sets without a shortcut those with p of at most 0.1 are a tenth, as far as chance lets them be."""
    count, alarms = 120, Counter[str]()
    for seed in range(count):
        learning = Learning(folds=3, seed=seed, permutations=19)
        for each in itertools.islice(shortcuts(made_choices(24, 1000 + seed), learning), 2):
            alarms[each.name] += each.rows("task")[0]["p"] <= 0.1
    for name in ("letter", "linear"):
        assert alarms[name] <= binom.ppf(0.999, count, 0.1), name
    assert alarms["linear"] >= binom.ppf(0.001, count, 0.05)


def test_a_row_counts_hits_of_choices() -> None:
    """Accuracy, interval, chance and p, by hand; those of groups are corrected for their number."""
    questions = made_choices(40, 3, "word")
    _, found = itertools.islice(shortcuts(questions, Learning(permutations=39)), 2)
    hits = [pick == question.answer for question, pick, _ in found.answers]
    everything, *groups = found.rows("task")
    assert (everything["n"], everything["value"]) == (40, sum(hits) / 40)
    assert (everything["low"], everything["high"]) == ends(
        share_interval([float(hit) for hit in hits])
    )
    better = sum(int(found.hits[:, column].sum()) >= sum(hits) for column in range(1, 40))
    assert everything["p"] == (better + 1) / 40
    assert [(group["group"], group["n"]) for group in groups] == [("even", 20), ("odd", 20)]
    assert groups[0]["value"] == sum(hits[::2]) / 20
    assert min(group["p"] for group in groups) >= 2 / 40


def test_probabilities_are_of_the_options() -> None:
    """They are above 0, sum to 1 and are highest of the option that is chosen; options may be of different number."""
    questions = [
        dataclasses.replace(
            question, options=dict(list(question.options.items())[:size]), answer="AB"[number % 2]
        )
        for number, question in enumerate(made_choices(30, 4))
        for size in [2 + number % 3]
    ]
    for each in shortcuts(questions, Learning(permutations=0)):
        for chances, (question, pick, right) in zip(each.chances, each.answers, strict=True):
            assert right == chances[question.answer]
            assert list(chances) == list(question.options)
            assert math.fsum(chances.values()) == pytest.approx(1)
            assert 0 < min(chances.values()) <= max(chances.values()) == chances[pick]
        assert each.rows("task")[0]["chance"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
        assert each.rows("task")[0]["p"] is None


def test_what_questions_share_is_never_learned_from() -> None:
    """Twins of one picture with an answer that only they share are in one fold, so that nothing leaks."""
    questions = made_choices(60, 5)
    twins = [
        dataclasses.replace(question, id=f"{question.id}{twin}", cluster=question.id)
        for question in questions
        for twin in "ab"
    ]
    leaking = [dataclasses.replace(question, cluster=None) for question in twins]
    apart, together = (
        by_name(each, Learning(permutations=0))["linear"].rows("task")[0]
        for each in (twins, leaking)
    )
    assert together["value"] > 0.7
    assert apart["value"] < 0.45
    for train, test in split_apart(
        [question.cluster for question in twins], Learning(folds=7, seed=3)
    ):
        assert not {twins[place].cluster for place in train} & {
            twins[place].cluster for place in test
        }


def test_the_same_seed_gives_the_same() -> None:
    """And another one other folds."""
    questions = made_choices(40, 6)
    one, same, other = (
        [each.chances for each in shortcuts(questions, Learning(seed=seed, permutations=0))]
        for seed in (1, 1, 2)
    )
    assert one == same != other


def test_fewer_clusters_than_folds_or_a_single_fold_are_refused() -> None:
    """Nothing could be kept apart."""
    questions = [dataclasses.replace(question, cluster="one") for question in made_choices(9, 7)]
    with pytest.raises(InputError, match="found 5 and 1"):
        list(shortcuts(questions, Learning()))
    with pytest.raises(InputError, match="found 1 and 9"):
        list(shortcuts(made_choices(9, 7), Learning(folds=1)))


def test_each_classifier_is_what_it_says() -> None:
    """The share of a letter in the other folds; ridge regression and forest as scikit-learn has them, fold by fold."""
    questions, learning = made_choices(40, 8, "length"), Learning(folds=4, seed=3, permutations=0)
    found = by_name(questions, learning)
    tokens = [option_tokens(each.question, list(each.options.values())) for each in questions]
    numbers = np.asarray(
        [option_numbers(each.question, list(each.options.values())) for each in questions]
    )
    right = np.asarray(
        [[float(letter == each.answer) - 0.25 for letter in each.options] for each in questions]
    )
    for train, test in split_apart([None] * 40, learning):
        shares = Counter(questions[place].answer for place in train)
        vectors = TfidfVectorizer(analyzer=list, min_df=2, max_features=5000, sublinear_tf=True)
        known = vectors.fit_transform([each for place in train for each in tokens[place]]).toarray()
        weights = np.linalg.solve(
            known.T @ known + np.eye(known.shape[1]), known.T @ right[train].ravel()
        )
        forest = RandomForestRegressor(
            50, max_depth=6, max_samples=0.5, max_features="sqrt", random_state=3
        )
        forest.fit(numbers[train].reshape(-1, numbers.shape[-1]), right[train].ravel())
        for place in test:
            own = vectors.transform(tokens[place]).toarray()
            for name, scores in (
                ("letter", [shares[letter] / len(train) - 0.25 for letter in "ABCD"]),
                ("linear", own @ weights),
                ("forest", forest.predict(numbers[place])),
            ):
                chances = np.clip(np.asarray(scores) + 0.25, 1e-6, None)
                expected = dict(zip("ABCD", chances / chances.sum(), strict=True))
                assert found[name].chances[place] == pytest.approx(expected, abs=1e-9), name


def test_a_permutation_with_as_many_hits_counts_against_the_finding() -> None:
    """3 hits beside permutations with 3, 3, 2, 4 and 1: (3 + 1) / (5 + 1), in a group as over all."""
    questions = made_choices(4, 1)
    counts = (3, 3, 3, 2, 4, 1)
    hits = np.array([[place < count for count in counts] for place in range(4)])
    row, *_ = Shortcut("letter", questions, [{}] * 4, hits).rows("t")
    assert (row["value"], row["p"]) == (3 / 4, 4 / 6)
    one = [dataclasses.replace(question, groups=("one",)) for question in questions]
    assert [row["p"] for row in Shortcut("letter", one, [{}] * 4, hits).rows("t")] == [4 / 6, 4 / 6]


def test_rotations_of_a_question_are_permuted_together() -> None:
    """A cluster of four rotations keeps one right text in each permutation: who picks one text hits all or none."""
    words = [f"word{number}" for number in range(40)]
    draw = random.Random(0)
    questions = []
    for number in range(15):
        texts = draw.sample(words, 4)
        for turn in range(4):
            options = dict(zip("ABCD", texts[turn:] + texts[:turn], strict=True))
            right = next(letter for letter, text in options.items() if text == texts[0])
            questions.append(
                ChoiceQuestion(
                    f"q{number}/{turn}", f"Which {number}?", options, right, (), f"c{number}"
                )
            )
    _, linear = itertools.islice(shortcuts(questions, Learning(permutations=30)), 2)
    hits = linear.hits.reshape(15, 4, 31)
    assert (hits == hits[:, :1]).all()
    assert 0 < hits[:, 0, 1:].mean() < 1
