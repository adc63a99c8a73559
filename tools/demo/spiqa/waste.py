"""Demo paper 2, three figures: what is in a city's recycling bins and how well a camera sorts it."""

from __future__ import annotations

from drawing.charts import heatmap, pie_chart, table
from spiqa.paper import Figure, Paper, Question, best, worst

SHARES: dict[str, float] = {"paper": 38, "glass": 24, "plastic": 21, "metal": 11, "textile": 6}
NAMES = ("paper", "glass", "plastic", "metal")
CONFUSION = ((93, 1, 5, 1), (2, 84, 12, 2), (6, 9, 81, 4), (1, 2, 6, 91))
ACCURACY = {
    "colour camera": (88.1, 74.9, 72.4, 85.0),
    "infrared camera": (90.2, 71.3, 79.6, 80.7),
    "both cameras": (93.0, 84.0, 81.0, 91.0),
}


def paper() -> Paper:
    """The paper."""
    return Paper("demo02.00002v1", _figures(), _questions(), PARAGRAPHS)


def _figures() -> list[Figure]:
    rows = [(name, *values) for name, values in ACCURACY.items()]
    return [
        Figure(
            "Figure1",
            "Composition of the recycling bins by weight: shares of paper, glass, plastic, metal and textile.",
            '"other"',
            pie_chart(SHARES),
        ),
        Figure(
            "Figure2",
            "Confusion matrix of the sorting classifier with both cameras (percent of items of each true material).",
            "** \n\nPlot.",
            heatmap("predicted material", "true material", NAMES, CONFUSION),
        ),
        Figure(
            "Table1",
            "Table 1: Sorting accuracy (%) per material with the colour camera, the infrared camera and both.",
            "N/A",
            table(("Sensor", *NAMES), rows),
        ),
    ]


def _questions() -> list[Question]:
    recall = {name: CONFUSION[place][place] for place, name in enumerate(NAMES)}
    glass = dict(zip(NAMES, CONFUSION[1], strict=True))
    mistaken = best({name: share for name, share in glass.items() if name != "glass"})
    plastic = {sensor: values[2] for sensor, values in ACCURACY.items() if sensor != "both cameras"}
    return [
        Question(
            "Figure1",
            "What share of the recycling bins' weight is glass?",
            f"{SHARES['glass']:g}%",
            "The slice of the pie that the legend calls glass carries this number.",
        ),
        Question(
            "Figure1",
            "Do paper and glass together make up more than half of the composition of the recycling bins?",
            "Yes" if SHARES["paper"] + SHARES["glass"] > 50 else "No",
            f"Paper has {SHARES['paper']:g}% and glass {SHARES['glass']:g}%.",
        ),
        Question(
            "Figure2",
            "Which true material does the sorting classifier recognise worst according to the confusion matrix?",
            f"{worst(recall).capitalize()}: only {recall[worst(recall)]}% of its items are predicted correctly.",
            "The diagonal of the confusion matrix is lowest in that row.",
        ),
        Question(
            "Figure2",
            "With which material is glass most often confused by the sorting classifier?",
            f"With {mistaken}, in {glass[mistaken]}% of the cases.",
            "Off the diagonal, the row of glass has its highest number in that column.",
        ),
        Question(
            "Table1",
            "Which single camera has the better sorting accuracy on plastic, and by how many percentage points?",
            f"The {best(plastic)}, by {max(plastic.values()) - min(plastic.values()):.1f} points.",
            "The column for plastic lists both single cameras.",
        ),
    ]


PARAGRAPHS = (
    "Cities pay for every tonne of recycling that has to be sorted twice. We ask what a pair of cheap cameras above "
    "the conveyor belt can do about it.",
    "For four weeks we weighed the content of 240 bins by hand. Paper is the largest fraction and textile, which does "
    "not belong there, the smallest.",
    f"By weight the bins held {SHARES['paper']:g}% paper, {SHARES['glass']:g}% glass, {SHARES['plastic']:g}% plastic, "
    f"{SHARES['metal']:g}% metal and {SHARES['textile']:g}% textile.",
    "Our classifier sees each item twice, in colour and in the near infrared. It was trained on 9,000 items that two "
    "people had labelled independently.",
    "The infrared camera helps with plastic, whose reflectance differs from paper although its colour may not. It "
    "does not help with glass, which is transparent in both.",
    "Most errors are between glass and plastic bottles. Crushed cans, in contrast, are rarely mistaken.",
    "With both cameras every material gains over the better of the two, so the sensors see different things.",
)
