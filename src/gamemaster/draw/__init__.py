"""States and results -> pictures and words for people; nothing here knows any game.

model                    what a board is: panels of cells with things on them; read it first
board                    a state as a board, in the style of its game
styles/                  what a style says, and how style.toml is read
finding/                 a style from the rules alone
boards/                  the parts of a board: facts on cells, cells in the plane, things on them
text                     a board in lines of text, plain or in colour
svg                      a board, or a state and whose turn it is, as one SVG
picture/                 the parts of it: cells, glyphs, colours, words
steps                    a board with what the last step changed, and what a win is made of, marked
animation, png           the states of a match, one after the other; an SVG as pixels
clicks                   which cells to click for each legal move; what is a button or in a list
clicking/                the parts of it: where arguments are on a board, what moves change there, moves in words
reasons, ending          what is new in a state, and what made it the last one; the end of a game in words
graph                    what players expected, step by step, as one SVG
balance                  how fair a game is, as one SVG
falling                  how exploitability fell, as one SVG
judgement/               what facts are worth, as heat maps on the board, with the curve of learning: text, SVG
trees/                   a search of a small tree, step by step: SVG, text, words
competing/               the table of a competition, its plots, and all of it as a page
results                  what a search found: its moves in order, lines, words
"""
