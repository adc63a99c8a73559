"""`spiqa-tasks gain`: what it refuses and prints."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from answer_files import (
    mmstar_table,
    right_answers,
    rows_of,
    write_jsonl,
    write_run_file,
    write_table,
)
from gain_files import LLM, rights, write_triple
from host_files import choice_sample, choice_samples, write_run
from run_command import run_json

from spiqa_tasks.cli import main
from spiqa_tasks.hosts.catalogue import find_tasks

Gain = Callable[..., tuple[int, list[dict[str, Any]], str]]


@pytest.fixture
def gain(capsys: pytest.CaptureFixture[str]) -> Gain:
    """A function of the arguments of `gain` that returns (exit status, records, stderr)."""
    return partial(run_json, capsys, "gain")


def test_nothing_to_compare_is_refused(tmp_path: Path, gain: Gain) -> None:
    """Runs with images only, no samples, an unknown metric or no result file: status
    2 with a remedy.
    """
    path = write_run(tmp_path / "a", "m", {"t": choice_samples([True])}, stamp="1")
    assert "--model ablated --model_args base=MODEL,ablation=text" in gain(tmp_path / "a")[2]
    write_run(
        tmp_path / "a", "ablated", {"t": choice_samples([True])}, "base=m,ablation=text", stamp="2"
    )
    assert "found accuracy" in gain(tmp_path / "a", "--metric", "cider")[2]
    path.with_name("1_samples_t.jsonl").unlink()
    assert "--log_samples" in gain(tmp_path / "a")[2]
    (tmp_path / "b").mkdir()
    assert gain(tmp_path / "b")[0] == 2
    assert "found neither. See" in gain()[2]
    found = gain("--with", path, tmp_path / "a", "--without", path)[2]
    assert "--without FILE (one file each), " in found
    assert "found both. See" in found


def test_a_run_without_its_twin_is_a_remark_unless_it_was_asked_for(
    tmp_path: Path, gain: Gain
) -> None:
    """In a folder of complete pairs: 0; named by its file or its task: 3."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    alone = write_run(tmp_path, "n", {"t": choice_samples([True])}, stamp="9")
    tasks = ["--task", "mmstar_filtered", "--task", "t"]
    for status, asked in ((0, [tmp_path]), (3, [tmp_path, alone]), (3, [tmp_path, *tasks])):
        found, rows, errors = gain(*asked)
        assert (found, rows[0]["task"]) == (status, "mmstar_filtered")
        assert errors.startswith(
            "spiqa-tasks: Expected one run without images for n on t; found none"
        )


def test_a_gain_over_a_part_is_withheld_in_one_sentence(tmp_path: Path, gain: Gain) -> None:
    """With what to type; of the runs' other remarks none matters without a value."""
    half = list(right_answers("mmstar_demo").items())[:12]
    write_jsonl(tmp_path / "m_mmstar_demo.jsonl", half)
    write_jsonl(tmp_path / "m_mmstar_demo_text.jsonl", [(key, "A") for key, _ in half])
    status, _, errors = gain(tmp_path)
    assert status == 3
    assert errors.count(" of 24 questions") == 1
    assert errors.endswith(
        "\nwarning: mmstar_demo of m (text), all: withheld: m answered 12 of 24 questions"
        " (--partial has values over a part).\n"
    )


def test_answers_that_choice_letter_could_not_read_make_a_bound(tmp_path: Path, gain: Gain) -> None:
    """Without pictures the model refused twice, and the filter logged [invalid] alone."""
    for stamp, letters, model, arguments in (
        ("1", "BBBB", "m", ""),
        ("2", "BB--", "ablated", "base=m,ablation=text"),
    ):
        samples = [
            {
                "filtered_resps": letter.replace("-", "[invalid]"),
                "target": "B",
                "exact_match": float(letter == "B"),
            }
            for letter in letters
        ]
        write_run(tmp_path, model, {"charts": samples}, arguments, stamp=stamp)
    _, (row,), errors = gain(tmp_path)
    assert row["mg"] == 0.5
    assert "2 empty or unparsed without images: S_wv is a lower bound; try" in errors


def test_the_bound_of_a_file_names_no_other_pictures(tmp_path: Path, gain: Gain) -> None:
    """Nothing says what the model saw instead of them; each side has a bound of its own score."""
    empty = tmp_path / "wv.jsonl", dict.fromkeys(right_answers("mmstar_demo"), "")
    half = tmp_path / "v.jsonl", right_answers("mmstar_demo") | dict(list(empty[1].items())[:12])
    v, wv = (write_jsonl(path, answers.items()) for path, answers in (half, empty))
    _, (row,), _ = gain("--with", v, "--without", wv, "--task", "mmstar_demo")
    assert row["warnings"] == [
        "of 24 answers 12 empty or unparsed with images: S_v is a lower bound",
        "of 24 answers 24 empty or unparsed without images: S_wv is a lower bound",
    ]


def test_other_generation_settings_without_images_are_noted(tmp_path: Path, gain: Gain) -> None:
    """As `compare` notes them; an LLM base has its own."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    for number, most in enumerate((8, 64, 128), 1):
        path = tmp_path / f"{number}_results.json"
        content = json.loads(path.read_text())
        (config,) = content["configs"].values()
        config["generation_kwargs"] = {"max_new_tokens": most, "until": []}
        path.write_text(json.dumps(content))
    _, (row,), errors = gain(tmp_path)
    note = (
        "the runs with and without images differ in generation: max_new_tokens=8 and"
        " max_new_tokens=64"
    )
    assert (row["s_t"], row["warnings"]) == (0.25, [note])
    assert errors == f"warning: mmstar_filtered of m,pretrained=a (text), all: {note}.\n"


def test_several_runs_at_an_option_are_named_with_a_remedy(tmp_path: Path, gain: Gain) -> None:
    """The task tells runs of several tasks apart, a results file those of one task."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), None)
    write_run(tmp_path, "n", {"mmstar_filtered": choice_samples(rights(1, 4))}, stamp="7")
    asked = ["--with", tmp_path, "--without", tmp_path / "2_results.json"]
    assert gain(*asked)[2].endswith(f". Write TASK={tmp_path}.\n")
    asked[1] = f"mmstar_filtered={tmp_path}"
    assert gain(*asked)[2].endswith(". Name its results file.\n")
    asked[1] = f"mmstar_filtered={tmp_path / '1_results.json'}"
    assert gain(*asked)[0] == 0


def test_a_model_is_not_its_own_llm_base(tmp_path: Path, gain: Gain) -> None:
    """Leakage would be 0; it is left out with a sentence, unless a baseline is to be its own
    base.
    """
    for stamp, (task, ablation, right) in enumerate(
        [("mmstar_filtered", "none", 4), ("mmstar_filtered_text", "text", 2)]
    ):
        samples = {task: choice_samples(rights(right, 4))}
        settings = {task: f"prompt=letter,ablation={ablation}"}
        write_run(tmp_path, "m", samples, stamp=str(stamp), settings=settings)
    llm = "mmstar_filtered_llm"
    settings = {llm: "prompt=letter,ablation=text,shots=2"}
    samples = {llm: choice_samples(rights(1, 4), prompt="shots")}
    write_run(tmp_path, "m", samples, stamp="9", settings=settings)

    status, (record,), errors = gain(tmp_path)
    assert (status, record["mg"], record["s_t"], record["llm"]) == (3, 0.5, None, None)
    assert "Expected another model as LLM base for mmstar_filtered, found m itself" in errors
    status, (record,), _ = gain(tmp_path, "--accept-differences")
    assert (status, record["s_t"], record["llm"]) == (0, 0.25, "m")


def test_answers_without_images_may_be_those_of_the_llm_base(tmp_path: Path, gain: Gain) -> None:
    """The same run is named in both roles: a sentence, and leakage 0 where that is accepted."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), None)
    blind = tmp_path / "2_results.json"
    asked = [blind, tmp_path / "1_results.json", "--llm-base", blind]
    status, (record,), errors = gain(*asked)
    assert (status, record["mg"], record["s_t"]) == (3, 0.5, None)
    assert errors == (
        "spiqa-tasks: Expected another model as LLM base for mmstar_filtered, found m,pretrained=a "
        "itself. S_t and ML are left out. `gain --accept-differences` takes them.\n"
    )
    status, (record,), _ = gain(*asked, "--accept-differences")
    assert (status, record["s_t"], record["ml"]) == (0, 0.5, 0.0)


def test_a_base_in_the_folder_of_all_runs_is_that_of_the_llm_task(
    tmp_path: Path, gain: Gain
) -> None:
    """As if the folder were not named, which has the model's runs, too: numbers, and status."""
    folder = tmp_path / "out" / "served"
    write_triple(folder, rights(4, 4), rights(2, 4), rights(1, 4))
    plain = gain(tmp_path / "out", "--task", "mmstar_filtered")
    assert (plain[0], plain[1][0]["s_t"]) == (0, 0.25)
    assert gain(tmp_path / "out", "--task", "mmstar_filtered", "--llm-base", folder) == plain

    (folder / "3_results.json").unlink()
    (folder / "3_samples_mmstar_filtered_llm.jsonl").unlink()
    status, (record,), errors = gain(tmp_path / "out", "--llm-base", folder)
    assert (status, record["mg"], record["s_t"]) == (3, 0.5, None)
    assert errors == (
        "spiqa-tasks: Expected a run of the LLM base to mmstar_filtered at --llm-base, found none. "
        "S_t and ML are left out.\n"
    )


def test_runs_of_the_base_alone_are_named(tmp_path: Path, gain: Gain) -> None:
    """Nothing is gained without the model's own."""
    samples = {"mmstar_filtered_llm": choice_samples(rights(1, 4), prompt="shots")}
    write_run(tmp_path, "llm", samples, "pretrained=b", settings=LLM)
    status, _, errors = gain(tmp_path)
    assert (status, errors) == (
        2,
        "spiqa-tasks: Expected runs with and without images, found llm,pretrained=b on "
        "mmstar_filtered_llm alone.\n",
    )


def test_a_base_may_be_named_by_its_table(tmp_path: Path, gain: Gain) -> None:
    """VLMEvalKit writes one beside the scores: both are the same run."""
    (task,) = find_tasks(["mmstar_demo"])
    right = right_answers("mmstar_demo")
    for name, model, answers in (
        ("mmstar_demo", "m", dict.fromkeys(right, "A")),
        ("mmstar_demo_text", "m", dict.fromkeys(right, "B")),
        ("mmstar_demo_llm", "llm", right),
    ):
        write_run_file(tmp_path, name, f"{model},host=vlmevalkit", answers)
    table = write_table(mmstar_table(rows_of(task)), tmp_path / "llm" / "llm_mmstar_demo_llm.tsv")
    status, (record,), errors = gain(tmp_path, "--llm-base", table)
    assert (status, record["llm"], record["s_t"]) == (0, "llm,host=vlmevalkit", 1.0), errors


def test_swapped_runs_and_equal_answers_are_said(tmp_path: Path, gain: Gain) -> None:
    """S_wv above S_v by more than the interval of their difference; a text alone that changes
    nothing.
    """
    write_triple(tmp_path / "swapped", rights(4, 40), rights(36, 40), None)
    assert "S_wv is above S_v by more than its interval" in gain(tmp_path / "swapped")[2]
    write_triple(tmp_path / "equal", rights(4, 40), rights(4, 40), None)
    _, (record,), errors = gain(tmp_path / "equal")
    assert record["warnings"] == ["the answers with images and without images are the same"]
    assert "the answers with images and without images are the same" in errors


def test_the_overall_row_alone_is_printed_unless_groups_are_asked_for(
    tmp_path: Path, gain: Gain
) -> None:
    """`--by` takes a column of groups, or all of them; another name is refused with those that
    are known.
    """
    write_triple(tmp_path, rights(4, 4), rights(2, 4), None)
    assert [row["group"] for row in gain(tmp_path)[1]] == ["all"]
    for by in ("category", "group"):
        assert [row["group"] for row in gain(tmp_path, "--by", by)[1]] == ["all", "math"]
    status, _, errors = gain(tmp_path, "--by", "x")
    assert (status, "Expected --by to be one of group, category, source of" in errors) == (2, True)


def test_gain_by_source_is_counted_for_each(tmp_path: Path, gain: Gain) -> None:
    """MMStar's questions are from several benchmarks: `source` is a column of `gain` as of `score`,
    and none of `--by group`.
    """
    sources = ["MMMU", "MMMU", "AI2D", "AI2D"]
    write_triple(tmp_path, rights(3, 4), rights(1, 4), None)
    for path in tmp_path.rglob("*_samples_*.jsonl"):
        samples = [json.loads(line) for line in path.read_text().splitlines()]
        for sample, source in zip(samples, sources, strict=True):
            record = next(v for v in sample.values() if isinstance(v, dict) and "status" in v)
            record["details"] = {**record.get("details", {}), "source": source}
        path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    found = {
        row["group"]: (row["n"], row["s_v"], row["s_wv"])
        for row in gain(tmp_path, "--by", "source", "--partial")[1]
    }
    assert found == {"all": (4, 0.75, 0.25), "MMMU": (2, 1.0, 0.5), "AI2D": (2, 0.5, 0.0)}


def test_the_llm_base_stands_in_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its checkpoint's name, as the model; programs get the arguments, too."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    assert main(["gain", str(tmp_path), "--format", "md"]) == 0
    printed = capsys.readouterr().out
    lines = printed.partition("### Leakage x 100")[2].strip().splitlines()
    head, _, row = ([cell.strip() for cell in line.split("|")] for line in lines)
    cells = dict(zip(head, row, strict=True))
    assert (cells["model"], cells["LLM base"]) == ("a", "b")
    assert main(["gain", str(tmp_path), "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert (record["model"], record["llm"]) == ("m,pretrained=a", "llm,pretrained=b")


def test_a_groups_warning_is_printed_where_its_task_has_none(tmp_path: Path, gain: Gain) -> None:
    """Else the same would be said once for each group."""

    def samples(count: int) -> list[Any]:
        categories = ["a"] * 38 + ["b"] * 2
        return [
            choice_sample(place, True, category, status="unparsed" if place >= 40 - count else "ok")
            for place, category in enumerate(categories)
        ]

    for count, groups in ((1, ["b"]), (2, ["all"])):
        folder = tmp_path / str(count)
        write_run(folder, "m", {"t": samples(0)}, stamp="1", settings={"t": "prompt=letter"})
        write_run(
            folder,
            "ablated",
            {"t": samples(count)},
            "base=m,ablation=text",
            stamp="2",
            settings={"t": "prompt=letter"},
        )
        told = gain(folder, "--by", "group")[2].splitlines()
        errors = [line for line in told if line.startswith("warning: ")]
        assert [line.split(":")[1].split()[-1] for line in errors] == groups


@pytest.mark.parametrize(
    ("form", "lines"),
    [("text", 12), ("md", 9), ("csv", 2)],
    ids=["text", "markdown", "comma-separated"],
)
def test_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, lines: int) -> None:
    """Tables for people are times 100 with intervals; csv is natural."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    assert main(["gain", str(tmp_path), "--format", form]) == 0
    printed = capsys.readouterr().out
    # The text of the leakage is in two parts, as it is wider than the terminal.
    assert len(printed.strip().splitlines()) == lines
    assert ("50.0 [-72.7, 100.0]" in printed) == (form != "csv")
    assert (",1.0,0.5,0.25,0.5," in printed) == (form == "csv")
