"""A table in a notebook: moves typed and clicked, what a page may say to the kernel, and real browsers."""

from __future__ import annotations

import html
import json
import random
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, serve

import gamemaster as gm
from gamemaster.bridges import notebook_table
from gamemaster.bridges.notebook import play
from gamemaster.bridges.notebook_table import TABLES, TARGET, NotebookTable, kernel_id, listen
from gamemaster.errors import IllegalMove, ParameterError, StateError, UnknownRole, Unsuitable
from tests.bridges.strangers import EVIL, Outline, hostile_game

SEATED = "document.querySelector('[data-hint]').hidden"


@pytest.fixture(scope="module")
def game() -> gm.Game:
    return gm.load("tictactoe")


@pytest.fixture(scope="module")
def hostile() -> gm.Game:
    return hostile_game()


def test_hostile_names_do_not_run_at_a_table(hostile: gm.Game) -> None:
    def failing(state: gm.State) -> str:
        raise ValueError(EVIL)

    table = play(hostile, against=failing)
    page = Outline(table._repr_html_())
    assert (page.scripts, page.handlers) == (1, [])  # our own
    shown = table.handle({"act": "move mark(9,9)<script>", "step": 0})["html"]
    assert "<script>".upper() not in shown.upper()
    assert "illegal move" in html.unescape(shown)
    assert Outline(shown).scripts == 0


def test_our_script_cannot_end_early() -> None:
    script = notebook_table.SCRIPT.read_text()
    assert "</" not in script
    assert "<!--" not in script


# A table


def test_a_person_plays_by_typing_and_the_player_answers(game: gm.Game) -> None:
    table = play(game, against="legal")
    assert table.move("mark 2 2") is table.move("mark(3,3)")
    assert str(table.state.legal_moves("x")[0]) == "mark(1,3)"
    assert (table.state.step, table.awaited, table.role) == (4, "x", "x")
    assert "x" in str(table)
    assert repr(table) == str(table)
    table.move("mark(3,1)")
    assert table.state.is_terminal
    with pytest.raises(StateError, match=r"tictactoe is over after \d steps: table\.again\(\) begins anew"):
        table.move("mark(1,1)")
    assert 'table.move("...")' in html.unescape(table._repr_html_())
    assert table.again().state.step == 0


def test_a_game_by_its_name_and_a_role(game: gm.Game) -> None:
    table = play("tictactoe", against="legal", role="o")
    assert (table.state.step, table.awaited) == (1, "o")
    assert table.back().state.step == 1  # the player begins anew


def test_moves_are_taken_back_with_their_answers(game: gm.Game) -> None:
    table = play(game, against="legal").move("mark(2,2)").move("mark(3,3)")
    assert table.back().state.step == 2
    assert table.back().back().state.step == 0


def test_one_person_can_play_everybody() -> None:
    table = play("roshambo:once", against=None)
    first, second = table.game.roles
    assert table.awaited == first
    assert table.move("rock").awaited == second
    assert table.state.step == 0
    assert table.move("paper").state.step == 1


def test_chance_draws_at_a_table() -> None:
    table = play("dicerace", against="random", seed=3)
    while table.awaited:
        table.move(random.Random(1).choice(table.state.legal_moves(table.awaited)))
    assert table.state.is_over


def test_a_move_that_is_not_legal_is_told_and_changes_nothing(game: gm.Game) -> None:
    table = play(game, against="legal")
    with pytest.raises(
        IllegalMove, match=r"illegal move 'mark\(4,4\)' for role 'x' in step 1; legal: mark\(1,1\)"
    ):
        table.move("mark(4,4)")
    with pytest.raises(IllegalMove, match="illegal move 'mark'"):  # it can be nine moves
        table.move("mark")
    assert table.state.step == 0


def failing(state: gm.State) -> str:
    raise ValueError("no idea")


@pytest.mark.parametrize(
    ("player", "note"),
    [
        (failing, "failing fails: ValueError: no idea; a move at random is made for it"),
        (lambda state: "dance", "answers 'dance', which is not legal; a move at random is made for it"),
        (lambda state: 17, "answers '17', which is not legal"),
    ],
)
def test_a_player_that_fails_does_not_end_the_game(game: gm.Game, player: Any, note: str) -> None:
    table = play(game, against=player).move("mark(2,2)")
    assert note in table.note
    assert table.state.step == 2
    assert "random" in Outline(table.board_html()).words


def test_an_interrupt_leaves_the_table_as_it_was(game: gm.Game) -> None:
    def impatient(state: gm.State) -> str:
        raise KeyboardInterrupt

    table = play(game, against=impatient)
    with pytest.raises(KeyboardInterrupt):
        table.move("mark(2,2)")
    assert (table.state.step, table.awaited) == (0, "x")


def test_what_cannot_be_played_at_a_table_is_told(game: gm.Game) -> None:
    with pytest.raises(
        Unsuitable, match=r"higherlower hides its state, and a table in a notebook shows all of it"
    ):
        play("higherlower")
    with pytest.raises(UnknownRole, match="no role 'z' in tictactoe; its roles: x, o"):
        play(game, role="z")
    with pytest.raises(ParameterError, match="'random' is chance in dicerace, which nobody plays"):
        play("dicerace", role="random")
    with pytest.raises(
        ParameterError, match=r"'http://127\.0\.0\.1:1' is elsewhere, and a table needs a player that can"
    ):
        play(game, against="http://127.0.0.1:1")
    with pytest.raises(Unsuitable, match="maximizer"):
        play(game, against="maximizer")


# Clicks

COIN = """
    role(thrower)
    init(up)
    legal(thrower,flip) legal(thrower,wait)
    next(down) :- does(thrower,flip)
    next(up) :- does(thrower,wait)
    terminal :- true(down)
    goal(thrower,100)
"""


def test_clicks_make_moves(game: gm.Game) -> None:
    table = play(game, against="legal")
    assert table.click("0-2-2").state.step == 2
    assert table.click("0-2-2").state.step == 2  # it is taken
    assert table.click("nowhere").state.step == 2
    for cell in ("0-3-3", "0-3-1"):  # o has a row by then
        table.click(cell)
    with pytest.raises(StateError, match="is over after"):
        table.click("0-1-3")


def test_a_move_of_two_clicks_shows_where_it_can_go() -> None:
    table = play("chess", against="legal")
    assert 'role="button"' in table.board_html()
    before = table.board_html()
    table.click("0-e-2")
    assert table.board_html() != before
    assert table.click("0-e-2").board_html() == before  # again: let go
    assert table.click("0-e-2").click("0-d-2").click("0-d-4").state.holds("cell(d,4,white,pawn)")


def test_what_clicks_leave_open_is_a_list() -> None:
    from gamemaster.bridges.pythonchess import state_of

    table = play("chess", against=None)
    table.states = [state_of("7k/P7/8/8/8/8/8/K7 w - - 0 1")]
    table.click("0-a-7").click("0-a-8")
    labels = re.findall(r'data-act="(move [^"]*)"', table.board_html())
    assert len(labels) == 4
    table.handle({"act": labels[-1], "step": 0})
    assert table.state.step == 1


def test_moves_without_a_place_are_buttons() -> None:
    table = play(gm.parse(COIN, "hrf", name="coin"))
    assert 'data-act="move flip"' in table.board_html()
    table.handle({"act": "move flip", "step": 0})
    assert table.state.step == 1
    assert 'data-act="back"' in table.board_html()


@pytest.mark.parametrize(
    "told",
    [
        None,
        "click",
        {},
        {"cell": "0-1-1"},
        {"cell": "0-1-1", "step": 7},
        {"cell": 3, "step": 0},
        {"act": "x", "step": 0},
    ],
)
def test_what_a_page_may_not_say_changes_nothing(game: gm.Game, told: object) -> None:
    table = play(game, against="legal")
    before = table.board_html()
    assert table.handle(told) == {"html": before}


# The kernel


class FakeComm:
    """A comm of a kernel, as far as a table uses one."""

    def __init__(self) -> None:
        self.sent: list[dict[str, str]] = []
        self.hear: Callable[[dict[str, Any]], None] = lambda message: None

    def send(self, data: dict[str, str]) -> None:
        self.sent.append(data)

    def on_msg(self, hear: Callable[[dict[str, Any]], None]) -> None:
        self.hear = hear

    def say(self, data: object) -> str:
        self.hear({"content": {"data": data}})
        return self.sent[-1]["html"]


Open = Callable[[FakeComm, dict[str, Any]], None]


@pytest.fixture
def targets(monkeypatch: pytest.MonkeyPatch) -> dict[str, Open]:
    """What is registered in a kernel that is none."""
    found: dict[str, Open] = {}

    class Manager:
        def register_target(self, name: str, opened: Open) -> None:
            found[name] = opened

    module = ModuleType("comm")
    module.__dict__["get_comm_manager"] = Manager
    monkeypatch.setitem(sys.modules, "comm", module)
    return found


def opened(targets: dict[str, Open], token: object) -> FakeComm:
    comm = FakeComm()
    targets[TARGET](comm, {"content": {"data": {"token": token}}})
    return comm


def token_of(table: NotebookTable) -> str:
    return next(token for token, each in TABLES.items() if each is table)


def test_a_page_plays_over_a_comm_of_the_kernel(game: gm.Game, targets: dict[str, Open]) -> None:
    table = play(game, against="legal")
    assert f'data-token="{token_of(table)}"' in table._repr_html_()
    comm = opened(targets, token_of(table))
    assert comm.sent == [{"html": table.board_html()}]
    assert 'data-step="2"' in comm.say({"cell": "0-2-2", "step": 0})
    assert 'data-step="2"' in comm.say({"cell": "0-3-3", "step": 0})  # a second click on the page as it was
    assert 'data-step="0"' in comm.say({"act": "back", "step": 2})


@pytest.mark.parametrize("token", ["unknown", None, ["list"]])
def test_a_page_whose_table_is_gone_is_told(token: object, targets: dict[str, Open]) -> None:
    listen()
    comm = opened(targets, token)
    assert comm.sent == [{"html": "This table is gone with its kernel: run the cell again."}]


def test_without_a_kernel_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "comm", None)
    monkeypatch.setitem(sys.modules, "ipykernel.connect", None)
    assert not listen()
    assert kernel_id() == ""


def test_the_kernel_is_known_by_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("ipykernel.connect")
    name = "9a74566e-acf0-4ac2-8586-423d7ef60a8e"
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "ipykernel.connect", module)
    for place, found in ((f"/run/kernel-{name}.json", name), ("/run/mine.json", "")):
        module.__dict__["get_connection_file"] = lambda place=place: place
        assert kernel_id() == found


# A browser


@contextmanager
def browser_page() -> Iterator[Any]:
    """A page of a real browser, and nothing went wrong in it."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("there is no chromium here to look at a notebook with")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(180_000)
        troubles: list[str] = []

        def troubled_by_dialog(dialog: Any) -> None:
            troubles.append(dialog.message)
            dialog.dismiss()

        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", troubled_by_dialog)
        yield page
        assert troubles == []
        browser.close()


def play_in(page: Any) -> None:
    """Play two moves by pointer and keyboard, and take one back."""
    page.wait_for_function(SEATED)
    page.click('[data-cell="0-2-2"]')
    page.wait_for_selector('[data-step="2"]')
    page.focus('[data-cell="0-3-3"]')
    page.keyboard.press("Enter")
    page.wait_for_selector('[data-step="4"]')
    page.click('[data-act="back"]')
    page.wait_for_selector('[data-step="2"]')


@pytest.mark.slow
def test_clicks_get_through_in_the_classic_notebook(game: gm.Game, targets: dict[str, Open]) -> None:
    table = play(game, against="legal")
    text = table._repr_html_()
    with browser_page() as page:
        comms: list[FakeComm] = []
        page.expose_function("kernel_open", lambda hello: comms.append(opened(targets, hello["token"])))
        page.expose_function("kernel_say", lambda data: comms[0].say(data))
        page.add_init_script(
            "window.Jupyter = {notebook: {kernel: {comm_manager: {new_comm: (target, hello) => {"
            "let hear; kernel_open(hello).then(() => hear({content: {data: {}}}));"
            "return {on_msg: (f) => {hear = f}, send: async (data) =>"
            " hear({content: {data: {html: await kernel_say(data)}}})}}}}}}"
        )
        page.goto("data:text/html,<body></body>")
        page.set_content(text)
        play_in(page)
    assert table.state.step == 2


@pytest.mark.slow
def test_clicks_get_through_in_jupyterlab_by_the_socket_of_its_server(
    game: gm.Game, targets: dict[str, Open], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook_table, "kernel_id", lambda: "the-kernel")
    table = play(game, against="legal")
    paths: list[str] = []

    def talk(socket: ServerConnection) -> None:
        assert socket.request is not None
        paths.append(socket.request.path)
        comm: FakeComm | None = None
        for text in socket:
            message = json.loads(text)
            data, name = message["content"]["data"], message["content"]["comm_id"]
            if message["header"]["msg_type"] == "comm_open":
                assert message["content"]["target_name"] == TARGET
                comm = opened(targets, data["token"])
            else:
                assert comm is not None
                comm.say(data)
            answer = {"comm_id": name, "data": comm.sent[-1]}
            for other in (name + "x", name):  # what others hear is not ours
                content = {**answer, "comm_id": other}
                socket.send(json.dumps({"channel": "iopub", "msg_type": "comm_msg", "content": content}))

    with serve(talk, "127.0.0.1", 0) as server, browser_page() as page:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        base = f"http://127.0.0.1:{server.socket.getsockname()[1]}/lab/"
        config = json.dumps({"baseUrl": base, "token": "t&n"})
        page.set_content(f'<script id="jupyter-config-data" type="application/json">{config}</script>')
        page.evaluate(INSERT, table._repr_html_())
        play_in(page)
        server.shutdown()
        thread.join(60)
    assert table.state.step == 2
    assert re.fullmatch(r"/lab/api/kernels/the-kernel/channels\?session_id=\w{32}&token=t%26n", paths[0])


INSERT = """(text) => {
    const output = document.createElement("div");
    output.innerHTML = text;                 // scripts do not run like that, so JupyterLab makes them anew
    const old = output.querySelector("script"), script = document.createElement("script");
    script.textContent = old.textContent;
    old.replaceWith(script);
    document.body.append(output);
}"""


@pytest.mark.slow
def test_where_there_is_no_kernel_the_page_says_how_to_move(game: gm.Game) -> None:
    with browser_page() as page:
        page.set_content(play(game, against="legal")._repr_html_())
        assert "type the move: table.move(" in page.inner_text("[data-hint]")
        assert not page.evaluate(SEATED)


@pytest.mark.slow
def test_hostile_names_do_nothing_in_a_browser(hostile: gm.Game) -> None:
    with browser_page() as page:
        table = play(hostile, against=None)
        for text in (hostile._repr_html_(), table._repr_html_(), table.move("1").board_html()):
            page.set_content(text)
            page.wait_for_selector("svg")


@pytest.mark.slow
def test_a_notebook_runs_from_its_first_cell_to_its_last() -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cells = [
        "import gamemaster as gm\nfrom gamemaster.bridges import notebook\ngm.load('tictactoe')",
        "gm.search(gm.load('tictactoe'), algorithm='alphabeta', nodes=100)",
        "gm.match('tictactoe', ['random', 'legal'])",
        "table = notebook.play('tictactoe', against='legal')\ntable.move('mark(2,2)')",
        "import comm\nlist(comm.get_comm_manager().targets)",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=600).execute()
    for cell in book.cells[:-1]:
        assert "<svg" in cell.outputs[-1]["data"]["text/html"]
    assert TARGET in book.cells[-1].outputs[-1]["data"]["text/plain"]
