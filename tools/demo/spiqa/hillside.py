"""Demo paper 3, four figures: counting houses and boats from hillside cameras."""

from __future__ import annotations

from drawing.charts import bar_chart, table
from drawing.scenes import scene
from spiqa.paper import Figure, Paper, Question, best, worst

HOUSES, BOATS = 6, 4
RANGES = ("100 m", "300 m", "600 m", "1 km")
RECALL = {"day": (98, 95, 86, 70), "night": (91, 78, 52, 24)}
CAMERAS = {"North ridge": (1204, 5130), "Old quarry": (980, 4410), "Water tower": (1511, 7242)}


def paper() -> Paper:
    """The paper."""
    return Paper("demo03.00003v1", _figures(), _questions(), PARAGRAPHS)


def _figures() -> list[Figure]:
    return [
        Figure(
            "Figure1",
            "Photograph from the north ridge camera in daylight: houses of the village with trees in front.",
            "photograph(s)",
            scene(31, houses=HOUSES, trees=5),
        ),
        Figure(
            "Figure2",
            "Photograph from the water tower camera: sailing boats on the lake below the hills.",
            "** photograph(s)",
            scene(32, boats=BOATS),
        ),
        Figure(
            "Figure3",
            "Recall of house detection by distance from the camera (100 m to 1 km), by day and by night.",
            "Plot",
            bar_chart("distance", "recall (%)", RANGES, RECALL, (0, 110)),
        ),
        Figure(
            "Table1",
            "Table 1: Number of images and of annotated objects for each hillside camera.",
            "** Table",
            table(("Camera", "Images", "Objects"), [(name, *counts) for name, counts in CAMERAS.items()]),
        ),
    ]


def _questions() -> list[Question]:
    objects = {name: counts[1] for name, counts in CAMERAS.items()}
    per_image = {name: counts[1] / counts[0] for name, counts in CAMERAS.items()}
    gaps = {place: day - night for place, day, night in zip(RANGES, RECALL["day"], RECALL["night"], strict=True)}
    return [
        Question(
            "Figure1",
            "How many houses of the village can be seen in the photograph from the north ridge camera?",
            str(HOUSES),
            "The houses stand in one row and can be counted.",
        ),
        Question(
            "Figure1",
            "Was the north ridge photograph of the village taken at night?",
            "No",
            "The sky is bright and the sun is up.",
        ),
        Question(
            "Figure2",
            "How many sailing boats are on the lake in the photograph from the water tower camera?",
            str(BOATS),
            "Each boat has a dark hull and two pale sails.",
        ),
        Question(
            "Figure3",
            "At which distance is the gap between day and night recall of house detection the largest?",
            f"At {best(gaps)}, where recall drops from {RECALL['day'][3]}% by day to {RECALL['night'][3]}% by night.",
            "The pairs of bars grow apart with distance.",
        ),
        Question(
            "Table1",
            "Which hillside camera contributed the fewest images?",
            worst({name: counts[0] for name, counts in CAMERAS.items()}),
            "The column of images has its lowest number in that row.",
        ),
        Question(
            "Table1",
            "Which camera has the most annotated objects, and how many does it have per image on average?",
            f"The {best(objects).lower()} camera has the most ({objects[best(objects)]}), about "
            f"{per_image[best(objects)]:.1f} per image.",
            "The objects column gives the total; dividing by the number of images gives the average.",
        ),
    ]


PARAGRAPHS = (
    "Valleys change slowly, and nobody counts. Cameras on hillsides could, were it not that small objects at a "
    "distance are hard to detect.",
    "We set up three cameras, on the north ridge, in the old quarry and on the water tower. Each takes one picture "
    "every hour, day and night.",
    f"Two annotators marked every house and boat. Together the cameras gave "
    f"{sum(counts[0] for counts in CAMERAS.values())} images.",
    "The north ridge looks down on a village; the water tower overlooks the lake, on which boats sail from May on.",
    f"At 100 m, house detection reaches a recall of {RECALL['day'][0]}% by day and {RECALL['night'][0]}% by night. At "
    f"1 km it is {RECALL['day'][3]}% and {RECALL['night'][3]}%.",
    "Lit windows help at night, but only where somebody is at home. We therefore report night figures for "
    "weekdays alone.",
    "Boats were not detected at night at all, which is less of a loss than it seems: they are in the harbour.",
)
