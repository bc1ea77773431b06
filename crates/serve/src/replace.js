
// New HTML in the place of what is shown. What the reader did there stays: open details, and where the focus is.
const replacing = (() => {
  const parsed = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content.firstElementChild;
  };
  const detailsByText = (element) => {
    const found = new Map();
    for (const details of element.querySelectorAll("details")) {
      const text = details.querySelector("summary")?.textContent ?? "";
      let key = text;
      for (let number = 2; found.has(key); number += 1) key = `${text} ${number}`;
      found.set(key, details);
    }
    return found;
  };
  const focusable = (element) => [...element.querySelectorAll("a[href], button, input, select, summary, [tabindex]")];
  // The focus, by the nearest id and the place below it; null if it is elsewhere.
  const focusWithin = (element) => {
    const active = document.activeElement;
    if (!active || !element.contains(active)) return null;
    const near = active.closest("[id]");
    return near ? { id: near.id, place: focusable(near).indexOf(active) } : null;
  };
  const focusAgain = ({ id, place }) => {
    const near = document.getElementById(id);
    const wanted = near && place >= 0 ? focusable(near)[place] : near;
    wanted?.focus({ preventScroll: true });
  };
  const replaceElement = (shown, html) => {
    const next = parsed(html);
    const focus = focusWithin(shown);
    const after = detailsByText(next);
    for (const [key, details] of detailsByText(shown)) {
      const same = after.get(key);
      if (same) same.open = details.open;
    }
    // Of a row in a reader's order: its place in the page's own.
    if (shown.dataset.place) next.dataset.place = shown.dataset.place;
    shown.replaceWith(next);
    // After those who prepare new figures, whose buttons may have had the focus.
    if (focus) setTimeout(() => focusAgain(focus));
  };
  const announceReplaced = (id) => document.dispatchEvent(new CustomEvent("dbdyno:replaced", { detail: { id } }));
  return { parsed, replaceElement, announceReplaced };
})();
