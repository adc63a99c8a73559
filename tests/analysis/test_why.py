"""Why two numbers of one model differ: real answers, with changes that are put in."""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from host_files import FAILED as MARKER
from host_files import sample_of, write_run
from report_runs import choices
from report_runs import run_of as run_of_records
from run_files import read_results

from spiqa_tasks.analysis.merging import conditions
from spiqa_tasks.analysis.why import (
    AVERAGE,
    COVERAGE,
    CUT,
    FAILED,
    NONE,
    OTHER,
    RULE,
    UNKNOWN,
    UNREAD,
    Line,
    Why,
    number_of,
    why,
)
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
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
    """Real answers of many words, each by one model, to questions with four options of one line."""
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
    """Return the score of a text by a rule, computed without the package's table of rules."""
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
    """Return a run of a host's task whose log has scores by a rule, and id -> score. A failed
    request has the score 0.
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
    """Return the group of a question; the groups have different sizes."""
    return f"g{min(3, int(key) % 8)}"


def mean_of_groups(scores: Mapping[str, float]) -> float:
    """Return the mean of the groups' means."""
    groups = defaultdict(list)
    for key, score in scores.items():
        groups[group_of(key)].append(score)
    return fmean(fmean(group) for group in groups.values())


def lines(found: Why) -> dict[str, Line]:
    """Return cause -> line of a difference, after a check that the lines add up to it."""
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
    assert of[RULE].about.startswith(f"average (read as accuracy) and average (read as {rule}")
    assert of[RULE].value == pytest.approx(fmean(theirs.values()) - fmean(ours.values()))
    assert set(of[RULE].ids) == {key for key in ours if ours[key] != theirs[key]}
    assert [line.cause for line in found.lines if abs(line.value) > 1e-12] == [RULE]


def test_what_was_put_in_is_found(tmp_path: Path, questions: Sequence[Question]) -> None:
    """Another rule, 10% of answers cut off, 5% failed, 3 questions missing, a sixth other, another
    average: each line is the part of what was put in.
    """
    source, n = random.Random(0), len(questions)
    keys = source.sample([question["id"] for question in questions], n)
    cut, failed, gone = keys[: n // 10], keys[-(n // 20) :], keys[n // 2 :][:3]
    others = keys[n // 4 :][: n // 6]
    original = {question["id"]: question["response"] for question in questions}
    texts: dict[str, Any] = dict(original)
    texts |= {key: texts[key][:20] for key in cut}
    texts |= dict.fromkeys(failed, MARKER) | dict.fromkeys(gone)
    texts |= {key: source.choice("ABCD") for key in others}
    rules = ("accuracy", "accuracy_vlmevalkit")
    a, of_a = run_of(tmp_path / "a", questions, rules[0])
    b, of_b = run_of(tmp_path / "b", questions, rules[1], texts, cut=cut, number=mean_of_groups)
    of = lines(why(a, b))

    by_id = {question["id"]: question for question in questions}

    def part(changed: Sequence[str]) -> float:
        """The mean change of the first rule's scores by the changed answers."""
        changes = []
        for key in changed:
            score = 0.0 if texts[key] == MARKER else right(by_id[key], texts[key], rules[0])
            changes.append(score - of_a[key])
        return sum(changes) / len(of_b)

    for cause, changed in ((CUT, cut), (FAILED, failed)):
        assert of[cause].value == pytest.approx(part(changed)), cause
        assert set(of[cause].ids) <= set(changed)
        assert of[cause].about.endswith(f" and {len(changed)}")
    # Some of the real answers state no letter.
    assert of[OTHER].value + of[UNREAD].value + of[NONE].value == pytest.approx(part(others))
    by_rule = [
        score - right(by_id[key], texts[key], rules[0])
        for key, score in of_b.items()
        if texts[key] != MARKER
    ]
    assert of[RULE].value == pytest.approx(sum(by_rule) / len(of_b))
    assert set(of[COVERAGE].ids) == set(gone)
    common = [of_a[key] for key in of_b]
    assert of[COVERAGE].value == pytest.approx(fmean(common) - fmean(of_a.values()))
    assert of[AVERAGE].value == pytest.approx(mean_of_groups(of_b) - fmean(of_b.values()))
    assert of[AVERAGE].about == "over questions and over l2_category"
    assert of[UNKNOWN].value == pytest.approx(0, abs=1e-4)


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
    of_b = number_of(b, "average")
    assert (of_b.value, of_b.average) == (pytest.approx(number), "l2_category")

    other = write_run(
        tmp_path / "c", "m", {"mmstar": samples}, totals={"mmstar": {"average": 0.54}}
    )
    (c,) = read_results(other)
    found = why(b, c)
    assert (found.metric_a, found.number_a) == ("average", pytest.approx(number))
    # that no average of the scores gives 0.54
    assert number_of(c, "average").average == ""
    total = sum(line.value for line in found.lines)
    assert total == pytest.approx(0.54 - number)
    assert lines(found)[UNKNOWN].value == pytest.approx(0.54 - fmean(chain(*axes.values())))


def test_the_conditions_that_differ_are_named(
    tmp_path: Path, questions: Sequence[Question]
) -> None:
    """Another prompt, and another model argument."""
    some = questions[:60]
    texts = {question["id"]: "A" for question in some[::2]}
    a, _ = run_of(tmp_path / "a", some, "accuracy")
    b, _ = run_of(
        tmp_path / "b",
        some,
        "accuracy",
        texts,
        post="Think first.",
        model_args="pretrained=m,max_pixels=9",
    )
    found = why(a, b)
    assert found.differ == [
        "model: m,pretrained=m and m,max_pixels=9,pretrained=m",
        "prompt of 60 of 60 questions",
    ]
    changed = {line.cause for line in found.lines if abs(line.value) > 1e-12}
    assert changed == {OTHER, UNREAD}  # some of the real answers state no letter


@pytest.mark.parametrize("words", [16, 90])
def test_answers_cut_without_token_counts_are_no_other_answers(
    tmp_path: Path, questions: Sequence[Question], words: int
) -> None:
    """Most hosts' models log none: they have no letter, which is a cause of its own."""
    long = [each for each in questions if len(each["response"].split()) > 90]
    texts = {each["id"]: " ".join(each["response"].split()[:words]) for each in long}
    a, _ = run_of(tmp_path / "a", long, "accuracy")
    b, _ = run_of(tmp_path / "b", long, "accuracy", texts)
    of = lines(found := why(a, b))
    changed = found.number_b - found.number_a
    assert changed < 0
    assert of[CUT].value + of[UNREAD].value < 0.5 * changed
    assert of[UNREAD].ids


def test_a_system_turn_that_was_never_sent_is_no_difference(
    tmp_path: Path, questions: Sequence[Question]
) -> None:
    """lmms-eval logs `--system_instruction` of chat models, which never get it."""
    a, _ = run_of(tmp_path, questions[:3], "accuracy")
    logged = {**a.origin.conditions, "system turn": "Be brief."}
    b = replace(a, origin=replace(a.origin, conditions=logged))
    assert conditions(a, b) == []


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
    """Return a run on SPIQA with answers of one letter, scored by a judge, and with `released` also
    by the released reading.
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


def test_every_cause_has_the_questions_that_it_changed() -> None:
    """A failed request has no score: its part is less than that of a wrong answer."""
    right = choices([True] * 6)
    wrong = [
        {},
        {"status": "request_failed", "prediction": None, "scores": {}},
        {"details": {"truncated": True}},
        {"refused": True},
        {"status": "unparsed"},
        {},
    ]
    others = [right[0]]
    for record, changes in zip(choices([False] * 6)[1:], wrong[1:], strict=True):
        others.append(replace(record, **changes))
    found = why(run_of_records(right), run_of_records(others))
    assert (found.number_a, found.number_b) == (1.0, pytest.approx(1 / 5))

    causes = {line.cause: (line.value, list(line.ids)) for line in found.lines if line.ids}
    part = pytest.approx(-1 / 6)
    assert causes == {
        FAILED: (pytest.approx(-1 / 6 + 1 / 30), ["q1"]),
        CUT: (part, ["q2"]),
        NONE: (part, ["q3"]),
        UNREAD: (part, ["q4"]),
        OTHER: (part, ["q5"]),
    }
    assert sum(line.value for line in found.lines) == pytest.approx(-4 / 5)
    assert [line.about for line in found.lines if line.cause in causes] == ["0 and 1"] * 4 + [""]


def test_questions_that_one_run_lacks_are_the_part_of_coverage() -> None:
    """Each run's mean is over its own answers; what they share is compared by question."""
    a = run_of_records(choices([True, True, False, False]))
    b = run_of_records(choices([True, True]))
    of = lines(found := why(a, b))
    assert (found.number_a, found.number_b) == (0.5, 1.0)
    assert (of[COVERAGE].value, list(of[COVERAGE].ids)) == (0.5, ["q2", "q3"])
    assert of[COVERAGE].about == "4 and 2 questions"
    assert not any(line.value for line in found.lines if line.cause != COVERAGE)


def test_the_same_answers_by_another_judge_are_the_judges_part() -> None:
    """Other answers by another judge are other answers."""
    a, b = judged("aaaa", [0.0, 0.5, 1.0, 1.0]), judged("aabb", [1.0, 0.5, 0.0, 1.0], "openai:k")
    of = lines(found := why(a, b))
    assert found.differ == ["judge: openai:j and openai:k"]
    assert (of[RULE].value, list(of[RULE].ids)) == (0.25, ["p0/0"])
    assert (of[OTHER].value, list(of[OTHER].ids)) == (-0.25, ["p2/0"])


def test_answers_per_figure_are_other_answers_of_their_questions(tmp_path: Path) -> None:
    """A question's answer is that of one of its documents, and no document has its id."""
    settings = "setting=perfigure,max_figures=0"
    rows = load_rows("spiqa", "demo", settings)
    runs = []
    for model, answer in (("a", "{answer}"), ("b", "nothing")):
        write_run(
            tmp_path / model,
            model,
            {"spiqa_demo": [sample_of(row, answer.format_map(row)) for row in rows]},
            totals={"spiqa_demo": {}},
            settings={"spiqa_demo": settings},
            benchmark="spiqa",
            split="demo",
            asked=39,
        )
        runs += load_runs([RunPath(tmp_path / model)])[0]
    found = why(*runs, "rouge_l", "rouge_l")
    of = lines(found)
    assert (of[RULE].value, of[OTHER].value) == (0, pytest.approx(-found.number_a))
    assert len(of[OTHER].ids) == round(39 * found.number_a)  # symbols are no words to ROUGE


def test_both_readings_of_a_run_are_two_rules() -> None:
    """The released and the corrected reading of the same answers."""
    run = judged("abcd", [0.0, 0.5, 1.0, 1.0], released=[0.0, 0.5, 0.0, 0.5])
    assert all(line.value == 0 for line in why(run, run).lines)
    of = lines(why(run, run, "l3score", "l3score_released"))
    assert (of[RULE].value, list(of[RULE].ids)) == (pytest.approx(-1.5 / 4), ["p2/0", "p3/0"])
