"""What a judgement holds facts to be worth -> heat maps on the board of the game.

maps       which worth is on which cell, a map for each kind of piece
text       the maps and the curve of learning in lines of text, plain or in colour
picture    the maps, the curve beside them and what pairs are worth, as one SVG
"""
