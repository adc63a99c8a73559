"""Every table and figure of the three papers: what it shows, which tasks to run, and what makes it again.

The owner of this list; `spiqa-tasks paper` prints it, tests hold its tasks and makers to be real.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from spiqa_tasks.errors import InputError


@dataclass(frozen=True)
class Item:
    """A table, figure or section of a paper.

    Attributes:
        name: as in the paper, such as `Table B.1`.
        maker: function of `commands.paper_tables` that makes it again, or ''.
        tasks: arguments of lmms-eval's --tasks for its runs; benchmarks for counts of the data.
        note: what is missing of it, or why nothing makes it.
        options: defaults of the maker's options.
    """

    paper: str
    name: str
    shows: str
    maker: str = ""
    tasks: tuple[str, ...] = ()
    note: str = ""
    options: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The name on the command line and in `spiqa_tasks.published`: `tableB1`."""
        kind, _, number = self.name.partition(" ")
        return f"{kind.lower()}{number if kind == 'Section' else number.replace('.', '')}"

    @property
    def needs(self) -> list[str]:
        """`data`, or `runs` and perhaps `judge`; [] if nothing makes it."""
        if self.maker in ("", "counts"):
            return ["data"] if self.maker else []
        is_judged = self.maker == "rank" or (self.paper == "spiqa" and self.name not in _BLEU)
        return ["runs", *(["judge"] if is_judged else [])]


_REPORT = "`spiqa-tasks report RUN --html page.html` shows every question with its answer"
_NO_SOURCE = "the release names no conference and no year"
_UNPUBLISHED = "not published"
_WEIGHTS = f"the weights are {_UNPUBLISHED}; `spiqa-tasks export spiqa_train` writes the training data"
_PASSAGES = f"the passages that went with it are {_UNPUBLISHED}"
_SEVERAL_JUDGES = "runs that several --judge of `score` scored"
_BLEU = ("Table E.1", "Table E.2")
"""SPIQA's tables of scores that need no judge."""
_BY_GROUP = {"by": "group"}
_SPIQA: tuple[tuple[Any, ...], ...] = (
    ("Figure 1", "the tasks", "", (), "illustration; docs/spiqa.md says what a model is shown"),
    ("Table 1", "other data sets", "", (), "nothing of it is measured"),
    ("Table 2", "papers, questions, figures", "counts", ("spiqa",)),
    ("Figure 2", "figures and tables per paper", "counts", ("spiqa",), _NO_SOURCE),
    ("Table 3", "direct QA", "main", ("spiqa", "spiqa_perfigure_224px")),
    ("Table 4", "questions and figures of each split", "counts", ("spiqa",)),
    ("Table 5", "full paper and chain of thought", "scores", ("spiqa_fullpaper", "spiqa_cot")),
    ("Table 6", "direct QA by figure type", "scores", ("spiqa_testA",), "", _BY_GROUP),
    ("Figure 3", "direct QA without captions", "scores", ("spiqa_nocaption", "spiqa")),
    ("Table 7", "20% of test-A with people", "scores", ("spiqa_testA_cot",), f"its 20% is {_UNPUBLISHED}: --ids"),
    ("Figure 4", "examples", "", (), _REPORT),
    ("Table 8", "correlation of L3Score", "correlate", ("spiqa",)),
    ("Table B.1", "L3Score by several judges", "scores", ("spiqa_testB",), _SEVERAL_JUDGES),
    ("Figure B.1", "resolutions", "spread", ("spiqa_resolutions",), "", {"over": "resolution"}),
    ("Table B.2", "fine-tuning", "scores", ("spiqa_perfigure_224px",), _WEIGHTS),
    ("Figure D.1", "conferences and years", "", (), _NO_SOURCE),
    ("Figure D.2", "words of questions and answers", "counts", ("spiqa",)),
    ("Table E.1", "BLEU of direct QA", "scores", ("spiqa",)),
    ("Table E.2", "BLEU of full paper and chain of thought", "scores", ("spiqa_fullpaper", "spiqa_cot")),
    ("Figure F.1", "the judge's prompt", "", (), "prompt; docs/judges.md has it"),
    *((f"Figure G.{n}", "prompt of the questions", "", (), _PASSAGES) for n in (1, 2)),
    *((f"Figure G.{n}", "the annotators' page", "", (), "illustration") for n in (3, 4)),
    *((f"Figure H.{n}", "examples of chain of thought", "", ("spiqa_testA_cot",), _REPORT) for n in (1, 2, 3)),
    ("Figure I.1", "examples of errors", "", (), _REPORT),
)
_PAIRS = "`spiqa-tasks run gain` makes the runs"
_ABLATED = "runs of `--model ablated --model_args base=MODEL,ablation=text`"
_SAMPLES = "examples: `spiqa-tasks gain RUN --samples FILE`"
_MMSTAR: tuple[tuple[Any, ...], ...] = (
    ("Figure 1", "examples", "", (), _SAMPLES),
    ("Table 1", "LLMs without images, 0-shot", "scores", ("multimodal_gain",), _ABLATED),
    ("Table 2", "LLMs without images, 2-shot", "scores", ("multimodal_gain",), f"{_ABLATED}, with shots=2"),
    ("Figure 2", "abnormal hit rate", "abnormal", ("multimodal_gain",), "runs of text-only models"),
    ("Table 3", "with images, without, LLM bases", "gain", ("multimodal_gain",), _PAIRS),
    ("Figure 3", "leaked questions", "leaked", ("multimodal_gain",), _PAIRS),
    ("Figure 4", "questions by source", "counts", ("mmstar",), f"the candidates are {_UNPUBLISHED}"),
    ("Figure 5", "capabilities and their axes", "counts", ("mmstar",)),
    ("Table 4", "LLMs without images, 2-shot", "scores", ("mmstar_filtered_llm",), "", _BY_GROUP),
    ("Table 5", "capabilities, gain and leakage", "gain", ("mmstar_filtered",), _PAIRS),
    ("Table 6", "gain and leakage of seven benchmarks", "gain", ("multimodal_gain",), _PAIRS),
    *((f"Figure {n}", "examples", "", (), _SAMPLES) for n in (6, 7, 8)),
    ("Table 7", "with images, without, LLM bases", "gain", ("multimodal_gain",), _PAIRS),
)
_REFUSALS = {"by": "group", "metric": "accuracy,refusal_rate"}
_CS = ("scifibench_cs_fig2cap", "scifibench_cs_cap2fig")
_NO_YEAR = "the year of a paper is in no file of the release"
_NOISY = f"the noisy questions are {_UNPUBLISHED}"
_SCIFIBENCH: tuple[tuple[Any, ...], ...] = (
    ("Figure 1", "the two tasks", "", (), "illustration"),
    ("Table 1", "questions and sources", "counts", ("scifibench",), f"the pool of pairs is {_UNPUBLISHED}"),
    ("Figure 2", "words of captions, pixels of figures", "counts", ("scifibench",)),
    ("Figure 3", "categories", "counts", ("scifibench",)),
    ("Figure 4", "distances of embeddings", "", (), _NOISY),
    ("Figure 5", "examples of negatives", "", ("scifibench_random",), _REPORT),
    ("Table 2", "accuracy", "main", ("scifibench", "scifibench_random", "scifibench_ocr")),
    ("Section 4.2", "spread over orders of the options", "spread", ("scifibench_shuffle",)),
    ("Section 4.4", "bootstrap", "bootstrap", ("scifibench",)),
    ("Figure 6", "examples before the question", "spread", ("scifibench_shots",), f"several seeds; {_NOISY}"),
    ("Figure 7", "accuracy and refusals by category", "scores", ("scifibench",), "", _REFUSALS),
    ("Figure 8", "accuracy by length of caption and size of figure", "properties", _CS, _NO_YEAR),
    ("Table 3", "captions ranked by judges", "rank", ("scifibench_captioning",), "--judge, which see pictures"),
    ("Figure 9", "tasks of Figure 10", "", (), "illustration"),
    ("Figure 10", "alignment: marked captions", "alignment", ("scifibench_alignment",)),
    ("Table 4", "people on 25 questions a task", "scores", _CS[:1], f"the questions are {_UNPUBLISHED}: --ids"),
    ("Figure 11", "ranks on noisy questions", "", (), _NOISY),
    ("Figure 12", "accuracy by category", "scores", _CS[:1], "", _BY_GROUP),
    ("Table 5", "accuracy by category", "scores", _CS[:1], "", _BY_GROUP),
)
ITEMS = tuple(
    Item(paper, *row)
    for paper, rows in (("spiqa", _SPIQA), ("mmstar", _MMSTAR), ("scifibench", _SCIFIBENCH))
    for row in rows
)
"""In the order of the papers."""
PAPERS = tuple(dict.fromkeys(item.paper for item in ITEMS))


def item_named(paper: str, name: str) -> Item:
    """Return a paper's table, figure or section by its name in any spelling: `tableb1`, `Table B.1`.

    Raises InputError: the paper has none of that name.
    """
    items = {_plain(item.name): item for item in ITEMS if item.paper == paper}
    if _plain(name) not in items:
        known = ", ".join(item.key for item in items.values())
        raise InputError(f"Expected a table or figure of {paper} ({known}), found {name}. Correct it.")
    return items[_plain(name)]


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()
