"""Games, states and players inside other people's frameworks, and theirs inside ours. Read `encoding` first.

encoding       states and moves as numbers: what every bridge hands over
episode        one game as learners play it: actions in, rows and rewards out
lane_games     the same for many games at once, on rows of bits
pixels         PNG -> an array, for videos
pettingzoo     game -> an environment of PettingZoo: agents one after the other, or all at once
gymnasium      puzzle -> Env of Gymnasium; any game, many times -> VectorEnv
openspiel      game <-> pyspiel.Game, players <-> bots
pythonchess    positions and games <-> python-chess: boards, UCI, SAN and PGN
notebook       games, searches and matches -> pieces of a page for Jupyter
notebook_table     a table in a notebook, to play at by clicks

Each bridge needs its framework, which is an extra of the package, and is imported only by whoever asks for it.
"""
