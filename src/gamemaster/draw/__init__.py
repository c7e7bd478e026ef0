"""State -> pictures: text for terminals; nothing here knows any game.

In comes a State; out goes a drawing of it. `possible` finds which facts a game can have, `board` which of
them look like cells of a grid, `orientation` which way up, `symbols` what to write into a cell; `text` puts
it together. Read `board` first: it is what every drawing is made from.
"""
