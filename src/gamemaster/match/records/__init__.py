"""Events <-> files.

record                   a file of JSON lines that only ever grows; read it first
replay, transcript       a match step by step, in the words the rules had; what was said, line by line
verifying, witness       whether a record is true, by the rules and by a referee who judges again
ggp                      the JSON in which ggp-base publishes matches
"""
