// Files, or folders of files, that somebody drops -> a list of files. The zone shows where they would fall.

const MOST = 40; // of a folder, so many are looked at

export function dropped(target, zone, take) {
  let depth = 0;
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const mark = (change) => {
    depth = Math.max(0, depth + change);
    zone.classList.toggle("is-over", depth > 0);
  };
  target.addEventListener("dragenter", (event) => hasFiles(event) && mark(1));
  target.addEventListener("dragleave", (event) => hasFiles(event) && mark(-1));
  target.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });
  target.addEventListener("drop", async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    mark(0);
    take(await filesOf(event.dataTransfer));
  });
}

async function filesOf(transfer) {
  const plain = [...transfer.files];
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return plain;
  const found = [];
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry, found) {
  if (found.length >= MOST || entry.name.startsWith(".")) return;
  if (entry.isFile) {
    found.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
    return;
  }
  const reader = entry.createReader();
  for (let some = await read(reader); some.length; some = await read(reader)) for (const each of some) await walk(each, found);
}

const read = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
