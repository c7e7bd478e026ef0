"""Who can be chosen to play: players of the library, those that people registered, and those launched on a page.

roster                   a name that somebody chose -> how to reach that player, if it is for them; read it first
specs                    how a player is reached, and the line to it
veiled                   a line to somebody's own player, which tells nobody where it is
files                    uploaded files, and the walls that they run behind
launched, launches       a player that somebody launched on a page; all of them
cards                    what is said of players of the library; how good somebody was, over time
"""
