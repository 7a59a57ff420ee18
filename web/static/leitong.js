// Everything works without this file; it saves a click here and there.
"use strict";

// How many similar documents each hit has, asked for after the page is there.
for (const list of document.querySelectorAll("[data-counts]")) {
  const links = new Map([...list.querySelectorAll("a[data-id]")].map((link) => [link.dataset.id, link]));
  const ask = async () => {
    for (const [id, link] of links) {
      const address = new URL(list.dataset.counts, location.href);
      address.searchParams.set("id", id);
      const reply = await fetch(address);
      if (!reply.ok) return;
      const count = (await reply.json()).counts[id];
      if (count === undefined) continue;
      const place = link.querySelector(".n");
      place.textContent = place.dataset.pattern.replace("{n}", count);
      link.classList.toggle("some", count > 0);
    }
  };
  ask().catch(() => {});
}

// The radius is applied when the slider is let go.
for (const slider of document.querySelectorAll(".radius input[type=range]")) {
  const output = slider.form.querySelector("output");
  slider.addEventListener("input", () => { output.value = slider.value; });
  slider.addEventListener("change", () => slider.form.requestSubmit());
}

// A file is dropped anywhere on the form.
for (const input of document.querySelectorAll("form input[type=file]")) {
  const form = input.form;
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    form.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    input.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}

// Who speaks to the browser, or hits keys by mistake, turns the shortcuts off; the browser remembers it.
const KEYS = "leitong-keys";
let keys = true;
try { keys = localStorage.getItem(KEYS) !== "off"; } catch { /* the browser is told to remember nothing */ }
for (const button of document.querySelectorAll(".keys button")) {
  const tell = () => { button.textContent = keys ? button.dataset.off : button.dataset.on; };
  button.addEventListener("click", () => {
    keys = !keys;
    tell();
    localStorage.setItem(KEYS, keys ? "on" : "off");
  });
  tell();
  button.hidden = false;
}

// "/" leads to the search box, "j" and "k" from one result to the next.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (!keys || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    document.getElementById("q")?.focus();
    document.getElementById("q")?.select();
    event.preventDefault();
  } else if (event.key === "j" || event.key === "k") {
    const stops = [...document.querySelectorAll(".hits h2 a, .matches li > a, .clusters h2 a")];
    const here = stops.indexOf(document.activeElement);
    const next = event.key === "j" ? here + 1 : Math.max(0, here - 1);
    stops[Math.min(next, stops.length - 1)]?.focus();
  }
});
