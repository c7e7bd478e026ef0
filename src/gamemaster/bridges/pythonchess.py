"""Positions and games <-> python-chess: `pip install 'gamemaster[chess]'`.

    state_of(board or FEN)          a position as a state of the library's chess
    board_of(state)                 a state as a chess.Board
    move_of(state, "Nf3")           a chess.Move, UCI or SAN as a move of ours; uci_of and san_of go back
    read_pgn(text)                  the games of a PGN text, each with its moves and states
    pgn_of(record)                  a match of ours as PGN

What both call legal is the same in every position that the rules hold; others are refused with what is wrong. Ends
differ in two points. After fifty moves each without progress our game is over, where python-chess lets a player claim
a draw and ends by itself after seventy-five. And our rules know no repetition: a state has no history, so a board made
of one has none either, and python-chess can find a position that came back only on a board that it has followed.

python-chess is another's work under another licence: nothing but this file imports it, and nothing imports this file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from gamemaster.errors import IllegalMove, NotInstalled, RecordError, StateError
from gamemaster.language.terms import Compound, Term, term_of
from gamemaster.load import load
from gamemaster.machine.arguments import shown
from gamemaster.machine.game import Game, State
from gamemaster.match.events import Moved, Resigned
from gamemaster.match.records.record import Record
from gamemaster.match.records.replay import Replay
from gamemaster.match.result import MatchResult

try:
    import chess
    import chess.pgn
except ImportError:
    raise NotInstalled("this bridge needs python-chess: pip install 'gamemaster[chess]'") from None

__all__ = ["PgnGame", "board_of", "move_of", "pgn_of", "read_pgn", "san_of", "state_of", "uci_of"]

FILES = "abcdefgh"
PIECES = ("pawn", "knight", "bishop", "rook", "queen", "king")
"""In the order in which python-chess numbers them, from 1."""

SIDES = {"kingside": "h", "queenside": "a"}
"""The sides to castle on, and the file of the rook there."""

MOST_QUIET = 100
"""Plies without progress: there the game is over."""

MOVES = ("move", "promote", "castle")
UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?\Z")
LONGEST_TAG = 200
COLUMNS = 80
"""How wide the lines of PGN are at most."""

TERMINATIONS = {"completed": "normal", "resigned": "normal", "ended": "adjudication"}
"""How a match ended, and what PGN calls it; other ends are `abandoned`."""


@dataclass(frozen=True)
class PgnGame:
    """A game of a PGN text: what its tags say, its moves, and its states from the first to the last."""

    headers: Mapping[str, str]
    moves: tuple[Term, ...]
    states: tuple[State, ...]


# Positions


def state_of(position: chess.Board | str, game: Game | None = None) -> State:
    """A board or a FEN as a state of the library's chess, or of a variant of it; StateError for what it cannot hold."""
    board = _board_of_fen(position) if isinstance(position, str) else position
    if not isinstance(board, chess.Board):
        raise StateError(f"{shown(position)} is neither a chess.Board nor a FEN")
    _check(board, board.fen(en_passant="fen"))
    step = 2 * (board.fullmove_number - 1) + (board.turn == chess.BLACK)
    return (game or _library_chess()).state(list(_facts(board)), max(0, step))


def board_of(state: State) -> chess.Board:
    """A state of the library's chess as a board without a history; StateError for other states."""
    board = _board_of_facts(state.ordered_facts, state.step, state.game.name)
    _check(board, f"state of {state.game.name} after {state.step} steps")
    return board


def _board_of_fen(fen: str) -> chess.Board:
    try:
        return chess.Board(fen)
    except ValueError as error:
        raise StateError(f"{fen[:LONGEST_TAG]!r} is no FEN: {error}") from None


def _facts(board: chess.Board) -> Iterator[Term]:
    """What the rules say of a position."""
    for square, piece in sorted(board.piece_map().items()):
        yield term_of(("cell", *_coordinates(square), _role(piece.color), PIECES[piece.piece_type - 1]))
    for colour in (True, False):
        rights = {
            "kingside": board.has_kingside_castling_rights,
            "queenside": board.has_queenside_castling_rights,
        }
        for side, has_right in rights.items():
            if has_right(colour):
                yield term_of(("unmoved", _role(colour), side))
    if board.ep_square is not None:
        yield term_of(("passed", FILES[board.ep_square % 8]))
    yield term_of(("quiet", str(board.halfmove_clock)))
    yield term_of(("control", _role(board.turn)))


def _board_of_facts(facts: Iterable[Term], step: int, name: str) -> chess.Board:
    """The board that facts speak of; StateError at the first that is none of chess."""
    board = chess.Board(None)
    board.fullmove_number = step // 2 + 1
    passed: str | None = None
    for fact in facts:
        match tuple(map(str, fact.args)) if isinstance(fact, Compound) else (), str(_functor(fact)):
            case (file, rank, role, piece), "cell" if _is_square(file + rank) and piece in PIECES:
                kind = chess.Piece(PIECES.index(piece) + 1, role == "white")
                board.set_piece_at(chess.parse_square(file + rank), kind)
            case (role, side), "unmoved" if side in SIDES:
                board.castling_rights |= chess.BB_SQUARES[chess.parse_square(SIDES[side] + _home(role))]
            case (file,), "passed" if file in FILES:
                passed = file
            case (count,), "quiet" if count.isdecimal():
                board.halfmove_clock = int(count)
            case (role,), "control" if role in ("white", "black"):
                board.turn = role == "white"
            case _:
                raise StateError(
                    f"{name} is not the chess of the library: it has the fact {str(fact)[:80]!r}"
                )
    if passed:  # behind the pawn, as whoever is to move sees it
        board.ep_square = chess.parse_square(passed + ("6" if board.turn else "3"))
    return board


def _check(board: chess.Board, where: str) -> None:
    """Nothing, where the rules hold a position; else StateError, which says what they do not."""
    if problem := next(_problems(board), None):
        raise StateError(f"{where[:LONGEST_TAG]}: {problem}")


def _problems(board: chess.Board) -> Iterator[str]:
    if board.uci_variant != "chess":
        yield f"it is {board.uci_variant}, and the rules are those of chess"
    status = board.status()
    for flag, what in (
        (chess.STATUS_NO_WHITE_KING, "white has no king"),
        (chess.STATUS_NO_BLACK_KING, "black has no king"),
        (chess.STATUS_TOO_MANY_KINGS, "somebody has several kings"),
        (chess.STATUS_PAWNS_ON_BACKRANK, "a pawn stands on the first or the last rank"),
        (chess.STATUS_OPPOSITE_CHECK, "whoever is not to move is in check"),
        (
            chess.STATUS_INVALID_EP_SQUARE,
            "no pawn has just gone two squares where the en-passant square says so",
        ),
    ):
        if status & flag:
            yield what
    if board.castling_rights & ~_standard_rights(board):
        yield (
            "it has castling rights without king and rook in their places of standard chess (e1, a1, h1; e8, a8, h8); "
            "board.castling_rights = board.clean_castling_rights() drops rights without a rook"
        )
    if board.halfmove_clock > MOST_QUIET:
        yield f"{board.halfmove_clock} plies without progress, and the game is over after {MOST_QUIET}"
    kinds = [board.piece_type_at(square) for square in board.checkers()]
    if max(kinds.count(chess.KNIGHT), kinds.count(chess.PAWN)) > 1:
        yield "two knights, or two pawns, give check at once, which no move can do, and the rules count as one check"


def _standard_rights(board: chess.Board) -> int:
    """The rooks' squares with which castling is possible in standard chess."""
    return sum(
        chess.BB_SQUARES[chess.parse_square(file + _home(role))]
        for role in ("white", "black")
        for file in SIDES.values()
        if _stands(board, "e" + _home(role), "king", role)
        and _stands(board, file + _home(role), "rook", role)
    )


def _stands(board: chess.Board, square: str, piece: str, role: str) -> bool:
    found = board.piece_at(chess.parse_square(square))
    return found is not None and (PIECES[found.piece_type - 1], _role(found.color)) == (piece, role)


# Moves


def move_of(state: State, move: chess.Move | str) -> Term:
    """A chess.Move, or one as UCI (`e2e4`) or SAN (`Nf3`), as a move of ours; IllegalMove where it is not legal."""
    board = board_of(state)
    found = _term_of(board, _parsed(board, move, state.step))
    if found not in _legal(state, board):  # the game is over, or these are not quite the library's rules
        raise IllegalMove(str(move), _role(board.turn), state.step, _legal(state, board))
    return found


def uci_of(state: State, move: Term | str) -> str:
    """A legal move of ours as UCI; IllegalMove for others."""
    return _chess_move(state, board_of(state), move).uci()


def san_of(state: State, move: Term | str) -> str:
    """A legal move of ours as people write it; IllegalMove for others."""
    board = board_of(state)
    return board.san(_chess_move(state, board, move))


def _chess_move(state: State, board: chess.Board, move: Term | str) -> chess.Move:
    term = state.game.move_of(move)
    if term not in _legal(state, board):
        raise IllegalMove(move, _role(board.turn), state.step, _legal(state, board))
    return chess.Move.from_uci(_uci(term))


def _legal(state: State, board: chess.Board) -> tuple[Term, ...]:
    return () if state.is_terminal else state.legal_moves(_role(board.turn))


def _uci(move: Term) -> str:
    """`move(e,2,e,4)` as `e2e4`; the letter of what a pawn becomes stands behind it."""
    assert isinstance(move, Compound)
    _, *squares = map(str, move[:5])
    becomes = "n" if move[-1] == "knight" else str(move[-1])[0]
    return "".join(squares) + (becomes if move[0] == "promote" else "")


def _term_of(board: chess.Board, move: chess.Move) -> Term:
    """A legal move of python-chess in our words."""
    squares = (*_coordinates(move.from_square), *_coordinates(move.to_square))
    if move.promotion:
        return term_of(("promote", *squares, PIECES[move.promotion - 1]))
    return term_of(("castle" if board.is_castling(move) else "move", *squares))


def _parsed(board: chess.Board, move: chess.Move | str, step: int) -> chess.Move:
    text = move if isinstance(move, str) else str(move)
    try:
        is_uci = not isinstance(move, str) or UCI.match(text)
        found = board.parse_uci(text) if is_uci else board.parse_san(text)
    except ValueError:
        found = chess.Move.null()
    if not found:  # python-chess lets a player pass, to think about positions; no rule does
        raise IllegalMove(text, _role(board.turn), step, [each.uci() for each in board.legal_moves])
    return found


# Games


def read_pgn(text: str, game: Game | None = None) -> list[PgnGame]:
    """The games of a PGN text, main lines only; RecordError, with the number of the game, for what cannot be played."""
    handle = io.StringIO(text)
    games: list[PgnGame] = []
    while (found := _next_game(handle, len(games) + 1)) is not None:
        games.append(_played(found, len(games) + 1, game))
    if not games:
        raise RecordError(
            f"no game in the PGN text {shown(text[:LONGEST_TAG])}; it should have tags and moves"
        )
    return games


class _Strict(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Reads a game, and stops at what cannot be read rather than leave it out."""

    def handle_error(self, error: Exception) -> None:
        raise error


def _next_game(handle: io.StringIO, number: int) -> chess.pgn.Game | None:
    try:
        return chess.pgn.read_game(handle, Visitor=_Strict)
    except ValueError as error:
        raise RecordError(f"game {number} of the PGN text: {error}") from None


def _played(found: chess.pgn.Game, number: int, game: Game | None) -> PgnGame:
    try:
        states = [state_of(found.board(), game)]
    except StateError as error:
        raise RecordError(f"game {number} of the PGN text: {error}") from None
    moves: list[Term] = []
    for node in found.mainline():
        try:
            moves.append(move_of(states[-1], node.move))
        except IllegalMove as error:
            reason = "the game is over before it" if states[-1].is_terminal else error
            raise RecordError(
                f"game {number} of the PGN text: {node.san()} in ply {node.ply()}: {reason}"
            ) from None
        states.append(states[-1].next(moves[-1]))
    return PgnGame(dict(found.headers), tuple(moves), tuple(states))


def pgn_of(match: Record | MatchResult) -> str:
    """A match of the library's chess as PGN: players, result and termination, moves made at random noted as such."""
    record = match.record if isinstance(match, MatchResult) else match
    replay = Replay.of(record)
    first = replay.state(0)
    if first is None:
        raise RecordError(f"match {record.started.match!r} has no first state: nothing was played")
    game = chess.pgn.Game()
    game.setup(board_of(first))
    for tag, value in _tags(record, {role: replay.told(role) for role in record.started.roles}).items():
        game.headers[tag] = _tag_value(value)
    node: chess.pgn.GameNode = game
    for moved in record.moves:
        node = node.add_variation(_move_made(moved, replay))
        node.comment = "made by the referee, at random" if moved.substituted else ""
    return game.accept(chess.pgn.StringExporter(columns=COLUMNS)) + "\n"


def _move_made(moved: Moved, replay: Replay) -> chess.Move:
    """The move of whoever was to move."""
    told = (replay.game.move_of(replay.told(move)) for move in moved.moves.values())
    move = next(move for move in told if isinstance(move, Compound) and move[0] in MOVES)
    return chess.Move.from_uci(_uci(move))


def _tags(record: Record, role_of: Mapping[str, str]) -> dict[str, str]:
    """The tags of a match; `role_of` gives the role in the words that the rules had before they were scrambled."""
    started, ended = record.started, record.ended
    players = {role_of[role]: player for role, player in started.players.items()}
    return {
        "Event": f"Gamemaster match {started.match}",
        "Date": started.clock_time[:10].replace("-", "."),
        "Round": "-",
        "White": players.get("white", "?"),
        "Black": players.get("black", "?"),
        "Result": _result(record, role_of),
        "Termination": TERMINATIONS.get(ended.how, "abandoned") if ended else "unterminated",
    }


def _result(record: Record, role_of: Mapping[str, str]) -> str:
    ended = record.ended
    if ended is None or ended.how not in TERMINATIONS:
        return "*"
    if given_up := next((event for event in record.events if isinstance(event, Resigned)), None):
        return "0-1" if role_of[given_up.role] == "white" else "1-0"
    goals = {role_of[role]: goal for role, goal in ended.goals.items()}
    return {100: "1-0", 0: "0-1"}.get(goals.get("white") or 0, "1/2-1/2")


def _tag_value(text: str) -> str:
    """A text that a tag can have: one line, without the quotes that would end it."""
    return " ".join(text[:LONGEST_TAG].split()).replace("\\", "/").replace('"', "'")


# Words


@cache
def _library_chess() -> Game:
    return load("chess")


def _functor(fact: Term) -> Term:
    return fact[0] if isinstance(fact, Compound) else fact


def _coordinates(square: int) -> tuple[str, str]:
    return FILES[square % 8], str(square // 8 + 1)


def _is_square(text: str) -> bool:
    return re.fullmatch("[a-h][1-8]", text) is not None


def _role(colour: bool) -> str:
    return "white" if colour else "black"


def _home(role: str) -> str:
    return "1" if role == "white" else "8"
