"use strict";
// Clusters by words of their titles, ids and sources, in the order that is asked for.
const clusters = JSON.parse(document.getElementById("clusters").textContent);
const SHOWN = 200, words = document.getElementById("words"), order = document.getElementById("order"), list = document.getElementById("found"), count = document.getElementById("count");
const ORDERS = { size: (a, b) => b[1] - a[1] || a[0] - b[0], weakest: (a, b) => a[4] - b[4] || a[0] - b[0], tight: (a, b) => b[4] - a[4] || a[0] - b[0], title: (a, b) => a[2].localeCompare(b[2]) || a[0] - b[0] };
for (const one of clusters) one.push((one[2] + " " + one[3]).toLowerCase());
function find() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = clusters.filter((one) => wanted.every((word) => one[one.length - 1].includes(word))).sort(ORDERS[order.value]);
  count.textContent = found.length.toLocaleString();
  list.replaceChildren(...found.slice(0, SHOWN).map((one) => {
    const item = document.createElement("li"), size = document.createElement("span"), link = document.createElement("a"), told = document.createElement("span");
    size.className = "size"; size.textContent = one[1];
    link.href = one[5] + "#c" + one[0]; link.textContent = one[2];
    told.className = "quiet"; told.textContent = "  " + Math.round(one[4] * 100) + " %";
    item.append(size, link, told);
    return item;
  }));
}
words.addEventListener("input", find);
order.addEventListener("change", find);
find();
