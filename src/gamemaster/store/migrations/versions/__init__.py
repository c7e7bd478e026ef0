"""The migrations, in order; each stays as it is once anybody has run it.

0001_matches             matches and their seats
0002_accounts            accounts and their sessions
"""
