"""Runs that belong together: with pictures, without, and of the LLM base."""

from pathlib import Path

import pytest
from answer_files import right_answers, write_jsonl
from gain_files import LLM, SEEING, TEXT, host_samples, rights, write_triple
from host_files import choice_samples, write_run
from judged_runs import write_judged
from run_pairs import load, only, scores

from spiqa_tasks.analysis.gain import GainRuns, ablation_pairs
from spiqa_tasks.benchmarks.metric import mean_of
from spiqa_tasks.errors import InputError

ACCURACY = mean_of("accuracy")
WITH = (
    "found none or several. Run the same model on the task itself, or name files by --with and"
    " --without."
)
WITHOUT = (
    "found none or several. Run the task's variant _text if it has one, else lmms-eval with --model"
    " ablated --model_args base=MODEL,ablation=text,..., or name files by --with and --without."
)
"""Ends of the sentences on runs that have no twin with and without images."""


def names(found: GainRuns) -> list[tuple[str, str]]:
    return [(run.task, run.name) for run in found.runs]


def test_a_model_with_pictures_without_and_its_base(tmp_path: Path) -> None:
    """Our `_text` and `_llm` tasks are known by their settings; every question has a score of
    each run.
    """
    write_triple(tmp_path, rights(3, 4), rights(2, 4), rights(1, 4))
    found = only(load(tmp_path))
    assert names(found) == [
        ("mmstar_filtered", "m,pretrained=a"),
        ("mmstar_filtered_text", "m,pretrained=a"),
        ("mmstar_filtered_llm", "llm,pretrained=b"),
    ]
    assert (found.ablation, found.metric.name) == ("text", "accuracy")
    assert scores(found) == {"q0": (1, 1, 1), "q1": (1, 1, 0), "q2": (1, 0, 0), "q3": (0, 0, 0)}


def test_wrapped_models_are_paired_with_their_bases(tmp_path: Path) -> None:
    """The base and its arguments say which run with images belongs to one without; the others
    have a sentence.
    """
    write_run(tmp_path, "m", {"t": choice_samples(rights(3, 4))}, "pretrained=a,batch=2", stamp="1")
    write_run(tmp_path, "m", {"t": choice_samples(rights(4, 4))}, "pretrained=b,batch=2", stamp="2")
    for stamp, kind, right in (("3", "grey", 2), ("4", "shuffled", 1)):
        args = f"base=m,ablation={kind},seed=1,pretrained=a,batch=2"
        write_run(tmp_path, "ablated", {"t": choice_samples(rights(right, 4))}, args, stamp=stamp)
    found, problems, _ = ablation_pairs(load(tmp_path))
    assert [(each.ablation, each.runs[0].path.name, each.runs[1].path.name) for each in found] == [
        ("grey,seed=1", "1_results.json", "3_results.json"),
        ("shuffled,seed=1", "1_results.json", "4_results.json"),
    ]
    assert problems == [
        f"Expected one run without images for m,batch=2,pretrained=b on t; {WITHOUT}"
    ]


def test_several_seeds_of_an_ablation_are_told_apart(tmp_path: Path) -> None:
    """Each is a pair of its own with the only run with images."""
    write_run(tmp_path, "m", {"t": choice_samples(rights(3, 4))}, stamp="1")
    for stamp in ("2", "3"):
        samples = {"t": choice_samples(rights(2, 4))}
        write_run(tmp_path, "ablated", samples, f"base=m,ablation=grey,seed={stamp}", stamp=stamp)
    found, problems, _ = ablation_pairs(load(tmp_path))
    assert ([each.ablation for each in found], problems) == (["grey,seed=2", "grey,seed=3"], [])


@pytest.mark.parametrize(
    "settings", ["prompt=letter, ablation=grey", "ablation=grey,prompt=letter,"]
)
def test_a_grey_task_is_paired_however_its_settings_are_written(
    tmp_path: Path, settings: str
) -> None:
    """A blank or a comma too many neither ends `gain` nor makes a run without images one with."""
    write_run(
        tmp_path,
        "m",
        {"x": choice_samples([True, True])},
        stamp="1",
        settings={"x": "prompt=letter,"},
    )
    write_run(
        tmp_path,
        "m",
        {"x_grey": choice_samples([True, False])},
        stamp="2",
        settings={"x_grey": settings},
    )
    found = only(load(tmp_path))
    assert (found.ablation, found.runs[0].task, found.runs[1].task) == ("grey", "x", "x_grey")


def test_any_run_can_be_the_llm_base(tmp_path: Path) -> None:
    """One of a text-only model on the plain task; it is no run with images then, though it is
    among those.
    """
    write_triple(tmp_path / "m", rights(3, 4), rights(2, 4), None)
    samples = {"mmstar_filtered": choice_samples(rights(1, 4), prompt="other")}
    write_run(tmp_path / "base", "llm", samples, stamp="1", settings=SEEING)
    llm = load(tmp_path / "base")
    found = only(load(tmp_path / "m"), llm)
    assert found.runs[2] is llm[0]
    assert only([*load(tmp_path / "m"), *llm], llm).runs[2] is llm[0]


def test_runs_of_one_model_in_two_folders_are_pairs_of_their_own(tmp_path: Path) -> None:
    """Each run with the one in its folder; they are told apart by it, and a file names one."""
    for folder, right in (("a", 18), ("b", 12)):
        for task, count in (("mmstar_demo", right), ("mmstar_demo_text", right // 2)):
            answers = {
                key: text if place < count else "none"
                for place, (key, text) in enumerate(right_answers("mmstar_demo").items())
            }
            write_jsonl(tmp_path / folder / f"m_{task}.jsonl", answers)
    runs = [run for folder in "ab" for run in load(tmp_path / folder)]
    found, problems, _ = ablation_pairs(runs)
    assert problems == []
    names = ["m (a)", "m (b)"]
    assert [
        (
            each.runs[0].name,
            each.runs[1].path.parent.name,
            sum(v - wv for v, wv in scores(each).values()),
        )
        for each in found
    ] == [
        (names[0], "a", 9),
        (names[1], "b", 6),
    ]
    assert [each.ablation for each in found] == ["text", "text"]
    one = only(
        [
            *load(tmp_path / "a" / "m_mmstar_demo.jsonl"),
            *load(tmp_path / "b" / "m_mmstar_demo_text.jsonl"),
        ]
    )
    assert (one.runs[0].name, one.runs[1].name, one.ablation) == ("m", "m", "text")


def test_a_run_that_could_belong_to_two_is_left_out(tmp_path: Path) -> None:
    """The sentences name all three."""
    answers = right_answers("mmstar_demo")
    for folder, task in (("a", "mmstar_demo"), ("b", "mmstar_demo"), ("c", "mmstar_demo_text")):
        write_jsonl(tmp_path / folder / f"m_{task}.jsonl", answers)
    runs = [run for folder in "abc" for run in load(tmp_path / folder)]
    with pytest.raises(InputError) as error:
        ablation_pairs(runs)
    names = "m (a) on mmstar_demo, m (b) on mmstar_demo"
    assert str(error.value) == (
        f"Expected one run with images for m on mmstar_demo_text; {WITH} Expected one run without"
        f" images for {names}; {WITHOUT}"
    )


def test_scores_of_two_judges_have_no_gain(tmp_path: Path) -> None:
    """One can be named; a metric that no judge has a part in needs none."""
    for judge in "ab":
        write_judged(tmp_path / judge, "m", [0.5] * 39, f"openai:{judge}", stamp="1")
        write_judged(
            tmp_path / judge, "ablated", [0.25] * 39, f"openai:{judge}", "base=m,ablation=text", "2"
        )
    crossed = [*load(tmp_path / "a")[:1], *load(tmp_path / "b")[1:]]
    with pytest.raises(InputError) as error:
        ablation_pairs(crossed)
    assert (
        str(error.value)
        == "Expected scores by the same judge for spiqa_demo in 1_results.json and spiqa_demo in"
        " 2_results.json; found openai:a and openai:b. Name one with --judge."
    )
    assert only(crossed, metric="unformatted_rate").metric.name == "unformatted_rate"
    both = [run for judge in "ab" for run in load(tmp_path / judge)]
    found, problems, _ = ablation_pairs(both)
    assert ([(each.runs[0].judge_name, each.runs[1].judge_name) for each in found], problems) == (
        [("openai:a", "openai:a"), ("openai:b", "openai:b")],
        [],
    )
    assert only(load(tmp_path, judge="openai:a")).runs[0].judge_name == "openai:a"


def test_of_two_llm_bases_none_counts(tmp_path: Path) -> None:
    """The gain stands without them, and a sentence says that one must be named."""
    write_triple(tmp_path, rights(3, 4), rights(2, 4), rights(1, 4))
    write_run(
        tmp_path,
        "other",
        {"mmstar_filtered_llm": choice_samples(rights(1, 4))},
        stamp="4",
        settings=LLM,
    )
    (pair,), _, problems = ablation_pairs(load(tmp_path))
    assert len(pair.runs) == 2
    assert problems == [
        "Expected one LLM base for mmstar_filtered; found llm,pretrained=b on mmstar_filtered_llm,"
        " other on mmstar_filtered_llm. S_t and ML are left out: name one of the runs, or its"
        " --judge."
    ]


def test_the_sentence_on_a_run_with_images_alone_says_what_to_run(tmp_path: Path) -> None:
    """A variant of the task, or the wrapped model."""
    write_run(tmp_path, "m", {"t": choice_samples([True])}, "pretrained=a")
    with pytest.raises(InputError) as error:
        ablation_pairs(load(tmp_path))
    assert str(error.value) == f"Expected one run without images for m,pretrained=a on t; {WITHOUT}"


def test_of_many_runs_alone_the_sentence_names_three(tmp_path: Path) -> None:
    """A suite of twenty tasks would have twenty sentences."""
    for number, name in enumerate("ab"):
        samples = {task: choice_samples([True]) for task in "tu"}
        write_run(tmp_path, name, samples, stamp=str(number))
    with pytest.raises(InputError, match="for a on t, a on u, b on t and 1 more; found none or"):
        ablation_pairs(load(tmp_path))


def test_a_run_without_images_alone_is_left_out(tmp_path: Path) -> None:
    """The others have their gain."""
    write_run(
        tmp_path, "n", {"mmstar_filtered": choice_samples([True])}, stamp="1", settings=SEEING
    )
    write_run(
        tmp_path, "m", {"mmstar_filtered_text": choice_samples([True])}, stamp="2", settings=TEXT
    )
    with pytest.raises(InputError):
        ablation_pairs(load(tmp_path))
    write_run(
        tmp_path, "n", {"mmstar_filtered_text": choice_samples([True])}, stamp="3", settings=TEXT
    )
    found, problems, _ = ablation_pairs(load(tmp_path))
    assert [each.runs[0].name for each in found] == ["n"]
    assert problems == [f"Expected one run with images for m on mmstar_filtered_text; {WITH}"]


def test_a_run_without_samples_has_no_gain(tmp_path: Path) -> None:
    """Of a task of ours and one of the host; other pairs stay."""
    write_triple(tmp_path, rights(3, 4), rights(2, 4), None)
    for stamp, model, arguments in (("5", "m", ""), ("6", "ablated", "base=m,ablation=text")):
        write_run(tmp_path, model, {"t": choice_samples([True])}, arguments, stamp=stamp)
    (samples,) = tmp_path.glob("6_samples_t.jsonl")
    samples.unlink()
    found, _, problems = ablation_pairs(load(tmp_path))
    assert [each.runs[0].task for each in found] == ["mmstar_filtered"]
    said = "Expected samples of {}, found none. Run it again with --log_samples."
    assert problems == [said.format("t of m,ablation=text")]

    (samples,) = tmp_path.glob("*_samples_mmstar_filtered_text.jsonl")
    samples.unlink()
    with pytest.raises(InputError) as error:
        ablation_pairs(load(tmp_path))
    assert str(error.value) == said.format("mmstar_filtered_text of m,pretrained=a")


def test_the_metric_is_the_headline_or_the_one_that_is_named(tmp_path: Path) -> None:
    """A task whose runs lack it is left out with a sentence, others stay."""
    write_triple(tmp_path, rights(3, 4), rights(2, 4), None)
    assert only(load(tmp_path), metric="accuracy").metric.name == "accuracy"
    lines = host_samples("AB", lambda letter: float(letter == "A"))
    write_run(tmp_path, "m", {"t": lines}, stamp="5")
    write_run(tmp_path, "ablated", {"t": lines}, "base=m,ablation=text", stamp="6")
    found, _, problems = ablation_pairs(load(tmp_path), metric="accuracy")
    assert [each.runs[0].task for each in found] == ["mmstar_filtered"]
    assert problems == ["Expected t to have the metric accuracy; found score. Name another."]
    with pytest.raises(InputError, match=r"Expected t to have the metric accuracy"):
        ablation_pairs(load(tmp_path, tasks=("t",)), metric="accuracy")
