"""Write yaml_configs/ from the tables below: a template per benchmark, a leaf per task, a file per
group.

Run `python tools/write_yaml.py` after a change; a test compares the folder with its output.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.metric import SCORING_FAILED, Metric
from spiqa_tasks.benchmarks.mmstar.release import REPORTED
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.judge.rules import METRIC_OF

TEMPLATE = "_template_yaml"

# Data file for lmms-eval's own loader, with one row that names the benchmark. The hook
# `process_docs` replaces it by the docs.
STUB = "rows.jsonl"

_HOOKS = """\
dataset_path: json
dataset_kwargs: {{data_files: {{{files}}}}}
dataset_name: {settings}
process_docs: !function spiqa_tasks.utils.documents.load
doc_to_messages: !function spiqa_tasks.utils.documents.doc_to_messages
doc_to_visual: !function spiqa_tasks.utils.documents.doc_to_visual
doc_to_text: !function spiqa_tasks.utils.documents.doc_to_text
doc_to_target: answer
process_results: !function spiqa_tasks.utils.answers.process_results
output_type: generate_until
"""
_PICTURES = """\
# encoded: PNG files go to the server as they are; path: the class reads files
lmms_eval_specific_kwargs:
  openai: {images: encoded}
  openai_compatible: {images: encoded}
  async_openai: {images: encoded}
  async_openai_compatible: {images: encoded}
  vllm: {images: encoded}
  qwen2_5_vl: {images: path}
  default: {images: pil}
"""


def template(benchmark: Benchmark, head: str, settings: str, variants: Sequence[str]) -> str:
    """Return the YAML that the tasks of a benchmark include.

    Args:
        benchmark: the benchmark.
        head: the first lines, comments.
        settings: `dataset_name` of leaves without one.
        variants: settings whose metrics are rows of the host's table.
    """
    metrics: dict[str, Metric] = {}
    for parsed in map(benchmark.parse, variants):
        for name, (metric, _) in benchmark.rows_of_table(parsed).items():
            metrics.setdefault(name, metric)
    splits = ", ".join(f"{split}: {STUB}" for split in benchmark.splits)
    rows = "".join(
        f"  - {{metric: {name}, aggregation: !function spiqa_tasks.utils.answers.aggregate, "
        f"higher_is_better: {str(metric.higher_is_better).lower()}}}\n"
        for name, metric in (metrics | {SCORING_FAILED.name: SCORING_FAILED}).items()
    )
    headline = benchmark.metrics(benchmark.parse(settings))[0].name
    metadata = f"{{version: 2.0, benchmark: {benchmark.name}, headline: {headline}}}"
    length = generation(MAX_NEW_TOKENS) + "\n"
    # The host's clustered standard errors; only SPIQA's questions come several to a paper.
    cluster = "cluster_key: cluster\n" if benchmark.name == "spiqa" else ""
    parts = [head, _HOOKS.format(files=splits, settings=settings), length, _PICTURES, cluster]
    return "".join([*parts, "metric_list:\n", rows, f"metadata: {metadata}\n"])


def stub(benchmark: Benchmark) -> str:
    """Return the content of `STUB`."""
    return json.dumps({"benchmark": benchmark.name}) + "\n"


def generation(tokens: int, until: Sequence[str] = ()) -> str:
    """Return the line of generation settings: greedy, at most `tokens`, stopped at `until`."""
    sampling = "temperature: 0, do_sample: false, top_p: 1.0"
    return (
        f"generation_kwargs: {{max_new_tokens: {tokens}, {sampling}, until:"
        f" {json.dumps(list(until))}}}"
    )


# Tokens of an answer at most. With the 128 of the released GPT-4V scripts answers are truncated.
MAX_NEW_TOKENS = 512

# For prompts that let a model reason before its letter.
LONG = generation(2048)
FOLDER = Path(__file__).resolve().parents[1] / "yaml_configs"


@dataclass(frozen=True)
class Leaf:
    """A task. `about` is a comment above its YAML, `extra` has lines below."""

    name: str
    split: str
    settings: str = ""
    about: str = ""
    extra: Sequence[str] = ()

    def text(self) -> str:
        """Return the task's YAML."""
        lines = [f"include: {TEMPLATE}", f"task: {self.name}", f"test_split: {self.split}"]
        if self.settings:
            lines.append(f"dataset_name: {self.settings}")
        return _commented(self.about, [*lines, *self.extra])


@dataclass(frozen=True)
class Group:
    """A group of tasks. `mean_of` is the metric whose mean over them the host shows, or ''."""

    name: str
    members: Sequence[str]
    about: str = ""
    mean_of: str = ""

    def text(self) -> str:
        """Return the group's YAML."""
        lines = [f"group: {self.name}", f"task: [{', '.join(self.members)}]"]
        if self.mean_of:
            metric = f"{{metric: {self.mean_of}, aggregation: mean, weight_by_size: false}}"
            lines += [f"aggregate_metric_list: [{metric}]", "metadata: {version: 2.0}"]
        return _commented(self.about, lines)


def _commented(about: str, lines: Iterable[str]) -> str:
    """Return the text of lines, below a comment unless `about` is empty."""
    comment = f"# {about}\n" if about else ""
    return comment + "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True)
class Family:
    """The tasks and groups of a benchmark, with `settings` and `variants` of its `template`."""

    settings: str
    variants: Sequence[str]
    leaves: Sequence[Leaf]
    groups: Sequence[Group]


# SPIQA
# --------------------------------------------------------------------------------------------------

SPIQA_SETTINGS = {
    "": "",
    "_224px": "resolution=224px",
    "_captiononly": "setting=captiononly",
    "_cot": "setting=cot",
    "_fullpaper": "setting=fullpaper",
    "_grey": "ablation=grey",
    "_nocaption": "setting=nocaption",
    "_perfigure": "setting=perfigure,max_figures=0",
    "_perfigure_224px": "setting=perfigure,max_figures=0,resolution=224px",
    "_perfigure_referred": "setting=perfigure,max_figures=0,figures=referred",
    "_perfigure_referred_224px": (
        "setting=perfigure,max_figures=0,figures=referred,resolution=224px"
    ),
    "_text": "ablation=text",
}

# Pixels of the side of a square picture beside 224, for test-B (Figure B.1) and the demo.
RESOLUTIONS = {f"_{side}px": f"resolution={side}" for side in (112, 448, 672)}
SPIQA_SPLITS = ("testA", "testB", "testC", "val", "demo")
DEMO_BOTH = ("", "_cot", "_perfigure")
PROTOCOLS = "As the paper scores, and as the released scripts do (docs/spiqa.md)."


def _spiqa() -> Family:
    leaves = []
    for split in SPIQA_SPLITS:
        for suffix, settings in SPIQA_SETTINGS.items():
            leaves.append(Leaf(f"spiqa_{split}{suffix}", split, settings))
    for split in ("testB", "demo"):
        for suffix, settings in RESOLUTIONS.items():
            leaves.append(Leaf(f"spiqa_{split}{suffix}", split, settings))
    leaves += _spiqa_of_both_protocols()
    leaves.append(Leaf("spiqa_train", "train"))

    settings_of = product(("cot", "perfigure"), ("corrected", "both"))
    variants = [f"setting={setting},protocol={protocol}" for setting, protocol in settings_of]
    variants += [f"rule={rule}" for rule in METRIC_OF]
    return Family("setting=direct", variants, leaves, _spiqa_groups())


def _spiqa_groups() -> list[Group]:
    groups = []
    for suffix in SPIQA_SETTINGS:
        members = [f"spiqa_{split}{suffix}" for split in SPIQA_SPLITS[:3]]
        groups.append(Group(f"spiqa{suffix}", members))
    sides = [f"spiqa_testB{suffix}" for suffix in sorted(["_224px", *RESOLUTIONS])]
    about = (
        "Test-B at several resolutions (Figure B.1); `spiqa-tasks paper spiqa figureB1 RUN`"
        " compares them."
    )
    groups.append(Group("spiqa_resolutions", [*sides, "spiqa_testB"], about))
    return groups


def _spiqa_of_both_protocols() -> list[Leaf]:
    leaves = []
    for split, suffix in product(SPIQA_SPLITS, SPIQA_SETTINGS):
        if split == "demo" and suffix not in DEMO_BOTH:
            continue
        settings = ",".join(filter(None, [SPIQA_SETTINGS[suffix], "protocol=both"]))
        leaves.append(Leaf(f"spiqa_{split}{suffix}_both", split, settings, PROTOCOLS))
    return leaves


# MMStar
# --------------------------------------------------------------------------------------------------

GREY = "For models that need an image: pure grey images of the original size (paper section 5.1)."
LLM = (
    "For LLM bases: text only, two solved questions first (paper section 5.1); the next blank line"
    " ends the answer."
)
AUTHORS = (
    "For LLM bases: text only, after the two solved questions of the authors' code, as turns of a"
    " chat."
)
TEXT = "LVLM-text: the question without its image (paper section 5.1)."
PROMPTS = (
    "The prompts that reported numbers were made with, with the letters that each host reads"
    " (docs/mmstar.md)."
)
GAIN = (
    "The seven benchmarks of the paper's Table 6 (docs/mmstar.md). All but mmstar_filtered are the"
    " host's."
)
GAIN_TASKS = (
    "mmmu_val",
    "mmbench_en_dev_static",
    "scienceqa_img",
    "ai2d",
    "seedbench",
    "mathvista_testmini_format",
)


def _mmstar() -> Family:
    leaves = []
    for name, split in (("mmstar_filtered", "val"), ("mmstar_demo", "demo")):
        leaves += [
            Leaf(name, split),
            Leaf(f"{name}_grey", split, "prompt=letter,ablation=grey", GREY),
            Leaf(
                f"{name}_llm",
                split,
                "prompt=letter,ablation=text,shots=2",
                LLM,
                [generation(512, ("\n\n",))],
            ),
            Leaf(
                f"{name}_llm_authors", split, "prompt=letter,ablation=text,shots=authors", AUTHORS
            ),
            Leaf(f"{name}_text", split, "prompt=letter,ablation=text", TEXT),
            *(
                Leaf(f"{name}_prompt_{prompt}", split, f"prompt={prompt}", extra=[LONG])
                for prompt in REPORTED
            ),
        ]
    gain = Group("multimodal_gain", [*GAIN_TASKS, "mmstar_filtered"], GAIN)
    prompts = ["mmstar_filtered", *(f"mmstar_filtered_prompt_{prompt}" for prompt in REPORTED)]
    variants = ["", f"prompt={REPORTED[0]}"]
    return Family(
        "prompt=letter", variants, leaves, [gain, Group("mmstar_prompts", prompts, PROMPTS)]
    )


# SciFIBench
# --------------------------------------------------------------------------------------------------

SCIFIBENCH_SPLITS = tuple(
    f"{subset}_{way}" for subset, way in product(("cs", "general"), ("fig2cap", "cap2fig"))
)
EVERY_SPLIT = {
    "_grey": ("ablation=grey", "Grey pictures of the same size."),
    "_ocr": ("ocr=yes", "What an OCR engine reads instead of the pictures (section 4.1, Table 2)."),
    "_random": ("negatives=random", "Random negatives (section 4.3, Table 2)."),
    "_text": ("ablation=text", "No picture."),
}
REASONING = "The prompts of appendix I.2, without the sentence that asks for a letter only."
MARKS = {
    f"_marked_{mark}{suffix}": f"mark={mark}{ignore}"
    for mark, (suffix, ignore) in product(
        ("correct", "incorrect"), (("", ""), ("_ignore", ",ignore=yes"))
    )
}
SHOTS = {
    f"_{count}shot{suffix}": f"shots={count},shot_kind={kind}"
    for (kind, suffix), count in product((("random", ""), ("similar", "_similar")), range(1, 6))
}
CAPTIONS = (
    "Captions for 100 figures (section 4.6); `spiqa-tasks paper scifibench table3 RUN` has judges"
    " rank them."
)
DEMO = {
    "demo": ("", "_grey", "_reasoning", "_text"),
    "demo_fig2cap": ("", "_2shot_similar", *MARKS, "_ocr", "_random", "_shuffle1"),
    "demo_cap2fig": ("", "_random"),
}


def _scifibench() -> Family:
    shuffles = {f"_shuffle{order}": f"shuffle={order}" for order in (1, 2, 3)}
    settings = {"": "", **shuffles, **MARKS, **SHOTS}
    settings |= {suffix: value for suffix, (value, _) in EVERY_SPLIT.items()}

    suffixes_of_split: dict[str, list[str]] = {}
    for split in SCIFIBENCH_SPLITS:
        suffixes = ["", *EVERY_SPLIT, *shuffles, "_reasoning"]
        if split.endswith("fig2cap"):
            suffixes += MARKS
        if split == "cs_fig2cap":
            suffixes += SHOTS
        suffixes_of_split[split] = suffixes

    leaves = []
    for split, of_split in [*suffixes_of_split.items(), *DEMO.items()]:
        for suffix in of_split:
            name = f"scifibench_{split}{suffix}"
            leaves.append(Leaf(name, split, _letter(settings, suffix), extra=_longer(suffix)))
    target = ["doc_to_target: caption"]
    leaves.append(
        Leaf("scifibench_captioning", "captioning", "prompt=caption,sample=100", CAPTIONS, target)
    )
    leaves.append(Leaf("scifibench_demo_captioning", "demo_fig2cap", "prompt=caption", "", target))
    variants = ["extractor=judge", "prompt=caption"]
    return Family("prompt=letter", variants, leaves, list(_scifibench_groups(shuffles)))


def _longer(suffix: str) -> Sequence[str]:
    """Return the extra lines of a task with this suffix."""
    return [LONG] if suffix == "_reasoning" else ()


def _letter(settings: Mapping[str, str], suffix: str) -> str:
    """Return the settings of a task with this suffix, with its prompt."""
    if suffix == "_reasoning":
        return "prompt=reasoning"
    return f"prompt=letter,{settings[suffix]}" if settings[suffix] else "prompt=letter"


def _scifibench_groups(shuffles: Iterable[str]) -> Iterator[Group]:
    plain = [f"scifibench_{split}" for split in SCIFIBENCH_SPLITS]
    yield from _scifibench_overall(plain)
    titles = {suffix: title for suffix, (_, title) in EVERY_SPLIT.items()}
    for suffix, title in [*titles.items(), ("_reasoning", REASONING)]:
        yield Group(f"scifibench{suffix}", [f"{name}{suffix}" for name in plain], title)

    orders = [f"{name}{suffix}" for name, suffix in product(plain, shuffles)]
    about = "Four orders of the options (section 4.2)."
    yield Group("scifibench_shuffle", [*plain, *orders], about)

    control = "scifibench_cs_fig2cap"
    marked = [f"{control}{suffix}" for suffix in MARKS]
    about = (
        "The alignment study: the control and four augmentations (section 4.7, Figures 9 and 10)."
    )
    yield Group("scifibench_alignment", [control, *marked], about)

    few_shot = [f"{control}{suffix}" for suffix in SHOTS]
    about = "0 to 5 examples, random and similar (Figure 6)."
    yield Group("scifibench_shots", [control, *few_shot], about)


def _scifibench_overall(plain: Sequence[str]) -> Iterator[Group]:
    for way, title in (("fig2cap", "Figure -> caption"), ("cap2fig", "Caption -> figure")):
        about = f"{title}: the overall column of Table 2, the mean over both subsets."
        members = [name for name in plain if name.endswith(way)]
        yield Group(f"scifibench_{way}", members, about, "accuracy")
    about = "Table 2: both subsets of each task, and each task's overall mean."
    yield Group("scifibench", ["scifibench_fig2cap", "scifibench_cap2fig"], about)


FAMILIES = {"spiqa": _spiqa, "mmstar": _mmstar, "scifibench": _scifibench}

# Files
# --------------------------------------------------------------------------------------------------

HEAD = """\
# What every task of {name} shares; made by tools/write_yaml.py. For a task of your own, include a
# leaf, give it a name and change `dataset_name` (key=value,...; other keys keep their default).
"""


def files() -> dict[str, str]:
    """Return path in yaml_configs/ -> text of every file."""
    texts: dict[str, str] = {}
    demo = []
    for name, family_of_benchmark in FAMILIES.items():
        family = family_of_benchmark()
        benchmark = BENCHMARKS[name]
        head = HEAD.format(name=name)
        texts[f"{name}/{STUB}"] = stub(benchmark)
        texts[f"{name}/{TEMPLATE}"] = template(benchmark, head, family.settings, family.variants)
        for entry in (*family.leaves, *family.groups):
            texts[f"{name}/{entry.name}.yaml"] = entry.text()
        demo += [task.name for task in family.leaves if task.split.startswith("demo")]

    texts["demo.yaml"] = Group("demo", demo, "every task on the demo data").text()
    return texts


def main() -> None:
    """Write the files, and remove those of tasks that are gone."""
    texts = files()
    for path in [*FOLDER.rglob("*.yaml"), *FOLDER.rglob("*_yaml"), *FOLDER.rglob("*.jsonl")]:
        if path.relative_to(FOLDER).as_posix() not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
