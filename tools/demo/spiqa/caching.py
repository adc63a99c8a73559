"""Demo paper 4, five figures: caching at the edge of a network."""

from __future__ import annotations

from drawing.charts import bar_chart, line_chart, table
from drawing.sketches import schematic
from spiqa.paper import Figure, Paper, Question, best

SIZES = (1, 2, 4, 8, 16)
HITS = {"LRU": (21, 30, 41, 53, 62), "LFU": (25, 33, 42, 51, 58), "TwoTier": (30, 41, 53, 64, 71)}
REGIONS = ("city", "suburb", "village")
LATENCY = {"no cache": (84, 97, 142), "TwoTier": (31, 38, 66)}
WORKLOADS = {"video": (182, 3.4, 0.91), "news": (640, 0.2, 0.78), "maps": (415, 0.6, 0.64)}
ABLATION = {"TwoTier": 64.0, "without admission filter": 57.5, "without second tier": 54.2, "without ageing": 61.8}


def paper() -> Paper:
    """The paper."""
    return Paper("demo04.00004v1", _figures(), _questions(), PARAGRAPHS)


def _figures() -> list[Figure]:
    boxes = {"Client": (0, 0), "Edge\nserver": (1, 0), "Hot tier\n(memory)": (2, 0), "Cold tier\n(disk)": (2, 1)}
    arrows = [
        ("Client", "Edge\nserver", "request"),
        ("Edge\nserver", "Hot tier\n(memory)", "look up"),
        ("Hot tier\n(memory)", "Cold tier\n(disk)", "miss"),
        ("Cold tier\n(disk)", "Origin", "miss"),
    ]
    return [
        Figure(
            "Figure1",
            "Path of a request in TwoTier: the edge server asks the hot tier, then the cold tier, then the origin.",
            "** Schematic",
            schematic({**boxes, "Origin": (1, 1)}, arrows),
        ),
        Figure(
            "Figure2",
            "Hit rate of the caching policies LRU, LFU and TwoTier for cache sizes from 1 to 16 GB.",
            "plot.",
            line_chart("cache size (GB)", "hit rate (%)", SIZES, HITS, (0, 80)),
        ),
        Figure(
            "Figure3",
            "Median latency (milliseconds) without a cache and with TwoTier for clients in city, suburb and village.",
            "plot",
            bar_chart("region of the client", "median latency (ms)", REGIONS, LATENCY, (0, 160)),
        ),
        Figure(
            "Table1",
            "Table 1: The three workloads: thousands of objects, mean object size in MB and Zipf exponent.",
            "N/A",
            table(("Workload", "Objects (k)", "Size (MB)", "Zipf"), [(name, *row) for name, row in WORKLOADS.items()]),
        ),
        Figure(
            "Table2",
            "Table 2: Ablation of TwoTier: hit rate (%) at 8 GB without single parts of the design.",
            "table",
            table(("Variant", "Hit rate"), list(ABLATION.items())),
        ),
    ]


def _questions() -> list[Question]:
    at_16 = {name: values[-1] for name, values in HITS.items()}
    drops = {name: ABLATION["TwoTier"] - value for name, value in ABLATION.items()}
    saved = LATENCY["no cache"][2] - LATENCY["TwoTier"][2]
    sizes = {name: row[1] for name, row in WORKLOADS.items()}
    return [
        Question(
            "Figure1",
            "Where does a request of TwoTier go after a miss in the hot tier?",
            "To the cold tier, which is on disk; only after a second miss is the origin asked.",
            "The arrow labelled miss leads from the hot tier to the cold tier.",
        ),
        Question(
            "Figure2",
            "Which caching policy has the highest hit rate at a cache size of 16 GB?",
            best(at_16),
            f"Its curve ends at {at_16[best(at_16)]}%, above the two others.",
        ),
        Question(
            "Figure2",
            "Is the hit rate of LFU higher than that of LRU at every cache size?",
            "No. LFU is ahead of LRU up to 4 GB, but behind it at 8 and 16 GB.",
            "The two curves cross between 4 and 8 GB.",
        ),
        Question(
            "Figure3",
            "By how many milliseconds does TwoTier lower the median latency of clients in the village?",
            f"By {saved} ms, from {LATENCY['no cache'][2]} to {LATENCY['TwoTier'][2]} ms.",
            "The last pair of bars belongs to the village.",
        ),
        Question(
            "Table1",
            "Which workload has the largest mean object size?",
            best(sizes).capitalize(),
            f"Its mean size is {sizes[best(sizes)]} MB.",
        ),
        Question(
            "Table2",
            "Removing which part of the design costs TwoTier the most in the ablation, and how much?",
            f"The second tier: the hit rate falls by {max(drops.values()):.1f} points to "
            f"{ABLATION['without second tier']}%.",
            "The variant without second tier has the lowest hit rate in the table.",
        ),
    ]


PARAGRAPHS = (
    "An object that is asked for twice in a street should cross the country once. Edge caches promise this, but their "
    "memory is small.",
    "TwoTier keeps recent objects in memory and lets those with a record of requests sink to disk instead of dropping "
    "them. An admission filter keeps objects that are asked for once from entering at all.",
    "We replay three workloads. Video has few and large objects, news many and small ones; maps have the flattest "
    "popularity, with a Zipf exponent of 0.64.",
    f"At 16 GB TwoTier reaches a hit rate of {HITS['TwoTier'][-1]}%, against {HITS['LRU'][-1]}% for LRU and "
    f"{HITS['LFU'][-1]}% for LFU.",
    "LFU beats LRU while the cache is small, since it holds on to the few very popular objects. From 8 GB on the order "
    "is reversed.",
    "Clients far from the origin gain most in absolute terms. In the village the median latency is more than halved.",
    "Every part of the design matters, the second tier most. Ageing matters least, because our traces span one week.",
)
