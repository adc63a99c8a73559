"""The filter on logged answers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from filter_runs import Filter, write_inspectors
from host_files import choice_sample, choice_samples, sample_of, write_run

from spiqa_tasks.analysis.filter_runs import Filtered, Rule, difficulty, filter_runs, is_abnormal
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import Selection

BLIND = {
    "x_text": "prompt=letter,ablation=text",
    "x_llm": "prompt=letter,ablation=text,shots=2",
    "x": "prompt=letter",
}
(DEMO,) = find_tasks(["mmstar_demo"])


def load(folder: Path, **wanted: Any) -> list[Run]:
    return load_runs([RunPath(folder)], Selection(**wanted))[0]


def only(runs: Sequence[Run], text_only_models: bool = True, **options: Any) -> Filtered:
    """What the filter found for the only task, of which nothing is to be said."""
    (found,), remarks, left_out = filter_runs(runs, text_only_models=text_only_models, **options)
    assert (remarks, left_out) == ([], [])
    return found


def test_keeps_what_at_most_two_of_eight_answer(tmp_path: Path, run_filter: Filter) -> None:
    """Hits 0, 1 and 2 are kept; 6, 7 and 8 count to the abnormal hit rate."""
    write_inspectors(tmp_path, list(range(9)))
    target = tmp_path / "samples.jsonl"
    status, (record,), _ = run_filter(tmp_path, "--samples", target)
    assert status == 0
    assert (record["n"], record["kept"], record["max_hits"], len(record["inspectors"])) == (
        9,
        3,
        2,
        8,
    )
    assert record["groups"][0] == {
        "group": "all",
        "n": 9,
        "kept": 3,
        "abnormal_hit_rate": pytest.approx(3 / 9),
    }
    samples = [json.loads(line) for line in target.read_text().splitlines()]
    assert [sample["hits"] for sample in samples] == list(range(9))
    assert [sample["id"] for sample in samples if sample["kept"]] == ["q0", "q1", "q2"]
    assert [sample["id"] for sample in samples if sample["abnormal"]] == ["q6", "q7", "q8"]


def test_questions_in_parts_are_left_out(tmp_path: Path) -> None:
    """A task that shows one figure at a time has several documents a question; keeping some
    would tear it.
    """
    settings = "setting=perfigure,max_figures=0"
    samples = [sample_of(row, "Yes") for row in load_rows("spiqa", "demo", settings)[:9]]
    task = "spiqa_demo_perfigure"
    write_run(tmp_path, "m", {task: samples}, settings={task: settings}, benchmark="spiqa")
    sentence = (
        f"{task} is left out: each of its questions is several documents, one for a figure, and"
        " would be kept in part. Filter the task that shows all figures at once."
    )
    with pytest.raises(InputError) as error:
        filter_runs(load(tmp_path), text_only_models=True)
    assert str(error.value) == sentence
    write_inspectors(tmp_path, [0], models=1)
    found, remarks, left_out = filter_runs(load(tmp_path), text_only_models=True)
    assert ([each.task for each in found], remarks, left_out) == (["t"], [], [sentence])


def test_threshold_can_be_given(tmp_path: Path, run_filter: Filter) -> None:
    """`--max-hits` overrides 2 of 8; what keeps none or all of the questions is refused."""
    write_inspectors(tmp_path, [0, 1, 2], models=2)
    assert run_filter(tmp_path)[1][0]["kept"] == 1
    assert run_filter(tmp_path, "--max-hits", 1)[1][0]["kept"] == 2
    for max_hits in (-1, 2):
        assert run_filter(tmp_path, "--max-hits", max_hits) == (
            2,
            [],
            (
                "spiqa-tasks: t is left out: Expected --max-hits from 0 to 1, for 2 inspectors;"
                f" found {max_hits}.\n"
            ),
        )


@pytest.mark.parametrize("threshold", ["0", "50", "nan"])
def test_a_threshold_out_of_range_is_refused(
    tmp_path: Path, run_filter: Filter, threshold: str
) -> None:
    """Every answer or none would be right."""
    write_inspectors(tmp_path, [0, 1], models=2)
    assert run_filter(tmp_path, "--threshold", threshold) == (
        2,
        [],
        f"spiqa-tasks: Expected a --threshold above 0 and at most 1, found {threshold}.\n",
    )


def test_difficulty_counts_the_kept_questions(tmp_path: Path, run_filter: Filter) -> None:
    """LVLM runs with images say how hard each kept question is; runs without images are no LVLM
    runs.
    """
    write_inspectors(tmp_path / "llm", [0, 0, 0, 0, 8])
    write_inspectors(tmp_path / "lvlm", [16, 8, 4, 0, 16], models=16)
    write_run(
        tmp_path / "lvlm",
        "ablated",
        {"t": choice_samples([True] * 5)},
        "base=m0,ablation=text",
        stamp="99",
    )
    record = run_filter(tmp_path / "llm", "--lvlm", tmp_path / "lvlm")[1][0]
    assert record["difficulty"] == {"easy": 1, "moderate": 1, "hard": 1, "tough": 1}
    assert only(load(tmp_path / "llm")).difficulty_counts() == {}


def test_pairs_find_what_leaked(tmp_path: Path, run_filter: Filter) -> None:
    """What the LVLM answers without the image and its LLM base does not, by id."""
    write_inspectors(tmp_path / "llm", [0] * 4, models=1)
    lvlm = choice_samples([True, True, False, False])
    write_run(tmp_path / "a", "ablated", {"t": lvlm}, "base=lvlm,ablation=text", stamp="1")
    write_run(tmp_path / "a", "lvlm", {"t": choice_samples([True] * 4)}, stamp="2")
    write_run(tmp_path / "b", "base", {"t": choice_samples([True, False, True, False])}, stamp="1")
    record = run_filter(tmp_path / "llm", "--pair", tmp_path / "a", tmp_path / "b")[1][0]
    assert record["leaked"] == [{"lvlm": "lvlm", "llm": "base", "n": 1, "ids": ["q1"]}]


def test_inspectors_of_other_questions_are_refused(tmp_path: Path, run_filter: Filter) -> None:
    """All must have answered the same questions; an unknown task and two tasks for one name are
    refused too.
    """
    write_inspectors(tmp_path, [0, 0], models=1)
    write_run(tmp_path, "other", {"t": choice_samples([True])}, stamp="5")
    assert "found 2 and 1" in run_filter(tmp_path)[2]
    assert run_filter(tmp_path, "--task", "u")[0] == 2
    write_run(tmp_path, "other", {"v": choice_samples([True])}, stamp="6")
    with pytest.raises(InputError, match=r"Expected results of u; found v\. Correct --task\."):
        filter_runs(load(tmp_path), tasks=["v", "u"], text_only_models=True)


def test_runs_with_images_are_no_inspectors_unless_they_are_called_so(tmp_path: Path) -> None:
    """A model that sees its picture says nothing about the questions."""
    write_inspectors(tmp_path, [1, 0], models=2)
    with pytest.raises(InputError) as error:
        filter_runs(load(tmp_path))
    assert (
        str(error.value)
        == "Expected runs without images, found one with: t of m0. Run --model ablated"
        " --model_args "
        "base=...,ablation=text, or say --text-only-models."
    )
    assert only(load(tmp_path)).inspectors == ["m0", "m1"]
    write_run(tmp_path / "blind", "b", {"x_text": choice_samples([True])}, settings=BLIND)
    assert only(load(tmp_path / "blind"), text_only_models=False).inspectors == ["b"]


@pytest.mark.parametrize(
    ("tasks", "counts"),
    [
        (["x_text", "x_llm", "x"], "x_llm"),
        (["x_grey", "x_text"], "x_text"),
        (["x", "x_grey"], "x_grey"),
        (["shuffled", "x_grey"], "x_grey"),
        (["shuffled", "x_text"], "x_text"),
        (["x", "shuffled"], "shuffled"),
        (["x_text", "text"], "text"),
        (["text", "x_text"], "x_text"),
    ],
)
def test_one_model_is_one_inspector(tmp_path: Path, tasks: list[str], counts: str) -> None:
    """Of its runs `_llm` counts before no picture, a grey one, another and its own; of equals
    the last.
    """
    settings = {**BLIND, "x_grey": "prompt=letter,ablation=grey"}
    for stamp, task in enumerate(tasks):
        own = task in settings
        samples = {task if own else "x": choice_samples([task == counts])}
        args = ("m", "") if own else ("ablated", f"base=m,ablation={task}")
        write_run(tmp_path, args[0], samples, args[1], stamp=str(stamp), settings=settings)
    (found,), remarks, _ = filter_runs(load(tmp_path), text_only_models=True)
    assert (found.inspectors, found.hits) == (["m"], {"q0": 1})
    assert len(remarks) == len(tasks) - 1


@pytest.mark.parametrize("role", ["inspector", "lvlm", "pair"])
def test_failed_requests_are_no_misses(tmp_path: Path, role: str) -> None:
    """A run with more than 1% of them is no basis; of fewer the questions are left out, and
    named.
    """
    write_inspectors(tmp_path / "whole", [0] * 200, models=1)
    whole = load(tmp_path / "whole")
    for failed in (2, 3):
        folder = tmp_path / str(failed)
        write_run(folder, "f", {"t": choice_samples([None] * failed + [False] * (200 - failed))})
        other = load(folder)
        options: dict[str, Any] = {
            "lvlm": {"lvlms": other},
            "pair": {"pairs": [(whole, other)]},
        }.get(role, {})
        runs = [*whole, *other] if role == "inspector" else whole
        if failed == 3:
            with pytest.raises(InputError) as error:
                filter_runs(runs, text_only_models=True, **options)
            assert (
                str(error.value)
                == "t is left out: Expected scores by accuracy of the answers of f to t: 197 of 200"
                " answers have a score, fewer than 99% (3 requests failed). Run it again, or"
                " choose another --metric."
            )
            continue
        (found,), remarks, _ = filter_runs(runs, text_only_models=True, **options)
        assert (len(found.hits), len(found.kept)) == (
            (198, 198) if role == "inspector" else (200, 200)
        )
        assert found.groups()["all"]["n"] == len(found.hits)
        told = (
            "t: 2 of 200 questions are left out, as not every inspector has a score of them, the"
            " first: q0, q1."
        )
        assert remarks == ([told] if role == "inspector" else [])
        assert sum(found.difficulty_counts().values()) == (200 if role == "lvlm" else 0)
        assert len(found.difficulties) == (198 if role == "lvlm" else 0)


@pytest.mark.parametrize("kind", ["refused", "unparsed"])
def test_an_inspector_that_mostly_gives_no_answer_is_warned_of(
    tmp_path: Path, run_filter: Filter, kind: str
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
        f"spiqa-tasks: t: m2 refused {share[0]} of the questions, and {share[1]} of its answers"
        " could not be read. These count as misses, so that questions are kept that need no image;"
        " leave it out, or ask it otherwise.\n"
    )
    assert [answers[kind] for answers in record["answers"]] == [0.25, 0.5]
    assert record["answers"][0] | {kind: 0.0} == {
        **{
            "model": "m1",
            "task": "t",
            "score": 0.0,
            "refused": 0.0,
            "unparsed": 0.0,
            "failed": 0.0,
        },
        **{"n": 4, "truncated": None, "taken_whole": 0.0},
    }


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("role", ["inspector", "lvlm", "pair"])
def test_a_part_of_a_task_is_no_basis_unless_it_is_wanted(
    tmp_path: Path, role: str, partial: bool
) -> None:
    """Of inspectors, of LVLMs for the difficulty and of pairs for what leaked."""
    write_inspectors(tmp_path / "whole", [0, 1], models=1)
    write_run(tmp_path / "part", "p", {"t": choice_samples([True, False])}, asked=900)
    whole, part = (
        load(tmp_path / "whole", partial=partial),
        load(tmp_path / "part", partial=partial),
    )
    options: dict[str, Any] = {"lvlm": {"lvlms": part}, "pair": {"pairs": [(part, whole)]}}.get(
        role, {}
    )
    runs = [*whole, *part] if role == "inspector" else whole
    if partial:
        assert only(runs, **options).hits.keys() == {"q0", "q1"}
        return
    with pytest.raises(InputError) as error:
        only(runs, **options)
    assert (
        str(error.value)
        == "t is left out: Expected the whole of t of p: 2 of 900 questions were answered, fewer"
        " than 99%. Run it, or add --partial."
    )


def test_scores_between_0_and_1_need_a_threshold(tmp_path: Path) -> None:
    """From which on an answer is right; the first such score is named."""
    lines = [{"doc_id": place, "acc": score} for place, score in enumerate((1.0, 0.125, 0.5, 0.0))]
    write_run(tmp_path, "m", {"t": lines})
    with pytest.raises(InputError) as error:
        only(load(tmp_path))
    assert (
        "Expected scores of 0 or 1 in acc of t, found 0.125. Give the least right --threshold."
        in str(error.value)
    )
    found = only(load(tmp_path), rule=Rule(threshold=0.5))
    assert (found.hits, found.threshold, found.max_hits) == (
        {"0": 1, "1": 0, "2": 1, "3": 0},
        0.5,
        0,
    )
    assert found.kept == ["1", "3"]


def test_the_metric_is_the_headline_or_the_one_that_is_named(tmp_path: Path) -> None:
    """A task whose runs lack it is left out with a sentence."""
    write_inspectors(tmp_path, [0, 1], models=1)
    write_run(tmp_path, "m", {"u": [{"acc": 1.0}, {"acc": 0.0}]}, stamp="9")
    found, remarks, left_out = filter_runs(load(tmp_path), rule=Rule("acc"), text_only_models=True)
    assert ([(each.task, each.metric.name) for each in found], remarks) == ([("u", "acc")], [])
    (remark,) = left_out
    assert remark.startswith("t is left out: Expected t to have the metric acc; found accuracy")
    with pytest.raises(
        InputError, match="u is left out: Expected u to have the metric other; found acc"
    ):
        filter_runs(load(tmp_path), tasks=["u"], rule=Rule("other"), text_only_models=True)


def test_what_leaks_in_most_pairs_is_counted(tmp_path: Path, run_filter: Filter) -> None:
    """Figure 3's centre: of four pairs, what three hit and not what two do, in all and in the
    group.
    """
    lvlms = [[True, True, False, True], [True, False, False, True], [True, True, True, False]]
    lvlms.append([True, False, False, False])
    bases = [[False] * 4, [False, False, False, True], [True, False, False, False], [False] * 4]
    arguments: list[Any] = []
    for place, (lvlm, base) in enumerate(zip(lvlms, bases, strict=True)):
        for name, rights in (("lvlm", lvlm), ("base", base)):
            write_run(
                tmp_path / f"{name}{place}",
                f"{name}{place}",
                {"t": choice_samples(rights)},
                stamp="1",
            )
        arguments += ["--pair", tmp_path / f"lvlm{place}", tmp_path / f"base{place}"]
    inspectors = [tmp_path / f"lvlm{place}" for place in range(3)]
    out = tmp_path / "samples.jsonl"
    (record,) = run_filter(*inspectors, *arguments, "--samples", out)[1]
    by_hand = [
        sum(lvlm[place] and not base[place] for lvlm, base in zip(lvlms, bases, strict=True))
        for place in range(4)
    ]
    assert by_hand == [3, 2, 1, 1]
    assert [group["leaked_by_most"] for group in record["groups"]] == [1]
    samples = [json.loads(line) for line in out.read_text().splitlines()]
    assert [len(sample["leaked_by"]) for sample in samples] == by_hand
    assert [sample["leaked_by_most"] for sample in samples] == [True, False, False, False]
    assert record["hit_counts"] == [0, 1, 2, 1]
    assert sum(hits * n for hits, n in enumerate(record["hit_counts"])) == sum(map(sum, lvlms[:3]))


def test_thresholds_of_the_paper_scale() -> None:
    """Abnormal is at least 75% of the LLMs; easy 12-16 of 16 LVLMs, moderate 8-11, hard 4-7,
    tough 0-3.
    """
    assert [hits for hits in range(9) if is_abnormal(hits, 8)] == [6, 7, 8]
    assert [hits for hits in range(6) if is_abnormal(hits, 5)] == [4, 5]
    names = [difficulty(hits, 16) for hits in range(17)]
    assert names == ["tough"] * 4 + ["hard"] * 4 + ["moderate"] * 4 + ["easy"] * 5
    assert [difficulty(hits, 4) for hits in range(5)] == [
        "tough",
        "hard",
        "moderate",
        "easy",
        "easy",
    ]
    assert [difficulty(hits, 23) for hits in (17, 18)] == ["moderate", "easy"]


def test_a_run_with_changed_options_is_no_inspector(tmp_path: Path) -> None:
    """It saw other questions, even where it saw no picture."""
    samples = {"x": choice_samples([True])}
    write_run(tmp_path, "ablated", samples, "base=m,ablation=text,options=permuted")
    with pytest.raises(InputError) as error:
        filter_runs(load(tmp_path), text_only_models=True)
    assert (
        str(error.value) == "Expected runs with the options as they are, found x of m with "
        "ablation=text,options=permuted. Set it against the run without by `spiqa-tasks compare`."
    )
