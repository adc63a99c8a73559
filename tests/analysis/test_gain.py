"""Gain and leakage of runs."""

import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gain_files import LLM, SEEING, TEXT, host_samples, rights, write_triple
from host_files import choice_sample, choice_samples, sample_of, write_run
from openai_server import Behaviour, OpenAIServer, TopLogprobs, agreeing
from run_command import run_json

from spiqa_tasks.analysis.gain import Row, ablation_pairs, averages, mean_gain, pair_of, rows
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.errors import InputError
from spiqa_tasks.report.tables import gain_tables
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.selection import Selection
from spiqa_tasks.scoring.gain import Gain
from spiqa_tasks.scoring.intervals import Estimate

GainOf = Callable[..., tuple[int, list[dict[str, Any]], str]]


@pytest.fixture
def gain(capsys: pytest.CaptureFixture[str]) -> GainOf:
    """A function of the arguments of `gain` that returns (exit status, records, stderr)."""
    return partial(run_json, capsys, "gain")


def rows_at(folder: Path, metric: str | None = None, **wanted: Any) -> list[Row]:
    """Return the rows of all pairs of runs below a folder."""
    runs, _ = load_runs([RunPath(folder)], Selection(**wanted))
    return [row for pair in ablation_pairs(runs, metric=metric)[0] for row in rows(pair, "group")]


def write_host_pair(
    folder: Path, v: list[Any], wv: list[Any], totals: tuple[Any, Any] = ({}, {}), **options: Any
) -> None:
    """Write runs of a host's own task with images (`v`) and without (`wv`)."""
    write_run(folder, "m", {"t": v}, stamp="1", totals={"t": totals[0]}, **options)
    write_run(
        folder,
        "ablated",
        {"t": wv},
        "base=m,ablation=grey",
        stamp="2",
        totals={"t": totals[1]},
        **options,
    )


def test_authors_case_from_result_files(tmp_path: Path, gain: GainOf) -> None:
    """781, 340 and 304 of 1,500 right (52.1, 22.7, 20.3) give MG 29.4 and ML 2.4, overall and in
    the one group.
    """
    write_triple(tmp_path, rights(781, 1500), rights(340, 1500), rights(304, 1500))
    status, records, errors = gain(tmp_path, "--by", "group")
    assert (status, errors) == (0, "")
    assert [record["group"] for record in records] == ["all", "math"]
    for record in records:
        numbers = [round(100 * record[name], 1) for name in ("s_v", "s_wv", "s_t", "mg", "ml")]
        assert numbers == [52.1, 22.7, 20.3, 29.4, 2.4]
        assert record["n"] == 1500
        assert record["mg_low"] < record["mg"] < record["mg_high"]
    assert (records[0]["task"], records[0]["ablation"]) == ("mmstar_filtered", "text")
    assert (records[0]["model"], records[0]["llm"]) == ("m,pretrained=a", "llm,pretrained=b")


def test_every_group_has_its_questions(tmp_path: Path) -> None:
    """In the order in which the questions name them, each with its own gain, column by column."""
    v = [
        choice_sample(0, True, "math"),
        choice_sample(1, True, "logic"),
        choice_sample(2, False, "math"),
    ]
    wv = [
        choice_sample(0, False, "math"),
        choice_sample(1, True, "logic"),
        choice_sample(2, False, "math"),
    ]
    for samples in (v, wv):
        for sample in samples:
            sample["accuracy"]["groups"]["l2"] = sample["accuracy"]["groups"]["category"]
    write_run(tmp_path, "m", {"mmstar_filtered": v}, stamp="1", settings=SEEING)
    write_run(tmp_path, "m", {"mmstar_filtered_text": wv}, stamp="2", settings=TEXT)
    found = [(row.group, row.n, row.result and row.result.mg.value) for row in rows_at(tmp_path)]
    of_column = [("math", 2, 0.5), ("logic", 1, 0.0)]
    assert found == [("all", 3, pytest.approx(1 / 3)), *of_column, *of_column]


def test_groups_of_two_columns_with_one_name_are_two_rows(tmp_path: Path) -> None:
    """As `score --by group` counts them; they say their column."""
    kinds = [("math", "sums"), ("logic", "math"), ("logic", "proofs")]
    samples = [choice_sample(place, True, kind) for place, (kind, _) in enumerate(kinds)]
    for sample, (_, second) in zip(samples, kinds, strict=True):
        sample["accuracy"]["groups"]["l2"] = second
    write_run(tmp_path, "m", {"mmstar_filtered": samples}, stamp="1", settings=SEEING)
    write_run(tmp_path, "m", {"mmstar_filtered_text": samples}, stamp="2", settings=TEXT)
    sizes = [(row.by, row.group, row.n) for row in rows_at(tmp_path)]
    assert sizes == [
        *(("", "all", 3), ("category", "math", 1), ("category", "logic", 2)),
        *(("l2", "sums", 1), ("l2", "math", 1), ("l2", "proofs", 1)),
    ]
    assert gain_tables(rows_at(tmp_path))[0].grid.heads[3:5] == ["by", "group"]


def test_a_base_with_shots_before_the_questions_is_known_by_its_arguments(
    tmp_path: Path, gain: GainOf
) -> None:
    """Of a task of the host and of ours, beside the runs of the LVLM; its signature has what was
    done.
    """
    shots = "base=llm,ablation=text,shots=2,shots_split=dev,seed=4"
    runs = (("lvlm", "", 4), ("ablated", "base=lvlm,ablation=text", 2), ("ablated", shots, 1))
    for stamp, (model, args, right) in enumerate(runs):
        lines = host_samples(
            "A" * right + "B" * (4 - right), lambda letter: {"score": float(letter == "A")}
        )
        write_run(tmp_path / "host", model, {"t": lines}, args, stamp=str(stamp))
        own = {"mmstar_filtered": choice_samples(rights(right, 4))}
        write_run(tmp_path / "own", model, own, args, stamp=str(stamp), settings=SEEING)
    for folder in ("host", "own"):
        status, records, _ = gain(tmp_path / folder)
        assert (status, records[0]["llm"], records[0]["ablation"]) == (0, "llm,seed=4", "text")
        assert [records[0][name] for name in ("s_v", "s_wv", "s_t", "mg", "ml")] == [
            1.0,
            0.5,
            0.25,
            0.5,
            0.25,
        ]
    signatures = {
        run.name: run.signature.model_wrapper for run in load_runs([RunPath(tmp_path / "own")])[0]
    }
    assert set(signatures.values()) == {"", "text", "text,shots=2,shots_split=dev,seed=4"}


def test_failed_requests_withhold_a_gain_also_over_a_part(tmp_path: Path) -> None:
    """Of all questions and of a group, as they withhold the scores; other groups have theirs."""
    v = [choice_sample(0, True, "math"), choice_sample(1, True, "logic")]
    wv = [choice_sample(0, False, "math"), choice_sample(1, None, "logic")]
    write_run(tmp_path, "m", {"mmstar_filtered": v}, stamp="1", settings=SEEING)
    write_run(tmp_path, "m", {"mmstar_filtered_text": wv}, stamp="2", settings=TEXT)
    every, math, logic = rows_at(tmp_path, partial=True)
    assert (every.result, every.warnings[-1][:16]) == (None, "withheld: 1 of 2")
    assert math.result is not None
    assert math.result.mg.value == 1.0
    assert (logic.result, logic.warnings[-1][:16]) == (None, "withheld: 0 of 1")


def test_gain_over_a_part_of_a_hosts_task_is_withheld_unless_it_is_wanted(tmp_path: Path) -> None:
    """Overall and by group; the reason has both runs with n of N."""
    lines = host_samples("AB", lambda letter: {"score": float(letter == "A"), "category": "math"})
    write_host_pair(tmp_path, lines, lines, asked=900)
    wanted = rows_at(tmp_path, partial=True)
    assert [(row.group, row.result and row.result.s_v) for row in wanted] == [
        ("all", 0.5),
        ("math", 0.5),
    ]
    for row in rows_at(tmp_path):
        assert row.result is None
        assert row.warnings[-1].startswith("withheld: ")
        assert "m answered 2 of 900 questions" in row.warnings[-1]


@pytest.mark.parametrize("limit", [None, 11])
def test_questions_in_several_documents_are_questions(tmp_path: Path, limit: int | None) -> None:
    """Shown one figure at a time, with pictures and grey; one that was asked in part has no part
    in the gain.
    """
    settings = "setting=perfigure,max_figures=0"
    asked = load_rows("spiqa", "demo", settings)
    for stamp, model, args in (("1", "m", ""), ("2", "ablated", "base=m,ablation=grey")):
        samples = [sample_of(row, row["answer"] if stamp == "1" else "no") for row in asked[:limit]]
        options: dict[str, Any] = {
            "settings": {"t": settings},
            "benchmark": "spiqa",
            "split": "demo",
            "asked": 39,
        }
        write_run(tmp_path, model, {"t": samples}, args, stamp=stamp, totals={"t": {}}, **options)
    ids = {row["question_id"] for row in asked[:limit]}
    whole = ids - {row["question_id"] for row in asked[limit or len(asked) :]}
    assert (len(whole) == len(ids)) == (limit is None)
    row, *_ = rows_at(tmp_path, "rouge_l", partial=True)
    assert row.result is not None
    assert (row.n, row.result.n, row.result.s_v > row.result.s_wv) == (len(whole), len(whole), True)
    row, *_ = rows_at(tmp_path, "rouge_l")
    assert (row.result is None) == (limit is not None)
    assert limit is None or f"m answered {len(whole)} of 39 questions" in row.warnings[-1]


def write_totals(
    folder: Path, v: float | None, wv: float | None, task: str = "mmmu_val", metric: str = "acc"
) -> None:
    """Write runs of a host's own task that have a reported value (`v`, `wv`) but no scores."""
    lines = host_samples(
        "AAAB", lambda letter: {"pred": letter, "answer": "A", "category": "x"}, metric
    )
    for stamp, model, args, total in (
        ("1", "m", "", v),
        ("2", "ablated", "base=m,ablation=grey", wv),
    ):
        totals = {task: {} if total is None else {metric: total}}
        write_run(folder, model, {task: lines}, args, stamp=stamp, totals=totals)


def test_host_numbers_count_where_questions_have_no_score(tmp_path: Path) -> None:
    """Records whose reading disagrees with the host leave the host's own numbers, without an
    interval or groups.
    """
    write_totals(tmp_path, 0.6, 0.4, metric="mmmu_acc")
    (row,) = rows_at(tmp_path)
    assert row.result is not None
    assert (row.group, row.n, row.result.n) == ("all", 4, 4)
    assert (row.result.s_v, row.result.s_wv) == (0.6, 0.4)
    assert row.result.mg.low is None
    assert row.result.mg.value == pytest.approx(0.2)


def test_a_hosts_small_percent_is_no_share(tmp_path: Path) -> None:
    """0.52 percent without images, of a metric of percent."""
    write_totals(tmp_path, 36.7, 0.52, "mmbench_en_dev_static", "gpt_eval_score")
    (row,) = rows_at(tmp_path)
    assert row.result is not None
    assert (row.result.s_wv, row.result.mg.value) == (pytest.approx(0.0052), pytest.approx(0.3618))


@pytest.mark.parametrize("which", [0, 1])
def test_without_the_hosts_number_of_both_runs_there_is_no_gain(tmp_path: Path, which: int) -> None:
    """One of two numbers is none; nor is one of an unknown unit."""
    totals = [0.6, 0.6]
    write_totals(
        tmp_path / "a",
        *(None if place == which else total for place, total in enumerate(totals)),
        metric="mmmu_acc",
    )
    (row,) = rows_at(tmp_path / "a")
    name = ("m", "m,ablation=grey")[which]
    assert (row.result, row.warnings[-1]) == (
        None,
        f"withheld: {name}: no question has a score, and the host reports no number",
    )
    write_totals(tmp_path / "b", 0.6, 0.6)
    (row,) = rows_at(tmp_path / "b")
    assert row.result is None
    assert (
        "m: no question has a score, and the host reports 0.6, whose unit is not known"
        in row.warnings[-1]
    )


def test_scores_that_are_not_the_hosts_number_have_a_remark(tmp_path: Path) -> None:
    """The mean of its scores is printed, which is not its F1."""
    lines = host_samples("AAAB", lambda letter: {"score": float(letter == "A")}, "f1")
    write_host_pair(tmp_path, lines, lines, ({"f1": 0.6}, {"f1": 0.75}))
    row, *_ = rows_at(tmp_path)
    assert row.warnings == [
        "f1 of m is the mean of its scores, 0.7500, which is not what the host reports, 0.6",
        "the answers with images and without images are the same",
    ]


def test_questions_without_the_metric_are_left_out(tmp_path: Path, gain: GainOf) -> None:
    """`seed_image` is of image questions only."""
    lines = host_samples("AA", lambda letter: {"pred": letter, "answer": "A"}, "seed_image")
    lines += [
        {
            "doc_id": 9,
            "target": "A",
            "filtered_resps": "A",
            "seed_video": {"pred": "A", "answer": "A"},
        }
    ]
    write_host_pair(tmp_path, lines, lines, ({"seed_image": 1.0}, {"seed_image": 1.0}))
    assert gain(tmp_path, "--metric", "seed_image")[1][0]["n"] == 2


def test_the_headline_of_a_hosts_task_is_of_all_its_questions(tmp_path: Path, gain: GainOf) -> None:
    """`mmstar` logs its first category before `average`; where none is of all, a metric is asked
    for.
    """
    for folder, names in (("a", ("average",)), ("b", ("logic",)), ("c", ("logic", "t_total"))):
        samples = []
        for place in range(4):
            of = ("perception", *names) if place < 2 or folder == "a" else names
            values = {name: {"score": float(place % 2)} for name in of}
            if folder == "a" and place > 1:
                del values["perception"]
            samples.append({"doc_id": place, "target": "A", "filtered_resps": "A", **values})
        if folder == "b":
            del samples[0]["logic"]
        write_host_pair(tmp_path / folder, samples, samples)
    assert [(row["metric"], row["n"]) for row in gain(tmp_path / "a")[1]] == [("average", 4)]
    status, _, errors = gain(tmp_path / "b")
    assert status == 2
    assert "Its first one, perception, is of 2 of 4 questions." in errors
    assert "--metric of `compare`, `gain` and `filter` names one: perception, logic." in errors
    assert [(row["metric"], row["n"]) for row in gain(tmp_path / "c")[1]] == [("logic", 4)]


@pytest.mark.parametrize(
    ("metric", "record"),
    [
        ("exact_match", lambda letter: float(letter == "A")),
        (
            "llm_as_judge_eval",
            lambda letter: {"prediction": letter, "answer": "x", "true_false": letter == "A"},
        ),
    ],
)
def test_tasks_of_the_host_are_compared_too(
    tmp_path: Path, metric: str, record: Callable[[str], Any]
) -> None:
    """Whether the host reports them in percent or as shares; the gain has an interval."""
    v, wv = (host_samples(answers, record, metric) for answers in ("AAAB", "ABBB"))
    write_host_pair(tmp_path, v, wv, ({metric: 75.0}, {metric: 25.0}))
    row, *_ = rows_at(tmp_path)
    assert row.result is not None
    assert (row.result.s_v, row.result.s_wv, row.result.mg.value) == (0.75, 0.25, 0.5)
    assert row.result.mg.low is not None


def test_failed_requests_withhold_the_numbers(tmp_path: Path) -> None:
    """More than 1% without an answer: no number; fewer: the others count in all runs."""
    write_triple(tmp_path / "a", [True, None, *[True] * 98], rights(50, 100), None)
    write_triple(tmp_path / "b", [None, None, *[True] * 98], rights(50, 100), None)
    few, many = rows_at(tmp_path / "a")[0], rows_at(tmp_path / "b")[0]
    assert few.result is not None
    assert (few.result.s_v, few.result.s_wv, few.n, few.result.n) == (
        1.0,
        pytest.approx(49 / 99),
        99,
        99,
    )
    assert (many.result, many.n) == (None, 100)
    assert many.warnings == [
        "withheld: 98 of 100 questions have a score in every run, fewer than 99%"
    ]


def test_a_mean_over_axes_has_no_gain(tmp_path: Path) -> None:
    """Its questions have no scores that it is the mean of."""
    write_triple(tmp_path, [True] * 4, [False] * 4, None)
    row, *_ = rows_at(tmp_path, "accuracy_lmms_eval")
    assert (row.result, row.warnings) == (
        None,
        ["withheld: 0 of 4 questions have a score in every run, fewer than 99%"],
    )


@pytest.mark.parametrize("kind", ["refused", "unparsed"])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_refused_and_unparsed_answers_are_told_and_warned_of(
    tmp_path: Path, count: int, kind: str
) -> None:
    """From 5% on, together: a model that does not answer without images has a lower bound of
    leakage only.
    """
    write_run(
        tmp_path,
        "m",
        {"mmstar_filtered": choice_samples(rights(8, 20))},
        stamp="1",
        settings=SEEING,
    )
    blind = [
        choice_sample(place, False, status=kind if place < count else "ok") for place in range(20)
    ]
    write_run(tmp_path, "m", {"mmstar_filtered_text": blind}, stamp="2", settings=TEXT)
    llm = [
        choice_sample(place, False, status="refused" if place < 19 else "unparsed")
        for place in range(20)
    ]
    write_run(tmp_path, "llm", {"mmstar_filtered_llm": llm}, stamp="3", settings=LLM)
    row, *_ = rows_at(tmp_path)
    *without, base = row.warnings
    said = "of 20 answers 19 refused, 1 empty or unparsed"
    assert base == f"{said} by the LLM base: S_t is a lower bound"
    kinds = {"refused": "refused", "unparsed": "empty or unparsed"}
    bounds = "S_wv is a lower bound; try the other of text and grey"
    assert without == (
        [f"of 20 answers {count} {kinds[kind]} without images: {bounds}"] if count else []
    )


def test_averages_keep_ablations_apart(tmp_path: Path, gain: GainOf) -> None:
    """Grey pictures and none are two rows of means, each over its own tasks."""
    given = {"": (4, 2), "grey": (1, 1), "text": (0, 4)}
    for stamp, (kind, (first, second)) in enumerate(given.items()):
        samples = {"a": choice_samples(rights(first, 4)), "b": choice_samples(rights(second, 4))}
        name, args = ("ablated", f"base=m,ablation={kind}") if kind else ("m", "")
        write_run(tmp_path, name, samples, args, stamp=str(stamp))
    means = [record for record in gain(tmp_path)[1] if record["task"] == "average"]
    assert [(each["ablation"], each["s_v"], each["s_wv"]) for each in means] == [
        ("grey", 0.75, 0.25),
        ("text", 0.75, 0.5),
    ]


def test_an_l3score_and_an_accuracy_have_no_average() -> None:
    """Accuracies have one, whatever the host's tasks call them."""
    row: Any = SimpleNamespace(group="all", model="m", ablation="text", metric="accuracy")
    other: Any = SimpleNamespace(**{**vars(row), "metric": "l3score"})
    assert averages([row, other]) == []


def test_an_average_needs_every_task_and_every_base() -> None:
    """Without one base there is no leakage."""
    with_base = Gain(4, 0.75, 0.5, 0.25, Estimate(0.25, 0.1, 0.4), Estimate(0.25), Estimate(0.25))
    without = Gain(8, 0.25, 0.0, None, Estimate(0.25), None)
    other = Gain(2, 0.25, 0.25, 0.75, Estimate(0.0), Estimate(0.0), Estimate(-0.5))
    both = Gain(6, 0.5, 0.375, 0.5, Estimate(0.125), Estimate(0.125), Estimate(-0.125))
    assert repr(mean_gain([with_base, other])) == repr(both)  # the ends of the intervals are NaN
    assert repr(mean_gain([with_base, without])) == repr(
        Gain(12, 0.5, 0.25, None, Estimate(0.25), None)
    )


@pytest.mark.parametrize("options", ["options=permuted", "options=numbered,ablation=grey"])
def test_a_run_with_changed_options_is_refused_by_name(tmp_path: Path, options: str) -> None:
    """It is neither a run with pictures nor one without; the others are compared."""
    samples = {"mmstar_filtered": choice_samples([True, True, False, True])}
    for stamp, args in (("1", "ablation=grey"), ("2", options)):
        write_run(tmp_path, "ablated", samples, f"base=m,{args}", stamp=stamp, settings=SEEING)
    write_run(tmp_path, "m", samples, stamp="3", settings=SEEING)
    (pair,), alone, problems = ablation_pairs(load_runs([RunPath(tmp_path)])[0])
    assert (pair.ablation, alone) == ("grey", [])
    (problem,) = problems
    assert "Expected runs with the options as they are, found mmstar_filtered of m with" in problem
    assert options.partition(",")[0] in problem


def test_a_run_with_changed_options_is_refused_in_any_role(tmp_path: Path) -> None:
    """As the one without pictures that an option names."""
    samples = {"mmstar_filtered": choice_samples([True, False])}
    write_run(tmp_path, "m", samples, stamp="1", settings=SEEING)
    write_run(tmp_path, "ablated", samples, "base=m,options=permuted", stamp="2", settings=SEEING)
    runs = load_runs([RunPath(tmp_path)])[0]
    runs = sorted(runs, key=lambda run: run.identity.ablation != "none")
    with pytest.raises(InputError, match="options as they are, found mmstar_filtered of m"):
        pair_of(*runs, (), None, False)


def test_a_gain_of_l3scores_that_are_noise_is_withheld(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the scores themselves are, where the judge's first word is mostly neither yes nor no."""
    for task in ("spiqa_demo", "spiqa_demo_text"):
        lines = [
            json.dumps({"id": row["id"], "prediction": "unsure"})
            for row in rows_for_scoring("spiqa", "demo", "")
        ]
        (tmp_path / f"m_{task}.jsonl").write_text("\n".join(lines))

    def verdict(prompt: str) -> TopLogprobs:
        """Return noise on the answers, and a sure verdict on the test questions."""
        if "unsure" in prompt:
            return [("So", math.log(0.6)), ("Yes", math.log(0.2)), ("No", math.log(0.1))]
        return agreeing(prompt)

    with OpenAIServer(Behaviour(verdict=verdict)) as server:
        command = ("score", tmp_path, "--judge", f"openai:m@{server.url}", "--metrics", "l3score")
        run_json(capsys, *command, "--output", tmp_path / "out")
    status, (row,), _ = run_json(capsys, "gain", tmp_path / "out")
    assert (status, row["s_v"], row["mg"]) == (3, None, None)
    assert "of the probability of the judge's first word" in row["warnings"][0]
