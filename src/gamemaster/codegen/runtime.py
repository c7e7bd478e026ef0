"""Native functions that all games share, as a module in LLVM's assembly language.

A *kernel* is a block of 64-bit words: where the buffer is, which function evaluates a plan in it, and for the function
`run_code`, which needs no compiling, the instructions (the first tier: there at once, serves until vector code is
ready). `vectors` is how many vectors (vector.py) a slot has.

    evaluate_one(kernel, in, out)                                 one game, bits packed in bytes
    evaluate_many(kernel, in, out, count, in_stride, out_stride)  as many games as there are lanes, or fewer
    play(kernel, job, steps)                                      random games until the quota of the job is played
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gamemaster.codegen.code import AND_NOT, BOTH, CLEAR, COPY, DIFFER, EITHER, NOT, REPEAT, SETTLE
from gamemaster.codegen.vector import LANES, VECTOR_BYTES, WORDS

__all__ = ["JOB", "KERNEL", "RUNTIME", "Runtime", "runtime_module"]

RUNTIME = 5
"""Counts up when these functions change: part of the key in the cache."""

KERNEL = ("buffer", "function", "code", "count", "vectors", "inputs", "outputs")
"""The words of a kernel."""

JOB = (
    "random_slot",
    "randoms",
    "state_in",
    "state_out",
    "states",
    "active_slot",
    "done_slot",
    "count_slot",
    "counters",
    "generator",
    "totals",
    "quota",
    "started",
    "steps",
    "log",
    "log_words",
    "logged",
    "start",
)
"""The words of a job of playouts; `generator` and `totals` are addresses.

So are `log`, where the counters of each game that ends are noted in a row of `log_words`, and `start`, where vectors
say in which state new games begin; 0 for no notes, and for the initial state.
"""


def runtime_module() -> str:
    """The text of the module."""
    from llvmlite import ir

    return str(Runtime(ir).module)


class Runtime:
    """Builds the functions with llvmlite's builder; `ir` is llvmlite.ir, imported only when needed."""

    def __init__(self, ir: Any) -> None:
        self.ir = ir
        self.module = ir.Module(name="runtime")
        self.word = ir.IntType(64)
        self.byte = ir.IntType(8)
        self.pointer = ir.PointerType()
        self.vector = ir.VectorType(self.word, WORDS)
        self.evaluator = ir.FunctionType(ir.VoidType(), [self.pointer, self.pointer, self.word, self.word])
        self.population = self.module.declare_intrinsic("llvm.ctpop", [self.word])
        self.lowest = self.module.declare_intrinsic("llvm.cttz", [self.word, ir.IntType(1)])
        self.functions()

    def functions(self) -> None:
        """Build all functions of the module."""
        self.run_code()
        self.evaluate_one()
        self.evaluate_many()
        self.note()
        self.play()

    # Building blocks

    def function(self, name: str, *arguments: str) -> Any:
        """Start a function of words (and pointers, for names that begin with p_)."""
        kinds = [self.pointer if name.startswith("p_") else self.word for name in arguments]
        function = self.ir.Function(self.module, self.ir.FunctionType(self.ir.VoidType(), kinds), name)
        self.b = self.ir.IRBuilder(function.append_basic_block("entry"))
        return function.args

    def constant(self, number: int) -> Any:
        """A number as a word."""
        return self.word(number)

    def variable(self, value: Any) -> Any:
        """A local variable with a first value; the optimiser makes it a register."""
        with self.b.goto_entry_block():
            place = self.b.alloca(value.type)
        self.b.store(value, place)
        return place

    def get(self, place: Any, kind: Any = None) -> Any:
        """What stands at an address: a word, unless another kind is told."""
        return self.b.load(place, typ=kind or self.word)

    @contextmanager
    def each(self, count: Any) -> Iterator[Any]:
        """A loop over 0, 1, ..., count - 1."""
        place = self.variable(self.constant(0))
        head = self.b.append_basic_block("head")
        body = self.b.append_basic_block("body")
        after = self.b.append_basic_block("after")
        self.b.branch(head)
        self.b.position_at_end(head)
        index = self.get(place)
        self.b.cbranch(self.b.icmp_unsigned("<", index, count), body, after)
        self.b.position_at_end(body)
        yield index
        self.b.store(self.b.add(self.get(place), self.constant(1)), place)
        self.b.branch(head)
        self.b.position_at_end(after)

    def field(self, block: Any, names: tuple[str, ...], name: str) -> Any:
        """The address of a word of a kernel or job."""
        return self.b.gep(block, [self.constant(names.index(name))], source_etype=self.word)

    def read(self, block: Any, names: tuple[str, ...], name: str) -> Any:
        """A word of a kernel or job."""
        return self.get(self.field(block, names, name))

    def read_pointer(self, block: Any, names: tuple[str, ...], name: str) -> Any:
        """A word of a kernel or job that is an address."""
        return self.b.inttoptr(self.read(block, names, name), self.pointer)

    def vector_at(self, buffer: Any, index: Any) -> Any:
        """The address of a vector of a buffer."""
        return self.b.gep(buffer, [index], source_etype=self.vector)

    def word_at(self, buffer: Any, index: Any) -> Any:
        """The address of a word of a buffer."""
        return self.b.gep(buffer, [index], source_etype=self.word)

    def get_vector(self, place: Any) -> Any:
        """A vector."""
        load = self.get(place, self.vector)
        load.align = VECTOR_BYTES
        return load

    def put_vector(self, value: Any, place: Any) -> None:
        """Store a vector."""
        self.b.store(value, place, align=VECTOR_BYTES)

    def is_any(self, vector: Any) -> Any:
        """Whether any bit of a vector is set."""
        wide = self.ir.IntType(LANES)
        return self.b.icmp_unsigned("!=", self.b.bitcast(vector, wide), wide(0))

    def evaluate(self, kernel: Any) -> None:
        """Call the kernel's function on its buffer."""
        function = self.read_pointer(kernel, KERNEL, "function")
        arguments = [
            self.read_pointer(kernel, KERNEL, "buffer"),
            self.read_pointer(kernel, KERNEL, "code"),
            self.read(kernel, KERNEL, "count"),
            self.read(kernel, KERNEL, "vectors"),
        ]
        self.call(function, arguments)

    def call(self, function: Any, arguments: list[Any]) -> None:
        """Call through an address: llvmlite wants the type spelled out."""
        typed = self.ir.instructions.CallInstr(
            self.b.block, _Typed(function, self.evaluator), arguments, name="", cconv=None, tail=None
        )
        self.b._insert(typed)

    # The functions

    def run_code(self) -> None:
        """Interpret instructions: words of 16 bits would do, but 32 keep the decoding short."""
        buffer, code, count, vectors = self.function("run_code", "p_buffer", "p_code", "count", "vectors")
        small = self.ir.IntType(32)
        position = self.variable(self.constant(0))
        changed = self.variable(self.vector([0] * WORDS))
        fetch = self.b.append_basic_block("fetch")
        decode = self.b.append_basic_block("decode")
        step = self.b.append_basic_block("step")
        end = self.b.append_basic_block("end")
        self.b.branch(fetch)
        self.b.position_at_end(fetch)
        here = self.get(position)
        self.b.cbranch(self.b.icmp_unsigned("<", here, count), decode, end)
        self.b.position_at_end(decode)
        fields = []
        for i in range(4):
            index = self.b.add(self.b.mul(here, self.constant(4)), self.constant(i))
            address = self.b.gep(code, [index], source_etype=small)
            fields.append(self.b.zext(self.get(address, small), self.word))
        operation, target, first, second = fields
        self.b.store(self.b.add(here, self.constant(1)), position)
        bases = [self.b.mul(slot, vectors) for slot in (target, first, second)]
        switch = self.b.switch(operation, step)

        def case(number: int, compute: Any) -> None:
            block = self.b.append_basic_block(f"case{number}")
            switch.add_case(self.word(number), block)
            self.b.position_at_end(block)
            with self.each(vectors) as i:
                places = [self.vector_at(buffer, self.b.add(base, i)) for base in bases]
                self.put_vector(compute(places), places[0])
            self.b.branch(step)

        def settle(places: list[Any]) -> Any:
            value = self.get_vector(places[1])
            differs = self.b.xor(value, self.get_vector(places[0]))
            self.b.store(self.b.or_(differs, self.get(changed, self.vector)), changed)
            return value

        case(BOTH, lambda p: self.b.and_(self.get_vector(p[1]), self.get_vector(p[2])))
        case(AND_NOT, lambda p: self.b.and_(self.b.not_(self.get_vector(p[1])), self.get_vector(p[2])))
        case(EITHER, lambda p: self.b.or_(self.get_vector(p[1]), self.get_vector(p[2])))
        case(DIFFER, lambda p: self.b.xor(self.get_vector(p[1]), self.get_vector(p[2])))
        case(NOT, lambda p: self.b.not_(self.get_vector(p[1])))
        case(COPY, lambda p: self.get_vector(p[1]))
        case(CLEAR, lambda p: self.vector([0] * WORDS))
        case(SETTLE, settle)
        repeat = self.b.append_basic_block("repeat")
        switch.add_case(self.word(REPEAT), repeat)
        self.b.position_at_end(repeat)
        again = self.is_any(self.get(changed, self.vector))
        self.b.store(self.b.select(again, target, self.get(position)), position)
        self.b.store(self.vector([0] * WORDS), changed)
        self.b.branch(step)
        self.b.position_at_end(step)
        self.b.branch(fetch)
        self.b.position_at_end(end)
        self.b.ret_void()

    def evaluate_one(self) -> None:
        """Bits of one game in, bits out; the other lanes are empty."""
        kernel, source, target = self.function("evaluate_one", "p_kernel", "p_in", "p_out")
        buffer = self.read_pointer(kernel, KERNEL, "buffer")
        inputs, outputs = self.read(kernel, KERNEL, "inputs"), self.read(kernel, KERNEL, "outputs")
        vectors = self.read(kernel, KERNEL, "vectors")
        with self.each(inputs) as i:
            lane = self.b.insert_element(self.vector([0] * WORDS), self.bit(source, i), self.constant(0))
            self.put_vector(lane, self.vector_at(buffer, self.b.mul(i, vectors)))
        self.evaluate(kernel)
        self.clear(target, outputs)
        with self.each(outputs) as i:
            slot = self.b.mul(self.b.add(inputs, i), vectors)
            word = self.get(self.word_at(buffer, self.b.mul(slot, self.constant(WORDS))))
            self.set_bit(target, i, self.b.and_(word, self.constant(1)))
        self.b.ret_void()

    def evaluate_many(self) -> None:
        """Bits of up to as many games as there are lanes; game i has its bits at in + i * in_stride."""
        kernel, source, target, count, in_stride, out_stride = self.function(
            "evaluate_many", "p_kernel", "p_in", "p_out", "count", "in_stride", "out_stride"
        )
        buffer = self.read_pointer(kernel, KERNEL, "buffer")
        inputs, outputs = self.read(kernel, KERNEL, "inputs"), self.read(kernel, KERNEL, "outputs")
        per_slot = self.b.mul(self.read(kernel, KERNEL, "vectors"), self.constant(WORDS))
        with self.each(self.b.mul(inputs, per_slot)) as i:
            self.b.store(self.constant(0), self.word_at(buffer, i))
        with self.each(count) as game:
            row = self.b.gep(source, [self.b.mul(game, in_stride)], source_etype=self.byte)
            lane, shift = self.b.lshr(game, self.constant(6)), self.b.and_(game, self.constant(63))
            with self.each(inputs) as i:
                place = self.word_at(buffer, self.b.add(self.b.mul(i, per_slot), lane))
                self.b.store(self.b.or_(self.get(place), self.b.shl(self.bit(row, i), shift)), place)
        self.evaluate(kernel)
        with self.each(count) as game:
            row = self.b.gep(target, [self.b.mul(game, out_stride)], source_etype=self.byte)
            lane, shift = self.b.lshr(game, self.constant(6)), self.b.and_(game, self.constant(63))
            self.clear(row, outputs)
            with self.each(outputs) as i:
                slot = self.b.mul(self.b.add(inputs, i), per_slot)
                word = self.b.lshr(self.get(self.word_at(buffer, self.b.add(slot, lane))), shift)
                self.set_bit(row, i, self.b.and_(word, self.constant(1)))
        self.b.ret_void()

    def bit(self, block: Any, index: Any) -> Any:
        """Bit `index` of packed bytes, the lowest first, as a word."""
        address = self.b.gep(block, [self.b.lshr(index, self.constant(3))], source_etype=self.byte)
        byte = self.b.zext(self.get(address, self.byte), self.word)
        return self.b.and_(self.b.lshr(byte, self.b.and_(index, self.constant(7))), self.constant(1))

    def set_bit(self, block: Any, index: Any, bit: Any) -> None:
        """Set bit `index` of packed bytes, where `bit` is 1."""
        address = self.b.gep(block, [self.b.lshr(index, self.constant(3))], source_etype=self.byte)
        shifted = self.b.trunc(self.b.shl(bit, self.b.and_(index, self.constant(7))), self.byte)
        self.b.store(self.b.or_(self.get(address, self.byte), shifted), address)

    def clear(self, block: Any, bits: Any) -> None:
        """Packed bytes for so many bits, all 0."""
        size = self.b.lshr(self.b.add(bits, self.constant(7)), self.constant(3))
        with self.each(size) as i:
            self.b.store(self.byte(0), self.b.gep(block, [i], source_etype=self.byte))

    def play(self, name: str = "play") -> None:
        """Steps of all lanes, until no lane is active or `limit` steps are done."""
        kernel, job, limit = self.function(name, "p_kernel", "p_job", "limit")
        buffer = self.read_pointer(kernel, KERNEL, "buffer")
        vectors = self.read(kernel, KERNEL, "vectors")
        words = self.b.mul(vectors, self.constant(WORDS))
        stop = self.b.append_basic_block("stop")
        with self.each(limit):
            self.draw_random(job, buffer, vectors)
            self.evaluate(kernel)
            self.count_and_refill(job, buffer, words)
            self.carry_over(job, buffer, vectors)
            steps = self.field(job, JOB, "steps")
            self.b.store(self.b.add(self.get(steps), self.constant(1)), steps)
            active = self.variable(self.constant(0))
            first = self.b.mul(self.read(job, JOB, "active_slot"), words)
            with self.each(words) as i:
                word = self.get(self.word_at(buffer, self.b.add(first, i)))
                self.b.store(self.b.or_(self.get(active), word), active)
            more = self.b.append_basic_block("more")
            self.b.cbranch(self.b.icmp_unsigned("!=", self.get(active), self.constant(0)), more, stop)
            self.b.position_at_end(more)
        self.b.branch(stop)
        self.b.position_at_end(stop)
        self.b.ret_void()

    def draw_random(self, job: Any, buffer: Any, vectors: Any) -> None:
        """Fill the random inputs: xorshift128+ (Vigna 2017) in each of the words of a vector."""
        generator = self.read_pointer(job, JOB, "generator")
        places = [self.vector_at(generator, self.constant(i)) for i in range(2)]
        older = self.variable(self.get_vector(places[0]))
        newer = self.variable(self.get_vector(places[1]))
        first = self.b.mul(self.read(job, JOB, "random_slot"), vectors)
        with self.each(self.b.mul(self.read(job, JOB, "randoms"), vectors)) as i:
            s1, s0 = self.get(older, self.vector), self.get(newer, self.vector)
            s1 = self.b.xor(s1, self.b.shl(s1, self.vector([23] * WORDS)))
            mixed = self.b.xor(self.b.xor(s1, s0), self.b.lshr(s1, self.vector([18] * WORDS)))
            mixed = self.b.xor(mixed, self.b.lshr(s0, self.vector([5] * WORDS)))
            self.b.store(s0, older)
            self.b.store(mixed, newer)
            self.put_vector(self.b.add(mixed, s0), self.vector_at(buffer, self.b.add(first, i)))
        self.put_vector(self.get(older, self.vector), places[0])
        self.put_vector(self.get(newer, self.vector), places[1])

    def count_and_refill(self, job: Any, buffer: Any, words: Any) -> None:
        """Add up what the games that ended are worth; lanes beyond the quota get no new game."""
        done = self.b.mul(self.read(job, JOB, "done_slot"), words)
        ended = self.variable(self.constant(0))
        with self.each(words) as i:
            word = self.get(self.word_at(buffer, self.b.add(done, i)))
            self.b.store(self.b.or_(self.get(ended), word), ended)
        with self.b.if_then(self.b.icmp_unsigned("!=", self.get(ended), self.constant(0))):
            self.add_totals(job, buffer, words)
            with self.each(words) as i:
                self.refill_word(job, buffer, words, i)
            wanted = self.b.or_(self.read(job, JOB, "log"), self.read(job, JOB, "start"))
            with self.b.if_then(self.b.icmp_unsigned("!=", wanted, self.constant(0))):
                self.b.call(self.noting, [job, buffer, words])

    def note(self) -> None:
        """What few jobs ask for of games that ended: kept out of the loop, which is slower by a tenth with it."""
        job, buffer, words = self.function("note", "p_job", "p_buffer", "words")
        self.noting = self.b.function
        self.noting.attributes.add("noinline")
        with self.b.if_then(self.is_set(job, "log")), self.each(words) as i:
            self.log_word(job, buffer, words, i)
        with self.b.if_then(self.is_set(job, "start")):
            self.start_again(job, buffer, words)
        self.b.ret_void()

    def is_set(self, job: Any, name: str) -> Any:
        """Whether a word of a job is not 0."""
        return self.b.icmp_unsigned("!=", self.read(job, JOB, name), self.constant(0))

    def log_word(self, job: Any, buffer: Any, words: Any, index: Any) -> None:
        """Note each game that ended in the lanes of one word: bit i of its row is what counter i counts of it."""
        done = self.b.add(self.b.mul(self.read(job, JOB, "done_slot"), words), index)
        first = self.b.add(self.b.mul(self.read(job, JOB, "count_slot"), words), index)
        log, row_words = self.read_pointer(job, JOB, "log"), self.read(job, JOB, "log_words")
        logged = self.field(job, JOB, "logged")
        ended = self.variable(self.get(self.word_at(buffer, done)))
        with self.each(self.b.call(self.population, [self.get(ended)])):
            lanes = self.get(ended)
            lane = self.b.call(self.lowest, [lanes, self.ir.IntType(1)(1)])
            self.b.store(self.b.and_(lanes, self.b.sub(lanes, self.constant(1))), ended)
            row = self.word_at(log, self.b.mul(self.get(logged), row_words))
            with self.each(self.read(job, JOB, "counters")) as counter:
                counted = self.get(self.word_at(buffer, self.b.add(first, self.b.mul(counter, words))))
                bit = self.b.and_(self.b.lshr(counted, lane), self.constant(1))
                place = self.word_at(row, self.b.lshr(counter, self.constant(6)))
                shifted = self.b.shl(bit, self.b.and_(counter, self.constant(63)))
                self.b.store(self.b.or_(self.get(place), shifted), place)
            self.b.store(self.b.add(self.get(logged), self.constant(1)), logged)

    def start_again(self, job: Any, buffer: Any, words: Any) -> None:
        """Let the next games of lanes that ended begin where the job says; gates know the initial state alone."""
        start = self.read_pointer(job, JOB, "start")
        done = self.b.mul(self.read(job, JOB, "done_slot"), words)
        first = self.b.mul(self.read(job, JOB, "state_out"), words)
        with self.each(self.b.mul(self.read(job, JOB, "states"), words)) as i:
            ended = self.get(self.word_at(buffer, self.b.add(done, self.b.urem(i, words))))
            place = self.word_at(buffer, self.b.add(first, i))
            kept = self.b.and_(self.get(place), self.b.not_(ended))
            self.b.store(self.b.or_(kept, self.b.and_(self.get(self.word_at(start, i)), ended)), place)

    def add_totals(self, job: Any, buffer: Any, words: Any) -> None:
        """Add up the counters."""
        totals = self.read_pointer(job, JOB, "totals")
        first = self.b.mul(self.read(job, JOB, "count_slot"), words)
        with self.each(self.read(job, JOB, "counters")) as counter:
            total = self.word_at(totals, counter)
            begin = self.b.add(first, self.b.mul(counter, words))
            with self.each(words) as i:
                word = self.get(self.word_at(buffer, self.b.add(begin, i)))
                self.b.store(self.b.add(self.get(total), self.b.call(self.population, [word])), total)

    def refill_word(self, job: Any, buffer: Any, words: Any, index: Any) -> None:
        """Start new games in the lanes of one word that ended, while the quota lasts."""
        done = self.b.mul(self.read(job, JOB, "done_slot"), words)
        active = self.word_at(
            buffer, self.b.add(self.b.mul(self.read(job, JOB, "active_slot"), words), index)
        )
        idle = self.variable(self.get(self.word_at(buffer, self.b.add(done, index))))
        started = self.field(job, JOB, "started")
        room = self.b.sub(self.read(job, JOB, "quota"), self.get(started))
        ended = self.b.call(self.population, [self.get(idle)])
        new = self.b.select(self.b.icmp_unsigned("<", ended, room), ended, room)
        with self.each(new):  # each new game takes the lowest idle lane
            lanes = self.get(idle)
            self.b.store(self.b.and_(lanes, self.b.sub(lanes, self.constant(1))), idle)
        self.b.store(self.b.add(self.get(started), new), started)
        self.b.store(self.b.and_(self.get(active), self.b.not_(self.get(idle))), active)

    def carry_over(self, job: Any, buffer: Any, vectors: Any) -> None:
        """The state that was computed is the state of the next step."""
        source = self.b.mul(self.read(job, JOB, "state_out"), vectors)
        target = self.b.mul(self.read(job, JOB, "state_in"), vectors)
        with self.each(self.b.mul(self.read(job, JOB, "states"), vectors)) as i:
            value = self.get_vector(self.vector_at(buffer, self.b.add(source, i)))
            self.put_vector(value, self.vector_at(buffer, self.b.add(target, i)))


class _Typed:
    """An address with the type of function that stands there, as CallInstr wants it."""

    def __init__(self, address: Any, function_type: Any) -> None:
        self.address = address
        self.function_type = function_type
        self.type = address.type

    def __getattr__(self, name: str) -> Any:
        return getattr(self.address, name)
