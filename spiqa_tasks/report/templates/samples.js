"use strict";
// The sample browser: filters over data that stands in the page as JSON; texts are only ever set as text.
(() => {
  const HEIGHT = 76;
  const at = (id) => document.getElementById(id);
  const data = JSON.parse(at("data").textContent);
  const filters = ["task", "group", "run", "verdict", "status", "rule"];
  const key = (sample) => `${sample.task}/${sample.id}`;
  let shown = data.samples;
  let open = -1;

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
    for (const value of values) {
      const option = element("option", "", labels ? labels[value] : value);
      option.value = value;
      at(id).append(option);
    }
  }

  function index() {
    const groups = new Set(), statuses = new Set(), rules = new Set(), tasks = new Set();
    for (const sample of data.samples) {
      tasks.add(sample.task);
      sample.groups.forEach((group) => groups.add(group));
      const texts = [sample.id, sample.question ?? "", sample.reference, ...(sample.options ?? [])];
      for (const answer of sample.answers) {
        statuses.add(answer.status);
        if (answer.rule) rules.add(answer.rule);
        texts.push(answer.response);
      }
      sample.text = texts.join("\n").toLowerCase();
    }
    fill("task", tasks);
    fill("group", [...groups].sort());
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
    at("count").textContent = `${shown.length} of ${data.samples.length} samples`;
    at("space").style.height = `${shown.length * HEIGHT}px`;
    at("list").scrollTop = 0;
    draw();
  }

  function item(sample, place) {
    const row = element("a", "item");
    row.href = `#${encodeURI(key(sample))}`;
    row.setAttribute("role", "listitem");
    row.style.top = `${place * HEIGHT}px`;
    row.append(element("span", "text", sample.question ?? sample.reference), element("span", "where", key(sample)));
    const answers = element("span", "answers");
    for (const answer of sample.answers) {
      const said = answer.extracted ?? answer.status;
      answers.append(element("span", `chip ${verdict(answer)}`, `${mark(answer)} ${String(said).slice(0, 40)}`));
    }
    row.append(answers);
    return row;
  }

  function mark(answer) {
    return { right: "✓", wrong: "✗", "no score": "–" }[verdict(answer)];
  }

  function draw() {
    const list = at("list");
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 4);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + 4);
    const rows = [];
    for (let place = first; place < last; place += 1) rows.push(item(shown[place], place));
    at("space").replaceChildren(...rows);
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
    sample.figures.forEach(([picture, caption], place) => {
      const figure = element("figure");
      const stored = picture === null ? null : at(`picture-${picture}`);
      if (stored && stored.textContent) {
        const box = element("div", "frame");
        const image = element("img");
        image.alt = `Figure ${place}`;
        image.dataset.picture = picture;
        box.append(image);
        figure.append(box);
        seen.observe(image);
      }
      if (caption) figure.append(element("figcaption", "", `${place}: ${caption}`));
      frame.append(figure);
    });
    return frame;
  }

  function facts(pairs) {
    const list = element("dl");
    for (const [name, value] of pairs) {
      if (value !== undefined && value !== null && value !== "") list.append(element("dt", "", name), element("dd", "", String(value)));
    }
    return list;
  }

  function said(judged) {
    const tokens = (judged.tokens ?? []).map(([token, logprob]) => `${JSON.stringify(token)} ${Math.exp(logprob).toFixed(4)}`);
    const score = judged.score === undefined ? "" : judged.score.toFixed(4);
    return [judged.metric, score, judged.model, judged.reason, judged.text, tokens.join(", ")].filter(Boolean).join(" · ");
  }

  function answered(answer) {
    const part = element("section");
    part.append(element("h4", "", `${mark(answer)} ${data.runs[answer.run]}`), element("pre", "", answer.response));
    const score = answer.score === undefined ? "none" : Number(answer.score.toFixed(4));
    part.append(facts([
      ["extracted", answer.extracted], ["rule", answer.rule], ["status", answer.status], ["score", score],
      ["refused", answer.refused ? "yes" : ""], ["reason", answer.reason],
      ...(answer.judge ?? []).map((judged) => ["judge", said(judged)]),
    ]));
    return part;
  }

  function show(place) {
    open = place;
    const sample = shown[place];
    at("sample-title").textContent = key(sample);
    at("link").href = `#${encodeURI(key(sample))}`;
    const parts = [];
    if (sample.question) parts.push(element("pre", "", sample.question));
    if (sample.options) parts.push(element("pre", "", sample.options.join("\n")));
    parts.push(facts([["reference", sample.reference], ["groups", sample.groups.join(", ")]]));
    if (sample.figures) parts.push(figures(sample));
    at("detail").replaceChildren(...parts, ...sample.answers.map(answered));
    if (!at("sample").open) at("sample").showModal();
    at("sample").scrollTop = 0;
  }

  function follow() {
    let wanted = location.hash.slice(1);
    try { wanted = decodeURI(wanted); } catch { /* a hash that is no encoded text names no sample */ }
    const same = (sample) => key(sample) === wanted;
    if (!data.samples.some(same)) return at("sample").open && at("sample").close();
    if (!shown.some(same)) { at("filters").reset(); filter(); }
    return show(shown.findIndex(same));
  }

  function go(step) {
    if (open + step >= 0 && open + step < shown.length) location.hash = encodeURI(key(shown[open + step]));
  }

  index();
  filter();
  at("filters").addEventListener("input", filter);
  at("filters").addEventListener("reset", () => setTimeout(filter));
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("list").addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  addEventListener("resize", draw);
  addEventListener("hashchange", follow);
  at("previous").addEventListener("click", () => go(-1));
  at("next").addEventListener("click", () => go(1));
  at("close").addEventListener("click", () => at("sample").close());
  at("sample").addEventListener("close", () => history.replaceState(null, "", "#samples"));
  at("sample").addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") go(-1);
    if (event.key === "ArrowRight") go(1);
  });
  follow();
})();
