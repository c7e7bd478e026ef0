"""Network -> kernels: functions that evaluate a network in many games at once.

Every gate holds one bit of each of many independent games, its *lanes*: one 256-bit instruction advances 256 games.

plan           the gates in order, each as one instruction
code           instructions on the slots of a buffer: the form that is run, compiled and kept
vector         how many lanes there are
interpreter    what code means, in plain numpy: the twin that native code is compared with
kernel         code that can be called, on two tiers
runtime        native functions that all games share, with the loop over instructions: the first tier
llvm           straight-line vector code in small functions: the second tier
native         LLVM: text -> object code -> addresses
cache          bytes on disk, by key
"""
