(() => {
  // Each section comes whole when it changes, and whole again after a lost connection: nothing is kept here that could be stale.
  const base = location.pathname.replace(/\/$/, "");
  const source = new EventSource(`${base}/events`);
  const title = document.title;
  source.addEventListener("section", (event) => {
    const { id, html } = JSON.parse(event.data);
    const shown = document.getElementById(id);
    if (shown && shown.outerHTML !== html) shown.outerHTML = html;
  });
  source.addEventListener("open", () => { document.title = title; });
  source.addEventListener("error", () => { document.title = `(no connection) ${title}`; });

  // Pause and stop, while the study runs on this machine.
  const place = document.querySelector(".top .meta");
  const button = (name, words) => {
    const made = document.createElement("button");
    made.type = "button";
    made.id = `ask-${name}`;
    made.textContent = words;
    made.hidden = true;
    made.addEventListener("click", async () => {
      if (name === "stop" && !confirm("Stop the study? `dbdyno study run` goes on with it later.")) return;
      made.disabled = true;
      try { await fetch(`${base}/${name}`, { method: "POST", headers: { "x-dbdyno-control": "1" } }); } finally { made.disabled = false; }
    });
    place.append(" ", made);
    return made;
  };
  const buttons = {
    pause: button("pause", "Pause after this trial"),
    run: button("run", "Go on"),
    stop: button("stop", "Stop"),
  };
  source.addEventListener("state", (event) => {
    const state = event.data;
    buttons.pause.hidden = state !== "running";
    buttons.run.hidden = state !== "paused";
    buttons.stop.hidden = state === "fixed";
  });
})();
