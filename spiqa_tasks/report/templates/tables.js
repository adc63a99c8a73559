"use strict";
// Tables sort by the column whose name is pressed: numbers by their first number, "< 0.001" before 0.001, others as text.
(() => {
  const number = (text) => parseFloat(text.replace(/[<,]/g, "")) - (text.startsWith("<") ? 1e-9 : 0);

  function compare(a, b) {
    const [x, y] = [number(a), number(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a.localeCompare(b);
    return x - y;
  }

  for (const button of document.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const column = head.cellIndex;
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = head.closest("table").tBodies[0];
      const isNumber = head.classList.contains("right");
      const text = (row) => row.cells[column].textContent;
      const rows = [...body.rows].sort((a, b) => (isNumber ? compare(text(a), text(b)) : text(a).localeCompare(text(b))));
      body.append(...(down ? rows.reverse() : rows));
    });
  }

  // What is folded is printed, and folded again.
  const folded = () => document.querySelectorAll("details:not([open])");
  let opened = [];
  addEventListener("beforeprint", () => { opened = [...folded()]; for (const each of opened) each.open = true; });
  addEventListener("afterprint", () => { for (const each of opened) each.open = false; });
})();
