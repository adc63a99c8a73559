"""What the commands on runs share: every form of answers, the tasks, judges and parts of tasks
that are wanted.
"""

import math
import re
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from answer_files import right_answers, write_jsonl
from answer_forms import FORMS, as_jsonl, as_responses
from host_files import FAILED, write_run
from openai_server import Behaviour, OpenAIServer
from run_command import run_json, words
from scipy.stats import t as student

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.scoring.l3score import l3score

RIGHT = {"a": 18, "b": 12}
YES = l3score([("Yes", -0.105360516), ("No", -2.525728644)])
"""What the local server's agreeing answer is worth."""


@pytest.mark.parametrize(
    "command", ["score --by group", "bootstrap", "alignment", "spread", "correlate"]
)
def test_nothing_to_read_is_one_sentence(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty folder, a run without our samples and a broken file end with status 2."""
    assert main([*words(command), str(tmp_path)]) == 2
    path = write_run(tmp_path, "m", {"t": []})
    assert main([*words(command), str(tmp_path)]) == 2
    path.with_name(path.name.replace("results.json", "samples_t.jsonl")).write_text("{broken")
    assert main([*words(command), str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("Expected") == 3


def texts_of(rows: Sequence[Any], right: int) -> list[str]:
    """Return right answers to the first questions, and texts without a letter to the others."""
    return [row["answer"] if place < right else "nothing" for place, row in enumerate(rows)]


def short(model: str) -> str:
    """Return a model's name without the host that VLMEvalKit's folders add."""
    return model.removesuffix(",host=vlmevalkit")


@pytest.fixture(params=FORMS)
def pictures(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, list[str]]:
    """MMStar's demo, answered by two models with pictures and by one without: task -> RUN
    arguments, in one form.
    """
    write = FORMS[request.param]
    rows = rows_for_scoring("mmstar", "demo", "")
    blind = [
        {**row, "settings": row["settings"].replace("ablation=none", "ablation=text")}
        for row in rows
    ]
    (tmp_path / "seen").mkdir()
    (tmp_path / "blind").mkdir()
    return {
        "mmstar_demo": [
            write(tmp_path / "seen", model, "mmstar_demo", rows, texts_of(rows, right))
            for model, right in RIGHT.items()
        ],
        "mmstar_demo_text": [
            write(tmp_path / "blind", "a", "mmstar_demo_text", blind, texts_of(blind, 6))
        ],
    }


def test_every_command_reads_every_form(
    pictures: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """18 and 12 of 24 right with the picture, 6 without: accuracy, difference, gain, hits, mean
    and page say so.
    """
    runs, (without,) = pictures["mmstar_demo"], pictures["mmstar_demo_text"]
    overall = [
        row for row in run_json(capsys, "score", "--by", "group", *runs)[1] if row["group"] == "all"
    ]
    assert {short(row["model"]): (row["value"], row["n"]) for row in overall} == {
        "a": (0.75, 24),
        "b": (0.5, 24),
    }
    ((found,),) = run_json(capsys, "compare", *runs)[1:2]
    assert (short(found["a"]), short(found["b"]), found["difference"]["difference"]) == (
        "a",
        "b",
        -0.25,
    )
    six_lost = [-1] * 6 + [0] * 18 + [1, -1]  # and one difference added on each side
    t = statistics.mean(six_lost) / (statistics.stdev(six_lost) / math.sqrt(26))
    assert found["difference"]["p"] == pytest.approx(2 * float(student.sf(-t, 23)))
    gain = run_json(capsys, "gain", runs[0], without)[1][0]
    assert (gain["task"], gain["group"], gain["s_v"], gain["s_wv"]) == (
        "mmstar_demo",
        "all",
        0.75,
        0.25,
    )
    (kept,) = run_json(capsys, "filter", without, "--max-hits", 0)[1]
    assert (kept["task"], kept["n"], kept["kept"]) == ("mmstar_demo", 24, 18)
    told = {
        (short(each["model"]), each["task"]): each["value"]
        for each in run_json(capsys, "score", *runs, without, "--by", "group")[1]
        if (each["metric"], each["group"]) == ("accuracy", "all")
    }
    assert told == {
        ("a", "mmstar_demo"): 0.75,
        ("b", "mmstar_demo"): 0.5,
        ("a", "mmstar_demo_text"): 0.25,
    }


@pytest.mark.parametrize("form", FORMS)
def test_tasks_of_ones_own_are_read_in_every_form(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Marked options and another order, known by the YAMLs in --include-path, are found by
    `alignment` and `spread`.
    """
    own = tmp_path / "own"
    own.mkdir()
    include = (
        main(["list", "--folder"])
        or Path(capsys.readouterr().out.split()[-1]) / "scifibench" / "scifibench_demo.yaml"
    )
    runs = []
    for task, settings, right in (
        ("plain", "", 8),
        ("marked", "mark=correct", 12),
        ("order", "shuffle=1", 4),
    ):
        text = (
            f"include: {include}\ntask: own_{task}\ntest_split: demo_fig2cap\ndataset_name:"
            f" '{settings}'\n"
        )
        (own / f"{task}.yaml").write_text(text)
        rows = rows_for_scoring("scifibench", "demo_fig2cap", settings)
        answers = (tmp_path / task, "m", f"own_{task}", rows, texts_of(rows, right))
        runs.append(answers if form == "run" else FORMS[form](*answers))
    if form == "run":
        runs = [as_jsonl(*each) for each in runs]  # `score` takes the folder of YAMLs too
        for run in runs:
            task, _, path = run.partition("=")
            main(
                [
                    "score",
                    task,
                    path,
                    "--include-path",
                    str(own),
                    "--output",
                    str(tmp_path / "scored"),
                ]
            )
        runs = [str(tmp_path / "scored")]
    capsys.readouterr()
    ((change,),) = run_json(capsys, "alignment", *runs, "--include-path", own)[1:2]
    assert (change["mark"], change["n"]) == ("correct", 12)
    assert (change["control"], change["accuracy"]) == (pytest.approx(8 / 12), 1.0)
    ((spread,),) = run_json(capsys, "spread", *runs, "--include-path", own)[1:2]
    assert spread["accuracies"] == {"0": pytest.approx(8 / 12), "1": pytest.approx(4 / 12)}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """A judge that says yes to equal answers."""
    monkeypatch.setenv("SPIQA_JUDGE_API_KEY", "EMPTY")
    with OpenAIServer(Behaviour()) as running:
        yield running


@pytest.mark.parametrize("form", [*FORMS, "responses"])
def test_answers_are_judged_by_score_alone(
    form: str, server: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other commands say how to ask; of what `score --output` wrote, they have L3Score."""
    rows = rows_for_scoring("spiqa", "demo", "")
    write = {**FORMS, "responses": as_responses}[form]
    right = {
        model: [place % every > 0 for place in range(len(rows))]
        for model, every in (("a", 2), ("b", 3))
    }
    runs = []
    for model, flags in right.items():
        texts = [
            f"{{'Answer': {row['answer']!r}}}" if flag else "wrong"
            for row, flag in zip(rows, flags, strict=True)
        ]
        runs.append(write(tmp_path, model, "spiqa_demo", rows, texts))
    judge = ["--judge", f"openai:local@{server.url}"]
    capsys.readouterr()
    for command in ("compare", "score --by group"):
        _, unjudged, errors = run_json(capsys, command, *runs, *judge)
        assert "l3score" not in {row["metric"] for row in unjudged}
        assert errors.count("--judge PROVIDER:MODEL --output DIR` asks one.") == 2
    assert server.counts["ok"] == 0

    scored = tmp_path / "scored"
    assert main(["score", *runs, *judge, "--output", str(scored)]) == 0
    asked = server.counts["ok"]
    capsys.readouterr()
    overall = [
        row
        for row in run_json(capsys, "score", "--by", "group", scored, *judge)[1]
        if row["group"] == "all"
    ]
    expected = {
        m: sum(YES if flag else 1 - YES for flag in flags) / len(rows) for m, flags in right.items()
    }
    assert {short(row["model"]): row["value"] for row in overall} == pytest.approx(expected)
    assert {row["metric"] for row in overall} == {"l3score"}
    ((found,),) = run_json(capsys, "compare", scored, *judge)[1:2]
    assert found["difference"]["difference"] == pytest.approx(expected["b"] - expected["a"])
    assert run_json(capsys, "correlate", scored, *judge)[0] == 0
    assert main(["report", str(scored), *judge, "--html", str(tmp_path / "r.html")]) == 0
    assert "openai:local" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert server.counts["ok"] == asked


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, list[str]]:
    """Runs on the first 12 of 24 questions: of two models with pictures, and of one without."""
    rows = rows_for_scoring("mmstar", "demo", "")[:12]
    seen = [
        as_jsonl(tmp_path, m, "mmstar_demo", rows, texts_of(rows, n // 2)) for m, n in RIGHT.items()
    ]
    return {
        "seen": seen,
        "blind": [as_jsonl(tmp_path, "a", "mmstar_demo_text", rows, texts_of(rows, 3))],
    }


def test_a_report_over_a_part_says_so_wherever_it_prints_a_value(
    parts: dict[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No value without --partial, and `12 of 24` in the heading of the values with it; the same in
    the records of `score --by`.
    """
    path = tmp_path / "r.html"
    arguments = [*parts["seen"], *parts["blind"]]
    page = ["--html", str(path), "--pictures", "none"]
    for partial in ([], ["--partial"]):
        assert main(["report", *arguments, *page, *partial]) == 0
        capsys.readouterr()
        records = run_json(capsys, "score", *arguments, "--by", "group", *partial)[1]
        assert {record["questions"] for record in records if record["group"] == "all"} == {
            "12 of 24"
        }
        of_groups = {record["questions"] for record in records if record["group"] != "all"}
        # the first 12 are all of three categories
        assert of_groups == {"1 of 1", "2 of 2", "4 of 4"}
        assert all("|questions:12 of 24" in record["signature"] for record in records)
        assert any(record["value"] is not None for record in records) == bool(partial)
        text = path.read_text(encoding="utf-8").partition('id="data"')[0]
        text = re.sub(r"</?span>", "", text)
        assert ("75.0 [46.8, 91.1]" in text) == bool(partial)
        assert "accuracy (12 of 24)" in text
        withheld = (
            "mmstar_demo of a: withheld: a answered 12 of 24 questions (--partial has values over a"
            " part)."
        )
        assert (withheld in text) != bool(partial)
        noted = (
            "mmstar_demo of a: 12 of 24 questions were answered, fewer than 99%; --partial prints"
            " its values."
        )
        assert (noted in text) != bool(partial)


def test_runs_of_one_name_in_two_folders_are_not_mixed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Marked tasks have the control, orders of options those, of their own folder; means are
    counted by hand.
    """
    task = "scifibench_demo_fig2cap"
    right = {"a": {task: 9, f"{task}_marked_correct": 10, f"{task}_shuffle1": 6}}
    right["b"] = {task: 3, f"{task}_marked_correct": 4, f"{task}_shuffle1": 2}
    for folder, counts in right.items():
        for name, count in counts.items():
            true = right_answers(name)
            answers = [
                (key, letter if place < count else "none")
                for place, (key, letter) in enumerate(true.items())
            ]
            write_jsonl(tmp_path / folder / f"m_{name}.jsonl", answers)
    folders = [tmp_path / "a", tmp_path / "b"]
    changes = run_json(capsys, "alignment", *folders)[1]
    assert [each["control"] for each in changes] == [9 / 12, 3 / 12]
    assert [each["accuracy"] for each in changes] == [10 / 12, 4 / 12]
    found = run_json(capsys, "spread", *folders)[1]
    assert [each["accuracies"] for each in found] == [
        {"0": 9 / 12, "1": 6 / 12},
        {"0": 3 / 12, "1": 2 / 12},
    ]
    named = [{each["model"] for each in records} for records in (changes, found)]
    named.append({each["model"] for each in run_json(capsys, "bootstrap", *folders)[1]})
    assert named == [{"m (a)", "m (b)"}] * 3


@pytest.mark.parametrize("command", ["score --by group", "bootstrap", "spread", "alignment"])
def test_a_value_that_failed_requests_withhold_has_its_reason(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of twelve answers is a failed request, in one of three runs; --partial changes nothing
    of it.
    """
    for name in ("", "_marked_correct", "_shuffle1"):
        task = f"scifibench_demo_fig2cap{name}"
        write_jsonl(
            tmp_path / f"m_{task}.jsonl", right_answers(task) | ({} if name else {"3": FAILED})
        )
    for more in ([], ["--partial"]):
        main([*words(command), str(tmp_path), *more])
        said = (
            "scifibench_demo_fig2cap of m: accuracy: 11 of 12 answers have a score, fewer than 99%."
        )
        assert capsys.readouterr().err.count(said) == 1


@pytest.mark.parametrize("command", ["bootstrap", "spread", "alignment"])
def test_a_value_over_a_part_has_its_questions_beside_it(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six of twelve answers in one run: the rows that it is in, and no others; no such column
    for whole runs.
    """
    name_of, *options = command.split()
    for asked in (12, 6):
        for name in ("", "_marked_incorrect", "_shuffle1"):
            task = f"scifibench_demo_fig2cap{name}"
            answers = list(right_answers(task).items())
            write_jsonl(tmp_path / f"m_{task}.jsonl", answers if name else answers[:asked])
        told = [
            str(each["questions"])
            for each in run_json(capsys, name_of, tmp_path, *options, "--partial")[1]
        ]
        assert main([*words(name_of), str(tmp_path), *options, "--partial"]) == 0
        printed = capsys.readouterr().out
        assert ("questions" in printed) is ("6 of 12" in printed) is (asked == 6)
        assert told.count("6 of 12") == (asked == 6)
        assert set(told) <= {"", "6 of 12"}


MIXED = ["score", "score --by group", "compare"]


@pytest.mark.parametrize("command", MIXED)
def test_every_form_in_a_folder_is_read_and_what_is_left_out_is_named(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run, a table and jsonl are three models; jsonl without a task in its name is none, and a
    sentence says so.
    """
    rows = rows_for_scoring("mmstar", "demo", "")
    for form, right in (("run", 18), ("lmms-eval", 9), ("table", 12)):
        FORMS[form](tmp_path, form, "mmstar_demo", rows, texts_of(rows, right))
    write_jsonl(tmp_path / "jsonl_mmstar_demo.jsonl", right_answers("mmstar_demo"))
    capsys.readouterr()
    main([*words(command), str(tmp_path), "--json"])
    printed = capsys.readouterr()
    assert all(f'"{model}"' in printed.out for model in ("run", "lmms-eval", "table", "jsonl"))
    assert (
        "Left out, with no task in the name: 1 file, the first:"
        f" {tmp_path / 'mmstar_demo' / 'run.jsonl'}." in printed.err
    )


@pytest.mark.usefixtures("no_java")
def test_scoring_again_never_makes_another_model_of_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scored by two judges and by none beside its answers: one model, and sentences say which
    runs count.
    """
    files = [
        write_jsonl(tmp_path / f"{model}_spiqa_demo.jsonl", right_answers("spiqa_demo"))
        for model in "mn"
    ]
    with OpenAIServer(Behaviour()) as server:
        judges = [f"openai:a@{server.url}", f"openai:b@{server.url}"]
        for file in files:
            for judge in (*judges, "none"):
                line = ["score", "spiqa_demo", file, "--judge", judge, "--output", tmp_path]
                assert main(list(map(str, line))) == 0
    capsys.readouterr()
    judged = ("compare", tmp_path, "--judge", judges[1])
    status, (found,), errors = run_json(capsys, *judged)
    assert (status, {found["a"], found["b"]}, found["metric"]) == (0, {"m", "n"}, "l3score")
    assert errors.count("was run again") == errors.count(" and 1 more.") == 2
