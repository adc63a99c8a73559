"""Which runs `gain` compares, which it refuses, and what it says of them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from gain_files import own_sample, own_samples, write_run

from spiqa_tasks.cli import main
from spiqa_tasks.scoring.mcq import released_match

TEXT = {"mmstar_filtered_text": "prompt=letter,ablation=text"}
LLM = {"mmstar_filtered_llm": "prompt=letter,ablation=text,shots=2"}
Gain = Callable[..., tuple[int, list[dict[str, Any]], str]]


@pytest.fixture
def gain(capsys: pytest.CaptureFixture[str]) -> Gain:
    """Runs the command: (exit status, records, stderr)."""

    def run(*arguments: Any) -> tuple[int, list[dict[str, Any]], str]:
        status = main(["gain", *map(str, arguments), "--json"])
        printed = capsys.readouterr()
        return status, json.loads(printed.out or "[]"), printed.err

    return run


def rights(right: int, total: int) -> list[bool]:
    """So many right answers, then wrong ones."""
    return [place < right for place in range(total)]


def write_triple(folder: Path, v: list[Any], wv: list[Any], t: list[Any] | None) -> None:
    """A run with images, our `_text` task of the same model, and our `_llm` task of another."""
    write_run(folder, "1", "m", {"mmstar_filtered": own_samples(v)}, "pretrained=a,device=cuda")
    write_run(folder, "2", "m", {"mmstar_filtered_text": own_samples(wv)}, "pretrained=a", TEXT)
    if t is not None:
        samples = {"mmstar_filtered_llm": own_samples(t, prompt="shots")}
        write_run(folder, "3", "llm", samples, "pretrained=b", LLM)


def test_authors_case_from_result_files(tmp_path: Path, gain: Gain) -> None:
    """781, 340 and 304 of 1,500 right (52.1, 22.7, 20.3) give MG 29.4 and ML 2.4, overall and in the one group."""
    write_triple(tmp_path, rights(781, 1500), rights(340, 1500), rights(304, 1500))
    status, records, errors = gain(tmp_path)
    assert (status, errors) == (0, "")
    assert [record["group"] for record in records] == ["all", "math"]
    for record in records:
        assert [round(100 * record[name], 1) for name in ("s_v", "s_wv", "s_t", "mg", "ml")] == [
            52.1,
            22.7,
            20.3,
            29.4,
            2.4,
        ]
        assert record["mg_low"] < record["mg"] < record["mg_high"]
    assert (records[0]["task"], records[0]["ablation"]) == ("mmstar_filtered", "text")
    assert (records[0]["model"], records[0]["llm"]) == ("m,pretrained=a", "llm,pretrained=b")


def test_real_predictions_under_the_released_rules(real_data: Path, tmp_path: Path, gain: Gain) -> None:
    """S_v of a real submission is its share of hits, counted by first letters, overall and per capability."""
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    hits = [row["prediction"].strip().lower()[:1] == row["answer"].lower() for row in rows]
    options = {"metric": "accuracy_released"}
    samples = [
        own_sample(place, released_match(row["prediction"], row["answer"]), row["category"], **options)
        for place, row in enumerate(rows)
    ]
    blind = [own_sample(place, place % 4 == 0, row["category"], **options) for place, row in enumerate(rows)]
    write_run(tmp_path, "1", "llava", {"mmstar_filtered": samples})
    write_run(tmp_path, "2", "ablated", {"mmstar_filtered": blind}, "base=llava,ablation=text")
    _, records, _ = gain(tmp_path, "--metric", "accuracy_released")
    by_group = {record["group"]: record for record in records}
    assert len(by_group) == 7
    assert by_group["all"]["s_v"] == pytest.approx(sum(hits) / len(rows))
    assert by_group["all"]["mg"] == pytest.approx((sum(hits) - len(range(0, len(rows), 4))) / len(rows))
    math = [hit for hit, row in zip(hits, rows, strict=True) if row["category"] == "math"]
    assert by_group["math"]["s_v"] == pytest.approx(sum(math) / len(math))


def test_wrapped_model_is_paired_with_its_base(tmp_path: Path, gain: Gain) -> None:
    """The base and its arguments say which run with images belongs to one without; each ablation is a row."""
    write_run(tmp_path, "1", "m", {"t": own_samples(rights(3, 4))}, "pretrained=a,batch=2")
    write_run(tmp_path, "2", "m", {"t": own_samples(rights(4, 4))}, "pretrained=b,batch=2")
    for stamp, kind, right in (("3", "grey", 2), ("4", "shuffled", 1)):
        args = f"base=m,ablation={kind},seed=1,pretrained=a,batch=2"
        write_run(tmp_path, stamp, "ablated", {"t": own_samples(rights(right, 4))}, args)
    status, records, errors = gain(tmp_path)
    overall = {record["ablation"]: record for record in records if record["group"] == "all"}
    assert {name: (record["s_v"], record["s_wv"]) for name, record in overall.items()} == {
        "grey": (0.75, 0.5),
        "shuffled": (0.75, 0.25),
    }
    assert overall["grey"]["ml"] is None
    assert status == 3
    assert "m,batch=2,pretrained=b on t without images" in errors


def test_newest_of_two_equal_runs_counts(tmp_path: Path, gain: Gain) -> None:
    """A repeated run replaces the older one."""
    write_triple(tmp_path, rights(1, 4), rights(1, 4), None)
    write_run(tmp_path, "9", "m", {"mmstar_filtered": own_samples(rights(4, 4))}, "pretrained=a")
    assert gain(tmp_path)[1][0]["s_v"] == 1.0


def test_any_run_can_be_the_llm_base(tmp_path: Path, gain: Gain) -> None:
    """`--llm` names the run of a text-only model on the plain task."""
    write_triple(tmp_path / "m", rights(3, 4), rights(2, 4), None)
    write_run(tmp_path / "base", "1", "llm", {"mmstar_filtered": own_samples(rights(1, 4))})
    _, records, _ = gain(tmp_path / "m", "--llm", tmp_path / "base")
    assert (records[0]["s_t"], records[0]["ml"]) == (0.25, 0.25)


def test_two_llm_bases_are_refused(tmp_path: Path, gain: Gain) -> None:
    """Which base is meant must be said."""
    write_triple(tmp_path, rights(3, 4), rights(2, 4), rights(1, 4))
    write_run(tmp_path, "4", "other", {"mmstar_filtered_llm": own_samples(rights(1, 4))}, "", LLM)
    status, _, errors = gain(tmp_path)
    assert status == 2
    assert "one LLM base for mmstar_filtered; found llm,pretrained=b and other" in errors


@pytest.mark.parametrize(
    ("options", "count", "message"),
    [
        ({}, 5, r"found 4 and 5, 0 only in the first and 1 only in the second \(such as q4\)"),
        ({"data": "d2"}, 4, "same data .* found mmstar/val@d1 and mmstar/val@d2"),
        ({"prompt": "p2"}, 4, "same prompt .* found p1 and p2"),
        ({"answer": "B"}, 4, r"4 have another text or answer .*\(such as q0, q1, q2\)"),
    ],
)
def test_runs_of_other_questions_are_refused(
    tmp_path: Path, gain: Gain, options: dict[str, str], count: int, message: str
) -> None:
    """Other ids, another data hash, another prompt or another answer: refused, and the message says how."""
    write_run(tmp_path, "1", "m", {"mmstar_filtered": own_samples(rights(1, 4))})
    samples = own_samples(rights(1, count), **options)
    write_run(tmp_path, "2", "m", {"mmstar_filtered_text": samples}, "", TEXT)
    status, _, errors = gain(tmp_path)
    assert status == 2
    assert re.search(message, errors)


def test_refusals_are_told_and_warned_of(tmp_path: Path, gain: Gain) -> None:
    """A model that refuses without images has a lower bound of leakage only."""
    write_run(tmp_path, "1", "m", {"mmstar_filtered": own_samples(rights(8, 20))})
    blind = [own_sample(place, False, refused=place < 2) for place in range(20)]
    write_run(tmp_path, "2", "m", {"mmstar_filtered_text": blind}, "", TEXT)
    llm = [own_sample(place, False, refused=place < 19) for place in range(20)]
    write_run(tmp_path, "3", "llm", {"mmstar_filtered_llm": llm}, "", LLM)
    _, records, errors = gain(tmp_path)
    assert [records[0][f"refused_{name}"] for name in ("v", "wv", "t")] == [0.0, 0.1, 0.95]
    assert len(records[0]["warnings"]) == 2
    assert "10% refused without images: S_wv and ML are lower bounds" in errors
    assert "95% of the LLM base's answers are refusals" in errors


def test_failed_requests_withhold_the_numbers(tmp_path: Path, gain: Gain) -> None:
    """More than 1% without an answer: no number; fewer: the others count in all runs."""
    write_triple(tmp_path / "a", [True, None, *[True] * 98], rights(50, 100), None)
    write_triple(tmp_path / "b", [None, None, *[True] * 98], rights(50, 100), None)
    few, many = gain(tmp_path / "a")[1][0], gain(tmp_path / "b")[1][0]
    assert (few["s_v"], few["s_wv"]) == (1.0, pytest.approx(49 / 99))
    assert (many["s_v"], many["mg"]) == (None, None)
    assert "withheld" in many["warnings"][0]


def test_sample_lists(tmp_path: Path, gain: Gain) -> None:
    """The file has every question that the image won or lost or that leaked, and no other."""
    write_triple(tmp_path, [True, False, True, True], [False, True, True, True], [False, False, False, True])
    target = tmp_path / "samples.jsonl"
    gain(tmp_path, "--samples", target)
    found = {line["id"]: line["outcomes"] for line in map(json.loads, target.read_text().splitlines())}
    assert found == {"q0": ["won_by_image"], "q1": ["lost_by_image", "leaked"], "q2": ["leaked"]}


def host_samples(answers: str, record: Callable[[str], Any], metric: str = "score") -> list[dict[str, Any]]:
    """Samples of a task of the host itself: answer letters, the right one is A."""
    return [
        {"doc_id": place, "target": "A", "filtered_resps": letter, metric: record(letter), "input": f"q{place} <image>"}
        for place, letter in enumerate(answers)
    ]


@pytest.mark.parametrize(
    ("metric", "record"),
    [
        ("exact_match", lambda letter: float(letter == "A")),
        ("average", lambda letter: {"question_id": 1, "l2_category": "x", "score": int(letter == "A")}),
        ("seed_image", lambda letter: {"pred": letter, "answer": "A", "question_id": 1}),
        ("mmmu_acc", lambda letter: {"id": None, "answer": "A", "parsed_pred": [letter]}),
        ("llm_as_judge_eval", lambda letter: {"prediction": letter, "answer": "x", "true_false": letter == "A"}),
        (
            "gpt_eval_score",
            lambda letter: {"prediction": f"{letter}.", "answer": "A", "A": "yes", "B": "no", "C": "nan"},
        ),
    ],
)
def test_tasks_of_the_host_are_compared_too(
    tmp_path: Path, gain: Gain, metric: str, record: Callable[[str], Any]
) -> None:
    """Every form of record that the seven benchmarks write is read as right or wrong."""

    def samples(answers: str) -> list[dict[str, Any]]:
        lines = host_samples(answers, record, metric)
        for place, line in enumerate(lines):
            if isinstance(line[metric], dict) and "id" in line[metric]:
                line[metric]["id"] = f"validation_{place}"
        return lines

    write_run(tmp_path, "1", "m", {"t": samples("AAAB")}, totals={"t": {metric: 75.0}})
    write_run(tmp_path, "2", "ablated", {"t": samples("ABBB")}, "base=m,ablation=text", totals={"t": {metric: 0.25}})
    status, records, _ = gain(tmp_path)
    assert status == 0
    assert (records[0]["s_v"], records[0]["s_wv"], records[0]["mg"]) == (0.75, 0.25, 0.5)
    assert records[0]["mg_low"] is not None


def test_host_numbers_count_where_questions_have_no_score(tmp_path: Path, gain: Gain) -> None:
    """A record that cannot be read, or whose reading disagrees with the host, leaves the host's own number."""
    for stamp, model, total in (("1", "m", 60.0), ("2", "ablated", 40.0)):
        lines = host_samples("AAAB", lambda letter: {"pred": letter, "answer": "A"}, "gpt_eval_score")
        args = "base=m,ablation=grey" if model == "ablated" else ""
        write_run(tmp_path, stamp, model, {"t": lines}, args, totals={"t": {"gpt_eval_score": total}})
    record = gain(tmp_path)[1][0]
    assert (record["s_v"], record["s_wv"], record["mg_low"]) == (0.6, 0.4, None)
    assert record["mg"] == pytest.approx(0.2)


def test_other_text_of_a_host_task_is_refused(tmp_path: Path, gain: Gain) -> None:
    """The marks of pictures may go, any other change of the prompt is refused."""
    lines = host_samples("AB", lambda letter: float(letter == "A"))
    without = [{**line, "input": line["input"].replace("<image>", "")} for line in lines]
    write_run(tmp_path, "1", "m", {"t": lines})
    write_run(tmp_path, "2", "ablated", {"t": without}, "base=m,ablation=text")
    assert gain(tmp_path)[0] == 0
    write_run(tmp_path, "3", "ablated", {"t": [{**line, "input": "other"} for line in lines]}, "base=m,ablation=text")
    status, _, errors = gain(tmp_path)
    assert status == 2
    assert "2 have another text or answer" in errors


def test_other_revision_of_a_host_dataset_is_refused(tmp_path: Path, gain: Gain) -> None:
    """Where the YAMLs name a revision, it must be the same."""
    lines = host_samples("AB", lambda letter: float(letter == "A"))
    write_run(tmp_path, "1", "m", {"t": lines}, revision="a1")
    write_run(tmp_path, "2", "ablated", {"t": lines}, "base=m,ablation=text", revision="b2")
    status, _, errors = gain(tmp_path)
    assert status == 2
    assert "found owner/data@a1 and owner/data@b2" in errors


def test_questions_without_the_metric_are_left_out(tmp_path: Path, gain: Gain) -> None:
    """`seed_image` is of image questions only."""
    lines = host_samples("AA", lambda letter: {"pred": letter, "answer": "A"}, "seed_image")
    lines += [{"doc_id": 9, "target": "A", "filtered_resps": "A", "seed_video": {"pred": "A", "answer": "A"}}]
    for stamp, model, args in (("1", "m", ""), ("2", "ablated", "base=m,ablation=text")):
        write_run(tmp_path, stamp, model, {"seedbench": lines}, args, totals={"seedbench": {"seed_image": 1.0}})
    assert gain(tmp_path)[1][0]["n"] == 2


def test_refusals_of_host_tasks_are_read_from_the_answer(tmp_path: Path, gain: Gain) -> None:
    """Where no record counts refusals, the wording does."""
    lines = host_samples("AB", lambda letter: float(letter == "A"))
    lines[1]["filtered_resps"] = ["I'm sorry, I cannot see the image."]
    write_run(tmp_path, "1", "m", {"t": lines})
    write_run(tmp_path, "2", "ablated", {"t": lines}, "base=m,ablation=text")
    assert gain(tmp_path)[1][0]["refused_wv"] == 0.5


def test_averages_over_tasks(tmp_path: Path, gain: Gain) -> None:
    """Several tasks of one model end in a row of means, as Table 6 has it."""
    for stamp, model, args, shift in (("1", "m", "", 2), ("2", "ablated", "base=m,ablation=text", 1)):
        samples = {"a": own_samples(rights(shift, 4)), "b": own_samples(rights(shift + 1, 4))}
        write_run(tmp_path, stamp, model, samples, args)
    record = gain(tmp_path)[1][-1]
    assert (record["task"], record["s_v"], record["s_wv"], record["mg"]) == ("average", 0.625, 0.375, 0.25)


def test_submission_files_of_host_tasks_are_passed_over(tmp_path: Path, gain: Gain) -> None:
    """MMBench writes `..._results.json` of its own into the output folder."""
    write_triple(tmp_path, rights(3, 4), rights(2, 4), None)
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "mmbench_en_dev_static_results.json").write_text('{"overall_acc": 0.5}')
    assert gain(tmp_path)[0] == 0


def test_nothing_to_compare_is_refused(tmp_path: Path, gain: Gain) -> None:
    """Runs with images only, a missing samples file, an unknown metric or no result file: status 2 with a remedy."""
    path = write_run(tmp_path / "a", "1", "m", {"t": own_samples([True])})
    assert "--model ablated --model_args base=m" in gain(tmp_path / "a")[2]
    write_run(tmp_path / "a", "2", "ablated", {"t": own_samples([True])}, "base=m,ablation=text")
    assert "Choose with --metric" in gain(tmp_path / "a", "--metric", "cider")[2]
    path.with_name("1_samples_t.jsonl").unlink()
    assert "--log_samples" in gain(tmp_path / "a")[2]
    (tmp_path / "b").mkdir()
    assert gain(tmp_path / "b")[0] == 2


def test_scores_by_hand(gain: Gain, capsys: pytest.CaptureFixture[str]) -> None:
    """The golden case without any file, in the unit given."""
    (record,) = gain("--scores", 52.1, 22.7, 20.3)[1]
    assert (round(record["mg"], 1), round(record["ml"], 1), record["group"]) == (29.4, 2.4, "all")
    assert main(["gain", "--scores", "52.1", "22.7", "20.3"]) == 0
    assert capsys.readouterr().out == "MG 29.4, ML 2.4\n"
    assert gain("--scores", 1)[0] == 2
    assert gain()[0] == 2


@pytest.mark.parametrize(
    ("form", "lines"), [("text", 4), ("md", 4), ("csv", 3)], ids=["text", "markdown", "comma-separated"]
)
def test_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, lines: int) -> None:
    """Tables for people are times 100 with intervals; csv is natural."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    assert main(["gain", str(tmp_path), "--format", form]) == 0
    printed = capsys.readouterr().out
    assert len(printed.strip().splitlines()) == lines
    assert ("50.0 [0.0, 100.0]" in printed) == (form != "csv")
    assert (",1.0,0.5,0.25,0.5," in printed) == (form == "csv")
