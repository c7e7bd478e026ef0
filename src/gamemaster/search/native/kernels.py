"""Search in machine code: numba functions on arrays, compiled once for all games.

They call a game's own code by its address. numba does not notice an edit of a function in another file, so all that
call each other live here. Arrays, where N is a number of nodes, R of roles, and a *row* is a state and all that is
seen in it (network/expansion.py), W words:

    rows     uint64[N, W]    state, then from word `state_words` on: terminal, legal moves, goals
    moves    int64[N]        the move that leads to a row from the one before, counted through all roles
    counts   int64[...]      what a search counts, at the places named below

Arrays that go together travel in named tuples: `Code`, `Pool`, `Guess`, `Nodes`, `Play`, `Guide`.
`stop` is an array of one number; whoever sets it from another thread ends a search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

__all__ = [
    "FRAME",
    "INCOMPLETE",
    "NOBODY",
    "SEVERAL",
    "STACK",
    "Code",
    "Guess",
    "Guide",
    "Nodes",
    "Play",
    "Pool",
    "begin_tree",
    "deepen",
    "expand",
    "find_state",
    "follow_table",
    "keep_subtree",
    "kind_of",
    "mover_of",
    "sample_games",
    "tree_search",
]

FACTS, STATE_WORDS, ROW_WORDS, ROLES, MOVES, EVERYBODY = range(6)
"""Places in the shape of Code; EVERYBODY is 1 where every role always moves."""

FUNCTION, BUFFER, CODE, COUNT = 1, 0, 2, 3
"""Places in the words of a kernel: see codegen/runtime.py."""

NOBODY, SEVERAL = -1, -2
"""What `mover_of` says where no role can move, and where several can choose."""

LANES = 256
SLOT_BYTES = LANES // 8


class Code(NamedTuple):
    """A game: its kernels `expand` and `end` (words and buffer of each), its sizes, and a scratch block."""

    words: Any
    buffer: Any
    end_words: Any
    end_buffer: Any
    shape: Any  # int64[6]
    move_start: Any  # int64[R + 1]: the first of each role's moves among all moves
    goal_start: Any  # int64[R + 1]: the first of each role's goals among all goals
    goal_value: Any  # float64[...]: what each goal is worth
    best_goal: Any  # float64[R]: the most that a role can get, 1 for 100
    block: Any  # uint16[64]


class Pool(NamedTuple):
    """What alphabeta works in: N rows, P plies."""

    rows: Any
    moves: Any
    keys: Any  # float64[N]: how soon to try a child
    order: Any  # int64[N]: children in the order in which they are tried; the mover of each, two plies above leaves
    stop_lane: Any  # int64[N]: two plies above leaves, the lane after the last of a child's
    frames: Any  # int64[P, ...], see FRAME
    stack: Any  # float64[P, ...], see STACK
    table: Any  # uint64[power of two, 2]: the transposition table
    history: Any  # int64[moves]: how often, and how near the root, a move cut off others


class Guess(NamedTuple):
    """The evaluation of a leaf; `is_plain`: it is the goal that the role has already, and no weights are looked at."""

    weights: Any  # float64[64 W]
    bias: float
    is_plain: bool


class Nodes(NamedTuple):
    """The tree of tree_search, N nodes; children of a node stand side by side, after it.

    What belongs together stands together, in few bytes: memory is what a large tree waits for.
    """

    rows: Any
    moves: Any
    links: Any  # LINKS[N]
    scores: Any  # SCORES[N]
    advice: Any  # ADVICE[N]: used with `amaf` and `trust`
    values: Any  # float32[N, R]: what each role gets, where that is proven


class Play(NamedTuple):
    """The kernel `charge`, what its counters mean, and what runs in its lanes."""

    words: Any
    buffer: Any
    shape: Any  # int64[6]
    counter_role: Any
    counter_value: Any
    generator: Any  # uint64[2]
    lane_node: Any  # int64[256]: the leaf whose playout runs in a lane, -1 where none does
    free: Any  # int64[256]: a stack of free lanes
    made: Any  # uint64[moves, 4]: the moves made in each lane since its leaf
    reward: Any  # float64[R]: what each role got in a playout


class Guide(NamedTuple):
    """How to choose a child: see mcts.py. Evaluations that prefer some children, and how much to trust them."""

    exploration: float
    amaf: float  # after how many visits a child's own mean counts as much as that of its move anywhere; 0 is never
    weights: Any  # float64[R, 64 W], or [0, 0]
    biases: Any  # float64[R]
    trust: float
    proofs: bool  # whether a state is proven by its children


ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)
HIGHEST = np.uint64(1 << 63)
ZERO = np.uint64(0)


at = np.uint64
"""An index without a sign: numba need not ask whether it counts from the end."""

OPTIONS = {"cache": True, "nogil": True, "_nrt": False, "no_cfunc_wrapper": True}
"""Kept on disk, run without Python's lock. Arrays belong to whoever calls: counting the references to them, an atomic
addition for each array of a tuple, would take longer than many a kernel."""

kernel: Any = njit(**OPTIONS)
"""Compiled once, for Python to call."""

answer: Any = njit(**OPTIONS, forceinline=True)
"""A kernel that others put in place wherever they call it."""

aside: Any = njit(**OPTIONS, no_cpython_wrapper=True)
"""For kernels to call. Nothing turns Python's arrays into those of such a function, which would take as long to compile
as the function itself; so Python must never call it."""

part: Any = njit(**OPTIONS, no_cpython_wrapper=True, forceinline=True)
"""The same, put in place wherever it is called: a tuple of arrays is large to hand over. Give it numbers as numpy has
them, such as I0: a plain 0 is a type of its own to numba, for which the part is compiled once more."""

I0, I1, I2, I4, MINUS = (np.int64(number) for number in (0, 1, 2, 4, -1))


def _call_code(typing_context: Any, function: Any, buffer: Any, code: Any, count: Any) -> Any:
    """Call a game's code by its address."""
    signature = types.void(types.uint64, types.uint64, types.uint64, types.uint64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word, byte = ir.IntType(64), ir.IntType(8)
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), byte.as_pointer(), word, word])
        target = builder.inttoptr(args[0], kind.as_pointer())
        pointers = [builder.inttoptr(args[i], byte.as_pointer()) for i in (1, 2)]
        builder.call(target, [*pointers, args[3], word(1)])
        return context.get_dummy_value()

    return signature, generate


def _lowest_code(typing_context: Any, bits: Any) -> Any:
    """The position of the lowest one in a word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate


def _ones_code(typing_context: Any, bits: Any) -> Any:
    """How many ones a word has."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


def _bits_code(typing_context: Any, number: Any) -> Any:
    """The bits of a number in single precision."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(32))

    return types.int32(types.float32), generate


def _gather_code(typing_context: Any, buffer: Any, slot: Any, lane: Any, block: Any) -> Any:
    """64 slots' bits for 16 lanes from one on, which is a multiple of 16."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        short, byte, word = ir.IntType(16), ir.IntType(8), ir.IntType(64)
        vector = ir.VectorType(short, 64)
        source, target = (
            context.make_array(signature.args[i])(context, builder, args[i]).data for i in (0, 3)
        )
        offset = builder.add(builder.mul(args[1], word(SLOT_BYTES)), builder.lshr(args[2], word(3)))
        start = builder.gep(builder.bitcast(source, byte.as_pointer()), [offset])
        held = ir.Constant(vector, ir.Undefined)
        for i in range(64):
            place = builder.bitcast(builder.gep(start, [word(i * SLOT_BYTES)]), short.as_pointer())
            held = builder.insert_element(held, builder.load(place), ir.IntType(32)(i))
        builder.store(held, builder.bitcast(target, vector.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(buffer, types.int64, types.int64, block), generate


def _column_code(typing_context: Any, block: Any, shift: Any) -> Any:
    """One bit of each of 64 numbers of 16 bits, as a word: the one that comes to the top by a shift."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector, word = ir.VectorType(ir.IntType(16), 64), ir.IntType(64)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        held = builder.load(builder.bitcast(data, vector.as_pointer()), align=1)
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), args[1], ir.IntType(32)(0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
        all_shifts = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)
        top = builder.shl(held, all_shifts)
        is_set = builder.icmp_signed("<", top, ir.Constant(vector, [0] * 64))
        return builder.bitcast(is_set, word)

    return types.uint64(block, types.uint16), generate


_bits: Any = intrinsic(_bits_code)
_call: Any = intrinsic(_call_code)
_gather: Any = intrinsic(_gather_code)
_column: Any = intrinsic(_column_code)
_lowest: Any = intrinsic(_lowest_code)
_ones: Any = intrinsic(_ones_code)


@part
def _evaluate(words: Any) -> None:
    _call(words[FUNCTION], words[BUFFER], words[CODE], words[COUNT])


@part
def _next_set(rows: Any, row: int, position: int, end: int) -> int:
    """The first one in a row from a position on; `end` where there is none before it."""
    if position >= end:
        return end
    word = position >> 6
    bits = rows[at(row), at(word)] >> np.uint64(position & 63)
    if bits != ZERO:
        return min(end, position + _lowest(bits))
    word += 1
    while word << 6 < end:
        bits = rows[at(row), at(word)]
        if bits != ZERO:
            return min(end, (word << 6) + _lowest(bits))
        word += 1
    return end


@part
def _copy_row(table: Any, target: int, source: int) -> None:
    for i in range(table.shape[1]):
        table[at(target), at(i)] = table[at(source), at(i)]


@part
def _is_terminal(game: Any, rows: Any, row: int) -> bool:
    return (rows[at(row), at(game.shape[STATE_WORDS])] & ONE) != ZERO


@part
def _goal(game: Any, rows: Any, row: int, role: int) -> float:
    """What a role gets in a state: its first goal, 0 where it has none."""
    first = (game.shape[STATE_WORDS] << 6) + 1 + game.shape[MOVES]
    end = first + game.goal_start[at(role + 1)]
    found = _next_set(rows, row, first + game.goal_start[at(role)], end)
    return game.goal_value[found - first] if found < end else 0.0


@part
def _end_value(game: Any, rows: Any, row: int, role: int) -> float:
    """What a role gets where no step follows: its goal, nothing at a dead end of rules that are wrong."""
    return _goal(game, rows, row, role) if _is_terminal(game, rows, row) else 0.0


@answer
def mover_of(game: Any, rows: Any, row: int) -> int:
    """The role that chooses: the only one with a choice, or the first that can move at all; else see above."""
    first = (game.shape[STATE_WORDS] << 6) + 1
    mover, choosers = NOBODY, 0
    for role in range(game.shape[ROLES]):
        end = first + game.move_start[at(role + 1)]
        found = _next_set(rows, row, first + game.move_start[at(role)], end)
        if found < end:
            if _next_set(rows, row, found + 1, end) < end:
                mover = role
                choosers += 1
            elif mover == NOBODY:
                mover = role
    return mover if choosers < 2 else SEVERAL


@part
def _inputs(game: Any) -> int:
    """How many slots the inputs of a kernel take: its outputs come next."""
    return game.shape[FACTS] + game.shape[MOVES] + (0 if game.shape[EVERYBODY] else game.shape[ROLES])


@part
def _unload(game: Any, lanes: int, rows: Any, base: int) -> None:
    """What the kernel `expand` has found, lane by lane, into rows; 64 slots and 16 lanes are turned at a time."""
    for word in range(game.shape[ROW_WORDS]):
        slot = _inputs(game) + (word << 6)
        for first in range(0, lanes, 16):
            _gather(game.buffer, slot, first, game.block)
            for lane in range(min(16, lanes - first)):
                rows[at(base + first + lane), at(word)] = _column(game.block, np.uint16(15 - lane))


@part
def _fill(buffer: Any, slot: int, value: Any, groups: int) -> None:
    """Set so many words of a slot, each 64 lanes."""
    for i in range(groups):
        buffer[at(slot), at(i)] = value


@part
def _range_mask(word: int, start: int, end: int) -> Any:
    """The lanes of a word of 64 that are between two lanes."""
    low, high = max(0, start - (word << 6)), min(64, end - (word << 6))
    if high <= low:
        return ZERO
    return (ALL >> np.uint64(64 - (high - low))) << np.uint64(low)


@part
def _count_set(rows: Any, row: int, position: int, end: int) -> int:
    """How many ones a part of a row has."""
    count = 0
    for word in range(position >> 6, (end + 63) >> 6):
        count += _ones(rows[at(row), at(word)] & _range_mask(word, position, end))
    return count


@part
def _groups(rows: Any, row: int, position: int, end: int) -> int:
    """How many words it takes to give each one of a part of a row a lane; 4, which are all there are, or fewer."""
    return min(4, (_count_set(rows, row, position, end) + 63) >> 6)


@part
def _load_facts(buffer: Any, game: Any, rows: Any, row: int, groups: int) -> None:
    """A state into all lanes."""
    for i in range(game.shape[FACTS]):
        _fill(buffer, i, ZERO - ((rows[at(row), at(i >> 6)] >> np.uint64(i & 63)) & ONE), groups)


@part
def _load(buffer: Any, game: Any, rows: Any, row: int, mover: int, groups: int) -> None:
    """A state into all lanes, with the moves of the roles that have no choice."""
    facts = game.shape[FACTS]
    first = (game.shape[STATE_WORDS] << 6) + 1
    _load_facts(buffer, game, rows, row, groups)
    for role in range(game.shape[ROLES]):
        end = first + game.move_start[at(role + 1)]
        found = _next_set(rows, row, first + game.move_start[at(role)], end)
        if found < end:
            if role != mover:
                _fill(buffer, facts + found - first, ALL, groups)
            if not game.shape[EVERYBODY]:
                _fill(buffer, facts + game.shape[MOVES] + role, ALL, groups)


@part
def _load_moves(
    buffer: Any, game: Any, rows: Any, row: int, position: int, end: int, moves: Any, base: int
) -> int:
    """The legal moves from a position of a row on, one a lane, as many as fit; how many that are."""
    first = (game.shape[STATE_WORDS] << 6) + 1
    lanes = 0
    while lanes < LANES and position < end:
        buffer[at(game.shape[FACTS] + position - first), at(lanes >> 6)] |= ONE << np.uint64(lanes & 63)
        moves[at(base + lanes)] = position - first
        lanes += 1
        position = _next_set(rows, row, position + 1, end)
    return lanes


@part
def _unload_moves(buffer: Any, game: Any, rows: Any, row: int, mover: int) -> None:
    """Clear what `_load` and `_load_moves` have set of moves."""
    facts = game.shape[FACTS]
    first = (game.shape[STATE_WORDS] << 6) + 1
    for role in range(game.shape[ROLES]):
        end = first + game.move_start[at(role + 1)]
        found = _next_set(rows, row, first + game.move_start[at(role)], end)
        while found < end:
            _fill(buffer, facts + found - first, ZERO, I4)
            found = _next_set(rows, row, found + 1, end) if role == mover else end
        if not game.shape[EVERYBODY]:
            _fill(buffer, facts + game.shape[MOVES] + role, ZERO, I4)


@part
def _expand(game: Any, rows: Any, row: int, mover: int, children: Any, base: int, moves: Any) -> int:
    """Write the rows of all children of a state, and the mover's moves that lead there; how many there are.

    -1 where there is no room for them. `words` are those of the kernel `expand`.
    """
    first = (game.shape[STATE_WORDS] << 6) + 1
    end = first + game.move_start[at(mover + 1)]
    position = _next_set(rows, row, first + game.move_start[at(mover)], end)
    if base + LANES > children.shape[0]:
        return -1
    _load(game.buffer, game, rows, row, mover, _groups(rows, row, position, end))
    count = 0
    while position < end:
        if base + count + LANES > children.shape[0]:
            count = -1
            break
        lanes = _load_moves(game.buffer, game, rows, row, position, end, moves, base + count)
        _evaluate(game.words)
        _unload(game, lanes, children, base + count)
        count += lanes
        position = _next_set(rows, row, first + moves[base + count - 1] + 1, end)
        if position < end:  # more than fit: make room for the rest
            for i in range(base + count - lanes, base + count):
                _fill(game.buffer, game.shape[FACTS] + moves[i], ZERO, I4)
    _unload_moves(game.buffer, game, rows, row, mover)
    return count


@kernel
def expand(game: Any, rows: Any, row: int, mover: int, children: Any, base: int, moves: Any) -> int:
    """The same, for Python."""
    return _expand(game, rows, row, mover, children, base, moves)


@aside
def _judge(weights: Any, bias: float, rows: Any, row: int) -> float:
    """The evaluation of a state: the weights of all ones in its row, within 0 to 100."""
    value = bias
    for word in range(rows.shape[1]):
        bits = rows[row, word]
        while bits != ZERO:
            value += weights[(word << 6) + _lowest(bits)]
            bits &= bits - ONE
    return min(100.0, max(0.0, value))


@part
def hash_of(rows: Any, row: int, width: int) -> Any:
    """A hash of a state, never 0 (splitmix64's mixing, word by word); tables go by its lowest bits, which are free."""
    value = np.uint64(0x9E3779B97F4A7C15)
    for i in range(width):
        value = (value ^ rows[at(row), at(i)]) * np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(29)
        value *= np.uint64(0x94D049BB133111EB)
        value ^= value >> np.uint64(32)
    return value | HIGHEST


# Alpha-beta

FRAME = ("row", "base", "count", "next", "mover", "depth", "is_cut", "best_move")
"""The whole numbers kept for each state on the way from the root: int64[ply, ...]."""

ROW, BASE, CHILDREN, NEXT, MOVER, DEPTH, IS_CUT, BEST_MOVE = range(8)

STACK = ("alpha", "beta", "best")
"""The values kept for each: float64[ply, ...]."""

ALPHA, BETA, BEST = range(3)

INCOMPLETE = -1.0
"""The value of a search that was stopped, had no room, or met a state in which several choose."""

LEAST_GAIN = 0.5
"""Less than what two goals differ by: they are whole numbers."""

EXACT, LOWER, UPPER = 1, 2, 3
SOLVED = 4
MOVE_SHIFT, DEPTH_SHIFT, VALUE_SHIFT = 3, 27, 44
MOST_MOVES, MOST_DEPTH, VALUE_UNIT = (1 << 24) - 1, (1 << 17) - 1, 4096.0
"""A table entry, uint64[2]: the hash; value, depth, best move, whether the value is a bound, whether it is solved.

What is solved is true of the game itself, whatever the window and the depth in which it was found: no state that was
looked at for it was cut off by the depth, so the value is exact, or a bound of the exact one."""

NODES, WAS_CUT, TROUBLE, BEST_FOUND = range(4)
"""Places in the counts that alphabeta updates; TROUBLE: 1 stopped, 2 no room, 3 several choose."""


@aside
def _worth(game: Any, guess: Any, rows: Any, row: int, role: int) -> float:
    """The value of a leaf: its goal where the game is over, else its evaluation."""
    if _is_terminal(game, rows, row):
        return _goal(game, rows, row, role)
    return _judge(guess.weights, guess.bias, rows, row)


@aside
def _leaves(
    game: Any, rows: Any, row: int, mover: int, role: int, moves: Any, base: int, counts: Any
) -> float:
    """The best value among the children of a state, each worth the goal it has already.

    No child's row is made: lane by lane, the kernel `end` says it all. Notes the move in
    `moves[base]`, and in the counts whether a child is not the end of the game.
    """
    first = (game.shape[STATE_WORDS] << 6) + 1
    slots = _inputs(game)
    end = first + game.move_start[at(mover + 1)]
    position = _next_set(rows, row, first + game.move_start[at(mover)], end)
    is_mine = mover == role
    best, best_move = (INCOMPLETE if is_mine else 101.0), -1
    counts[WAS_CUT] = 0
    _load(game.end_buffer, game, rows, row, mover, _groups(rows, row, position, end))
    while position < end:
        lanes = _load_moves(game.end_buffer, game, rows, row, position, end, moves, base)
        _evaluate(game.end_words)
        counts[NODES] += lanes
        for group in range((lanes + 63) >> 6):
            here = lanes - (group << 6)
            left = ALL if here >= 64 else (ONE << np.uint64(here)) - ONE
            if left & ~game.end_buffer[at(slots), at(group)]:
                counts[WAS_CUT] = 1
            for goal in range(game.goal_start[at(role)], game.goal_start[at(role + 1)] + 1):
                if goal < game.goal_start[at(role + 1)]:
                    held = left & game.end_buffer[at(slots + 1 + goal), at(group)]
                    worth = game.goal_value[at(goal)]
                else:  # those without a goal
                    held, worth = left, 0.0
                if held != ZERO and (worth > best if is_mine else worth < best):
                    best, best_move = worth, moves[base + (group << 6) + _lowest(held)]
                left &= ~held
        position = _next_set(rows, row, first + moves[base + lanes - 1] + 1, end)
        if position < end:
            for i in range(lanes):
                _fill(game.end_buffer, game.shape[FACTS] + moves[base + i], ZERO, I4)
    _unload_moves(game.end_buffer, game, rows, row, mover)
    moves[base] = best_move
    return best


@part
def _set_range(buffer: Any, slot: int, start: int, end: int) -> None:
    for word in range(start >> 6, (end + 63) >> 6):
        buffer[at(slot), at(word)] |= _range_mask(word, start, end)


@part
def _flip_range(buffer: Any, slot: int, start: int, end: int) -> None:
    for word in range(start >> 6, (end + 63) >> 6):
        buffer[at(slot), at(word)] ^= _range_mask(word, start, end)


@part
def _load_child(game: Any, rows: Any, child: int, model: int, mover: int, start: int, end: int) -> None:
    """The moves of a state into lanes, one a lane, and where it differs from the state that is in all lanes."""
    facts = game.shape[FACTS]
    first = (game.shape[STATE_WORDS] << 6) + 1
    for word in range(game.shape[STATE_WORDS]):
        bits = rows[at(child), at(word)] ^ rows[at(model), at(word)]
        while bits != ZERO:
            _flip_range(game.end_buffer, (word << 6) + _lowest(bits), start, end)
            bits &= bits - ONE
    for role in range(game.shape[ROLES]):
        limit = first + game.move_start[at(role + 1)]
        found = _next_set(rows, child, first + game.move_start[at(role)], limit)
        if found == limit:
            continue
        if not game.shape[EVERYBODY]:
            _set_range(game.end_buffer, facts + game.shape[MOVES] + role, start, end)
        if role != mover:
            _set_range(game.end_buffer, facts + found - first, start, end)
            continue
        for lane in range(start, end):
            game.end_buffer[at(facts + found - first), at(lane >> 6)] |= ONE << np.uint64(lane & 63)
            found = _next_set(rows, child, found + 1, limit)


@part
def _clear_moves(game: Any) -> None:
    """Clear what `_load_child` has set of moves: whoever comes next takes them for empty."""
    for slot in range(game.shape[FACTS], _inputs(game)):
        _fill(game.end_buffer, slot, ZERO, I4)


@part
def _best_in_lanes(game: Any, role: int, is_mine: bool, start: int, end: int, counts: Any) -> float:
    """The best value among lanes; notes where one of them is not the end of the game."""
    slots = _inputs(game)
    best = INCOMPLETE if is_mine else 101.0
    for word in range(start >> 6, (end + 63) >> 6):
        left = _range_mask(word, start, end)
        if left & ~game.end_buffer[at(slots), at(word)]:
            counts[WAS_CUT] = 1
        for goal in range(game.goal_start[at(role)], game.goal_start[at(role + 1)]):
            held = left & game.end_buffer[at(slots + 1 + goal), at(word)]
            if held != ZERO:
                worth = game.goal_value[at(goal)]
                best = max(best, worth) if is_mine else min(best, worth)
                left &= ~held
        if left != ZERO:  # those without a goal
            best = max(best, 0.0) if is_mine else min(best, 0.0)
    return best


@part
def _two_plies(
    game: Any, pool: Any, row: int, mover: int, role: int, alpha: float, beta: float, top: int, counts: Any
) -> float:
    """The value of a state two plies above the leaves: its grandchildren are evaluated together, 256 at a time.

    Notes the best move in the counts, and TROUBLE, as alphabeta does.
    """
    count = _expand(game, pool.rows, row, mover, pool.rows, top, pool.moves)
    if count < 0 or top + count + LANES > pool.rows.shape[0]:
        counts[TROUBLE] = 2
        return INCOMPLETE
    is_mine = mover == role
    best, best_move, is_cut = (INCOMPLETE if is_mine else 101.0), -1, 0
    first = (game.shape[STATE_WORDS] << 6) + 1
    begin, free = top, top + count
    while begin < top + count:
        _load_facts(game.end_buffer, game, pool.rows, begin, I4)
        lane, child = I0, begin
        while child < top + count:
            chooser = NOBODY
            if not _is_terminal(game, pool.rows, child):
                chooser = mover_of(game, pool.rows, child)
            if chooser == SEVERAL:
                _clear_moves(game)
                counts[TROUBLE] = 3
                return INCOMPLETE
            after = lane
            if chooser != NOBODY:
                start = first + game.move_start[at(chooser)]
                after += _count_set(pool.rows, child, start, first + game.move_start[at(chooser + 1)])
                if after > LANES:
                    break
                _load_child(game, pool.rows, child, begin, chooser, lane, after)
            pool.order[at(child)] = chooser
            pool.stop_lane[at(child)] = after
            lane = after
            child += 1
        if child == begin:  # one child with more moves than there are lanes
            child = begin + 1
            chooser = mover_of(game, pool.rows, begin)
            value = _leaves(game, pool.rows, begin, chooser, role, pool.moves, free, counts)
            counts[NODES] += 1
            is_cut |= counts[WAS_CUT]
            if value > best if is_mine else value < best:
                best, best_move = value, pool.moves[at(begin)]
        else:
            if lane:
                _evaluate(game.end_words)
                _clear_moves(game)
            counts[NODES] += lane + child - begin
            counts[WAS_CUT] = 0
            lane = I0
            for i in range(begin, child):
                chooser = pool.order[at(i)]
                if chooser == NOBODY:
                    value = _end_value(game, pool.rows, i, role)
                else:
                    value = _best_in_lanes(game, role, chooser == role, lane, pool.stop_lane[at(i)], counts)
                    lane = pool.stop_lane[at(i)]
                if value > best if is_mine else value < best:
                    best, best_move = value, pool.moves[at(i)]
            is_cut |= counts[WAS_CUT]
        if best >= beta if is_mine else best <= alpha:
            break
        begin = child
    counts[WAS_CUT] = is_cut
    counts[BEST_FOUND] = best_move
    return best


@part
def _order(game: Any, pool: Any, base: int, count: int, known_move: int, role: int, is_mine: bool) -> None:
    """Keys that say which child to try first: the known best move, ends that are good, moves that cut before."""
    for child in range(base, base + count):
        key = float(pool.history[at(pool.moves[at(child)])])
        if _is_terminal(game, pool.rows, child):
            goal = _goal(game, pool.rows, child, role)
            key = (goal - 50.0 if is_mine else 50.0 - goal) * 1e15
        if pool.moves[at(child)] == known_move:
            key += 1e18
        pool.keys[at(child)] = key


@part
def _take_best(pool: Any, ply: int) -> int:
    """The child with the largest key of those not yet tried."""
    start = pool.frames[at(ply), BASE] + pool.frames[at(ply), NEXT]
    end = pool.frames[at(ply), BASE] + pool.frames[at(ply), CHILDREN]
    best = start
    for i in range(start + 1, end):
        if pool.keys[at(pool.order[at(i)])] > pool.keys[at(pool.order[at(best)])]:
            best = i
    pool.order[at(start)], pool.order[at(best)] = pool.order[at(best)], pool.order[at(start)]
    pool.frames[at(ply), NEXT] += 1
    return pool.order[at(start)]


@aside
def alphabeta(
    game: Any,
    pool: Any,
    guess: Any,
    role: int,
    depth: int,
    alpha: float,
    beta: float,
    top: int,
    counts: Any,
    most_nodes: int,
    stop: Any,
) -> float:
    """The value for a role of the state in row `top` - 1, within a window: see search/native/solver.py.

    Other roles are taken to want it low. Rows from `top` on are free.
    """
    ply, value, returning = I0, INCOMPLETE, False
    row = top - 1
    size = np.uint64(pool.table.shape[0] - 1)
    while True:
        if not returning:  # enter the state in `row`
            counts[NODES] += 1
            if stop[0] or counts[NODES] > most_nodes:
                counts[TROUBLE] = 1
                return INCOMPLETE
            pool.frames[at(ply), IS_CUT] = 0
            returning = True
            mover = NOBODY
            if _is_terminal(game, pool.rows, row):
                value = _goal(game, pool.rows, row, role)
            elif depth <= 0:
                value = _judge(guess.weights, guess.bias, pool.rows, row)
                pool.frames[at(ply), IS_CUT] = 1
            else:
                mover = mover_of(game, pool.rows, row)
                if mover == NOBODY:
                    value = 0.0
                elif mover == SEVERAL:
                    counts[TROUBLE] = 3
                    return INCOMPLETE
                else:
                    returning = False
            if returning:
                continue_search = False
            else:
                key = hash_of(pool.rows, row, game.shape[STATE_WORDS])
                slot = np.int64(key & size)
                known_move = -1
                if pool.table[at(slot), 0] == key:
                    entry = np.int64(pool.table[at(slot), 1])
                    known_move = ((entry >> MOVE_SHIFT) & MOST_MOVES) - 1
                    kind = entry & 3
                    if (entry >> DEPTH_SHIFT) & MOST_DEPTH >= depth or entry & SOLVED:
                        found = (entry >> VALUE_SHIFT) / VALUE_UNIT
                        if (
                            kind == EXACT
                            or (kind == LOWER and found >= beta)
                            or (kind == UPPER and found <= alpha)
                        ):
                            value = found
                            pool.frames[at(ply), IS_CUT] = 0 if entry & SOLVED else 1
                            returning = True
                continue_search = not returning
            if continue_search and depth == 2 and guess.is_plain:
                value = _two_plies(game, pool, row, mover, role, alpha, beta, top, counts)
                if counts[TROUBLE]:
                    return INCOMPLETE
                is_cut = counts[WAS_CUT]
                pool.frames[at(ply), IS_CUT] = is_cut
                _remember(pool.table, slot, key, value, I2, counts[BEST_FOUND], alpha, beta, is_cut)
                returning = True
            elif continue_search and depth == 1 and guess.is_plain:
                if top + LANES > pool.rows.shape[0]:
                    counts[TROUBLE] = 2
                    return INCOMPLETE
                value = _leaves(game, pool.rows, row, mover, role, pool.moves, top, counts)
                is_cut = counts[WAS_CUT]
                pool.frames[at(ply), IS_CUT] = is_cut
                _remember(pool.table, slot, key, value, I1, pool.moves[at(top)], INCOMPLETE, 101.0, is_cut)
                returning = True
            elif continue_search:
                base = top
                count = _expand(game, pool.rows, row, mover, pool.rows, base, pool.moves)
                if count < 0 or ply + 1 >= pool.frames.shape[0]:
                    counts[TROUBLE] = 2
                    return INCOMPLETE
                is_mine = mover == role
                if depth == 1:  # all children are leaves, and their rows are here
                    best = INCOMPLETE if is_mine else 101.0
                    best_move = -1
                    is_cut = 0
                    lowest, highest = alpha, beta
                    for child in range(base, base + count):
                        counts[NODES] += 1
                        worth = _worth(game, guess, pool.rows, child, role)
                        if not _is_terminal(game, pool.rows, child):
                            is_cut = 1
                        if is_mine and worth > best:
                            best, best_move = worth, pool.moves[at(child)]
                            lowest = max(lowest, best)
                        elif not is_mine and worth < best:
                            best, best_move = worth, pool.moves[at(child)]
                            highest = min(highest, best)
                        if lowest >= highest:
                            break
                    value = best
                    pool.frames[at(ply), IS_CUT] = is_cut
                    _remember(pool.table, slot, key, value, I1, best_move, alpha, beta, is_cut)
                    returning = True
                else:
                    _order(game, pool, base, count, known_move, role, is_mine)
                    for i in range(base, base + count):
                        pool.order[at(i)] = i
                    pool.frames[at(ply), ROW] = row
                    pool.frames[at(ply), BASE] = base
                    pool.frames[at(ply), CHILDREN] = count
                    pool.frames[at(ply), NEXT] = 0
                    pool.frames[at(ply), MOVER] = mover
                    pool.frames[at(ply), DEPTH] = depth
                    pool.frames[at(ply), BEST_MOVE] = -1
                    pool.stack[at(ply), ALPHA] = alpha
                    pool.stack[at(ply), BETA] = beta
                    pool.stack[at(ply), BEST] = INCOMPLETE if is_mine else 101.0
                    top = base + count
                    row = _take_best(pool, ply)
                    ply += 1
                    depth -= 1
                    continue
        # return `value` to the state before
        if ply == 0:
            counts[WAS_CUT] = pool.frames[0, IS_CUT]
            return value
        is_cut = pool.frames[at(ply), IS_CUT]
        ply -= 1
        is_mine = pool.frames[at(ply), MOVER] == role
        tried = pool.order[pool.frames[at(ply), BASE] + pool.frames[at(ply), NEXT] - 1]
        pool.frames[at(ply), IS_CUT] |= is_cut
        if value > pool.stack[at(ply), BEST] if is_mine else value < pool.stack[at(ply), BEST]:
            pool.stack[at(ply), BEST] = value
            pool.frames[at(ply), BEST_MOVE] = pool.moves[at(tried)]
        low, high = pool.stack[at(ply), ALPHA], pool.stack[at(ply), BETA]
        if is_mine:
            low = max(low, pool.stack[at(ply), BEST])
        else:
            high = min(high, pool.stack[at(ply), BEST])
        if low < high and pool.frames[at(ply), NEXT] < pool.frames[at(ply), CHILDREN]:
            row = _take_best(pool, ply)
            depth = pool.frames[at(ply), DEPTH] - 1
            alpha, beta = low, high
            ply += 1
            returning = False
            continue
        if low >= high:
            pool.history[pool.moves[at(tried)]] += pool.frames[at(ply), DEPTH] * pool.frames[at(ply), DEPTH]
        value = pool.stack[at(ply), BEST]
        depth = pool.frames[at(ply), DEPTH]
        alpha, beta = pool.stack[at(ply), ALPHA], pool.stack[at(ply), BETA]
        top = pool.frames[at(ply), BASE]
        row = pool.frames[at(ply), ROW]
        key = hash_of(pool.rows, row, game.shape[STATE_WORDS])
        slot = np.int64(key & size)
        _remember(
            pool.table,
            slot,
            key,
            value,
            depth,
            pool.frames[at(ply), BEST_MOVE],
            alpha,
            beta,
            pool.frames[at(ply), IS_CUT],
        )
        returning = True


@part
def _is_before(values: Any, child: int, other: int) -> bool:
    """Whether a child was found better than another; a bound is not as good as a value."""
    if values[0, child] == values[0, other]:
        return values[1, child] < values[1, other]
    return values[0, child] > values[0, other]


@kernel
def deepen(
    game: Any,
    pool: Any,
    guess: Any,
    role: int,
    shallowest: int,
    deepest: int,
    enough: float,
    count: int,
    counts: Any,
    values: Any,
    tried: Any,
    most_nodes: int,
    pause: int,
    stop: Any,
) -> int:
    """Search the root's children, rows 1 to `count`, deeper and deeper from a depth on; the last one finished.

    `values` [5, count] become those of that depth, and then 1 for each that is only known to be no more than that: a
    child that cannot be the best is not looked at any closer. One that was not looked at is INCOMPLETE. The other rows
    are scratch: the same of the depth that is being searched, and 1 where that depth had a part in it. Stops when
    nothing was cut off by the depth (counts[WAS_CUT] = 0), or a child is surely worth `enough`, or more nodes than
    `pause` were visited. Where counts[WAS_CUT] is 0, all values are as certain as the rules: guesses are dropped.
    """
    top = count + 2
    done = 0
    was_cut = 1
    # where the last two plies come in one go, a search to an odd depth costs as much as the next even one
    step = 2 if guess.is_plain else 1
    level = min(deepest, max(step, shallowest))
    while done < deepest:
        for i in range(count):  # the best of the last depth first; a stable sort
            tried[i] = i
        for i in range(1, count):
            k = i
            while k > 0 and _is_before(values, tried[k], tried[k - 1]):
                tried[k], tried[k - 1] = tried[k - 1], tried[k]
                k -= 1
        alpha = INCOMPLETE
        level_cut = 0
        is_enough = False
        for i in range(count):
            child = tried[i]
            values[3, child] = values[4, child] = 0.0
            if is_enough:
                values[2, child] = INCOMPLETE
                continue
            _copy_row(pool.rows, top - 1, 1 + child)
            # Where a child before is worth `enough` by a guess only, a sure one must still be told from a bound.
            low = min(alpha, enough - LEAST_GAIN)
            value = alphabeta(game, pool, guess, role, level - 1, low, 101.0, top, counts, most_nodes, stop)
            if counts[TROUBLE]:
                counts[WAS_CUT] = was_cut
                return done
            values[2, child] = value
            if value <= low:
                values[3, child] = 1.0
            values[4, child] = counts[WAS_CUT]
            if counts[WAS_CUT]:
                level_cut = 1
            elif value >= enough:
                is_enough = True
            alpha = max(alpha, value)
        for i in range(count):
            is_guess = is_enough and values[4, i] > 0.0
            values[0, i], values[1, i] = (INCOMPLETE if is_guess else values[2, i]), values[3, i]
        done = level
        level = min(deepest, level + step)
        was_cut = 0 if is_enough else level_cut
        if not was_cut or counts[NODES] > pause:
            break
    counts[WAS_CUT] = was_cut
    return done


@part
def _remember(
    table: Any,
    slot: int,
    key: Any,
    value: float,
    depth: int,
    best_move: int,
    alpha: float,
    beta: float,
    is_cut: int,
) -> None:
    """Put a value into the table, unless something searched deeper stands there."""
    entry = np.int64(table[slot, 1])
    if table[slot, 0] == key and (entry >> DEPTH_SHIFT) & MOST_DEPTH > depth and is_cut:
        return
    kind = LOWER if value >= beta else (UPPER if value <= alpha else EXACT)
    solved = 0 if is_cut else SOLVED
    table[slot, 0] = key
    table[slot, 1] = np.uint64(
        (np.int64(value * VALUE_UNIT) << VALUE_SHIFT)
        | (min(depth, MOST_DEPTH) << DEPTH_SHIFT)
        | ((best_move + 1) << MOVE_SHIFT)
        | kind
        | solved
    )


@kernel
def follow_table(game: Any, pool: Any, first: int, line: Any, proven: float) -> int:
    """From the state in row 0 make its move `first`, then those that the table has, into `line`; how many there are.

    The state that they lead to is in row 0 in the end. Where a value is `proven` (else INCOMPLETE), the line ends with
    the last state that the table knows to be worth that: an entry may be gone, or come from another search.
    """
    rows, table = pool.rows, pool.table
    length, move = 0, first
    while length < len(line) and move >= 0 and not _is_terminal(game, rows, I0):
        count = _expand(game, rows, I0, mover_of(game, rows, I0), rows, I1, pool.moves)
        child = 1
        while child <= count and pool.moves[child] != move:
            child += 1
        if child > count:
            break
        _copy_row(rows, I0, child)
        line[length] = move
        length += 1
        key = hash_of(rows, I0, game.shape[STATE_WORDS])
        slot = np.int64(key & np.uint64(len(table) - 1))
        entry = np.int64(table[slot, 1]) if table[slot, 0] == key else 0
        move = ((entry >> MOVE_SHIFT) & MOST_MOVES) - 1
        if proven != INCOMPLETE:
            is_sure = entry & SOLVED and entry & 3 == EXACT
            if not is_sure or (entry >> VALUE_SHIFT) / VALUE_UNIT != proven:
                move = -1
    return length


# Monte Carlo tree search

FEWEST, VISITS_A_LANE = 8, 8
CURIOUS = 4
"""One visit in so many goes to a child that is not proven."""


LINKS = np.dtype(
    {
        "names": ["visits", "flying", "parent", "first", "kind", "own_mean"],
        "formats": ["i4", "i4", "i4", "i4", "i4", "f4"],
        "itemsize": 32,
    },
    align=True,
)
"""Half a line of the cache for each node: playouts that have ended and those under way; the first child, -1 before
there are any; how many there are and who chooses among them, see `kind_of`; what the node's own mover got in the mean.
"""

SCORES = np.dtype([("mean", "f4"), ("root", "f4")], align=True)
"""All that choosing among children looks at: what their parent's mover got in the mean, or surely gets (OPEN where
nothing is known); 1 over the root of the number of tries, 0 where the value is proven."""

ADVICE = np.dtype([("amaf_visits", "f4"), ("amaf_total", "f4"), ("prior", "f4")], align=True)
"""Playouts in which the node's move was made at any time after its parent, and what the parent's mover got in those;
what the evaluation says to it."""

OPEN = -1.0
NONE, HALF, WHOLE, THRICE, LEAST = (np.float32(number) for number in (0.0, 0.5, 1.0, 3.0, -1e30))
"""Scores are in single precision, which is quicker, and enough for means of playouts."""

DROPPED, LEAST_PLACE = 16, 111 << 7
PLACES = ((np.arange(48 << 7) + LEAST_PLACE) << DROPPED).astype(np.int32).view(np.float32)
INVERSE_ROOTS, LOG_ROOTS = (
    1 / np.sqrt(PLACES),
    np.sqrt(np.log(PLACES.astype(float) ** -2 + 2)).astype(np.float32),
)
"""For numbers from 2**-16 on, by their first bits in single precision, which makes 128 for each power of two: 1 over
the root (exact for whole numbers up to 256), and where that is x, the root of the logarithm of the number and 2. To
look them up is quicker than to work them out."""

USED, ITERATIONS, STEPS, ENDS, DEEPEST, PLAYOUTS, FULL = range(7)
"""Places in the counts that tree_search updates."""

STATE_SLOTS, DIGITS, RANDOMS, PLAY_INPUTS, GOAL_COUNTERS, PLAY_FACTS = range(6)
"""Places in the shape of Play."""


@part
def _kind(mover: int, count: int) -> int:
    """Who chooses among how many children, in one number."""
    return (count << 12) + mover - SEVERAL


@answer
def kind_of(nodes: Any, node: int) -> Any:
    """Who chooses, and among how many children."""
    kind = nodes.links[at(node)].kind
    return (kind & 4095) + SEVERAL, kind >> 12


@aside
def _note_children(game: Any, nodes: Any, guide: Any, node: int, base: int, count: int) -> None:
    """Set up the nodes of new children."""
    chooser, _ = kind_of(nodes, node)
    for child in range(base, base + count):
        mover = NOBODY
        if not _is_terminal(game, nodes.rows, child):
            mover = mover_of(game, nodes.rows, child)
        _set_up(nodes, child, node, mover)
        if mover == NOBODY:
            for role in range(game.shape[ROLES]):
                nodes.values[child, role] = _end_value(game, nodes.rows, child, role) / 100.0
            _note_proof(nodes, child, chooser)
        if guide.weights.shape[0]:
            prior = _judge(guide.weights[chooser], guide.biases[chooser], nodes.rows, child)
            nodes.advice[child].prior = prior / 100.0
    nodes.links[at(node)].first = base
    nodes.links[at(node)].kind = _kind(chooser, count)


@part
def _set_up(nodes: Any, node: int, parent: int, mover: int) -> None:
    """A node of which nothing is known."""
    nodes.links[at(node)].visits = 0
    nodes.links[at(node)].flying = 0
    nodes.links[at(node)].parent = parent
    nodes.links[at(node)].first = -1
    nodes.links[at(node)].kind = _kind(mover, I0)
    nodes.scores[at(node)].mean = OPEN
    nodes.scores[at(node)].root = WHOLE / np.sqrt(HALF)
    nodes.links[at(node)].own_mean = 0.0
    nodes.advice[node].amaf_visits = 0.0
    nodes.advice[node].amaf_total = 0.0
    nodes.advice[node].prior = 0.0


@part
def _note_proof(nodes: Any, node: int, chooser: int) -> None:
    """What a node is worth is certain from now on: it stands in `values`."""
    nodes.scores[at(node)].mean = nodes.values[node, chooser]
    nodes.scores[at(node)].root = NONE


@part
def _is_proven(nodes: Any, node: int) -> bool:
    return nodes.scores[at(node)].root == NONE


@kernel
def begin_tree(game: Any, nodes: Any) -> int:
    """Make the first row a root without children; who chooses there."""
    mover = mover_of(game, nodes.rows, I0)
    _set_up(nodes, I0, MINUS, mover)
    return mover


@aside
def _prove(game: Any, nodes: Any, node: int) -> None:
    """See whether a node is proven by its children, then its parent, and so on.

    The mover takes what is best for it. Where that is the same to it, the others expect what is worst for them: of
    several others that must be one and the same child, or nobody knows. And where it is the most that the mover can
    get, a child that is still open may be as good for it and worse for them, unless they get nothing already. At the
    root nobody but the mover counts.
    """
    while node >= 0:
        mover, count = kind_of(nodes, node)
        first, parent = nodes.links[at(node)].first, nodes.links[at(node)].parent
        is_all, most = True, LEAST
        for child in range(first, first + count):
            if not _is_proven(nodes, child):
                is_all = False
            else:
                most = max(most, nodes.scores[at(child)].mean)
        if not (is_all or most >= game.best_goal[mover] - 1e-6):
            return
        for role in range(nodes.values.shape[1]):
            least = _least(nodes, first, first + count, most, role)
            nodes.values[at(node), at(role)] = least
            if least > NONE and role != mover and not is_all and parent >= 0:
                return
        if nodes.values.shape[1] > 2 and parent >= 0 and not _is_childs(nodes, node, first, first + count):
            return
        chooser, _ = kind_of(nodes, np.int64(max(0, parent)))
        _note_proof(nodes, node, chooser if parent >= 0 else mover)
        node = parent


@part
def _least(nodes: Any, first: int, end: int, most: Any, role: int) -> Any:
    """The least that a role gets after the children that are proven to be the best for whoever chooses."""
    least = WHOLE
    for child in range(first, end):
        if _is_proven(nodes, child) and nodes.scores[at(child)].mean == most:
            least = min(least, nodes.values[at(child), at(role)])
    return least


@part
def _is_childs(nodes: Any, node: int, first: int, end: int) -> bool:
    """Whether what stands in a node's `values` is what everybody gets after one of its proven children."""
    roles = nodes.values.shape[1]
    for child in range(first, end):
        role = 0
        while role < roles and nodes.values[at(child), at(role)] == nodes.values[at(node), at(role)]:
            role += 1
        if role == roles and _is_proven(nodes, child):
            return True
    return False


@part
def _place(number: Any) -> int:
    """Where a number stands in tables."""
    return (_bits(number) >> DROPPED) - LEAST_PLACE


@part
def _note_tries(nodes: Any, node: int, share: Any) -> None:
    """Another playout is under way, or one is not: what `_select` needs of that."""
    tries = np.float32(nodes.links[at(node)].visits + nodes.links[at(node)].flying) * share
    nodes.scores[at(node)].root = INVERSE_ROOTS[at(_place(max(HALF, tries)))]


@part
def _select(nodes: Any, guide: Any, node: int, root_before: Any, share: Any) -> int:
    """The child to try next: UCT, with the parent's mean for children not yet tried, and proven values as they are.

    `root_before`: the node's ROOT before this visit, which is there sooner than the one after it.
    """
    first = nodes.links[at(node)].first
    _, count = kind_of(nodes, node)
    breadth = np.float32(guide.exploration) * LOG_ROOTS[at(_place(root_before))]
    mean = nodes.links[at(node)].own_mean
    best = _best_child(nodes, guide, first, first + count, mean, breadth, share, False)
    # A proven child teaches nothing new. Its parent is worth that much, but now and then the best of the others is
    # tried all the same: it may be better, or the parent may be proven.
    if guide.proofs and _is_proven(nodes, best):
        tries = np.float32(nodes.links[at(node)].visits + nodes.links[at(node)].flying) * share
        if np.int64(tries) % CURIOUS == 0:
            other = _best_child(nodes, guide, first, first + count, mean, breadth, share, True)
            return best if _is_proven(nodes, other) else other
    return best


@part
def _best_child(
    nodes: Any, guide: Any, first: int, end: int, mean: Any, breadth: Any, share: Any, is_open: bool
) -> int:
    """The child with the best score, of those that are not proven if `is_open`."""
    is_guided = guide.amaf > 0.0 or guide.trust > 0.0
    best, best_score = first, LEAST
    for child in range(first, end):
        score, root = nodes.scores[at(child)].mean, nodes.scores[at(child)].root
        if is_open and root == NONE:
            continue
        if score < NONE:
            score = mean
        if is_guided and root > NONE:
            score = _advise(nodes, guide, child, share, score)
        score += breadth * root
        if score > best_score:
            best, best_score = child, score
    return best


@part
def _advise(nodes: Any, guide: Any, child: int, share: Any, score: Any) -> Any:
    """A mean mixed with that of the child's move anywhere, and with what an evaluation says."""
    advice, amaf = nodes.advice, np.float32(guide.amaf)
    tries = np.float32(nodes.links[at(child)].visits + nodes.links[at(child)].flying) * share
    if amaf > NONE and advice[child].amaf_visits > NONE:
        part = np.sqrt(amaf / (THRICE * tries + amaf))
        score += part * (advice[child].amaf_total / advice[child].amaf_visits - score)
    if guide.trust > 0.0:
        score += np.float32(guide.trust) * (advice[child].prior - HALF) / (tries + WHOLE)
    return score


@aside
def _note_moves(nodes: Any, play: Any, lane: int, reward: Any) -> None:
    """All moves as first (Gelly & Silver 2011): what a playout says of moves made in it, for every node on its way."""
    group, bit = lane >> 6, np.uint64(lane & 63)
    node = play.lane_node[lane]
    while node >= 0:
        first = nodes.links[at(node)].first
        mover, count = kind_of(nodes, node)
        if first >= 0:
            for child in range(first, first + count):
                if (play.made[nodes.moves[child], group] >> bit) & ONE != ZERO:
                    nodes.advice[child].amaf_visits += 1.0
                    nodes.advice[child].amaf_total += reward[at(mover)]
        if nodes.links[at(node)].parent >= 0:
            play.made[nodes.moves[node], group] |= ONE << bit
        node = nodes.links[at(node)].parent


@part
def _back_up(nodes: Any, node: int, reward: Any, playouts: int) -> None:
    """Note on the way up what some playouts gave; they have landed."""
    while node >= 0:
        visits = nodes.links[at(node)].visits + playouts
        nodes.links[at(node)].visits = visits
        nodes.links[at(node)].flying -= playouts
        part = np.float32(playouts) / np.float32(visits)
        parent = np.int64(nodes.links[at(node)].parent)
        mover, _ = kind_of(nodes, node)
        if mover >= 0:
            got = np.float32(reward[at(mover)])
            nodes.links[at(node)].own_mean += (got - nodes.links[at(node)].own_mean) * part
        if parent >= 0 and not _is_proven(nodes, node):
            chooser, _ = kind_of(nodes, parent)
            got = np.float32(reward[at(chooser)])
            nodes.scores[at(node)].mean += (got - nodes.scores[at(node)].mean) * part
        node = parent


@aside
def _random_slots(buffer: Any, first: int, count: int, generator: Any) -> None:
    """Fill slots with random bits (xorshift128+, Vigna 2017)."""
    older, newer = generator[0], generator[1]
    for i in range(first, first + count):
        for j in range(4):
            s1, s0 = older, newer
            s1 ^= s1 << np.uint64(23)
            s1 = s1 ^ s0 ^ (s1 >> np.uint64(18)) ^ (s0 >> np.uint64(5))
            older, newer = s0, s1
            buffer[i, j] = s0 + s1
    generator[0], generator[1] = older, newer


@part
def _load_lane(play: Any, rows: Any, row: int, lane: int) -> None:
    """A state into one lane of the kernel `charge`, which runs from now on."""
    group, bit = lane >> 6, np.uint64(lane & 63)
    mask = ~(ONE << bit)
    facts = play.shape[PLAY_FACTS]
    for i in range(facts):
        held = (rows[at(row), at(i >> 6)] >> np.uint64(i & 63)) & ONE
        play.buffer[at(i), at(group)] = (play.buffer[at(i), at(group)] & mask) | (held << bit)
    for i in range(facts, facts + play.shape[DIGITS]):
        play.buffer[i, group] &= mask
    play.buffer[play.shape[STATE_SLOTS], group] |= ONE << bit


@part
def _read_lane(play: Any, lane: int, rows: Any, row: int) -> None:
    """The state in one lane into a row."""
    group, bit = lane >> 6, np.uint64(lane & 63)
    for word in range(rows.shape[1]):
        rows[row, word] = ZERO
    for i in range(play.shape[PLAY_FACTS]):
        rows[row, i >> 6] |= ((play.buffer[i, group] >> bit) & ONE) << np.uint64(i & 63)


@part
def _read_goals(play: Any, lane: int) -> None:
    """What each role gets in a lane whose game is over, as a share of 100, into `reward`."""
    group, bit = lane >> 6, np.uint64(lane & 63)
    first = play.shape[PLAY_INPUTS] + 1 + 2 + play.shape[DIGITS]
    for role in range(len(play.reward)):
        play.reward[at(role)] = 0.0
    for i in range(play.shape[GOAL_COUNTERS]):
        if (play.buffer[first + i, group] >> bit) & ONE != ZERO:
            play.reward[play.counter_role[i]] += play.counter_value[i] / 100.0


@kernel
def tree_search(
    game: Any,
    play: Any,
    nodes: Any,
    guide: Any,
    root: int,
    patience: int,
    each: int,
    lanes: int,
    counts: Any,
    most_iterations: int,
    stop: Any,
) -> None:
    """Grow a tree from a root until stopped: see mcts.py.

    Each leaf gets `each` playouts, in as many lanes; a lane that has ended one takes the next leaf. At most `lanes` are
    under way, and while the tree is young only one for every few visits: each is chosen without knowing of the others.
    """
    roles = game.shape[ROLES]
    reward = play.reward
    inputs, states, digits = play.shape[PLAY_INPUTS], play.shape[STATE_SLOTS], play.shape[DIGITS]
    active, done_slot = states, inputs
    state_out = inputs + 1 + 2 + digits + play.shape[GOAL_COUNTERS]
    moves_out = state_out + states
    share = WHOLE / np.float32(each)  # of a visit, for one playout
    running = 0
    free_count = 0
    for lane in range(LANES):
        play.lane_node[lane] = -1
        play.free[free_count] = LANES - 1 - lane
        free_count += 1
    _fill(play.buffer, active, ZERO, I4)
    while True:
        if stop[0] or _is_proven(nodes, root) or (counts[ITERATIONS] >= most_iterations and not running):
            break
        ended = 0  # descents that met the end of the game and needed no playout
        most = max(each, min(lanes, FEWEST + nodes.links[at(root)].visits // (each * VISITS_A_LANE)))
        while (
            running + each <= most
            and ended < LANES
            and counts[ITERATIONS] < most_iterations
            and not stop[0]  # children of a large game take a while to make
        ):
            node, depth = root, 0
            while True:
                nodes.links[at(node)].flying += each
                root_before = nodes.scores[at(node)].root
                if root_before == NONE:
                    break
                _note_tries(nodes, node, share)
                if nodes.links[at(node)].first < 0:
                    tries = nodes.links[at(node)].visits + nodes.links[at(node)].flying
                    if (tries <= patience * each and node != root) or counts[FULL]:
                        break
                    mover, _ = kind_of(nodes, node)
                    if mover == SEVERAL:
                        break
                    base = counts[USED]
                    count = _expand(game, nodes.rows, node, mover, nodes.rows, base, nodes.moves)
                    if count < 0:
                        counts[FULL] = 1
                        break
                    counts[USED] += count
                    _note_children(game, nodes, guide, node, base, count)
                    if guide.proofs:
                        _prove(game, nodes, node)
                    if _is_proven(nodes, node):
                        break
                node = _select(nodes, guide, node, root_before, share)
                depth += 1
            counts[ITERATIONS] += 1
            counts[DEEPEST] = max(counts[DEEPEST], depth)
            if _is_proven(nodes, node):
                counts[ENDS] += 1
                ended += 1
                for role in range(roles):
                    reward[at(role)] = nodes.values[at(node), at(role)]
                _back_up(nodes, node, reward, each)
                if _is_proven(nodes, root):
                    break
                continue
            for _ in range(each):
                free_count -= 1
                lane = play.free[free_count]
                _load_lane(play, nodes.rows, node, lane)
                if guide.amaf > 0.0:
                    for i in range(play.made.shape[0]):
                        play.made[i, lane >> 6] &= ~(ONE << np.uint64(lane & 63))
                play.lane_node[lane] = node
                running += 1
        if _is_proven(nodes, root):
            break
        if running == 0:
            continue
        _random_slots(play.buffer, states + 1, play.shape[RANDOMS], play.generator)
        _evaluate(play.words)
        counts[STEPS] += 1
        if guide.amaf > 0.0:
            for i in range(play.made.shape[0]):
                for j in range(4):
                    play.made[i, j] |= play.buffer[moves_out + i, j]
        for group in range(4):
            done = play.buffer[done_slot, group]
            while done != ZERO:
                bit = np.uint64(_lowest(done))
                done &= done - ONE
                lane = (group << 6) + np.int64(bit)
                _read_goals(play, lane)
                _back_up(nodes, play.lane_node[lane], reward, I1)
                if guide.amaf > 0.0:
                    _note_moves(nodes, play, lane, reward)
                counts[PLAYOUTS] += 1
                play.lane_node[lane] = -1
                play.free[free_count] = lane
                free_count += 1
                running -= 1
                play.buffer[active, group] &= ~(ONE << bit)
        for i in range(states):
            for j in range(4):
                play.buffer[i, j] = play.buffer[state_out + i, j]
    for lane in range(LANES):  # forget the playouts that did not end
        node = play.lane_node[lane]
        while node >= 0:
            nodes.links[at(node)].flying -= 1
            if not _is_proven(nodes, node):
                _note_tries(nodes, node, share)
            node = nodes.links[at(node)].parent


@kernel
def sample_games(play: Any, start: Any, rows: Any, rewards: Any, taken: Any, longest: int, stop: Any) -> int:
    """Random games from the row `start[0]`: of each a state, every step as likely as any other, and its rewards.

    How many there are, as many as `rows` [N, W] takes unless it is stopped. `taken` [256, W] are the states taken of
    the games under way. A game longer than `longest` is left out.
    """
    inputs, states = play.shape[PLAY_INPUTS], play.shape[STATE_SLOTS]
    state_out = inputs + 1 + 2 + play.shape[DIGITS] + play.shape[GOAL_COUNTERS]
    draw = np.uint64(play.generator[0] | ONE)
    made = 0
    for lane in range(LANES):
        play.lane_node[lane] = 0  # steps
        _load_lane(play, start, I0, lane)
    while made < rows.shape[0] and not stop[0]:
        _random_slots(play.buffer, states + 1, play.shape[RANDOMS], play.generator)
        _evaluate(play.words)
        # what is in the lanes now is where they were before this step, which ends games and makes the next states
        ended = 0
        for lane in range(LANES):
            is_done = (play.buffer[inputs, lane >> 6] >> np.uint64(lane & 63)) & ONE != ZERO
            steps = play.lane_node[lane]
            play.lane_node[lane] += 1
            if is_done or steps > longest:
                if is_done and steps > 1 and made < rows.shape[0]:
                    _read_goals(play, lane)
                    for word in range(rows.shape[1]):
                        rows[made, word] = taken[lane, word]
                    for role in range(len(play.reward)):
                        rewards[made, role] = play.reward[at(role)]
                    made += 1
                play.free[ended] = lane
                ended += 1
            elif steps > 0:
                draw ^= draw << np.uint64(13)
                draw ^= draw >> np.uint64(7)
                draw ^= draw << np.uint64(17)
                if (draw >> np.uint64(11)) % np.uint64(
                    steps
                ) == ZERO:  # the n-th state takes the place with 1 in n
                    _read_lane(play, lane, taken, lane)
        for i in range(states):
            for j in range(4):
                play.buffer[i, j] = play.buffer[state_out + i, j]
        for i in range(ended):
            play.lane_node[play.free[i]] = 0
            _load_lane(play, start, I0, play.free[i])
    return made


@kernel
def find_state(nodes: Any, root: int, row: Any, words: int, farthest: int, most: int) -> int:
    """The node of a state as few plies below a root as possible, `farthest` at most; -1 where there is none.

    Nor is there if it takes more than `most` nodes to find it: looking must not take long.
    """
    looked = 0
    for plies in range(farthest + 1):
        node, depth = root, 0
        while True:
            looked += 1
            first = nodes.links[at(node)].first
            if depth < plies and first >= 0:
                node, depth = first, depth + 1
                continue
            if depth == plies and _is_same(nodes.rows, node, row, words):
                return node
            while depth > 0 and _is_last_child(nodes, node):
                node, depth = np.int64(nodes.links[at(node)].parent), depth - 1
            if depth == 0 or looked > most:
                break
            node += 1
    return -1


@part
def _is_same(rows: Any, node: int, row: Any, words: int) -> bool:
    word = 0
    while word < words and rows[node, word] == row[word]:
        word += 1
    return word == words


@part
def _is_last_child(nodes: Any, node: int) -> bool:
    parent = np.int64(nodes.links[at(node)].parent)
    _, count = kind_of(nodes, parent)
    return node + 1 >= nodes.links[at(parent)].first + count


@kernel
def keep_subtree(nodes: Any, root: int, used: int, where: Any) -> int:
    """Move the tree below a root to the front of the arrays, the root first; how many nodes that are.

    Nodes are in an order in which parents come before their children, so a node never moves over one still to come.
    """
    for node in range(used):
        where[node] = -1
    where[root] = 0
    count = 1
    for node in range(root + 1, used):
        parent = nodes.links[at(node)].parent
        if parent >= 0 and where[parent] >= 0:
            where[node] = count
            count += 1
    for node in range(root, used):
        target = where[node]
        if target < 0:
            continue
        _copy_row(nodes.rows, target, node)
        nodes.moves[target] = nodes.moves[node]
        nodes.scores[target] = nodes.scores[node]
        nodes.advice[target] = nodes.advice[node]
        _copy_row(nodes.values, target, node)
        first, parent = nodes.links[at(node)].first, nodes.links[at(node)].parent
        nodes.links[target] = nodes.links[node]
        nodes.links[at(target)].first = where[first] if first >= 0 else -1
        nodes.links[at(target)].parent = where[parent] if node != root else -1
    return count
