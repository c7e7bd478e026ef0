"""LLVM: text of a module -> object code (`compile_object`), object code -> addresses (`Library`).

Object code is bytes, so it can be kept on disk; loading it takes milliseconds and no compiler pass.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

__all__ = ["Library", "compile_object", "host_features", "host_key"]

OPTIMISED, QUICK = 2, 1


@cache
def _llvm() -> Any:
    """llvmlite's binding, ready for this machine; imported only when code is made or loaded."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()  # for assembly inside of modules
    return llvm


def host_features() -> Mapping[str, bool]:
    """What this CPU can do, by LLVM's names."""
    features: Mapping[str, bool] = _llvm().get_host_cpu_features()
    return features


@cache
def host_key() -> str:
    """A hash of all that object code depends on beside its source: the CPU, LLVM and llvmlite."""
    import llvmlite

    llvm = _llvm()
    features = llvm.get_host_cpu_features().flatten()
    described = (llvm.get_host_cpu_name(), features, llvm.llvm_version_info, llvmlite.__version__)
    return hashlib.sha256(repr(described).encode()).hexdigest()[:16]


def _target_machine(level: int) -> Any:
    llvm = _llvm()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=level, jit=True, codemodel="jitdefault"
    )


def compile_object(text: str, *, optimise: bool = False) -> bytes:
    """The object code of a module in LLVM's assembly language.

    Straight-line code has nothing to optimise, and code generation is what takes long there; `optimise` is for
    code with loops.
    """
    llvm = _llvm()
    module = llvm.parse_assembly(text)
    machine = _target_machine(OPTIMISED if optimise else QUICK)
    if optimise:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


class Library:
    """Object code loaded into this process; its functions live as long as it does."""

    def __init__(self, objects: Sequence[bytes]) -> None:
        llvm = _llvm()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine(QUICK))
        for code in objects:
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._addresses: dict[str, int] = {}

    def address(self, name: str) -> int:
        """Where a function begins. Only the first question goes to LLVM, which has to wait for what it compiles."""
        if name not in self._addresses:
            self._addresses[name] = int(self._engine.get_function_address(name))
        return self._addresses[name]
