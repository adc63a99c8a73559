"""What `score` prints."""

from __future__ import annotations

import math
from dataclasses import replace

from answer_files import right_answers, scored
from host_files import FAILED
from report_runs import choices, run_of

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.report.score_tables import as_json, as_text, rows
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.scoring import score_object


def judged(model: str = "m", judge: str = "openai:a", l3score: float = 0.5) -> Run:
    """L3Scores of two answers, one of them given."""
    verdicts = {key: ({"metric": "l3score", "score": score},) for key, score in (("1", l3score), ("2", 0.3))}
    records = [
        Record(key, "a b", "a b", scores={"l3score": said[0]["score"]}, verdicts=said) for key, said in verdicts.items()
    ]
    signature = "data:spiqa/testA@d|settings:setting=direct"
    return replace(run_of(records, model, "t", signature), judge=judge, omitted={"meteor": "no Java"})


def test_the_table_is_times_100_with_reasons_and_signature() -> None:
    """A rate of failures is a row only where something failed; a count is no share."""
    run = judged()
    lines = as_text([run]).splitlines()
    assert lines[0].split() == ["t", "x", "100", "n"]
    assert lines[2].split()[:2] == ["l3score", "40.0"]
    assert lines[2].split()[-1] == "2"
    names = [line.split()[0] for line in lines[2 : lines.index("")]]
    assert "judge_failed_rate" not in names
    assert next(line for line in lines if line.startswith("meteor")).split() == ["meteor", "-", "0"]
    assert "meteor left out: no Java" in lines
    assert lines[-1] == f"signature: {run.signature.text}"


def test_failures_are_rows_where_there_are_any() -> None:
    """With the share of the answers that failed."""
    answers = list(right_answers("mmstar_demo").items())
    lines = as_text([scored("mmstar_demo", dict([*answers[:-6], *((key, FAILED) for key, _ in answers[-6:])]))])
    (row,) = [line.split() for line in lines.splitlines() if line.startswith("request_failed_rate")]
    assert (row[0], row[1], row[-1]) == ("request_failed_rate", "25.0", "24")
    assert "accuracy left out: withheld: 18 of 24 answers have a score, fewer than 99%" in lines


def test_several_results_have_columns_agreement_and_ranks() -> None:
    """Judges are compared where there are several, models ranked where there are several."""
    results = [judged("m"), judged("n", l3score=0.9), judged("m", "openai:b"), judged("n", "openai:b", 0.9)]
    text = as_text(results)
    assert "judge openai:a" in text
    assert "Agreement of the judges" in text
    assert [line.split() for line in text.splitlines()[-2:]] == [["m", "2", "2"], ["n", "1", "1"]]
    assert "Rank by" not in as_text([judged(), judged(judge="openai:b")])
    found = as_json(results)
    assert [(each["predictions"], each["judge"]) for each in found["results"]] == [
        ("m", "openai:a"),
        ("n", "openai:a"),
        ("m", "openai:b"),
        ("n", "openai:b"),
    ]
    assert found["ranks"] == {"openai:a": {"m": 2, "n": 1}, "openai:b": {"m": 2, "n": 1}}
    assert [each["predictions"] for each in found["agreement"]] == ["m", "n", "all"]
    assert list(found["agreement"][0]) == ["judges", "predictions", "n", "spearman", "kendall"]
    assert found["task"] == "t"


def test_one_result_is_its_own_object() -> None:
    """Several have none of their own at the top."""
    run = judged()
    assert as_json([run]) == score_object(run)
    assert "metrics" not in as_json([run, judged("n")])


def test_a_model_without_a_value_has_a_dash_in_its_column() -> None:
    """Its rank, too."""
    part = replace(judged("n"), asked=99)
    text = as_text([judged("m"), part])
    row = next(line for line in text.splitlines() if line.startswith("l3score "))
    assert row.split()[-1] == "-"
    assert math.isnan(part.value(part.metric()).value)
    assert [line.split() for line in text.splitlines()[-2:]] == [["m", "1"], ["n", "-"]]


def test_one_run_is_printed_whole() -> None:
    """Values with their intervals, counts that are not 0, what is left out, and the signature."""
    run = run_of(choices([True, True, True, False]), "m", "t")
    table, notes = as_text([run], "md").split("\n\n")
    assert cells(table) == [
        ["t", "x 100", "n"],
        ["accuracy", "75.0 [30.1, 95.4]", "4"],
        ["accuracy/math", "75.0 [30.1, 95.4]", "4"],
        ["accuracy_released", "-", "0"],
        ["refusal_rate", "0.0 [0.0, 49.0]", "4"],
        ["unparsed_rate", "0.0 [0.0, 49.0]", "4"],
        ["accuracy_vlmevalkit", "-", "0"],
        ["accuracy_vlmevalkit_2026_06", "-", "0"],
    ]
    assert notes.splitlines() == [
        "docs 4",
        "accuracy_released left out: withheld: 0 of 4 answers have a score, fewer than 99%",
        "accuracy_vlmevalkit left out: withheld: 0 of 4 answers have a score, fewer than 99%",
        "accuracy_vlmevalkit_2026_06 left out: withheld: 0 of 4 answers have a score, fewer than 99%",
        f"signature: {run.signature.text}",
    ]


def cells(table: str) -> list[list[str]]:
    """The cells of a Markdown table, its rule left out."""
    head, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines())
    return [head, *rows]


def test_several_runs_are_printed_whole() -> None:
    """One column each with its judge below the model, the notes run by run, then agreement and ranks."""
    table, *notes = as_text([judged("m"), judged("n", "openai:b", 0.9)], "md").split("\n\n")
    assert cells(table)[:2] == [
        ["t", "m judge openai:a", "n judge openai:b"],
        ["l3score", "40.0 [2.2, 95.2]", "60.0 [0.6, 99.7]"],
    ]
    assert [part.partition("\n")[0] for part in notes if not part.startswith("|")] == [
        *("m: docs 2, judged 2", "n: docs 2, judged 2"),
        *("### Agreement of the judges, answer by answer", "### Rank by l3score"),
    ]
    together = as_text([judged(), judged(judge="openai:b", l3score=0.9)], "md").split("\n\n")[-1]
    assert cells(together) == [
        ["judges", "answers", "n", "Spearman", "Kendall"],
        ["openai:a / openai:b", "m", "2", "1.000", "1.000"],
    ]
    ranked = as_text([judged("m"), judged("n", l3score=0.9)], "md").split("\n\n")[-1]
    assert cells(ranked) == [["answers", "openai:a"], ["m", "2"], ["n", "1"]]


def test_rows_are_in_natural_units() -> None:
    """A row per metric, with NaN where there is no value or no interval."""
    run = run_of(choices([True, True, True, False]), "m", "t")
    first, _, second, *_ = rows([run])
    text = run.signature.text
    assert (round(first.pop("low"), 5), round(first.pop("high"), 5)) == (0.30064, 0.95441)
    about = {"task": "t", "model": "m", "judge": ""}
    assert first == {**about, "metric": "accuracy", "value": 0.75, "n": 4, "questions": "4 of 4", "signature": text}
    assert math.isnan(second.pop("value"))
    assert second.pop("low") is second.pop("high") is None
    assert second == {**about, "metric": "accuracy_released", "n": 0, "questions": "4 of 4", "signature": text}
    assert [row["model"] for row in rows([run, replace(run, label="z")])][-1] == "z"
