"""Game -> Equilibrium: for games with chance, hidden information or simultaneous moves, if all their histories fit.

walking       many states a step further at once
information   what a role can tell, layer by layer
tree          game -> its sequence form
profiles      how all roles choose, what that gets them, best responses
solver        tree -> equilibrium, by regret minimisation
equilibrium   what comes out, and how it plays
words         information states and strategies for people to read
"""
