
// A figure as a file. It carries its own style, in the colours that are on the screen.
(() => {
  const { all, on, put, make } = page;
  const standalone = (figure) => {
    const drawn = figure.querySelector("svg");
    const copy = drawn.cloneNode(true);
    const [, , width, height] = drawn.getAttribute("viewBox").split(" ").map(Number);
    const margin = 12, heading = 22;
    const full = { width: width + 2 * margin, height: height + 2 * margin + heading };
    copy.setAttribute("viewBox", `${-margin} ${-margin - heading} ${full.width} ${full.height}`);
    const computed = getComputedStyle(document.documentElement);
    const names = ["bg", "surface", "text", "muted", "line", "grid", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];
    const colors = names.map((name) => `--${name}:${computed.getPropertyValue(`--${name}`)}`).join(";");
    const rules = document.getElementById("style").textContent.split("\n").filter((line) => /^\.(chart|s\d)/.test(line)).join("\n");
    const drawing = (tag, attributes, text) =>
      put(Object.assign(document.createElementNS(drawn.namespaceURI, tag), { textContent: text }), attributes);
    put(copy, full).prepend(
      drawing("style", {}, `svg{${colors}}\n${rules}`),
      drawing("rect", { x: -margin, y: -margin - heading, width: "100%", height: "100%", fill: computed.getPropertyValue("--surface") }, ""),
      drawing("text", { class: "name", x: 0, y: -heading / 2 }, figure.querySelector("figcaption span").textContent),
    );
    for (const hover of all(".hover", copy)) hover.remove();
    for (const mark of all("[data-tip]", copy)) delete mark.dataset.tip;
    return { text: new XMLSerializer().serializeToString(copy), ...full };
  };
  const download = (blob, name) => {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  // The data of a figure: gzip in base64.
  const unpacked = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const text = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
    return new Blob([await text.arrayBuffer()], { type: "text/csv" });
  };
  const kinds = [["save", "svg", "SVG", "Save as SVG"], ["save", "png", "PNG", "Save as PNG"]];
  if (typeof DecompressionStream !== "undefined") kinds.push(["save", "csv", "data", "Save its data as CSV"]);
  page.renewed(() => {
    for (const caption of all("figcaption")) {
      if (caption.querySelector(".save")) continue;
      const save = make("span", { className: "save" });
      const has = caption.parentNode.querySelector("[data-axis]") ? [["toggle", "axis", "", ""], ...kinds] : kinds;
      for (const [role, kind, text, says] of has) {
        const button = make("button", { type: "button", textContent: text });
        button.dataset[role] = kind;
        save.append(put(button, { "aria-label": `${says}: ${caption.firstElementChild.textContent}` }));
      }
      caption.append(save);
    }
  });
  on("click", ({ target }) => {
    const kind = target.dataset?.save;
    if (!kind) return;
    const figure = target.closest("figure");
    const name = `${document.title.split(" · ")[0]}-${figure.id}.${kind}`;
    if (kind === "csv") { unpacked(figure.dataset.points).then((blob) => download(blob, name)); return; }
    const made = standalone(figure);
    const blob = new Blob([made.text], { type: "image/svg+xml" });
    if (kind === "svg") { download(blob, name); return; }
    const image = new Image();
    image.onload = () => {
      const scale = 3;
      const canvas = make("canvas", { width: made.width * scale, height: made.height * scale });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((png) => download(png, name), "image/png");
      URL.revokeObjectURL(image.src);
    };
    image.src = URL.createObjectURL(blob);
  });
})();
