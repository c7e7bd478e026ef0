"""The parts of a drawing: board -> pieces of SVG, each with what it is of.

panels                   one panel: its frame and lines, and a group for each cell; read it first
things, cut, marking     what lies on a cell, laid out in it; in the shape of the cell; what it is marked with
stacks                   places that things are stacked on: spikes and bars
labels                   what is written beside rows and columns
beside, words            what stands below the boards; all of it in words, for those who do not see it
looks, colours           what boards are made of; colours for light and dark paper, and the ink of a drawing
glyphs, chessmen, cards  the shapes of things
boxes, markup            rectangles; text and numbers as markup, escaped
"""
