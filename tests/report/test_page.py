"""A report of runs: its sections, and the page and Markdown that are made of them.

`test_page_in_a_browser` looks at the page.
"""

import base64
import io
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from gain_files import rights, write_triple
from PIL import Image
from report_runs import choices, run_of, runs_at

from spiqa_tasks import extras
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.errors import MissingPartError
from spiqa_tasks.report import plots
from spiqa_tasks.report.page import (
    SIDES,
    Report,
    Section,
    as_html,
    build,
    facts,
    small_picture,
)
from spiqa_tasks.report.plots import Plot
from spiqa_tasks.report.printer import Table
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Reported, Run

LARGE = SIDES["large"]
TABLE = Table(
    [{"run": "a", "n": 1}, {"run": "b|c", "n": 20, "source": "published, Table 5"}],
    ["run", "n"],
    "Scores",
    ["A note. " * 30],
)
SPIQA = "data:spiqa/testA@d|settings:setting=direct"
DEMO = "data:mmstar/demo@d|prompt:p|settings:prompt=letter"


def section(report: Report, title: str) -> Section:
    """Return the only section with a title."""
    (found,) = (each for each in report.sections if each.title == title)
    return found


def run_with(right: int, model: str, task: str = "t", of: int = 100) -> Run:
    """Return a run with `right` right answers of `of`."""
    return run_of(choices([place < right for place in range(of)]), model, task)


def l3scores(judge: str, *scores: float) -> Run:
    """A run of SPIQA's test-A with L3Scores of a judge, or without scores."""
    records = [
        Record(
            f"q{place}",
            "a blue line",
            "a line",
            scores={"l3score": score},
            groups={"figure_type": "plot"},
            verdicts=({"metric": "l3score", "score": score, "model": judge},),
        )
        for place, score in enumerate(scores)
    ]
    signature = f"{SPIQA}|judge:{judge}" if judge else SPIQA
    groups = {"figure_type": "plot"}
    unscored = [Record("q", "a blue line", "a line", scores={"rouge_l": 1.0}, groups=groups)]
    return run_of(records or unscored, "m", "spiqa_testA", signature)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the drawing of plots; title -> (series, ...) that would be drawn."""
    calls: dict[str, Any] = {}

    def record(title: str, *values: Any, **options: Any) -> Plot:
        calls[title] = (*values, *([options] if options else []))
        return Plot(title, [], {}, "", {})

    monkeypatch.setattr(plots, "intervals", record)
    return calls


@pytest.mark.usefixtures("drawn")
def test_models_are_ranked_on_each_task() -> None:
    """The best first, with Wilson's interval and n; a withheld one is last."""
    withheld = replace(run_with(2, "d", of=4), asked=9)
    runs = [
        withheld,
        run_with(3, "a", of=4),
        run_with(4, "b", of=4),
        run_with(3, "c", of=4),
        run_with(0, "b", "u", of=4),
    ]
    report = build(runs)
    assert report.title == "4 models on 2 tasks"
    (table,) = report.sections[0].tables
    assert table.grid.heads == ["task", "model", "metric", "x 100", "n", "questions"]
    assert table.grid.rows == [
        ["t", "b", "accuracy", "100.0 [51.0, 100.0]", "4", ""],
        ["t", "a", "accuracy", "75.0 [30.1, 95.4]", "4", ""],
        ["t", "c", "accuracy", "75.0 [30.1, 95.4]", "4", ""],
        ["t", "d", "accuracy", "-", "4", "4 of 9"],
        ["u", "b", "accuracy", "0.0 [0.0, 49.0]", "4", ""],
    ]


@pytest.mark.usefixtures("drawn")
def test_every_table_has_the_best_run_of_a_task_first() -> None:
    """Also if the runs were read in another order."""
    runs = [
        run_of(choices([right]), name, "t", DEMO) for name, right in (("a", False), ("b", True))
    ]
    report = build(runs)
    tables = [table for each in report.sections for table in each.tables]
    of_pairs = ("Paired differences", "Scores of the pairs")
    of_runs = [table.grid for table in tables if table.title not in of_pairs]
    models = [{"a", "b"}.intersection(row).pop() for grid in of_runs for row in grid.rows]
    assert models == ["b", "a"] * len(of_runs)


@pytest.mark.usefixtures("drawn")
def test_without_a_judge_the_overview_says_that_l3score_is_missing() -> None:
    """No text metric stands in its place, also by group; a run with a judge has its score."""
    overview, task, *_ = build([l3scores("")]).sections
    assert [table.title for table in task.tables] == ["Scores x 100, with 95% intervals"]
    assert overview.tables[0].grid.rows == [["spiqa_testA", "m", "l3score", "-", "0"]]
    (sentence,) = overview.notes
    assert sentence.startswith("spiqa_testA of m: l3score is missing, no judge was asked.")
    assert build([l3scores("x", 0.5)]).sections[0].notes == []


@pytest.mark.usefixtures("drawn")
def test_a_model_that_two_judges_scored_is_one_model() -> None:
    """The head and the title count models; the tables name the runs."""
    runs = [replace(l3scores(judge, 0.5), label=f"m (judge {judge})") for judge in ("x", "y")]
    report = build(runs)
    assert (report.title, report.head["models"]) == ("1 model on 1 task", ["m"])
    assert {row[1] for row in report.sections[0].tables[0].grid.rows} == {run.name for run in runs}


@pytest.mark.usefixtures("drawn")
def test_the_demo_judge_is_named_as_one() -> None:
    """Its scores count common words."""
    (sentence,) = build([l3scores("openai:demo-overlap", 0.5)]).sections[0].notes
    assert sentence.endswith("its L3Scores are no results.")


@pytest.mark.usefixtures("drawn")
def test_one_sentence_says_how_many_pairs_differ_significantly() -> None:
    """With corrected p-values: 30 points do at 100 questions, one does not; only tasks with such
    pairs are named.
    """
    runs = [run_with(40, "a"), run_with(70, "b"), run_with(41, "c")]
    alike = [run_with(5, "d", "u"), run_with(6, "e", "u")]
    sentence = (
        "In {} pairs of runs the difference is larger than chance explains (p < 0.05, corrected for"
        " the number of pairs){}."
    )
    notes = build([*runs, *alike]).sections[0].notes
    assert notes == [sentence.format("2 of 4", ": 2 of 3 on t")]
    assert build(alike).sections[0].notes == [sentence.format("0 of 1", "")]


def test_the_top_says_that_ranked_runs_do_not_compare(tmp_path: Path) -> None:
    """Two files without a task are of one task by its name, with questions of their own."""
    for name in ("a", "b"):
        row = {"id": name, "options": ["red", "blue"], "answer": "B", "prediction": "B"}
        (tmp_path / f"{name}.json").write_text(json.dumps([row]))
    runs, _ = load_runs([RunPath(tmp_path / "a.json"), RunPath(tmp_path / "b.json")])
    report = build(runs, ["A note."])
    fault = "choices: b is not compared with a: they share no question."
    assert report.notes == ["A note.", fault]


def test_the_top_names_a_run_without_a_value_once() -> None:
    """Its note says that it is withheld; the section of comparisons says that it is left out."""
    runs = [replace(run_with(2, name, of=4), asked=9) for name in "ab"]
    report = build(runs, ["t of a: 4 of 9 questions were answered.", "t of b: the same."])
    assert len(report.notes) == 2
    assert len(section(report, "Comparison of runs").notes) == 2


def test_a_plot_has_at_least_two_rows() -> None:
    """Withheld values have none; a single group is the whole task, and a run alone is its row."""
    two = [*choices([True, False], "math"), *renamed(choices([True, True], "logical_reasoning"))]
    (plot,) = section(build([run_of(two, "a", "t")]), "t (mmstar, val)").plots
    assert plot.title == "accuracy by category, x 100"
    withheld = build([replace(run_of(two, "a", "t", DEMO), asked=9)])
    single = build([run_of(choices([True, False]), "a", "t", DEMO)])
    assert [part.plots for part in (*withheld.sections, *single.sections) if part.plots] == []


def test_published_rows_have_their_colour_beside_withheld_ones() -> None:
    """The run is not in the legend then."""
    run = run_with(50, "mine", "mmstar_filtered")
    whole, part = (build([each]).sections[0].plots[0] for each in (run, replace(run, asked=1500)))
    assert (list(whole.series), list(part.series)) == (
        ["measured", "published", "reported"],
        ["published", "reported"],
    )
    assert [part.colours[name] for name in part.series] == [1, 2]


def test_a_tasks_runs_are_drawn_beside_published_and_reported_rows(drawn: dict[str, Any]) -> None:
    """Each kind is a series, with its judge."""
    build([run_with(50, "mine", "mmstar_filtered")])
    kinds, axis = drawn["accuracy on mmstar_filtered"]
    assert axis == "accuracy x 100"
    sizes = {label: len(points) for label, points in kinds.items()}
    assert sizes == {"measured": 1, "published": 16, "reported": 8}
    assert kinds["published"]["GeminiPro-Vision (Table 5)"] == (0.426, None, None)
    reported = kinds["reported"]["InternVL3.5-241B-A28B, by a user"]
    assert reported[0] == pytest.approx(0.7376)

    build([l3scores("hf:local", 0.5)])
    kinds, _ = drawn["l3score on spiqa_testA"]
    judges = ["published, judge GPT-4o", "reported, judge GPT-4o"]
    assert list(kinds) == ["measured, judge hf:local", *judges]


@pytest.mark.usefixtures("drawn")
def test_a_task_has_every_metric_beside_its_papers_rows() -> None:
    """Sources and judges are told; reported rows have their addresses below."""
    mmstar = section(
        build([run_with(1, "mine", "mmstar_filtered")]), "mmstar_filtered (mmstar, val)"
    )
    scores, *_ = mmstar.tables
    assert scores.grid.heads == ["model", "source", "accuracy", "accuracy_released"]
    assert scores.grid.rows[0][:2] == ["mine", "measured"]
    assert len(scores.grid.rows) == 1 + 16 + 8
    assert "https://github.com/EvolvingLMMs-Lab/lmms-eval/pull/922" in scores.notes[-1]

    runs = [l3scores("openai:gpt-4o-mini", 0.2, 0.4)]
    scores, *_ = section(build(runs), "spiqa_testA (spiqa, testA)").tables
    assert scores.grid.heads[:4] == ["model", "source", "judge", "l3score"]
    assert scores.grid.rows[0][:4] == ["m", "measured", "openai:gpt-4o-mini", "30.0 [0.2, 99.0]"]
    assert {row[2] for row in scores.grid.rows[1:]} == {""}
    assert scores.notes[0].startswith("Judges: openai:gpt-4o-mini, GPT-4o.")


def test_groups_are_told_and_drawn_by_kind(drawn: dict[str, Any]) -> None:
    """A dot per run and group where it has a value, in the run's colour, which it keeps; detailed
    axes are left out; each group has its n.
    """
    mixed = [*choices([True, False], "math"), *renamed(choices([True, True], "logical_reasoning"))]
    mixed = [replace(each, groups={**each.groups, "subcategory": "x"}) for each in mixed]
    runs = [run_of(choices([True]), "a", "u"), run_of(mixed, "b", "t"), run_of(mixed, "a", "t")]
    report = build(runs)
    series, axis = drawn["accuracy by category, x 100"]
    assert axis == "accuracy x 100"
    assert list(series) == ["a", "b"]
    value, *ends = series["b"]["math"]
    assert (value, [round(end, 3) for end in ends]) == (0.5, [0.095, 0.905])
    assert list(series["b"]) == ["logical_reasoning", "math"]

    _, groups = section(report, "t (mmstar, val)").tables
    assert groups.grid.heads[2:] == ["logical_reasoning (n=2)", "math (n=2)"]
    assert [cell.split()[0] for cell in groups.grid.rows[0][2:]] == ["100.0", "50.0"]
    (line,) = (row for row in groups.grid.rows if row[0] == "GeminiPro-Vision")
    assert line[1] == "published, Table 5"
    assert groups.notes == []


def test_groups_of_two_columns_with_one_name_are_told_apart(drawn: dict[str, Any]) -> None:
    """Each table has the values of its own column."""
    rights = choices([True, False, True, False])
    kinds = [("yes", "no"), ("yes", "yes"), ("no", "yes"), ("no", "no")]
    records = [
        replace(record, groups={"category": first, "subject": second})
        for record, (first, second) in zip(rights, kinds, strict=True)
    ]
    records[0] = replace(records[0], scores={"accuracy": 0.0})
    build([run_of(records, task="t")])
    for column, expected in {
        "category": {"no": 0.5, "yes": 0.0},
        "subject": {"no": 0, "yes": 0.5},
    }.items():
        series, *_ = drawn[f"accuracy by {column}, x 100"]
        assert {group: point[0] for group, point in series["m"].items()} == expected


@pytest.mark.usefixtures("drawn")
def test_figure_types_of_the_paper_are_named_as_such() -> None:
    """With how it makes its type `other`."""
    run = l3scores("x", 0.2)
    groups = {"figure_type_released": "released_other"}
    records = [replace(record, groups=groups) for record in run.records]
    report = build([run_of(records, "m", "spiqa_testA", f"{SPIQA}|judge:x")])
    *_, table = section(report, "spiqa_testA (spiqa, testA)").tables
    assert table.title == (
        "l3score by figure type as in the paper's Table 4 (any label with a capital Schematic or "
        "Plot is other), x 100"
    )


@pytest.mark.usefixtures("drawn")
def test_a_group_without_a_value_or_an_interval_says_why() -> None:
    """A failed request withholds a group of one; SPIQA's intervals need several papers."""
    failed = Record("z", status="request_failed", groups={"category": "math"})
    runs = [run_of([*choices([True] * 200, "logical_reasoning"), failed], "a", "t")]
    _, groups = section(build(runs), "t (mmstar, val)").tables
    assert groups.grid.rows[0][-1].startswith("-")
    assert groups.notes == [
        "A dash: fewer than 99% of the questions of the task or of the group have a score."
    ]

    run = l3scores("x", 0.2, 0.4)
    records = [replace(record, cluster="p") for record in run.records]
    of_one_paper = run_of(records, "m", "spiqa_testA", f"{SPIQA}|judge:x")
    _, groups = section(build([of_one_paper]), "spiqa_testA (spiqa, testA)").tables
    assert groups.notes[-1].startswith("No interval: too few papers")


@pytest.mark.usefixtures("drawn")
def test_the_size_of_a_group_is_its_own_in_a_part_of_a_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the demo's 24 questions in six categories each has four, beside a whole run or not; it has
    no size if the answers do not say how many questions it has.
    """
    monkeypatch.chdir(tmp_path)
    rows = rows_for_scoring("mmstar", "demo", "")
    for name, answered in (("whole", rows), ("half", rows[:12])):
        lines = [json.dumps({"id": row["id"], "prediction": row["answer"]}) for row in answered]
        Path(f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    whole, half = (
        run
        for name in ("whole", "half")
        for run in load_runs([RunPath(Path(f"{name}.jsonl"), "mmstar_demo")])[0]
    )
    assert set(Counter(row["category"] for row in rows).values()) == {4}
    for runs, shown in (([half], rows[:12]), ([half, whole], rows)):
        *_, table = section(build(runs), "mmstar_demo (mmstar, demo)").tables
        assert len(table.grid.heads) == 2 + len({row["category"] for row in shown})
        assert {head.partition(" ")[2] for head in table.grid.heads[2:]} == {"(n=4)"}
        assert {row[2] for row in table.grid.rows if row[0] == "half"} == {"-"}

    unsized = replace(half, reported=Reported())
    scores, *_, table = section(build([unsized]), "mmstar_demo (mmstar, demo)").tables
    assert scores.grid.heads[2] == "accuracy (12 of 24)"
    assert table.grid.heads[2] == "coarse_perception (n=4)"
    assert table.grid.rows[0][2] == "-"


def renamed(records: list[Record]) -> list[Record]:
    """Return the records with other ids."""
    return [replace(record, id=f"r{record.id}") for record in records]


def test_differences_are_drawn_task_by_task(drawn: dict[str, Any]) -> None:
    """One row for each pair of runs, around the line of no difference."""
    a = run_of(choices([True, False, False]), "a", "t")
    b = run_of(choices([True, True, True]), "b", "t")
    others = [run_of(choices([True, False]), name, "u") for name in "ab"]
    found = section(build([a, b, *others]), "Comparison of runs")
    titles = ["Differences in accuracy, t", "Differences in accuracy, u"]
    assert [plot.title for plot in found.plots] == titles
    series, axis = drawn[titles[0]]
    points = series.pop("difference")
    assert (axis, series, [*points]) == ("difference x 100", {}, ["b - a"])
    value, low, high = points["b - a"]
    assert value == pytest.approx(2 / 3)
    assert low < value < high
    table, _ = found.tables
    assert table.title == "Paired differences"
    assert [row[0] for row in table.grid.rows] == ["t", "u"]


@pytest.mark.usefixtures("drawn")
def test_of_many_runs_each_is_compared_with_the_best() -> None:
    """11 of 66 pairs, corrected together, and a sentence says so."""
    found = section(
        build([run_with(right, f"m{right}", of=30) for right in range(10, 22)]),
        "Comparison of runs",
    )
    table, _ = found.tables
    pairs = {(row["a"], row["b"]) for row in table.records}
    assert pairs == {("m21", f"m{right}") for right in range(10, 21)}
    (note,) = found.notes
    assert note.startswith("t: each run against the best one, m21")
    smallest = min(table.records, key=lambda row: float(row["difference"]["p"]))
    assert smallest["p_corrected"] == pytest.approx(11 * smallest["difference"]["p"])


@pytest.mark.usefixtures("drawn")
def test_gain_and_leakage_have_a_section(tmp_path: Path) -> None:
    """Problems stand above the table, and runs with pictures alone have none."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    runs = runs_at(tmp_path)
    gain, leakage = (table.grid for table in section(build(runs), "Gain and leakage").tables)
    cells = zip(gain.heads + leakage.heads, gain.rows[0] + leakage.rows[0], strict=True)
    first = dict(cells)
    assert (first["S_v"], first["S_wv"], first["S_t"]) == ("100.0", "50.0", "25.0")
    assert first["MG"].startswith("50.0 [")
    assert first["ML"].startswith("25.0 [")
    assert "Gain and leakage" not in {each.title for each in build(runs[:1]).sections}

    alone = [replace(runs[0], identity=Identity("m", "text"))]
    assert len(section(build(alone), "Gain and leakage").notes) == 1


@pytest.mark.usefixtures("drawn")
def test_coverage_and_signatures_end_the_report() -> None:
    """Counts by status for each run, and every signature."""
    failed = Record("z", status="request_failed", reason="timeout")
    runs = [run_of(choices([True, True]), "a", "t"), run_of([*choices([True]), failed], "b", "t")]
    *_, coverage, signatures = build(runs).sections
    assert (coverage.title, signatures.title) == ("Coverage", "Signatures")
    grid = coverage.tables[0].grid
    assert [row[grid.heads.index("request failed")] for row in grid.rows] == ["0", "1"]
    rows = [["t", run.name, run.signature.text] for run in runs]
    assert signatures.tables[0].grid.rows == rows


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine 13 hours behind Singapore, whose time names lmms-eval's files."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("new_york")
def test_facts_are_told_in_full(tmp_path: Path) -> None:
    """Each model and task, days in the reader's zone, and judges. When a file was written that
    names no time says nothing.
    """
    paths = [tmp_path / f"2026010{day}_000000_results.json" for day in (1, 3)]
    answers = tmp_path / "b.jsonl"
    answers.touch()
    signature = "data:mmstar/val@d|settings:prompt=letter|judge:x"
    run = run_of(choices([True]), "a", "t", signature)
    first = replace(run, path=paths[0], asked=2)
    second = replace(first, task="u", path=paths[1])
    other = replace(first, identity=Identity("b"), form="jsonl", path=answers)
    assert facts([first, second, other]) == {
        "models": ["a", "b"],
        "tasks": ["t: 1 of 2 questions", "u: 1 of 2 questions"],
        "answered on": ["2025-12-31 (EST)", "2026-01-02 (EST)"],
        "judges": ["x"],
    }


def scripts(page: str) -> list[str]:
    """Return the contents of the page's script elements."""
    return re.findall(r"<script[^>]*>(.*?)</script>", page, flags=re.DOTALL)


def test_the_page_holds_all_that_it_needs(two_runs: Path) -> None:
    """Its style, its scripts, the samples as JSON, their number, the pictures and the version."""
    runs = [run for run in runs_at(two_runs) if run.task == "scifibench_demo"]
    page = as_html(build(runs), "small")
    files = resources.files("spiqa_tasks.report").joinpath("templates")
    style, *code = (
        files.joinpath(name).read_text(encoding="utf-8").rstrip()
        for name in ("page.css", "tables.js", "samples.js")
    )
    assert f"<style>{style}</style>" in page
    data, *pictures, last = scripts(page)
    assert last == "".join(code)
    samples = json.loads(data)["samples"]
    assert f"{len(samples)} samples</span>" in page
    shown = {figure[0] for sample in samples for figure in sample["figures"]}
    assert shown == set(range(len(pictures)))
    sides = [max(Image.open(io.BytesIO(base64.b64decode(text))).size) for text in pictures]
    assert max(sides) == 320
    assert f"<footer>spiqa-tasks {version('spiqa-tasks')}</footer>" in page
    assert len(scripts(as_html(build(runs), "none"))) == 2


def test_a_table_of_the_page_tells_what_is_published() -> None:
    """Rows have their kind; columns of numbers are marked, and no block of the template leaves a
    blank line.
    """
    page = as_html(Report("T", ["left <out>"], [Section("S", ["why"], [TABLE])], ()), "none")
    rows = re.search(r"<tbody>\n(.*?)</tbody>", page, flags=re.DOTALL)
    assert rows is not None
    assert rows[1].splitlines() == [
        (
            '<tr class="measured"><td data-head="run" class="left">a</td><td data-head="n"'
            ' class="right">1</td></tr>'
        ),
        (
            '<tr class="published"><td data-head="run" class="left">b|c</td><td data-head="n"'
            ' class="right">20</td></tr>'
        ),
    ]
    assert '<p class="note">left &lt;out&gt;</p>\n' in page
    assert "\n\n" not in page[page.index("<body>") : page.index("<main>")]
    assert len(scripts(page)) == 1


def test_without_jinja_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, before anything is read."""
    monkeypatch.setattr(extras, "_missing", lambda _: ["jinja2"])
    with pytest.raises(MissingPartError, match=r"^A report's page needs jinja2\. .*\[report\]"):
        as_html(Report("T", (), (), ()), "none")


def opened(text: str) -> Image.Image:
    """Return the picture that a page has as text."""
    image = Image.open(io.BytesIO(base64.b64decode(text, validate=True)))
    assert image.format == "WEBP"
    return image


@pytest.mark.parametrize(
    ("size", "shown"),
    [((4000, 2000), (LARGE, LARGE // 2)), ((600, 2400), (LARGE // 4, LARGE)), ((40, 30), (40, 30))],
)
def test_the_longest_side_is_bounded(
    tmp_path: Path, size: tuple[int, int], shown: tuple[int, int]
) -> None:
    """The shape stays, and a small picture is not made larger."""
    path = tmp_path / "p.jpg"
    Image.new("RGB", size, (200, 30, 30)).save(path)
    thumbnail = opened(small_picture(str(path), LARGE))
    assert thumbnail.size == shown
    assert thumbnail.convert("RGB").getpixel((5, 5)) == pytest.approx((200, 30, 30), abs=8)


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    """A missing and a broken picture are empty texts."""
    (tmp_path / "broken.png").write_bytes(b"no picture")
    assert [
        small_picture(str(tmp_path / f"{name}.png"), LARGE) for name in ("missing", "broken")
    ] == ["", ""]
