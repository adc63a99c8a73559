"""Runs of the host that are refused, or of which something is said, before any weights are
loaded.
"""

import json
from functools import partial
from pathlib import Path

import pytest
from vlmevalkit_models import Fixed, OnePicture

from spiqa_tasks.hosts.vlmevalkit.arguments import read
from spiqa_tasks.hosts.vlmevalkit.registration import command_of_host
from spiqa_tasks.hosts.vlmevalkit.tasks import known

from .conftest import Launch

Said = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def no_model_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset the count of models."""
    for kind in (Fixed, OnePicture):
        monkeypatch.setattr(kind, "made", 0)


@pytest.mark.parametrize(
    ("arguments", "sentences"),
    [
        (
            ["--data", "spiqa_demmo", "--model", "fixed"],
            ["'spiqa_demmo'. Nearest: spiqa_demo", "`spiqa-tasks list`"],
        ),
        (["--data", "MMStr", "--model", "fixed"], ["'MMStr'. Nearest: MMStar"]),
        (
            ["--data", "mmstar_demo", "--model", "fixd"],
            ["a model of VLMEvalKit, found 'fixd'. Nearest: fixed", "model needs --base-url."],
        ),
        (
            ["--data", "spiqa_demo", "--model", "single"],
            ["several pictures for spiqa_demo, found OnePicture", "spiqa_testA_perfigure"],
        ),
        (
            ["--data", "mmstar_demo", "--model", "fixed", "odd", "--api-mode"],
            ["one --model with --api-mode"],
        ),
        (
            ["--data", "spiqa_demo", "--model", "fixed", "--judge", "anthropic:claude"],
            ["Expected the judge of spiqa_demo in SPIQA_JUDGE, found one in VLMEvalKit's --judge"],
        ),
        (["--config", "nowhere.json"], ["no file nowhere.json for --config"]),
        (
            ["--data", "spiqa_demo", "--model", "fixed", "--judge-args", "[1]"],
            ["Leave them out and set SPIQA_JUDGE=provider:model@URL, or none; the key goes into"],
        ),
    ],
)
def test_what_cannot_run_is_refused_with_the_remedy(
    launch: Launch, capsys: Said, arguments: list[str], sentences: list[str]
) -> None:
    """Status 2, one sentence, no model made, and nothing written."""
    assert launch(*arguments) == 2
    said = capsys.readouterr().err
    assert all(sentence in said for sentence in sentences), said
    assert Fixed.made == OnePicture.made == 0


def test_a_judge_that_cannot_judge_is_refused(
    launch: Launch, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the model is made."""
    monkeypatch.setenv("SPIQA_JUDGE", "anthropic:claude")
    assert launch("--data", "spiqa_demo", "--model", "fixed") == 2
    assert "cannot be judged by anthropic:claude" in capsys.readouterr().err
    assert Fixed.made == 0


def test_one_picture_is_enough_for_most_tasks(
    launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class that is shown one picture runs the tasks of one picture, `_perfigure` among them."""
    monkeypatch.setenv("SPIQA_JUDGE", "none")
    assert launch("--data", "mmstar_demo", "spiqa_demo_perfigure", "--model", "single") == 0
    assert len(list((tmp_path / "out/single").rglob("*_results.json"))) == 2


def test_a_class_that_divides_by_the_number_of_pictures_has_no_scores_without(
    launch: Launch, capsys: Said
) -> None:
    """The host leaves the task out and would exit 0: the status is 1; grey pictures are enough."""
    assert launch("--data", "mmstar_demo_text", "--model", "internvl") == 1
    assert "internvl has no scores of mmstar_demo_text" in capsys.readouterr().err
    assert launch("--data", "mmstar_demo_grey", "--model", "internvl") == 0


def test_a_configuration_names_our_tasks_as_they_are(
    launch: Launch, capsys: Said, tmp_path: Path
) -> None:
    """Another name, under which the host loses the answers, or an unknown task is refused."""
    config = tmp_path / "config.json"
    for name, task in (("mine", "mmstar_demo"), ("mmstar_dem", "mmstar_dem")):
        data = {name: {"class": "SpiqaTasks", "dataset": task}}
        config.write_text(json.dumps({"model": {"fixed": {}}, "data": data}))
        assert launch("--config", config) == 2
    said = capsys.readouterr().err
    assert 'Write {"mmstar_demo": {"class": "SpiqaTasks", "dataset": "mmstar_demo"}};' in said
    assert "found 'mmstar_dem'. Nearest: mmstar_demo" in said


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ({"fixd": {}}, "found 'fixd'. Nearest: fixed"),
        ({"mine": {"class": "LMDeployAPIs"}}, "found 'LMDeployAPIs'. Nearest: LMDeployAPI"),
        ({"mine": {"class": 3}}, "found '3'."),
        (
            {"mine": {"class": "LMDeployAPI", "ablation": "grey"}},
            "VLMEvalKit ignores the ablation of mine.",
        ),
        (
            {"fixed": {"length": 3}},
            "fixed in --config: its class got an unexpected keyword argument 'length'.",
        ),
    ],
)
def test_an_unusable_model_of_a_configuration_is_refused(
    launch: Launch, capsys: Said, tmp_path: Path, model: dict[str, object], sentence: str
) -> None:
    """Its name, its class or its options; the host would end in a traceback, or ignore some."""
    config = tmp_path / "config.json"
    task = {"class": "SpiqaTasks", "dataset": "mmstar_demo"}
    config.write_text(json.dumps({"model": model, "data": {"mmstar_demo": task}}))
    assert launch("--config", config) == 2
    assert sentence in capsys.readouterr().err
    assert Fixed.made == 0


def test_a_configuration_file_runs(
    launch: Launch, capsys: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tasks name our class; a model that is shown one picture is refused there, too."""
    monkeypatch.setenv("SPIQA_JUDGE", "none")
    config = tmp_path / "config.json"
    for model, status in (("fixed", 0), ("single", 2)):
        task = {"class": "SpiqaTasks", "dataset": "spiqa_demo"}
        config.write_text(json.dumps({"model": {model: {}}, "data": {"spiqa_demo": task}}))
        assert launch("--config", config) == status
    assert "found OnePicture" in capsys.readouterr().err


def test_no_name_of_ours_is_one_of_the_hosts(launch: Launch) -> None:
    """The host takes the first class that supports a name."""
    assert launch("--data", "mmstar_demo", "--model", "fixed", "--mode", "infer") == 0
    from vlmeval.dataset import SUPPORTED_DATASETS

    assert {SUPPORTED_DATASETS.count(name) for name in known()[0]} == {1}


class NoLength:
    """A class without a length."""


@pytest.mark.parametrize(
    ("more", "length"),
    [
        (["mmstar_demo", "scifibench_demo_reasoning"], 2048),
        (["mmstar_demo", "--max-tokens", "77"], 77),
        (["mmstar_demo", "MMStar"], None),
    ],
)
def test_a_class_generates_what_the_user_or_the_longest_task_says(
    launch: Launch, monkeypatch: pytest.MonkeyPatch, more: list[str], length: int | None
) -> None:
    """Where it takes a length, and where no dataset of the host is asked beside our tasks."""
    assert launch is not None
    from vlmeval.config import supported_VLM

    from spiqa_tasks.hosts.vlmevalkit.checks import set_length

    models = {
        "taken": partial(Fixed),
        "named": partial(NoLength, max_completion_tokens=5),
        "none": partial(NoLength),
    }
    for name, model in models.items():
        monkeypatch.setitem(supported_VLM, name, model)
    host = command_of_host()
    arguments = read(host.parse_args, ["--model", *models, "--data", *more])
    remarks = set_length(arguments)
    assert arguments.host.max_tokens == (length or 2**15)
    assert models["taken"].keywords == ({} if length is None else {"max_new_tokens": length})
    assert models["named"].keywords == {"max_completion_tokens": length or 5}
    own = [
        remark
        for remark in remarks
        if remark == f"none has a length of answers of its own; the tasks' is {length} tokens."
    ]
    assert len(own) == (length is not None)
