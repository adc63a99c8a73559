"use strict";
// The sample browser: filters over data that stands in the page as JSON; texts are only ever set as text.
(() => {
  const at = (id) => document.getElementById(id);
  const height = () => parseFloat(getComputedStyle(at("list")).getPropertyValue("--row"));
  const data = JSON.parse(at("data").textContent);
  const filters = ["task", "group", "run", "verdict", "status", "rule"];
  const kept = ["search", "sort", ...filters];
  const key = (sample) => `${sample.task}/${sample.id}`;
  const groups = new Map();
  let shown = data.samples;
  let open = -1;
  let cursor = -1;

  const half = (value) => Math.abs(value - 0.5);
  const scored = (sample, run) => sample.answers.filter((answer) => answer.score !== undefined && (run === "" || String(answer.run) === run)).map((answer) => answer.score);
  const judged = (sample) => sample.answers.flatMap((answer) => answer.judge ?? []).filter((each) => each.score !== undefined).map((each) => half(each.score));
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  // Name of an order -> what a sample is sorted by, the smallest first; undefined and NaN are last.
  const orders = {
    low: (sample, run) => mean(scored(sample, run)),
    high: (sample, run) => -mean(scored(sample, run)),
    apart: (sample) => Math.min(...scored(sample, "")) - Math.max(...scored(sample, "")),
    unsure: (sample) => Math.min(...judged(sample)),
  };

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function verdict(answer) {
    if (answer.score === undefined) return "no score";
    return answer.score >= data.right ? "right" : "wrong";
  }

  function disagrees(sample) {
    return new Set(sample.answers.map(verdict)).size > 1;
  }

  function fill(id, values, labels) {
    at(id).replaceChildren(at(id).options[0]);
    for (const value of values) {
      const option = element("option", "", labels ? labels[value] : value);
      option.value = value;
      at(id).append(option);
    }
  }

  function index() {
    const statuses = new Set(), rules = new Set();
    groups.set("", new Set());
    for (const sample of data.samples) {
      if (!groups.has(sample.task)) groups.set(sample.task, new Set());
      for (const group of sample.groups) ["", sample.task].forEach((task) => groups.get(task).add(group));
      const texts = [sample.id, sample.question ?? "", sample.reference, ...(sample.options ?? [])];
      for (const answer of sample.answers) {
        statuses.add(answer.status);
        if (answer.rule) rules.add(answer.rule);
        texts.push(answer.response);
      }
      sample.text = texts.join("\n").toLowerCase();
    }
    fill("task", [...groups.keys()].filter(Boolean));
    fill("status", [...statuses].sort());
    fill("rule", [...rules].sort());
    fill("run", data.runs.keys(), data.runs);
  }

  function matches(answer, chosen) {
    if (chosen.run !== "" && String(answer.run) !== chosen.run) return false;
    if (chosen.status && answer.status !== chosen.status) return false;
    if (chosen.rule && answer.rule !== chosen.rule) return false;
    if (chosen.verdict === "refused") return Boolean(answer.refused);
    return !chosen.verdict || verdict(answer) === chosen.verdict;
  }

  function offer() {
    const chosen = at("group").value;
    const known = groups.get(at("task").value);
    fill("group", [...known].sort());
    at("group").value = known.has(chosen) ? chosen : "";
  }

  // The address holds the open sample and the filters: #task/id?task=...&verdict=wrong
  function address(name) {
    const chosen = new URLSearchParams();
    for (const id of kept) if (at(id).value) chosen.set(id, at(id).value);
    if (at("disagree").checked) chosen.set("disagree", "1");
    const query = chosen.toString();
    return `#${encodeURI(name).replace(/\?/g, "%3F")}${query ? `?${query}` : ""}`;
  }

  function restore(query) {
    const chosen = new URLSearchParams(query);
    at("task").value = chosen.get("task") ?? "";
    offer();
    for (const id of kept) at(id).value = chosen.get(id) ?? "";
    at("disagree").checked = chosen.has("disagree");
    filter();
  }

  function chosen() {
    at("unknown").hidden = true;
    offer();
    filter();
    history.replaceState(null, "", address("samples"));
  }

  function filter() {
    const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = Object.fromEntries(filters.map((name) => [name, at(name).value]));
    const disagree = at("disagree").checked;
    shown = data.samples.filter((sample) =>
      (!chosen.task || sample.task === chosen.task) &&
      (!chosen.group || sample.groups.includes(chosen.group)) &&
      (!disagree || disagrees(sample)) &&
      sample.answers.some((answer) => matches(answer, chosen)) &&
      words.every((word) => sample.text.includes(word)));
    const by = orders[at("sort").value];
    if (by) {
      const last = (value) => (Number.isFinite(value) ? value : Infinity);
      const places = new Map(shown.map((sample) => [sample, last(by(sample, chosen.run))]));
      shown.sort((a, b) => (places.get(a) === places.get(b) ? 0 : places.get(a) - places.get(b)));
    }
    at("number").textContent = `${shown.length} of ${data.samples.length} samples`;
    at("empty").hidden = shown.length > 0;
    at("selection").href = address("samples");
    cursor = -1;
    at("list").style.setProperty("--count", shown.length);
    at("list").scrollTop = 0;
    draw();
  }

  function item(sample, place) {
    const row = element("a", place === cursor ? "item current" : "item");
    row.href = address(key(sample));
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(place === cursor));
    row.id = `item-${place}`;
    row.tabIndex = -1;
    row.style.setProperty("--place", place);
    const answers = element("span", "answers");
    for (const answer of sample.answers) {
      const chip = element("span", `chip ${verdict(answer)}`);
      const said = shortened(String(answer.extracted ?? answer.status), 40);
      chip.append(element("span", "name", `${mark(answer)} ${data.runs[answer.run]}`), element("span", "said", `: ${said}`));
      answers.append(chip);
    }
    row.append(element("span", "text", sample.question || sample.reference), answers, element("span", "where", key(sample)));
    return row;
  }

  // Whole words of a long text, and that there are more.
  function shortened(text, most) {
    return text.length > most ? `${text.slice(0, most).replace(/\s+\S*$/, "")} …` : text;
  }

  function mark(answer) {
    return { right: "✓", wrong: "✗", "no score": "–" }[verdict(answer)];
  }

  function draw() {
    const list = at("list");
    const top = list.scrollTop / height();
    const bottom = Math.min(shown.length, top + list.clientHeight / height());
    at("view").textContent = shown.length ? `, ${Math.floor(top) + 1} to ${Math.floor(bottom)} in view` : "";
    const first = Math.max(0, Math.floor(top) - 4);
    const last = Math.min(shown.length, Math.ceil(bottom) + 4);
    const rows = [];
    for (let place = first; place < last; place += 1) rows.push(item(shown[place], place));
    const focused = at("space").contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    at("space").replaceChildren(...rows);
    list.setAttribute("aria-activedescendant", cursor < 0 ? "" : `item-${cursor}`);
    if (focused) (rows.find((row) => row.getAttribute("href") === focused) ?? list).focus({ preventScroll: true });
  }

  function move(step) {
    cursor = Math.min(Math.max(cursor + step, 0), shown.length - 1);
    const list = at("list");
    const top = cursor * height();
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + height() > list.scrollTop + list.clientHeight) list.scrollTop = top + height() - list.clientHeight;
    draw();
    list.focus();
  }

  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      entry.target.src = `data:image/webp;base64,${at(`picture-${entry.target.dataset.picture}`).textContent}`;
    }
  });

  function figures(sample) {
    const frame = element("div", "figures");
    sample.figures.forEach(([picture, caption, needed], place) => {
      const figure = element("figure", needed ? "needed" : "");
      const stored = picture === null ? null : at(`picture-${picture}`);
      if (stored && stored.textContent) {
        const box = element("button", "frame");
        box.type = "button";
        box.setAttribute("aria-label", `Enlarge figure ${place}`);
        box.addEventListener("click", () => enlarge(image));
        const image = element("img");
        image.alt = `Figure ${place}`;
        image.dataset.picture = picture;
        box.append(image);
        figure.append(box);
        seen.observe(image);
      }
      const told = [needed ? "needed" : "", caption].filter(Boolean).join(" · ");
      if (told) figure.append(element("figcaption", "", `${place}: ${told}`));
      frame.append(figure);
    });
    return frame;
  }

  function enlarge(image) {
    const shownLarge = at("picture").firstElementChild;
    shownLarge.src = image.src;
    shownLarge.alt = image.alt;
    at("picture").showModal();
  }

  function folded(title, text) {
    const part = element("details");
    part.append(element("summary", "", title), element("pre", "", text));
    return part;
  }

  function facts(pairs) {
    const list = element("dl");
    for (const [name, value] of pairs) {
      if (value !== undefined && value !== null && value !== "") list.append(element("dt", "", name), element("dd", "", String(value)));
    }
    return list;
  }

  function said(judged) {
    const tokens = (judged.top_logprobs ?? []).map(([token, logprob]) => `${JSON.stringify(token)} ${Math.exp(logprob).toFixed(4)}`);
    const score = judged.score === undefined ? "" : judged.score.toFixed(4);
    return [judged.metric, score, judged.model, judged.reason, judged.text, tokens.join(", ")].filter(Boolean).join(" · ");
  }

  function answered(answer) {
    const part = element("section");
    part.append(element("h4", "", `${mark(answer)} ${data.runs[answer.run]}`), element("pre", "", answer.response));
    const rounded = (score) => Number(score.toFixed(4));
    const score = answer.score === undefined ? "none" : rounded(answer.score);
    part.append(facts([
      ["extracted", answer.extracted], ["rule", answer.rule], ["status", answer.status], ["score", score],
      ["refused", answer.refused ? "yes" : ""], ["reason", answer.reason],
      ...Object.entries(answer.scores ?? {}).map(([name, each]) => [name, rounded(each)]), ...(answer.judge ?? []).map((judged) => ["judge", said(judged)]),
    ]));
    if (answer.prompt) part.append(folded("Prompt of this run as logged", answer.prompt));
    const asked = new Set((answer.judge ?? []).map((judged) => judged.prompt).filter(Boolean));
    if (asked.size) part.append(folded("What the judge was asked", [...asked].join("\n\n")));
    return part;
  }

  function show(place) {
    open = cursor = place;
    const sample = shown[place];
    at("sample-title").textContent = key(sample);
    at("link").href = address(key(sample));
    const parts = [];
    if (sample.question) parts.push(element("pre", "", sample.question));
    if (sample.options) parts.push(element("pre", "", sample.options.join("\n")));
    parts.push(facts([["reference", sample.reference], ["groups", sample.groups.join(", ")]]));
    if (sample.figures) parts.push(figures(sample));
    if (sample.prompt) parts.push(folded("Prompt as logged", sample.prompt));
    at("detail").replaceChildren(...parts, ...sample.answers.map(answered));
    if (!at("sample").open) at("sample").showModal();
    at("sample").scrollTop = 0;
  }

  function follow() {
    const [name, query] = location.hash.slice(1).split("?");
    let wanted = name;
    try { wanted = decodeURI(name).replace(/%3F/g, "?"); } catch { /* a hash that is no encoded text names no sample */ }
    const same = (sample) => key(sample) === wanted;
    if (query !== undefined && `?${query}` !== address("").slice(1)) restore(query);
    const known = data.samples.some(same);
    at("unknown").hidden = known || !wanted || Boolean(at(wanted));
    at("unknown").textContent = `This report has no sample ${wanted}: it may be of another task, run or version of the report, or not among those shown.`;
    if (!at("unknown").hidden) at("samples").scrollIntoView();
    if (!known) return at("sample").open && at("sample").close();
    if (!shown.some(same)) restore("");
    return show(shown.findIndex(same));
  }

  function go(step) {
    if (open + step >= 0 && open + step < shown.length) location.hash = address(key(shown[open + step]));
  }

  function closed() {
    history.replaceState(null, "", address("samples"));
    draw();
    at("list").focus({ preventScroll: true });
  }

  // In the search: Enter opens the first sample, the arrow goes down to them, Esc empties it and then leaves it.
  function searching(event) {
    const search = at("search");
    if (event.key === "Enter" && shown.length) location.hash = address(key(shown[0]));
    else if (event.key === "ArrowDown" && shown.length) move(1);
    else if (event.key === "Escape" && search.value) { search.value = ""; chosen(); }
    else if (event.key === "Escape") at("list").focus();
    else return;
    event.preventDefault();
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || at("picture").open || at("help").open) return;
    if (event.target === at("search")) return searching(event);
    if (event.target.matches("input, select, textarea")) return;
    const step = { j: 1, k: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const arrow = event.target === at("list") ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : 0;
    if (step && at("sample").open) go(step);
    else if (event.key === "j" || event.key === "k") move(step);
    else if (arrow) move(arrow);
    else if (event.key === "Enter" && event.target === at("list") && cursor >= 0) location.hash = address(key(shown[cursor]));
    else if (event.key === "/" && !at("sample").open) at("search").focus();
    else if (event.key === "?") at("help").showModal();
    else return;
    event.preventDefault();
  }

  index();
  offer();
  filter();
  at("filters").addEventListener("input", chosen);
  at("filters").addEventListener("reset", () => setTimeout(chosen));
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("list").addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  addEventListener("resize", draw);
  addEventListener("hashchange", follow);
  addEventListener("keydown", pressed);
  at("previous").addEventListener("click", () => go(-1));
  at("next").addEventListener("click", () => go(1));
  at("close").addEventListener("click", () => at("sample").close());
  at("picture").addEventListener("click", () => at("picture").close());
  at("sample").addEventListener("close", closed);
  follow();
})();
