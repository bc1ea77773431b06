
(() => {
  const lookEveryMs = 5000;
  const ticks = () => [...document.querySelectorAll("#studies input[type=checkbox]")];
  // A reader who selects text in the list is about to copy it; the next look shows what is new.
  const isSelected = (element) => {
    const selection = getSelection();
    return !selection.isCollapsed && selection.getRangeAt(0).intersectsNode(element);
  };
  const look = async () => {
    try {
      const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
      const [shown, next] = [document, page].map((from) => from.getElementById("studies"));
      if (next && next.outerHTML !== served && !isSelected(shown)) {
        const ticked = new Set(ticks().filter((tick) => tick.checked).map((tick) => tick.value));
        served = next.outerHTML;
        replacing.replaceElement(shown, served);
        for (const tick of ticks()) tick.checked = ticked.has(tick.value);
        replacing.announceReplaced("studies");
      }
    } catch { /* The next look may reach the server again. */ }
    setTimeout(look, lookEveryMs);
  };
  let served = document.getElementById("studies").outerHTML;
  setTimeout(look, lookEveryMs);
})();
