
// A linear axis drawn as a logarithmic one, and back. The drawing says where both begin and end, and what stands at the other one.
(() => {
  const { all, on, put } = page;
  const OTHER = { linear: "logarithmic", logarithmic: "linear" };
  const redrawn = (drawn) => {
    const copy = drawn.cloneNode(true), axis = copy.querySelector("[data-axis]");
    const [head, ...ticks] = axis.dataset.axis.split("|");
    const [direction, kind, ...numbers] = head.split(" ");
    const [low, high, start, end, otherLow, otherHigh] = numbers.map(Number);
    const isAcross = direction === "x", wasLinear = kind === "linear";
    const placed = (value) => {
      const share = wasLinear ? Math.log(Math.max(value, otherLow) / otherLow) / Math.log(otherHigh / otherLow)
        : (value - otherLow) / (otherHigh - otherLow);
      return Math.round((start + Math.min(1, Math.max(0, share)) * (end - start)) * 10) / 10;
    };
    const moved = (place) => {
      const share = (place - start) / (end - start);
      return placed(wasLinear ? low + share * (high - low) : low * (high / low) ** share);
    };
    const point = (x, y) => isAcross ? `${moved(x)} ${y}` : `${x} ${moved(y)}`;
    // A bar stands on a zero, which a logarithmic axis does not have.
    for (const bar of all(".bar", copy)) bar.remove();
    for (const mark of all("[data-series] :is(path, circle, line):not(.mark-line), .objective", copy)) {
      for (const name of isAcross ? ["cx", "x1", "x2"] : ["cy", "y1", "y2"]) {
        if (mark.hasAttribute(name)) put(mark, { [name]: moved(mark.getAttribute(name)) });
      }
      const path = mark.getAttribute("d");
      if (path) put(mark, { d: path.replace(/([MLHV])(-?[\d.]+)(?: (-?[\d.]+))?/g, (same, letter, first, second) =>
        second !== undefined ? letter + point(first, second) : (letter === "H") === isAcross ? letter + moved(first) : same) });
    }
    const objective = copy.querySelector(".objective");
    if (objective) put(objective.nextElementSibling, { y: objective.getAttribute("y1") - 4 });
    // Names follow the ends of their lines and stay apart.
    const ends = new Map(all("g[data-series]", copy).map((group) =>
      [group.dataset.series, Number(/-?[\d.]+$/.exec(group.querySelector(".line")?.getAttribute("d") ?? "")?.[0])]));
    const labels = all(".label[data-series]", copy).map((label) => ({ label, at: ends.get(label.dataset.series) })).sort((a, b) => a.at - b.at);
    let edge = end + 4;
    for (const each of labels) edge = (each.at = Math.max(each.at, edge)) + 13;
    edge = start;
    for (const each of labels.reverse()) {
      each.at = Math.min(each.at, edge);
      edge = each.at - 13;
      put(each.label, { y: each.at + 3.5 });
    }
    const [grid, group] = axis.children, first = group.firstElementChild;
    const [x, y, far] = grid.getAttribute("d").match(/-?[\d.]+/g);
    let lines = "";
    group.replaceChildren(...ticks.map((tick) => {
      const parted = tick.indexOf(" "), at = placed(tick.slice(0, parted)), label = first.cloneNode();
      lines += isAcross ? `M${at} ${y}V${far}` : `M${x} ${at}H${far}`;
      label.textContent = tick.slice(parted + 1);
      return put(label, isAcross ? { x: at } : { y: at + 3.5 });
    }));
    put(grid, { d: lines });
    return copy;
  };

  const originals = new WeakMap();
  page.renewed(() => {
    const chosen = page.get("axis");
    for (const axis of all("figure [data-axis]")) {
      const figure = axis.closest("figure"), drawn = axis.closest("svg"), title = figure.querySelector("figcaption span");
      const isOther = chosen.includes(figure.id), was = figure.dataset.title ??= title.textContent;
      const kind = figure.querySelector("[data-axis]").dataset.axis.split(" ")[1], other = OTHER[kind];
      const button = figure.querySelector("[data-toggle]"), shown = isOther ? other : kind;
      if (button.dataset.shown !== shown) {
        button.dataset.shown = shown;
        button.replaceChildren(...Object.keys(OTHER).map((each) =>
          page.make("span", { textContent: each.replace("arithmic", ""), className: each === shown ? "on" : "" })));
        put(button, { "aria-label": `Show on a ${OTHER[shown]} axis: ${was}` });
      }
      if (isOther === originals.has(drawn)) continue;
      const next = isOther ? redrawn(drawn) : originals.get(drawn);
      if (isOther) originals.set(next, drawn);
      title.textContent = isOther ? `${was.replace(/, logarithmic axis$/, "")}, ${other} axis` : was;
      next.querySelector("title").textContent = title.textContent;
      drawn.replaceWith(next);
    }
  });
  on("click", ({ target }) => {
    const figure = target.closest?.("[data-toggle]")?.closest("figure");
    if (!figure) return;
    const now = page.get("axis"), rest = now.filter((id) => id !== figure.id);
    page.set({ axis: now.includes(figure.id) ? rest : [...rest, figure.id] });
  });
})();
