"""BERTScore against the authors' way: a call of `bert_score.score` for every answer.

    python perf/text.py [--answers 666] [--sample 20] [--runs 3]

The model is a tiny BERT of random weights, made here: what it costs to load is the least that it can cost.
"""

from __future__ import annotations

import importlib.util
import logging
import random
import tempfile
from pathlib import Path

from measure import arguments, growth, paired, ratio, show, spread, table, timed
from train_load import text

from spiqa_tasks.metrics import bertscore

TITLE = "Text metrics"
ABOUT = (
    "BERTScore of all answers at once against the authors' way, one call of `bert_score.score` for each answer: a tiny "
    "BERT of random weights, the authors' way measured on a sample and scaled."
)


def main() -> None:
    """Measure both ways and print the section."""
    options = arguments(__doc__, answers=666, sample=20, runs=3)
    if importlib.util.find_spec("bert_score") is None:
        return show(TITLE, ABOUT, "BERTScore is left out: bert-score is not installed.")
    for name in ("transformers", "transformers.modeling_utils"):
        logging.getLogger(name).setLevel(logging.ERROR)
    generator = random.Random(0)
    pairs = [(text(generator, 15), text(generator, 15)) for _ in range(options.answers * 100)]
    with tempfile.TemporaryDirectory() as folder:
        model = tiny_bert(Path(folder))
        bertscore.model_folder = lambda: model
        own = ours(pairs[: options.sample])
        singly = authors(pairs[: options.sample], model)
        difference = max(abs(one - other) for one, other in zip(own, singly, strict=True))
        ways = {
            "all at once": lambda: timed(lambda: ours(pairs[: options.answers])),
            "one call an answer": lambda: (
                timed(lambda: authors(pairs[: options.sample], model)) * (options.answers / options.sample)
            ),
        }
        found = paired(ways, options.runs)
        grown = growth("answers", max(options.answers // 100, 1), lambda size: timed(lambda: ours(pairs[:size])), 1)
    rows = [[name, spread(each), ratio(found["one call an answer"], each)] for name, each in found.items()]
    equal = f"The values of {len(own)} answers differ by {difference:.1g} at most."
    show(TITLE, ABOUT, table([f"{options.answers} answers", "time", "times faster"], rows), equal, grown)
    return None


def ours(pairs: list[tuple[str, str]]) -> tuple[float, ...]:
    """The scores by this package, its model loaded anew."""
    bertscore.forget()
    found = bertscore.bertscore(pairs)
    if isinstance(found, str):
        raise SystemExit(found)
    return found.per_item


def authors(pairs: list[tuple[str, str]], model: Path) -> list[float]:
    """The scores by one call for each answer."""
    from bert_score import score

    return [
        score([prediction], [reference], model_type=str(model), num_layers=bertscore.LAYER)[2].item()
        for prediction, reference in pairs
    ]


def tiny_bert(folder: Path) -> Path:
    """Write a BERT of random weights with nine layers and letters for tokens."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizer(str(folder / "vocab.txt"), model_max_length=bertscore.TOKENS).save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": bertscore.LAYER, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(vocabulary), **sizes)).save_pretrained(folder)
    return folder


if __name__ == "__main__":
    main()
