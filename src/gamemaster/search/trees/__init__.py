"""State + budget -> SearchResult: searches that look at every move, as far as they look.

descent                                     what they share
minimax, bounded                            two sides, to the end of the game
alphabeta, ordering, nullmove, deepening    two sides, without what cannot matter; deeper and deeper
extended                                    two sides, further where the best lines end
expectimax                                  with chance
maxn, paranoid, coalition                   three roles and more
matrix                                      two roles that choose at once
gametree, greedy, pts                       trees that grow best first, and are kept from move to move
"""
