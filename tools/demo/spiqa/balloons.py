"""Demo paper 6, eleven figures: tracking hot-air balloons from the ground."""

from __future__ import annotations

import random
from itertools import pairwise

from drawing.charts import bar_chart, line_chart, pie_chart, scatter_chart, table
from drawing.scenes import scene
from drawing.sketches import map_grid, schematic
from spiqa.paper import Figure, Paper, Question, best

COLOURS = ("red", "blue", "yellow", "purple", "orange")
NIGHT_HOUSES = 4
ALTITUDES = (100, 200, 400, 600, 800)
PRECISION = {"Updraft": (97, 95, 91, 86, 79), "template matching": (93, 85, 66, 48, 31)}
DEVICES = ("phone", "laptop", "server")
SPEED = {"Updraft": (11, 34, 96), "template matching": (24, 58, 120)}
ERRORS = {"pixels": (34, 41, 16, 6, 3)}
BINS = ("0-2", "2-4", "4-6", "6-8", "8+")
CAUSES: dict[str, float] = {"clouds": 46, "sun glare": 27, "birds": 15, "lost packet": 12}
SITES = {"camera A": (0, 3), "camera B": (5, 2), "launch": (2, 1), "church": (3, 3)}
FLIGHTS = {"Flight 1": (42, 5, 640), "Flight 2": (65, 3, 820), "Flight 3": (58, 7, 710)}
COMPARED = {"Updraft": (89.6, 3.1), "template matching": (64.6, 7.3), "optical flow": (71.0, 5.2)}
ABLATION = {"full model": 89.6, "no wind prior": 83.1, "no colour model": 79.7}


def paper() -> Paper:
    """The paper."""
    return Paper(
        "demo06.00006v1", [*_pictures(), *_plots(), *_tables()], [*_about_pictures(), *_about_numbers()], PARAGRAPHS
    )


def _wind() -> dict[str, list[tuple[float, float]]]:
    rng = random.Random(6)
    speeds = [rng.uniform(0, 12) for _ in range(60)]
    return {"one second of flight": [(speed, 0.8 + 0.55 * speed + rng.gauss(0, 0.5)) for speed in speeds]}


def _pictures() -> list[Figure]:
    boxes = {"Camera": (0, 0), "Sky mask": (1, 0), "Detector": (2, 0), "Tracker": (3, 0), "Wind prior": (3, 1)}
    arrows = [*pairwise(list(boxes)[:4]), ("Wind prior", "Tracker")]
    return [
        Figure(
            "Figure1",
            "Updraft pipeline: sky mask, detector and tracker; the wind prior informs the tracker.",
            "Schematic",
            schematic(boxes, [(*ends, "") for ends in arrows], (620, 200)),
        ),
        Figure(
            "Figure2",
            "Photograph of a morning flight: hot-air balloons of different colours above the hills.",
            "photograph(s)",
            scene(62, balloons=COLOURS),
        ),
        Figure(
            "Figure3",
            "Night photograph used to calibrate the camera: lit houses under a starry sky.",
            "photograph",
            scene(63, houses=NIGHT_HOUSES, night=True),
        ),
        Figure("Figure8", "Causes of lost tracks in percent of all losses.", "other", pie_chart(CAUSES)),
        Figure(
            "Figure9",
            "Map of the test site with both cameras, the launch field and the church.",
            "Map.",
            map_grid(SITES),
        ),
    ]


def _plots() -> list[Figure]:
    return [
        Figure(
            "Figure4",
            "Precision of Updraft and template matching for balloon altitudes from 100 to 800 m.",
            "plot",
            line_chart("altitude (m)", "precision (%)", ALTITUDES, PRECISION, (0, 100)),
        ),
        Figure(
            "Figure5",
            "Position error in pixels against wind speed in metres per second; each point is one second of flight.",
            "plot.",
            scatter_chart("wind speed (m/s)", "position error (pixels)", _wind(), (0, 12), (0, 10)),
        ),
        Figure(
            "Figure6",
            "Frame rate of Updraft and template matching on a phone, a laptop and a server.",
            "Plot.",
            bar_chart("device", "frames per second", DEVICES, SPEED, (0, 140)),
        ),
        Figure(
            "Figure7",
            "Histogram of the position error of Updraft over all three flights.",
            "plot",
            bar_chart("position error (pixels)", "share of frames (%)", BINS, ERRORS, (0, 50)),
        ),
    ]


def _tables() -> list[Figure]:
    return [
        Figure(
            "Table1",
            "Table 1: The three recorded flights: minutes, number of balloons and maximum altitude in metres.",
            "N/A",
            table(("Recording", "Minutes", "Balloons", "Altitude"), [(name, *row) for name, row in FLIGHTS.items()]),
        ),
        Figure(
            "Table2",
            "Table 2: Comparison of trackers: mean precision (%) and mean position error (pixels).",
            "table.",
            table(("Tracker", "Precision", "Error"), [(name, *row) for name, row in COMPARED.items()]),
        ),
    ]


def _about_pictures() -> list[Question]:
    return [
        Question(
            "Figure1",
            "Which part of the Updraft pipeline does the wind prior inform?",
            "The tracker.",
            "The arrow from the wind prior points to the tracker.",
        ),
        Question(
            "Figure2",
            "How many hot-air balloons are above the hills in the photograph of the morning flight?",
            str(len(COLOURS)),
            "They fly side by side and differ in colour.",
        ),
        Question(
            "Figure2",
            "What is the colour of the leftmost balloon in the photograph of the morning flight?",
            COLOURS[0].capitalize(),
            "It is the first balloon from the left edge.",
        ),
        Question(
            "Figure8",
            "What is the most frequent cause of lost tracks?",
            best(CAUSES).capitalize(),
            f"It accounts for {max(CAUSES.values()):g}% of all losses.",
        ),
    ]


def _about_numbers() -> list[Question]:
    faster = best({name: rates[0] for name, rates in SPEED.items()})
    highest = best({name: row[2] for name, row in FLIGHTS.items()})
    return [
        Question(
            "Figure4",
            "What happens to the precision of template matching as the altitude of the balloon rises to 800 m?",
            f"It falls steeply, from {PRECISION['template matching'][0]}% at 100 m to "
            f"{PRECISION['template matching'][-1]}% at 800 m, far more than that of Updraft.",
            "The curve of template matching drops while that of Updraft declines slowly.",
        ),
        Question(
            "Figure5",
            "How does the position error relate to wind speed?",
            "It grows with it, roughly linearly: stronger wind goes with larger errors.",
            "The points rise from the lower left to the upper right.",
        ),
        Question(
            "Figure6",
            "Which method has the higher frame rate on a phone?",
            faster.capitalize(),
            "Its bar is the higher one in the group for the phone.",
        ),
        Question(
            "Figure7",
            "What share of frames in the histogram has a position error below 4 pixels?",
            f"{ERRORS['pixels'][0] + ERRORS['pixels'][1]}%",
            "The two first bars have to be added.",
        ),
        Question(
            "Table1",
            "Which recorded flight reached the greatest maximum altitude?",
            f"{highest}, with {FLIGHTS[highest][2]} m.",
            "The last column has its highest number in that row.",
        ),
        Question(
            "Table2",
            "Does optical flow have a lower mean position error than Updraft in the comparison of trackers?",
            "Yes" if COMPARED["optical flow"][1] < COMPARED["Updraft"][1] else "No",
            "The error column lists both trackers.",
        ),
    ]


PARAGRAPHS = (
    "Hot-air balloons are large, slow and brightly coloured. That they are nevertheless lost by trackers is due to the "
    "sky, which is larger.",
    "Updraft works on the pictures of two cameras on the ground. A sky mask removes hills and houses, a detector "
    "proposes balloons, and a tracker links them over time.",
    "The tracker is told what the wind was a minute ago. As balloons have no engine, this prior is unusually strong.",
    f"We recorded three flights with {', '.join(str(row[1]) for row in FLIGHTS.values())} balloons. The longest lasted "
    f"{max(row[0] for row in FLIGHTS.values())} minutes.",
    "The cameras were calibrated at night against stars and the windows of the village below.",
    f"Updraft reaches a mean precision of {COMPARED['Updraft'][0]}%, optical flow {COMPARED['optical flow'][0]}% and "
    f"template matching {COMPARED['template matching'][0]}%. The gap widens with altitude.",
    f"Without the wind prior the precision falls to {ABLATION['no wind prior']}%, without the colour model to "
    f"{ABLATION['no colour model']}%.",
    f"Clouds cause {CAUSES['clouds']:g}% of the lost tracks and sun glare {CAUSES['sun glare']:g}%. Birds are rarely "
    "mistaken for balloons, and never the other way round.",
    "Speed is the price: on a phone template matching runs more than twice as fast.",
    "The pictures, and the positions that the pilots reported by radio, are available on request.",
)
