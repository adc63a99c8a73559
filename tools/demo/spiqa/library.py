"""Demo paper 5, six figures: searching the catalogue of a small library."""

from __future__ import annotations

import random

from drawing.charts import bar_chart, line_chart, scatter_chart, table
from drawing.sketches import schematic
from spiqa.paper import Figure, Paper, Question, best

CENTRES = {"fiction": (2.2, 2.4), "history": (7.4, 3.0), "cookery": (5.0, 7.6)}
EPOCHS = (0, 2, 4, 6, 8, 10)
LOSS = {"training": (2.9, 1.7, 1.1, 0.8, 0.6, 0.5), "validation": (3.0, 1.9, 1.4, 1.2, 1.3, 1.5)}
FIELDS = ("title", "author", "summary")
WEIGHTS = {"weight": (0.46, 0.19, 0.35)}
CATALOGUE = {"training": (8400, 2100), "development": (900, 230), "test": (1100, 310)}
RESULTS = {"BM25": (0.41, 0.63), "Dense": (0.47, 0.72), "Shelfmark": (0.55, 0.79)}


def paper() -> Paper:
    """The paper."""
    return Paper("demo05.00005v1", _figures(), [*_about_figures(), *_about_tables()], PARAGRAPHS)


def _clusters() -> dict[str, list[tuple[float, float]]]:
    rng = random.Random(5)
    return {name: [(rng.gauss(x, 0.7), rng.gauss(y, 0.7)) for _ in range(28)] for name, (x, y) in CENTRES.items()}


def _figures() -> list[Figure]:
    boxes = {"Query": (0, 0), "Query\nencoder": (1, 0), "Book record": (0, 1), "Record\nencoder": (1, 1)}
    arrows = [
        ("Query", "Query\nencoder", ""),
        ("Book record", "Record\nencoder", ""),
        ("Query\nencoder", "Dot product", "vector"),
        ("Record\nencoder", "Dot product", "vector"),
    ]
    return [
        Figure(
            "Figure1",
            "The Shelfmark model: a query encoder and a record encoder whose vectors meet in a dot product.",
            "** schematic",
            schematic({**boxes, "Dot product": (2, 0.5)}, arrows, (560, 240)),
        ),
        Figure(
            "Figure2",
            "Two-dimensional projection of the record vectors of fiction, history and cookery books.",
            "Plot",
            scatter_chart("first component", "second component", _clusters(), (0, 10), (0, 10)),
        ),
        Figure(
            "Figure3",
            "Training and validation loss of Shelfmark over ten epochs.",
            "plot",
            line_chart("epoch", "loss", EPOCHS, LOSS, (0, 3.5)),
        ),
        Figure(
            "Figure4",
            "Learned weight of the title, author and summary fields in the record encoder.",
            "** Plot",
            bar_chart("field of the record", "learned weight", FIELDS, WEIGHTS, (0, 0.6)),
        ),
        Figure(
            "Table1",
            "Table 1: Statistics of the library data set: number of records and queries in each split.",
            "N/A",
            table(("Split", "Records", "Queries"), [(name, *counts) for name, counts in CATALOGUE.items()]),
        ),
        Figure(
            "Table2",
            "Table 2: Retrieval results of BM25, Dense and Shelfmark on the test queries (MRR and recall at 10).",
            "Table",
            table(("Method", "MRR", "Recall@10"), [(name, *scores) for name, scores in RESULTS.items()]),
        ),
    ]


def _about_figures() -> list[Question]:
    validation = dict(zip(map(str, EPOCHS), LOSS["validation"], strict=True))
    lowest = min(validation, key=lambda epoch: validation[epoch])
    weights = dict(zip(FIELDS, WEIGHTS["weight"], strict=True))
    return [
        Question(
            "Figure1",
            "How does the Shelfmark model combine the query encoder and the record encoder?",
            "Each encoder produces a vector, and the two vectors are combined by a dot product.",
            "Two arrows labelled vector, one from each encoder, end in the box called dot product.",
        ),
        Question(
            "Figure2",
            "Which kind of book lies highest along the second component in the projection of the record vectors?",
            best({name: y for name, (_, y) in CENTRES.items()}).capitalize(),
            "Its cluster lies at the top of the plot, the two others at the bottom.",
        ),
        Question(
            "Figure3",
            "At which epoch is the validation loss of Shelfmark lowest, and what does its later course suggest?",
            f"At epoch {lowest}, with a loss of about {validation[lowest]}. It rises afterwards while the training "
            "loss keeps falling, which suggests overfitting.",
            "The two curves move apart to the right of the minimum.",
        ),
        Question(
            "Figure4",
            "Which field of the record has the smallest learned weight?",
            min(weights, key=lambda name: weights[name]).capitalize(),
            "The bar of that field is the lowest.",
        ),
    ]


def _about_tables() -> list[Question]:
    gain = RESULTS["Shelfmark"][0] - RESULTS["BM25"][0]
    records, queries = CATALOGUE["training"]
    return [
        Question(
            "Table1",
            "How many records per query does the training split of the library data set have?",
            f"{records / queries:g}, that is {records} records for {queries} queries.",
            "Dividing the two numbers in the row of the training split gives the answer.",
        ),
        Question(
            "Table2",
            "By how much does Shelfmark improve the MRR over BM25 in the retrieval results?",
            f"By {gain:.2f} ({RESULTS['Shelfmark'][0]} against {RESULTS['BM25'][0]}).",
            "The MRR column lists both methods.",
        ),
        Question(
            "Table2",
            "Does Dense have a higher recall at 10 than Shelfmark on the test queries?",
            "Yes" if RESULTS["Dense"][1] > RESULTS["Shelfmark"][1] else "No",
            "The last column of the table compares them.",
        ),
    ]


PARAGRAPHS = (
    "A library with ten thousand books is too large for memory and too small for a search company. Its readers ask for "
    "the blue book about bread.",
    "Shelfmark is a pair of small encoders, one for queries and one for catalogue records, trained on loans: a reader "
    "who borrows a book after a query has answered it.",
    f"The training split has {CATALOGUE['training'][0]} records and {CATALOGUE['training'][1]} queries; the test split "
    f"has {CATALOGUE['test'][1]} queries from the following year.",
    "We train for ten epochs and keep the one with the lowest validation loss. Later epochs overfit, as one would "
    "expect from so few loans.",
    "The record encoder learns how much each field counts. Titles count most and authors least, perhaps because "
    "readers who know the author find the shelf by themselves.",
    f"On the test queries Shelfmark reaches an MRR of {RESULTS['Shelfmark'][0]}, Dense {RESULTS['Dense'][0]} and BM25 "
    f"{RESULTS['BM25'][0]}.",
    "A projection of the record vectors shows fiction, history and cookery well apart. Cookery is the most remote, "
    "which matches our experience of its readers.",
    "Everything runs on the librarian's desktop computer.",
)
