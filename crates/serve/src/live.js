
(() => {
  // A section comes whole, or the rows of it that changed; all come again after a lost connection. Nothing is kept here that could
  // be stale.
  const base = location.pathname.replace(/\/$/, "");
  const title = document.title;
  const retryAfterMs = 3000;
  const showSection = ({ id, html }) => {
    const shown = document.getElementById(id);
    if (!shown) return;
    replacing.replaceElement(shown, html);
    replacing.announceReplaced(id);
  };
  const showRows = ({ id, rows }) => {
    for (const row of rows) {
      const shown = document.getElementById(row.id);
      if (shown) replacing.replaceElement(shown, row.html);
      else if (row.after) document.getElementById(row.after)?.after(replacing.parsed(row.html));
      else document.querySelector(`#${id} tbody`)?.prepend(replacing.parsed(row.html));
    }
    // The table is in the reader's order no longer.
    delete document.querySelector(`#${id} table`)?.dataset.sorted;
    replacing.announceReplaced(id);
  };

  // Pause and stop, while the study runs on this machine.
  const place = document.querySelector(".top .meta");
  const button = (name, words) => {
    const made = document.createElement("button");
    made.type = "button";
    made.id = `ask-${name}`;
    made.textContent = words;
    made.hidden = true;
    made.addEventListener("click", async () => {
      if (name === "stop" && !confirm("Stop? What was measured until now is kept.")) return;
      made.disabled = true;
      const asked = await fetch(`${base}/${name}`, { method: "POST", headers: { "x-dbdyno-control": "1" } }).catch(() => null);
      made.disabled = false;
      if (!asked) alert("Nothing was changed: dbdyno serve does not answer.");
      else if (!asked.ok) alert(`Nothing was changed: dbdyno serve refused it (${asked.status}).`);
    });
    place.append(" ", made);
    return made;
  };
  const buttons = {
    pause: button("pause", "Pause after this trial"),
    run: button("run", "Resume"),
    stop: button("stop", "Stop"),
  };
  const showState = (state) => {
    buttons.pause.hidden = state !== "running";
    buttons.run.hidden = state !== "paused";
    buttons.stop.hidden = state === "fixed";
  };

  const connect = () => {
    const source = new EventSource(`${base}/events`);
    source.addEventListener("section", (event) => showSection(JSON.parse(event.data)));
    source.addEventListener("rows", (event) => showRows(JSON.parse(event.data)));
    source.addEventListener("state", (event) => showState(event.data));
    source.addEventListener("open", () => { document.title = title; });
    source.addEventListener("error", () => {
      document.title = `(no connection) ${title}`;
      // A browser gives up for good after an answer that is no stream, for example while another folder takes the study's place.
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, retryAfterMs);
    });
  };
  connect();
})();
