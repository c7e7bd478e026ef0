"""Name, class or file -> player: a search with its parameters, the classroom's players, anybody's Python file.

A player has the handlers ping, start, play, stop and abort, of which only `play` is needed.

player                                what each handler gets and answers; the books of players in this process
pondering                             thinking while it is not asked
cores                                 how many there are to think on
simple, classroom                     players that do not look ahead; those of the classroom, which do
searching, growing                    a search as a player; those that keep their tree
perfect                               perfect play by labels, where a game is small enough
egghead, minds, forest, mixing        the house player, and the ways of thinking that it chooses from
puzzling                              one of them: a game of one role, by many searches in turns
judged                                what it learns by self-play in the start clock, tried against its trees
certain                               one of them: a proof that a role of a hidden game wins for sure
exploiting                            how a player chooses everywhere, and what best responses to it get
endgames                              endgame tables, played by where one is kept
believing                             searches of where a game can be that hides its state, as players
sight                                 what a person knows who plays such a game
catalogue, loading, folder_imports    who there is, and who is meant by a name or a file
given                                 a class, an object or a function as a player
asking                                one question to a player or an algorithm, outside of any match
tracing                               an error as its author wants to see it
collector                             no garbage is looked for while somebody thinks
"""
