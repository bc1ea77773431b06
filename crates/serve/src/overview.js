
(() => {
  const lookEveryMs = 5000;
  const form = document.createElement("form");
  form.id = "compare";
  form.action = "/compare";
  const choice = (name, words) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.name = name;
    label.append(`${words} `, select, " ");
    form.append(label);
    return select;
  };
  const choices = [choice("before", "Compare"), choice("after", "with")];
  const compare = document.createElement("button");
  compare.textContent = "Compare";
  form.append(compare);
  document.querySelector("main").append(form);

  // The results that have a completed trial; what was chosen stays chosen.
  const offer = () => {
    const rows = [...document.querySelectorAll("#studies tr[data-keys]")];
    const names = rows.map((row) => new URLSearchParams(row.dataset.keys).get("results")).sort();
    form.hidden = names.length < 2;
    choices.forEach((select, place) => {
      const shown = [...select.options].map((option) => option.value);
      if (shown.join("\n") === names.join("\n")) return;
      const chosen = select.value || names[Math.min(place, names.length - 1)];
      select.replaceChildren(...names.map((name) => new Option(name, name, false, name === chosen)));
    });
  };
  // A reader who selects text in the list is about to copy it; the next look shows what is new.
  const isSelected = (element) => {
    const selection = getSelection();
    return !selection.isCollapsed && selection.getRangeAt(0).intersectsNode(element);
  };
  const look = async () => {
    try {
      const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
      const [shown, next] = [document, page].map((from) => from.getElementById("studies"));
      if (next && next.outerHTML !== shown.outerHTML && !isSelected(shown)) {
        replacing.replaceElement(shown, next.outerHTML);
        replacing.announceReplaced("studies");
        offer();
      }
    } catch { /* The next look may reach the server again. */ }
    setTimeout(look, lookEveryMs);
  };
  offer();
  setTimeout(look, lookEveryMs);
})();
