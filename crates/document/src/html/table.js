
// Filters and sorting; the table is complete without them.
(() => {
  const table = document.querySelector("table.filtered");
  const groups = [...table.tBodies];
  const filters = document.getElementById("filters");
  const rowsOf = (group) => [...group.rows].slice(1);
  const keysOf = (element) => new URLSearchParams(element.dataset.keys);
  const apply = () => {
    const chosen = [...new FormData(filters)].filter(([name, value]) => name !== "text" && value);
    const words = filters.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0, all = 0;
    for (const group of groups) {
      const keys = keysOf(group);
      const heading = group.rows[0].textContent.toLowerCase();
      let some = false;
      for (const row of rowsOf(group)) {
        const text = `${heading} ${row.textContent.toLowerCase()}`;
        const own = keysOf(row);
        const fits = chosen.every(([name, value]) => (own.get(name) ?? keys.get(name)) === value);
        const visible = fits && words.every((word) => text.includes(word));
        row.hidden = !visible;
        some ||= visible;
        shown += visible;
        all += 1;
      }
      group.hidden = !some;
    }
    document.getElementById("shown").textContent = shown === all ? `${all} rows` : `${shown} of ${all} rows`;
  };
  filters.hidden = false;
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("input", apply);
  filters.addEventListener("reset", () => setTimeout(apply));

  // Rows move within their group only: numbers of different groups do not rank.
  const collator = new Intl.Collator("en", { numeric: true });
  const order = (column, direction) => (a, b) => {
    const [left, right] = [a.cells[column], b.cells[column]];
    if (!left.classList.contains("number")) return direction * collator.compare(left.textContent, right.textContent);
    const known = (cell) => cell.dataset.value !== undefined;
    if (known(left) !== known(right)) return known(left) ? -1 : 1;
    return direction * (Number(left.dataset.value) - Number(right.dataset.value));
  };
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.dataset.order) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const first = head.dataset.order;
      const second = first === "ascending" ? "descending" : "ascending";
      const now = head.getAttribute("aria-sort") === first ? second : first;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", now);
      for (const group of groups) group.append(...rowsOf(group).sort(order(column, now === "ascending" ? 1 : -1)));
    });
  });
  apply();
})();
