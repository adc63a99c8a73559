"""Which of several runs count, and which belong together."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath, PureWindowsPath

import pytest
from host_files import choice_samples, write_run
from report_runs import choices, run_of
from run_files import read_results

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Origin, Reported, Run
from spiqa_tasks.runs.selection import path_beside, runs_that_count, twin, with_unique_labels

MODEL = Identity("m")


def a_run(
    path: str = "1_results.json",
    answered: int = 24,
    form: str = "lmms-eval",
    task: str = "t",
    who: Identity = MODEL,
    judge: str = "",
) -> Run:
    """A run of a task of ours."""
    run = run_of(choices([True]), task=task)
    return replace(
        run,
        path=Path(path),
        answered=answered,
        form=form,
        identity=who,
        reported=Reported(judge=judge),
    )


def of_settings(
    folder: Path, task: str, settings: str, model: str = "m", arguments: str = ""
) -> Run:
    """Return a run of our task with these settings, or of a host's task if they are unreadable."""
    path = write_run(
        folder, model, {task: choice_samples([True])}, arguments, settings={task: settings}
    )
    (run,) = read_results(path)
    return run


def paths(runs: Sequence[Run]) -> list[str]:
    return [run.path.name for run in runs]


def test_the_newest_run_counts_and_a_sentence_says_so() -> None:
    """Of the same model to the same task; runs of others stand beside it."""
    runs = [
        a_run("1_results.json"),
        a_run("2_results.json"),
        a_run("3_results.json", who=Identity("n")),
    ]
    runs += [a_run("4_results.json", task="u")]
    found, remarks = runs_that_count(runs)
    assert paths(found) == ["2_results.json", "3_results.json", "4_results.json"]
    assert remarks == ["m was run again: 2_results.json counts, not 1_results.json."]


def test_a_run_of_fewer_questions_never_replaces_a_fuller_one() -> None:
    """A later trial with --limit leaves the whole run in its place; a later whole run replaces
    both.
    """
    sizes = {"1_results.json": 24, "2_results.json": 5, "3_results.json": 23}
    runs = [a_run(path, answered) for path, answered in sizes.items()]
    found, remarks = runs_that_count(runs)
    assert paths(found) == ["1_results.json"]
    assert remarks == ["m was run again: 1_results.json counts, not 2_results.json and 1 more."]
    found, remarks = runs_that_count([*runs[1:], a_run("4_results.json", 24)])
    assert paths(found) == ["4_results.json"]
    assert remarks == ["m was run again: 4_results.json counts, not 2_results.json and 1 more."]


def test_a_run_without_samples_never_replaces_one_with_them() -> None:
    """Samples of the largest run are too large for a repository."""
    fuller = replace(a_run("2_results.json", 5000), logged=False)
    found, _ = runs_that_count([a_run("1_results.json"), fuller])
    assert paths(found) == ["1_results.json"]
    assert runs_that_count([fuller]) == ([fuller], [])


def test_runs_that_one_file_replaces_have_one_remark() -> None:
    """A folder of a model's runs holds the same tasks in each file, and dozens of files."""
    tasks = ("t", "u", "v")
    runs = [a_run(f"{date}_results.json", task=task) for date in (1, 2, 3) for task in tasks]
    _, remarks = runs_that_count(runs)
    assert remarks == ["m was run again: 3_results.json counts, not 1_results.json and 1 more."]


def test_runs_of_one_model_are_told_apart_by_their_judges() -> None:
    """By the names that the user gave these, where each has another; one without a judge has
    none.
    """
    judges = ["openai:a", "openai:a@http://x/v1", ""]
    found = with_unique_labels([a_run("a/b/1", judge=judge) for judge in judges])
    assert [run.name for run in found] == [
        "m (judge openai:a)",
        "m (judge openai:a@http://x/v1)",
        "m (judge none)",
    ]


def test_runs_of_one_model_are_told_apart_by_their_folders() -> None:
    """By their paths from where all lie; one that is alone keeps its name."""
    found = with_unique_labels(
        [a_run("x/a/b/1"), a_run("x/c/b/1"), a_run("x/a/b/1", task="u"), a_run(who=Identity("n"))]
    )
    assert [run.name for run in found] == ["m (a/b)", "m (c/b)", "m", "n"]
    alone = replace(a_run(), label="before")
    assert [run.name for run in with_unique_labels([alone])] == ["before"]


def test_runs_in_one_folder_are_told_apart_by_the_dates_of_their_files() -> None:
    """Or by their paths, if other runs are in other folders."""
    names = ["1_results.json", "2_results.json"]
    found = with_unique_labels([a_run(f"x/a/{name}") for name in names])
    assert [run.name for run in found] == ["m (1_results.json)", "m (2_results.json)"]

    names.append("../b/1_results.json")
    found = with_unique_labels([a_run(f"x/a/{name}") for name in names])
    assert [run.name for run in found] == [
        "m (a/1_results.json)",
        "m (a/2_results.json)",
        "m (b/1_results.json)",
    ]


@pytest.mark.parametrize(
    ("one", "other", "counting"),
    [("localhost:8000", "localhost:8001", 1), ("api.one.com", "api.other.com", 2)],
)
def test_a_judge_at_another_port_is_the_same_judge(one: str, other: str, counting: int) -> None:
    """A server of one's own has another address each time; those of two providers are two."""
    record = Record("p/0", "a", "a", scores={"l3score": 0.5})
    runs = [
        run_of(
            [record],
            task="spiqa_testA",
            signature=f"data:spiqa/testA@d|settings:|judge:openai:a|judge_host:{host}",
        )
        for host in (one, other)
    ]
    assert len(runs_that_count(runs)[0]) == counting


@pytest.mark.parametrize(
    ("task", "settings", "source", "ablation", "few_shot"),
    [
        ("x", "prompt=letter", "x", "none", False),
        ("x", "prompt=letter,", "x", "none", False),
        ("x_text", "prompt=letter,ablation=text", "x", "text", False),
        ("x_grey", "prompt=letter, ablation=grey", "x", "grey", False),
        ("x_llm", "prompt=letter,ablation=text,shots=2", "x", "text", True),
        ("x_llm_authors", "ablation=text,shots=authors", "x", "text", True),
        ("x_shots", "shots=2", "x_shots", "none", False),
        ("x_text", "", "x_text", "none", False),
        ("x_text", "no settings of ours", "x_text", "none", False),
        ("mine", "ablation=grey,", "mine", "grey", False),
    ],
)
def test_a_task_tells_its_role_by_its_settings(
    tmp_path: Path, task: str, settings: str, source: str, ablation: str, few_shot: bool
) -> None:
    """The `dataset_name` says what was shown, in whatever spelling of commas and blanks the
    settings allow.
    """
    run = of_settings(tmp_path, task, settings)
    assert (run.source_task, run.ablation, run.is_few_shot) == (
        source,
        ablation,
        few_shot,
    )
    assert run.is_blind == (ablation != "none" or few_shot)


def test_a_wrapped_model_is_its_base(tmp_path: Path) -> None:
    """`--model ablated` is the base with its arguments; what tells place and speed is left out."""
    arguments = "base=m,ablation=shuffled,seed=3,pretrained=a,device=cuda"
    run = of_settings(tmp_path, "t", "ablation=grey", "ablated", arguments)
    assert (run.source_task, run.model_name) == ("t", "m,pretrained=a,seed=3")
    assert (run.ablation, run.is_blind) == ("shuffled", True)
    other = of_settings(tmp_path / "b", "t", "none of ours", "ablated", arguments)
    assert (other.ablation, other.is_blind) == ("shuffled", True)
    assert replace(run, label="told apart").model_name == "told apart"


def seeing(who: Identity, path: str = "p", task: str = "t") -> Run:
    return a_run(path, who=who, task=task)


def test_the_twin_of_a_run_without_pictures_is_that_of_the_same_model_and_seed() -> None:
    """Or the only one of the model; another task's or model's is none, nor another run without
    pictures.
    """
    blind = a_run(who=Identity("m", "grey", "1"))
    one, two = seeing(Identity("m", seed="1")), seeing(Identity("m", seed="2"))
    others = [seeing(Identity("n", seed="1")), seeing(Identity("m", seed="1"), task="u"), blind]
    assert twin(blind, [*others, two, one]) is one
    assert twin(blind, [*others, two]) is two
    assert twin(blind, [*others, two, seeing(Identity("m"))]) is None
    assert twin(blind, others) is None


def test_the_twin_of_a_variant_is_a_run_of_its_source(tmp_path: Path) -> None:
    """By the same model, whatever the samples' places."""
    text = of_settings(tmp_path / "a", "x_text", "ablation=text")
    plain = of_settings(tmp_path / "b", "x", "")
    assert twin(text, [text, plain]) is plain


def test_of_several_runs_the_twin_is_that_of_the_same_judge_and_folder() -> None:
    """Where these leave several, nobody knows which is meant."""
    blind = replace(a_run("x/a/1", who=Identity("m", "grey")), reported=Reported(judge="openai:a"))
    runs = [
        replace(seeing(Identity("m"), f"x/a/{judge}"), reported=Reported(judge=f"openai:{judge}"))
        for judge in "ab"
    ]
    assert twin(blind, runs) is runs[0]
    elsewhere = replace(seeing(Identity("m"), "x/b/1"), reported=Reported(judge="openai:a"))
    assert twin(blind, [elsewhere, *runs]) is runs[0]
    beside = replace(seeing(Identity("m"), "x/a/2"), reported=Reported(judge="openai:a"))
    assert twin(blind, [beside, *runs]) is None


def of_judge(path: str, judge: str, answered: int = 24) -> Run:
    """A run of SPIQA with scores of a judge, or of none."""
    signature = f"data:spiqa/demo@d|settings:{f'|judge:{judge}' if judge else ''}"
    run = run_of(
        [Record("p/0", "a", "a", scores={"l3score": 0.5} if judge else {})],
        task="s",
        signature=signature,
    )
    return replace(run, path=Path(path), answered=answered, form="score", identity=MODEL)


@pytest.mark.parametrize(
    ("judged", "kept", "replaced"),
    [
        (True, ["3", "4"], ["4 counts, not 5.", "3 counts, not 1."]),
        (False, ["5"], ["5 counts, not 1 and 2 more."]),
    ],
)
def test_a_run_without_a_judge_gives_way_to_the_same_answers_judged(
    judged: bool, kept: list[str], replaced: list[str]
) -> None:
    """The newest of each judge counts; where all are scored again, the newest of all."""
    runs = [
        of_judge(path, judge)
        for path, judge in (("1", "openai:a"), ("3", "openai:a"), ("4", "openai:b"), ("5", ""))
    ]
    found, remarks = runs_that_count(runs, judged)
    assert paths(found) == kept
    assert sorted(remark.partition(": ")[2] for remark in remarks) == sorted(replaced)


def generated(path: str, who: Identity = MODEL, **settings: float) -> Run:
    """Return a run with these generation settings."""
    return replace(a_run(path, who=who), origin=Origin(config={"generation_kwargs": settings}))


def test_runs_with_other_generation_settings_are_two_runs() -> None:
    """As two temperatures are two experiments; what differs is in their labels."""
    cold, hot = (generated(path, temperature=int(path), top_p=1) for path in "01")
    assert runs_that_count([cold, hot]) == ([cold, hot], [])
    labels = [run.label for run in with_unique_labels([cold, hot])]
    assert labels == ["m (temperature=0)", "m (temperature=1)"]
    assert [run.signature.generation for run in (cold, hot)] == [
        "temperature=0,top_p=1",
        "temperature=1,top_p=1",
    ]

    twice = with_unique_labels([cold, hot, replace(hot, path=Path("2"))])
    assert len({run.label for run in twice}) == 3


def test_a_run_without_pictures_belongs_to_that_with_its_generation_settings() -> None:
    """A third run at another temperature takes the gain of neither away."""
    blind = generated("0", Identity("m", "text"), temperature=0)
    cold, hot = (generated(path, Identity("m"), temperature=int(path)) for path in "01")
    assert twin(blind, [hot, cold]) is cold
    assert twin(blind, [hot]) is hot


def test_answers_that_were_scored_do_not_count_beside_their_scored_run() -> None:
    """Whatever folder they are in; newer ones count instead of it."""
    old, new = (
        replace(a_run(f"{folder}/m_t.jsonl", form="jsonl"), origin=Origin(date=date))
        for folder, date in (("a", "1"), ("b", "3"))
    )
    scored = a_run("out/m/2_results.json", form="score")
    assert paths(runs_that_count([scored, old])[0]) == ["2_results.json"]
    found, remarks = runs_that_count([scored, old, new])
    assert [run.path for run in found] == [new.path]
    assert remarks == [f"m was run again: {new.path} counts, not {scored.path} and 1 more."]
    assert runs_that_count([old, new])[0] == [new]


@pytest.mark.parametrize(
    ("ablation", "blind", "changed"),
    [
        ("none", False, False),
        ("text", True, False),
        ("grey", True, False),
        ("text,shots=2,shots_split=validation", True, False),
        ("options=permuted", False, True),
        ("grey,options=numbered", True, True),
    ],
)
def test_an_ablation_says_whether_pictures_are_seen_and_options_changed(
    ablation: str, blind: bool, changed: bool
) -> None:
    """The two are apart: a probe of the options alone shows the pictures."""
    run = a_run(who=Identity("m", ablation))
    is_refused = selection.changed_options_remark(run) is not None
    assert (run.is_blind, is_refused) == (blind, changed)


def test_a_model_is_called_by_its_checkpoint_if_no_other_one_has_it() -> None:
    """Methods that keep fewer pictures, one model on two hosts, and two folders with a checkpoint
    of one name keep the arguments that tell them apart.
    """
    models = ["vllm,fps=1,model=o/m", "vllm,fps=1,max_pixels=9,model=o/m", "hf,fps=1,model=o/n"]
    runs = [a_run(who=Identity(model)) for model in models]
    assert [run.name for run in selection.with_short_names(runs)] == [*models[:2], "n"]
    assert [run.name for run in selection.with_short_names(runs[1:])] == ["m", "n"]

    for models in (["vllm,model=o/m", "m,host=vlmevalkit"], ["hf,model=a/m", "hf,model=b/m"]):
        runs = [a_run(who=Identity(model)) for model in models]
        assert [run.name for run in selection.with_short_names(runs)] == models
    # A model with several ablations is one model.
    runs = [a_run(who=Identity("hf,model=o/m", ablation)) for ablation in ("none", "text")]
    assert [run.name for run in selection.with_short_names(runs)] == ["m", "m,ablation=text"]


def test_a_path_beside_others_has_a_name() -> None:
    """A folder that holds another one's, and folders on two drives, too."""
    outer, inner = PurePath("/runs/one"), PurePath("/runs/one/two")
    assert path_beside(outer, [outer, inner]) == "one"
    assert path_beside(inner, [outer, inner]) == "two"
    assert path_beside(PurePath("/a/x/m"), [PurePath("/a/x/m"), PurePath("/a/y/m")]) == "x/m"
    drives = [PureWindowsPath("C:/one"), PureWindowsPath("D:/two")]
    assert path_beside(drives[1], drives) == "D:/two"
