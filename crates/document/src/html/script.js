"use strict";
// Comforts only: the page is complete without them. What a reader chose stands in the address behind the place, e.g.
// `#figure?only.figure=redb`, so that a link shows the same. A live page replaces parts of itself: whatever is attached to single
// elements is renewed when some of them change.
const page = (() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const put = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const renewals = [];
  const watcher = new MutationObserver(() => renew());
  const renew = () => {
    for (const each of renewals) each();
    watcher.takeRecords();
  };
  const read = () => {
    const hash = location.hash.slice(1), at = hash.indexOf("?");
    return at < 0 ? [hash, null] : [hash.slice(0, at), hash.slice(at + 1)];
  };
  let state = new URLSearchParams(read()[1] ?? "");
  const write = () => {
    const place = read()[0], query = state.toString();
    const hash = place || query ? `#${place}${query && "?"}${query}` : location.pathname + location.search;
    try { history.replaceState(null, "", hash); } catch { /* not allowed here */ }
  };
  // The place that the address names: open, in sight and marked, also where the address names more than the place.
  const reveal = () => {
    for (const old of all(".target")) old.classList.remove("target");
    let found = null;
    try { found = document.getElementById(decodeURIComponent(read()[0])); } catch { /* no place */ }
    if (!found) return;
    for (let around = found.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
    found.classList.add("target");
    found.scrollIntoView();
  };
  addEventListener("hashchange", () => {
    const query = read()[1];
    if (query === null) write(); else { state = new URLSearchParams(query); renew(); }
    reveal();
  });
  return {
    all,
    put,
    on: (kind, each) => document.addEventListener(kind, each),
    make: (tag, properties) => Object.assign(document.createElement(tag), properties),
    get: (key) => state.getAll(key),
    keys: (start) => [...state.keys()].filter((key) => key.startsWith(start)),
    set: (changes) => {
      for (const [key, values] of Object.entries(changes)) {
        state.delete(key);
        for (const value of values) state.append(key, value);
      }
      write();
      renew();
    },
    // Adds what is done at the beginning and after each change.
    renewed: (each) => { renewals.push(each); },
    begin: () => {
      watcher.observe(document.querySelector("main"), { childList: true, subtree: true });
      renew();
      reveal();
    },
  };
})();

(() => {
  const { all, on, put, make } = page;
  const root = document.documentElement;
  const remember = (value) => { try { localStorage.setItem("dbdyno-theme", value); } catch { /* not allowed here */ } };
  const remembered = () => { try { return localStorage.getItem("dbdyno-theme"); } catch { return null; } };
  const theme = document.getElementById("theme");
  if (["light", "dark"].includes(remembered())) root.dataset.theme = remembered();
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember(root.dataset.theme);
  });

  // The titles of marks become quick tips; screen readers have the figures' descriptions and the tables.
  const tip = document.getElementById("tip");
  page.renewed(() => {
    for (const title of all(".chart *:not(svg) > title")) {
      title.parentNode.dataset.tip = title.textContent;
      title.remove();
    }
  });
  const show = ({ target, clientX, clientY }) => {
    tip.hidden = target.dataset?.tip === undefined;
    if (tip.hidden) return;
    tip.textContent = target.dataset.tip;
    const box = tip.getBoundingClientRect();
    const top = clientY + 18 + box.height > innerHeight - 8 ? clientY - box.height - 12 : clientY + 18;
    tip.style.left = `${Math.max(8, Math.min(clientX + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${Math.max(8, top)}px`;
  };
  on("pointermove", show);
  on("pointerdown", show);
  on("scroll", () => { tip.hidden = true; });

  // A link to each place, which can be copied.
  page.renewed(() => {
    for (const place of all("section[id] > h2, h3[id], figure[id] > figcaption, td[id]")) {
      if (place.querySelector(":scope > .anchor")) continue;
      const link = make("a", { className: "anchor", textContent: "#", href: `#${encodeURIComponent(place.closest("[id]").id)}` });
      put(link, { "aria-label": "Link to this place" });
      // An overview has a hundred cells: too many to step through.
      if (place.tagName === "TD") link.tabIndex = -1;
      if (place.tagName === "FIGCAPTION") place.firstElementChild.after(link); else place.append(link);
    }
  });
})();
