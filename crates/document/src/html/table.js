
// Sorting and filters. Rows move within their group only: numbers of different groups do not rank.
(() => {
  const { all, on, make } = page;
  const rowsOf = (group) => [...group.rows].filter((row) => !row.classList.contains("group"));
  const headsOf = (table) => [...[...table.tHead.rows].at(-1).cells];
  const nameOf = (table) => {
    const section = table.closest("section") ?? document.body;
    return `sort.${section.id}.${all("table", section).indexOf(table)}`;
  };
  // A number without a unit stands for itself.
  const valueOf = (cell) => Number.parseFloat(cell.dataset.value ?? cell.textContent.replaceAll("\u202f", ""));
  const collator = new Intl.Collator("en", { numeric: true });
  const order = (column, direction) => (one, other) => {
    const [left, right] = [one.cells[column], other.cells[column]];
    if (!left.classList.contains("number")) return direction * collator.compare(left.textContent, right.textContent);
    const [a, b] = [valueOf(left), valueOf(right)], known = Number.isFinite;
    // What is not known comes last.
    return known(a) && known(b) ? direction * (a - b) : known(b) - known(a);
  };
  const first = (a, b) => a.dataset.place - b.dataset.place;
  page.renewed(() => {
    for (const head of all("th[data-order]")) {
      if (head.querySelector("button")) continue;
      const button = make("button", { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
    }
    for (const table of new Set(all("th[data-order]").map((head) => head.closest("table")))) {
      const wanted = page.get(nameOf(table))[0] ?? "";
      if ((table.dataset.sorted ?? "") === wanted) continue;
      table.dataset.sorted = wanted;
      const [column, direction] = wanted.split(" ");
      const heads = headsOf(table);
      for (const head of heads) head.removeAttribute("aria-sort");
      const head = heads[column];
      if (head?.dataset.order) head.setAttribute("aria-sort", direction);
      for (const group of table.tBodies) {
        const rows = rowsOf(group);
        let above = -1;
        // A row without a place is new: its place is below the row above it.
        for (const row of rows) above = row.dataset.place ??= Math.floor(above) + 0.5;
        rows.sort(first).forEach((row, place) => { row.dataset.place = place; });
        group.append(...rows.sort(head?.dataset.order ? order(column, direction === "ascending" ? 1 : -1) : first));
      }
    }
  });
  on("click", ({ target }) => {
    const head = target.closest?.("th[data-order] button")?.closest("th");
    if (!head) return;
    const table = head.closest("table"), now = head.getAttribute("aria-sort");
    const second = head.dataset.order === "ascending" ? "descending" : "ascending";
    const next = now === null ? head.dataset.order : now === second ? null : second;
    page.set({ [nameOf(table)]: next ? [`${headsOf(table).indexOf(head)} ${next}`] : [] });
  });

  const keysOf = (element) => new URLSearchParams(element.dataset.keys);
  const fieldsOf = (filters) => [...filters.elements].filter((field) => field.name);
  page.renewed(() => {
    const filters = document.getElementById("filters");
    if (!filters) return;
    filters.hidden = false;
    const chosen = fieldsOf(filters).map((field) => {
      const value = page.get(`filter.${field.name}`)[0] ?? "";
      if (field.value !== value) field.value = value;
      return [field.name, field.value];
    }).filter(([name, value]) => name !== "text" && value);
    const words = filters.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0, every = 0;
    for (const group of document.querySelector("table.filtered").tBodies) {
      const keys = keysOf(group), rows = rowsOf(group);
      const heading = group.rows[0].textContent.toLowerCase();
      for (const row of rows) {
        const text = `${heading} ${row.textContent.toLowerCase()}`, own = keysOf(row);
        const fits = chosen.every(([name, value]) => (own.get(name) ?? keys.get(name)) === value);
        row.hidden = !fits || !words.every((word) => text.includes(word));
      }
      const fitting = rows.filter((row) => !row.hidden).length;
      group.hidden = !fitting;
      shown += fitting;
      every += rows.length;
    }
    document.getElementById("shown").textContent = shown === every ? `${every} rows` : `${shown} of ${every} rows`;
  });
  const choose = ({ target }) => {
    const filters = target.closest("#filters");
    if (filters) page.set(Object.fromEntries(fieldsOf(filters).map((field) => [`filter.${field.name}`, field.value ? [field.value] : []])));
  };
  on("input", choose);
  on("reset", (event) => setTimeout(choose, 0, event));
  on("submit", (event) => { if (event.target.closest("#filters")) event.preventDefault(); });
})();
