"use strict";
// Comforts only: values under the pointer, the theme, saving a figure. The page is complete without them.
(() => {
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
  const texts = new WeakMap();
  for (const title of document.querySelectorAll(".chart *:not(svg) > title")) {
    texts.set(title.parentNode, title.textContent);
    title.remove();
  }
  const show = (event) => {
    const text = event.target instanceof Element ? texts.get(event.target) : undefined;
    if (text === undefined) { tip.hidden = true; return; }
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const below = event.clientY + 18;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${below + box.height > innerHeight - 8 ? event.clientY - box.height - 12 : below}px`;
  };
  document.addEventListener("pointermove", show, { passive: true });
  document.addEventListener("pointerdown", show, { passive: true });
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  // A saved figure carries its own style, in the colours that are on the screen.
  const standalone = (figure) => {
    const drawn = figure.querySelector("svg");
    const copy = drawn.cloneNode(true);
    const [, , width, height] = drawn.getAttribute("viewBox").split(" ").map(Number);
    const margin = 12, heading = 22;
    copy.setAttribute("viewBox", `${-margin} ${-margin - heading} ${width + 2 * margin} ${height + 2 * margin + heading}`);
    copy.setAttribute("width", width + 2 * margin);
    copy.setAttribute("height", height + 2 * margin + heading);
    const computed = getComputedStyle(root);
    const names = ["bg", "surface", "text", "muted", "line", "grid", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];
    const colors = names.map((name) => `--${name}:${computed.getPropertyValue(`--${name}`)}`).join(";");
    const rules = document.getElementById("style").textContent.split("\n").filter((line) => /^\.(chart|s\d)/.test(line)).join("\n");
    const make = (tag, attributes, text) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.textContent = text;
      return element;
    };
    const title = figure.querySelector("figcaption span").textContent;
    copy.prepend(
      make("style", {}, `svg{${colors}}\n${rules}`),
      make("rect", { x: -margin, y: -margin - heading, width: "100%", height: "100%", fill: computed.getPropertyValue("--surface") }, ""),
      make("text", { class: "name", x: 0, y: -heading / 2 }, title),
    );
    for (const hover of copy.querySelectorAll(".hover")) hover.remove();
    return { text: new XMLSerializer().serializeToString(copy), width: width + 2 * margin, height: height + 2 * margin + heading };
  };
  const download = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  // The data of a figure: gzip in base64.
  const unpacked = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const text = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
    return new Blob([await text.arrayBuffer()], { type: "text/csv" });
  };
  const kinds = [["svg", "SVG", "Save as SVG"], ["png", "PNG", "Save as PNG"]];
  if (typeof DecompressionStream !== "undefined") kinds.push(["csv", "data", "Save its data as CSV"]);
  for (const caption of document.querySelectorAll("figcaption")) {
    const save = document.createElement("span");
    save.className = "save";
    for (const [kind, text, says] of kinds) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.save = kind;
      button.textContent = text;
      button.setAttribute("aria-label", `${says}: ${caption.textContent}`);
      save.append(button);
    }
    caption.append(save);
  }
  document.addEventListener("click", (event) => {
    const kind = event.target instanceof HTMLElement ? event.target.dataset.save : undefined;
    if (!kind) return;
    const figure = event.target.closest("figure");
    const name = `${document.title.split(" · ")[0]}-${figure.id}.${kind}`;
    if (kind === "csv") { unpacked(figure.dataset.points).then((blob) => download(blob, name)); return; }
    const made = standalone(figure);
    const blob = new Blob([made.text], { type: "image/svg+xml" });
    if (kind === "svg") { download(blob, name); return; }
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      const scale = 3;
      canvas.width = made.width * scale;
      canvas.height = made.height * scale;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((png) => download(png, name), "image/png");
      URL.revokeObjectURL(image.src);
    };
    image.src = URL.createObjectURL(blob);
  });
})();
