"""Native functions for batches of games and playouts by weights, beside those that all jobs share (runtime.py).

A batch keeps its games in lane form: blocks of as many games as a slot of the kernel has lanes, each block with all
outputs of its last step. Only what people ask for is turned into rows.

    check_moves(batch)         which column each chosen move is, in every game; the first that is not legal
    step_blocks(kernel, batch) a step in every game
    tell(batch)                terminal, control, goals and lengths as arrays, from the bits of all games
    spread(in, out, ...)       bits as bytes, a row for each game

Playouts by weights (network/weighing.py) are random games in which some lanes stay where they are in a step:

    play_by_weights(kernel, job, steps)
"""

from __future__ import annotations

from typing import Any

from gamemaster.codegen.runtime import JOB, KERNEL, Runtime
from gamemaster.codegen.vector import WORD, WORDS

__all__ = ["BATCH", "BATCH_RUNTIME", "WEIGHING", "batch_runtime_module"]

BATCH_RUNTIME = 1
"""Counts up when these functions change: part of the key in the cache."""

BATCH = (
    *JOB,
    "memory",  # the blocks: address
    "blocks",
    "games",  # rows that count; the lanes beyond them stay empty
    "flags",  # look and resets of each block: address
    "carried",  # slots that go from one step to the next, the first of inputs and outputs
    "outputs",
    "chosen_slot",
    "moves",  # of all roles
    "legal_slot",
    "choice_slot",
    "over_slot",
    "first_flag",  # terminal, several, stuck, moved, begun, then who is asked
    "goal_slot",
    "roles",
    "masks",  # how many moves an index can mean
    "columns",  # [roles, masks], int32: which of all moves that is for a role
    "goal_counts",  # [roles]: how many goals a role has
    "goal_values",  # of all goals, float64
    "indices",  # [games, width], int64
    "width",
    "is_single",  # indices are those of who is asked
    "made",  # [games, width], int32: columns
    "wrong",  # game * width + place of the first move that is not legal, or all ones
    "control",  # [lanes of all blocks], int8
    "terminal",  # the same, bool
    "goals",  # [roles, lanes of all blocks], float64
    "final_goals",
    "lengths",  # [lanes of all blocks], int32
    "final_lengths",
)
"""The words of a batch; those of a job of playouts that draw random numbers come first."""

WEIGHING = (*JOB, "stay_slot", "flat_in", "flats")
"""The words of playouts by weights; what is flat next stands behind which lanes stay."""

CHUNK = 8
"""Lanes that are told at once: a byte of a slot."""

TRANSPOSING = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))
"""How the bits of an 8 by 8 square change places (Hacker's Delight 7-3)."""


def batch_runtime_module() -> str:
    """The text of the module."""
    from llvmlite import ir

    return str(_BatchRuntime(ir).module)


class _BatchRuntime(Runtime):
    """Builds the functions."""

    def functions(self) -> None:
        """Build all functions of the module."""
        self.small = self.ir.IntType(32)
        self.number = self.ir.DoubleType()
        self.check_moves()
        self.step_blocks()
        self.tell()
        self.spread()
        self.note()
        self.play("play_by_weights")

    # Building blocks

    def item(self, block: Any, index: Any, kind: Any) -> Any:
        """The address of an item of an array."""
        return self.b.gep(block, [index], source_etype=kind)

    def words_of(self, batch: Any, *names: str) -> list[Any]:
        return [self.read(batch, BATCH, name) for name in names]

    def pointers_of(self, batch: Any, *names: str) -> list[Any]:
        return [self.read_pointer(batch, BATCH, name) for name in names]

    def copy_words(self, source: Any, target: Any, count: Any) -> None:
        """Copy so many slots' words: as vectors, as blocks are made of whole vectors."""
        with self.each(self.b.udiv(count, self.constant(WORDS))) as i:
            self.put_vector(self.get_vector(self.vector_at(source, i)), self.vector_at(target, i))

    def least(self, x: Any, y: Any) -> Any:
        return self.b.select(self.b.icmp_unsigned("<", x, y), x, y)

    # The functions

    def check_moves(self) -> None:
        """Find the column of each move, as long as all of them are legal."""
        batch, slot_words = self.function("check_moves", "p_batch", "slot_words")
        games, width = self.words_of(batch, "games", "width")
        lanes = self.b.mul(slot_words, self.constant(WORD))
        block_words = self.b.mul(self.read(batch, BATCH, "outputs"), slot_words)
        memory, indices, made = self.pointers_of(batch, "memory", "indices", "made")
        wrong = self.field(batch, BATCH, "wrong")
        self.b.store(self.constant(-1), wrong)
        stop = self.b.append_basic_block("stop")
        with self.each(self.read(batch, BATCH, "blocks")) as number:
            block = self.word_at(memory, self.b.mul(number, block_words))
            start = self.b.mul(number, lanes)
            with self.each(self.least(self.b.sub(games, start), lanes)) as lane, self.each(width) as i:
                game = self.b.add(start, lane)
                word, shift = self.b.lshr(lane, self.constant(6)), self.b.and_(lane, self.constant(63))

                def bit(slot: Any, block: Any = block, word: Any = word, shift: Any = shift) -> Any:
                    place = self.word_at(block, self.b.add(self.b.mul(slot, slot_words), word))
                    return self.b.trunc(self.b.lshr(self.get(place), shift), self.ir.IntType(1))

                place = self.b.add(self.b.mul(game, width), i)
                index = self.get(self.word_at(indices, place))
                column, is_fine = self.column_of(batch, game, i, index, bit)
                self.b.store(self.b.trunc(column, self.small), self.item(made, place, self.small))
                with self.b.if_then(self.b.not_(is_fine)):
                    self.b.store(place, wrong)
                    self.b.branch(stop)
                    self.b.position_at_end(self.b.append_basic_block("never"))
        self.b.branch(stop)
        self.b.position_at_end(stop)
        self.b.ret_void()

    def column_of(self, batch: Any, game: Any, i: Any, index: Any, bit: Any) -> tuple[Any, Any]:
        """The column of a move, or -1 for none; whether it is legal, or no move is asked for."""
        roles, masks, is_single = self.words_of(batch, "roles", "masks", "is_single")
        columns, control = self.pointers_of(batch, "columns", "control")
        none, nothing = self.constant(-1), self.constant(0)
        asked = self.b.sext(self.get(self.item(control, game, self.byte), self.byte), self.word)
        single = self.b.icmp_unsigned("!=", is_single, nothing)
        role = self.b.select(single, asked, i)
        known = self.b.and_(self.b.icmp_unsigned("<", index, masks), self.b.icmp_unsigned("<", role, roles))
        place = self.b.select(known, self.b.add(self.b.mul(role, masks), index), nothing)
        found = self.b.sext(self.get(self.item(columns, place, self.small), self.small), self.word)
        known = self.b.and_(known, self.b.icmp_signed(">=", found, nothing))
        column = self.b.select(known, found, nothing)
        legal = self.b.and_(known, bit(self.b.add(self.read(batch, BATCH, "legal_slot"), column)))
        own = self.b.select(self.b.icmp_unsigned("<", role, roles), role, nothing)
        chooses = bit(self.b.add(self.read(batch, BATCH, "choice_slot"), own))
        left_out = self.b.and_(self.b.icmp_signed("==", index, none), self.b.not_(chooses))
        nobody = self.b.icmp_signed("==", asked, none)
        not_asked = self.b.or_(
            self.b.select(single, nobody, left_out), bit(self.read(batch, BATCH, "over_slot"))
        )
        return self.b.select(legal, column, none), self.b.or_(legal, not_asked)

    def step_blocks(self) -> None:
        """A step of every block in the kernel's buffer."""
        kernel, batch = self.function("step_blocks", "p_kernel", "p_batch")
        buffer = self.read_pointer(kernel, KERNEL, "buffer")
        vectors = self.read(kernel, KERNEL, "vectors")
        slot_words = self.b.mul(vectors, self.constant(WORDS))
        memory, flags = self.pointers_of(batch, "memory", "flags")
        carried, outputs = (self.b.mul(n, slot_words) for n in self.words_of(batch, "carried", "outputs"))
        flag_words = self.b.mul(self.constant(2), slot_words)
        results = self.word_at(buffer, self.b.mul(self.read(kernel, KERNEL, "inputs"), slot_words))
        with self.each(self.read(batch, BATCH, "blocks")) as block:
            own = self.word_at(memory, self.b.mul(block, outputs))
            self.copy_words(own, buffer, carried)
            told = self.word_at(flags, self.b.mul(block, flag_words))
            self.copy_words(told, self.word_at(buffer, carried), flag_words)
            self.put_moves(batch, buffer, block, slot_words)
            self.draw_random(batch, buffer, vectors)
            self.evaluate(kernel)
            self.copy_words(results, own, outputs)
        self.b.ret_void()

    def put_moves(self, batch: Any, buffer: Any, block: Any, slot_words: Any) -> None:
        """The moves of a block as bits: the only one in its slot and lane."""
        first, moves, games, width = self.words_of(batch, "chosen_slot", "moves", "games", "width")
        made = self.read_pointer(batch, BATCH, "made")
        chosen = self.word_at(buffer, self.b.mul(first, slot_words))
        with self.each(self.b.mul(moves, self.b.udiv(slot_words, self.constant(WORDS)))) as i:
            self.put_vector(self.vector([0] * WORDS), self.vector_at(chosen, i))
        lanes = self.b.mul(slot_words, self.constant(WORD))
        start = self.b.mul(block, lanes)
        with self.each(self.least(self.b.sub(games, start), lanes)) as lane:
            word, shift = self.b.lshr(lane, self.constant(6)), self.b.and_(lane, self.constant(63))
            bit = self.b.shl(self.constant(1), shift)
            row = self.b.mul(self.b.add(start, lane), width)
            with self.each(width) as i:
                column = self.get(self.item(made, self.b.add(row, i), self.small), self.small)
                with self.b.if_then(self.b.icmp_signed(">=", column, self.small(0))):
                    slot = self.b.mul(self.b.zext(column, self.word), slot_words)
                    place = self.word_at(chosen, self.b.add(slot, word))
                    self.b.store(self.b.or_(self.get(place), bit), place)

    def tell(self) -> None:
        """What everybody asks for after a step, for a chunk of lanes at a time."""
        batch, slot_words = self.function("tell", "p_batch", "slot_words")
        slot_bytes = self.b.mul(slot_words, self.constant(8))
        block_bytes = self.b.mul(self.read(batch, BATCH, "outputs"), slot_bytes)
        memory = self.read_pointer(batch, BATCH, "memory")
        chunks = self.b.mul(self.read(batch, BATCH, "blocks"), slot_bytes)
        with self.each(chunks) as chunk:
            offset = self.b.mul(self.b.udiv(chunk, slot_bytes), block_bytes)
            here = self.item(memory, self.b.add(offset, self.b.urem(chunk, slot_bytes)), self.byte)

            def lanes(slot: Any, here: Any = here) -> Any:
                byte = self.get(self.item(here, self.b.mul(slot, slot_bytes), self.byte), self.byte)
                return self.b.bitcast(byte, self.ir.VectorType(self.ir.IntType(1), CHUNK))

            first = self.read(batch, BATCH, "first_flag")
            flags = [lanes(self.b.add(first, self.constant(i))) for i in range(5)]
            terminal, several, _, moved, begun = flags
            asked = self.b.add(first, self.constant(5))
            start = self.b.mul(chunk, self.constant(CHUNK))
            ended = self.b.and_(terminal, moved)
            self.tell_ends(batch, start, (terminal, moved, begun), ended)
            self.tell_control(batch, start, several, asked, lanes)
            self.tell_goals(batch, start, self.b.mul(chunks, self.constant(CHUNK)), ended, lanes)
        self.b.ret_void()

    def chunk_of(self, kind: Any) -> Any:
        return self.ir.VectorType(kind, CHUNK)

    def get_chunk(self, place: Any, kind: Any) -> Any:
        load = self.get(place, self.chunk_of(kind))
        load.align = 1
        return load

    def tell_ends(self, batch: Any, start: Any, flags: tuple[Any, Any, Any], ended: Any) -> None:
        """What is terminal; how long games are, and those that have ended were."""
        terminal, moved, begun = flags
        out, lengths, finals = self.pointers_of(batch, "terminal", "lengths", "final_lengths")
        place = self.item(out, start, self.byte)
        self.b.store(self.b.zext(terminal, self.chunk_of(self.byte)), place, align=1)
        wide = self.chunk_of(self.small)
        place = self.item(lengths, start, self.small)
        length = self.b.add(self.get_chunk(place, self.small), self.b.zext(moved, wide))
        self.b.store(self.b.select(begun, wide([0] * CHUNK), length), place, align=1)
        final = self.item(finals, start, self.small)
        kept = self.b.select(ended, length, self.get_chunk(final, self.small))
        self.b.store(kept, final, align=1)

    def tell_control(self, batch: Any, start: Any, several: Any, asked: Any, lanes: Any) -> None:
        """Who is asked: the number of a role, -1 for nobody, -2 where several choose."""
        kind = self.chunk_of(self.byte)
        who = self.variable(self.b.select(several, kind([-2] * CHUNK), kind([-1] * CHUNK)))
        with self.each(self.read(batch, BATCH, "roles")) as role:
            number = self.splat(self.b.trunc(role, self.byte), self.byte)
            is_asked = lanes(self.b.add(asked, role))
            self.b.store(self.b.select(is_asked, number, self.get(who, kind)), who)
        out = self.item(self.read_pointer(batch, BATCH, "control"), start, self.byte)
        self.b.store(self.get(who, kind), out, align=1)

    def tell_goals(self, batch: Any, start: Any, row: Any, ended: Any, lanes: Any) -> None:
        """Each role's goal, of several the first, NaN for none; and kept of games that have ended."""
        kind = self.chunk_of(self.number)
        counts, values, goals, finals = self.pointers_of(
            batch, "goal_counts", "goal_values", "goals", "final_goals"
        )
        slot = self.read(batch, BATCH, "goal_slot")
        next_goal = self.variable(self.constant(0))
        with self.each(self.read(batch, BATCH, "roles")) as role:
            value = self.variable(kind([float("nan")] * CHUNK))
            last = self.b.add(self.get(next_goal), self.get(self.word_at(counts, role)))
            with self.each(self.get(self.word_at(counts, role))) as i:
                goal = self.b.sub(self.b.sub(last, self.constant(1)), i)
                worth = self.splat(self.get(self.item(values, goal, self.number), self.number), self.number)
                is_held = lanes(self.b.add(slot, goal))
                self.b.store(self.b.select(is_held, worth, self.get(value, kind)), value)
            self.b.store(last, next_goal)
            place = self.b.add(self.b.mul(role, row), start)
            self.b.store(self.get(value, kind), self.item(goals, place, self.number), align=1)
            final = self.item(finals, place, self.number)
            kept = self.b.select(ended, self.get(value, kind), self.get_chunk(final, self.number))
            self.b.store(kept, final, align=1)

    def splat(self, value: Any, kind: Any) -> Any:
        """A value in every lane of a chunk."""
        wide = self.chunk_of(kind)
        undefined = self.ir.Constant(wide, self.ir.Undefined)
        one = self.b.insert_element(undefined, value, self.small(0))
        places = self.ir.Constant(self.chunk_of(self.small), [0] * CHUNK)
        return self.b.shuffle_vector(one, undefined, places)

    def spread(self) -> None:
        """Bits of some slots as bytes [games, columns]: eight games and eight columns at a time.

        Eight bytes are written of each row, also where it has fewer left. So columns are done from the last to the
        first, and what is written too much is written again.
        """
        memory, out, columns, blocks, block_bytes, slot_bytes = self.function(
            "spread", "p_memory", "p_out", "columns", "blocks", "block_bytes", "slot_bytes"
        )
        eight = self.constant(8)
        groups = self.b.udiv(self.b.add(columns, self.constant(7)), eight)
        with self.each(self.b.mul(blocks, slot_bytes)) as chunk:
            offset = self.b.mul(self.b.udiv(chunk, slot_bytes), block_bytes)
            here = self.item(memory, self.b.add(offset, self.b.urem(chunk, slot_bytes)), self.byte)
            with self.each(groups) as i:
                group = self.b.mul(self.b.sub(self.b.sub(groups, self.constant(1)), i), eight)
                bits = self.square(here, group, columns, slot_bytes)
                wide = self.ir.VectorType(self.byte, 64)
                held = self.b.bitcast(bits, self.ir.VectorType(self.ir.IntType(1), 64))
                rows = self.b.bitcast(self.b.zext(held, wide), self.ir.VectorType(self.word, 8))
                for lane in range(8):
                    row = self.b.add(self.b.mul(chunk, eight), self.constant(lane))
                    place = self.b.add(self.b.mul(row, columns), group)
                    value = self.b.extract_element(rows, self.small(lane))
                    self.b.store(value, self.item(out, place, self.byte), align=1)
        self.b.ret_void()

    def carry_over(self, job: Any, buffer: Any, vectors: Any) -> None:
        """The state that was computed is the state of the next step, but in lanes that stay."""
        source, target, stay, flat, flats = (
            self.b.mul(self.read(job, WEIGHING, name), vectors)
            for name in ("state_out", "state_in", "stay_slot", "flat_in", "flats")
        )
        with self.each(vectors) as v, self.each(self.read(job, WEIGHING, "states")) as i:
            stays = self.get_vector(self.vector_at(buffer, self.b.add(stay, v)))
            place = self.b.add(self.b.mul(i, vectors), v)
            old = self.vector_at(buffer, self.b.add(target, place))
            new = self.get_vector(self.vector_at(buffer, self.b.add(source, place)))
            differs = self.b.xor(self.get_vector(old), new)
            self.put_vector(self.b.xor(new, self.b.and_(differs, stays)), old)
        with self.each(flats) as i:
            new = self.get_vector(self.vector_at(buffer, self.b.add(self.b.add(stay, vectors), i)))
            self.put_vector(new, self.vector_at(buffer, self.b.add(flat, i)))

    def square(self, here: Any, group: Any, columns: Any, slot_bytes: Any) -> Any:
        """The bits of eight columns and lanes, those of a lane together."""
        bits = self.constant(0)
        last = self.b.sub(columns, self.constant(1))
        for i in range(8):
            column = self.b.add(group, self.constant(i))
            column = self.least(column, last)
            byte = self.get(self.item(here, self.b.mul(column, slot_bytes), self.byte), self.byte)
            shifted = self.b.shl(self.b.zext(byte, self.word), self.constant(8 * i))
            bits = self.b.or_(bits, shifted)
        for distance, mask in TRANSPOSING:
            moved = self.b.and_(
                self.b.xor(bits, self.b.lshr(bits, self.constant(distance))), self.constant(mask)
            )
            bits = self.b.xor(bits, self.b.xor(moved, self.b.shl(moved, self.constant(distance))))
        return bits
