"""The frame of runs: its rows are the questions, and its values are those of the runs and of
plain averages.
"""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from choice_runs import answered, write_own
from host_files import FAILED, sample_of, write_run
from openai_server import Behaviour, OpenAIServer
from report_runs import choices, run_of
from scipy import stats

import spiqa_tasks
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.cli import main
from spiqa_tasks.errors import InputError
from spiqa_tasks.metrics.text_scores import text_scores
from spiqa_tasks.runs.frame import COLUMNS, frame_of
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Reported

RowsOf = Callable[[str, str], list[dict[str, Any]]]
SPLIT = "cs_fig2cap"
TASK = f"scifibench_{SPLIT}"


@pytest.fixture
def two_models(rows_of: RowsOf, tmp_path: Path) -> Path:
    """A folder with the answers of two models, of which one is wrong on five questions and one
    on seven.
    """
    rows = rows_of("cs_fig2cap", "")
    write_own(tmp_path / "m", "m", {TASK: answered(rows, 5)})
    write_own(tmp_path / "n", "n", {TASK: answered(rows, 7)})
    return tmp_path


def test_every_question_of_every_run_is_a_row(two_models: Path, rows_of: RowsOf) -> None:
    """Two runs have a row per question each, under the documented columns."""
    frame = spiqa_tasks.load_samples(two_models)

    ids = [row["id"] for row in rows_of("cs_fig2cap", "")]
    assert tuple(frame.columns[: len(COLUMNS)]) == COLUMNS
    assert {run: list(of.id) for run, of in frame.groupby("run")} == {"m": ids, "n": ids}
    assert frame.groupby("run").accuracy.sum().to_dict() == {"m": len(ids) - 5, "n": len(ids) - 7}
    assert (frame.letter == frame.reference).tolist() == (frame.accuracy == 1).tolist()
    assert set(frame.repeat) == {0}


def test_the_prediction_of_a_choice_is_what_the_model_wrote(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """The letter that was read in it has a column of its own."""
    samples = [sample_of(row, f"It is {row['answer']}) for sure.") for row in rows_of(SPLIT, "")]
    write_own(tmp_path, "m", {TASK: samples})
    frame = spiqa_tasks.load_samples(tmp_path)
    assert list(frame.letter) == list(frame.reference)
    assert list(frame.prediction) == [f"It is {letter}) for sure." for letter in frame.reference]


def test_a_group_has_the_mean_of_its_rows_and_the_runs_own_value(two_models: Path) -> None:
    """Value, n and interval of a group equal the mean of its column and what the run says of the
    group.
    """
    frame = spiqa_tasks.load_samples(two_models / "m")
    (run,), _ = load_runs([RunPath(two_models / "m")])

    for name, group in frame.groupby("category"):
        value = spiqa_tasks.value(group, "accuracy")
        assert value.value == pytest.approx(group.accuracy.mean())
        assert value.interval == run.value(run.metric("accuracy"), str(name)).interval
        assert value.n == len(group)


def test_a_notebook_shows_a_value_on_a_line(two_models: Path) -> None:
    """Without the scores and papers of hundreds of questions."""
    samples = spiqa_tasks.load_samples(two_models)
    rows = samples[samples.run == "m"]
    found = spiqa_tasks.value(rows, "accuracy")
    assert len(found.scores) == found.n
    assert repr(found) == f"Value(value={found.value}, n={found.n}, reason=None, missing=0)"


def test_values_do_not_depend_on_what_pandas_drops(two_models: Path) -> None:
    """A frame that was concatenated and taken apart again has the same values."""
    parts = [spiqa_tasks.load_samples(two_models / name) for name in ("m", "n")]
    whole = pd.concat(parts, ignore_index=True)

    for part in parts:
        again = whole[whole.model == part.model.iloc[0]]
        assert spiqa_tasks.value(again, "accuracy") == spiqa_tasks.value(part, "accuracy")


def test_rows_of_two_runs_have_no_value(two_models: Path) -> None:
    """A value over two runs is refused, with the way to split them."""
    frame = spiqa_tasks.load_samples(two_models)
    with pytest.raises(InputError, match=r"found 2 runs. Use frame.groupby\('run'\)"):
        spiqa_tasks.value(frame, "accuracy")


@pytest.mark.parametrize("metric", ["accuracy", "cider"])
def test_a_frame_without_the_columns_of_a_value_is_refused_by_name(
    two_models: Path, metric: str
) -> None:
    """Ids in the index or clusters left out would give the value of one question, or an interval
    that is too narrow.
    """
    frame = spiqa_tasks.load_samples(two_models / "m")
    for lacking in ("run", "id", "cluster", "answered"):
        for part in (frame.drop(columns=lacking), frame.set_index(lacking)):
            with pytest.raises(InputError, match=f"found none called {lacking}"):
                spiqa_tasks.value(part, metric)
    with pytest.raises(InputError, match="found none called answered, cluster, "):
        spiqa_tasks.value(frame[["id", "accuracy"]], metric)

    slim = frame.drop(columns=["prediction", "reference", "letter", "generation"])
    assert spiqa_tasks.value(slim, "accuracy") == spiqa_tasks.value(frame, "accuracy")
    with pytest.raises(InputError, match="found none called prediction, reference"):
        spiqa_tasks.value(slim, "cider")


def test_a_question_in_several_rows_has_no_value(two_models: Path) -> None:
    """A mean over its last row alone would be that of neither frame, as of a bootstrap's sample."""
    frame = spiqa_tasks.load_samples(two_models / "m")
    n = len(frame)
    with pytest.raises(InputError, match=f"found {n} questions in {n + 3} rows"):
        spiqa_tasks.value(pd.concat([frame, frame[:3]]), "accuracy")


@pytest.mark.parametrize("column", ["task_size", "prediction", "category"])
def test_columns_that_are_no_metrics_have_no_value(two_models: Path, column: str) -> None:
    """Neither a mean of the number of questions, nor an end in TypeError."""
    with pytest.raises(InputError, match=f"found {column}"):
        spiqa_tasks.value(spiqa_tasks.load_samples(two_models / "m"), column)


def test_columns_of_ones_own_may_be_negative(two_models: Path) -> None:
    """Their interval is that of t, which is cut at 0 only where no score is below."""
    frame = spiqa_tasks.load_samples(two_models / "m")
    scores = frame.accuracy - 0.75
    expected = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    found = spiqa_tasks.value(frame.assign(gained=scores), "gained")
    assert found.interval == pytest.approx((expected.low, expected.high))


def test_a_value_over_too_few_questions_is_withheld_unless_asked_for(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """Of a run on half of a task the value is NaN with the reason; `partial` gives the mean."""
    rows = rows_of("cs_fig2cap", "")
    write_own(tmp_path, "m", {TASK: answered(rows, 5)}, asked=2 * len(rows))
    frame = spiqa_tasks.load_samples(tmp_path)

    withheld = spiqa_tasks.value(frame, "accuracy")
    assert math.isnan(withheld.value)
    assert withheld.reason is not None
    assert f"{len(rows)} of {2 * len(rows)} questions were answered" in withheld.reason
    part = spiqa_tasks.value(frame, "accuracy", partial=True)
    assert part.value == pytest.approx(frame.accuracy.mean())


def test_failed_requests_are_missing_and_no_wrong_answers(rows_of: RowsOf, tmp_path: Path) -> None:
    """Answers whose request failed have no score; too many of them withhold the value."""
    rows = rows_of("cs_fig2cap", "")
    samples = answered(rows, 0)
    samples[0] = sample_of(rows[0], FAILED)
    write_own(tmp_path, "m", {TASK: samples})
    frame = spiqa_tasks.load_samples(tmp_path)

    assert frame.accuracy.isna().sum() == 1
    assert "answers have a score" in str(spiqa_tasks.value(frame, "accuracy").reason)


def test_metrics_of_a_corpus_have_no_column_and_their_own_value(tmp_path: Path) -> None:
    """BLEU of the frame is that of the texts, not a mean; it is no column that somebody could
    average.
    """
    rows = rows_for_scoring("spiqa", "demo", "")
    samples = [sample_of(row, "{'Answer': '" + row["answer"] + " it is'}") for row in rows]
    write_run(
        tmp_path,
        "m",
        {"spiqa_demo": samples},
        settings={"spiqa_demo": ""},
        benchmark="spiqa",
        split="demo",
    )
    frame = spiqa_tasks.load_samples(tmp_path, task="spiqa_demo")

    assert not {"bleu_1", "cider", "meteor"} & set(frame.columns)
    expected = text_scores(list(zip(frame.prediction, frame.reference, strict=True)), ["bleu_1"])
    assert spiqa_tasks.value(frame, "bleu_1").value == pytest.approx(expected["bleu_1"].value)


@pytest.mark.parametrize("metric", ["rouge_l", "cider", "bleu_1"])
@pytest.mark.parametrize("asked", [39, 60])
def test_a_frame_has_the_value_of_the_run(tmp_path: Path, metric: str, asked: int) -> None:
    """With its interval, clusters, reason, and scores of single answers if the metric has any."""
    rows = rows_for_scoring("spiqa", "demo", "")
    samples = [sample_of(row, "{'Answer': '" + row["answer"] + " it is'}") for row in rows]
    options = {"settings": {"spiqa_demo": ""}, "benchmark": "spiqa", "split": "demo"}
    write_run(tmp_path, "m", {"spiqa_demo": samples}, totals={"spiqa_demo": {}}, **options)
    (run,), _ = load_runs([RunPath(tmp_path)])
    run = replace(run, asked=asked)
    found, expected = spiqa_tasks.value(frame_of([run]), metric), run.value(run.metric(metric))
    assert repr(found) == repr(expected)  # a NaN is not equal to itself
    assert (found.scores, found.clusters) == (expected.scores, expected.clusters)
    assert found.interval == expected.interval
    assert (found.interval is None) == (metric == "bleu_1" or asked == 60)


@pytest.mark.parametrize("metric", ["rouge_l", "accuracy"])
def test_a_group_with_questions_that_were_not_asked_completely_has_no_value(
    two_models: Path, metric: str
) -> None:
    """They count as questions without an answer; a part that is asked for is over the others."""
    rows = spiqa_tasks.load_samples(two_models / "m").head(3)
    rows = rows.assign(status=["incomplete", "ok", "ok"], prediction=[None, "a b", "a b"])
    rows = rows.assign(reference="a b", accuracy=[None, 1.0, 1.0])

    found = spiqa_tasks.value(rows, metric)
    assert math.isnan(found.value)
    assert found.reason == "2 of 3 questions were answered and have a score, fewer than 99%"
    assert spiqa_tasks.value(rows, metric, partial=True).value == 1


def test_questions_of_mmstar_alone_have_a_source(two_models: Path) -> None:
    """It is `unknown` where the answers' file does not have it."""
    known, unknown = choices([True, True])
    known = replace(known, details={"source": "AI2D"})
    assert list(frame_of([run_of([known, unknown])]).source) == ["AI2D", "unknown"]
    assert "source" not in spiqa_tasks.load_samples(two_models)


def test_runs_without_samples_are_refused(two_models: Path) -> None:
    """The host logs them only if it is asked to."""
    paths = [two_models / "m", two_models / "n"]
    for samples in two_models.glob("*/*samples*"):
        samples.unlink()
    for task, what in ((None, "a task"), (TASK, TASK)):
        with pytest.raises(InputError) as error:
            spiqa_tasks.load_samples(*paths, task=task)
        assert str(error.value) == (
            f"Expected answers to {what} in {paths[0]}, {paths[1]}, found none. "
            "Run lmms-eval with --log_samples."
        )


def test_rows_that_a_hosts_metric_is_not_of_have_no_value(tmp_path: Path) -> None:
    """SEED's accuracy of images has none over the rows of videos."""
    samples = [
        {"filtered_resps": "B", "target": "B", "seed_image": 1.0},
        {"filtered_resps": "B", "target": "B", "seed_video": 0.0},
    ]
    write_run(tmp_path, "m", {"seedbench": samples})
    frame = spiqa_tasks.load_samples(tmp_path)
    of_images = frame[frame.seed_image.notna()]
    assert spiqa_tasks.value(frame, "seed_image").value == 1
    assert spiqa_tasks.value(of_images, "seed_video").reason == "there is no such answer"


def test_an_unknown_metric_and_an_absent_task_are_refused_by_name(two_models: Path) -> None:
    """The sentences name what the frame has, and where nothing was found."""
    frame = spiqa_tasks.load_samples(two_models / "m")
    with pytest.raises(InputError, match=r"accuracy.*found exactness"):
        spiqa_tasks.value(frame, "exactness")
    with pytest.raises(InputError, match="mmstar_demo"):
        spiqa_tasks.load_samples(two_models, task="mmstar_demo")


def test_importing_the_package_loads_no_pandas() -> None:
    """Both names are loaded when they are first used."""
    code = "import sys, spiqa_tasks; assert 'pandas' not in sys.modules; spiqa_tasks.load_samples"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_prediction_of_a_hosts_task_is_the_response_that_it_logged(tmp_path: Path) -> None:
    """So are the letters that `choice_letter` put in the place of answers."""
    letters = ["B", "[invalid]"]
    samples = [
        {"filtered_resps": letter, "target": "B", "exact_match": float(letter == "B")}
        for letter in letters
    ]
    write_run(tmp_path, "m", {"charts": samples})
    frame = spiqa_tasks.load_samples(tmp_path)
    assert list(frame.prediction) == letters
    assert list(frame.exact_match) == [1, 0]


def test_l3scores_of_a_judge_that_hardly_says_yes_or_no_are_withheld(tmp_path: Path) -> None:
    """The frame withholds what the run withholds; with a fit judge both give the mean."""
    rows = rows_for_scoring("spiqa", "demo", "")
    for name, yes in (("fit", -0.2), ("noise", -6.0)):
        samples = []
        for row in rows:
            sample = sample_of(row, "{'Answer': 'x'}")
            headline = next(value for value in sample.values() if "status" in value)
            logprobs = [["So", -0.1], ["yes", yes], ["no", yes - 3]]
            verdict = {"metric": "l3score", "score": 0.95, "top_logprobs": logprobs}
            signature = parse(headline["signature"]).with_fields(judge="openai:j").text
            headline |= {
                "scores": {"l3score": 0.95},
                "verdicts": [verdict],
                "signature": signature,
            }
            samples.append({**sample, "l3score": headline})
        options = {"settings": {"spiqa_demo": ""}, "benchmark": "spiqa", "split": "demo"}
        write_run(tmp_path / name, name, {"spiqa_demo": samples}, **options)

    frames = {name: spiqa_tasks.load_samples(tmp_path / name) for name in ("fit", "noise")}
    assert spiqa_tasks.value(frames["fit"], "l3score").value == pytest.approx(0.95)
    masses = frames["fit"].yes_no_mass
    assert list(masses) == pytest.approx([math.exp(-0.2) + math.exp(-3.2)] * len(masses))

    for partial in (False, True):
        noise = spiqa_tasks.value(frames["noise"], "l3score", partial=partial)
        assert math.isnan(noise.value)
        assert "of the probability" in str(noise.reason)


def test_text_metrics_of_the_released_scripts_have_no_column() -> None:
    """A mean of METEOR's scores is not METEOR, and what these scripts read is not in the frame."""
    texts = {"meteor": 0.25, "meteor_released": 0.5, "l3score_released": 0.75}
    record = Record("p/0", "a", "a", cluster="p", scores=texts)
    run = run_of(
        [record],
        task="spiqa_testA",
        signature="data:spiqa/testA@d|settings:protocol=both|judge:openai:j",
    )
    run = replace(run, reported=Reported(values={"meteor": 0.25, "meteor_released": 0.5}))
    assert run.value(run.metric("meteor_released")).value == 0.5
    frame = frame_of([run])
    assert list(frame.l3score_released) == [0.75]
    assert not {"meteor", "meteor_released"} & {*frame.columns}


def test_an_answer_with_several_references_has_the_score_of_the_best(tmp_path: Path) -> None:
    """As in the table of the run, also by group; its record has a verdict for each reference."""
    line = {
        "question": "q?",
        "prediction": "Paris",
        "reference": ["the city", "Paris"],
        "category": "c",
    }
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(line))
    with OpenAIServer(Behaviour()) as server:
        judge = f"openai:j@{server.url}"
        assert main(["score", str(path), "--judge", judge, "--output", str(tmp_path / "out")]) == 0

    (run,), _ = load_runs([RunPath(tmp_path / "out")])
    best = run.value(run.metric("l3score")).value
    frame = spiqa_tasks.load_samples(tmp_path / "out")
    assert list(frame.l3score) == [best]
    assert best > 0.9
    assert spiqa_tasks.value(frame, "l3score").value == best


def test_answers_with_several_references_have_their_scores_also_if_the_value_is_withheld(
    tmp_path: Path,
) -> None:
    """Of three answers one failed; else a mean over the others would lack those with two."""
    lines = [
        {"id": "one", "question": "q?", "prediction": "Paris", "reference": "Paris"},
        {"id": "two", "question": "p?", "prediction": "x", "reference": ["Rome", "Bern"]},
        {"id": "failed", "question": "r?", "prediction": None, "reference": ["Rome", "Bern"]},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with OpenAIServer(Behaviour()) as server:
        judge = f"openai:j@{server.url}"
        assert main(["score", str(path), "--judge", judge, "--output", str(tmp_path / "out")]) == 3

    frame = spiqa_tasks.load_samples(tmp_path / "out").set_index("id")
    assert list(frame.index[frame.l3score.isna()]) == ["failed"]
    answered = frame[frame.status == "ok"].reset_index()
    found = spiqa_tasks.value(answered, "l3score", partial=True)
    assert (found.value, found.n) == (pytest.approx(answered.l3score.mean()), 2)


def test_a_score_of_no_judge_is_refused_with_the_metrics(tmp_path: Path) -> None:
    """The groups of questions are none of these."""
    papers = [sample_of(row, "x") for row in rows_for_scoring("spiqa", "demo", "")]
    options = {"settings": {"spiqa_demo": ""}, "benchmark": "spiqa", "split": "demo"}
    write_run(tmp_path, "m", {"spiqa_demo": papers}, **options)
    with pytest.raises(InputError, match="score them with --judge and --output") as error:
        spiqa_tasks.value(spiqa_tasks.load_samples(tmp_path), "l3score")
    assert "rouge_l" in str(error.value)
    assert "figure_type" not in str(error.value)


def test_a_run_without_clusters_keeps_its_interval_beside_one_with_them(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """Choices have no cluster, SPIQA's answers have their paper; a frame may hold both."""
    choices = tmp_path / "choices"
    write_own(choices, "m", {TASK: answered(rows_of("cs_fig2cap", ""), 5)})
    papers = [sample_of(row, "x") for row in rows_for_scoring("spiqa", "demo", "")]
    options = {"settings": {"spiqa_demo": ""}, "benchmark": "spiqa", "split": "demo"}
    write_run(tmp_path / "papers", "m", {"spiqa_demo": papers}, **options)

    both = spiqa_tasks.load_samples(choices, tmp_path / "papers")
    alone = spiqa_tasks.value(spiqa_tasks.load_samples(choices), "accuracy")
    assert alone.interval is not None
    assert spiqa_tasks.value(both[both.task == TASK], "accuracy").interval == alone.interval


def test_an_answer_of_ours_without_a_score_withholds_the_value(tmp_path: Path) -> None:
    """Where the figures' order is unknown for half of the answers, retrieval accuracy has no value,
    though the answers themselves are in order; so says the run, too.
    """
    rows = rows_for_scoring("spiqa", "demo", "setting=cot")
    samples = []
    for place, row in enumerate(rows):
        sample = sample_of(row, "{'Image': 0, 'Rationale': 'x'} The answer is : y.")
        headline = next(value for value in sample.values() if "status" in value)
        headline["status"] = "ok"
        headline["scores"] = {"retrieval_accuracy": 1.0} if place % 2 else {}
        headline["details"] = {**headline["details"], "figures": ["f.png"] if place % 2 else []}
        samples.append(sample)
    options = {"settings": {"spiqa_demo_cot": "setting=cot"}, "benchmark": "spiqa", "split": "demo"}
    write_run(tmp_path, "m", {"spiqa_demo_cot": samples}, **options)

    found = spiqa_tasks.value(spiqa_tasks.load_samples(tmp_path), "retrieval_accuracy")
    assert math.isnan(found.value)
    (run,), _ = load_runs([RunPath(tmp_path)])
    assert math.isnan(run.value(run.metric("retrieval_accuracy")).value)
