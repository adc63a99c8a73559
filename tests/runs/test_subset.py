"""A list of the only questions that count."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answer_files import right_answers, write_jsonl
from host_files import sample_of, write_run
from hypothesis import given
from hypothesis import strategies as st
from report_runs import choices, run_of
from run_command import run_json

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.selection import Selection
from spiqa_tasks.runs.subset import Subset, read_subset


def write_ids(path: Path, ids: Any) -> Path:
    """A list of ids, one a line."""
    path.write_text("".join(f"{each}\n" for each in ids), encoding="utf-8")
    return path


@given(
    st.lists(st.text("ab/. 01-", min_size=1).map(str.strip).filter(bool), min_size=1, unique=True)
)
def test_a_list_is_read_as_it_is_written(
    tmp_path_factory: pytest.TempPathFactory, ids: list[str]
) -> None:
    """A line each, or as a filter lists them; the digest is that of the set."""
    folder = tmp_path_factory.mktemp("ids")
    content = dict.fromkeys(("source", "data", "truth", "revision")) | {
        "kept": [{"id": each} for each in ids]
    }
    written = {"digest": digest_of(content), "source_yaml": "of this machine", **content}
    (folder / "kept.json").write_text(json.dumps(written))
    lines, kept = read_subset(write_ids(folder / "ids", ids)), read_subset(folder / "kept.json")
    assert lines.ids == kept.ids == tuple(ids)
    assert lines.digest == Subset(folder, tuple(sorted(ids))).digest
    assert lines.digest != Subset(folder, (*ids, "x")).digest


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("ids", "\n \n", "found none"),
        ("kept.json", "{}", "found no '(kept|digest)'"),
        ("kept.json", "[", "RepeatedKeyError|JSONDecodeError"),
        ("kept.json", '{"kept": [1]}', "found no 'digest'"),
        ("absent", None, "No such file or directory"),
    ],
)
def test_what_is_no_list_is_a_sentence(
    tmp_path: Path, name: str, text: str | None, found: str
) -> None:
    """Doubles, nothing, other files."""
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=found) as error:
        read_subset(tmp_path / name)
    assert str(tmp_path / name) in str(error.value)


def scored(
    capsys: pytest.CaptureFixture[str], *arguments: Any
) -> tuple[int, Mapping[str, Any], str]:
    return run_json(capsys, "score", *arguments, "--judge", "none")


def test_only_the_questions_of_the_list_are_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers, counts and signature are those of the list; answers to other questions are no
    fault.
    """
    right = right_answers("mmstar_demo")
    ids = list(right)[::3]
    answers = {
        key: text if place % 6 else "none" for place, (key, text) in enumerate(right.items())
    }
    path, listing = write_jsonl(tmp_path / "m.jsonl", answers), write_ids(tmp_path / "ids", ids)
    status, found, errors = scored(
        capsys, "mmstar_demo", path, "--ids", listing, "--output", tmp_path / "out"
    )
    assert status == 0, errors
    assert (found["metrics"]["accuracy"], found["counts"]["docs"], found["counts"]["unknown"]) == (
        0.5,
        8,
        0,
    )
    assert f"ids:{read_subset(listing).digest}" in found["signature"]
    (again,), _ = load_runs([RunPath(tmp_path / "out")])
    assert (again.coverage, again.value(again.metric()).value) == ("8 of 8", 0.5)


def test_ids_of_no_question_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of answers and of a run over the whole task; nothing is scored."""
    right = right_answers("mmstar_demo")
    listing = write_ids(tmp_path / "ids", [*list(right)[:3], "a1", "a2"])
    path = write_jsonl(tmp_path / "m_mmstar_demo.jsonl", right)
    for command in (["score", "mmstar_demo", path], ["score", "--by", "group", path]):
        status, _, errors = run_json(capsys, *map(str, command), "--ids", listing)
        assert status == 2
        assert "found 2 others, the first: a1, a2" in errors


def test_a_run_of_the_host_is_cut_to_the_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its values are those of scoring the list's answers alone, of corpus metrics too, and not
    the host's.
    """
    rows = load_rows("spiqa", "demo", "")
    samples = [sample_of(row, row["answer"][: 8 + place]) for place, row in enumerate(rows)]
    totals = {"spiqa_demo": {"rouge_l": 0.123, "cider": 9.0}}
    write_run(
        tmp_path / "run",
        "m",
        {"spiqa_demo": samples},
        settings={"spiqa_demo": rows[0]["settings"]},
        benchmark="spiqa",
        split="demo",
        totals=totals,
    )
    listing = write_ids(tmp_path / "ids", [row["id"] for row in rows[::2]])
    status, lines, errors = run_json(
        capsys, "score", "--by", "group", tmp_path / "run", "--metrics", "all", "--ids", listing
    )
    assert status == 0, errors
    values = {row["metric"]: (row["value"], row["n"]) for row in lines if row["group"] == "all"}
    answers = {row["id"]: row["answer"][: 8 + place] for place, row in enumerate(rows)}
    path = write_jsonl(tmp_path / "m.jsonl", answers)
    _, found, _ = scored(capsys, "spiqa_demo", path, "--ids", listing)
    for name in ("rouge_l", "bleu_1", "cider"):
        assert values[name] == (pytest.approx(found["metrics"][name]), 20)


def test_questions_of_several_documents_are_listed_by_their_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All documents of a listed question are scored, and of no other."""
    rows = load_rows("spiqa", "demo", "setting=perfigure")
    answers = {row["id"]: "Yes" if row["step"] == "helpful" else row["answer"] for row in rows}
    questions = list(dict.fromkeys(row["question_id"] for row in rows))[:5]
    path = write_jsonl(tmp_path / "m_spiqa_demo_perfigure.jsonl", answers)
    listing = write_ids(tmp_path / "ids", questions)
    status, found, errors = scored(capsys, "spiqa_demo_perfigure", path, "--ids", listing)
    assert status == 0, errors
    assert found["counts"]["docs"] == sum(row["question_id"] in questions for row in rows)
    (run,), _ = load_runs([RunPath(path)], Selection(subset=read_subset(listing)))
    assert run.coverage == "5 of 5"
    assert [record.id for record in run.questions] == questions


def test_a_part_of_a_task_need_not_have_every_question_of_the_list() -> None:
    """But one at least; a whole one must have all."""
    whole = run_of(choices([True] * 5))
    part = replace(whole, asked=500)
    listing = Subset(Path("ids"), ("q1", "elsewhere"))
    assert list(listing.cut_run(part).by_id) == ["q1"]
    for run, ids in ((whole, listing.ids), (part, ("elsewhere", "nowhere"))):
        unknown = [key for key in ids if key != "q1"]
        with pytest.raises(InputError) as error:
            Subset(Path("ids"), ids).cut_run(run)
        assert (
            str(error.value) == "Expected ids of mmstar_filtered in ids, such as q0; found"
            f" {len(unknown)} other{'s' * (len(unknown) > 1)}, the first: {', '.join(unknown)}."
            " Correct the list, or name its task."
        )


def test_groups_of_a_scored_run_are_those_of_the_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over a whole list its groups are complete, as they are in the file of the answers."""
    ids = [row["id"] for row in load_rows("mmstar", "demo", "")]
    listing = write_ids(tmp_path / "ids", ids[::2])
    path = write_jsonl(tmp_path / "m_mmstar_demo.jsonl", right_answers("mmstar_demo"))
    scored(capsys, "mmstar_demo", path, "--output", tmp_path / "scored")
    by_group = ["--by", "category", "--ids", listing]
    _, of_file, _ = run_json(capsys, "score", "mmstar_demo", path, *by_group)
    status, of_scored, errors = run_json(capsys, "score", tmp_path / "scored", *by_group)
    assert (status, errors) == (0, "")
    assert [row["value"] for row in of_scored] == [row["value"] for row in of_file] == [1.0] * 6
    assert sum(row["n"] for row in of_scored) == len(ids[::2])
