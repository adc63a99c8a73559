"""Comparisons of runs, against scipy's paired t-test and against counts by hand."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_files import write_demo_run, write_run
from report_runs import choices, run_of

from spiqa_tasks.analysis.compare import Comparison, compare
from spiqa_tasks.analysis.merging import differing
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.cli import main
from spiqa_tasks.runs.frame import frame_of
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Answer, Origin, Reported, Run
from spiqa_tasks.scoring.intervals import paired

RIGHT: dict[str, Callable[[int], bool]] = {
    "a": lambda place: place % 2 == 0,
    "b": lambda place: place < 18,
    "c": lambda _: True,
}
"""Run a is right on every second question, b on the first 18 of 24, c on all."""


def made(name: str, count: int = 24, **changes: Any) -> Run:
    """Return a run of `RIGHT` by its name, with its first `count` answers."""
    return replace(run_of(choices([RIGHT[name](place) for place in range(count)]), name), **changes)


def only(runs: Sequence[Run], metric: str | None = None) -> Comparison:
    """Return the only comparison of some runs, none of which is left out."""
    (found,), left_out = compare(runs, metric)
    assert left_out == []
    return found


@pytest.fixture
def places(tmp_path: Path) -> list[Path]:
    """The runs in folders of lmms-eval."""
    return [
        write_demo_run(
            tmp_path / name,
            name,
            lambda place, row, right=each: row["answer"] if right(place) else "E",
        )
        for name, each in RIGHT.items()
    ]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> list[dict[str, Any]]:
    """Return the records that `compare --json` prints."""
    assert main(["compare", *map(str, arguments), "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_difference_interval_and_p_are_those_of_the_paired_test() -> None:
    """On questions that share nothing; the later run minus the earlier."""
    found = only([made("a"), made("b")])
    a, b = ([float(RIGHT[name](place)) for place in range(24)] for name in "ab")
    assert found.difference == paired(a, b)
    assert found.difference.difference == pytest.approx(0.25)
    assert found.p_corrected == found.difference.p
    assert (found.task, found.metric, found.a, found.b) == ("mmstar_filtered", "accuracy", "a", "b")


def test_questions_of_one_paper_count_together() -> None:
    """Two papers of answers that are alike say no more than two answers."""
    runs = []
    for name, scores in (("a", (0.1, 0.1, 0.2, 0.2)), ("b", (0.3, 0.3, 0.9, 0.9))):
        records = [
            Record(str(place), scores={"accuracy": score}, cluster=f"paper {place // 2}")
            for place, score in enumerate(scores)
        ]
        runs.append(run_of(records, name))
    found = only(runs).difference
    assert (found.n, found.difference) == (4, pytest.approx(0.45))
    assert found == paired([0.1, 0.1, 0.2, 0.2], [0.3, 0.3, 0.9, 0.9], list("aabb"))


def test_won_and_lost_are_named(places: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """b wins the odd questions below 18 and loses the even ones from there."""
    (found,) = printed(capsys, *places[:2])
    assert found["warnings"] == []
    assert found["won"] == [str(place) for place in range(1, 18, 2)]
    assert found["lost"] == ["18", "20", "22"]
    assert (found["score_a"], found["score_b"]) == (0.5, 0.75)


def test_several_runs_are_compared_in_pairs_with_corrected_p_values() -> None:
    """Three runs make three pairs; the smallest p-value is multiplied by three."""
    found, _ = compare([made("a"), made("b"), made("c")])
    assert [(each.a, each.b) for each in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    smallest = min(found, key=lambda each: each.difference.p)
    assert smallest.p_corrected == pytest.approx(3 * smallest.difference.p)


def test_a_baseline_is_set_against_each_other_run() -> None:
    """Under any of its names; a task without it is named, and the others are compared."""
    runs = [made("a"), made("b"), made("c")]
    for name in ("b", "openai,model=b"):
        second = replace(runs[1], identity=Identity("openai,model=b", name="b"))
        found, left_out = compare([runs[0], second, runs[2]], baseline=name)
        assert [(each.a, each.b) for each in found] == [("b", "a"), ("b", "c")]
        assert left_out == []

    elsewhere = [replace(made(name), task="u") for name in "ac"]
    found, left_out = compare([*runs, *elsewhere], baseline="b")
    assert {each.task for each in found} == {"mmstar_filtered"}
    assert left_out == ["u is left out: it has no run of b with scores, but of a, c."]


def test_many_runs_are_compared_with_the_best_one() -> None:
    """Above the number of pairs that a table holds; the sentence names where the others are."""
    runs = [made("a"), made("c"), made("b")]
    found, left_out = compare(runs, most=2)
    assert [(each.a, each.b) for each in found] == [("c", "a"), ("c", "b")]
    assert left_out == [
        "mmstar_filtered: each run against the best one, c; `spiqa-tasks compare` has the other"
        " pairs."
    ]
    assert len(compare(runs, most=3)[0]) == 3


def test_runs_without_samples_are_left_out() -> None:
    """Without a word: the commands say it of every run that they read."""
    bare = [made(name, logged=False) for name in "bc"]
    assert compare([made("a"), *bare]) == ([], [])
    assert compare(bare) == ([], [])


@pytest.mark.parametrize("partial", [False, True])
def test_parts_of_a_task_are_compared_where_they_are_wanted(partial: bool) -> None:
    """Ten questions of one run with the same ten of the other; both facts are said, or why there
    is nothing.
    """
    runs = [made("a", partial=partial), made("b", 10, asked=24, partial=partial)]
    if partial:
        found = only(runs)
        assert found.difference.n == 10
        assert found.warnings == [
            "b answered 10 of 24 questions",
            "14 questions have a score in one run only and are left out",
        ]
        return
    few = "10 of 24 questions were answered, fewer than 99% (--partial has values over a part)"
    assert compare(runs) == ([], [f"mmstar_filtered of b is left out: {few}."])


@pytest.mark.parametrize(
    ("first", "asked", "is_whole"),
    [(199, 200, True), (198, 200, False), (198, 0, False), (199, 201, False)],
)
def test_runs_that_lack_other_questions_are_compared_where_99_percent_are_common(
    first: int, asked: int, is_whole: bool
) -> None:
    """Each is whole with 198 or 199 of 200 answers, and both together have 198 or 196; --partial
    says how many. A file may not say how many were asked, or one more that no run has.
    """
    records = choices([True] * 200)
    runs = [
        replace(run_of(each, name), asked=asked)
        for name, each in (("a", records[:first]), ("b", records[200 - first :]))
    ]
    common = len(
        {record.id for record in runs[0].records} & {record.id for record in runs[1].records}
    )
    alone = f"{2 * (first - common)} questions have a score in one run only and are left out"
    few = f"{common} of {asked or 200} questions have a score in both runs, fewer than 99%"
    if is_whole:
        assert only(runs).warnings == [alone]
        return
    assert compare(runs) == (
        [],
        [f"mmstar_filtered: b is not compared with a: {few} (--partial has values over a part)."],
    )
    found = only([replace(run, partial=True) for run in runs])
    assert (found.difference.n, found.warnings) == (common, [few, alone])


def test_numbers_made_otherwise_are_compared_with_a_warning() -> None:
    """Every decisive field in which they differ is named with both values."""
    runs = [
        made("a"),
        run_of(
            choices([True] * 24), "b", signature="data:mmstar/val@d|prompt:q|settings:prompt=letter"
        ),
    ]
    assert only(runs).warnings == ["differ in prompt: p and q"]


def test_signatures_differ_in_what_decides_a_number() -> None:
    """Package, data, wording, settings, reading and judge; not in host, form of the file and
    number of questions.
    """
    one = Signature(
        data="d",
        judge="openai:a",
        judge_rule="top 5",
        package="1",
        host="lmms-eval",
        predictions="jsonl",
    )
    other = replace(one, host="offline", predictions="run", questions="1 of 2", model="m")
    assert differing(one, one) == differing(one, other) == []
    changed = replace(
        one,
        package="2",
        data="e",
        prompt="p",
        settings="s",
        matcher="3",
        tokenizer="t",
        judge="",
    )
    assert differing(one, changed) == [
        "package: 1 and 2",
        "data: d and e",
        "prompt: none and p",
        "settings: none and s",
        "matcher: none and 3",
        "tokenizer: none and t",
        "judge: openai:a and none",
    ]
    judged = [name for name in Signature.__dataclass_fields__ if name.startswith("judge")]
    for name in judged:
        assert differing(Signature(), replace(Signature(), **{name: "x"})) == [
            f"{name}: none and x"
        ]
    assert len(judged) > 5
    assert parse(one.text) == one


def test_the_metric_is_the_headline_or_the_one_that_is_named() -> None:
    """No other stands for a headline that runs have no score by, whatever their order."""
    spiqa = "data:spiqa/testA@d|settings:"
    judged = [Record("1", "a", "a", scores={"l3score": 0.5, "bleu_1": 1.0})]
    plain = [Record("1", "a", "a", scores={"bleu_1": 1.0})]

    def run(name: str, records: list[Record]) -> Run:
        signature = f"{spiqa}|judge:openai:j" if records == judged else spiqa
        return replace(
            run_of(records, name, "t", signature),
            reported=Reported(values={"rouge_l": 1.0, "bleu_1": 0.9}),
        )

    both = [run("a", judged), run("b", judged)]
    assert only(both).metric == "l3score"
    found, left_out = compare([*both, run("c", plain)])
    assert [(each.metric, each.b) for each in found] == [("l3score", "b")]
    assert left_out == ["t of c is left out: it has no l3score."]
    assert [each.metric for each in compare([run("c", plain), *both])[0]] == ["l3score"]
    assert compare([run("c", plain), run("d", plain)]) == (
        [],
        [f"t of {name} is left out: it has no l3score." for name in "cd"],
    )
    assert only(both, "unformatted_rate").metric == "unformatted_rate"
    found, (left_out,) = compare(both, "other")
    assert found == []
    assert left_out.startswith(
        "t is left out: Expected t to have the metric other; found l3score, bleu_1, rouge_l, "
    )
    assert compare(both, "rouge_l")[0] == []
    no_mean = "is left out: its bleu_1 is no mean over single answers."  # the corpus value is 0.9
    assert compare(both, "bleu_1") == ([], [f"t of {name} {no_mean}" for name in "ab"])


def test_a_headline_of_a_part_is_not_that_of_runs_with_all_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of the first questions alone has no say; a metric that is named counts."""
    samples = [
        {"doc_id": place, "target": "A", "filtered_resps": "A", name: {"score": 1.0}}
        for place, name in enumerate(["perception"] * 2 + ["logic"] * 2)
    ]
    whole = write_run(tmp_path, "a", {"t": samples}, stamp="1")
    part = write_run(tmp_path, "b", {"t": samples[:2]}, stamp="2")
    assert main(["compare", str(whole), str(part)]) == 2
    assert "perception, is of 2 of 4 questions" in capsys.readouterr().err
    (line,) = printed(capsys, whole, part, "--metric", "perception", "--partial")
    assert line["metric"] == "perception"


def judged(name: str, judge: str) -> Run:
    """Return a run with four answers that a judge scored."""
    records = [
        Record(
            f"p/{place}",
            "a",
            "a",
            scores={"l3score": place / 4},
            verdicts=({"metric": "l3score", "score": place / 4},),
        )
        for place in range(4)
    ]
    return run_of(records, name, "t", f"data:spiqa/testA@d|settings:|judge:{judge}")


def test_scores_of_different_judges_are_not_compared() -> None:
    """Their difference is that of the judges, too; a metric that needs none is compared."""
    runs = [judged("a", "openai:x"), judged("b", "openai:y")]
    assert compare(runs) == (
        [],
        [
            "t: b is not compared with a: they have scores by openai:x and openai:y. Name one "
            "judge with --judge; `compare --accept-differences` takes both."
        ],
    )
    assert compare([*runs, judged("c", "openai:y")])[1] == [
        f"t: {name} is not compared with a: they have scores by openai:x and openai:y. Name one "
        "judge with --judge; `compare --accept-differences` takes both."
        for name in "bc"
    ]
    (found,), left_out = compare(runs, accept_differences=True)
    assert (found.metric, found.difference.difference, left_out) == ("l3score", 0, [])
    assert only(runs, "unformatted_rate").metric == "unformatted_rate"


def test_other_generation_settings_are_noted_where_both_runs_have_them() -> None:
    """A note has those that differ alone; a plain file has none to differ in."""
    cold, hot, short = (
        made(name, origin=Origin(config={"generation_kwargs": settings}))
        for name, settings in (
            ("a", {"temperature": 0, "top_p": 1}),
            ("b", {"temperature": 0.7, "top_p": 1}),
            ("c", {"max_new_tokens": 9, "temperature": 0, "top_p": 1}),
        )
    )
    assert only([cold, hot]).warnings == ["differ in generation: temperature=0 and temperature=0.7"]
    assert only([cold, short]).warnings == ["differ in generation: none and max_new_tokens=9"]
    assert only([made("a"), hot]).warnings == []


def test_the_conditions_of_the_host_that_differ_are_named() -> None:
    """Shots, seeds and versions, as `--why` names them; a model is no condition."""
    one, other = (run_of(choices([True, False]), name) for name in "ab")
    one = replace(one, origin=Origin({"num_fewshot": 2}, {"version": "1", "seed (torch)": "3"}))
    other = replace(other, origin=Origin({}, {"version": "1", "seed (torch)": "4"}))
    assert only([one, other]).warnings == [
        "differ in shots: 2 and 0",
        "differ in seed (torch): 3 and 4",
        "the answers of both are the same",
    ]


def test_a_judge_named_with_its_address_is_the_same_judge() -> None:
    """A run that lmms-eval scored by SPIQA_JUDGE and one by `score --judge NAME@URL --output`."""
    by_host, offline = (judged(name, "openai:x") for name in "ab")
    offline = replace(offline, reported=Reported(judge="openai:x@http://127.0.0.1:8000/v1"))
    assert only([by_host, offline]).difference.difference == 0
    assert set(frame_of([by_host, offline]).judge) == {"openai:x"}


def test_a_rate_is_compared_where_it_is_asked_for_alone() -> None:
    """Two runs whose requests failed have no accuracy, and no refusals that would say anything."""
    failed = [Record(f"q{place}", reference="A", status="request_failed") for place in range(24)]
    for runs in ([run_of(failed, name) for name in "ab"], [made("a"), run_of(failed, "b")]):
        found, left_out = compare(runs)
        assert (found, left_out[-1].partition(": ")[2]) == (
            [],
            "0 of 24 answers have a score, fewer than 99%.",
        )
    found, left_out = compare([made("a"), run_of(failed, "b"), made("c")])
    assert ([(each.a, each.b) for each in found], len(left_out)) == ([("a", "c")], 1)
    assert (
        only([made("a"), run_of(failed, "b")], "request_failed_rate").difference.difference == 1.0
    )


def test_runs_of_other_questions_under_the_same_ids_are_not_compared() -> None:
    """A task of a host, whose ids are places, with another revision of its data."""
    other = run_of([replace(record, reference="C") for record in choices([True] * 24)], "b")
    assert compare([made("a"), other]) == (
        [],
        [
            "mmstar_filtered: b is not compared with a: 24 questions have another true answer under"
            " the same id, such as q0."
        ],
    )


def test_the_headline_is_compared_though_less_of_it_is_better() -> None:
    """Other metrics of which less is better are not, where none is named."""
    entries = [{"metric": name, "higher_is_better": False} for name in ("first", "second")]

    def theirs(model: str, name: str) -> Run:
        records = [
            Record(str(place), scores={name: float(place)}, details={"metrics": (name,)})
            for place in range(2)
        ]
        answers = [Answer(record.id, Response("A"), record) for record in records]
        return Run(
            "t",
            Identity(model),
            Path("x"),
            "lmms-eval",
            lambda: answers,
            origin=Origin(config={"metric_list": entries}),
        )

    found, left_out = compare([theirs("a", "first"), theirs("b", "first"), theirs("c", "second")])
    assert [(each.a, each.b, each.metric) for each in found] == [("a", "b", "first")]
    assert left_out == ["t of c is left out: it has no first."]
    found, left_out = compare([theirs("a", "second"), theirs("b", "first"), theirs("c", "first")])
    assert found == []
    assert len(left_out) == 2
