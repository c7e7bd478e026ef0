"""Outcomes -> how good players are, and how sure that is.

elo            ratings of maximum likelihood with intervals; in which order matches were played does not matter
skill          ratings of openskill, for any number of roles
table          all that a table of a competition says, as values
"""
