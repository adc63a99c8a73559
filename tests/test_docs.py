"""The commands that the docs promise for the paper's tables and figures, on the demo data, and
what they quote.
"""

import re
import shlex
from pathlib import Path

import pytest
from answer_forms import as_run
from host_files import sample_of, write_run
from pages import DOCS, README, ROOT, blocks, commands, program, text_of, words

from spiqa_tasks.benchmarks.registry import Task, load_rows, rows_for_scoring
from spiqa_tasks.cli import command_of, main
from spiqa_tasks.hosts.catalogue import catalogue, find_tasks
from spiqa_tasks.published import items
from spiqa_tasks.runs.frame import COLUMNS
from spiqa_tasks.scoring.mcq import forms
from spiqa_tasks.utils.documents import doc_to_messages

LINES = [
    (path.name, line)
    for path in (README, *sorted(DOCS.glob("*.md")))
    for line in commands(path)
    if line.startswith("spiqa-tasks ")
]
"""Every command of the package that a page shows, with the page."""
TASKS = sorted(
    {name for item in items() if item.paper == "spiqa" and item.maker for name in item.tasks}
    | {"spiqa_testA_both", "spiqa_testA_cot_both", "spiqa_testA_perfigure_both"}
)
"""Tasks and groups that SPIQA's tables are made of, and those with the numbers of the released
scripts.
"""


def on_demo(task: Task) -> Task:
    """Return the task with the same settings on the demo data."""
    return find_tasks([re.sub(r"_test[ABC]|_train|_val", "_demo", task.name)])[0]


def write_demo_run(folder: Path, tasks: list[Task]) -> None:
    """A run with the beginning of the reference as every answer."""
    samples = {}
    for task in tasks:
        rows = load_rows("spiqa", "demo", task.settings_text)
        assert doc_to_messages(rows[0])[0]["role"] == "user"
        samples[task.name] = [
            sample_of(row, "Yes" if row["step"] == "helpful" else row["answer"][: 5 + place])
            for place, row in enumerate(rows)
        ]
    settings = {task.name: task.settings_text for task in tasks}
    write_run(folder, "m", samples, settings=settings, benchmark="spiqa")


@pytest.mark.parametrize("name", TASKS)
def test_every_task_of_a_table_is_scored_on_the_demo_data(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its first row has a prompt, and its answers a number."""
    tasks = list({task.name: task for task in map(on_demo, find_tasks([name]))}.values())
    write_demo_run(tmp_path, tasks)
    for task in tasks:
        assert (
            main(["score", task.name, *map(str, tmp_path.glob(f"*_samples_{task.name}.jsonl"))])
            == 0
        )
        assert re.search(r"rouge_l\w* +\d", capsys.readouterr().out)


def test_the_matchers_forms_are_quoted_as_they_are() -> None:
    """Those in docs/reference.md stand in the table."""
    shown = program("reference", "<SUBJECT>")
    table = Path(forms.__file__).read_text(encoding="utf-8")
    assert [line for line in shown.splitlines() if line.strip() not in table] == []


@pytest.mark.parametrize("line", [line for _, line in LINES])
def test_every_command_that_a_page_shows_is_one(line: str) -> None:
    """Its arguments are known."""
    _, command, *words = shlex.split(line)
    command_of(command)[1].parse_args(words)


def test_every_task_of_a_run_that_a_page_shows_is_one() -> None:
    """The names after `--tasks`, where they are tasks of ours."""
    for path in (README, *DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        own = set(re.findall(r"^task: (\w+)", text, re.MULTILINE))
        for names in re.findall(r"--tasks (\w[\w,]*)", text):
            find_tasks(
                {each for each in names.split(",") if re.match("spiqa_|mmstar_|scifibench_", each)}
                - own
            )


def test_ten_pages_are_short() -> None:
    """With README and CONTRIBUTING, at most 13,000 words."""
    pages = [README, ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md")]
    assert len(pages) == 1 + 10
    assert sum(map(words, pages)) <= 13_000


def test_lines_of_prose_have_at_most_100_characters() -> None:
    """Tables and blocks of code may be wider."""
    for path in (README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS.glob("*.md")):
        text = re.sub(
            r"```.*?```|<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        lines = [line for line in text.splitlines() if not line.startswith("|")]
        assert [line for line in lines if len(line) > 100] == [], path.name


PUBLIC = {
    "spiqa_tasks": {"L3Score", "load_samples", "value"},
    "spiqa_tasks.scoring.l3score": {"l3score"},
    "spiqa_tasks.scoring.mcq": {"extract_choice"},
    "spiqa_tasks.hosts.lmms_eval.registration": {"register_tasks"},
}
"""Module -> names that programs of users import."""


def test_programs_import_public_names_only() -> None:
    """Those of README and of all pages."""
    for path in (README, *DOCS.glob("*.md")):
        for block in blocks(path, "python"):
            for module, names in re.findall(r"^from (spiqa_tasks[\w.]*) import (.+)", block, re.M):
                assert set(names.split(", ")) <= PUBLIC.get(module, set()), (path.name, module)


def test_the_frame_is_documented_column_by_column() -> None:
    """The table of docs/reference.md has each column, in the order of the frame."""
    named = re.findall(r"^\| `(\w+)` \|", text_of("reference"), re.MULTILINE)
    start = named.index("run")
    assert tuple(named[start : start + len(COLUMNS)]) == COLUMNS


def test_every_metric_has_a_line() -> None:
    """The table of docs/reference.md names each metric of each task; those as released share a
    line.
    """
    table = text_of("reference")
    tasks, _ = catalogue()
    names = {
        name
        for task in tasks.values()
        for name in task.metric_names
        if not name.endswith("_released")
    }
    assert [
        name for name in names if f"| `{name}`" not in table and not name.startswith("bleu_")
    ] == []


def test_the_program_that_reads_a_runs_file_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one in docs/answers.md, on what `score --output` wrote: the mean of the records'
    scores is the value.
    """
    rows = rows_for_scoring("mmstar", "demo", "")
    as_run(
        tmp_path,
        "model",
        "mmstar_demo",
        rows,
        [row["answer"] if place % 3 else "E" for place, row in enumerate(rows)],
    )
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    exec(program("answers", "_results.json").replace("scored/", "scored/model/"), {})
    assert capsys.readouterr().out.split() == [str(2 / 3)] * 2


def test_contributing_names_files_and_what_is_in_them() -> None:
    """Each path is one of the project, and each name "in" a module occurs in it."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    text = text.replace("`spiqa/", "`benchmarks/spiqa/")
    folders = (ROOT, ROOT / "spiqa_tasks")

    paths = re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?)`", text)
    absent = {path for path in paths if not any((folder / path).exists() for folder in folders)}
    # one is built, and may be there or not; one stands for many
    assert absent - {"site/"} == {"published/PAPER_KEY.csv"}

    for names, path in re.findall(r"((?:`\w+`(?:, | and | or )?)+) in `((?:\w+/)+\w+\.py)`", text):
        (module,) = (folder / path for folder in folders if (folder / path).exists())
        content = module.read_text(encoding="utf-8")
        assert [name for name in re.findall(r"`(\w+)`", names) if name not in content] == [], path
