"""Network -> kernels: functions that evaluate a network in many games at once.

Every gate holds one bit of each of many independent games, its *lanes*: one 256-bit instruction advances 256 games.
`plan.py` puts the gates in order and gives values their places; `interpreter.py` says in plain numpy what a plan
means; `llvm.py` turns it into vector code, `runtime.py` has the native functions that all games share, and
`cache.py` keeps machine code on disk. Read `plan.py` first.
"""
