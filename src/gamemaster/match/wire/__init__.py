"""The published protocol: messages as values <-> texts of every era.

protocol                 the messages
cutting, words           the text of a message -> the texts of its parts -> words, ids, clocks, terms, rules
messages, printing       text -> message, and back
heading                  who speaks of which match, without reading the rest
classic, scramble        rules as classic players know them; rules in other words
"""
