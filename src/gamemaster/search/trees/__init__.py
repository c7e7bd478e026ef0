"""Searches that look at every move, as far as they look.

descent                                                 what those share that look at every move
minimax, bounded, alphabeta, deepening, extended        two sides; `ordering` and `nullmove` serve alphabeta
expectimax                                              with chance
maxn, paranoid, coalition                               three roles and more
gametree, greedy, pts                                   trees that grow best first, and are kept from move to move
"""
