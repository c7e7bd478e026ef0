// Times as the reader's own clock has them; a filter that is chosen is used at once.
for (const time of document.querySelectorAll("time[datetime]")) {
  const when = new Date(time.dateTime);
  if (!Number.isNaN(when.getTime())) {
    time.textContent = when.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    time.title = when.toString();
  }
}
for (const select of document.querySelectorAll(".match-filters select")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}
