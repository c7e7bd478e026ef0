"""Chess: published counts, and the rules that are easily got wrong, one by one, from positions given as facts."""

from __future__ import annotations

from functools import cache

import pytest

import gamemaster as gm
from gamemaster.games import entry
from gamemaster.machine.stepwise import perft

NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
SIDES = {"k": "kingside", "q": "queenside"}

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"
PINS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -"
PROMOTIONS = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -"
CASTLES = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -"
QUIET = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -"


@cache
def chess() -> gm.Game:
    return gm.load("chess", machine="compiled")


def facts(position: str) -> list[str]:
    """A position in Forsyth-Edwards notation as facts of the sheet."""
    board, mover, castling, passed, *quiet = position.split()
    result = [f"control({_colour(mover == 'w')})", f"quiet({quiet[0] if quiet else 0})"]
    for rank, row in zip("87654321", board.split("/"), strict=True):
        squares = "".join("." * int(sign) if sign.isdigit() else sign for sign in row)
        for file, sign in zip("abcdefgh", squares, strict=True):
            if sign != ".":
                result.append(f"cell({file},{rank},{_colour(sign.isupper())},{NAMES[sign.lower()]})")
    result += [f"unmoved({_colour(side.isupper())},{SIDES[side.lower()]})" for side in castling.strip("-")]
    return result + ([] if passed == "-" else [f"passed({passed[0]})"])


def _colour(is_white: bool) -> str:
    return "white" if is_white else "black"


def at(position: str) -> gm.State:
    return chess().state(facts(position))


def moves(state: gm.State) -> set[str]:
    """The legal moves of whoever is to move, written shortly: e2e4, e7e8q, e1g1."""
    assert state.control is not None
    return {short(move) for move in state.legal_moves(state.control)}


def short(move: gm.Term) -> str:
    assert isinstance(move, tuple)
    shape = "".join(map(str, move[1:5]))
    return shape + (str(move[5])[0].replace("k", "n") if move[0] == "promote" else "")


def after(state: gm.State, *played: str) -> gm.State:
    """The state after moves that are written shortly."""
    for each in played:
        assert state.control is not None
        state = state.next(next(m for m in state.legal_moves(state.control) if short(m) == each))
    return state


def result(state: gm.State) -> tuple[int | None, int | None] | None:
    return (state.goal("white"), state.goal("black")) if state.is_terminal else None


# Published counts


def test_the_start_as_forsyth_and_edwards_write_it_is_the_sheet_s() -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    assert {*map(str, chess().initial_state().facts)} == {*facts(start)}
    assert entry("chess").perft == (20, 400, 8902, 197281)


@pytest.mark.parametrize(
    ("position", "counts"),
    [
        (KIWIPETE, [48, 2039]),
        (PINS, [14, 191, 2812]),
        (PROMOTIONS, [6, 264, 9467]),
        (CASTLES, [44, 1486]),
        (QUIET, [46, 2079]),
        pytest.param(KIWIPETE, [48, 2039, 97862], marks=pytest.mark.slow),
        pytest.param(PINS, [14, 191, 2812, 43238, 674624], marks=pytest.mark.slow),
        pytest.param(PROMOTIONS, [6, 264, 9467, 422333], marks=pytest.mark.slow),
        pytest.param(CASTLES, [44, 1486, 62379], marks=pytest.mark.slow),
        pytest.param(QUIET, [46, 2079, 89890], marks=pytest.mark.slow),
    ],
)
def test_published_counts_hold(position: str, counts: list[int]) -> None:
    assert perft(at(position), len(counts)) == counts


def test_both_machines_agree_on_a_position_with_everything_in_it() -> None:
    reference = gm.load("chess", machine="reference").state(facts(KIWIPETE))
    assert {*map(str, reference.legal_moves("white"))} == {*map(str, at(KIWIPETE).legal_moves("white"))}


# Castling

OPEN = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -"


def test_both_sides_castle_both_ways() -> None:
    assert {"e1g1", "e1c1"} <= moves(at(OPEN))
    state = after(at(OPEN), "e1g1")
    assert state.holds("cell(g,1,white,king)")
    assert state.holds("cell(f,1,white,rook)")
    assert not state.holds("cell(h,1,white,rook)")
    state = after(at(OPEN), "e1c1")
    assert {"cell(c,1,white,king)", "cell(d,1,white,rook)"} <= {*map(str, state.facts)}
    assert not state.holds("unmoved(white,kingside)")
    black = after(at("r3k2r/7p/8/8/8/8/P7/R3K2R w KQkq -"), "a2a3")
    assert {"e8g8", "e8c8"} <= moves(black)
    assert after(black, "e8c8").holds("cell(d,8,black,rook)")


@pytest.mark.parametrize(
    ("position", "allowed"),
    [
        ("4k3/8/8/8/4r3/8/8/R3K2R w KQ -", set()),  # out of check
        ("4k3/8/8/8/5r2/8/8/R3K2R w KQ -", {"e1c1"}),  # through check
        ("4k3/8/8/8/6r1/8/8/R3K2R w KQ -", {"e1c1"}),  # into check
        ("4k3/8/8/8/1r6/8/8/R3K2R w KQ -", {"e1g1", "e1c1"}),  # only the rook crosses b1
        ("4k3/8/8/8/7r/8/8/R3K2R w KQ -", {"e1g1", "e1c1"}),  # a rook may be attacked
        ("4k3/8/8/8/8/8/6p1/R3K2R w KQ -", {"e1c1"}),  # a pawn attacks too
        ("4k3/8/8/8/8/8/8/RN2K1NR w KQ -", set()),  # somebody is in between
        ("4k3/8/8/8/8/8/8/R3K2R w Q -", {"e1c1"}),  # the right is gone
        ("4k3/8/8/8/8/8/8/R3K2R w - -", set()),
    ],
)
def test_castling_is_not_always_allowed(position: str, allowed: set[str]) -> None:
    state = at(position)
    assert {short(m) for m in state.legal_moves("white") if str(m).startswith("castle")} == allowed


def test_rights_to_castle_are_lost_by_moves_and_by_capture() -> None:
    def rights(state: gm.State) -> set[str]:
        return {fact for fact in map(str, state.facts) if fact.startswith("unmoved")}

    both = {"unmoved(black,kingside)", "unmoved(black,queenside)"}
    assert rights(after(at(OPEN), "e1e2")) == both
    assert rights(after(at(OPEN), "a1b1")) == {*both, "unmoved(white,kingside)"}
    taken = after(at(OPEN), "h1h8")
    assert rights(taken) == {"unmoved(white,queenside)", "unmoved(black,queenside)"}
    home_again = after(at(OPEN), "e1e2", "e8e7", "e2e1", "e7e8")
    assert not rights(home_again)


# Pawns


def test_a_pawn_is_taken_in_passing_only_at_once() -> None:
    state = after(at("4k3/3p4/8/4P3/8/8/8/4K3 b - -"), "d7d5")
    assert state.holds("passed(d)")
    assert "e5d6" in moves(state)
    taken = after(state, "e5d6")
    assert taken.holds("cell(d,6,white,pawn)")
    assert not taken.holds("cell(d,5,black,pawn)")
    assert not any(str(fact).startswith("passed") for fact in taken.facts)
    assert "e5d6" not in moves(after(state, "e1e2", "e8e7"))


@pytest.mark.parametrize(
    ("position", "move", "is_legal"),
    [
        ("4k3/8/8/K2pP2r/8/8/8/8 w - d", "e5d6", False),  # both pawns would leave the rank of the king
        ("4k3/8/8/r2pP2K/8/8/8/8 w - d", "e5d6", False),
        ("4k3/8/8/KN1pP2r/8/8/8/8 w - d", "e5d6", True),  # somebody else stands there too
        ("4k3/4r3/8/3pP3/8/8/8/4K3 w - d", "e5d6", False),  # pinned on its file
        ("4k3/8/8/3pP3/4K3/8/8/8 w - d", "e5d6", True),  # the pawn taken gives check
        ("4k3/8/8/3pP3/8/8/3K4/3r4 w - d", "e5d6", False),  # no help against another check
        ("4k3/6b1/8/3pP3/3K4/8/8/8 w - d", "e5d6", False),  # pinned on a diagonal, but going across it
        ("3rk3/8/8/3pP3/8/8/8/3K4 w - d", "e5d6", True),  # a pawn on the file shields the king, taken or not
        ("4k3/1b6/8/3pP3/4K3/8/8/8 w - d", "e5d6", False),  # the pawn taken shields the king on a diagonal
    ],
)
def test_taking_in_passing_does_not_leave_the_king_in_check(position: str, move: str, is_legal: bool) -> None:
    assert (move in moves(at(position))) == is_legal


def test_a_pawn_becomes_one_of_four_pieces() -> None:
    state = at("3r2k1/4P3/8/8/8/8/8/4K3 w - -")
    assert {m for m in moves(state) if m.startswith("e7")} == {
        f"e7{to}{p}" for to in ("d8", "e8") for p in "qrbn"
    }
    promoted = after(state, "e7d8q")
    assert promoted.holds("cell(d,8,white,queen)")
    assert not any("pawn" in str(fact) for fact in promoted.facts)
    black = after(at("4k3/8/8/8/8/8/4p3/2K5 b - -"), "e2e1n")
    assert black.holds("cell(e,1,black,knight)")


def test_a_pawn_goes_two_from_its_first_rank_only() -> None:
    blocked = "4k3/8/8/8/n7/1n6/PPP5/4K3 w - -"
    assert {m for m in moves(at(blocked)) if m[0] in "abc" and m[1] == "2"} == {
        "a2a3",
        "a2b3",
        "c2c3",
        "c2c4",
        "c2b3",
    }
    assert "c3c5" not in moves(after(at(blocked), "c2c3", "e8e7"))


# Check


@pytest.mark.parametrize(
    ("position", "allowed"),
    [
        (
            "4r2k/8/8/8/8/8/3N4/R3K3 w Q -",
            {"d2e4", "e1d1", "e1f1", "e1f2"},
        ),  # shut it out, or go; not behind oneself
        ("4r2k/8/8/8/8/3n4/8/2B1K2R w K -", {"e1d1", "e1d2", "e1f1"}),  # two checks: only the king moves
        ("4r2k/8/8/8/8/4B3/8/4K3 w - -", None),  # a pinned bishop stays
        ("7k/8/8/8/7b/8/5R2/4K3 w - -", None),  # a rook pinned on a diagonal stays
    ],
)
def test_a_king_in_check_is_saved(position: str, allowed: set[str] | None) -> None:
    found = moves(at(position))
    if allowed is None:
        assert all(move.startswith("e1") for move in found)
    else:
        assert found == allowed


def test_a_pinned_piece_moves_along_its_pin() -> None:
    found = moves(at("4r2k/8/8/8/8/4R3/8/4K3 w - -"))
    assert {m for m in found if m.startswith("e3")} == {"e3e2", "e3e4", "e3e5", "e3e6", "e3e7", "e3e8"}


# Ends


def test_the_fool_s_mate() -> None:
    state = after(chess().initial_state(), "f2f3", "e7e5", "g2g4", "d8h4")
    assert result(state) == (0, 100)


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - -", (100, 0)),  # mate on the last rank
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", (50, 50)),  # stalemate
        ("4k3/8/8/8/8/8/8/4K3 w - -", (50, 50)),  # nothing left to mate with
        ("4k3/8/8/8/8/8/8/4KN2 w - -", (50, 50)),
        ("4k3/8/8/8/8/8/8/2B1K3 w - -", (50, 50)),
        ("4k1b1/8/8/8/8/8/8/2B1K3 w - -", None),  # bishops on both colours
        ("4kb2/8/8/8/8/8/8/2B1K3 w - -", (50, 50)),  # and on one
        ("4k3/8/8/8/8/8/8/4KNN1 w - -", None),
        ("4k3/8/8/5N2/8/8/8/4KN2 w - -", None),
        ("4k1n1/8/8/8/8/8/8/2B1K3 w - -", None),
        ("4k3/7p/8/8/8/8/8/4K3 w - -", None),
        ("R3k3/8/8/8/8/8/8/4K3 b - - 100", (50, 50)),  # fifty moves each
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 100", (100, 0)),  # but mate is mate
    ],
)
def test_games_end(position: str, expected: tuple[int, int] | None) -> None:
    assert result(at(position)) == expected


def test_fifty_moves_are_counted_from_the_last_capture_or_pawn_move() -> None:
    state = at("r3k3/7p/8/8/8/8/8/R3K3 w - - 98")
    assert result(after(state, "e1e2", "e8e7")) == (50, 50)
    assert after(state, "e1e2", "h7h6").holds("quiet(0)")
    assert after(state, "a1a8").holds("quiet(0)")
