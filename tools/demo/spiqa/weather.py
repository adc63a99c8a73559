"""Demo paper 1, two figures: a network of battery-powered weather stations."""

from __future__ import annotations

from drawing.charts import line_chart
from drawing.sketches import schematic
from spiqa.paper import Figure, Paper, Question, best

DAYS = (0, 5, 10, 15, 20, 25, 30)
CHARGE = {
    "every minute": (100, 83, 66, 50, 34, 20, 8),
    "every 10 minutes": (100, 94, 88, 82, 77, 71, 66),
    "every hour": (100, 98, 96, 94, 92, 91, 89),
}
CHAIN = ("Sensor\nnode", "Radio", "Gateway", "Database", "Dashboard")
LINKS = ("SPI", "868 MHz", "MQTT", "SQL")


def paper() -> Paper:
    """The paper."""
    return Paper("demo01.00001v1", _figures(), _questions(), PARAGRAPHS)


def _figures() -> list[Figure]:
    places = ((0, 0), (1, 0), (2, 0), (2, 1), (1, 1))
    steps = zip(CHAIN, CHAIN[1:], LINKS, strict=False)
    return [
        Figure(
            "Figure1",
            "Architecture of the weather station network: packets travel from the sensor node over the radio "
            "to the gateway, which stores them in the database that feeds the dashboard.",
            "schematic",
            schematic(dict(zip(CHAIN, places, strict=True)), list(steps)),
        ),
        Figure(
            "Figure2",
            "Battery charge of three stations over 30 days for transmission intervals of one minute, ten minutes "
            "and one hour.",
            "plot",
            line_chart("days since deployment", "battery charge (%)", DAYS, CHARGE, (0, 100)),
        ),
    ]


def _questions() -> list[Question]:
    final = {name: charge[-1] for name, charge in CHARGE.items()}
    fastest, middle = CHARGE["every minute"], CHARGE["every 10 minutes"]
    return [
        Question(
            "Figure1",
            "Which component of the weather station network receives the packets sent by the radio?",
            "The gateway.",
            "In the schematic the arrow that leaves the radio, labelled 868 MHz, points to the gateway.",
        ),
        Question(
            "Figure1",
            "Which protocol carries the measurements from the gateway to the database in the architecture?",
            LINKS[2],
            "The arrow between gateway and database is labelled with the protocol.",
        ),
        Question(
            "Figure2",
            "Which transmission interval leaves the most battery charge after 30 days, and how much is left?",
            f"Transmitting {best(final)} leaves the most charge: about {final[best(final)]}% after 30 days.",
            "The curve of that station is the highest at the right edge of the plot.",
        ),
        Question(
            "Figure2",
            "Does the battery charge of the station that transmits every minute fall below 20% within 30 days?",
            "Yes" if min(fastest) < 20 else "No",
            f"Its curve ends at about {fastest[-1]}% on day 30.",
        ),
        Question(
            "Figure2",
            "On day 15, how much higher is the battery charge with a ten minute interval than with a one minute one?",
            f"About {middle[3] - fastest[3]} percentage points ({middle[3]}% against {fastest[3]}%).",
            "Reading both curves at day 15 and taking the difference gives the answer.",
        ),
    ]


PARAGRAPHS = (
    "Small farms need weather data from their own fields, yet commercial stations cost more than the crops they "
    "protect. We describe a network of stations that a farmer can build in an afternoon.",
    "Each station measures temperature, humidity, rain and wind. A sensor node samples the four instruments and hands "
    "its packets to a radio over SPI.",
    "The radio transmits at 868 MHz to a gateway on the farmhouse roof. The gateway forwards every packet by MQTT to a "
    "database, from which a dashboard reads with plain SQL.",
    "We placed three stations side by side for 30 days in autumn. They differed in nothing but the interval between "
    "two transmissions: one minute, ten minutes, or one hour.",
    f"After 30 days the station that transmitted every minute had {CHARGE['every minute'][-1]}% of its charge left, "
    f"the one that did so every ten minutes {CHARGE['every 10 minutes'][-1]}%, and the hourly one "
    f"{CHARGE['every hour'][-1]}%.",
    "Rain events in our region last longer than ten minutes, so we recommend the ten minute interval. Frost warnings, "
    "which need one value an hour, would do with less.",
    "Future stations will carry a solar cell of the size of a postcard, which should remove the trade-off altogether.",
)
