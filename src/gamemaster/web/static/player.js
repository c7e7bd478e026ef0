// A player's page: a launched one as it goes, over a socket, and a ping without leaving the page.

const region = document.getElementById("live-region");

async function post(form, values = {}) {
  const body = new URLSearchParams({ token: form.elements.token.value, ...values });
  const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
  if (answer.ok) return answer.json();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return { problem: page.querySelector("main p")?.textContent ?? "That did not work." };
}

const ping = document.querySelector("[data-ping]");
ping?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = ping.querySelector("[data-said]");
  said.textContent = "Asking …";
  const answer = await post(ping).catch(() => ({ problem: "The line is down." }));
  said.textContent = answer.say ?? answer.problem;
});

const box = document.querySelector("[data-launched]");
if (box) follow(box);

function follow(box) {
  const acts = box.querySelector("[data-acts]");
  const list = document.getElementById("said");
  const now = document.getElementById("launched-now");
  const problem = box.querySelector("[data-problem]");
  const launch = document.querySelector("[data-launch]");
  const first = JSON.parse(box.dataset.first);
  let { number, mark } = first;
  let waits = 0;
  let status = now.querySelector("[data-status]").dataset.status;

  acts.addEventListener("submit", async (event) => {
    event.preventDefault();
    const act = event.submitter?.value;
    if (!act) return;
    const answer = await post(acts, { act }).catch(() => ({ problem: "The line is down." }));
    problem.textContent = answer.problem ?? "";
    problem.hidden = !answer.problem;
  });

  function show(message) {
    const html = message.append.said ?? "";
    if (message.after === 0) list.innerHTML = html;
    else list.insertAdjacentHTML("beforeend", html);
    if (html) list.scrollTop = list.scrollHeight;
    number = message.number;
    mark = message.mark;
    const part = message.parts?.["launched-now"];
    if (part !== undefined && part !== now.innerHTML) replace(part);
  }

  // Whoever is at a button by keyboard stays at it, or near it.
  function replace(html) {
    const focused = now.contains(document.activeElement) ? document.activeElement : null;
    now.innerHTML = html;
    const found = now.querySelector("[data-status]").dataset.status;
    if (found !== status) region.textContent = `The player is ${found}`;
    status = found;
    launch.hidden = status !== "gone";
    if (!focused) return;
    now.tabIndex = -1;
    const buttons = [...now.querySelectorAll("button")];
    (buttons.find((each) => each.value === focused.value) ?? buttons[0] ?? now).focus();
  }

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/players/${box.dataset.name}/launched/${box.dataset.launched}/live?after=${number}&mark=${mark}`);
    socket.addEventListener("message", (event) => { waits = 0; box.dataset.line = "up"; show(JSON.parse(event.data)); });
    socket.addEventListener("close", (event) => {
      box.dataset.line = "down";
      if (event.code === 4404) return;
      waits = Math.min(waits + 1, 6);
      setTimeout(connect, 250 * 2 ** waits * (0.5 + Math.random()));
    });
  }

  list.scrollTop = list.scrollHeight;
  connect();
}
