"""Editors that speak the Language Server Protocol <-> the functions of `editing`, over standard input and output.

Nothing is known here of rules: messages become texts and offsets, answers become messages. The library that speaks the
protocol is optional (`pip install 'gamemaster[lsp]'`), and only `start` may be imported without it.

start             `gamemaster lsp`
server            which message is answered by what; read it first
rules_server      the server as a value: what is open, and what is checked
questions         each question of an editor, and its answer
documents         the texts that are open, as they change
messages          answers as values of the protocol
checking          when to check a text, in a process that can be ended
checking_child    that process
"""
