// The form for a match: another game has other roles, so the form comes anew.
const game = document.querySelector("[data-game]");
const change = document.querySelector("[data-change]");
change.hidden = true;
game.addEventListener("change", () => change.click());
