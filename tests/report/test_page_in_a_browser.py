"""The page in a real browser: what it shows, what it lets through, and how fast it is."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_files import write_demo_run
from PIL import Image
from report_runs import choices, run_of, runs_at, write_two_runs

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.report import plots
from spiqa_tasks.report.page import Report, Section, as_html, build
from spiqa_tasks.report.printer import Table

PAYLOADS = [
    *(
        f"{start}script>window.hit=1</script>"
        for start in ("<", "</script><", "<!--<", "]]><", "\\u003c")
    ),
    *(
        f"<img src={quote}x{quote} onerror={quote}window.hit=1{quote}>"
        for quote in ("", "'", '"', "`", " ")
    ),
    *(f"<{tag} onload=window.hit=1>" for tag in ("svg", "body", "iframe", "style", "object")),
    *(
        f"<{tag} src=data:text/html,<script>parent.hit=1</script>>"
        for tag in ("iframe", "embed", "img", "frame")
    ),
    *(
        f"<a href={url}>x</a>"
        for url in ("javascript:window.hit=1", "data:text/html,<b>x", "JaVaScRiPt:window.hit=1")
    ),
    *(
        f"{close}<script>window.hit=1</script>"
        for close in ("</textarea>", "</title>", "</style>", "</pre>", "-->")
    ),
    *(f"{quote}><script>window.hit=1</script>" for quote in ("'", '"', "`", "\\'", '\\"')),
    *(
        f"{{{{{text}}}}}"
        for text in ("7*7", "constructor.constructor('window.hit=1')()", "''.__class__", "config")
    ),
    *(
        f"<{tag} ontoggle=window.hit=1 open>"
        for tag in ("details", "dialog", "video autoplay", "audio autoplay")
    ),
    *(
        "<base href=//x>",
        "<meta http-equiv=refresh content=0;url=data:,x>",
        "<link rel=stylesheet href=//x>",
    ),
    *(
        "<form action=//x><input autofocus onfocus=window.hit=1>",
        "<math><mtext><img src=x onerror=window.hit=1>",
    ),
    *(
        "<svg><animate onbegin=window.hit=1 attributeName=x>",
        "<template><script>window.hit=1</script></template>",
    ),
    *(
        "\u2028window.hit=1\u2029",
        "<noscript><p title='</noscript><img src=x onerror=window.hit=1>'>",
        "\x00<b>bold</b>",
    ),
    *(
        "<marquee onstart=window.hit=1>",
        "<select autofocus onfocus=window.hit=1>",
        "&lt;script&gt;window.hit=1",
        "$\\frac",
    ),
]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two runs: one always right, one right on every second question and refusing
    the first; and with a long table, which is folded.
    """
    folder = tmp_path_factory.mktemp("runs")
    write_demo_run(folder / "a", "a", lambda _, row: row["answer"])
    wrong = {0: "I'm sorry, I cannot see the image."}
    write_demo_run(
        folder / "b", "b", lambda place, row: row["answer"] if place % 2 else wrong.get(place, "E")
    )
    long = Table([{"run": f"m{place}"} for place in range(31)], ["run"], "Long")
    return written(folder, folder / "page.html", more=[Section("More", tables=[long])])


def written(runs: Path, path: Path, pictures: str = "large", more: Sequence[Section] = ()) -> Path:
    """The page of `runs`, with more sections."""
    report = build(runs_at(runs))
    report = replace(report, sections=[*report.sections, *more])
    path.write_text(as_html(report, pictures), encoding="utf-8", errors="replace")
    return path


def expect(locator: Any) -> Any:
    """Return playwright's `expect`; imported late, as playwright may be missing."""
    from playwright import sync_api

    return sync_api.expect(locator)


def opened(chromium: Any, path: Path, **options: Any) -> tuple[Any, list[str]]:
    """Return a page opened in the browser, and its messages, errors and requests."""
    page = chromium.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on(
        "request",
        lambda request: said.append(request.url) if not request.url.startswith("data:") else None,
    )
    page.goto(path.as_uri())
    return page, [text for text in said if text != path.as_uri()]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_dots_stand_where_their_values_are_on_the_axis(
    chromium: Any, tmp_path: Path, width: int
) -> None:
    """As the ticks do, with their intervals; the line at 0 is at the tick 0."""
    points = {"x": (0.5, 0.4, 0.6), "y": (-0.25, None, None)}
    plot = plots.intervals("Differences", {"difference": points}, "difference x 100")
    path = tmp_path / "page.html"
    path.write_text(as_html(Report("R", [], [Section("S", ["N."], plots=[plot])], []), "none"))
    page, said = opened(chromium, path, viewport={"width": width, "height": 800})
    assert said == []

    line, first, last = (
        page.locator(place).evaluate("(each) => each.getBoundingClientRect().toJSON()")
        for place in (".plot dd >> nth=0", ".axis span >> nth=0", ".axis span >> nth=-1")
    )
    assert first["x"] == pytest.approx(line["x"], abs=1)
    assert last["x"] == pytest.approx(line["right"], abs=1)
    part = (
        "(dots) => dots.flatMap((dot) => ['::before', '::after'].map((part) =>"
        " parseFloat(getComputedStyle(dot, part).left) / dot.clientWidth))"
    )
    low, value, low_of_y, value_of_y = page.locator(".plot i").evaluate_all(part)
    # from -40 to 60
    assert [low, value] == pytest.approx([0.8, 0.9], abs=0.005)
    assert low_of_y == value_of_y == pytest.approx(0.15, abs=0.005)
    place = page.locator(".plot dd").first.evaluate(
        "(row) => getComputedStyle(row).backgroundPositionX"
    )
    assert place.split(",")[0] == "40%"
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1280, 390])
def test_the_page_complains_of_nothing_asks_for_nothing_and_fits(
    chromium: Any, page_file: Path, width: int, scheme: str
) -> None:
    """No console message or request, nothing scrolls sideways, no layout shift; the scheme is
    the reader's.
    """
    page, said = opened(
        chromium, page_file, viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.locator(".scroll").count() > 5
    cut = (
        "(tables) => tables.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) =>"
        " each.ariaLabel)"
    )
    assert page.locator(".scroll").evaluate_all(cut) == []
    background = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]
    watched = "observe({type: 'layout-shift', buffered: true})"
    observed = f"new Promise(r => new PerformanceObserver(l => r(l.getEntries())).{watched})"
    shifts = page.evaluate(
        f"Promise.race([{observed}, new Promise(r => setTimeout(() => r([]), 300))])"
    )
    assert sum(shift["value"] for shift in shifts) < 0.01
    page.close()


@pytest.mark.parametrize(
    ("control", "value", "count"),
    [
        ("verdict", "wrong", 12),
        ("verdict", "refused", 1),
        ("status", "refused", 1),
        ("group", "math", 4),
        ("run", "1", 24),
        ("search", "cannot see the image", 1),
        ("search", "no such words", 0),
    ],
)
def test_every_filter_leaves_the_samples_it_names(
    chromium: Any, page_file: Path, control: str, value: str, count: int
) -> None:
    """The counts are those of the runs' own answers."""
    page, _ = opened(chromium, page_file)
    if control == "search":
        page.fill("#search", value)
    else:
        page.select_option(f"#{control}", value)
    assert page.inner_text("#number") == f"{count} of 24 samples"
    page.close()


def test_a_list_of_few_samples_is_as_large_as_they(chromium: Any, page_file: Path) -> None:
    """One sample leaves no empty box below it."""
    page, _ = opened(chromium, page_file)
    page.select_option("#verdict", "refused")
    assert page.locator("#list").bounding_box()["height"] < 100
    page.select_option("#verdict", "")
    assert page.locator("#list").bounding_box()["height"] > 400
    page.close()


def test_the_list_shows_whole_rows_and_says_which(chromium: Any, page_file: Path) -> None:
    """Also when it is scrolled to its end."""
    page, _ = opened(chromium, page_file)
    row = page.locator(".item").first.bounding_box()["height"]
    rows = page.locator("#list").evaluate("element => element.clientHeight") / row
    assert rows == int(rows)
    assert page.inner_text("#view") == f", 1 to {rows:.0f} in view"
    page.locator("#list").evaluate("element => { element.scrollTop = 1e6; }")
    expect(page.locator("#view")).to_have_text(f", {25 - rows:.0f} to 24 in view")
    page.close()


def test_a_phone_shows_a_whole_question(chromium: Any, page_file: Path) -> None:
    """It wraps in the list."""
    page, _ = opened(chromium, page_file, viewport={"width": 390, "height": 800})
    shown = page.locator(".item .text").first
    assert shown.evaluate("each => each.scrollWidth <= each.clientWidth")
    assert shown.evaluate("each => each.scrollHeight <= each.clientHeight")
    page.close()


def test_a_phone_shows_the_answers_of_both_runs(chromium: Any, tmp_path: Path) -> None:
    """Long ones are shortened; the second one was outside of the line."""
    long = "The graph shows that the error falls as the number of layers grows"
    runs = [
        run_of([Record("q", long, "x", scores={"l3score": 0.1})], name, "spiqa_demo")
        for name in ("first", "second")
    ]
    path = tmp_path / "page.html"
    path.write_text(as_html(build(runs), "none"), encoding="utf-8")
    page, _ = opened(chromium, path, viewport={"width": 390, "height": 800})
    chips = page.locator(".item .chip")
    expect(chips).to_have_count(2)
    right = "(all) => Math.max(...all.map((chip) => chip.getBoundingClientRect().right))"
    assert chips.evaluate_all(right) <= 390


def test_a_phone_shows_the_letters_of_three_runs(chromium: Any, tmp_path: Path) -> None:
    """Their names are shortened instead."""
    runs = [
        run_of(choices([True]), name)
        for name in ("ocr_baseline", "frequent_choice", "random_choice")
    ]
    path = tmp_path / "page.html"
    path.write_text(as_html(build(runs), "none"), encoding="utf-8")
    page, _ = opened(chromium, path, viewport={"width": 390, "height": 800})
    letters = page.locator(".item .said")
    assert letters.all_inner_texts() == [": A"] * 3
    cut = "(all) => all.map((each) => each.scrollWidth > each.clientWidth)"
    assert letters.evaluate_all(cut) == [False] * 3
    assert page.locator(".item .name").evaluate_all(cut) == [True] * 3
    right = "(all) => Math.max(...all.map((each) => each.getBoundingClientRect().right))"
    assert letters.evaluate_all(right) <= 390
    page.close()


def test_a_long_answer_in_the_list_ends_with_a_word_and_dots(chromium: Any, tmp_path: Path) -> None:
    """Who reads it sees that there is more."""
    long = "The graph shows that the error falls as the number of layers grows"
    run = run_of([Record("q", long, "x", scores={"l3score": 0.1})], "m", "spiqa_demo")
    path = tmp_path / "page.html"
    path.write_text(as_html(build([run]), "none"), encoding="utf-8")
    page, _ = opened(chromium, path, viewport={"width": 1440, "height": 800})
    said = page.locator(".item .said")
    assert said.inner_text() == ": The graph shows that the error falls as …"
    page.close()


def test_a_table_of_eleven_categories_fits(chromium: Any, tmp_path: Path) -> None:
    """On a screen and on A4: SciFIBench's Table 5, which was cut."""
    groups = {f"cs {letter}L (n=13)": "25.0 [14.6, 69.9]" for letter in "ABCDEF"}
    groups |= {f"cs {letter}L (n=1)": "100.0 [20.7, 100.0]" for letter in "GHIJK"}
    row = {"model": "frequent_choice", "source": "measured", **groups}
    table = Table([row], ["model", "source", *groups])
    path = tmp_path / "page.html"
    report = Report("R", [], [Section("S", ["N."], [table])], [])
    path.write_text(as_html(report, "none"), encoding="utf-8")
    page, _ = opened(chromium, path)
    is_cut = "(each) => each.scrollWidth > each.clientWidth + 1"
    assert not page.locator(".scroll").evaluate(is_cut)
    # the width of A4, landscape, between its margins of 12 mm
    page.set_viewport_size({"width": 1032, "height": 700})
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_a_phone_shows_no_headings_of_a_wide_table(chromium: Any, tmp_path: Path) -> None:
    """Each cell of a card has its own; the row of them is outside, however many there are."""
    columns = [f"Diagnostics and laboratory medicine {number}" for number in range(30)]
    row = {"run": "m", **dict.fromkeys(columns, "60.0 [42.3, 75.4]")}
    wide = Table([row], ["run", *columns], "Wide")
    path = tmp_path / "page.html"
    report = Report("Wide", (), [Section("Wide", tables=[wide])], [])
    path.write_text(as_html(report, "none"), encoding="utf-8")
    page, _ = opened(chromium, path, viewport={"width": 390, "height": 800})
    assert page.locator("thead").evaluate("head => head.getBoundingClientRect().right") <= 0


def test_a_sample_has_a_link_that_opens_it(chromium: Any, page_file: Path) -> None:
    """`#task/id` opens the sample with its answers and its picture; keys go on, and closing it
    forgets the link.
    """
    page, said = opened(chromium, page_file)
    page.goto(f"{page_file.as_uri()}#mmstar_demo/3")
    page.reload()
    assert page.inner_text("#sample-title") == "mmstar_demo/3"
    assert page.locator("#detail h4").count() == 2
    picture = page.locator("#detail img")
    picture.evaluate("element => element.decode()")
    assert picture.evaluate("element => element.naturalWidth") > 0
    page.keyboard.press("ArrowRight")
    expect(page.locator("#sample-title")).to_have_text("mmstar_demo/4")
    page.keyboard.press("Escape")
    assert not page.locator("#sample").is_visible()
    assert said == []
    page.close()


def test_the_filters_are_in_the_address(chromium: Any, page_file: Path) -> None:
    """They are kept when the page is loaded again and when a sample is opened, and there is a
    link to copy.
    """
    page, said = opened(chromium, page_file)
    page.select_option("#verdict", "wrong")
    page.fill("#search", "which")
    count = page.inner_text("#number")
    link = page.locator("#selection").evaluate("element => element.href")
    assert "verdict=wrong" in link
    page.locator(".item").first.click()
    page.wait_for_selector("#sample[open]")
    page.reload()
    assert page.locator("#sample").is_visible()
    assert page.inner_text("#number") == count
    page.goto("about:blank")
    page.goto(link)
    assert (page.input_value("#verdict"), page.input_value("#search")) == ("wrong", "which")
    assert page.inner_text("#number") == count
    assert said == []
    page.close()


def test_groups_are_those_of_the_task(chromium: Any, tmp_path: Path) -> None:
    """With a task chosen its own groups are offered, and another task's is chosen no more."""
    page, _ = opened(chromium, written(write_two_runs(tmp_path), tmp_path / "page.html", "none"))
    page.select_option("#group", "math")
    page.select_option("#task", "scifibench_demo")
    assert page.input_value("#group") == ""
    offered = page.locator("#group option").all_inner_texts()
    assert "math" not in offered
    assert "fig2cap" in offered
    page.close()


def test_keys_as_people_know_them(chromium: Any, page_file: Path) -> None:
    """`/` searches, `j` and `k` move, Enter opens, `?` shows the keys; the focus never falls to
    the body.
    """
    page, _ = opened(chromium, page_file)
    for key in ("j", "j", "k"):
        page.keyboard.press(key)
    assert page.locator(".item.current .where").inner_text() == "mmstar_demo/0"
    page.keyboard.press("Enter")
    expect(page.locator("#sample-title")).to_have_text("mmstar_demo/0")
    page.keyboard.press("j")
    expect(page.locator("#sample-title")).to_have_text("mmstar_demo/1")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.close()


def test_the_search_s_keys(chromium: Any, page_file: Path) -> None:
    """Enter opens the first sample found, Esc empties the search and then leaves it, an arrow
    goes to the samples.
    """
    page, said = opened(chromium, page_file)
    page.keyboard.press("/")
    page.keyboard.type("shape")
    count = page.inner_text("#number")
    assert not count.startswith("24")
    page.keyboard.press("Enter")
    first = page.locator(".item .where").first.inner_text()
    expect(page.locator("#sample-title")).to_have_text(first)
    page.keyboard.press("Escape")
    assert page.inner_text("#number") == count
    # The browser reports the closed sample later, and then the list has the focus.
    expect(page.locator("#list")).to_be_focused()
    page.focus("#search")
    page.keyboard.press("Escape")
    assert (page.input_value("#search"), page.inner_text("#number")) == ("", "24 of 24 samples")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator(".item.current .where").inner_text() == "mmstar_demo/1"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("#sample-title")).to_have_text("mmstar_demo/0")
    page.keyboard.press("Escape")
    page.wait_for_function("document.activeElement.id == 'list'")
    page.keyboard.press("Tab")  # out of the list, not through its rows
    assert page.evaluate("document.activeElement.closest('#samples')") is None
    assert said == []
    page.close()


def test_samples_are_sorted(chromium: Any, page_file: Path) -> None:
    """By score, of the chosen run if there is one, and by how far the runs are apart; the order
    is in the address.
    """
    page, _ = opened(chromium, page_file)
    chips = page.locator(".item").first.locator(".chip")
    page.select_option("#sort", "low")
    assert "✗" in chips.nth(1).inner_text()
    page.select_option("#sort", "high")
    assert [text[0] for text in chips.all_inner_texts()] == ["✓", "✓"]
    page.select_option("#sort", "apart")
    assert [text[0] for text in chips.all_inner_texts()] == ["✓", "✗"]
    page.reload()
    assert page.input_value("#sort") == "apart"
    page.close()


def test_the_least_certain_judgement_comes_first(chromium: Any, tmp_path: Path) -> None:
    """That nearest to one half; a sample without a verdict is last."""
    scores = {"q0": 0.9, "q1": None, "q2": 0.45, "q3": 0.2}
    verdicts = {
        key: () if score is None else ({"metric": "l3score", "score": score},)
        for key, score in scores.items()
    }
    records = [Record(key, "x", verdicts=each) for key, each in verdicts.items()]
    run = run_of(records, "m", "t", "data:spiqa/demo@d|settings:setting=direct|judge:x")
    (tmp_path / "p.html").write_text(as_html(build([run]), "none"), encoding="utf-8")
    page, _ = opened(chromium, tmp_path / "p.html")
    page.select_option("#sort", "unsure")
    assert page.locator(".item .where").all_inner_texts() == ["t/q2", "t/q3", "t/q0", "t/q1"]
    page.close()


def test_a_link_to_an_unknown_sample_says_so(chromium: Any, page_file: Path) -> None:
    """And that to a section or a known sample does not."""
    page, _ = opened(chromium, page_file)
    page.goto(f"{page_file.as_uri()}#mmstar_demo/999")
    expect(page.locator("#unknown")).to_be_visible()
    assert page.inner_text("#unknown").startswith("This report has no sample mmstar_demo/999")
    for link in ("section-2", "samples", "mmstar_demo/3"):
        page.goto(f"{page_file.as_uri()}#{link}")
        expect(page.locator("#unknown")).to_be_hidden()
    page.close()


@pytest.mark.parametrize("size", [(794, 1123), (1123, 794)])
def test_print_cuts_nothing_and_shows_what_is_folded(
    chromium: Any, page_file: Path, size: tuple[int, int]
) -> None:
    """On A4 both ways, of 96 pixels an inch less the margins of 12 mm; what was folded is folded
    again afterwards.
    """
    margins = 2 * 45
    page, _ = opened(
        chromium, page_file, viewport={"width": size[0] - margins, "height": size[1] - margins}
    )
    page.emulate_media(media="print")
    folded = page.locator("details:not([open])").count()
    assert folded
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("table").evaluate_all(
        "(all) => all.every((each) => each.getBoundingClientRect().right <= innerWidth)"
    )
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() == folded
    page.close()


def test_print_breaks_no_word_and_no_interval(chromium: Any, tmp_path: Path) -> None:
    """Not in a table of ten intervals either."""
    interval = "100.0 [34.2, 100.0]"
    names = [f"c{place}" for place in range(10)]
    record = {"model": "captionretrievalbaseline", **dict.fromkeys(names, interval)}
    report = Report("T", (), [Section("S", tables=[Table([record], ["model", *names])])], ())
    path = tmp_path / "page.html"
    path.write_text(as_html(report, "none"), encoding="utf-8")
    page, _ = opened(chromium, path, viewport={"width": 1123 - 90, "height": 794 - 90})
    page.emulate_media(media="print")
    lines = """(all) => all.map((each) => {
        const range = document.createRange();
        range.selectNodeContents(each.firstChild);
        return range.getClientRects().length;
    })"""
    for words in ("td:first-child", "td span"):
        assert set(page.locator(words).evaluate_all(lines)) == {1}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_a_printed_table_begins_below_its_heading(chromium: Any, tmp_path: Path) -> None:
    """One that is as long as a page left its heading alone on the page before; its short names,
    such as bleu_1, stay on a line.
    """
    records = [{"model": f"m_{place}", "bleu_1": "1.0"} for place in range(20)]
    table = Table(records, ["model", "bleu_1"], title="Scores")
    report = Report("T", (), [Section("S", tables=[table])], ())
    path = tmp_path / "page.html"
    path.write_text(as_html(report, "none"), encoding="utf-8")
    page, _ = opened(chromium, path)
    page.emulate_media(media="print")
    style = "(figure) => getComputedStyle(figure).breakInside"
    assert page.locator("figure.table").evaluate_all(f"(all) => all.map({style})") == ["auto"]
    assert page.locator("table wbr").count() == 0
    page.close()


def test_print_shows_a_row_of_many_columns_as_a_list(chromium: Any, tmp_path: Path) -> None:
    """ScienceQA has 65 categories: a table of them would make all of the print too small."""
    names = [f"Category {place} of many" for place in range(65)]
    record = {"model": "m", **dict.fromkeys(names, "100.0 [34.2, 100.0]")}
    report = Report("T", (), [Section("S", tables=[Table([record], ["model", *names])])], ())
    path = tmp_path / "page.html"
    path.write_text(as_html(report, "none"), encoding="utf-8")
    page, _ = opened(chromium, path, viewport={"width": 1123 - 90, "height": 794 - 90})
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("td")).to_have_count(66)
    page.close()


def test_pictures_are_legible(chromium: Any, page_file: Path) -> None:
    """Each is as large as it was made, up to 1,000 pixels, and a click shows it alone."""
    page, _ = opened(chromium, page_file)
    page.goto(f"{page_file.as_uri()}#mmstar_demo/3")
    picture = page.locator("#detail img")
    picture.evaluate("element => element.decode()")
    with Image.open(load_rows("mmstar", "demo", "")[3]["images"][0]) as image:
        assert picture.evaluate("element => element.naturalWidth") == min(1000, image.width)
    page.click("#detail .frame")
    assert page.locator("#picture img").is_visible()
    page.click("#picture img")
    assert not page.locator("#picture").is_visible()
    assert page.locator("#sample").is_visible()
    page.close()


def test_tables_sort_by_the_column_that_is_pressed(chromium: Any, page_file: Path) -> None:
    """Numbers by value, first up, then down; the order is told to a screen reader."""
    page, _ = opened(chromium, page_file)
    table = page.locator("table:has(th:has-text('accuracy'))").first
    head = table.locator("th", has_text="accuracy").first
    place = head.evaluate("element => element.cellIndex")
    for order in ("ascending", "descending"):
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == order
        cells = [row.split("\t")[place] for row in table.locator("tbody tr").all_inner_texts()]
        numbers = [float(cell.split()[0]) for cell in cells if cell.strip()[:1].isdigit()]
        assert numbers == sorted(numbers, reverse=order == "descending")
    page.close()


def test_a_bound_is_sorted_by_its_number(chromium: Any, tmp_path: Path) -> None:
    """A p-value below 0.001 before 0.001, cells without a number last."""
    cells = ["0.500", "-", "< 0.001", "0.001", "1,000"]
    shown = Table([{"p": cell} for cell in cells], ["p"])
    path = tmp_path / "page.html"
    path.write_text(
        as_html(Report("T", (), [Section("S", tables=[shown])], ()), "none"), encoding="utf-8"
    )
    page, _ = opened(chromium, path)
    page.click("th button")
    assert page.locator("td").all_inner_texts() == ["< 0.001", "0.001", "0.500", "1,000", "-"]
    page.close()


def test_texts_of_models_are_never_markup(chromium: Any, tmp_path: Path) -> None:
    """Fifty payloads in answers and in the model's name do nothing, and are shown as they are."""
    assert len(PAYLOADS) >= 50
    repeat = -(-len(PAYLOADS) // 24)
    write_demo_run(
        tmp_path, PAYLOADS[0], lambda place, _: PAYLOADS[place % len(PAYLOADS)], repeat=repeat
    )
    path = written(tmp_path, tmp_path / "page.html", pictures="none")
    page, said = opened(chromium, path)
    for place, payload in enumerate(PAYLOADS):
        page.evaluate("hash => { location.hash = hash; }", f"mmstar_demo/{place}")
        expect(page.locator("#sample-title")).to_have_text(f"mmstar_demo/{place}")
        shown = page.locator("#detail section pre").evaluate("element => element.textContent")
        assert shown == payload
    assert page.evaluate("window.hit") is None
    assert said == []
    assert (
        page.locator("iframe, embed, object, base, body script:not([type]) ~ script").count() == 0
    )
    page.close()


@pytest.mark.slow
def test_ten_thousand_samples_stay_smooth(chromium: Any, tmp_path: Path) -> None:
    """Built in under 5 s, painted in under 1 s, filtered in under 100 ms; the page itself is
    under 1.5 MB.
    """
    long = "The answer follows from the picture. " * 10
    write_demo_run(
        tmp_path,
        "big",
        lambda place, row: f"{long}{row['answer'] if place % 3 else 'E'} {place}",
        repeat=417,
    )
    build(runs_at(tmp_path))
    start = time.monotonic()
    path = written(tmp_path, tmp_path / "page.html")
    assert time.monotonic() - start < 5
    text = path.read_text(encoding="utf-8")
    assert len(re.sub(r"<script type=.*?</script>", "", text, flags=re.DOTALL)) < 1_500_000
    page, said = opened(chromium, path)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert paint < 1000
    for control, value in (
        ("search", "9999"),
        ("search", ""),
        ("verdict", "wrong"),
        ("group", "math"),
    ):
        taken = page.evaluate(
            """([id, value]) => { const start = performance.now();
            const control = document.getElementById(id); control.value = value;
            control.dispatchEvent(new Event("input", {bubbles: true}));
            return performance.now() - start; }""",
            [control, value],
        )
        assert taken < 100
    assert page.locator(".item").count() < 40
    assert said == []
    page.close()
