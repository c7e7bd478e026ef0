"""A search, step by step -> pictures and words: what the trees of textbooks show.

words        a step in a sentence, and the whole search in one
telling      all of it as plain values, for programs
text         the tree in lines of text, after any step
picture      the tree as one SVG, after any step; read it first
layout       where nodes stand, so that none are too near each other
nodes        what a node looks like: triangles, circles, boards, values
"""
