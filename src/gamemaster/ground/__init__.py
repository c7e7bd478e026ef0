"""Rules -> Reasoner and Program: what follows from them, asked question by question or written out.

reasoner, clauses, builtin_steps    the reference: answers questions straight from the rules, one rule, its builtins
rows, atoms, frames                 what it keeps: answers by their arguments, questions, the values of a rule's places
budget                              what answering may cost
clingo_grounder, program            the ground program that is compiled, made by clingo
values, sizes, split                what sees to it that it is small
known, narrow, lasting              what can be asked for, and the rules without the rest; what always holds
indifferent                         what holds whatever some arguments are, without them
unfold, automata                    what would be very large: written out, or read one variable after another
demand, bounds                      that heads have values, and that numbers end
counters, intervals, proofs         a count of steps, how far numbers come in them, and the proof of what is assumed
blame                               which rule it is where that is too much, and what to change
asp, asp_values                     the rules as a program for clingo; counting and expressions in it
clingo_process, clingo_child        clingo in a process of its own
grounding_child, aspif              the one that grounds, and what is read from it
stratification                      circles through negation

Read `reasoner` and `clingo_grounder` first.
"""
