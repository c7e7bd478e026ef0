"""A person at the terminal: a first game, hints, what is pointed out, how games end, and hidden games."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.draw.ending import end_in_words
from gamemaster.draw.results import by_choice, is_by_visits
from gamemaster.games import game_names
from gamemaster.games.aims import aim_of
from gamemaster.machine.moves import follow, split_moves
from gamemaster.search.result import IN_PYTHON
from gamemaster.terminal.hints import Adviser
from gamemaster.terminal.parted import Unsaid, parted
from gamemaster.terminal.progress import label
from gamemaster.terminal.welcome import FRIENDS, choose_game, invite_friend
from tests.players.sheets import DIE, HIDDEN, ROSHAMBO
from tests.test_cli import assert_refused, plain, run, run_in_terminal

Write = Callable[[str, str], str]

CARDS = """
role(random) role(alice) role(bob)
init(phase(deal))
card(king) card(queen) card(jack)
legal(random,deal(X,Y)) :- true(phase(deal)) & card(X) & card(Y) & distinct(X,Y)
legal(random,noop) :- ~true(phase(deal))
person(alice) person(bob)
legal(R,noop) :- true(phase(deal)) & person(R)
legal(R,bet) :- true(phase(bid)) & person(R)
legal(R,fold) :- true(phase(bid)) & person(R)
next(hand(alice,X)) :- does(random,deal(X,Y))
next(hand(bob,Y)) :- does(random,deal(X,Y))
next(hand(R,C)) :- true(hand(R,C))
next(phase(bid)) :- true(phase(deal))
next(phase(over)) :- true(phase(bid))
sees(alice,X) :- does(random,deal(X,Y))
sees(bob,Y) :- does(random,deal(X,Y))
terminal :- true(phase(over))
goal(alice,100) :- true(hand(alice,king))
goal(alice,0) :- ~true(hand(alice,king))
goal(bob,100) :- true(hand(bob,king))
goal(bob,0) :- ~true(hand(bob,king))
goal(random,0)
"""
THREE = """
role(a) role(b) role(c)
init(p)
legal(R,wait) :- role(R)
terminal :- true(p)
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file and gives its path."""

    def write_file(name: str, content: str) -> str:
        (tmp_path / name).write_text(content)
        return str(tmp_path / name)

    return write_file


# A first game


def test_without_a_game_a_newcomer_plays_against_a_friend() -> None:
    played = run("play", stdin="mark(1,1)\n")
    assert played.exit_code == 0, played.output
    assert played.stdout.startswith("You play x against a friend (alphabeta(depth=2)), who plays o.\n")
    assert "tictactoe: x, o\n" in played.stdout
    assert re.search(r"^o: mark\(\d,\d\) \(friend\)$", played.stdout, re.MULTILINE)
    assert "value" not in played.stdout, "a friend does not talk of numbers"


def test_a_newcomer_chooses_with_one_question() -> None:
    seen = plain(run_in_terminal("play", typed="parcheesi\n2\nquit\n"))
    assert "Which game? 1 tictactoe  2 connectfour" in seen
    assert "no game or rule file 'parcheesi'" in seen
    assert "connectfour: red, black" in seen
    assert "tictactoe: x, o" in plain(run_in_terminal("play", typed="\nquit\n"))


def test_ctrl_d_at_the_first_question_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", end)
    assert choose_game() is None


@pytest.mark.parametrize("typed", ["quit\n", "q\n"])
def test_who_wants_no_game_may_leave_at_once(typed: str) -> None:
    seen = plain(run_in_terminal("play", typed=f"99\n{typed}"))
    assert "There is no game or rule file '99'. A number from 1 to 5" in seen
    assert "Stopped." in seen
    assert "tictactoe: x, o" not in seen


@pytest.mark.parametrize("game", game_names())
def test_the_library_says_the_aim_of_every_game(game: str) -> None:
    assert aim_of(game, gm.load(game, machine="reference").sheet)


def test_the_aim_is_told_before_the_first_board(write: Write) -> None:
    told = "tictactoe: x, o\nGet three of your marks in a straight line: a row, a column or a diagonal.\n\n"
    assert run("play", "tictactoe").stdout.startswith(told)
    commented = write("game.hrf", f"% Paper wins.\n%% It is sharp.\n%\n{ROSHAMBO}")
    assert run("play", commented).stdout.startswith("game: left, right\nPaper wins. It is sharp.\n")
    licence = write("game.hrf", "% as is\n" * 5 + ROSHAMBO)
    assert run("play", licence).stdout.startswith("game: left, right\n\n")
    assert run("play", write("game.hrf", ROSHAMBO)).stdout.startswith("game: left, right\n\n")


def test_a_title_stands_before_what_a_game_is_about(write: Write) -> None:
    titled = write("game.hrf", f"% Rock and paper\n% Paper wins.\n{ROSHAMBO}")
    assert run("play", titled).stdout.startswith("Rock and paper: left, right\nPaper wins.\n\n")
    alone = write("game.hrf", f"% Rock and paper\n{ROSHAMBO}")
    assert run("play", alone).stdout.startswith("Rock and paper: left, right\n\n")


def test_a_style_that_is_wrong_is_told_and_the_game_is_played(write: Write, tmp_path: Path) -> None:
    path = write("game.hrf", ROSHAMBO)
    (tmp_path / "game.style.toml").write_text("[[board]]\nrelation = 3\n")
    result = run("play", path, stdin="rock\npaper\n")
    assert result.exit_code == 0
    assert re.fullmatch(
        r"warning: .*game\.style\.toml:2:1: .*; so the board is found from the rules\n", result.stderr
    )
    assert "right wins" in result.stdout


def test_somebody_else_can_be_named_without_a_game() -> None:
    played = run("play", "--against", "legal", "--as", "o", stdin="quit\n")
    assert "x: mark(1,1) (legal)" in played.stdout


@pytest.mark.parametrize(
    ("sheet", "person", "friend"), [(ROSHAMBO, "left", "mcs"), (CARDS, "alice", "random")]
)
def test_a_friend_is_found_for_every_game(
    write: Write, sheet: str, person: str, friend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write("game.hrf", sheet)
    game = gm.load(path, machine="reference")
    assert invite_friend(path, game, [person], seconds=1, generator=random.Random(0))
    assert friend in FRIENDS
    assert f"({friend})" in capsys.readouterr().out


def test_a_puzzle_needs_no_friend() -> None:
    game = gm.load("peg", machine="reference")
    assert invite_friend("peg", game, ["jumper"], seconds=1, generator=random.Random(0)) == []


# Hints, marks and the end


def test_a_hint_says_what_to_do_and_why() -> None:
    moves = "mark(1,1);mark(2,1);mark(1,2);mark(2,2)"
    played = run("play", "tictactoe", "--moves", moves, stdin="hint\nquit\n")
    assert re.search(r"^hint: mark\(1,3\), worth 100 of 100 \(", played.stdout, re.MULTILINE), played.stdout
    assert "hint " in run("play", "tictactoe", stdin="help\n").stdout


def test_there_are_no_hints_where_there_is_nothing_to_say(write: Write) -> None:
    hidden = gm.parse(CARDS, machine="reference").initial_state()
    hidden = hidden.next({"random": "deal(king,jack)", "alice": "noop", "bob": "noop"})
    assert Adviser("cards").advise(hidden, "alice").startswith("There are no hints where the state is hidden")
    full = "mark(1,1) mark(1,2) mark(1,3) mark(2,2) mark(2,1) mark(2,3) mark(3,2) mark(3,1)"
    state = gm.load("tictactoe", machine="reference").initial_state()
    for move in full.split():
        state = state.next(move)
    assert Adviser("tictactoe").advise(state, "x") == "mark(3,3) is the only move there is."


def test_a_hint_that_cannot_be_had_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise gm.Unsuitable("not this game")

    monkeypatch.setattr("gamemaster.terminal.hints.Adviser._thought", refuse)
    state = gm.load("tictactoe", machine="reference").initial_state()
    assert Adviser("tictactoe").advise(state, "x") == "There is no hint: not this game"


def test_a_hint_says_what_follows_and_what_else_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c = map(gm.Symbol, "abc")
    result = gm.SearchResult("mcts", "x", a, 60.0, {a: 60.0, b: 50.0, c: 40.0}, line=(a, b), playouts=12_000)
    monkeypatch.setattr("gamemaster.terminal.hints.Adviser._thought", lambda *_: result)
    state = gm.load("tictactoe", machine="reference").initial_state()
    assert Adviser("tictactoe").advise(state, "x") == (
        "hint: a, worth 60 of 100 (after 12,000 random games)\n  then b\n  next best: b 50, c 40"
    )


def test_a_hint_that_another_move_seems_better_than_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c = map(gm.Symbol, "abc")
    values: dict[gm.Term, float] = {a: 60.0, b: 40.0, c: 62.0}
    visits: dict[gm.Term, int] = {a: 9000, b: 20, c: 1300}
    result = gm.SearchResult("mcts", "x", a, 60.0, values, visits, playouts=12_000)
    monkeypatch.setattr("gamemaster.terminal.hints.Adviser._thought", lambda *_: result)
    state = gm.load("tictactoe", machine="reference").initial_state()
    assert Adviser("tictactoe").advise(state, "x").splitlines()[-1] == (
        "  next best: c 62, which is less certain (tried 1,300 times, the hint 9,000), b 40"
    )


def test_ctrl_c_ends_a_hint_and_not_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gamemaster.terminal.hints.Adviser._thought", interrupt)
    played = run("play", "tictactoe", stdin="hint\nmark(2,2)\n")
    assert "x> hint\nThere is no hint: it was interrupted.\n" in played.stdout
    assert "x: mark(2,2)" in played.stdout


def test_a_hint_by_a_slower_search_says_why_once(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gm.load("tictactoe", machine="reference").initial_state()
    for notes in (IN_PYTHON, "told"):
        result = gm.SearchResult("uct", "x", gm.Symbol("a"), 50.0, notes=notes)
        monkeypatch.setattr("gamemaster.terminal.hints.Adviser._thought", lambda *_, given=result: given)
        advice = Adviser("tictactoe").advise(state, "x")
        assert advice == f"hint: a, worth 50 of 100 (after 0 states)\n  ({notes})"


def test_the_last_move_is_pointed_out() -> None:
    played = run("play", "tictactoe", stdin="mark(2,2)\nboard\nundo\nquit\n")
    assert played.stdout.count("2 ·[x]·") == 2
    assert played.stdout.count("[") == 2, "not where there was no step"


@pytest.mark.parametrize(
    ("goals", "words"),
    [
        ("goal(a,100) goal(b,0) goal(c,0)", "a wins"),
        ("goal(a,40) goal(b,40) goal(c,20)", "a and b share the win"),
        ("goal(a,50) goal(b,50) goal(c,50)", "a draw"),
        ("goal(a,1)", "a wins"),
        ("goal(a,0) goal(b,0)", "nobody wins"),
        ("", "nobody has a goal"),
    ],
)
def test_who_wins_is_said(goals: str, words: str) -> None:
    assert end_in_words(gm.parse(THREE + goals, machine="reference").initial_state()) == words


@pytest.mark.parametrize(("goal", "words"), [("100", "solved"), ("40", "not solved, 40 of 100")])
def test_whether_a_puzzle_is_solved_is_said(goal: str, words: str) -> None:
    sheet = f"role(a) init(p) legal(a,wait) terminal :- true(p) goal(a,{goal})"
    assert end_in_words(gm.parse(sheet, machine="reference").initial_state()) == words
    against_chance = gm.parse(f"{sheet} role(random)", machine="reference")
    assert end_in_words(against_chance.initial_state()) == f"a gets {goal} of 100"


# Hidden games


def test_a_person_sees_nothing_but_what_their_role_sees(write: Write) -> None:
    path = write("cards.hrf", CARDS)
    for seed in range(4):
        played = run("play", path, "--as", "alice", "--seed", str(seed), stdin="board\nhint\nundo\n?\nbet\n")
        before, _, after = played.stdout.partition("alice> bet")
        own = re.search(r"Step 1: alice sees (\w+)", before)
        assert own is not None, before
        others = {"king", "queen", "jack"} - {own[1]}
        assert not [card for card in others if card in before]
        assert f"hand alice {own[1]}" in before
        assert "states that can be: 2" in before
        assert "Nothing can be taken back" in before
        assert "hand bob " in after, "what was hidden is shown when it is over"


def test_a_move_that_only_another_can_make_is_no_way_to_find_out_what_they_hold(write: Write) -> None:
    path = write("showing.hrf", CARDS + "legal(bob,show(X)) :- true(phase(bid)) & true(hand(bob,X))\n")
    for seed in range(4):
        typed = "show(king)\nshow(queen)\nshow(jack)\n"
        said = run("play", path, "--as", "alice", "--seed", str(seed), stdin=typed).stdout
        assert "for bob" not in said
        assert said.count("is not legal for alice here") == 3


def test_an_opponent_says_nothing_that_tells_its_cards(write: Write) -> None:
    path = write("cards.hrf", CARDS)
    played = run("play", path, "--as", "alice", "--against", "egghead", "--seconds", "0.3", stdin="bet\n")
    prepared, dealt = played.stdout.split("This game hides its state")
    assert "Game over" in dealt
    assert "egghead: " not in dealt
    assert "queen" not in prepared


TALKATIVE = """
import logging, sys, threading
from gamemaster import Player

class Loud(Player):
    needs_state = False

    def choose_from(self, legal):
        print("heard", self.heard)
        logging.getLogger("loud").warning("my moves: %s", legal)
        thread = threading.Thread(target=lambda: sys.stdout.buffer.write(b"aside"))
        thread.start()
        thread.join()
        raise ValueError("I hold it")

logging.getLogger("loud").addHandler(logging.StreamHandler())
"""


def test_what_an_opponent_prints_and_does_wrong_is_told_when_nothing_is_hidden_any_more(write: Write) -> None:
    cards, loud = write("cards.hrf", CARDS), write("loud.py", TALKATIVE)
    played = run("play", cards, "--as", "alice", "--against", loud, "--seconds", "1", stdin="bet\n")
    before, _, after = played.output.partition("alice> bet")
    assert re.search(r"loud.py fails: .*ValueError: I hold it; a move at random is made for it\.", after)
    assert played.stderr.count("What the players printed:\nheard ") == 1
    assert "my moves: " in after
    assert "aside" in after
    left = run("play", cards, "--as", "alice", "--against", loud, "--seconds", "1", stdin="")
    for secret in ("loud.py fails", "printed", "heard", "my moves", "aside", "I hold it"):
        assert secret not in before + left.output


def test_what_is_kept_of_prints_has_an_end() -> None:
    kept = Unsaid(5)
    with ThreadPoolExecutor(1) as pool, parted(is_on=True) as heard:
        for text in (b"one", b"two", b"three"):
            assert kept.write(text) == len(text)
        pool.submit(print, "from elsewhere").result()
    assert kept.text == "onetw\n(more than 5 bytes; the rest is not shown)"
    assert heard.text == "from elsewhere"


def test_what_goes_wrong_again_and_again_is_told_in_a_line(write: Write) -> None:
    again = CARDS.replace(
        "next(phase(over)) :- true(phase(bid))",
        """
next(phase(bid)) :- true(phase(bid)) & ~true(late)
next(phase(over)) :- true(phase(late))
next(late) :- true(phase(bid))
next(phase(over)) :- true(late)
""",
    )
    bad = write(
        "bad.py",
        "from gamemaster import Player\nclass Bad(Player):\n    needs_state = False\n"
        "    def choose_from(self, legal):\n        return 'secret'\n",
    )
    played = run("play", write("cards.hrf", again), "--as", "alice", "--against", bad, stdin="bet\nbet\n")
    before, _, after = played.stdout.rpartition("alice> bet")
    assert "bad.py" not in before
    assert "bad.py answers 'secret', which is not legal; a move at random is made for it. (2 times)" in after


def test_a_bar_hides_what_is_printed_meanwhile_where_the_state_is_hidden(write: Write) -> None:
    cards, loud = write("cards.hrf", CARDS), write("loud.py", TALKATIVE)
    seen = plain(run_in_terminal("play", cards, "--as", "alice", "--against", loud, typed="bet\n"))
    assert "loud.py thinks" in seen
    assert seen.index("Game over") < seen.index("What the players printed") < seen.index("heard ")


def test_people_pass_the_keyboard_where_the_state_is_hidden(write: Write) -> None:
    path = write("cards.hrf", CARDS)
    played = run("play", path, stdin="bet\nfold\n")
    first, second = played.stdout.split("Pass the keyboard to bob.\n")
    assert "Pass the keyboard to alice.\n" in first
    assert "bob sees" not in first
    assert "bob sees" in second
    assert "alice> ...\n" in first


def test_the_screen_is_emptied_before_somebody_else_looks(write: Write) -> None:
    seen = run_in_terminal("play", write("cards.hrf", CARDS), typed="bet\n\nfold\n")
    assert "bob, press Enter when nobody else looks" in seen
    cleared = seen.index("\x1b[2J\x1b[3J\x1b[H")
    assert seen.index("alice sees") < cleared < seen.index("bob sees")


def test_what_is_typed_is_covered_before_somebody_else_sits_down() -> None:
    seen = run_in_terminal("play", "higherlower", typed="hide(3)\n\nquit\n")
    passed = seen.index("Pass the keyboard to seeker")
    covered = seen.rindex("hider> ...", 0, passed)
    assert "hide(3)" not in seen[covered:]
    assert "\x1b[2J" in seen[covered:passed]


def test_dice_fall_anew_unless_a_seed_is_given() -> None:
    def throws(*options: str) -> str:
        shown = run("play", "dicerace", *options, stdin="1\n" * 12).stdout
        return "".join(re.findall(r"random: throw\((\d)\)", shown))

    assert throws("--seed", "1") == throws("--seed", "1")
    assert len({throws() for _ in range(4)}) > 1


def test_what_cannot_be_worked_out_is_not_claimed(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(*_: object) -> None:
        raise gm.PlayerError("fits nothing")

    monkeypatch.setattr("gamemaster.players.sight.Beliefs.see", lose)
    played = run("play", write("cards.hrf", CARDS), "--as", "alice", stdin="bet\n")
    assert "(what holds now cannot be worked out from that)" in played.stdout


# What a search found, in its order


def test_moves_are_listed_in_the_order_of_the_choice() -> None:
    a, b, c = map(gm.Symbol, "abc")
    values: dict[gm.Term, float] = {a: 60.0, b: 40.0, c: 62.0}
    by_value = gm.SearchResult("mcs", "x", c, 62.0, values, dict.fromkeys((a, b, c), 10))
    by_visits = gm.SearchResult("mcts", "x", a, 60.0, values, {a: 9000, b: 1300, c: 20})
    proven = gm.SearchResult("mcts", "x", a, 60.0, values, {a: 9000, b: 1300, c: 20}, is_proven=True)
    assert by_choice(by_value) == [c, a, b]
    assert by_choice(by_visits) == [a, b, c]
    assert by_choice(proven) == [a, c, b]
    assert [is_by_visits(each) for each in (by_value, by_visits, proven)] == [False, True, False]


def test_think_says_why_the_best_value_is_not_chosen(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    rock, paper = map(gm.Symbol, ("rock", "paper"))
    result = gm.SearchResult("decoupled", "left", rock, 50.0, {rock: 50.0, paper: 51.0}, {rock: 8, paper: 2})
    monkeypatch.setattr("gamemaster.terminal.thinking._ask", lambda *_: result)
    thought = run("think", write("game.hrf", ROSHAMBO), "--with", "decoupled")
    assert re.search(r"^rock +50.0 +8 .*\npaper +51.0 +2$", thought.stdout, re.MULTILINE), thought.stdout
    assert "It is chosen for its visits" in thought.stdout


def test_a_column_without_anything_in_it_is_not_shown() -> None:
    thought = run("think", "tictactoe", "--with", "alphabeta", "--seconds", "600")
    assert re.search(r"^move +value +line$", thought.stdout, re.MULTILINE), thought.stdout


def test_a_bar_says_that_time_is_over() -> None:
    assert label("egghead thinks", 4.9, 5.0) == "egghead thinks"
    assert label("egghead thinks", 5.1, 5.0) == "egghead thinks: over time"
    assert label("compiling", 100.0, None) == "compiling"


# think --moves


def test_moves_lead_to_the_state_to_think_about() -> None:
    options = ("--with", "minimax", "--moves", "mark(1,1), mark 2 1, mark(1,2);mark(2,2)")
    thought = run("think", "tictactoe", *options)
    assert "1 x x ·\n2 o o ·\n" in thought.stdout, thought.output
    assert "minimax for x: mark(1,3), proven value 100.0" in thought.stdout


@pytest.mark.parametrize("moves", ["mark(2,2),mark(1,1)", "mark(2,2) ; mark(1,1);", "mark 2 2, (mark 1 1)"])
def test_moves_stand_between_commas_or_semicolons(moves: str) -> None:
    assert "x: mark(2,2)\no: mark(1,1)\n" in run("play", "tictactoe", "--moves", moves).stdout
    thought = run("think", "tictactoe", "--moves", moves, "--with", "mcs", "--playouts", "20")
    assert "1 o · ·\n2 · x ·\n" in thought.stdout


def test_what_is_begun_ends_at_a_semicolon() -> None:
    assert split_moves("mark(1;mark(2,2),mark(3,") == ["mark(1", "mark(2,2)", "mark(3,"]


@pytest.mark.parametrize(
    ("moves", "first_line"),
    [
        ("mark(1,1),mark(1,1)", r"error: illegal move 'mark\(1,1\)' for role 'o' in step 2"),
        ("mark(", r"error: illegal move 'mark\(' for role 'x' in step 1"),
        (
            "mark(1,1),mark(2,1),mark(1,2),mark(2,2),mark(1,3),mark(3,3)",
            r"error: the game is over after 5 steps, before 'mark\(3,3\)'",
        ),
    ],
)
def test_moves_that_lead_nowhere_are_refused(moves: str, first_line: str) -> None:
    assert_refused(run("think", "tictactoe", "--with", "mcs", "--moves", moves), first_line=first_line)


def test_chance_draws_its_moves_or_is_given_them(write: Write) -> None:
    state = gm.parse(HIDDEN, machine="reference").initial_state()
    given, drawn = follow(state, ["hide(2)"], random.Random(0))
    assert "hidden(2)" in str(given)
    assert drawn == []
    ends = {str(follow(state, [], random.Random(seed))[0]) for seed in range(20)}
    assert len(ends) == 2, "where chance is to move it draws, and then somebody can think"
    both = gm.parse(ROSHAMBO, machine="reference").initial_state()
    assert follow(both, ["rock", "paper"], random.Random(0))[0].is_terminal
    with pytest.raises(gm.StateError, match="right has no move in step 1, where several roles choose"):
        follow(both, ["rock"], random.Random(0))


def test_nobody_thinks_for_chance(write: Write) -> None:
    path = write("die.hrf", DIE)
    options = ("--with", "mcs", "--playouts", "50")
    assert_refused(
        run("think", path, *options, "--role", "random"), first_line="error: 'random' is chance, which draws"
    )
    thought = run("think", path, *options)
    assert thought.exit_code == 0, thought.output
    assert "mcs for random" not in thought.stdout


def test_the_setup_shows_what_pip_does_and_serves() -> None:
    makefile = (Path(__file__).parent.parent / "Makefile").read_text()
    assert "bin/gamemaster serve --open" in makefile
    pattern = re.search(r"^PIP_STEPS := '(.*)'$", makefile, re.MULTILINE)
    assert pattern is not None
    shown = re.compile(pattern[1])
    assert shown.match("Collecting numba>=0.61 (from gamemaster==0.1.0)")
    assert shown.match("  Downloading numba-0.61.0-cp311-cp311-manylinux.whl (3.8 MB)")
    assert not shown.match("  Downloading numba-0.61.0.whl.metadata (2.8 kB)")


@pytest.mark.parametrize(
    ("target", "installed"),
    [("play", ['--editable "."']), ("test", ['--editable "."', '--editable ".[test]"'])],
)
def test_who_only_plays_installs_nothing_for_tests(target: str, installed: list[str], tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    root = Path(__file__).parent.parent
    command = ["make", "--dry-run", "--always-make", f"VENV={tmp_path / 'venv'}", target]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert re.findall(r'--editable "[^"]*"', said) == installed
