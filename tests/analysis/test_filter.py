"""The filter on logged answers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from filter_runs import Filter, write_blind, write_inspectors
from host_files import choice_sample, choice_samples, sample_of, write_run

from spiqa_tasks.analysis.filter import Filtered, filter_runs
from spiqa_tasks.benchmarks.record import Status
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import Selection

TASKS = {
    "x": "prompt=letter",
    "x_text": "prompt=letter,ablation=text",
    "x_grey": "prompt=letter,ablation=grey",
    "x_llm": "prompt=letter,ablation=text,shots=2",
}


def load(folder: Path, **wanted: Any) -> list[Run]:
    return load_runs([RunPath(folder)], Selection(**wanted))[0]


def only(runs: Sequence[Run], **options: Any) -> Filtered:
    """Return the filter on the only task, none left out."""
    (filtered,), left_out = filter_runs(runs, **options)
    assert left_out == []
    return filtered


def error_of(runs: Sequence[Run], **options: Any) -> str:
    """Return the error message of a filter."""
    with pytest.raises(InputError) as error:
        filter_runs(runs, **options)
    return str(error.value)


def test_keeps_what_at_most_two_of_eight_answer(tmp_path: Path, run_filter: Filter) -> None:
    """Hits 0, 1 and 2 are kept; 6, 7 and 8 count to the abnormal hit rate."""
    write_inspectors(tmp_path, list(range(9)))
    status, (record,), _ = run_filter(tmp_path)
    assert status == 0
    assert (record["n"], record["kept"], record["max_hits"]) == (9, 3, 2)
    assert [row["model"] for row in record["answers"]] == [f"m{place}" for place in range(8)]
    assert record["hit_counts"] == [1] * 9
    assert record["abnormal_hit_rate"] == pytest.approx(3 / 9)
    filtered = only(load(tmp_path))
    assert list(filtered.questions.hits) == list(range(9))
    assert list(filtered.kept.index) == ["q0", "q1", "q2"]


@pytest.mark.parametrize(("models", "abnormal"), [(8, [6, 7, 8]), (5, [4, 5]), (4, [3, 4])])
def test_abnormal_is_three_quarters_of_the_inspectors(
    tmp_path: Path, models: int, abnormal: list[int]
) -> None:
    """As 6 of 8 in Figure 2."""
    write_inspectors(tmp_path, list(range(models + 1)), models=models)
    assert only(load(tmp_path)).record["abnormal_hit_rate"] == pytest.approx(
        len(abnormal) / (models + 1)
    )


def test_questions_in_parts_are_left_out(tmp_path: Path) -> None:
    """A task that shows one figure at a time has several documents a question."""
    settings = "setting=perfigure,max_figures=0,ablation=text"
    samples = [sample_of(row, "Yes") for row in load_rows("spiqa", "demo", settings)[:9]]
    task = "spiqa_demo_perfigure_text"
    write_run(tmp_path, "m", {task: samples}, settings={task: settings}, benchmark="spiqa")
    sentence = (
        "spiqa_demo_perfigure is left out: each question is several documents, one for a"
        " figure, and would be kept in part. Filter the task that shows all figures at once."
    )
    assert error_of(load(tmp_path)) == sentence
    write_inspectors(tmp_path, [0], models=1)
    filtered, left_out = filter_runs(load(tmp_path))
    assert ([each.task for each in filtered], left_out) == (["t"], [sentence])


def test_the_number_of_hits_can_be_given(tmp_path: Path, run_filter: Filter) -> None:
    """`--max-hits` overrides 2 of 8; a number that keeps none or all of the questions is
    refused.
    """
    write_inspectors(tmp_path, [0, 1, 2], models=2)
    assert run_filter(tmp_path)[1][0]["kept"] == 1
    assert run_filter(tmp_path, "--max-hits", 1)[1][0]["kept"] == 2
    for max_hits in (-1, 2):
        status, _, errors = run_filter(tmp_path, "--max-hits", max_hits)
        assert status == 2
        assert f"Expected --max-hits from 0 to 1, for 2 inspectors; found {max_hits}." in errors


def test_difficulty_counts_the_kept_questions(tmp_path: Path, run_filter: Filter) -> None:
    """Runs of LVLMs with images say how hard each kept question is; runs without say nothing."""
    write_inspectors(tmp_path / "llm", [0, 0, 0, 0, 8])
    for model in range(16):
        rights = [model < hits for hits in (16, 8, 4, 0, 16)]
        write_run(tmp_path / "lvlm", f"v{model}", {"t": choice_samples(rights)}, stamp=f"1{model}")
    write_blind(tmp_path / "lvlm", "v0", {"t": choice_samples([True] * 5)}, stamp="99")
    record = run_filter(tmp_path / "llm", "--lvlm", tmp_path / "lvlm")[1][0]
    assert record["difficulty"] == {"easy": 1, "moderate": 1, "hard": 1, "tough": 1, "unknown": 0}
    assert "difficulty" not in only(load(tmp_path / "llm")).record


@pytest.mark.parametrize(
    ("lvlms", "names"),
    [
        (16, ["tough"] * 4 + ["hard"] * 4 + ["moderate"] * 4 + ["easy"] * 5),
        (4, ["tough", "hard", "moderate", "easy", "easy"]),
    ],
)
def test_difficulties_of_the_paper_scale(tmp_path: Path, lvlms: int, names: list[str]) -> None:
    """Easy is 12 to 16 of 16 LVLMs, moderate 8 to 11, hard 4 to 7, tough 0 to 3."""
    write_inspectors(tmp_path / "llm", [0] * (lvlms + 1), models=1)
    for model in range(lvlms):
        rights = [model < hits for hits in range(lvlms + 1)]
        write_run(tmp_path / "lvlm", f"v{model}", {"t": choice_samples(rights)}, stamp=f"1{model}")
    filtered = only(load(tmp_path / "llm"), lvlms=load(tmp_path / "lvlm"))
    assert list(filtered.questions.difficulty) == names


def test_what_leaks_in_most_pairs_is_counted(tmp_path: Path, run_filter: Filter) -> None:
    """An LVLM answers it without the image and its base does not (Figure 3)."""
    lvlms = [[True, True, False, True], [True, False, False, True], [True, True, True, False]]
    lvlms.append([True, False, False, False])
    bases = [[False] * 4, [False, False, False, True], [True, False, False, False], [False] * 4]
    arguments: list[Any] = []
    for place, (lvlm, base) in enumerate(zip(lvlms, bases, strict=True)):
        for name, rights in ((f"lvlm{place}", lvlm), (f"base{place}", base)):
            write_blind(tmp_path / name, name, {"t": choice_samples(rights)})
        arguments += ["--pair", tmp_path / f"lvlm{place}", tmp_path / f"base{place}"]
    # A run with images of the same model says nothing of what leaked.
    write_run(tmp_path / "lvlm3", "lvlm3", {"t": choice_samples([True] * 4)}, stamp="2")

    inspectors = [tmp_path / f"lvlm{place}" for place in range(3)]
    (record,) = run_filter(*inspectors, *arguments)[1]
    by_hand = [
        [f"q{place}" for place in range(4) if lvlm[place] and not base[place]]
        for lvlm, base in zip(lvlms, bases, strict=True)
    ]
    assert [pair["ids"] for pair in record["leaked"]] == by_hand
    assert [pair["n"] for pair in record["leaked"]] == list(map(len, by_hand))
    # q0 leaked in three of four pairs, q1 in two.
    assert record["leaked_by_most"] == 1
    assert record["hit_counts"] == [0, 1, 2, 1]


def test_inspectors_of_other_questions_are_refused(tmp_path: Path, run_filter: Filter) -> None:
    """All must have answered the same questions; an unknown task is refused, too."""
    write_inspectors(tmp_path, [0, 0], models=1)
    write_blind(tmp_path, "other", {"t": choice_samples([True])}, stamp="5")
    assert "found 2 and 1" in run_filter(tmp_path)[2]
    assert run_filter(tmp_path, "--task", "u")[0] == 2
    write_blind(tmp_path, "other", {"v": choice_samples([True])}, stamp="6")
    sentence = "Expected results of u; found v. Correct --task."
    assert error_of(load(tmp_path, tasks=("v", "u")), tasks=["v", "u"]) == sentence


def test_runs_with_images_are_no_inspectors(tmp_path: Path) -> None:
    """A model that sees its picture says nothing about the questions."""
    write_run(tmp_path, "m", {"t": choice_samples([True])})
    sentence = (
        "t is left out: Expected runs without images; m saw them. Run the task's _text "
        "variant, or lmms-eval's --model ablated with ablation=text, or name answers "
        "TASK_text=FILE."
    )
    assert error_of(load(tmp_path)) == sentence
    # a folder may hold other tasks, which were run with images alone
    write_blind(tmp_path, "m", {"u": choice_samples([True, False])}, stamp="2")
    filtered, left_out = filter_runs(load(tmp_path))
    assert ([each.task for each in filtered], left_out) == (["u"], [sentence])


def test_files_without_a_task_inspect_and_that_is_said(tmp_path: Path) -> None:
    """Such a file does not say what the model saw: who filters it says that it saw no picture."""
    hits = {"a": "AB", "b": "AC", "c": "AA"}  # the letters of q0 (true: A) and q1 (true: B)
    for model, letters in hits.items():
        lines = [
            {"id": f"q{place}", "question": "Which?", "options": ["red", "blue", "green"]}
            | {"answer": "AB"[place], "prediction": letter}
            for place, letter in enumerate(letters)
        ]
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (tmp_path / f"{model}.jsonl").write_text(text)

    files = [RunPath(tmp_path / f"{model}.jsonl") for model in hits]
    a, b, c = (load_runs([file], Selection())[0] for file in files)
    filtered = only([*a, *b, *c], pairs=[(a, b)], max_hits=1)
    assert filtered.record["hit_counts"] == [0, 1, 0, 1]
    assert list(filtered.kept.index) == ["q1"]
    assert [pair["ids"] for pair in filtered.leaked] == [["q1"]]
    assert filtered.remarks == [
        "Files without a task do not say what a model saw: a and 2 more counted as without images."
    ]


def test_of_tasks_that_are_all_left_out_the_first_has_its_reason(tmp_path: Path) -> None:
    """It is enough to go on with: twenty tasks may have the same one."""
    samples = {name: choice_samples([True]) for name in ("t", "u", "v")}
    write_run(tmp_path, "openai", samples, "model_version=a/b")
    error = error_of(load(tmp_path))
    said = "is left out: Expected runs without images; openai,model_version=a/b saw"
    assert (error.startswith(f"t {said}"), error.count(said)) == (True, 1)


@pytest.mark.parametrize(
    ("tasks", "counts"),
    [
        (["x_text", "x_llm"], "x_llm"),
        (["x_grey", "x_text", "x"], "x_text"),
        (["shuffled", "x_grey"], "x_grey"),
        (["x_text", "text"], "text"),
        (["text", "x_text"], "x_text"),
    ],
)
def test_one_model_is_one_inspector(tmp_path: Path, tasks: list[str], counts: str) -> None:
    """Of its runs `_llm` counts before no picture, a grey one and another; of equals the last.

    A run with images does not count.
    """
    for stamp, task in enumerate(tasks):
        own = task in TASKS
        samples = {task if own else "x": choice_samples([task == counts])}
        args = ("m", "") if own else ("ablated", f"base=m,ablation={task}")
        write_run(tmp_path, args[0], samples, args[1], stamp=str(stamp), settings=TASKS)
    filtered = only(load(tmp_path))
    assert [row["model"] for row in filtered.answers] == ["m"]
    assert list(filtered.questions.hits) == [1]


@pytest.mark.parametrize("role", ["inspector", "lvlm", "pair"])
def test_failed_requests_are_no_misses(tmp_path: Path, role: str) -> None:
    """Of up to 1% the questions are left out, and named; a run with more is no basis."""
    write_inspectors(tmp_path / "whole", [0] * 200, models=1)
    whole = load(tmp_path / "whole")
    for failed in (2, 3):
        folder = tmp_path / str(failed)
        samples = choice_samples([None] * failed + [False] * (200 - failed))
        if role == "lvlm":
            write_run(folder, "f", {"t": samples})
        else:
            write_blind(folder, "f", {"t": samples})
        other = load(folder)
        roles: dict[str, Any] = {"lvlm": {"lvlms": other}, "pair": {"pairs": [(whole, other)]}}
        options = roles.get(role, {})
        runs = [*whole, *other] if role == "inspector" else whole
        if failed == 3:
            assert error_of(runs, **options) == (
                "t is left out: Expected scores by accuracy of the answers of f to t: 197 of 200"
                " answers have a score, fewer than 99% (3 requests failed). Run it again, or"
                " choose another --metric."
            )
            continue

        filtered = only(runs, **options)
        known = 198 if role == "inspector" else 200
        assert (len(filtered.questions), len(filtered.kept)) == (known, known)
        remark = (
            "t: 2 questions left out, as not every inspector has a score of each, the first: q0,"
            " q1."
        )
        assert filtered.remarks == ([remark] if role == "inspector" else [])
        if role == "lvlm":
            assert filtered.record["difficulty"]["unknown"] == 2
            assert sum(filtered.record["difficulty"].values()) == 200


@pytest.mark.parametrize("kind", ["refused", "unparsed"])
def test_an_inspector_that_mostly_gives_no_answer_is_warned_of(
    tmp_path: Path, run_filter: Filter, kind: Status
) -> None:
    """From half of its answers on; the record has the shares of every inspector."""
    for stamp, count in enumerate((1, 2)):
        samples = [
            choice_sample(place, False, status=kind if place < count else "ok")
            for place in range(4)
        ]
        write_run(
            tmp_path, f"m{count}", {"t": samples}, stamp=str(stamp), settings={"t": "ablation=text"}
        )
    status, (record,), errors = run_filter(tmp_path)
    share = {"refused": ("50%", "0%"), "unparsed": ("0%", "50%")}[kind]
    assert status == 0
    assert errors.endswith(
        f"spiqa-tasks: t: m2: {share[0]} refused, {share[1]} without a letter. Both count as"
        " misses: leave it out, or ask it otherwise.\n"
    )
    assert [answers[kind] for answers in record["answers"]] == [0.25, 0.5]


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("role", ["inspector", "lvlm", "pair"])
def test_a_part_of_a_task_is_no_basis_unless_it_is_wanted(
    tmp_path: Path, role: str, partial: bool
) -> None:
    """Of inspectors, of LVLMs for the difficulty and of pairs for what leaked."""
    write_inspectors(tmp_path / "whole", [0, 1], models=1)
    args = ("p", "") if role == "lvlm" else ("ablated", "base=p,ablation=text")
    samples = {"t": choice_samples([True, False])}
    write_run(tmp_path / "part", args[0], samples, args[1], asked=900)
    whole = load(tmp_path / "whole", partial=partial)
    part = load(tmp_path / "part", partial=partial)
    roles: dict[str, Any] = {"lvlm": {"lvlms": part}, "pair": {"pairs": [(part, whole)]}}
    options = roles.get(role, {})
    runs = [*whole, *part] if role == "inspector" else whole
    if partial:
        assert list(only(runs, **options).questions.index) == ["q0", "q1"]
        return
    model = "p" if role == "lvlm" else "p,ablation=text"
    assert error_of(runs, **options) == (
        f"t is left out: Expected the whole of t of {model}: 2 of 900 questions were answered,"
        " fewer than 99%. Run it, or add --partial."
    )


def test_scores_between_0_and_1_are_refused(tmp_path: Path) -> None:
    """They do not say right or wrong; the first such score is named."""
    lines = [{"doc_id": place, "acc": score} for place, score in enumerate((1.0, 0.125, 0.5, 0.0))]
    write_blind(tmp_path, "m", {"t": lines})
    sentence = (
        "Expected scores of 0 or 1 in acc of t, found 0.125. Name a --metric that says right or"
        " wrong, or filter another task."
    )
    assert sentence in error_of(load(tmp_path))


def test_the_metric_is_the_headline_or_the_one_that_is_named(tmp_path: Path) -> None:
    """A task whose runs lack it is left out with a sentence."""
    write_inspectors(tmp_path, [0, 1], models=1)
    write_blind(tmp_path, "m", {"u": [{"acc": 1.0}, {"acc": 0.0}]}, stamp="9")
    filtered, left_out = filter_runs(load(tmp_path), metric="acc")
    assert [(each.task, each.metric) for each in filtered] == [("u", "acc")]
    (sentence,) = left_out
    assert sentence.startswith("t is left out: Expected t to have the metric acc; found accuracy")
    error = error_of(load(tmp_path), metric="other")
    assert error.startswith("t is left out: Expected t to have the metric other; found acc")


def test_a_run_with_changed_options_is_no_inspector(tmp_path: Path) -> None:
    """It saw other questions, even where it saw no picture."""
    samples = {"x": choice_samples([True])}
    write_run(tmp_path, "ablated", samples, "base=m,ablation=text,options=permuted")
    assert error_of(load(tmp_path)) == (
        "Expected runs with the options as they are, found x of m with "
        "ablation=text,options=permuted. Set it against the run without by `spiqa-tasks compare`."
    )
