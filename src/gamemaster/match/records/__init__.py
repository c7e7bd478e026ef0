"""Events <-> files.

record                   a file of JSON lines that only ever grows
verifying, witness       whether a record is true, by the rules and by a referee who judges again
replay                   a match step by step, in the words the rules had
transcript               what was said, line by line
ggp                      the JSON in which ggp-base publishes matches
"""
