"""`score RUN` and tasks of one's own: the configuration is that of the run's own record."""

import io
import json
from pathlib import Path

import pytest
from answer_forms import as_lmms_eval, as_run, as_table
from host_files import choice_samples, sample_of, write_demo_run, write_run
from openai_server import Behaviour, OpenAIServer
from run_command import run_json
from run_files import run_header, run_values

from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring, yaml_folder
from spiqa_tasks.cli import main

SETTINGS = "max_figures=2,seed=3"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of a user's task whose YAML no longer exists."""
    rows = load_rows("spiqa", "demo", f"{SETTINGS},ablation=text")
    rows = [
        {**row, "settings": row["settings"].replace("ablation=text", "ablation=none")}
        for row in rows
    ]
    samples = {"spiqa_own": [sample_of(row, row["answer"]) for row in rows]}
    options = {"settings": {"spiqa_own": SETTINGS}, "benchmark": "spiqa", "split": "demo"}
    return write_run(tmp_path / "run", "m", samples, **options).parent


@pytest.mark.parametrize("how", ["run", "included", "shipped"])
def test_the_signature_says_what_was_run(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    """Whether the run or an included YAML is named; the shipped task has other settings."""
    arguments: dict[str, list[object]] = {
        "run": [run],
        "included": ["--include-path", tmp_path / "own", "spiqa_mine", *run.glob("*.jsonl")],
        "shipped": ["spiqa_demo", *run.glob("*.jsonl")],
    }
    (tmp_path / "own").mkdir()
    leaf = yaml_folder() / "spiqa" / "spiqa_demo.yaml"
    text = f"include: {leaf}\ntask: spiqa_mine\ndataset_name: {SETTINGS},protocol=both\n"
    (tmp_path / "own" / "mine.yaml").write_text(text)
    status, result, errors = run_json(capsys, "score", *arguments[how])
    if how == "shipped":
        assert status == 2
        assert "Name their task, or score them apart." in errors
        return
    assert status == 0, errors
    assert "setting=direct,max_figures=2,seed=3," in result["signature"]
    assert ("protocol=both" in result["signature"]) == (how == "included")
    assert result["metrics"]["rouge_l"] == 1


def test_a_remark_on_answers_calls_the_model_as_the_table_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its checkpoint, not by all of its arguments; csv and json have the whole name."""
    write_demo_run(tmp_path, "openai,model_version=org/m", lambda *_: "?")
    assert main(["score", str(tmp_path), "--by", "category"]) == 0
    printed = capsys.readouterr()
    assert "spiqa-tasks: mmstar_demo of m: of 24 answers 24 empty or unparsed." in printed.err
    assert "\nm      mmstar_demo  accuracy" in printed.out


def test_results_are_written_before_a_reader_of_the_table_may_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`score ... --output DIR | head` closes the pipe, which ends the command with status 0."""

    def closed(*_: object, **__: object) -> str:
        raise BrokenPipeError

    run = write_demo_run(tmp_path / "run", "m", lambda _, row: row["answer"])
    monkeypatch.setattr("spiqa_tasks.commands.score.render", closed)
    with monkeypatch.context() as patch:
        patch.setattr("sys.stderr", io.StringIO())
        assert main(["score", str(run), "--output", str(tmp_path / "scored")]) == 0
    assert list((tmp_path / "scored").rglob("*_results.json"))


def test_a_task_that_filter_wrote_is_scored_on_what_it_keeps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers to all questions of the source: only the kept ones count, the others are named."""
    pytest.importorskip("lmms_eval", reason="lmms-eval is not installed")
    rows = load_rows("mmstar", "demo", "ablation=text")
    samples = [
        sample_of(row, row["answer"] if place < 6 else "no letter")
        for place, row in enumerate(rows)
    ]
    write_run(
        tmp_path / "blind",
        "m",
        {"mmstar_demo_text": samples},
        settings={"mmstar_demo_text": "ablation=text"},
    )
    assert run_json(capsys, "filter", tmp_path / "blind", "--max-hits", 0, "--write")[0] == 0
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "\n".join(json.dumps({"id": row["id"], "prediction": row["answer"]}) for row in rows)
    )
    _, found, errors = run_json(capsys, "score", "mmstar_demo_filtered", answers)
    assert found["metrics"]["accuracy"] == 1
    assert found["counts"]["docs"] == len(rows) - 6
    assert "6" in errors


def test_a_group_is_scored_task_by_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each task that has answers in the folder, of whatever form; the others are named, and each
    is written.
    """
    mmstar, scifibench = (rows_for_scoring(name, "demo", "") for name in ("mmstar", "scifibench"))
    as_table(tmp_path, "m", "mmstar_demo", mmstar, [row["answer"] for row in mmstar])
    as_table(tmp_path, "m", "scifibench_demo", scifibench, ["no letter"] * len(scifibench))
    status, found, errors = run_json(
        capsys, "score", "demo", tmp_path, "--output", tmp_path / "out"
    )
    assert status == 0, errors
    assert {each["task"]: each["metrics"]["accuracy"] for each in found} == {
        "mmstar_demo": 1.0,
        "scifibench_demo": 0.0,
    }
    (line,) = [line for line in errors.splitlines() if "demo: no answers to " in line]
    missing = line.partition("no answers to ")[2].split(", ")
    assert {"spiqa_demo", "spiqa_demo_224px"} <= set(missing)
    assert not {"mmstar_demo", "scifibench_demo"} & set(missing)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["m"]
    assert (
        len(list((tmp_path / "out" / "m").glob("*_results.json"))) == 1
    )  # as of one run of the host
    again = run_json(capsys, "score", tmp_path / "out")[1]
    assert [each["metrics"] for each in again] == [each["metrics"] for each in found]


def test_of_a_run_with_several_tasks_some_are_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--task` chooses; one that the folder does not have is one sentence."""
    rows = rows_for_scoring("mmstar", "demo", "")
    for task, form in (("mmstar_demo", as_run), ("own", as_lmms_eval)):
        form(tmp_path, "m", task, rows, [row["answer"] for row in rows])
    capsys.readouterr()
    assert {each["task"] for each in run_json(capsys, "score", tmp_path)[1]} == {
        "mmstar_demo",
        "own",
    }
    assert run_json(capsys, "score", tmp_path, "--task", "own")[1]["task"] == "own"
    status, _, errors = run_json(capsys, "score", tmp_path, "--task", "spiqa_demo")
    assert status == 2
    assert "Name another task" in errors


def test_tasks_that_the_host_alone_scores_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside a task of this package, with status 3; alone their own values are printed."""
    rows = rows_for_scoring("mmstar", "demo", "")
    as_lmms_eval(tmp_path, "m", "mmstar_demo", rows, [row["answer"] for row in rows])
    write_run(tmp_path, "m", {"t": choice_samples([True] * 3), "u": choice_samples([True])})
    status, found, errors = run_json(capsys, "score", tmp_path)
    assert (status, found["task"]) == (3, "mmstar_demo")
    said = "No values of t, u, which only the host scores; `spiqa-tasks score RUN --task NAME` "
    assert said in errors
    main(["report", str(tmp_path), "--html", str(tmp_path / "r.html")])
    assert said in capsys.readouterr().err
    status, (row, *_), errors = run_json(capsys, "score", tmp_path, "--task", "t")
    assert (status, row["value"], row["n"], errors) == (0, 1.0, 3, "")
    assert run_json(capsys, "score", tmp_path, "--task", "t", "--dry-run")[0] == 2
    assert run_json(capsys, "score", "mmstar_demo", tmp_path)[0] == 0


@pytest.mark.parametrize("form", ["a limited run of lmms-eval", "a table"])
def test_values_over_a_part_of_a_task_are_withheld_unless_they_are_asked_for(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """12 of 24: status 3, no number in text, JSON and the file; --partial: status 0, each beside
    `12 of 24`.
    """
    rows = rows_for_scoring("mmstar", "demo", "")[:12]
    write = as_table if form == "a table" else as_lmms_eval
    named = write(
        tmp_path,
        "m",
        "mmstar_demo",
        rows,
        [row["answer"] if place % 4 else "E" for place, row in enumerate(rows)],
    )
    arguments = ["mmstar_demo", named, "--output", tmp_path / "out"]
    for partial in ([], ["--partial"]):
        status, found, _ = run_json(capsys, "score", *arguments, *partial)
        assert status == (0 if partial else 3)
        assert found["metrics"]["accuracy"] == (0.75 if partial else None)
        assert set(found["metrics"].values()) == {None} or partial
        assert found["counts"]["missing"] == 12
        assert found["signature"].endswith("|questions:12 of 24")
        reason = "withheld: 12 of 24 questions were answered, fewer than 99%"
        assert ("omitted" in found) != bool(partial)
        assert set(found.get("omitted", {"": reason}).values()) == {reason}
        header = run_header(tmp_path / "out", "mmstar_demo")
        assert header["metrics"] == found["metrics"]
        assert run_values(tmp_path / "out", "mmstar_demo") == found["metrics"]
        assert (header["n"]["request_failed_rate"], header["counts"]["docs"]) == (12, 12)
        assert ("accuracy" in header["intervals"]) == bool(partial)
        assert main(["score", *map(str, arguments), *partial]) == (0 if partial else 3)
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("mmstar_demo, 12 of 24 questions")
        (line,) = (line for line in lines if line.startswith("accuracy "))
        assert line.split()[1:] == (["75.0", "[46.8,", "91.1]", "12"] if partial else ["-", "12"])
        told = (
            "every value is withheld: 12 of 24 questions were answered, fewer than 99%; --partial"
            " prints it"
        )
        assert (told in lines) != bool(partial)


def test_a_judge_that_cannot_be_asked_holds_nothing_else_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """MMStar is scored in full, SPIQA by its text metrics; how to name a judge is said; status
    3.
    """
    monkeypatch.setenv("SPIQA_JUDGE", "openai:gpt-4o")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for task, benchmark in (("mmstar_demo", "mmstar"), ("spiqa_demo", "spiqa")):
        rows = rows_for_scoring(benchmark, "demo", "")
        as_lmms_eval(tmp_path, "m", task, rows, [row["answer"] for row in rows])
    status, found, errors = run_json(capsys, "score", tmp_path)
    assert status == 3
    metrics = {each["task"]: each["metrics"] for each in found}
    assert metrics["mmstar_demo"]["accuracy"] == 1
    assert metrics["spiqa_demo"]["rouge_l"] == 1
    assert metrics["spiqa_demo"].get("l3score") is None
    assert "OPENAI_API_KEY" in errors
    assert "--judge" in errors
    assert run_json(capsys, "score", "spiqa_demo", tmp_path)[0] == 2


def right_answers(folder: Path) -> Path:
    """Write the right answers to the demo's questions of SPIQA; return their file."""
    path = folder / "m.jsonl"
    rows = rows_for_scoring("spiqa", "demo", "")
    lines = [json.dumps({"id": row["id"], "prediction": row["answer"]}) for row in rows]
    path.write_text("\n".join(lines))
    return path


def test_verdicts_of_another_judge_are_kept_where_none_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither are they forgotten, nor are others bought of the default judge."""
    path = right_answers(tmp_path)
    out = tmp_path / "out"
    with OpenAIServer(Behaviour()) as server:
        judge = ["--judge", f"openai:other@{server.url}", "--metrics", "l3score"]
        _, first, _ = run_json(capsys, "score", "spiqa_demo", path, *judge, "--output", out)

        monkeypatch.delenv("SPIQA_JUDGE", raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        asked = len(server.requests)
        status, again, _ = run_json(capsys, "score", out, "--metrics", "l3score")
        _, forecast, _ = run_json(capsys, "score", out, "--dry-run")
        write_run(out, "m", {"t": choice_samples([True])})
        beside = run_json(capsys, "score", out, "--metrics", "l3score")
        assert len(server.requests) == asked
    assert status == 0
    assert forecast == {"dry_run": []}
    assert again["metrics"]["l3score"] == first["metrics"]["l3score"]
    assert "|judge:openai:other|" in again["signature"]
    assert beside[0] == 3
    assert beside[2].count("No values of t, which only the host scores;") == 1


def test_the_scores_of_a_run_are_printed_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever SPIQA_JUDGE says, nobody is asked, not for a metric that a run lacks either.

    Those without a judge's scores are judged; so is all with --output.
    """
    path = right_answers(tmp_path)
    with OpenAIServer(Behaviour()) as server:
        first, second = (f"openai:{name}@{server.url}" for name in ("first", "second"))
        out, blind = tmp_path / "out", tmp_path / "blind"
        command = ["score", "spiqa_demo", path, "--metrics"]
        _, scored, _ = run_json(capsys, *command, "l3score", "--judge", first, "--output", out)
        run_json(capsys, *command, "rouge_l", "--judge", "none", "--output", blind)

        asked = len(server.requests)
        monkeypatch.setenv("SPIQA_JUDGE", second)
        status, again, errors = run_json(capsys, "score", out)
        assert (status, errors) == (0, "")
        assert again["metrics"]["l3score"] == scored["metrics"]["l3score"]
        assert again["counts"] == scored["counts"]
        assert "unformatted_rate" not in again["metrics"]
        _, rates, _ = run_json(capsys, "score", out, "--metrics", "l3score,rouge_l")
        assert rates["metrics"] == {**scored["metrics"], "rouge_l": 1}
        assert len(server.requests) == asked

        judged = run_json(capsys, "score", blind, "--metrics", "l3score")[1]
        assert "|judge:openai:second|" in judged["signature"]
        anew = run_json(capsys, "score", out, "--metrics", "l3score", "--output", tmp_path / "n")[1]
        assert "|judge:openai:second|" in anew["signature"]


def test_failed_verdicts_of_a_run_are_asked_again_with_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPIQA_JUDGE asks nobody; the sentence on them says what does."""
    out = tmp_path / "out"
    with OpenAIServer(Behaviour(script=["ok"] * 10 + ["400"] * 3)) as server:
        judge = f"openai:judge@{server.url}"
        monkeypatch.setenv("SPIQA_JUDGE", judge)
        command = ["score", "spiqa_demo", right_answers(tmp_path), "--metrics", "l3score"]
        run_json(capsys, *command, "--output", out)

        asked = len(server.requests)
        again = ["score", out, "--metrics", "l3score"]
        status, found, errors = run_json(capsys, *again)
        assert (status, found["counts"]["judge_failed"], len(server.requests)) == (3, 3, asked)
        assert "Score again with --judge: only these are asked." in errors
        status, found, _ = run_json(capsys, *again, "--judge", judge)
        assert (status, found["counts"]["judge_failed"]) == (0, 0)
        assert len(server.requests) - asked <= 3 + 2


def test_verdicts_of_two_judges_in_one_folder_are_both_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither run replaces the other, and no sentence says so."""
    path = right_answers(tmp_path)
    arguments = ["score", "spiqa_demo", path, "--metrics", "l3score"]
    with OpenAIServer(Behaviour()) as server:
        for name in ("one", "two"):
            judge = ["--judge", f"openai:{name}@{server.url}", "--output", tmp_path / "out" / name]
            run_json(capsys, *arguments, *judge)

        monkeypatch.delenv("SPIQA_JUDGE", raising=False)
        _, found, errors = run_json(capsys, "score", tmp_path / "out", "--metrics", "l3score")
    judges = [each["judge"].partition("@")[0] for each in found["results"]]
    assert judges == ["openai:one", "openai:two"]
    assert "was run again" not in errors


def test_people_see_checkpoints_and_programs_the_models_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a server's models the arguments fill the line before their names."""
    samples = [sample_of(row, row["answer"]) for row in load_rows("mmstar", "demo", "")]
    for name in ("a", "b"):
        arguments = f"model_version=org/{name}"
        settings = {"mmstar_demo": "ablation=none"}
        write_run(
            tmp_path,
            "openai",
            {"mmstar_demo": samples},
            arguments,
            stamp=name,
            settings=settings,
            split="demo",
        )
    main(["score", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert {"a", "b"} <= set(lines)
    main(["score", str(tmp_path), "--json"])
    results = json.loads(capsys.readouterr().out)["results"]
    assert [each["predictions"] for each in results] == [
        "openai,model_version=org/a",
        "openai,model_version=org/b",
    ]


def test_the_tasks_of_a_run_take_the_judge_and_the_metrics_that_they_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of several benchmarks is one RUN: nothing that suits one of its tasks is refused."""
    monkeypatch.delenv("SPIQA_JUDGE", raising=False)
    answers = tmp_path / "answers"
    answers.mkdir()
    right_answers(answers).rename(answers / "m_spiqa_demo.jsonl")
    rows = rows_for_scoring("mmstar", "demo", "")
    lines = [json.dumps({"id": row["id"], "prediction": row["answer"]}) for row in rows]
    (answers / "m_mmstar_demo.jsonl").write_text("\n".join(lines))

    with OpenAIServer(Behaviour()) as server:
        judge = ["--judge", f"openai:gpt-4o@{server.url}"]
        names = ["--metrics", "accuracy,l3score"]
        _, forecast, _ = run_json(capsys, "score", answers, *judge, *names, "--dry-run")
        status, first, _ = run_json(
            capsys, "score", answers, *judge, *names, "--output", tmp_path / "out"
        )
    stored = run_json(capsys, "score", tmp_path / "out", *names)[1]

    assert [(row["task"], row["calls"]) for row in forecast["dry_run"]] == [("spiqa_demo", 39)]
    assert status == 0
    values = {each["task"]: each["metrics"] for each in first}
    assert values == {each["task"]: each["metrics"] for each in stored}
    assert values["mmstar_demo"]["accuracy"] == 1
    assert values["spiqa_demo"]["l3score"] is not None

    only = run_json(capsys, "score", tmp_path / "out", "--metrics", "accuracy")[1]
    assert only["task"] == "mmstar_demo"
    for more in ((), ("--by", "group")):
        names = ("--metrics", "accuracy,nonsense", *more)
        assert run_json(capsys, "score", tmp_path / "out", *names)[0] == 2


def test_runs_stand_in_the_order_in_which_they_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether they have scores or are scored now."""
    rows = rows_for_scoring("mmstar", "demo", "")
    lines = [json.dumps({"id": row["id"], "prediction": row["answer"]}) for row in rows]
    old, new = (tmp_path / f"{model}_mmstar_demo.jsonl" for model in ("old", "new"))
    for path in (old, new):
        path.write_text("\n".join(lines))
    out = tmp_path / "out"
    run_json(capsys, "score", old, "--output", out)

    for paths, names in (((new, out), ["new", "old"]), ((out, new), ["old", "new"])):
        results = run_json(capsys, "score", *paths)[1]["results"]
        assert [result["predictions"] for result in results] == names
