
// One system among others: its name in a figure shows it alone there, and the pointer on it picks it out in every figure.
(() => {
  const { all, on, put } = page;
  const NAMES = ".legend [data-series], [data-series] > .name, .label[data-series]";
  const partsOf = (figure) => all("[data-series]", figure);
  const systemsOf = (figure) => [...new Set(partsOf(figure).map((part) => part.dataset.series))];
  const systemAt = (element) => element?.closest?.("[data-series]")?.dataset.series;
  const mark = (figure, name, isMarked) => {
    for (const part of partsOf(figure)) part.classList.toggle(name, isMarked(part.dataset.series));
  };
  const onlyIn = (figure) => page.get(`only.${figure.id}`).filter((name) => systemsOf(figure).includes(name));
  const choose = (event) => {
    const key = event.target.closest?.(NAMES), figure = key?.closest("figure");
    if (!figure) return false;
    const name = systemAt(key), systems = systemsOf(figure), now = onlyIn(figure);
    const shown = now.length ? now : systems;
    let next = now.length === 1 && now[0] === name ? [] : [name];
    if (event.shiftKey) next = shown.includes(name) ? shown.filter((other) => other !== name) : [...shown, name];
    page.set({ [`only.${figure.id}`]: next.length < systems.length ? next : [] });
    return true;
  };
  on("click", choose);
  on("keydown", (event) => {
    if (event.key === "Escape") page.set(Object.fromEntries(page.keys("only.").map((key) => [key, []])));
    if (["Enter", " "].includes(event.key) && choose(event)) event.preventDefault();
  });

  let pointed;
  const point = (name) => {
    pointed = name;
    for (const figure of all("figure")) mark(figure, "dim", (own) => own !== name && systemsOf(figure).includes(name));
  };
  const follow = (name) => { if (name !== pointed) point(name); };
  on("pointermove", ({ target, clientX, clientY }) => {
    // The columns that say values lie above the lines.
    follow(systemAt(target.matches?.(".chart .hover") ? document.elementsFromPoint(clientX, clientY).find(systemAt) : target));
  });

  on("focusin", ({ target }) => follow(systemAt(target)));
  on("focusout", () => follow(undefined));

  page.renewed(() => {
    for (const figure of all("figure")) {
      const only = onlyIn(figure);
      mark(figure, "off", (own) => only.length > 0 && !only.includes(own));
      if (systemsOf(figure).length < 2) continue;
      // What is in an image is no button.
      put(figure.querySelector("svg"), { role: "group" });
      for (const key of all(NAMES, figure)) put(key, { role: "button", tabindex: 0, "aria-pressed": only.includes(systemAt(key)) });
    }
    if (pointed !== undefined) point(pointed);
  });
})();
