"use strict";
// Two texts side by side: sentences that are equal stand beside each other, in others what differs is marked.
const texts = JSON.parse(document.getElementById("texts").textContent);
const MOST = 3000;
function sentences(text) { return text.match(/[^。！？!?；;\n]*[。！？!?；;\n]+|[^。！？!?；;\n]+/g) || []; }
function rows(a, b) {
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const one = a.slice(start, a.length - end), other = b.slice(start, b.length - end), out = [];
  for (let i = 0; i < start; i++) out.push([a[i], a[i], true]);
  if (one.length > MOST || other.length > MOST) out.push([one.join(""), other.join(""), false]);
  else {
    const width = other.length + 1, best = new Uint16Array((one.length + 1) * width);
    for (let i = one.length - 1; i >= 0; i--) for (let j = other.length - 1; j >= 0; j--)
      best[i * width + j] = one[i] === other[j] ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    let i = 0, j = 0, left = "", right = "";
    const flush = () => { if (left || right) out.push([left, right, false]); left = right = ""; };
    while (i < one.length || j < other.length) {
      if (i < one.length && j < other.length && one[i] === other[j]) { flush(); out.push([one[i], other[j], true]); i++; j++; }
      else if (j >= other.length || (i < one.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) left += one[i++];
      else right += other[j++];
    }
    flush();
  }
  for (let i = a.length - end; i < a.length; i++) out.push([a[i], a[i], true]);
  return out;
}
function marked(cell, text, other) {
  let start = 0, end = 0;
  while (start < text.length && start < other.length && text[start] === other[start]) start++;
  while (end < text.length - start && end < other.length - start && text[text.length - 1 - end] === other[other.length - 1 - end]) end++;
  const mark = document.createElement("mark");
  mark.textContent = text.slice(start, text.length - end);
  cell.append(text.slice(0, start), mark, text.slice(text.length - end));
}
function show(button) {
  const open = button.parentElement.querySelector("table");
  if (open) { open.remove(); return; }
  const table = document.createElement("table");
  table.className = "diff";
  for (const [left, right, same] of rows(sentences(texts[button.dataset.a]), sentences(texts[button.dataset.b]))) {
    const row = table.insertRow(), a = row.insertCell(), b = row.insertCell();
    if (same) { a.textContent = left; b.textContent = right; continue; }
    if (left) { a.className = "a"; marked(a, left, right); }
    if (right) { b.className = "b"; marked(b, right, left); }
  }
  button.parentElement.append(table);
}
for (const button of document.querySelectorAll("button[data-a]")) {
  button.hidden = false;
  button.addEventListener("click", () => show(button));
}
