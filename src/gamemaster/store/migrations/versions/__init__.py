"""The migrations, in order; each stays as it is once anybody has run it.

0001_matches             matches and their seats
0002_accounts            accounts and their sessions
0003_own_players         players of people's own
0004_competitions        sets of games, competitions, and the cycle
0005_own_games           games of people's own, and matches that not everybody is told of
"""
