"""Network -> kernels: functions that evaluate a network in many games at once.

Every gate holds one bit of each of many independent games, its *lanes*: one 256-bit instruction advances 256 games.

plan           the gates in order, each as one instruction
code           instructions on the slots of a buffer: the form that is run, compiled and kept
lifting        code as a network again
vector         how many lanes there are
interpreter    what code means, in plain numpy: the twin that native code is compared with
kernel         code that can be called, on two tiers
runtime        native functions that all games share, with the loop over instructions: the first tier
batch_runtime  native functions for batches of games and playouts by weights
batches        those functions, ready to be called
llvm           straight-line vector code in functions: the second tier
assembly       the same for x86, with registers given out by us: in a tenth of the time, and faster
native         LLVM: text -> object code -> addresses
cache          bytes on disk, by key
"""
