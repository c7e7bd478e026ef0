"""The pages, one file each: a route reads what is asked, calls one function of a stage below, and renders.

home                     the first page: a board to play on, live matches, ways on
games                    the library, and a game
standalone               all roles of a game on one board
play                     Human: a role against players or people
manager                  a match between players, run by hand
arranging                what those two have in common
live_match               a match while it is played
leaderboard              who is best at a game, or at all
account                  sign up, in and out; the profile
matches                  all matches, and one that is over, step by step
"""
