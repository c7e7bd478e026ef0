"""Network -> kernels: functions that evaluate a network in many games at once.

Every gate holds one bit of each of many independent games, its *lanes*: one 256-bit instruction advances 256 games
(`vector.py`). `plan.py` puts the gates in order, `code.py` makes instructions of them and gives values their slots;
`interpreter.py` says in plain numpy what code means; `llvm.py` turns it into vector code, `native.py` that into machine
code, `runtime.py` has the native functions that all games share, `cache.py` keeps machine code on disk, and `kernel.py`
is what others call. Read `plan.py` first.
"""
