"""Why two numbers of one model differ: real answers, with changes that are put in and counted
apart.
"""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from host_files import FAILED as MARKER
from host_files import write_demo_run, write_run
from report_runs import run_of as run_of_records

from spiqa_tasks.analysis.conditions import differing
from spiqa_tasks.analysis.decomposition import (
    AVERAGE,
    COVERAGE,
    MIXED,
    OTHER,
    RULE,
    UNKNOWN,
    Line,
)
from spiqa_tasks.analysis.numbers import CUT, FAILED, UNREAD
from spiqa_tasks.analysis.why import Why, why, why_printed
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.readers.lmms_eval import read_results
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import (
    CIRCULATING,
    lmms_eval_match,
    released_match,
    vlmevalkit_match,
)

Question = Mapping[str, Any]
"""id, response, choices (letter -> text), letter (the true one)."""
LIMIT = 512


@pytest.fixture(scope="module")
def questions(real_data: Path) -> list[Question]:
    """Real answers of many words, each of one model, with four options in one line each."""
    rows = [
        json.loads(line) for line in (real_data / "mcq" / "answers.jsonl").read_text().splitlines()
    ]
    kept = {
        f"{row['source']}{row['id']}": row
        for row in rows
        if [*row["choices"]] == [*"ABCD"]
        and all(text and "\n" not in text for text in row["choices"].values())
    }
    return [{**row, "id": str(place)} for place, row in enumerate([*kept.values()][::5])]


def right(question: Question, text: str, rule: str) -> float:
    """The score by the functions themselves, not by the table of rules."""
    choices, letter = question["choices"], question["letter"]
    return float(
        {
            "accuracy": lambda: extract_choice(text, choices).letter == letter,
            "accuracy_released": lambda: released_match(text, letter),
            "accuracy_lmms_eval": lambda: lmms_eval_match(text) == letter,
            "accuracy_vlmevalkit": lambda: vlmevalkit_match(text, choices) == letter,
            "accuracy_vlmevalkit_2026_06": lambda: (
                vlmevalkit_match(text, choices, is_2026_06=True) == letter
            ),
        }[rule]()
    )


def run_of(
    folder: Path,
    questions: Sequence[Question],
    rule: str,
    texts: Mapping[str, str] | None = None,
    *,
    cut: Sequence[str] = (),
    post: str = "Answer with the letter.",
    number: Callable[[Mapping[str, float]], float] = lambda scores: fmean(scores.values()),
    model_args: str = "pretrained=m",
) -> tuple[Run, dict[str, float]]:
    """The log of a host's task that scores by a rule, and its scores; failed requests are wrong
    to it.
    """
    texts = {question["id"]: question["response"] for question in questions} | dict(texts or {})
    scores, samples = {}, []
    for question in (each for each in questions if texts[each["id"]] is not None):
        key, text = question["id"], texts[question["id"]]
        scores[key] = 0.0 if text == MARKER else right(question, text, rule)
        options = "\n".join(
            f"({letter}) {option}" for letter, option in question["choices"].items()
        )
        logged = {"question_id": key, "l2_category": group_of(key), "score": scores[key]}
        samples.append(
            {
                **{
                    "doc_id": int(key),
                    "target": question["letter"],
                    "filtered_resps": [text],
                    "average": logged,
                },
                "input": f"<image>\nquestion {key}\n{options}\n{post}",
                "token_counts": [{"output_tokens": LIMIT if key in cut else 100}],
            }
        )
    path = write_run(
        folder, "m", {"t": samples}, model_args, totals={"t": {"average": number(scores)}}
    )
    content = json.loads(path.read_text())
    content["configs"]["t"]["generation_kwargs"] = {"max_new_tokens": LIMIT}
    path.write_text(json.dumps(content))
    return read_results(path)[0], scores


def group_of(key: str) -> str:
    """Groups of unequal size."""
    return f"g{min(3, int(key) % 8)}"


def mean_of_groups(scores: Mapping[str, float]) -> float:
    """Each group counts the same."""
    groups = defaultdict(list)
    for key, score in scores.items():
        groups[group_of(key)].append(score)
    return fmean(fmean(group) for group in groups.values())


def lines(found: Why) -> dict[str, Line]:
    """Cause -> line; they add up to the difference of the numbers."""
    assert sum(line.value for line in found.lines) == pytest.approx(
        found.number_b - found.number_a, abs=1e-9
    )
    return {line.cause: line for line in found.lines}


@pytest.mark.parametrize("rule", sorted(set(CIRCULATING) - {"accuracy"}))
def test_the_same_answers_by_two_rules_differ_by_the_rule_alone(
    tmp_path: Path, questions: Sequence[Question], rule: str
) -> None:
    """Of every rule that circulates; the rule of a log is recognised by its scores."""
    a, ours = run_of(tmp_path / "a", questions, "accuracy")
    b, theirs = run_of(tmp_path / "b", questions, rule)
    found = why(a, b)
    of = lines(found)
    assert found.about[RULE].startswith(f"average (read as accuracy) and average (read as {rule}")
    assert of[RULE].value == pytest.approx(fmean(theirs.values()) - fmean(ours.values()))
    assert set(of[RULE].ids) == {key for key in ours if ours[key] != theirs[key]}
    assert [line.cause for line in found.lines if abs(line.value) > 1e-12] == [RULE]
    assert found.explains.startswith(f"What explains most: {RULE}")
    assert found.settles == "Nothing is left to settle."


def test_what_was_put_in_is_found(tmp_path: Path, questions: Sequence[Question]) -> None:
    """Another rule, 10% of answers cut off, 5% failed, 3 questions missing, a sixth other, another
    average.

    Each line equals what was put in, within one question: the rule and the average are computed
    from whole numbers in both orders, the others from the questions that were changed.
    """
    source, n = random.Random(0), len(questions)
    keys = source.sample([question["id"] for question in questions], n)
    cut, failed, gone, others = (
        keys[: n // 10],
        keys[-(n // 20) :],
        keys[n // 2 :][:3],
        keys[n // 4 :][: n // 6],
    )
    texts: dict[str, Any] = {question["id"]: question["response"] for question in questions}
    texts |= (
        {key: texts[key][:20] for key in cut} | dict.fromkeys(failed, MARKER) | dict.fromkeys(gone)
    )
    texts |= {key: source.choice("ABCD") for key in others}
    rules = ("accuracy", "accuracy_vlmevalkit")
    a, of_a = run_of(tmp_path / "a", questions, rules[0])
    b, of_b = run_of(tmp_path / "b", questions, rules[1], texts, cut=cut, number=mean_of_groups)
    of = lines(found := why(a, b))

    def total(texts: Mapping[str, Any], rule: str, only: Sequence[str] = keys) -> float:
        """The mean of both averages, 0 beyond `only`, over the common questions."""
        scores = {each["id"]: 0.0 for each in questions if each["id"] not in gone}
        for each in (each for each in questions if each["id"] in only and each["id"] in scores):
            scores[each["id"]] = (
                0.0 if texts[each["id"]] == MARKER else right(each, texts[each["id"]], rule)
            )
        return fmean((fmean(scores.values()), mean_of_groups(scores)))

    original = {question["id"]: question["response"] for question in questions}
    one = 1 / n
    by_rule = [total(which, rules[1]) - total(which, rules[0]) for which in (original, texts)]
    assert of[RULE].value == pytest.approx(fmean(by_rule), abs=one)
    for cause, changed in ((CUT, cut), (FAILED, failed), (OTHER, others)):
        put = fmean(total(texts, rule, changed) - total(original, rule, changed) for rule in rules)
        assert of[cause].value == pytest.approx(put, abs=one), cause
        assert len(of[cause].ids) <= len(changed)
    assert set(of[CUT].ids) == set(cut)
    assert set(of[FAILED].ids) == set(failed)
    assert set(of[COVERAGE].ids) == set(gone)
    common = [scores for scores in of_a if scores in of_b]
    averages = [
        mean_of_groups(scores) - fmean(scores.values())
        for scores in ({k: of_a[k] for k in common}, of_b)
    ]
    assert of[AVERAGE].value == pytest.approx(fmean(averages), abs=one)
    assert of[UNKNOWN].value == pytest.approx(0)
    assert found.about[AVERAGE] == "over questions and over l2_category"
    assert found.about[CUT] == f"0 and {len(cut)}"
    assert of[OTHER].low < of[OTHER].value < of[OTHER].high


def test_mmstar_answers_of_a_host_and_of_a_table(tmp_path: Path, real_data: Path) -> None:
    """The sample as a table scored by ours, and as lmms-eval's own `mmstar`: its rule and its
    average over axes.
    """
    path = real_data / "mmstar" / "llava_next_34b_sample.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    axes = defaultdict(list)
    samples = []
    for row in rows:
        score = float(lmms_eval_match(row["prediction"]) == row["answer"])
        axes[row["l2_category"]].append(score)
        logged = {"question_id": row["index"], "l2_category": row["l2_category"], "score": score}
        texts = {
            "filtered_resps": [row["prediction"]],
            "input": f"<image>{row['question']}\nAnswer with the letter.",
        }
        samples.append(
            {"doc_id": row["index"], "target": row["answer"], **texts, "average": logged}
        )
    number = fmean(map(fmean, axes.values()))
    (b,) = read_results(
        write_run(tmp_path, "m", {"mmstar": samples}, totals={"mmstar": {"average": number}})
    )
    found = why_printed(b, 0.54, "54")
    assert (found.metric_a, found.number_a) == ("average", pytest.approx(number))
    plain = fmean(released_match(row["prediction"], row["answer"]) for row in rows)
    assert found.by_rule["accuracy_released over questions"] == pytest.approx(plain, abs=1e-9)
    assert lines(found)[UNKNOWN].value == pytest.approx(0.54 - number)


def test_a_printed_number_by_a_known_rule_is_read_so(
    tmp_path: Path, questions: Sequence[Question]
) -> None:
    """The rule's part is a line, the rest is unknown; a rule that gives the number is said."""
    a, ours = run_of(tmp_path, questions, "accuracy")
    released = fmean(
        right(question, question["response"], "accuracy_released") for question in questions
    )
    of = lines(found := why_printed(a, released + 0.1, "paper", None, "accuracy_released"))
    assert of[RULE].value == pytest.approx(released - fmean(ours.values()))
    assert of[UNKNOWN].value == pytest.approx(0.1)
    assert "OTHER --why" in found.settles


def test_the_rule_and_the_average_that_give_a_printed_number_explain_it(
    tmp_path: Path, questions: Sequence[Question]
) -> None:
    """The same answers by another rule, and by another average of its scores: nothing is
    unknown.
    """
    a, _ = run_of(tmp_path, questions, "accuracy")
    by_lmms_eval = {
        question["id"]: right(question, question["response"], "accuracy_lmms_eval")
        for question in questions
    }
    for printed, average in (
        (fmean(by_lmms_eval.values()), "questions"),
        (mean_of_groups(by_lmms_eval), "l2_category"),
    ):
        found = why_printed(a, round(printed, 3), "paper")
        of = lines(found)
        assert abs(of[UNKNOWN].value) <= 0.0005
        assert found.metric_b == "accuracy_lmms_eval"
        assert found.about[AVERAGE] == f"over questions and over {average}"
        assert found.explains.startswith("What explains most: reading rule")
        assert found.settles == "Nothing is left to settle."


def test_other_answers_are_attributed_where_one_thing_differs(
    tmp_path: Path, questions: Sequence[Question]
) -> None:
    """Another prompt alone is named; beside another model argument neither is."""
    some = questions[:60]
    texts = {question["id"]: "A" for question in some[::2]}
    a, _ = run_of(tmp_path / "a", some, "accuracy")
    b, _ = run_of(tmp_path / "b", some, "accuracy", texts, post="Think first.")
    found = why(a, b)
    assert found.about[OTHER].startswith("prompt's wording (60 of 60 questions): ")
    assert "Think first" in found.about[OTHER]
    c, _ = run_of(
        tmp_path / "c",
        some,
        "accuracy",
        texts,
        post="Think first.",
        model_args="pretrained=m,max_pixels=9",
    )
    found = why(a, c)
    assert found.about[OTHER] == ""
    assert found.differ[0] == "max_pixels: none and 9"
    assert "one condition as in the other run: max_pixels: none and 9; prompt" in found.settles
    changed = {line.cause for line in found.lines if abs(line.value) > 1e-12}
    assert changed == {OTHER, UNREAD}  # some of the real answers state no letter


@pytest.mark.parametrize("words", [16, 90])
def test_answers_cut_without_token_counts_are_no_other_answers(
    tmp_path: Path, questions: Sequence[Question], words: int
) -> None:
    """Most hosts' models log none: a text that stops in a sentence where others do was cut."""
    long = [each for each in questions if len(each["response"].split()) > 90]
    texts = {each["id"]: " ".join(each["response"].split()[:words]) for each in long}
    a, _ = run_of(tmp_path / "a", long, "accuracy")
    b, _ = run_of(tmp_path / "b", long, "accuracy", texts)
    of = lines(found := why(a, b))
    changed = found.number_b - found.number_a
    assert changed < 0
    assert of[CUT].value + of[UNREAD].value < 0.5 * changed
    assert of[CUT].ids


def test_a_system_turn_that_was_never_sent_is_no_difference(
    tmp_path: Path, questions: Sequence[Question]
) -> None:
    """lmms-eval logs `--system_instruction` of chat models, which never get it."""
    a, _ = run_of(tmp_path, questions[:3], "accuracy")
    conditions = {**a.origin.conditions, "system turn": "Be brief."}
    b = replace(a, origin=replace(a.origin, conditions=conditions))
    assert differing(a, b) == []


def test_an_ablation_is_one_condition(tmp_path: Path, questions: Sequence[Question]) -> None:
    """With its seed, of our tasks, whose signature has it, and of a host's alike; a model's own
    seed is another.
    """
    own = read_results(
        next(write_demo_run(tmp_path, "m", lambda _, row: row["answer"]).rglob("*_results.json"))
    )[0]
    hosts, _ = run_of(tmp_path / "host", questions[:3], "accuracy")
    for run in (own, hosts):
        probed = replace(run, identity=replace(run.identity, ablation="options=permuted", seed="1"))
        assert differing(run, probed) == ["model_wrapper: none and options=permuted,seed=1"]
        assert differing(run, replace(run, identity=replace(run.identity, seed="1"))) == [
            "seed: none and 1"
        ]


def test_runs_that_share_no_question_are_refused(
    tmp_path: Path, questions: Sequence[Question]
) -> None:
    """Other questions, or another true answer under an id, in one sentence."""
    a, _ = run_of(tmp_path / "a", questions[:30], "accuracy")
    b, _ = run_of(tmp_path / "b", questions[30:60], "accuracy")
    with pytest.raises(InputError, match=r"Expected the same questions.*found none"):
        why(a, b)
    other = [{**each, "letter": "BCDA"["ABCD".index(each["letter"])]} for each in questions[:30]]
    c, _ = run_of(tmp_path / "c", other, "accuracy")
    with pytest.raises(InputError, match="another true answer of 30 questions"):
        why(a, c)


def judged(
    texts: str, scores: Sequence[float], judge: str = "openai:j", released: Sequence[float] = ()
) -> Run:
    """Answers to SPIQA of one letter each with their scores by a judge, and by the released
    reading.
    """
    signature = f"data:spiqa/testA@d|prompt:p|settings:setting=direct,protocol=both|judge:{judge}"
    both = [("l3score", scores), ("l3score_released", released)]
    records = [
        Record(
            f"p{place}/0",
            text,
            cluster=f"p{place}",
            scores={name: of[place] for name, of in both if of},
            verdicts=[{"metric": name, "score": of[place]} for name, of in both if of],
        )
        for place, text in enumerate(texts)
    ]
    return run_of_records(records, task="spiqa_testA", signature=signature)


def test_the_same_answers_by_another_judge_are_the_judges_part() -> None:
    """Other answers by another judge are neither: the command that would tell has the judge's
    name.
    """
    a, b = judged("aaaa", [0.0, 0.5, 1.0, 1.0]), judged("aabb", [1.0, 0.5, 0.0, 1.0], "openai:k")
    of = lines(found := why(a, b))
    assert found.about[RULE] == "judge: openai:j and openai:k"
    assert (of[RULE].value, list(of[RULE].ids)) == (0.25, ["p0/0"])
    assert (of[MIXED].value, list(of[MIXED].ids)) == (-0.25, ["p2/0", "p3/0"])
    assert "spiqa-tasks score spiqa_testA x_results.json --judge openai:k" in found.settles


def test_both_readings_of_a_run_are_two_rules() -> None:
    """The released and the corrected reading of the same answers."""
    run = judged("abcd", [0.0, 0.5, 1.0, 1.0], released=[0.0, 0.5, 0.0, 0.5])
    assert why(run, run).explains == "The numbers are equal, line by line."
    of = lines(why(run, run, "l3score", "l3score_released"))
    assert (of[RULE].value, list(of[RULE].ids)) == (pytest.approx(-1.5 / 4), ["p2/0", "p3/0"])
