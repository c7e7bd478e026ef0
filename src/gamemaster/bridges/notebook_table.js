// Clicks at a table of a notebook -> messages to its kernel, and the answers into the page. See notebook_table.py.
//
// All that is known of the game is in the kernel: here a click is only told, and what comes back replaces the board.
// Where no way to a kernel is found, the line that says how to move by typing stays.
(() => {
  const TARGET = "gamemaster.table";

  const ways = [inClassicNotebook, inColab, inJupyter];

  // Each way: tell the kernel who we are, call `got` with what it says, and give a function that sends.

  function inClassicNotebook(hello, got) {
    const kernel = window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel;
    if (!kernel) return null;
    const comm = kernel.comm_manager.new_comm(TARGET, hello);
    comm.on_msg((message) => got(message.content.data));
    return (data) => comm.send(data);
  }

  function inColab(hello, got) {
    const comms = window.google && google.colab && google.colab.kernel && google.colab.kernel.comms;
    if (!comms) return null;
    const opened = comms.open(TARGET, hello);
    opened.then(async (channel) => {
      for await (const message of channel.messages) got(message.data);
    });
    return (data) => opened.then((channel) => channel.send(data));
  }

  // JupyterLab and Notebook 7 give a page no kernel, but their server has a socket to it at a known address.
  function inJupyter(hello, got, kernel) {
    const config = document.getElementById("jupyter-config-data");
    if (!config || !kernel) return null;
    const { baseUrl = "/", token = "" } = JSON.parse(config.textContent);
    const session = newId(), comm = newId();
    const address = new URL(`${baseUrl}api/kernels/${kernel}/channels`, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.searchParams.set("session_id", session);
    if (token) address.searchParams.set("token", token);

    const message = (type, content) => JSON.stringify({
      header: { msg_id: newId(), msg_type: type, session, username: "", date: new Date().toISOString(), version: "5.3" },
      parent_header: {}, metadata: {}, buffers: [], channel: "shell", content: { comm_id: comm, ...content },
    });
    const open = () => new Promise((resolve, reject) => {
      const socket = new WebSocket(address);
      socket.onopen = () => {
        socket.send(message("comm_open", { target_name: TARGET, data: hello }));
        resolve(socket);
      };
      socket.onerror = reject;
      socket.onmessage = (event) => {
        if (typeof event.data !== "string") return;
        const { channel, msg_type, content } = JSON.parse(event.data);
        if (channel === "iopub" && msg_type === "comm_msg" && content.comm_id === comm) got(content.data);
      };
    });
    let line = open();
    return async (data) => {
      if ((await line.catch(() => null))?.readyState !== WebSocket.OPEN) line = open();  // after a sleep, say
      (await line).send(message("comm_msg", { data }));
    };
  }

  function newId() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  function seat(table) {
    table.dataset.isSeated = "yes";
    const board = table.querySelector("[data-board]"), hint = table.querySelector("[data-hint]");
    const got = (data) => {
      if (data && typeof data.html === "string") board.innerHTML = data.html;
      hint.hidden = true;
      table.removeAttribute("aria-busy");
      const chosen = table.dataset.last && board.querySelector(`[data-cell="${CSS.escape(table.dataset.last)}"]`);
      if (chosen) chosen.focus({ preventScroll: true });
    };
    const hello = { token: table.dataset.token };
    let send = null;
    for (const way of ways) send = send || way(hello, got, table.dataset.kernel);
    if (!send) return;

    const act = (event) => {
      const pressed = event.target.closest("[data-act]"), cell = event.target.closest("[data-cell][role=button]");
      if ((!pressed && !cell) || table.hasAttribute("aria-busy")) return;
      event.preventDefault();
      event.stopPropagation();
      table.dataset.last = cell ? cell.dataset.cell : "";
      table.setAttribute("aria-busy", "true");
      const step = Number(board.querySelector("[data-step]").dataset.step);
      const told = pressed ? { act: pressed.dataset.act, step } : { cell: cell.dataset.cell, step };
      Promise.resolve(send(told)).catch(() => { table.removeAttribute("aria-busy"); hint.hidden = false; });
    };
    table.addEventListener("click", act);
    table.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") act(event);
      if (event.target.closest("[data-cell]")) event.stopPropagation();  // keys of the notebook mean something else
    });
  }

  // A page may put an output into the document only after its scripts have run.
  let tries = 100;
  const look = () => {
    const found = document.querySelectorAll("[data-gamemaster-table]:not([data-is-seated])");
    found.forEach(seat);
    if (!found.length && tries--) setTimeout(look, 50);
  };
  look();
})();
