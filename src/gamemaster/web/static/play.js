// The form for a match: its roles follow the game that is chosen.
const form = document.querySelector("[data-roles-form]");
const game = form.querySelector("[data-game]");
const row = form.querySelector("[data-role-pills]");
const others = form.querySelector("[data-others]");

function pill(value, text, isChecked) {
  const label = document.createElement("label");
  label.className = "pill";
  const input = document.createElement("input");
  Object.assign(input, { type: "radio", name: "role", value, checked: isChecked });
  label.append(input, ` ${text}`);
  return label;
}

function follow() {
  const roles = game.selectedOptions[0].dataset.roles.split(" ");
  row.replaceChildren(pill("any", "either", true), ...roles.map((role) => pill(role, role, false)));
  others.hidden = roles.length < 2;
}

game.addEventListener("change", follow);
others.hidden = game.selectedOptions[0].dataset.roles.split(" ").length < 2;
