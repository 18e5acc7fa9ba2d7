// The filter of the claims. Without it the page shows them all, and nothing of the filter.
(() => {
  const form = document.getElementById("filter");
  const rows = [...document.querySelectorAll("tr[data-claim]")];
  const groups = [...document.querySelectorAll("#claim_table tbody")];
  const said = form.querySelector("[role=status]");

  function show() {
    const asked = new FormData(form);
    const words = asked.get("text").toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (kind, held) => !asked.get(kind) || held.split(" ").includes(asked.get(kind));
    let shown = 0;
    for (const row of rows) {
      const { claim, text, status, grades, finding } = row.dataset;
      const found = words.every((word) => text.includes(word))
        && fits("status", status) && fits("grade", grades) && fits("finding", finding);
      row.hidden = document.getElementById(claim).hidden = !found;
      shown += found;
    }
    for (const group of groups) group.hidden = !group.querySelector("tr[data-claim]:not([hidden])");
    said.textContent = shown === rows.length ? `${shown} claims` : `${shown} of ${rows.length} claims`;
  }

  function all() {
    form.reset();
    show();
  }

  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector("button").addEventListener("click", all);
  // A link to a claim that the filter hides leads there nevertheless.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    const target = link && document.getElementById(link.getAttribute("href").slice(1));
    if (target && target.closest("[hidden]")) all();
  });
  show(); // a browser may have kept what was typed before
})();
