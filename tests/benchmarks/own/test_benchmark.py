"""A benchmark of one's own as an object: its splits, what it reads and what it is judged by."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from own_data import COLUMNS, MIXED, own_rows, write_own

from spiqa_tasks.analysis.pair import differing
from spiqa_tasks.benchmarks.aggregation import RecordSet
from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.own.benchmark import metrics, own_benchmark, record
from spiqa_tasks.benchmarks.own.definition import parse
from spiqa_tasks.benchmarks.prompting import Picture, Turn
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.benchmarks.signature import parse as parse_signature
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.source import LocalSource, Repository, default_source
from spiqa_tasks.judge.rules.l3score import L3ScoreRule
from spiqa_tasks.scoring.mcq import MATCHER_VERSION


def benchmark(path: Path) -> Benchmark:
    """Return the benchmark of a YAML."""
    return own_benchmark(parse(yaml.safe_load(path.read_text()), path.parent))


def test_sizes_are_counted_when_they_are_asked_for(tmp_path: Path) -> None:
    """Making the benchmark reads no data; a split that is not there is none."""
    path = write_own(tmp_path, data="later.jsonl")
    found = benchmark(path)
    assert list(found.splits) == ["test"]
    assert "dev" not in found.splits
    with pytest.raises(DataError, match="no such file"):
        found.splits["test"]
    (tmp_path / "data.jsonl").rename(tmp_path / "later.jsonl")
    assert dict(found.splits) == {"test": 3}
    with pytest.raises(KeyError):
        found.splits["dev"]


def test_solved_questions_come_from_their_split(tmp_path: Path) -> None:
    """The first ones of it, the same before each question; another one changes the data's digest."""
    (tmp_path / "dev.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in [MIXED[1], MIXED[0], MIXED[2]])
    )
    write = {
        "data": {"dev": "dev.jsonl", "test": "data.jsonl"},
        "shots": {"split": "dev", "count": 2},
    }
    found = benchmark(write_own(tmp_path, **write))
    rows = found.load(default_source(), "test", found.settings())
    parts = found.prompt(rows[0])
    assert [after for part, after in pairwise(parts) if part == Turn("assistant")] == ["1500", "B"]
    (tmp_path / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in MIXED))
    again = benchmark(write_own(tmp_path, **write))
    assert again.load(default_source(), "test", again.settings())[0]["data"] != rows[0]["data"]


def test_data_of_the_hub_has_its_place_under_the_data_folder(tmp_path: Path) -> None:
    """`hf://datasets/OWNER/NAME@REVISION/PATH` is read from SPIQA_TASKS_DATA/<benchmark>, laid out as there."""
    found = benchmark(write_own(tmp_path, data="hf://datasets/me/shapes@abc/data/test-*.jsonl"))
    assert found.files("test", found.settings()) == [
        (Repository("shapes", "me/shapes", "abc"), "data/test-*.jsonl")
    ]
    place = tmp_path / "data" / "shapes" / "data"
    place.mkdir(parents=True)
    for name in ("red.png", "blue.png", "data.jsonl"):
        (tmp_path / name).rename(place / name.replace("data", "test-0"))
    rows = found.load(LocalSource(tmp_path / "data"), "test", found.settings())
    assert [row["id"] for row in rows] == ["a", "b", "c"]


def test_everything_that_the_yaml_says_is_in_the_object(tmp_path: Path) -> None:
    """Tasks and groups by name, and the functions of the benchmark with its definition in them."""
    path = write_own(
        tmp_path, variants="both", max_new_tokens=7, columns={**COLUMNS, "cluster": "image"}
    )
    definition = parse(yaml.safe_load(path.read_text()), path.parent)
    found = own_benchmark(definition)
    settings = found.settings()
    assert (found.name, found.definition, found.max_new_tokens, found.clustered) == (
        *("shapes", {**yaml.safe_load(path.read_text()), "folder": str(tmp_path)}),
        *(7, True),
    )
    assert found.tasks == {
        "shapes": ("test", ""),
        "shapes_text": ("test", "ablation=text"),
        "shapes_grey": ("test", "ablation=grey"),
    }
    assert found.groups == {"shapes_both": ("shapes", "shapes_text", "shapes_grey")}
    assert found.rows_of_table(settings) == [each.name for each in metrics(definition)][:-1]
    assert found.unseen(found.parse("ablation=grey")) == found.parse("ablation=text")
    assert found.files("test", settings) == []
    assert found.signature(found.parse("ablation=grey"))["grey"]
    assert len(found.splits) == 1
    assert not benchmark(write_own(tmp_path / "bare", kind="open", columns={})).clustered


def test_rows_prompts_and_records_are_those_of_the_definition(tmp_path: Path) -> None:
    """A question with its picture, without it, and its answer scored."""
    found = benchmark(write_own(tmp_path))
    row = found.load(default_source(), "test", found.parse(""))[0]
    assert row["settings"] == "ablation=none"
    assert found.prompt(row)[1] == Picture(str(tmp_path / "blue.png"))
    (unseen, *_) = found.load(default_source(), "test", found.parse("ablation=text"))
    assert (unseen["images"], unseen["settings"]) == ([], "ablation=text")
    assert not any(isinstance(part, Picture) for part in found.prompt(unseen))
    scored = found.record(row, Response("B"), Context("offline"))
    assert (scored.prediction, scored.scores) == ("B", {"accuracy": 1.0})
    neither = {"metric": "l3score", "score": 0.0, "top_logprobs": [["Hm", -0.1]]}
    (said,) = found.remarks([Record("a", "x", verdicts=(neither,))])
    assert said.startswith("For 100% of 1 judgements")


ANSWERS = ("(b) blue", "Answer: 1.5e3", "I cannot see any image.")


def scored(
    folder: Path, answers: tuple[str, ...] = ANSWERS, **values: Any
) -> tuple[Any, list[Record]]:
    """Return the definition and the records of answers to its rows."""
    definition, rows = own_rows(write_own(folder, **values))
    context = Context("offline", L3ScoreRule())
    return definition, [
        record(definition, row, Response(text), context)
        for row, text in zip(rows, answers, strict=True)
    ]


def test_choices_and_open_answers_share_the_accuracy(tmp_path: Path) -> None:
    """A choice by its letter, an open answer by the first match; matches are over open questions alone."""
    definition, records = scored(tmp_path, metrics=["accuracy", "exact_match", "relaxed_accuracy"])
    assert [each.scores["accuracy"] for each in records] == [1.0, 1.0, 0.0]
    assert [each.prediction for each in records] == ["B", "1.5e3", None]
    assert [each.refused for each in records] == [False, False, True]
    values = {
        metric.name: RecordSet(records, records).value(metric) for metric in metrics(definition)
    }
    assert {
        name: (value.value, value.n) for name, value in values.items() if name != "truncated_rate"
    } == {
        "accuracy": (pytest.approx(2 / 3), 3),
        "exact_match": (1.0, 1),
        "relaxed_accuracy": (1.0, 1),
        "refusal_rate": (pytest.approx(1 / 3), 3),
        "unparsed_rate": (0.0, 3),
        "request_failed_rate": (0.0, 3),
    }


def test_several_true_answers_are_alternatives(tmp_path: Path) -> None:
    """One of them is enough for a match; the judge is shown them all."""
    rows = [{"question": "Which day?", "answer": ["Monday", "Mon"]}]
    _, (found,) = scored(tmp_path, ("mon",), rows=rows, kind="open", columns={})
    assert found.scores == {"exact_match": 1.0}
    (ask,) = found.asks
    assert "Ground-truth answer: Monday or Mon" in ask.request.prompt
    assert "Candidate answer: mon" in ask.request.prompt


def test_a_failed_request_has_no_score(tmp_path: Path) -> None:
    """Neither kind counts it as wrong."""
    definition, rows = own_rows(write_own(tmp_path))
    records = [
        record(definition, row, Response("", "HTTP 500"), Context("offline")) for row in rows
    ]
    assert {(each.status, each.reason, len(each.scores)) for each in records} == {
        ("request_failed", "HTTP 500", 0)
    }


def test_signatures_name_data_wording_and_rules(tmp_path: Path) -> None:
    """Another prompt is another signature, and the match that accuracy has is in it."""
    definition, (first, *_) = scored(tmp_path / "a")
    _, (other, *_) = scored(tmp_path / "b", prompt="{images}{question} {options}")
    assert "data:shapes/test@" in first.signature
    assert first.signature.rpartition("prompt:")[2] != other.signature.rpartition("prompt:")[2]
    (accuracy, *_) = metrics(definition)
    assert accuracy.signature()["matcher"].endswith("exact_match of open answers 4")


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (
            {"kind": "open", "metrics": ["l3score"]},
            ["l3score", "judge_failed_rate", "neither_rate"],
        ),
        (
            {"kind": "open", "metrics": ["l3score_sampled", "rouge_l"]},
            ["l3score_sampled", "rouge_l", "judge_failed_rate"],
        ),
        ({"kind": "open", "metrics": ["exact_match"]}, ["exact_match"]),
        (
            {"kind": "both", "metrics": ["accuracy", "exact_match", "l3score", "cider"]},
            ["accuracy", "exact_match", "l3score", "cider", "judge_failed_rate", "neither_rate"],
        ),
    ],
)
def test_each_kind_has_its_metrics(
    values: dict[str, Any], names: list[str], tmp_path: Path
) -> None:
    """Those of the YAML, what went wrong with the judge, and the failure rates; judges and texts are needed or not."""
    definition, _ = own_rows(write_own(tmp_path, **values))
    rates = ["refusal_rate", "unparsed_rate", "request_failed_rate"]
    found = metrics(definition)
    assert [each.name for each in found] == [*names, *rates, "truncated_rate"]
    assert own_benchmark(definition).rows_of_table(None) == [
        *(name for name in names if name != "neither_rate"),
        *rates,
    ]
    needs = {
        "l3score": "judge",
        "l3score_sampled": "judge",
        "rouge_l": "text programs",
        "cider": "text programs",
    }
    needs |= {"judge_failed_rate": "judge", "neither_rate": "judge"}
    assert [each.needs for each in found] == [needs.get(each.name, "nothing") for each in found]
    assert {each.name for each in found if each.of_corpus} == {"cider"} & set(names)


def test_accuracy_of_both_kinds_goes_by_the_first_match(tmp_path: Path) -> None:
    """Its name is in the signature."""
    definition, records = scored(tmp_path, metrics=["accuracy", "relaxed_accuracy", "exact_match"])
    assert metrics(definition)[0].signature() == {
        "matcher": f"{MATCHER_VERSION}, relaxed_accuracy of open answers 4"
    }
    near, _ = own_rows(write_own(tmp_path, metrics=["accuracy", "relaxed_accuracy", "exact_match"]))
    row = own_rows(write_own(tmp_path))[1][1]
    found = record(near, row, Response("1510"), Context("offline"))
    assert found.scores == {"accuracy": 1.0, "relaxed_accuracy": 1.0, "exact_match": 0.0}
    assert records[1].groups == {"kind": "open"}


def test_several_right_options_have_all_to_be_picked(tmp_path: Path) -> None:
    """The metric is called so; options keep the letters that are published, and open questions may be among them."""
    options = {"a": "red", "b": "blue", "c": "green"}
    rows = [
        {**MIXED[0], "options": options, "answer": ["a", "c"]},
        {**MIXED[1], "options": {"a": "", "b": ""}},
    ]
    definition, loaded = own_rows(write_own(tmp_path, rows, answer_is="letters", prompt=None))
    assert definition.metrics == ("accuracy_all_letters", "exact_match")
    assert [(row["letters"], row["answer"]) for row in loaded] == [
        (["A", "B", "C"], "A, C"),
        ([], "1500"),
    ]
    scores = [
        record(definition, row, Response(text), Context("offline")).scores["accuracy_all_letters"]
        for row, text in [
            (loaded[0], "C, A"),
            (loaded[0], "A"),
            (loaded[1], "There are 1,500 bars."),
        ]
    ]
    assert scores == [1.0, 0.0, 1.0]


def test_points_weigh_questions_in_a_metric_of_their_own(tmp_path: Path) -> None:
    """They stand in the records, their column in the signature; the interval is as wide as that of fewer questions."""
    rows = [
        {**MIXED[0], "id": f"{n}", "worth": n % 4 + 1, "answer": "AB"[n % 4 == 3]}
        for n in range(40)
    ]
    columns = {**COLUMNS, "points": "worth"}
    found = benchmark(path := write_own(tmp_path, rows, kind="choice", columns=columns))
    definition, loaded = own_rows(path)
    records = [record(definition, row, Response("B"), Context("offline")) for row in loaded]
    assert [answer.details["points"] for answer in records[:4]] == [1.0, 2.0, 3.0, 4.0]
    accuracy, points = (
        RecordSet(records, records).value(found.metric(name, None))
        for name in ("accuracy", "points")
    )
    assert (accuracy.value, points.value, points.n, points.scores) == (0.25, 0.4, 40, {})
    assert accuracy.interval is not None and points.interval is not None  # noqa: PT018
    assert points.interval[1] - points.interval[0] > accuracy.interval[1] - accuracy.interval[0]
    assert found.rows_of_table(None)[:2] == ["accuracy", "points"]
    assert found.signature(found.settings())["weights"] == "worth"
    with pytest.raises(DataError, match=r"row 1 \(id 0\): worth is 0.0, not a number above 0"):
        own_rows(write_own(tmp_path, [{**rows[0], "worth": 0}], kind="choice", columns=columns))


def test_a_long_answer_in_which_nothing_was_read_is_counted_apart(tmp_path: Path) -> None:
    """A short phrase is the answer that was asked for, and a number in a sentence is read."""
    definition, loaded = own_rows(write_own(tmp_path, MIXED[1:2]))
    long = "It is hard to tell from this picture what the bars are, as there are many of them."
    found = [
        record(definition, loaded[0], Response(text), Context("offline"))
        for text in (long, "many", f"{long} 1500")
    ]
    assert [answer.taken_whole for answer in found] == [True, False, False]
    assert [answer.scores["accuracy"] for answer in found] == [0.0, 0.0, 1.0]


def test_a_tolerance_and_units_are_a_match_of_the_yaml(tmp_path: Path) -> None:
    """The signature has both; a unit that is not known counts as unparsed."""
    pytest.importorskip("pint")
    values = [{**MIXED[1], "answer": "0.5 m"}]
    definition, loaded = own_rows(
        write_own(tmp_path, values, match={"tolerance": 0.05, "units": True})
    )
    found = [
        record(definition, loaded[0], Response(text), Context("offline"))
        for text in ("52 cm", "5 m", "18 blorps")
    ]
    assert [answer.scores["match"] for answer in found] == [1.0, 0.0, 0.0]
    assert [answer.taken_whole for answer in found] == [False, False, True]
    assert (
        metrics(definition)[0]
        .signature()["matcher"]
        .endswith("match of open answers 4 tolerance 0.05 units")
    )


@pytest.mark.parametrize(
    "values",
    [{"match": {}, "metrics": ["accuracy", "exact_match"]}, {"metrics": ["accuracy", "match"]}],
)
def test_a_match_needs_its_metric(values: dict[str, Any], tmp_path: Path) -> None:
    """And the metric the key, so that neither is without effect."""
    with pytest.raises(InputError, match="belong together"):
        own_rows(write_own(tmp_path, **values))


def test_other_pictures_are_another_signature(tmp_path: Path) -> None:
    """By their bytes, wherever they lie; without pictures nothing is known of them, which is no difference."""
    found = []
    for name in ("a", "b", "c"):
        path = write_own(tmp_path / name, name="shapes")
        if name == "c":
            (path.parent / "red.png").write_bytes((path.parent / "blue.png").read_bytes())
        definition, rows = own_rows(path)
        found.append(
            parse_signature(
                record(definition, rows[0], Response("B"), Context("offline")).signature
            )
        )
    assert found[0].images == found[1].images != found[2].images
    assert [line.partition(":")[0] for line in differing(found[0], found[2])] == ["images"]
    assert not differing(found[0], found[2].with_fields(images=""))
