"""The pages, one file each: a route reads what is asked, calls one function of a stage below, and renders.

home                     the first page: a board to play on, live matches, ways on
games                    the library, and a game
editor                   a game is written, checked as it is typed, and played as it stands
editing                  what the editor's page asks all the time
standalone               all roles of a game on one board
play                     Human: a role against players or people
manager                  a match between players, run by hand
arranging                what those two have in common
live_match               a match while it is played
metagamers               rules before and after transformers, and what that gained
trees                    a search of a small tree, forward and back
style_checker            a style.toml beside states that it draws
players                  everybody who can play, and a page for each, with Launch
own_players              players of people's own: registered, uploaded, pinged, changed, removed
leaderboard              who is best at a game, or at all
mine                     games of one's own
competitions, planning   competitions: all, a new one, one while it is played; what its form says -> a plan
sets, run                sets of games; the cycle that runs matches by itself
account                  sign up, in and out; the profile
about                    what general game playing is
resources                what to read, documents, the language
software                 what to take home
open_pages, open_player  the same on files that somebody drops: games, and players
matches                  all matches, and one that is over, step by step
"""
