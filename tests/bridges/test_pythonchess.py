"""Our chess and python-chess agree: positions, legal moves, games as PGN; and what the rules cannot hold is told."""

from __future__ import annotations

import importlib
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

import chess
import chess.pgn
import chess.variant
import pytest

import gamemaster as gm
from gamemaster.bridges import pythonchess
from gamemaster.bridges.pythonchess import board_of, move_of, pgn_of, read_pgn, san_of, state_of, uci_of
from gamemaster.errors import IllegalMove, NotInstalled, RecordError, StateError
from gamemaster.language.infix import read_term
from gamemaster.language.notation import show
from gamemaster.match.events import Ended, Event, Moved, Reached, Resigned, Started
from gamemaster.match.records.record import Record
from gamemaster.match.result import MatchResult
from gamemaster.match.wire.scramble import Scrambling

PAGE = Path(__file__).parent.parent.parent / "docs" / "bridges.md"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
EP_PINNED = "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1"
PROMOTIONS = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"
CASTLED_CHECK = "5k2/8/8/8/8/8/8/4K2R w K - 0 1"
POSITIONS = {
    "start": chess.STARTING_FEN,
    "kiwipete": KIWIPETE,
    "en passant on a rank with the king": EP_PINNED,
    "en passant": "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "promotions": PROMOTIONS,
    "castling gives check": CASTLED_CHECK,
    "few pieces": "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "checks and promotions": "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
}

RARE = {"castling", "en passant", "promotion"}


@pytest.fixture(scope="module")
def match() -> MatchResult:
    return gm.match("chess:kiwipete", ["random", "random"], seed=3, start_clock=60, play_clock=60)


def our_legal(state: gm.State) -> set[str]:
    role = state.control
    assert role is not None
    return {uci_of(state, move) for move in state.legal_moves(role)}


def follow(board: chess.Board, generator: random.Random, *, looks: int) -> set[str]:
    """Play at random on both sides, which must stay alike; some positions are compared by legal moves."""
    state, seen, plies = state_of(board), set[str](), 0
    while not state.is_terminal:
        legal = list(board.legal_moves)
        if plies % looks == 0:
            assert our_legal(state) == {move.uci() for move in legal}, board.fen()
        rare = [move for move in legal if kinds_of(board, move) & RARE]
        move = generator.choice(rare if rare and generator.random() < 0.7 else legal)
        seen |= kinds_of(board, move)
        state = state.next(move_of(state, move))
        board.push(move)
        plies += 1
        assert state_of(board) == state, board.fen()
        assert board_of(state).fen(en_passant="fen") == board.fen(en_passant="fen")
    assert is_over(board)
    assert state.goal("white") == {True: 100, False: 0, None: 50}[winner_of(board)]
    return seen


def kinds_of(board: chess.Board, move: chess.Move) -> set[str]:
    return {
        name
        for name, is_so in {
            "castling": board.is_castling(move),
            "en passant": board.is_en_passant(move),
            "promotion": move.promotion is not None,
            "capture": board.is_capture(move),
        }.items()
        if is_so
    }


def winner_of(board: chess.Board) -> bool | None:
    outcome = board.outcome()
    return outcome.winner if outcome else None


def is_over(board: chess.Board) -> bool:
    """By mate, stalemate or too little left, as both say; or after fifty moves, which python-chess lets one claim."""
    return (
        board.is_checkmate()
        or board.is_stalemate()
        or board.is_insufficient_material()
        or board.halfmove_clock == 100
    )


# Positions


@pytest.mark.parametrize("fen", POSITIONS.values(), ids=POSITIONS.keys())
def test_a_position_goes_there_and_back(fen: str) -> None:
    state = state_of(fen)
    assert board_of(state).fen(en_passant="fen") == fen
    assert state_of(board_of(state)) == state
    assert our_legal(state) == {move.uci() for move in chess.Board(fen).legal_moves}


def test_initial_states_are_the_known_positions() -> None:
    assert state_of(chess.STARTING_FEN) == gm.load("chess").initial_state()
    kiwipete = gm.load("chess:kiwipete")
    assert state_of(KIWIPETE, kiwipete) == kiwipete.initial_state()
    assert board_of(kiwipete.initial_state()).fen() == KIWIPETE


def test_random_games_stay_alike_to_their_end() -> None:
    generator, seen = random.Random(11), set[str]()
    for fen in POSITIONS.values():
        seen |= follow(chess.Board(fen), generator, looks=5)
    assert seen == RARE | {"capture"}


@pytest.mark.slow
def test_many_random_games_stay_alike_in_every_position() -> None:
    generator = random.Random(12)
    for fen in POSITIONS.values():
        follow(chess.Board(fen), generator, looks=1)


def test_two_steps_from_kiwipete_are_all_the_same() -> None:
    board = chess.Board(KIWIPETE)
    state, counted = state_of(board), 0
    for move in list(board.legal_moves):
        board.push(move)
        after = state.next(move_of(state, move))
        assert our_legal(after) == {each.uci() for each in board.legal_moves}
        counted += board.legal_moves.count()
        board.pop()
    assert counted == gm.load("chess:kiwipete").perft(2)[1] == 2039


def test_fifty_moves_end_our_game_and_can_be_claimed_there() -> None:
    board = chess.Board("7k/8/8/8/8/8/R7/K7 w - - 100 80")
    assert state_of(board).is_terminal
    assert not board.is_game_over()
    assert board.can_claim_fifty_moves()


def test_a_repetition_ends_neither_our_game_nor_a_board_without_a_history() -> None:
    board = chess.Board()
    state = state_of(board)
    for san in ["Nf3", "Nf6", "Ng1", "Ng8"] * 4:
        state = state.next(move_of(state, san))
        board.push_san(san)
    assert board.is_fivefold_repetition()
    assert not state.is_terminal
    assert not board_of(state).is_repetition(2)
    assert (state.step, board_of(state).fullmove_number) == (16, 9)


@pytest.mark.parametrize(
    ("fen", "what"),
    [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "black has no king"),
        ("k7/8/8/8/8/8/8/8 w - - 0 1", "white has no king"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "somebody has several kings"),
        ("P6k/8/8/8/8/8/8/K7 w - - 0 1", "a pawn stands on the first or the last rank"),
        ("k6R/8/8/8/8/8/8/K7 w - - 0 1", "whoever is not to move is in check"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling rights without king and rook in their places"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "no pawn has just gone two squares"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 101 90", "101 plies without progress, and the game is over after 100"),
        ("4k3/8/8/8/8/3n1n2/8/4K3 w - - 0 1", "two knights, or two pawns, give check at once"),
        ("not a position", "is no FEN: "),
        ("8/8/8/8/8/8/8/8 w - -", "has no king"),
    ],
)
def test_what_the_rules_cannot_hold_is_told(fen: str, what: str) -> None:
    with pytest.raises(StateError, match=what) as raised:
        state_of(fen)
    assert fen[:10] in str(raised.value)


def test_positions_of_other_chess_are_refused() -> None:
    with pytest.raises(StateError, match="it is atomic, and the rules are those of chess"):
        state_of(chess.variant.AtomicBoard())
    shuffled = chess.Board("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", chess960=True)
    with pytest.raises(StateError, match=r"\(e1, a1, h1; e8, a8, h8\)"):
        state_of(shuffled)


def test_what_is_no_position_is_told() -> None:
    with pytest.raises(StateError, match=r"17 is neither a chess\.Board nor a FEN"):
        state_of(cast(str, 17))


def test_states_of_other_games_are_no_boards() -> None:
    with pytest.raises(
        StateError, match=r"tictactoe is not the chess of the library: it has the fact 'cell\(1,1,b\)'"
    ):
        board_of(gm.load("tictactoe").initial_state())
    with pytest.raises(StateError, match="state of chess after 3 steps: white has no king"):
        board_of(gm.load("chess").state(["cell(a,1,black,king)", "control(white)", "quiet(0)"], 3))


# Moves


@pytest.mark.parametrize(
    ("fen", "written", "ours", "uci"),
    [
        (chess.STARTING_FEN, "e4", "move(e,2,e,4)", "e2e4"),
        (chess.STARTING_FEN, "g1f3", "move(g,1,f,3)", "g1f3"),
        (KIWIPETE, "O-O", "castle(e,1,g,1)", "e1g1"),
        (KIWIPETE, "e1c1", "castle(e,1,c,1)", "e1c1"),
        (KIWIPETE, "e1a1", "castle(e,1,c,1)", "e1c1"),
        (PROMOTIONS, "f2g1n", "", ""),
        (PROMOTIONS, "gxh1=N", "promote(g,2,h,1,knight)", "g2h1n"),
        (PROMOTIONS, "g2g1q", "promote(g,2,g,1,queen)", "g2g1q"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6", "move(e,5,d,6)", "e5d6"),
        (EP_PINNED, "exd3", "", ""),
        (chess.STARTING_FEN, "e5", "", ""),
        (chess.STARTING_FEN, "--", "", ""),
        (chess.STARTING_FEN, "0000", "", ""),
    ],
)
def test_a_move_is_found_from_uci_and_san(fen: str, written: str, ours: str, uci: str) -> None:
    state = state_of(fen)
    if not ours:
        with pytest.raises(IllegalMove, match=f"illegal move '{written}' for role '(white|black)' in step"):
            move_of(state, written)
        return
    assert str(move_of(state, written)) == ours
    assert uci_of(state, ours) == uci
    assert move_of(state, chess.Move.from_uci(uci)) == move_of(state, san_of(state, ours))


def test_moves_that_are_not_legal_are_told() -> None:
    state = gm.load("chess").initial_state()
    with pytest.raises(
        IllegalMove, match=r"illegal move 'move\(e,2,e,5\)' for role 'white' in step 1; legal: move"
    ):
        uci_of(state, "move(e,2,e,5)")
    with pytest.raises(IllegalMove, match="illegal move '0000'"):
        move_of(state, chess.Move.null())
    over = state_of("7k/8/8/8/8/8/R7/K7 w - - 100 80")
    with pytest.raises(IllegalMove, match="illegal move 'a2a3' for role 'white' in step 159; legal: nothing"):
        move_of(over, "a2a3")


# Games


def test_a_text_of_two_games_is_read() -> None:
    games = read_pgn(
        '[White "A"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 (2. e4 Nf6) Qh4# 0-1\n\n'
        '[SetUp "1"]\n[FEN "8/P6k/8/8/8/8/8/K7 w - - 0 40"]\n\n40. a8=R *\n'
    )
    assert [str(move) for move in games[0].moves][-1] == "move(d,8,h,4)"
    assert games[0].headers["White"] == "A"
    assert games[0].states[-1].goal("black") == 100
    assert (games[1].states[0].step, str(games[1].moves[0])) == (78, "promote(a,7,a,8,rook)")
    assert len(games[1].states) == 2


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no game in the PGN text ''"),
        ("1. e4 e5 *\n\n1. e4 Ke4 *", "game 2 of the PGN text: illegal san: 'Ke4'"),
        ('[FEN "nowhere"]\n\n*', "game 1 of the PGN text: "),
        ('[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]\n\n*', "game 1 of the PGN text: .*black has no king"),
        ('[Variant "Atomic"]\n\n1. e4 *', "game 1 of the PGN text: .*it is atomic"),
        ("1. e4 -- *", "game 1 of the PGN text: -- in ply 2: illegal move '0000'"),
        (
            '[FEN "7k/8/8/8/8/8/R7/K7 w - - 99 80"]\n\n80. Ra3 Kg8 *',
            "game 1 of the PGN text: Kg8 in ply 160: the game is over before it",
        ),
    ],
)
def test_what_is_wrong_with_a_text_is_told(text: str, what: str) -> None:
    with pytest.raises(RecordError, match=what):
        read_pgn(text)


def test_a_match_becomes_pgn_and_is_read_again(match: MatchResult) -> None:
    text = pgn_of(match)
    assert max(map(len, text.splitlines()[12:])) <= 80
    game = read_pgn(text, match.state.game)[0]
    assert game.states[-1] == match.state
    assert [str(move) for move in game.moves] == [
        next(move for move in moves.values() if move != "noop") for moves in match.moves
    ]
    assert game.headers["FEN"] == KIWIPETE
    assert (game.headers["White"], game.headers["Black"], game.headers["Termination"]) == (
        "random",
        "random",
        "normal",
    )
    assert game.headers["Result"] == {100: "1-0", 0: "0-1", 50: "1/2-1/2"}[match.goals["white"] or 0]


def cut(record: Record, plies: int, *more: Resigned | Ended) -> Record:
    """The record up to a step, and what came then."""
    kept = [
        event
        for event in record.events
        if (not isinstance(event, Ended))
        and not (isinstance(event, Moved) and event.step >= plies)
        and not (isinstance(event, Reached) and event.step > plies)
    ]
    return Record((*kept, *more))


def ended(how: str, white: int = 50) -> Ended:
    return Ended(9.0, how, {"white": white, "black": 100 - white}, {"white": 0, "black": 0})


@pytest.mark.parametrize(
    ("more", "result", "termination"),
    [
        ((), "*", "unterminated"),
        ((ended("aborted"),), "*", "abandoned"),
        ((ended("ended"),), "1/2-1/2", "adjudication"),
        ((ended("completed", 100),), "1-0", "normal"),
        ((ended("completed", 0),), "0-1", "normal"),
        ((Resigned(8.0, "white"), ended("resigned")), "0-1", "normal"),
        ((Resigned(8.0, "black"), ended("resigned")), "1-0", "normal"),
    ],
)
def test_the_result_says_how_a_match_ended(
    match: MatchResult, more: tuple[Resigned | Ended, ...], result: str, termination: str
) -> None:
    game = read_pgn(pgn_of(cut(match.record, 5, *more)))[0]
    assert (game.headers["Result"], game.headers["Termination"]) == (result, termination)
    assert len(game.moves) == 5


def test_names_that_would_break_a_tag_do_not(match: MatchResult) -> None:
    started = replace(match.record.started, players={"white": 'a"]\n[Result "1-0', "black": "b\\"})
    game = read_pgn(pgn_of(Record((started, *cut(match.record, 2).events[1:]))))[0]
    assert game.headers["White"] == "a'] [Result '1-0"
    assert (game.headers["Black"], game.headers["Result"]) == ("b/", "*")


def test_moves_of_the_referee_are_noted(match: MatchResult) -> None:
    record = cut(match.record, 2)
    noted = tuple(
        replace(event, substituted=("white",)) if isinstance(event, Moved) and event.step == 0 else event
        for event in record.events
    )
    assert "{ made by the referee, at random }" in pgn_of(Record(noted))
    assert "referee" not in pgn_of(record)


def test_a_match_without_a_state_or_of_another_game_is_no_pgn(match: MatchResult) -> None:
    with pytest.raises(RecordError, match="has no first state: nothing was played"):
        pgn_of(Record(match.record.events[:1]))
    other = gm.match("tictactoe", ["legal", "legal"], start_clock=60, play_clock=60)
    with pytest.raises(StateError, match="tictactoe is not the chess of the library"):
        pgn_of(other)


def test_a_scrambled_match_becomes_pgn_in_the_old_words(match: MatchResult) -> None:
    sheet = match.state.game.sheet
    scrambling = Scrambling.of_match(sheet, 1)

    def new(text: str) -> str:
        return str(scrambling.translate(read_term(text)))

    def told(event: Event) -> Event:
        if isinstance(event, Started):
            roles, players = tuple(map(new, event.roles)), {new(role): role for role in event.roles}
            rules = show(scrambling.scramble(sheet))
            return replace(event, rules=rules, roles=roles, players=players, names=scrambling.names)
        if isinstance(event, Moved):
            return replace(event, moves={new(role): new(move) for role, move in event.moves.items()})
        return replace(event, facts=tuple(map(new, event.facts))) if isinstance(event, Reached) else event

    record = cut(match.record, 4)
    scrambled = Record(tuple(map(told, record.events)))
    assert "castle" not in str(scrambled.moves)
    game = read_pgn(pgn_of(scrambled))[0]
    assert game.moves == read_pgn(pgn_of(record))[0].moves
    assert (game.headers["White"], game.headers["Black"]) == ("white", "black")


def test_without_python_chess_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chess", None)
    with pytest.raises(NotInstalled, match=r"pip install 'gamemaster\[chess\]'"):
        importlib.reload(pythonchess)
    monkeypatch.undo()
    importlib.reload(pythonchess)
