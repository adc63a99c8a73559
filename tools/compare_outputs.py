"""Record what some hundred commands print, and compare it with what they print after a change.

`python tools/compare_outputs.py record FOLDER` makes the inputs, runs the host (unless FOLDER has
its runs) and every command, and keeps what they print and write.

`python tools/compare_outputs.py compare FOLDER` runs the commands again on the same inputs with the
code that this Python imports, prints what differs, and exits with 1 on a difference. With `--host`
the host answers again, too, and the values in its results are compared.
"""

import argparse
import difflib
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TOOLS = Path(__file__).resolve().parent
REPOSITORY = TOOLS.parent

RENAMED: dict[str, str] = {
    "questions missing or doubled": "questions missing",  # no file counts a question twice
}
"""Key of a JSON object, or column of a CSV, as it was recorded -> as it is called now."""

IGNORED = frozenset({"took", "corrected", "signature", "warnings"})
"""Keys, as they are called now, whose values are not compared.

`took` is seconds; `corrected` (for chance) is a column that is gone; a signature has the version;
warnings are sentences, which change.
"""

MASKS = {
    r".*\d%\|.*(it/s|s/it)\].*\n?": "",
    r"spiqa-tasks: .* \.\.\.( [\d:]+)?\n": "",
    r"(?m)^\s*\n": "",
    r"127\.0\.0\.1:\d+": "JUDGE",
    r"\b\d{8}_\d{6}": "DATE",
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?": "DATE",
    r"\d+ judged, \d+ from the cache": "JUDGED",
    r"\b\d+(\.\d+)? (s|ms|seconds|minutes)\b": "DURATION",
}
"""Pattern -> replacement of texts that differ from run to run: progress, addresses, times."""

TOLERANCE = 1e-9
"""Relative and absolute: sums may be taken in another order."""

SHOWN = 20
"""Lines of a difference that are printed; all of them with --all."""

WORKERS = 4
"""Commands at a time: most of a command's time is spent on imports and on the judge."""

HOST = {
    "frequent": (
        "frequent_choice mmstar_demo,mmstar_demo_text,mmstar_demo_grey,mmstar_demo_llm,SCIFIBENCH"
    ),
    "random": (
        "random_choice mmstar_demo,mmstar_demo_text,mmstar_demo_grey,mmstar_demo_llm,SCIFIBENCH"
    ),
    "orders": "random_choice ORDERS",
    "captions": "caption_retrieval spiqa_demo,SPIQA",
    "ocr": (
        "ocr_baseline spiqa_demo,spiqa_demo_cot,spiqa_demo_captiononly,mmstar_demo,scifibench_demo"
    ),
}
"""Folder of a run of lmms-eval -> its model and tasks. Names in capitals are keys of `GROUPS`."""
GROUPS = {
    "ORDERS": (
        "scifibench_demo_fig2cap,scifibench_demo_fig2cap_shuffle1,"
        "scifibench_demo_fig2cap_2shot_similar,scifibench_demo_fig2cap_marked_correct,"
        "scifibench_demo_fig2cap_marked_correct_ignore,scifibench_demo_fig2cap_marked_incorrect,"
        "scifibench_demo_fig2cap_marked_incorrect_ignore"
    ),
    "SCIFIBENCH": (
        "scifibench_demo,scifibench_demo_text,scifibench_demo_fig2cap_random,"
        "scifibench_demo_cap2fig_random,scifibench_demo_reasoning,scifibench_demo_fig2cap_ocr,"
        "scifibench_demo_fig2cap_shuffle1,scifibench_demo_fig2cap_2shot_similar,"
        "scifibench_demo_fig2cap_marked_correct,scifibench_demo_fig2cap_marked_correct_ignore,"
        "scifibench_demo_fig2cap_marked_incorrect,scifibench_demo_fig2cap_marked_incorrect_ignore"
    ),
    "SPIQA": (
        "spiqa_demo_cot,spiqa_demo_fullpaper,spiqa_demo_nocaption,spiqa_demo_captiononly,"
        "spiqa_demo_text,spiqa_demo_grey,spiqa_demo_perfigure,spiqa_demo_224px"
    ),
}

FUNCTIONS = ("demo_prompts", "real_prompts", "letters", "intervals", "text_metrics", "l3score")
"""Functions of tools/output_probes.py, each of which is a command."""

# METEOR takes 10 seconds of a processor for each command: `score_spiqa` alone has it.
COMMANDS = {
    "list": "list --json",
    "doctor_help": "--help",
    # score: lines of id and prediction
    "score_spiqa": "score spiqa_demo {inputs}/spiqa_1.jsonl --json",
    "score_spiqa_no_judge": (
        "score spiqa_demo {inputs}/spiqa_1.jsonl --judge none --metrics rouge_l,cider --json"
    ),
    "score_spiqa_sampled": (
        "score spiqa_demo {inputs}/spiqa_1.jsonl --rule sampled --metrics l3score_sampled --json"
    ),
    "score_spiqa_paper_prompt": (
        "score spiqa_demo {inputs}/spiqa_1.jsonl --judge-prompt paper --metrics l3score --json"
    ),
    "score_spiqa_metrics": (
        "score spiqa_demo {inputs}/spiqa_1.jsonl --metrics rouge_l,bleu_1 --json"
    ),
    "score_spiqa_cot": (
        "score spiqa_demo_cot {inputs}/spiqa_cot.jsonl --metrics l3score,retrieval_accuracy --json"
    ),
    "score_spiqa_output": (
        "score spiqa_demo {inputs}/spiqa_1.jsonl --output {out} --metrics l3score,rouge_l --json"
    ),
    "score_spiqa_dry_run": "score spiqa_demo {inputs}/spiqa_1.jsonl --dry-run --json",
    "score_mmstar": "score mmstar_demo {inputs}/mmstar_1.jsonl --json",
    "score_mmstar_output": "score mmstar_demo {inputs}/mmstar_1.jsonl --output {out} --json",
    "score_mmstar_two": "score mmstar_demo {inputs}/mmstar_1.jsonl {inputs}/mmstar_2.jsonl --json",
    "score_mmstar_partial": "score mmstar_demo {inputs}/mmstar_part.jsonl --partial --json",
    "score_mmstar_withheld": "score mmstar_demo {inputs}/mmstar_part.jsonl --json",
    "score_mmstar_ids": "score mmstar_demo {inputs}/mmstar_1.jsonl --ids {inputs}/ids.txt --json",
    "score_mmstar_table": "score mmstar_demo {inputs}/mmstar_1.tsv --json",
    "score_scifibench": "score scifibench_demo_fig2cap {inputs}/scifibench_fig2cap_1.jsonl --json",
    "score_scifibench_cap2fig": (
        "score scifibench_demo_cap2fig {inputs}/scifibench_cap2fig_1.jsonl --json"
    ),
    "score_open_answers": "score {inputs}/open.jsonl --metrics l3score --json",
    # score: runs of the host
    "score_run_mmstar": "score {host}/random --task mmstar_demo --json",
    "score_run_spiqa": "score {host}/captions --task spiqa_demo --metrics l3score,bleu_4 --json",
    "score_run_cot": (
        "score {host}/ocr --task spiqa_demo_cot --metrics l3score,retrieval_accuracy --json"
    ),
    "score_run_perfigure": (
        "score {host}/captions --task spiqa_demo_perfigure --metrics l3score --json"
    ),
    # score --by
    "by_group_spiqa": "score {host}/captions --task spiqa_demo --by group --partial --json",
    "by_group_mmstar": "score {host}/random --task mmstar_demo --by group --partial --json",
    "by_group_scifibench": "score {host}/random --task scifibench_demo --by group --partial --json",
    "by_source_mmstar": "score {host}/random --task mmstar_demo --by source --partial --json",
    "by_group_jsonl": "score spiqa_demo {inputs}/spiqa_1.jsonl --by group --metrics l3score --json",
    "by_group_metric": (
        "score {host}/captions --task spiqa_demo --by group --metrics rouge_l --json"
    ),
    # score: real annotations
    "real_spiqa_testA": (
        "score spiqa_testA {inputs}/real_spiqa_testA.jsonl --judge none --metrics "
        "bleu_1,bleu_4,rouge_l,cider --json"
    ),
    "real_spiqa_testA_judged": (
        "score spiqa_testA {inputs}/real_spiqa_testA.jsonl --metrics l3score --json"
    ),
    "real_spiqa_testA_by_group": (
        "score spiqa_testA {inputs}/real_spiqa_testA.jsonl --by group --metrics l3score --json"
    ),
    "real_spiqa_testB": (
        "score spiqa_testB {inputs}/real_spiqa_testB.jsonl --metrics l3score --partial --json"
    ),
    "real_mmstar": "score mmstar_filtered {inputs}/real_mmstar.jsonl --partial --json",
    "real_mmstar_by_group": (
        "score mmstar_filtered {inputs}/real_mmstar.jsonl --by group --partial --json"
    ),
    "real_mmstar_table": "score mmstar_filtered {inputs}/real_mmstar_table.tsv --partial --json",
    "real_scifibench": (
        "score scifibench_cs_fig2cap {inputs}/real_scifibench.jsonl --partial --json"
    ),
    # choices
    "choices": "choices {inputs}/choices.jsonl --json",
    "choices_csv": "choices {inputs}/choices.jsonl --format csv",
    # compare
    "compare_mmstar": "compare {host}/random {host}/frequent --task mmstar_demo --json",
    "compare_baseline": (
        "compare {host}/random {host}/frequent {host}/ocr --task mmstar_demo --baseline "
        "frequent_choice --json"
    ),
    "compare_spiqa": "compare {host}/captions {host}/ocr --task spiqa_demo --json",
    "compare_metric": (
        "compare {host}/captions {host}/ocr --task spiqa_demo --metric rouge_l --json"
    ),
    "compare_scifibench": "compare {host}/random {host}/frequent --task scifibench_demo --json",
    "compare_jsonl": (
        "compare mmstar_demo={inputs}/mmstar_1.jsonl mmstar_demo={inputs}/mmstar_2.jsonl --json"
    ),
    "why": "compare {host}/random {host}/frequent --task mmstar_demo --why --json",
    "why_metrics": (
        "compare {host}/random --task mmstar_demo --why --metric accuracy,accuracy_lmms_eval --json"
    ),
    # gain
    "gain": "gain {host}/random --task mmstar_demo --json",
    "gain_two_models": "gain {host}/frequent {host}/random --task mmstar_demo --json",
    "gain_metric": "gain {host}/random --task mmstar_demo --metric accuracy_released --json",
    "gain_scifibench": "gain {host}/frequent {host}/random --task scifibench_demo --json",
    "gain_spiqa": "gain {host}/captions --task spiqa_demo --json",
    # filter
    "filter": "filter {host}/frequent {host}/random --task mmstar_demo --json",
    "filter_hits": ("filter {host}/frequent {host}/random --task mmstar_demo --max-hits 0 --json"),
    "filter_write": (
        "filter {host}/frequent {host}/random --task mmstar_demo --write --name kept_demo --json"
    ),
    "filter_difficulty": (
        "filter {host}/frequent {host}/random --lvlm {host}/frequent {host}/random "
        "--task mmstar_demo --json"
    ),
    "filter_pair": (
        "filter {host}/frequent {host}/random --task mmstar_demo "
        "--pair {host}/random {host}/frequent --json"
    ),
    # report and export
    "report": (
        "report {host}/random {host}/frequent {host}/captions {host}/ocr --pictures none "
        "--html {out}/report.html"
    ),
    "export_captions": (
        "export spiqa_testB --settings setting=captiononly --output {out}/testB.jsonl"
    ),
    # calibrate
    "calibrate": "calibrate {inputs}/labels.jsonl --judge openai:demo-overlap --json",
    "calibrate_evouna": "calibrate {inputs}/evouna.json --judge openai:demo-overlap --json",
    # what cannot be done
    "error_no_task": "score no_such_task {inputs}/mmstar_1.jsonl",
    "error_no_file": "score mmstar_demo {inputs}/no_such_file.jsonl",
    "error_wrong_ids": "score scifibench_demo_fig2cap {inputs}/spiqa_1.jsonl",
}
"""Name -> arguments of `spiqa-tasks`. Files that a command writes in {out} are compared, too."""

PAPER = {
    "spiqa": {
        "table3": "{host}/captions {host}/ocr",
        "table5": "{host}/captions {host}/ocr",
        "table6": "{host}/captions {host}/ocr",
        "figure3": "{host}/captions",
        "table7": "{host}/ocr",
        "table8": "{host}/captions {host}/ocr",
        "tableB1": "{host}/captions {host}/ocr",
        "figureB1": "{host}/captions",
        "tableB2": "{host}/captions",
        "tableE1": "{host}/captions {host}/ocr",
        "tableE2": "{host}/captions {host}/ocr",
    },
    "mmstar": {
        "table1": "{host}/frequent {host}/random",
        "table2": "{host}/frequent {host}/random",
        "table3": "{host}/frequent {host}/random",
        "table4": "{host}/frequent {host}/random",
        "table5": "{host}/random",
        "table6": "{host}/frequent {host}/random",
        "table7": "{host}/random",
    },
    "scifibench": {
        "table2": "{host}/frequent {host}/random",
        "section4.2": "{host}/orders",
        "section4.4": "{host}/random",
        "figure7": "{host}/random",
        "figure10": "{host}/orders",
        "table4": "{host}/random",
        "figure12": "{host}/random",
        "table5": "{host}/random",
    },
}
"""Paper -> table or figure -> the runs that it is made from."""


def all_commands() -> dict[str, list[str]]:
    """Return name -> arguments of this Python, with their placeholders."""
    commands = {
        f"function_{name}": [str(TOOLS / "output_probes.py"), name, "{folder}"]
        for name in FUNCTIONS
    }
    for name, text in COMMANDS.items():
        commands[name] = ["-m", "spiqa_tasks", *shlex.split(text)]
    commands["paper"] = ["-m", "spiqa_tasks", "paper", "--json"]
    for paper, items in PAPER.items():
        for item, runs in items.items():
            arguments = ["paper", paper, item, *shlex.split(runs), "--partial", "--json"]
            commands[f"paper_{paper}_{item}"] = ["-m", "spiqa_tasks", *arguments]
    return commands


@contextmanager
def demo_judge() -> Iterator[dict[str, str]]:
    """Serve the demo's judge; yield the variables that name it."""
    for command in ("demo", "run demo"):  # the second in earlier versions
        process = subprocess.Popen(
            [sys.executable, "-m", "spiqa_tasks", *command.split(), "--serve-judge"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout is not None
        lines = [process.stdout.readline(), process.stdout.readline()]
        if all(lines):
            break
    else:
        sys.exit("The demo's judge printed no address. Try `spiqa-tasks demo --serve-judge`.")

    try:
        yield dict(line.removeprefix("export ").strip().split("=", 1) for line in lines)
    finally:
        process.terminate()
        process.wait()


def environment(folder: Path, judge: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a command: the inputs' data, an empty cache, no network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SPIQA_")}
    cache = folder / "cache"
    return {
        **kept,
        **judge,
        "SPIQA_TASKS_DATA": str(folder / "data"),
        "SPIQA_TASKS_CACHE": str(cache),
        "HF_DATASETS_CACHE": str(cache / "datasets"),
        "HF_HUB_OFFLINE": "1",
        "COLUMNS": "100",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


def run_host(target: Path, variables: Mapping[str, str]) -> None:
    """Run lmms-eval into `target`, a folder for each entry of HOST, two at a time."""

    def run(name: str) -> None:
        model, tasks = HOST[name].split()
        for group, members in GROUPS.items():
            tasks = tasks.replace(group, members)
        folder = target / name
        folder.mkdir(parents=True)
        command = ["-m", "lmms_eval", "--model", model, "--tasks", tasks, "--log_samples"]
        with (target / f"{name}.log").open("wb") as log:
            subprocess.run(
                [sys.executable, *command, "--output_path", str(folder)],
                env={**variables},
                cwd=target,
                stdout=log,
                stderr=log,
                check=False,
            )
        if not list(folder.rglob("*results.json")):
            sys.exit(
                f"Expected results of {model} in {folder}, found none. See {target / name}.log."
            )

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, HOST))


def run_commands(folder: Path, target: Path, variables: Mapping[str, str], only: str) -> None:
    """Run the commands with `only` in their name; keep what each prints and writes in `target`."""

    def run(entry: tuple[str, list[str]]) -> None:
        name, arguments = entry
        shutil.rmtree(target / name, ignore_errors=True)
        out = target / name / "files"
        out.mkdir(parents=True)
        cache = folder / "cache" / name  # Each command asks the judge itself.
        paths = {
            "{inputs}": folder / "inputs",
            "{host}": folder / "host",
            "{out}": out,
            "{folder}": folder,
        }
        for placeholder, path in paths.items():
            arguments = [argument.replace(placeholder, str(path)) for argument in arguments]

        done = subprocess.run(
            [sys.executable, *arguments],
            env={**variables, "SPIQA_TASKS_CACHE": str(cache)},
            cwd=out,
            capture_output=True,
            text=True,
            check=False,
        )
        outputs = {"stdout": done.stdout, "stderr": done.stderr, "status": f"{done.returncode}\n"}
        for part, text in outputs.items():
            (target / name / part).write_text(text, encoding="utf-8")

    chosen = [entry for entry in all_commands().items() if only in entry[0]]
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(run, chosen))


def masked(text: str, folder: Path) -> str:
    """Return the text with words for folders, addresses and times, which differ from run to run."""
    for path in (folder / "now", folder / "before"):
        text = text.replace(str(path), "OUTPUT")
    text = text.replace(str(folder), "FOLDER").replace(str(REPOSITORY), "REPOSITORY")
    for pattern, mask in MASKS.items():
        text = re.sub(pattern, mask, text)
    return text


def parsed(text: str) -> Any:
    """Return the JSON value of a text, the list of its JSON lines, or None."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()] or None
    except ValueError:
        return None


def differences(before: Any, now: Any, place: str = "") -> list[str]:
    """Return a line for each difference of two JSON values; numbers may differ by `TOLERANCE`.

    `place` is where the values are in their document, `.metrics.accuracy`.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        renamed = {RENAMED.get(key, key): value for key, value in before.items()}
        lines = []
        for key in {**renamed, **now}:
            inner = f"{place}.{key}"
            if key in IGNORED:
                continue
            if key not in now:
                lines.append(f"{inner}: {short(renamed[key])} -> gone")
            elif key not in renamed:
                lines.append(f"{inner}: new, {short(now[key])}")
            else:
                lines += differences(renamed[key], now[key], inner)
        return lines

    if isinstance(before, list) and isinstance(now, list):
        lines = []
        if len(before) != len(now):
            lines.append(f"{place}: {len(before)} entries -> {len(now)}")
        for index, pair in enumerate(zip(before, now, strict=False)):
            lines += differences(*pair, f"{place}[{index}]")
        return lines

    if is_number(before) and is_number(now):
        both_nan = math.isnan(before) and math.isnan(now)
        if both_nan or math.isclose(before, now, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            return []
    elif type(before) is type(now) and before == now:
        return []
    return [f"{place}: {short(before)} -> {short(now)}"]


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def short(value: Any) -> str:
    """Return a value on one line of at most 200 characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:197]}..."


def differences_of_texts(before: str, now: str) -> list[str]:
    """Return the differences of two outputs, by value if both are JSON, else by line."""
    values = parsed(before), parsed(now)
    if None not in values:
        return differences(*values)
    diff = difflib.unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=0)
    return [line for line in diff if not line.startswith(("---", "+++", "@@"))]


def texts(command: Path, folder: Path) -> dict[str, str]:
    """Return file -> masked text of a command's output, without pages, pictures and tables."""
    outputs = {}
    for path in sorted(command.rglob("*")):
        if path.is_file() and path.suffix not in {".html", ".png", ".jpg", ".parquet", ".xlsx"}:
            text = path.read_text(encoding="utf-8", errors="replace")
            outputs[masked(str(path.relative_to(command)), folder)] = masked(text, folder)
    return outputs


def compare_commands(folder: Path, only: str, shown: int) -> int:
    """Print the differences between `before` and `now` for each command; return how many differ."""
    names = [path.name for path in sorted((folder / "before").iterdir())]
    names += [path.name for path in sorted((folder / "now").iterdir()) if path.name not in names]
    names = [name for name in names if only in name]
    changed = 0
    for name in names:
        before, now = (texts(folder / part / name, folder) for part in ("before", "now"))
        lines = []
        for file in {**before, **now}:
            of_file = differences_of_texts(before.get(file, ""), now.get(file, ""))
            lines += [f"  {file}: {line}" for line in of_file]
        if lines:
            changed += 1
            print(f"{name}: {len(lines)} differences")
            print("\n".join(lines[:shown]))
    print(f"{changed} of {len(names)} commands differ.")
    return changed


def compare_hosts(folder: Path, shown: int) -> int:
    """Print the differences of the values in the host's results; return how many runs differ."""
    changed = 0
    for name in HOST:
        before, now = (
            json.loads(max((folder / part / name).rglob("*results.json")).read_text())["results"]
            for part in ("host", "host_now")
        )
        if lines := differences(before, now):
            changed += 1
            print(f"host, {name}: {len(lines)} differences")
            print("\n".join(f"  {line}" for line in lines[:shown]))
    print(f"{changed} of {len(HOST)} runs of the host differ.")
    return changed


def main() -> int:
    """Record, or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="of inputs and outputs")
    parser.add_argument("--host", action="store_true", help="compare: run the host again, too")
    parser.add_argument("--only", default="", metavar="TEXT", help="in the command's name")
    parser.add_argument("--all", action="store_true", help="print all lines of a difference")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    shown = sys.maxsize if arguments.all else SHOWN

    if arguments.action == "record" and not arguments.only:
        from output_inputs import make_inputs

        make_inputs(folder)

    shutil.rmtree(folder / "cache", ignore_errors=True)
    with demo_judge() as judge:
        variables = environment(folder, judge)
        if arguments.action == "record":
            if not (folder / "host").exists():
                run_host(folder / "host", variables)
            run_commands(folder, folder / "before", variables, arguments.only)
            return 0

        if arguments.host:
            shutil.rmtree(folder / "host_now", ignore_errors=True)
            run_host(folder / "host_now", variables)
        run_commands(folder, folder / "now", variables, arguments.only)

    changed = compare_commands(folder, arguments.only, shown)
    if arguments.host:
        changed += compare_hosts(folder, shown)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
